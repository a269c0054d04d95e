//! Reads a live judge's reply to our own prompts: a letter, a number, two scores, an order, or
//! whether criteria are met, in the many ways in which judges put them. docs/design/extraction.md
//! has the rules.
//!
//! A reader finds the places of a reply that state a verdict; one rule (`statements`) says what
//! they come to: the judge's own statements must agree. A reply that states two verdicts is
//! ambiguous, whichever stands last.

mod clean;
mod ends;
mod json;
mod letter;
mod lex;
mod lines;
mod number;
mod numbered;
mod order;
mod preference;
mod scores;
mod statements;
mod tokens;
mod yes_no;

pub(crate) use clean::clean;
pub(crate) use json::is_one_object;
pub(crate) use letter::{Holding, judge_mark, read_letter, read_side};
pub(crate) use lines::excerpt;
pub(crate) use number::{read_number, read_score};
pub(crate) use numbered::read_numbered;
pub(crate) use order::read_order;
pub(crate) use scores::read_scores;
pub(crate) use statements::Unread;
pub(crate) use yes_no::read_yes_or_no;
