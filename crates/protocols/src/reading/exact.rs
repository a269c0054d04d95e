//! Texts that are a verdict and nothing else.

use crate::Scale;
use crate::form::LETTERS;

/// Returns the place among `options` of an answer: the option, or `Answer` and a letter. `Answer 2`
/// names a response and no step.
pub(super) fn find_option(answer: &str, options: &[String]) -> Option<usize> {
    let named = match answer.split_at_checked("answer ".len()) {
        Some((head, rest)) if head.eq_ignore_ascii_case("answer ") => Some(rest),
        _ => None,
    };
    let named = named.filter(|named| !named.starts_with(|c: char| c.is_ascii_digit()));
    options
        .iter()
        .position(|option| option == answer || named == Some(option.as_str()))
}

/// Parses two numbers on the scale, with white space or a comma between them.
pub(super) fn parse_scores(answer: &str, scale: Scale) -> Option<[f64; 2]> {
    let parts = answer.split(|c: char| c.is_whitespace() || c == ',');
    let numbers = parts.filter(|part| !part.is_empty());
    let numbers: Option<Vec<f64>> = numbers.map(|part| part.parse().ok()).collect();
    match numbers?[..] {
        [a, b] if scale.contains(a) && scale.contains(b) => Some([a, b]),
        _ => None,
    }
}

/// Parses an order of `count` letters, best first, with `>` or `=` between them: the place of each
/// slot. Equals share the middle of their places.
pub(super) fn parse_order(answer: &str, count: usize) -> Option<Vec<f64>> {
    let mut places = vec![0.0; count];
    let mut before = 0;
    for group in answer.split('>') {
        let equals: Vec<&str> = group.split('=').map(strip_marks).collect();
        let place = before as f64 + (equals.len() as f64 + 1.0) / 2.0;
        for letter in &equals {
            let mut chars = letter.chars();
            let slot = LETTERS.find(chars.next()?)?;
            let is_alone = chars.next().is_none();
            // Each slot exists, and has one place.
            let free = places.get_mut(slot)?;
            if !is_alone || *free != 0.0 {
                return None;
            }
            *free = place;
        }
        before += equals.len();
    }
    (before == count).then_some(places)
}

/// Returns a text without the marks that judges put around an answer: white space, emphasis,
/// quotes, brackets, a closing full stop.
pub(super) fn strip_marks(text: &str) -> &str {
    let is_mark = |c: char| c.is_whitespace() || "*_`\"'[](){}".contains(c);
    // A point at the beginning belongs to a number.
    text.trim_start_matches(is_mark)
        .trim_end_matches(|c: char| is_mark(c) || c == '.')
}
