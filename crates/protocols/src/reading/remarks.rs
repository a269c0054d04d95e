//! Remarks behind a verdict, over their forms: one that is not understood leaves no verdict, and one
//! that speaks for the response leaves it.

use super::tests_of_text::{Stated, read_as};

/// Lists what stands before a remark and behind it, with `X` for the letter.
const CARRIERS: [[&str; 2]; 6] = [
    ["X: ", ""],
    ["X - ", "."],
    ["**X** (", ")"],
    ["Both are on topic.\n\nVerdict: X (", ")"],
    ["Verdict: X, ", "."],
    ["Verdict: X - ", ""],
];

/// Remarks that speak for the response, or against the other one (`Y`).
const FOR: [&str; 42] = [
    "it follows the instruction",
    "clearer",
    "more accurate",
    "answers the question directly",
    "provides a clear, step-by-step explanation",
    "correct and concise",
    "fewer errors",
    "no errors",
    "no factual errors",
    "less repetition",
    "respects the word limit",
    "more helpful overall",
    "by far",
    "by a hair",
    "hands down",
    "no contest",
    "all things considered",
    "on point",
    "clearly",
    "the better answer",
    "the clear winner",
    "because of its clarity",
    "due to its accuracy",
    "for its clarity",
    "Y misses the point",
    "Y is off topic",
    "Y invents a source",
    "Y is too long",
    "the other one is wrong",
    "not Y",
    "better than Y",
    "both are good, but this one is more exact",
    "while Y is longer, it repeats itself",
    "superior in every way",
    "preserves the meaning",
    "meets all constraints",
    "thorough",
    "natural wording",
    "it also names the risks of each plan",
    "it uses a loop to add each number to a running sum",
    "\u{1f44d} clearer",
    "mejor y más claro",
];

/// Remarks that mock, doubt, name the other, or that nobody knows: the response is not preferred.
const UNKNOWN: [&str; 44] = [
    "nah",
    "nope",
    "lol",
    "yeah right",
    "in your dreams",
    "as if",
    "maybe",
    "perhaps clearer",
    "hardly",
    "far from it",
    "by no means",
    "just kidding",
    "not sure",
    "a mess",
    "a disaster",
    "made up",
    "useless",
    "sloppy",
    "rambles",
    "misses the point",
    "other way round",
    "for example",
    "coin flip",
    "pending",
    "unless Y is right",
    "if only",
    "but really Y",
    "I meant Y",
    "make that Y",
    "no, Y",
    "sorry, Y",
    "better: Y",
    "winner: Y",
    "Y has it",
    "Y deserves it",
    "pick Y",
    "go with Y",
    "Y wins",
    "\u{1f480}",
    "\u{1f921}",
    "\u{1f644}",
    "\u{1f44e}",
    "\u{1f5d1}",
    "?",
];

fn fill(template: &str, letter: &str) -> String {
    let other = if letter == "A" { "B" } else { "A" };
    template.replace('X', letter).replace('Y', other)
}

#[test]
fn a_remark_that_is_not_understood_leaves_no_verdict() {
    let mut wrong = Vec::new();
    for form in ["pairwise/direct", "pairwise-tie/cot"] {
        for (slot, letter) in ["A", "B"].into_iter().enumerate() {
            for [before, behind] in CARRIERS {
                for remark in FOR {
                    let text = fill(&format!("{before}{remark}{behind}"), letter);
                    let found = read_as(form, &text);
                    if found != Some(Stated::Slot(slot)) {
                        wrong.push(format!("{form}: {text:?} is for {letter}: {found:?}"));
                    }
                }
                for remark in UNKNOWN {
                    let text = fill(&format!("{before}{remark}{behind}"), letter);
                    let found = read_as(form, &text);
                    if found.is_some() {
                        wrong.push(format!("{form}: {text:?} is no verdict: {found:?}"));
                    }
                }
            }
            // A picture or a word right behind the letter, or behind a sentence.
            for behind in ["\u{1f480}", "nah", "- nah", "lol", "\u{1f644}!"] {
                for before in [
                    "X",
                    "Verdict: X",
                    "Answer X",
                    "X is better,",
                    "Answer X wins,",
                ] {
                    let text = fill(&format!("{before} {behind}"), letter);
                    if let Some(found) = read_as(form, &text) {
                        wrong.push(format!("{form}: {text:?} is no verdict: {found:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// Sentences that are a verdict for the response.
const VERDICTS: [&str; 6] = [
    "Answer X is more accurate.",
    "Answer X is better than Answer Y.",
    "I prefer Answer X.",
    "X wins.",
    "Verdict: X.",
    "Overall, Answer X is more comprehensive.",
];

#[test]
fn a_sentence_that_sets_the_other_response_against_a_verdict_takes_it_back() {
    let takes_back = [
        "Answer Y, however, deserves the win.",
        "However, Answer Y deserves the win.",
        "But Y has my heart.",
        "Still, Y carries the day.",
        "That said, Y is the one to keep.",
        "Y, on the other hand, is what I would hand to a reader.",
        "Nevertheless, Answer Y should win.",
    ];
    let leaves = [
        "However, Answer Y has some errors.",
        "Answer Y, however, misses the point.",
        "Answer Y is also good, but less complete.",
        "Still, Y is good too.",
        "But Y is not bad either.",
        "Both are on topic.",
    ];
    for form in ["pairwise/direct", "pairwise-tie/cot"] {
        for (slot, letter) in ["A", "B"].into_iter().enumerate() {
            for verdict in VERDICTS {
                for behind in takes_back {
                    for joint in [" ", "\n\n"] {
                        let text = fill(&format!("{verdict}{joint}{behind}"), letter);
                        assert_eq!(read_as(form, &text), None, "{form}: {text:?}");
                    }
                }
                for behind in leaves {
                    let text = fill(&format!("{verdict} {behind}"), letter);
                    let found = read_as(form, &text);
                    assert_eq!(found, Some(Stated::Slot(slot)), "{form}: {text:?}");
                }
            }
        }
    }
}
