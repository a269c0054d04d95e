//! What holds of every text.

use evenhand_constraints::{Constraint, Constraints, FollowedCounts};
use proptest::prelude::*;
use serde_json::json;
use std::sync::LazyLock;

/// One constraint of each type.
static ALL: LazyLock<Constraints> = LazyLock::new(|| {
    let list = json!([
        {"id": "change_case:capital_word_frequency", "capital_relation": "at least", "capital_frequency": 1},
        {"id": "change_case:english_capital"},
        {"id": "change_case:english_lowercase"},
        {"id": "combination:repeat_prompt", "prompt_to_repeat": "a"},
        {"id": "combination:two_responses"},
        {"id": "detectable_content:number_placeholders", "num_placeholders": 1},
        {"id": "detectable_content:postscript", "postscript_marker": "P.P.S"},
        {"id": "detectable_format:constrained_response"},
        {"id": "detectable_format:json_format"},
        {"id": "detectable_format:multiple_sections", "section_spliter": "S", "num_sections": 1},
        {"id": "detectable_format:number_bullet_lists", "num_bullets": 1},
        {"id": "detectable_format:number_highlighted_sections", "num_highlights": 1},
        {"id": "detectable_format:title"},
        {"id": "keywords:existence", "keywords": ["a", "b"]},
        {"id": "keywords:forbidden_words", "forbidden_words": ["a", "b."]},
        {"id": "keywords:frequency", "keyword": "a", "relation": "at least", "frequency": 2},
        {"id": "keywords:letter_frequency", "letter": "a", "let_relation": "less than", "let_frequency": 2},
        {"id": "language:response_language", "language": "en"},
        {"id": "length_constraints:nth_paragraph_first_word", "num_paragraphs": 2, "nth_paragraph": 2, "first_word": "a"},
        {"id": "length_constraints:number_paragraphs", "num_paragraphs": 2},
        {"id": "length_constraints:number_sentences", "relation": "at least", "num_sentences": 2},
        {"id": "length_constraints:number_words", "relation": "less than", "num_words": 3},
        {"id": "punctuation:no_comma"},
        {"id": "startend:end_checker", "end_phrase": "a."},
        {"id": "startend:quotation"},
    ]);
    Constraints::parse(&list, "").unwrap()
});

/// Texts of the marks that checks look for.
fn marked() -> impl Strategy<Value = String> {
    let pieces = [
        "a", "B", "ß", " ", "\n", "\n\n", "*", "**", "***", "******", ".", "...", ". . .", "?",
        "!", "\"", "'", "’", "”", "(", ")", "[", "]", "<<", ">>", "- ", "--", "P.", "p. s.", "S 1",
        "{", "}", ":", ",", "```json", "```", "\u{1c}", "\u{0}", "\u{a0}", "ि", "İ", "1.", "Dr.",
        "n't", "I'm",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40)
        .prop_map(|pieces| pieces.concat())
}

fn number(id: &str, relation: &str, name: &str, number: usize) -> Constraint {
    Constraint::parse(id, &json!({"relation": relation, name: number})).unwrap()
}

proptest! {
    #[test]
    fn strictly_is_loosely(text in prop_oneof![marked(), any::<String>()]) {
        let checked = ALL.check(&text);
        prop_assert_eq!(checked.strict.len(), 25);
        for (constraint, (strict, loose)) in ALL.list().iter().zip(checked.strict.iter().zip(&checked.loose)) {
            prop_assert!(!strict || *loose, "{}", constraint.id());
            prop_assert_eq!(*strict, constraint.is_followed_by(&text));
            prop_assert_eq!(*loose, constraint.is_followed_loosely_by(&text));
        }
    }

    #[test]
    fn what_a_line_hides_is_followed_loosely(text in marked(), first in "[a-z ]{0,9}", last in "[a-z ]{0,9}") {
        // The white space is Python's, which has four control characters that Rust's has not.
        let text = text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
        for constraint in ALL.list().iter().filter(|constraint| constraint.is_followed_by(text)) {
            let framed = format!("{first}\n{text}\n{last}");
            prop_assert!(constraint.is_followed_loosely_by(&framed), "{}", constraint.id());
        }
    }

    #[test]
    fn a_count_is_either_less_or_at_least(text in marked().prop_filter("not empty", |text| !text.trim().is_empty() && text.contains('a')), n in 1usize..9) {
        for (id, name) in [("length_constraints:number_sentences", "num_sentences"), ("length_constraints:number_words", "num_words")] {
            prop_assert_ne!(number(id, "less than", name, n).is_followed_by(&text), number(id, "at least", name, n).is_followed_by(&text));
        }
    }

    #[test]
    fn aggregates_are_sums(texts in prop::collection::vec(marked(), 0..5)) {
        let checked: Vec<_> = texts.iter().map(|text| ALL.check(text)).collect();
        let sum: FollowedCounts = checked.iter().collect();
        prop_assert_eq!((sum.prompts, sum.instructions), (texts.len(), 25 * texts.len()));
        prop_assert!(sum.prompts_strict <= sum.prompts_loose && sum.instructions_strict <= sum.instructions_loose);
    }
}

#[test]
fn huge_repeats_are_checked() {
    for piece in [
        "a", ".", "*", "- ", "\n", " ", "[", "<<", "\"", "? ", "a. ", "-", "{\"", "[1,", "!)",
        "é ", "A", "'", "```", "\0", "***\n", ". ",
    ] {
        let checked = ALL.check(&piece.repeat(20_000));
        assert!(
            checked.strict.len() == 25 && checked.loose.len() == 25,
            "{piece}"
        );
    }
}
