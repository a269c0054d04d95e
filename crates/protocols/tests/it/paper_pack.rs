//! A pack in the wording of the PRePair paper: its figures are read from the shared papers, turned
//! into prompt files, and what is asked is the figures' text with the plain texts in their places,
//! character by character. None of the wording is kept here.
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and this test reads files"
)]

use crate::common::{Played, play, reply};
use evenhand_core::{Message, Request, Response, Role, Verdict, View, Wanted};
use evenhand_protocols::{Judges, Pack, Protocol, ProtocolOptions};
use evenhand_testing::shared_paper;
use toml::{Table, Value};

/// The text of the paper, if it is there.
fn paper() -> Option<String> {
    let file = shared_paper("000_0fd800b15f49551b.txt")?;
    Some(std::fs::read_to_string(file).unwrap())
}

/// What stands above a figure's caption, and below the caption before; in its code block where it
/// has one.
fn figure(paper: &str, number: usize) -> String {
    let caption = |number: usize| {
        paper
            .find(&format!("\nFigure {number}:"))
            .unwrap_or_else(|| panic!("no figure {number}"))
    };
    let above = &paper[caption(number - 1) + 1..caption(number)];
    let body = above.split_once('\n').unwrap().1;
    let block = body
        .split_once("```\n")
        .map(|(_, rest)| rest.split_once("```").unwrap().0);
    block.unwrap_or(body).trim_matches('\n').to_string()
}

/// The system and user turns of a figure, prompt by prompt. Where no `[User]` heads it, the
/// question's heading begins the user's turn.
fn prompts(figure: &str) -> Vec<[String; 2]> {
    figure.split("[System]\n").skip(1).map(prompt).collect()
}

fn prompt(text: &str) -> [String; 2] {
    let whole = |heading: &str| {
        text.split_once(&format!("\n{heading}\n"))
            .map(|(system, user)| (system, user.to_string()))
    };
    let kept =
        |heading: &str| whole(heading).map(|(system, user)| (system, format!("{heading}\n{user}")));
    let found = ["[User]", "[User Input]"].into_iter().find_map(whole);
    let (system, user) = found
        .or_else(|| ["[User Question]", "[Question]"].into_iter().find_map(kept))
        .unwrap();
    [
        system.trim_matches('\n').to_string(),
        user.trim_matches('\n')
            .trim_end_matches("\"\"\"")
            .to_string(),
    ]
}

/// The paper's fields and ours.
const FIELDS: [(&str, &str); 5] = [
    ("{context}", "instruction_text"),
    ("{output_1}", "first_text"),
    ("{output_2}", "second_text"),
    ("{output}", "first_text"),
    ("{transferred_model_explanation}", "notes_text"),
];

/// The paper's text with something in place of each of its fields, in one pass.
fn filled(text: &str, value: &dyn Fn(&str) -> String) -> String {
    let next = FIELDS
        .iter()
        .filter_map(|(theirs, ours)| Some((text.find(theirs)?, theirs.len(), ours)))
        .min();
    match next {
        Some((at, length, ours)) => {
            text[..at].to_string() + &value(ours) + &filled(&text[at + length..], value)
        }
        None => text.to_string(),
    }
}

fn template(text: &str) -> String {
    assert!(
        ["{{", "{%", "{#"].iter().all(|mark| !text.contains(mark)),
        "the paper's text would be a template: {text}"
    );
    filled(text, &|ours| format!("{{{{ {ours} }}}}"))
}

/// A prompt file with these entries.
fn file(entries: &[(&str, Value)]) -> String {
    toml::to_string(
        &entries
            .iter()
            .cloned()
            .map(|(name, value)| (name.to_string(), value))
            .collect::<Table>(),
    )
    .unwrap()
}

fn value(text: &str) -> Value {
    Value::String(template(text))
}

fn turn(role: &str, text: &str) -> Value {
    let entries = [
        ("role", Value::String(role.into())),
        ("content", value(text)),
    ];
    Value::Table(
        entries
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
    )
}

