//! The full segmentation: on arbitrary text, and by hand.
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and these tests read files"
)]

use crate::common::recorded_pairs;
use evenhand_align::{Alignment, Segmentation, align_by_length, align_by_tokens, find_cuts};
use proptest::prelude::*;

const BOTH: [Segmentation; 2] = [Segmentation::Full, Segmentation::Plain];

fn pieces(text: &str) -> Vec<&str> {
    let cuts = find_cuts(text, Segmentation::Full);
    let all = Alignment {
        a: cuts.places().to_vec(),
        b: cuts.places().to_vec(),
    };
    all.segments(text, text)
        .into_iter()
        .map(|(piece, _)| piece)
        .collect()
}

#[track_caller]
fn check(expected: &[&str]) {
    assert_eq!(pieces(&expected.concat()), expected);
}

/// Whatever the text, the places increase strictly inside it, at character boundaries, with the
/// right numbers of characters, and white space belongs to what is before it.
#[track_caller]
fn assert_sound(text: &str) {
    for segmentation in BOTH {
        let cuts = find_cuts(text, segmentation);
        let bytes: Vec<usize> = cuts.places().iter().map(|cut| cut.byte).collect();
        assert!(bytes.is_sorted_by(|x, y| x < y), "{bytes:?}");
        assert!(
            bytes
                .iter()
                .all(|&byte| 0 < byte && byte < text.len() && text.is_char_boundary(byte)),
            "{bytes:?}"
        );
        assert!(
            cuts.places()
                .iter()
                .all(|cut| cut.char == text[..cut.byte].chars().count())
        );
        for k in 2..5 {
            let length = align_by_length(&cuts, &cuts, k);
            assert_eq!(length.is_some(), cuts.places().len() >= k - 1);
            let semantic =
                align_by_tokens((text, &cuts), (text, &cuts), k).map(|found| found.alignment);
            for alignment in length.into_iter().chain(semantic) {
                let segments = alignment.segments(text, text);
                assert_eq!(segments.len(), k);
                assert_eq!(
                    segments.iter().map(|segment| segment.0).collect::<String>(),
                    text
                );
                assert_eq!(
                    segments.iter().map(|segment| segment.1).collect::<String>(),
                    text
                );
            }
        }
    }
}

