//! Criteria that a judge wrote for an item, a line each.

use evenhand_core::{Criterion, Failure, FailureKind};

/// The most criteria that a list may have; three to five are asked for.
const MOST_WRITTEN: usize = 20;

/// Reads the criteria of a list: each counts 1. Where lines are marked as a list's, the others are
/// words around it; else where lines are questions.
pub(super) fn read_written(text: &str) -> Result<Vec<Criterion>, Failure> {
    let lines = find_list(text).into_iter();
    let criteria: Vec<Criterion> = lines.map(make_criterion).collect();
    if (1..=MOST_WRITTEN).contains(&criteria.len()) {
        Ok(criteria)
    } else {
        Err(refuse_list(criteria.len()))
    }
}

/// Returns the lines that are criteria.
fn find_list(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(has_words).collect();
    let marked: Vec<&str> = lines.iter().filter_map(|line| strip_number(line)).collect();
    if !marked.is_empty() {
        return marked;
    }
    keep_questions(lines)
}

/// Keeps the lines that are questions, or all where none is.
fn keep_questions(mut lines: Vec<&str>) -> Vec<&str> {
    let is_question = |line: &&str| line.ends_with('?');
    if lines.iter().any(is_question) {
        lines.retain(is_question);
    }
    lines
}

fn has_words(line: &&str) -> bool {
    line.contains(char::is_alphanumeric)
}

fn make_criterion(line: &str) -> Criterion {
    Criterion::new(line.trim_matches(|c: char| c.is_whitespace() || "*_`#".contains(c)))
}

/// Returns a line without the number or bullet of a list; None where it has neither.
fn strip_number(line: &str) -> Option<&str> {
    let line = line.trim_start_matches("**");
    let mut bullets = ["- ", "* ", "• "].iter();
    let bullet = bullets.find_map(|mark| line.strip_prefix(mark));
    bullet.or_else(|| strip_digits(line))
}

fn strip_digits(line: &str) -> Option<&str> {
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = behind.len() < line.len();
    let rest = behind.strip_prefix(['.', ')', ':']);
    rest.filter(|rest| is_numbered && has_words(rest))
}

fn refuse_list(count: usize) -> Failure {
    let why = format!(
        "criteria for the instruction were asked for, a line each and {MOST_WRITTEN} at most, and \
         the reply has {count}"
    );
    Failure::new(FailureKind::Unparsed, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let criteria = read_written(text).unwrap_or_default().into_iter();
        criteria.map(|criterion| criterion.text).collect()
    }

    #[test]
    fn lists_as_judges_write_them() {
        for text in [
            "Is it short?\nIs it kind?",
            "1. Is it short?\n2. Is it kind?",
            "Here are the questions:\n\n- Is it short?\n- Is it kind?\n\nI hope this helps.",
            "**1. Is it short?**\n**2) Is it kind?**",
            "Questions:\nIs it short?\nIs it kind?\nDone.",
        ] {
            assert_eq!(read(text), ["Is it short?", "Is it kind?"], "{text}");
        }
        assert_eq!(read("Short\nKind"), ["Short", "Kind"]);
    }

    #[test]
    fn what_is_no_list_is_a_failure() {
        assert!(read_written("---").is_err());
        assert!(read_written(&"Is it short?\n".repeat(21)).is_err());
    }
}