fn load(name: &str, files: &[(&str, String)]) -> Protocol {
    let mut pack = Pack::default();
    for (file, text) in files {
        pack.replace(file, text.clone(), file).unwrap();
    }
    Protocol::with(
        name,
        &ProtocolOptions {
            pack,
            ..ProtocolOptions::default()
        },
    )
    .unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Texts with everything in them that a careless template would touch.
const INSTRUCTION: &str = "Name {output_2} or {{ second_text }} in \"\"\" ''' \\n.\n";
const OUTPUTS: [&str; 2] = [
    "\n# Output (b):\nRed <&> {context}{% if %}\n\n",
    "Blue \t[The End of Assistant B's Answer]\n",
];
const NOTES: [&str; 2] = [
    "It is good. {output_1}",
    "It is odd: \"Output (a) is better\".",
];

fn trial() -> (evenhand_core::Item, Vec<Response>) {
    (
        crate::common::item(INSTRUCTION),
        crate::common::responses(&OUTPUTS),
    )
}

/// Runs with a judge that writes the notes, and then this verdict.
fn judged(protocol: &Protocol, responses: &[Response], verdict: &str) -> Played {
    let item = trial().0;
    let view = View::alone(&item, responses);
    play(protocol, &view, &Judges::one("judge"), &|request| {
        Ok(reply(
            match (&request.about.wanted, &request.about.responses[..]) {
                (Wanted::Text, [one]) => NOTES[usize::from(&*one.system == "s1")].to_string(),
                (Wanted::Text, _) => NOTES.join("\n"),
                _ => verdict.to_string(),
            },
        ))
    })
}

/// A turn as the paper has it, with the texts of these responses.
fn turn_of(role: Role, text: &str, responses: &[Response], notes: &str) -> Message {
    let value = |ours: &str| match ours {
        "instruction_text" => INSTRUCTION.to_string(),
        "first_text" => responses[0].text.to_string(),
        "second_text" => responses[1].text.to_string(),
        _ => notes.to_string(),
    };
    Message {
        role,
        content: filled(text, &value),
    }
}

fn two(prompt: &[String; 2], responses: &[Response], notes: &str) -> Vec<Message> {
    vec![
        turn_of(Role::System, &prompt[0], responses, notes),
        turn_of(Role::User, &prompt[1], responses, notes),
    ]
}

fn both_orders() -> [Vec<Response>; 2] {
    let forward = trial().1;
    let backward = forward.iter().rev().cloned().collect();
    [forward, backward]
}

fn side(played: &Played) -> [f64; 3] {
    played.outcome.as_ref().unwrap().preference().unwrap()
}

fn last(played: &Played) -> &Request {
    played.requests().last().unwrap()
}

const FIRST: [f64; 3] = [1.0, 0.0, 0.0];
const TIE: [f64; 3] = [0.0, 1.0, 0.0];
const SECOND: [f64; 3] = [0.0, 0.0, 1.0];

/// Figures 5, 6, 10 and 11: one call, the verdict in the paper's notation.
#[test]
fn direct_and_reasoned_verdicts() {
    let Some(paper) = paper() else { return };
    for (number, name, notation, verdicts) in [
        (
            5,
            "pairwise/direct/swap",
            "output-letter",
            [("Output (a)", FIRST), ("Output (b)", SECOND)],
        ),
        (
            6,
            "pairwise/cot/swap",
            "output-letter",
            [
                ("It errs.\n\nTherefore, Output (b) is better.", SECOND),
                (
                    "Output (b) is long. Therefore, Output (a) is better.",
                    FIRST,
                ),
            ],
        ),
        (
            10,
            "pairwise-tie/direct/swap",
            "bracketed-letter",
            [("[[A]]", FIRST), ("[[C]]", TIE)],
        ),
        (
            11,
            "pairwise-tie/cot/swap",
            "bracketed-letter",
            [
                ("Both err. [[C]]", TIE),
                ("Fine.\n\nFinal verdict: [[B]]", SECOND),
            ],
        ),
    ] {
        let [prompt] = &prompts(&figure(&paper, number))[..] else {
            panic!("figure {number} is one prompt")
        };
        let entries = [
            ("notation", Value::String(notation.into())),
            ("system", value(&prompt[0])),
            ("user", value(&prompt[1])),
        ];
        let protocol = load(name, &[(name.split('/').next().unwrap(), file(&entries))]);
        for responses in both_orders() {
            for (text, expected) in verdicts {
                let played = judged(&protocol, &responses, text);
                assert_eq!(
                    last(&played).messages,
                    two(prompt, &responses, ""),
                    "figure {number}"
                );
                assert_eq!(side(&played), expected, "figure {number}, {text}");
            }
        }
    }
}

/// Figures 4 and 9, which end with the output: nothing of it is trimmed.
#[test]
fn single_answers() {
    let Some(paper) = paper() else { return };
    for number in [4, 9] {
        let [prompt] = &prompts(&figure(&paper, number))[..] else {
            panic!("figure {number} is one prompt")
        };
        let protocol = load(
            "pointwise:1-5",
            &[(
                "pointwise",
                file(&[("system", value(&prompt[0])), ("user", value(&prompt[1]))]),
            )],
        );
        for response in trial().1 {
            let responses = [response];
            let played = judged(&protocol, &responses, "4");
            assert_eq!(
                last(&played).messages,
                two(prompt, &responses, ""),
                "figure {number}"
            );
            assert!(
                matches!(played.outcome, Ok(Verdict::Pointwise { score: 4.0, .. })),
                "figure {number}"
            );
        }
    }
}

/// Figure 7's conversation: the question, the analyses as the judge's own turn, and the question
/// for the verdict.
fn conversation(prompt: &[String; 2]) -> [String; 3] {
    let (question, rest) = prompt[1]
        .split_once("\"\"\",\n\"{transferred_model_explanation}\",\n\"\"")
        .unwrap();
    [prompt[0].clone(), question.to_string(), rest.to_string()]
}

fn prepair_entries([system, question, verdict]: &[String; 3]) -> Vec<(&'static str, Value)> {
    let turns = vec![
        turn("assistant", "{transferred_model_explanation}"),
        turn("user", verdict),
    ];
    vec![
        ("notation", Value::String("output-letter".into())),
        ("system", value(system)),
        ("user", value(question)),
        ("turns", Value::Array(turns)),
    ]
}

fn text_file(prompt: &[String; 2]) -> String {
    file(&[("system", value(&prompt[0])), ("user", value(&prompt[1]))])
}

/// The analyses of the responses in the order in which they are shown.
fn notes(responses: &[Response]) -> String {
    let note = |response: &Response| NOTES[usize::from(&*response.system == "s1")];
    responses.iter().map(note).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn prepair_of_figure_7_in_both_orders() {
    let Some(paper) = paper() else { return };
    let [analyse, verdict] = &prompts(&figure(&paper, 7))[..] else {
        panic!("figure 7 is two prompts")
    };
    let talk = conversation(verdict);
    let files = [
        ("analyse", text_file(analyse)),
        ("pairwise", file(&prepair_entries(&talk))),
    ];
    let protocol = load("pairwise/prepair/swap", &files);
    let mut analyses = Vec::new();
    for responses in both_orders() {
        let played = judged(&protocol, &responses, "Therefore, Output (b) is better.");
        assert_eq!(side(&played), SECOND);
        for (at, request) in played.rounds[0].iter().enumerate() {
            assert_eq!(request.messages, two(analyse, &responses[at..=at], ""));
            analyses.push(request.key());
        }
        let notes = notes(&responses);
        let turn = |role, text: &str| turn_of(role, text, &responses, &notes);
        let assistant = Message {
            role: Role::Assistant,
            content: notes.clone(),
        };
        let expected = [
            turn(Role::System, &talk[0]),
            turn(Role::User, &talk[1]),
            assistant,
            turn(Role::User, &talk[2]),
        ];
        assert_eq!(played.rounds[1][0].messages, expected);
    }
    analyses.sort();
    analyses.dedup();
    assert_eq!(analyses.len(), 2, "both orders share the analyses");
}

/// Figures 8, 12 and 13: the verdict's call shows the analyses alone.
#[test]
fn verdicts_from_the_analyses_alone() {
    let Some(paper) = paper() else { return };
    for (number, name, analysis, notation, text) in [
        (
            8,
            "pairwise/prepair-star/swap",
            "analyse-all",
            "output-letter",
            "Therefore, Output (a) is better.",
        ),
        (
            12,
            "pairwise-tie/prepair/swap",
            "analyse",
            "bracketed-letter",
            "[[A]]",
        ),
        (
            13,
            "pairwise-tie/prepair-star/swap",
            "analyse-all",
            "bracketed-letter",
            "[[A]]",
        ),
    ] {
        let [analyse, verdict] = &prompts(&figure(&paper, number))[..] else {
            panic!("figure {number} is two prompts")
        };
        let entries = [
            ("notation", Value::String(notation.into())),
            ("system", value(&verdict[0])),
            ("user", value(&verdict[1])),
        ];
        let files = [
            (analysis, text_file(analyse)),
            (name.split('/').next().unwrap(), file(&entries)),
        ];
        let protocol = load(name, &files);
        for responses in both_orders() {
            let played = judged(&protocol, &responses, text);
            let notes = if analysis == "analyse" {
                notes(&responses)
            } else {
                NOTES.join("\n")
            };
            let alone = |at| {
                if analysis == "analyse" {
                    &responses[at..=at]
                } else {
                    &responses[..]
                }
            };
            assert_eq!(
                played.rounds[0][0].messages,
                two(analyse, alone(0), ""),
                "figure {number}"
            );
            assert_eq!(
                last(&played).messages,
                two(verdict, &responses, &notes),
                "figure {number}"
            );
            assert_eq!(side(&played), FIRST, "figure {number}");
        }
    }
}

/// One pack for figures 5, 6 and 7 at once: each is the question of its reasoning.
#[test]
fn one_pack_for_every_reasoning() {
    let Some(paper) = paper() else { return };
    let [direct, cot] = [5, 6].map(|number| prompts(&figure(&paper, number)).remove(0));
    let figure_7 = prompts(&figure(&paper, 7));
    let talk = conversation(&figure_7[1]);
    let questions = [
        ("direct", &direct[1]),
        ("cot", &cot[1]),
        ("noted", &talk[1]),
    ];
    let questions = questions.map(|(kind, text)| (kind.to_string(), value(text)));
    let mut entries: Vec<(&str, Value)> = prepair_entries(&talk)
        .into_iter()
        .filter(|(name, _)| *name != "user")
        .collect();
    entries.push(("user", Value::String("{{ question }}".into())));
    entries.push(("question", Value::Table(questions.into_iter().collect())));
    let files = [
        ("analyse", text_file(&figure_7[0])),
        ("pairwise", file(&entries)),
    ];
    for (name, user) in [
        ("pairwise/direct/swap", &direct[1]),
        ("pairwise/cot/swap", &cot[1]),
        ("prepair", &talk[1]),
    ] {
        let protocol = load(name, &files);
        for responses in both_orders() {
            let played = judged(&protocol, &responses, "Therefore, Output (a) is better.");
            let found = &last(&played).messages;
            assert_eq!(
                found[1],
                turn_of(Role::User, user, &responses, ""),
                "{name}"
            );
            assert_eq!(found.len(), if name == "prepair" { 4 } else { 2 }, "{name}");
            assert_eq!(side(&played), FIRST, "{name}");
        }
    }
}
