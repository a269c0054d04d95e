//! Criteria that a judge wrote for an item, a line each.

use evenhand_core::{Criterion, Failure, FailureKind};

/// The most criteria that a list of a judge's own may have; three to five are asked for.
pub const MOST_WRITTEN_CRITERIA: usize = 20;

/// Reads the criteria of a list: each counts 1. Where lines are marked as a list's, the others are
/// words around it; else where lines are questions.
pub(super) fn read_written(text: &str) -> Result<Vec<Criterion>, Failure> {
    let lines = text.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| has_words(line)).collect();
    let mut listed: Vec<&str> = lines.iter().filter_map(|line| strip_number(line)).collect();
    if listed.is_empty() {
        listed = lines;
        let is_question = |line: &&str| line.ends_with('?');
        if listed.iter().any(is_question) {
            listed.retain(is_question);
        }
    }
    if !(1..=MOST_WRITTEN_CRITERIA).contains(&listed.len()) {
        let why = format!(
            "criteria for the instruction were asked for, a line each and {MOST_WRITTEN_CRITERIA} \
             at most, and the reply has {}",
            listed.len()
        );
        return Err(Failure::new(FailureKind::Unparsed, why));
    }
    let is_mark = |c: char| c.is_whitespace() || "*_`#".contains(c);
    let criteria = listed.iter().map(|line| line.trim_matches(is_mark));
    Ok(criteria.map(Criterion::new).collect())
}

/// Returns a line without the number or bullet of a list; None where it has neither.
fn strip_number(line: &str) -> Option<&str> {
    let line = line.trim_start_matches("**");
    let bullets = ["- ", "* ", "• "];
    if let Some(item) = bullets.iter().find_map(|mark| line.strip_prefix(mark)) {
        return Some(item);
    }
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.len() == line.len() {
        return None;
    }
    let item = behind.strip_prefix(['.', ')', ':'])?;
    has_words(item).then_some(item)
}

fn has_words(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
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
