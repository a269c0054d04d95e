//! Notations by example, on texts of our own.
use super::*;

#[test]
fn placeholder() {
    assert_eq!(extract(Notation::BracketedLetter, "[[A]]"), Ok(Stated::First));
}
