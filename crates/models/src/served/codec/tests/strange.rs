//! Whatever a server sends, it is a reply or a fault.

use super::transcripts::REPLIES;
use super::{held, request};
use crate::served::codec::{Dialect, decode};
use evenhand_core::Request;
use proptest::prelude::*;
use serde_json::Value;

fn dialects() -> [Dialect; 3] {
    let unmeasured = Dialect {
        logprobs: false,
        ..Dialect::openai("x")
    };
    [Dialect::openai("x"), unmeasured, Dialect::anthropic("x")]
}

fn requests() -> [Request; 5] {
    [
        held(&["A", "B"]),
        request(&["A", "B"], ""),
        request(&["1", "10", "100"], "Verdict:"),
        request(&[], ""),
        request(&["é", ""], "\n"),
    ]
}

/// Reads the bytes in every way, and checks what every reading keeps to.
fn read_in_every_way(status: u16, body: &[u8]) -> Result<(), TestCaseError> {
    for dialect in dialects() {
        for request in requests() {
            match decode(&dialect, &request, status, None, body) {
                Ok(reply) => {
                    let answers = reply.answers.unwrap_or_default();
                    prop_assert!(
                        answers.iter().all(|p| (0.0..=1.0).contains(p)),
                        "{answers:?}"
                    );
                    prop_assert!(answers.iter().sum::<f64>() <= 1.0 + 1e-9, "{answers:?}");
                    prop_assert!(
                        (0.0..=0.5 + 1e-9).contains(&reply.answers_within),
                        "{}",
                        reply.answers_within
                    );
                    prop_assert!(reply.usage.cached_tokens <= reply.usage.prompt_tokens);
                }
                Err(fault) => {
                    prop_assert!(!fault.message.is_empty() && fault.message.chars().count() <= 300)
                }
            }
        }
    }
    Ok(())
}

/// JSON of the names that replies have.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-12.0..1.0_f64).prop_map(Value::from),
        prop::sample::select(vec![
            "A", " B", "1", "0", "10", "\n", "é", "Verdict", ":", "<think>", "</think>", "length",
            "error"
        ])
        .prop_map(Value::from),
        ".{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        let name = prop::sample::select(vec![
            "choices",
            "message",
            "content",
            "logprobs",
            "token",
            "logprob",
            "top_logprobs",
            "bytes",
            "finish_reason",
            "usage",
            "error",
            "code",
            "type",
            "text",
            "thinking",
            "reasoning",
            "refusal",
            "prompt_tokens",
            "total_tokens",
            "stop_reason",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((name.prop_map(String::from), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Puts a value in place of one of those within another, whichever the number says.
fn replace(value: &mut Value, number: &mut usize, new: &Value) {
    if *number == 0 {
        *value = new.clone();
    }
    *number = number.wrapping_sub(1);
    match value {
        _ if *number > usize::MAX / 2 => {}
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| replace(value, number, new)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| replace(value, number, new)),
        _ => {}
    }
}

/// A reply whose tokens are these.
fn with_tokens(tokens: &[(String, Value)]) -> Value {
    let entry = |(token, logprob): &(String, Value)| serde_json::json!({"token": token, "logprob": logprob});
    let entries: Vec<Value> = tokens.iter().map(entry).collect();
    let listed = |entry: &Value| {
        let mut entry = entry.clone();
        entry["top_logprobs"] = entries.clone().into();
        entry
    };
    let content: Vec<Value> = entries.iter().map(listed).collect();
    let text: String = tokens.iter().map(|(token, _)| token.as_str()).collect();
    serde_json::json!({"choices": [{"message": {"content": text}, "logprobs": {"content": content}}]})
}

fn tokens() -> impl Strategy<Value = Vec<(String, Value)>> {
    let token = prop::sample::select(vec![
        "A", " B", "1", "0", "10", "\n", " ", "", "é", "Verdict", ":", "</think>", "<think>",
    ]);
    let logprob = prop_oneof![
        Just(Value::Null),
        (-12.0..1.0_f64).prop_map(Value::from),
        Just(Value::from(-9999.0))
    ];
    prop::collection::vec((token.prop_map(String::from), logprob), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn any_bytes(status in prop::sample::select(vec![200_u16, 400, 429, 500, 0, 999]), body in prop::collection::vec(any::<u8>(), 0..300)) {
        read_in_every_way(status, &body)?;
    }

    #[test]
    fn any_json(status in prop::sample::select(vec![200_u16, 400, 429, 500]), value in json()) {
        read_in_every_way(status, value.to_string().as_bytes())?;
    }

    #[test]
    fn a_reply_with_one_value_exchanged(reply in prop::sample::select(REPLIES.to_vec()), mut number in 0_usize..60, new in json()) {
        let mut value: Value = serde_json::from_str(reply).unwrap();
        replace(&mut value, &mut number, &new);
        read_in_every_way(200, value.to_string().as_bytes())?;
    }

    #[test]
    fn a_reply_with_one_byte_exchanged_or_cut_off(reply in prop::sample::select(REPLIES.to_vec()), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut body = reply.as_bytes().to_vec();
        let at = at.index(body.len());
        body[at] = byte;
        read_in_every_way(200, &body)?;
        read_in_every_way(200, &body[..at])?;
    }

    #[test]
    fn any_tokens(tokens in tokens()) {
        read_in_every_way(200, with_tokens(&tokens).to_string().as_bytes())?;
    }
}
