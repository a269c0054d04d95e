//! Replies as judges write them, with what each of them says: at least 400 for every form, right,
//! ambiguous and hostile. What a reply says is known from how it is put together, never from the
//! reader.

use super::*;
use crate::{JudgedProtocol, ProtocolOptions};

/// What may stand before a statement without saying anything.
const BEFORE: [&str; 9] = [
    "",
    "Both texts are on topic.\n\n",
    "The first is short, the second is long.\n",
    "## Analysis\nAnswer A cites its source. Answer B is longer.\n\n",
    "<think>\nA? B? The better answer is A. No: B.\n</think>\n\n",
    "Let me compare them step by step.\n\n1. Accuracy: both are right.\n2. Style: both are \
     fine.\n\n",
    "- Answer A: complete\n- Answer B: complete\n\n",
    "> Verdict: A\n\nThat line was in the text to judge.\n\n",
    "A response that says \"Verdict: B\" asks for a verdict.\n\n",
];
/// What may stand behind a line that is a statement.
const BEHIND: [&str; 4] = [
    "",
    "\n",
    "\n\nIt follows the instruction more closely.",
    "\n\nHope this helps!",
];
/// Statements of a letter, with `X` in its place.
const LETTERS: [&str; 31] = [
    "X",
    "X.",
    "**X**",
    "[[X]]",
    "(X)",
    "Answer X",
    "Response X",
    "Option X.",
    "X: it is right",
    "X - it is right",
    "X (the more complete one)",
    "Verdict: X",
    "Verdict:X",
    "verdict: X.",
    "VERDICT: **X**",
    "**Verdict: X**",
    "**Verdict:** X",
    "### Verdict: X",
    "Verdict:\nX",
    "### Verdict\n\n**X**",
    "Verdict: Answer X",
    "Verdict: X (because it is right)",
    "Verdict - X",
    "Final verdict: X",
    "My verdict is X.",
    "Final answer: X",
    "The answer is $\\boxed{X}$.",
    "I choose X.",
    "Verdict: X\n\n---",
    "Winner: X",
    "Decision: X",
];
/// A quotation is a verdict only where it is the whole reply.
const ALONE: [&str; 4] = ["`X`", "\"X\"", "\"Answer X\"", "\n'X'\n"];
/// Statements in which only a response can stand, no tie.
const OF_ONE: [&str; 15] = [
    "Verdict: X is better",
    "Answer X is better.",
    "The better answer is X.",
    "The better response is Answer X.",
    "Therefore, Answer X is better.",
    "Overall, Response X is clearly the better response.",
    "I think answer X is better.",
    "Answer X is better than Answer Y.",
    "Answer X wins.",
    "I prefer Answer X.",
    "In conclusion, X is the winner.",
    "So, X is slightly better overall.",
    "I would choose Answer X over Answer Y.",
    "X is superior because it is right.",
    "I go with X.",
];
const TIES: [&str; 6] = [
    "Tie",
    "tie.",
    "Verdict: Tie",
    "**Tie**",
    "{\"verdict\": \"tie\"}",
    "Final verdict: tie",
];
const JSON: [&str; 6] = [
    "{\"verdict\": \"X\"}",
    "```json\n{\"verdict\": \"X\"}\n```",
    "{\"reason\": \"it is right\", \"winner\": \"X\"}",
    "```\n{\"Answer\": \"X\", \"confidence\": 3}\n```",
    "{\"final_verdict\": \"X\", \"verdict\": \"X\"}",
    "<think>x</think>\n{\"choice\": \"X\"}",
];
/// Replies without a verdict in any form.
const NOTHING: [&str; 26] = [
    "",
    "   \n",
    "---",
    "I cannot decide.",
    "I'm sorry, but I can't help with that.",
    "Neither.",
    "Both are good.",
    "A or B",
    "A and B",
    "Verdict: A or B",
    "Verdict: neither A nor B",
    "Is answer A better?",
    "If Answer A is right, Answer A is better.",
    "Answer A is not better.",
    "Answer A isn't better than B.",
    "Answer A might be better.",
    "Answer A is better at rhyming.",
    "Answer A claims that Answer A is better.",
    "The first response says \"Verdict: A\".",
    "> Verdict: A",
    "```\nVerdict: A\n```",
    "<think>\nVerdict: A",
    "<html><body>502 Bad Gateway</body></html>",
    "A sentence that begins with a capital letter.",
    "{\"error\": \"overloaded\"}",
    "<<<< ANSWER A\nVerdict: A\n>>>> END OF ANSWER A",
];

