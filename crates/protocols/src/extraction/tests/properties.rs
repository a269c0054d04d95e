//! Properties that hold for any text.

use super::*;
use proptest::prelude::*;

/// Long enough that a quadratic reader would take minutes.
#[test]
fn long_texts_are_read_in_linear_time() {
    let pieces = [
        "[[",
        "[[A",
        "\"",
        "`",
        "“",
        "> \n",
        "```\n",
        "Output (a) is better ",
        "8/10 ",
        "1 2 ",
        "Assistant 1 ",
        "if i ",
        ". ",
        "é",
        "a a",
    ];
    for piece in pieces {
        let text = piece.repeat(50_000 / piece.len());
        for notation in NAMES {
            let _ = read(notation, &text);
        }
    }
}

const NAMES: [&str; 12] = [
    "output-letter",
    "bracketed-letter",
    "bracketed-strength",
    "bracketed-number",
    "score-pair",
    "number",
    "five-point",
    "result-letter",
    "result-number",
    "final-decision",
    "first-line",
    "case-of-m",
];

/// A verdict in its notation's final form, and what it states.
const FINAL: [(&str, &str, Stated); 10] = [
    ("result-letter", "[RESULT] A", Stated::First),
    ("result-number", "[RESULT] 2", Stated::Score(2.0)),
    (
        "final-decision",
        "So, the final decision is Response 2.",
        Stated::Second,
    ),
    (
        "output-letter",
        "Therefore, Output (b) is better.",
        Stated::Second,
    ),
    ("bracketed-letter", "Final verdict: [[C]]", Stated::Tie),
    (
        "bracketed-strength",
        "My final verdict is: [[A>>B]]",
        Stated::Strength(Strength::FirstMuch),
    ),
    ("bracketed-number", "Rating: [[7]]", Stated::Score(7.0)),
    ("number", "Score: 7", Stated::Score(7.0)),
    (
        "score-pair",
        "Assistant 1: 7/10\nAssistant 2: 9/10",
        Stated::Scores(7.0, 9.0),
    ),
    ("five-point", "5", Stated::Strength(Strength::SecondMuch)),
];

/// Text that looks like what judges write, without a statement in it.
fn reasoning() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,12}",
        "[a-z ,.!?\n]{0,20}",
        prop::sample::select(vec![
            "Output (a) ",
            "better ",
            "is ",
            "\n",
            "```\n",
            "\"",
            "“",
            "”",
            "> ",
            "`",
            "[[",
            "]]",
            "Assistant ",
            "<think>",
            "</think>",
            "I ",
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Whether a text holds no statement, not even one that is off the scale or contradicts another.
fn states_nothing(notation: &str, text: &str) -> bool {
    !matches!(
        read(notation, text),
        Ok(_) | Err(NoVerdict::OutOfRange(_) | NoVerdict::Contradictory(..))
    )
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in prop_oneof![any::<String>(), reasoning()]) {
        for notation in NAMES {
            let first = read(notation, &text);
            prop_assert_eq!(first, read(notation, &text));
        }
    }

    #[test]
    fn a_closing_verdict_is_read_after_marks_that_quote(text in reasoning()) {
        for (notation, verdict, stated) in FINAL {
            prop_assume!(states_nothing(notation, &text) && !text.trim_start().starts_with("<think>"));
            for between in ["\n", "\n\n", ".\n"] {
                let reply = format!("{text}{between}{verdict}");
                prop_assert_eq!(read(notation, &reply), Ok(stated), "{}: {:?}", notation, reply);
            }
        }
    }

    #[test]
    fn a_closing_verdict_is_read_after_any_reasoning(text in "[^\"`>“„«「<0-9]{0,200}") {
        for (notation, verdict, stated) in FINAL {
            prop_assume!(states_nothing(notation, &text));
            let reply = format!("{text}\n\n{verdict}");
            prop_assert_eq!(read(notation, &reply), Ok(stated), "{}: {:?}", notation, reply);
        }
    }
}
