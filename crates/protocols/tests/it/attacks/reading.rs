//! Only a reply's own end is read.

use super::{FORMS, LARGE, corpus, read};
use evenhand_core::{FailureKind, Verdict};
use evenhand_protocols::{Notation, Stated, Strength, extract};

/// A form's marker, and a verdict that no attack gives.
const REAL: [(&str, &str); 7] = [
    ("pairwise", "Verdict: B"),
    ("pairwise-tie", "Verdict: C"),
    ("pairwise-5point", "Verdict: 4"),
    ("pairwise-score", "Scores: 3 8"),
    ("pairwise-likert", "Verdict: 6"),
    ("listwise:3", "Order: C > B > A"),
    ("pointwise", "Score: 3"),
];

#[test]
fn the_last_line_decides_or_nothing_does() {
    let corpus = corpus();
    for (form, real) in REAL {
        for reasoning in ["direct", "cot", "pros-cons", "prepair"] {
            let name = format!("{form}/{reasoning}/single:fixed");
            let expected = read_verdict(&name, real);
            assert!(expected.is_ok(), "{name}");
            for attack in &corpus {
                // Analyses before it change nothing in how the last reply is read.
                if attack.text.len() >= LARGE && !["direct", "cot"].contains(&reasoning) {
                    continue;
                }
                for reply in [
                    format!("{}\n{real}", attack.text),
                    format!("{}\r\n**{real}**\n\n", attack.text),
                ] {
                    let found = read_verdict(&name, &reply);
                    let none = matches!(found, Err(FailureKind::Unparsed | FailureKind::Truncated));
                    assert!(
                        found == expected || none,
                        "{name}, {}: {found:?}",
                        attack.name
                    );
                }
            }
        }
    }
}

/// The verdict of the last call: where analyses are asked for, they get the same text.
fn read_verdict(name: &str, text: &str) -> Result<Verdict, FailureKind> {
    read(name, text).map_err(|failure| failure.kind)
}

/// The attacks that, as a whole reply, choose the letter A: in their first line or in their last.
const SAY_A: [&str; 26] = [
    "letter in double brackets",
    "letter alone",
    "sentence of the field",
    "marker with a letter",
    "marker on the last line",
    "emphasised verdict",
    "verdict a hundred times",
    "verdict in Cyrillic letters",
    "full-width verdict",
    "end of answer, two brackets",
    "ChatML",
    "Llama 3",
    "Gemma",
    "Qwen tools",
    "thinking",
    "end of thinking",
    "instruction in German",
    "instruction in Spanish",
    "instruction in Chinese",
    "instruction in Arabic",
    "instruction in Russian",
    "right-to-left override",
    "zero-width characters",
    "line breaks at both ends",
    "table with a verdict",
    "many lines",
];

/// Those that are a verdict of another form, the form, and how far it favours the first.
const ARE_VERDICTS: [(&str, &str, f64); 10] = [
    ("number alone", "pairwise-5point", 1.0),
    ("marker with a number", "pairwise-5point", 1.0),
    ("two scores", "pairwise-score", 1.0),
    ("two bare scores", "pairwise-score", 1.0),
    ("number alone", "pairwise-likert", 1.0),
    ("marker with a number", "pairwise-likert", 1.0),
    ("an order of three", "listwise:3", 1.0),
    ("number alone", "pointwise", 1.0),
    ("marker with a number", "pointwise", 1.0),
    ("one score", "pointwise", 10.0),
];

#[test]
fn an_attack_alone_is_no_verdict_unless_it_is_one_of_the_asked_form() {
    let mut found = Vec::new();
    for form in FORMS {
        for attack in corpus() {
            let outcome = read(&format!("{form}/cot/single:fixed"), &attack.text);
            match outcome {
                Ok(verdict) => found.push((attack.name, form, favour(&verdict))),
                Err(failure) => {
                    let expected = [FailureKind::Unparsed, FailureKind::Truncated];
                    assert!(expected.contains(&failure.kind), "{form}, {}", attack.name);
                }
            }
        }
    }
    let letters = ["pairwise", "pairwise-tie"]
        .into_iter()
        .flat_map(|form| SAY_A.map(|name| (name, form, 1.0)));
    let expected: Vec<(String, &str, f64)> = letters
        .chain(ARE_VERDICTS)
        .map(|(name, form, p)| (name.to_string(), form, p))
        .collect();
    assert_eq!(found, expected);
}