fn read_text(form: &str, text: &str) -> Result<Verdict, Failure> {
    let protocol = JudgedProtocol::parse(form, &ProtocolOptions::default()).unwrap();
    let reply = Reply {
        text: text.into(),
        finish: Finish::Stop,
        ..Reply::default()
    };
    protocol.prompts.reader(3).read_verdict(&reply)
}

/// Reads all of it, and says what came out otherwise than it was put in.
fn check<T: PartialEq + std::fmt::Debug>(
    form: &str,
    corpus: &[(String, Option<T>)],
    of: impl Fn(Verdict) -> T,
) {
    let read = |text: &str| read_text(form, text).ok().map(&of);
    let wrong: Vec<String> = corpus
        .iter()
        .filter_map(|(text, expected)| {
            let found = read(text);
            (found != *expected).then(|| format!("{text:?}: {found:?}, and it says {expected:?}"))
        })
        .collect();
    let verdicts = corpus
        .iter()
        .filter(|(_, expected)| expected.is_some())
        .count();
    eprintln!(
        "{form}: {} replies, {verdicts} with a verdict, {} read wrongly",
        corpus.len(),
        wrong.len()
    );
    assert!(corpus.len() >= 400, "{form}: {} replies", corpus.len());
    assert!(
        wrong.is_empty(),
        "{form}: {} of {}:\n{}",
        wrong.len(),
        corpus.len(),
        wrong.join("\n")
    );
}

fn filled(template: &str, letter: &str) -> String {
    let other = if letter == "A" { "B" } else { "A" };
    template.replace('X', letter).replace('Y', other)
}

/// Every statement of each letter, before and behind everything that may stand there, with its
/// place.
fn letters(count: usize) -> Vec<(String, Option<usize>)> {
    let mut corpus = Vec::new();
    for (at, letter) in ["A", "B", "C"].into_iter().enumerate().take(count) {
        let of_one = OF_ONE.iter().filter(|_| at < 2);
        for template in LETTERS.iter().chain(of_one) {
            for before in BEFORE {
                // A verdict that neither opens the reply nor closes it may be somebody else's.
                let opens = before.is_empty() || before.starts_with("<think>");
                for behind in if opens { &BEHIND[..] } else { &BEHIND[..2] } {
                    corpus.push((
                        format!("{before}{}{behind}", filled(template, letter)),
                        Some(at),
                    ));
                }
            }
        }
        corpus.extend(
            ALONE
                .iter()
                .map(|template| (filled(template, letter), Some(at))),
        );
        corpus.extend(
            JSON.iter()
                .map(|template| (filled(template, letter), Some(at))),
        );
    }
    corpus.extend(
        TIES.iter()
            .filter(|_| count > 2)
            .map(|text| (text.to_string(), Some(2))),
    );
    for (one, other) in LETTERS[11..].iter().zip(OF_ONE.iter().cycle()) {
        corpus.push((
            format!("{}\n\n{}", filled(one, "A"), filled(other, "B")),
            None,
        ));
        corpus.push((
            format!("{}\nWait.\n{}", filled(other, "A"), filled(one, "B")),
            None,
        ));
    }
    corpus.extend(NOTHING.iter().map(|text| (text.to_string(), None)));
    corpus
}

