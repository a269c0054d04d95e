//! Which null instruction tells the better response by likelihood: a measurement, kept so that it
//! can be made again.
//!
//! `cargo test --release -p evenhand-models null_instruction -- --ignored --nocapture` with
//! EVENHAND_SHARED_DATA and EVENHAND_MODEL set. The results are in docs/design/embedded-engine.md.

use super::engine::Engine;
use super::llama::Token;
use super::open::open_model;
use super::vocabulary::Origin;
use super::{Options, score};
use evenhand_core::Message;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Pair {
    input: String,
    output_1: String,
    output_2: String,
    label: u8,
}

/// Log-probability and tokens of a response, without and with the token that ends the turn.
type Measured = [(f64, usize); 2];

fn measure(engine: &mut Engine, messages: &[Message], response: &str, end: Token) -> Measured {
    let before = engine
        .prompter
        .tokenize_before_continuation(messages)
        .expect("a prompt");
    let response = engine.prompter.vocabulary.tokenize_after(&before, response);
    let prompt = before.all.len();
    let tokens = [before.all, response, vec![end]].concat();
    let mut sums = Vec::new();
    engine
        .stack
        .read_prompt(
            &tokens[..tokens.len() - 1],
            prompt - 1,
            &|| false,
            &mut |position, logits| {
                sums.push(score::log_probability(logits, tokens[position + 1]));
            },
        )
        .expect("read");
    let all: f64 = sums.iter().sum();
    [
        (all - sums[sums.len() - 1], sums.len() - 1),
        (all, sums.len()),
    ]
}

/// Returns the conversations that a response is scored after: the instruction first, then the
/// nulls.
fn conversations(instruction: &str) -> [(&'static str, Vec<Message>); 4] {
    [
        ("instruction", vec![Message::user(instruction)]),
        ("empty user message", vec![Message::user("")]),
        ("no message", vec![]),
        (
            "\"Write a response.\"",
            vec![Message::user("Write a response.")],
        ),
    ]
}

fn pairs() -> Vec<(&'static str, Pair)> {
    let data = PathBuf::from(
        std::env::var_os("EVENHAND_SHARED_DATA").expect("EVENHAND_SHARED_DATA is set"),
    );
    let read = |set: &'static str| {
        let text = std::fs::read_to_string(data.join(format!("llmbar/{set}/dataset.jsonl")))
            .expect("the data set");
        text.lines()
            .map(|line| (set, serde_json::from_str(line).expect("a pair")))
            .collect::<Vec<_>>()
    };
    ["natural", "manual", "gptinst"]
        .into_iter()
        .flat_map(read)
        .collect()
}

/// Returns a variant's verdict on a pair: above 0 for the first response.
fn margin(responses: &[Vec<Measured>; 2], null: usize, with_end: usize, per_token: bool) -> f64 {
    let gain = |measured: &Vec<Measured>| {
        let ((given, tokens), (without, _)) = (measured[0][with_end], measured[null][with_end]);
        let without = if null == 0 { 0.0 } else { without };
        (given - without) / if per_token { tokens as f64 } else { 1.0 }
    };
    gain(&responses[0]) - gain(&responses[1])
}

#[test]
#[ignore = "a measurement of many minutes"]
fn null_instruction() {
    let path = PathBuf::from(std::env::var_os("EVENHAND_MODEL").expect("EVENHAND_MODEL is set"));
    let options = Options {
        threads: Some(1),
        context: Some(2048),
        ..Options::default()
    };
    let mut engine = open_model(&path, &options)
        .expect("the model opens")
        .0
        .remove(0);
    let end = engine
        .prompter
        .vocabulary
        .tokenize_parts([("<|im_end|>", Origin::Template)])
        .all[0];
    let mut right: BTreeMap<(usize, usize, bool, String), f64> = BTreeMap::new();
    for (set, pair) in pairs() {
        let conversations = conversations(&pair.input);
        let responses = [&pair.output_1, &pair.output_2].map(|response| {
            conversations
                .iter()
                .map(|(_, messages)| measure(&mut engine, messages, response, end))
                .collect::<Vec<_>>()
        });
        let lengths = [0, 1].map(|side: usize| responses[side][0][0].1);
        let sign = if pair.label == 1 { 1.0 } else { -1.0 };
        println!(
            "{}",
            serde_json::json!({ "set": set, "label": pair.label, "responses": responses })
        );
        let longer = sign * (lengths[0] as f64 - lengths[1] as f64);
        for variant in 0..16 {
            let (null, with_end, per_token) = (variant / 4, variant / 2 % 2, variant % 2 == 1);
            let hit = f64::midpoint(
                (sign * margin(&responses, null, with_end, per_token)).signum(),
                1.0,
            );
            for group in [
                "all",
                set,
                if longer > 0.0 {
                    "better is longer"
                } else {
                    "better is not longer"
                },
            ] {
                *right
                    .entry((null, with_end, per_token, group.to_owned()))
                    .or_default() += hit;
                *right.entry((9, 0, false, group.to_owned())).or_default() += 1.0 / 16.0;
            }
        }
    }
    for ((null, with_end, per_token, group), hits) in
        right.iter().filter(|(variant, _)| variant.0 != 9)
    {
        let count = right[&(9, 0, false, group.clone())];
        let null = if *null == 0 {
            "none subtracted"
        } else {
            conversations("")[*null].0
        };
        eprintln!(
            "{null:22} end {with_end} per token {per_token:5} {group:22} {:.3} of {count:.0}",
            hits / count
        );
    }
}