/// How far a verdict favours the first slot, or the score.
fn favour(verdict: &Verdict) -> f64 {
    match verdict {
        Verdict::Pointwise { score, .. } => *score,
        Verdict::Pairwise { first, .. } => *first,
        Verdict::Listwise { places, .. } => places[0],
    }
}

/// A notation, the line that gives a verdict in it, and the verdict.
fn notations() -> Vec<(Notation, &'static str, Stated)> {
    let notation = |name: &str| name.parse().unwrap();
    vec![
        (
            notation("output-letter"),
            "Therefore, Output (b) is better.",
            Stated::Second,
        ),
        (
            notation("bracketed-letter"),
            "My final verdict is [[B]]",
            Stated::Second,
        ),
        (
            notation("bracketed-strength"),
            "My final verdict is [[B>A]]",
            Stated::Strength(Strength::SecondSlightly),
        ),
        (
            notation("bracketed-number"),
            "Rating: [[3]]",
            Stated::Score(3.0),
        ),
        (
            notation("score-pair"),
            "Assistant 1: 3/10, Assistant 2: 8/10",
            Stated::Scores(3.0, 8.0),
        ),
        (notation("number"), "Score: 3", Stated::Score(3.0)),
        (
            notation("five-point"),
            "Verdict: 4",
            Stated::Strength(Strength::SecondSlightly),
        ),
        (notation("result-letter"), "[RESULT] B", Stated::Second),
        (notation("result-number"), "[RESULT] 3", Stated::Score(3.0)),
        (
            notation("final-decision"),
            "So, the final decision is Response 2",
            Stated::Second,
        ),
    ]
}

#[test]
fn notations_read_the_end_of_a_reply_that_quotes_an_attack() {
    let mut wrong = Vec::new();
    for (notation, real, expected) in notations() {
        for attack in corpus() {
            let text = &attack.text;
            let lines: String = text.lines().map(|line| format!("> {line}\n")).collect();
            let mut replies = vec![
                (
                    "raw",
                    format!(
                        "The first answer is odd. It reads as follows.\n\n{text}\n\nNothing of \
                         this helps.\n\n{real}"
                    ),
                ),
                (
                    "block",
                    format!(
                        "The first answer is odd. It reads as follows.\n\n{lines}\nNothing of this \
                         helps.\n\n{real}"
                    ),
                ),
            ];
            if !text.contains("</think>") {
                replies.push((
                    "thought",
                    format!("<think>It reads: {text}</think>\n{real}"),
                ));
            }
            for (how, reply) in replies {
                let found = extract(notation, &reply);
                // A mark that ends thinking makes what stands before it thinking, and a verdict
                // behind it a second one.
                let ends_thinking = text.contains("</think>") && found.is_err();
                if found != Ok(expected) && !ends_thinking {
                    wrong.push(format!("{notation}, {}, {how}: {found:?}", attack.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The notations of a choice at the very beginning read nothing that stands behind it.
#[test]
fn notations_of_the_first_line_read_no_other() {
    let [first_line, case_of_m]: [Notation; 2] =
        ["first-line", "case-of-m"].map(|name| name.parse().unwrap());
    for attack in corpus() {
        let found = extract(first_line, &format!("2\n{}", attack.text));
        let ends_thinking = attack.text.contains("</think>") && found.is_err();
        assert!(
            found == Ok(Stated::Second) || ends_thinking,
            "{}: {found:?}",
            attack.name
        );
        assert!(
            extract(case_of_m, &format!("I prefer this. {}", attack.text)).is_err(),
            "{}",
            attack.name
        );
    }
}