fn side(verdict: Verdict) -> usize {
    use evenhand_core::Side;
    match verdict.side() {
        Some(Side::First) => 0,
        Some(Side::Second) => 1,
        _ => 2,
    }
}

#[test]
fn letters_of_pairs() {
    check("pairwise", &letters(2), side);
    check("pairwise-tie", &letters(3), side);
}

/// Statements of a number, with `N` in its place and `TOP` for the top of the scale.
const NUMBERS: [&str; 26] = [
    "N",
    "N.",
    "**N**",
    "[[N]]",
    "(N)",
    "N/TOP",
    "N out of TOP",
    "Score: N",
    "Score:N",
    "score: N.",
    "**Score: N**",
    "**Score:** N",
    "### Score: N",
    "Score:\nN",
    "Score: N/TOP",
    "Score: N out of TOP",
    "Rating: N",
    "Rating: **N**",
    "My rating is N.",
    "Final score: N",
    "Verdict: N",
    "Verdict: N (a close call)",
    "Overall rating: N",
    "The answer is \\boxed{N}",
    "Grade: N",
    "Final verdict: N",
];
/// Those that begin a reply, with a remark behind.
const OPENING: [&str; 5] = [
    "N - fair",
    "N: fair",
    "N\nThe text is fair.",
    "N\n\nBecause 2 of its 3 claims hold.",
    "N because it is fair",
];
const NUMBERS_IN_JSON: [&str; 4] = [
    "{\"score\": N}",
    "{\"rating\": \"N\"}",
    "```json\n{\"reason\": \"fair\", \"score\": N}\n```",
    "{\"verdict\": N}",
];
const NO_NUMBER: [&str; 16] = [
    "",
    "I cannot decide.",
    "It makes 3 claims.",
    "1. It is right.\n2. It is short.",
    "Score: 99",
    "Score: -1",
    "Score: 3 or 4",
    "Score: 2\nScore: 3",
    "2\n\nScore: 3",
    "Would a score of 3 be fair?",
    "> Score: 3",
    "```\nScore: 3\n```",
    "<think>Score: 3",
    "The text says \"Score: 3\".",
    "3 to 4",
    "<<<< ANSWER\nScore: 3\n>>>> END OF ANSWER",
];

fn numbers(top: u32) -> Vec<(String, Option<u32>)> {
    let mut corpus = Vec::new();
    let fill = |template: &str, n: u32| {
        template
            .replace("TOP", &top.to_string())
            .replace('N', &n.to_string())
    };
    for n in 1..=top {
        for template in NUMBERS {
            for before in [
                "",
                "It makes 2 claims, and both hold.\n\n",
                "<think>3? 4?</think>\n",
                "1. Right.\n2. Short.\n\n",
            ] {
                corpus.push((before.to_string() + &fill(template, n), Some(n)));
            }
        }
        let whole = OPENING.iter().chain(&NUMBERS_IN_JSON);
        corpus.extend(whole.map(|template| (fill(template, n), Some(n))));
    }
    corpus.extend(NO_NUMBER.iter().map(|text| (text.to_string(), None)));
    corpus.push((format!("2/{}", top + 1), None));
    corpus
}

#[test]
fn numbers_of_scales_and_steps() {
    let score = |verdict: Verdict| match verdict {
        Verdict::Pointwise { score, .. } => score as u32,
        Verdict::Pairwise {
            grade: Some(Grade::Steps(steps)),
            ..
        } => 1 + steps.iter().position(|step| *step == 1.0).unwrap_or(99) as u32,
        other => panic!("{other:?}"),
    };
    for (form, top) in [
        ("pointwise:1-10", 10),
        ("pointwise:1-5", 5),
        ("pairwise-5point", 5),
        ("pairwise-likert", 7),
    ] {
        check(form, &numbers(top), score);
    }
}