fn piece_of_markdown() -> impl Strategy<Value = String> {
    let parts = [
        "```",
        "```python\n",
        "~~~",
        "\n",
        "\r\n",
        "\n\n",
        "  ",
        "\t",
        "- ",
        "1. ",
        "| a |",
        "|-|",
        "`",
        "[",
        "](",
        ")",
        "x = 1",
        "def f():\n",
        "  return",
        "\"",
        "'",
        "{",
        "}",
        "Word. ",
        "Dr. ",
        "e.g. ",
        "3.14",
        "。",
        "、",
        "！",
        "।",
        "é",
        "🙂",
        "\u{301}",
        "\u{200d}",
        "?",
        "! ",
        "# ",
        "<",
        ">",
        "\u{1c}",
        "\0",
    ];
    prop_oneof![9 => prop::sample::select(parts.to_vec()).prop_map(String::from), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_text_concatenates(text in any::<String>()) {
        assert_sound(&text);
    }

    #[test]
    fn broken_markdown_concatenates(parts in prop::collection::vec(piece_of_markdown(), 0..30)) {
        assert_sound(&parts.concat());
    }
}

#[test]
fn recorded_answers_concatenate() {
    for pair in recorded_pairs().into_iter().flatten().step_by(3) {
        assert_sound(&pair.a);
        assert_sound(&pair.b);
    }
}

#[test]
fn sentences_end_by_the_rules_of_unicode() {
    check(&[
        "Dr. A. Smith paid 3.50 for it, e.g. for tea. ",
        "He left! ",
        "\"Why?\" ",
        "No answer.",
    ]);
    check(&["See https://example.com/?Q=a.B for more. ", "It helps."]);
    check(&["我喜欢猫。", "你呢？", "好！"]);
    check(&["猫が好きです。", "「はい。」", "彼は言った。"]);
    check(&["यह ठीक है। ", "धन्यवाद।"]);
    check(&["هل أنت هنا؟ ", "نعم."]);
}

#[test]
fn lists_and_tables_are_cut_between_their_lines() {
    check(&[
        "Steps:\n\n",
        "1. Boil water. Wait a bit.\n",
        "2. Add tea.\n   Stir. Drink.\n",
        "- Rest. Sleep.\n\n",
        "Done. ",
        "Good.",
    ]);
    check(&[
        "| a | b. C |\n|---|---|\n| 1. X | 2 |\n",
        "| 3 | 4 |\n\n",
        "After. ",
        "End.",
    ]);
    check(&["# Heading 1. One\n", "Text. ", "More."]);
}

#[test]
fn code_and_links_within_a_line_are_whole() {
    check(&[
        "Call `a. B! c` now. ",
        "See [Some. Text! Here](http://x.y/?Z) first. ",
        "Then ``x ` Y. Z`` and ` open. ",
        "End.",
    ]);
}

#[test]
fn fenced_code_is_cut_where_it_may_be() {
    let first = "Here:\n\n";
    #[cfg(feature = "code")]
    check(&[
        first,
        "```python\nimport os\n",
        "import sys\n\n",
        "# Adds.\ndef f(x):\n    s = \"\"\"a.\n\n\"\"\"\n    return s\n```\n",
        "It adds.",
    ]);
    check(&[first, "```\nfirst. Line\n\n", "second\n```\n", "After."]);
    check(&[first, "~~~ unheard-of\na = b\n  c\n\n\n", "d"]);
}

#[cfg(feature = "code")]
#[test]
fn strings_that_look_like_the_end_of_a_statement_are_whole() {
    check(&["```python\nx = \"\"\"\na\n\nb = 1\n\"\"\"\n", "y = 2\n```"]);
    check(&["```js\nlet a = `\n\nlet b\n`;\n", "f(1,\n\n2);\n```"]);
}

#[cfg(feature = "code")]
#[test]
fn every_language_is_cut_between_its_statements() {
    let cases = [
        ("python", "x = 1\n", "y = 2\n"),
        ("javascript", "let x = 1;\n", "f(x);\n"),
        ("ts", "let x: number = 1;\n", "type T = string;\n"),
        ("tsx", "let x = <a/>;\n", "let y = 1;\n"),
        ("rust", "fn f() {\n\n}\n", "struct S;\n"),
        ("go", "package main\n", "func f() {\n}\n"),
        ("c", "int f(void) {\n\n  return 1;\n}\n", "int x;\n"),
        ("c++", "class A {\n\n};\n", "int x;\n"),
        ("java", "class A {\n\n  int x;\n}\n", "class B {}\n"),
        ("bash", "if true; then\n\n  ls\nfi\n", "echo \"x\"\n"),
        ("sql", "SELECT a\n\nFROM t;\n", "SELECT b FROM u;\n"),
        ("html", "<p>\n\na. B</p>\n", "<p>c</p>\n"),
    ];
    for (language, first, second) in cases {
        check(&[
            &format!("```{language}\n{first}"),
            &format!("{second}```\n"),
            "End.",
        ]);
    }
    let numbers: String = (0..30).map(|i| format!("  \"k{i}\": {i},\n")).collect();
    assert_eq!(
        pieces(&format!("```json\n{{\n{numbers}  \"end\": 0\n}}\n```")).len(),
        31,
        "a long object is cut between its members"
    );
}

#[cfg(feature = "code")]
#[test]
fn code_that_does_not_parse_is_cut_at_blank_lines() {
    check(&["```python\ndef (:\nx\n\n", "y = = 2\nz\n```"]);
}

/// None of this takes long, or more than a little memory.
#[test]
fn hostile_text_is_split() {
    let many = 20_000;
    for part in [
        "`", "[", "](", "<", "```\n", "- ", "((((", "\"", "a. ", "{\n", "| - |\n", "``` ` ",
        "x\n\n", "1. ",
    ] {
        let text = part.repeat(many);
        let cuts = find_cuts(&text, Segmentation::Full);
        assert!(cuts.places().len() <= text.len());
        let code = format!("```cpp\n{text}");
        assert!(find_cuts(&code, Segmentation::Full).places().len() <= code.len());
    }
}