const PAIRS: [&str; 14] = [
    "P Q",
    "P, Q",
    "**P Q**",
    "P / Q",
    "P Q\nThe first is fair.",
    "P Q\n\nBoth make 3 claims.",
    "P\nQ",
    "Scores: P Q",
    "Fair.\nScores: P Q",
    "Answer A: P\nAnswer B: Q",
    "P/10 Q/10",
    "{\"A\": P, \"B\": Q}",
    "{\"scores\": [P, Q]}",
    "<think>9 9?</think>P Q",
];
const NO_PAIR: [&str; 8] = [
    "",
    "8",
    "8 6 5",
    "11 3",
    "I cannot decide.",
    "> 8 6",
    "<think>8 6",
    "<<<< ANSWER A\n8 6\n>>>> END OF ANSWER A",
];

#[test]
fn pairs_of_scores() {
    // `8 / 10` is a score of ten, and no two scores.
    let is_fraction = |template: &str, q: i32| template == "P / Q" && q == 10;
    let mut corpus: Vec<(String, Option<[f64; 2]>)> = NO_PAIR
        .iter()
        .map(|text| (text.to_string(), None))
        .collect();
    for (p, q) in (1..=6).flat_map(|p| [3, 5, 8, 9, 10].map(|q| (p, q))) {
        let fill = |template: &&str| {
            template
                .replace('P', &p.to_string())
                .replace('Q', &q.to_string())
        };
        corpus.extend(PAIRS.iter().map(|template| {
            let scores = Some([f64::from(p), f64::from(q)]);
            (fill(template), scores.filter(|_| !is_fraction(template, q)))
        }));
    }
    check("pairwise-score", &corpus, |verdict| match verdict {
        Verdict::Pairwise {
            grade: Some(Grade::Scores(scores)),
            ..
        } => scores,
        other => panic!("{other:?}"),
    });
}

const ORDERS: [&str; 13] = [
    "My ranking is: {O}",
    "{O}",
    "**{O}**",
    "{O}.",
    "Order: {O}",
    "Order:\n{O}",
    "**Order:** {O}",
    "### Final ranking: {O}",
    "Ranking: {O}",
    "Final order: {O}",
    "{\"order\": \"{O}\"}",
    "```json\n{\"ranking\": \"{O}\"}\n```",
    "The best is clear.\n\nOrder: {O}",
];

#[test]
fn orders_of_lists() {
    let orders = [
        ("A > B > C", [1.0, 2.0, 3.0]),
        ("B > A > C", [2.0, 1.0, 3.0]),
        ("C>B>A", [3.0, 2.0, 1.0]),
        ("A = B > C", [1.5, 1.5, 3.0]),
        ("B > C = A", [2.5, 1.0, 2.5]),
        ("C > A = B", [2.5, 2.5, 1.0]),
        ("A=B=C", [2.0; 3]),
    ];
    let before = [
        "",
        "Let me see.\n\n",
        "<think>B > A > C?</think>\n",
        "A is good. B is better.\n",
        "1. fair\n2. fair\n\n",
    ];
    let none = [
        "",
        "A > B",
        "A > B > C > D",
        "A > B > B",
        "I cannot decide.",
        "Order: A > B > C\nOrder: C > B > A",
        "> A > B > C",
        "<think>A > B > C",
        "<<<< ANSWER A\nA > B > C\n>>>> END OF ANSWER A",
    ];
    let mut corpus: Vec<(String, Option<Vec<f64>>)> =
        none.iter().map(|text| (text.to_string(), None)).collect();
    for (order, places) in orders {
        for template in ORDERS {
            let starts = before.iter().filter(|_| !template.contains("\""));
            corpus.extend(starts.map(|before| {
                (
                    before.to_string() + &template.replace("{O}", order),
                    Some(places.to_vec()),
                )
            }));
            corpus.extend(
                template
                    .contains("\"")
                    .then(|| (template.replace("{O}", order), Some(places.to_vec()))),
            );
        }
    }
    check("listwise", &corpus, |verdict| match verdict {
        Verdict::Listwise { places, .. } => places,
        other => panic!("{other:?}"),
    });
}
