//! The likelihood of a text, from recorded shapes of replies.

use super::request;
use crate::served::codec::{Dialect, Scoring, decode};
use evenhand_core::{Likelihood, Request, Task};
use serde_json::{Value, json};

fn dialect(likelihood: Scoring) -> Dialect {
    Dialect {
        likelihood,
        ..Dialect::openai("gpt-4o-mini")
    }
}

fn scored(likelihood: Scoring, text: &str, reply: &Value) -> Result<Likelihood, String> {
    scored_apart(likelihood, text, &[], reply)
}

pub(super) fn scored_apart(
    likelihood: Scoring,
    text: &str,
    apart: &[[usize; 2]],
    reply: &Value,
) -> Result<Likelihood, String> {
    let request = Request {
        task: Task::Score {
            continuation: text.into(),
            apart: apart.iter().map(|[start, end]| *start..*end).collect(),
            depths: Vec::new(),
        },
        ..request(&[], "")
    };
    let reply = decode(
        &dialect(likelihood),
        &request,
        200,
        None,
        reply.to_string().as_bytes(),
    );
    reply
        .map(|reply| reply.likelihood.unwrap())
        .map_err(|fault| fault.message)
}

/// As vLLM spells it: the first token has none.
pub(super) fn prompt(tokens: &[(&str, f64)]) -> Value {
    let entry = |(token, logprob): &(&str, f64)| json!({"17": {"logprob": logprob, "rank": 3, "decoded_token": token}});
    let entries: Vec<Value> = std::iter::once(Value::Null)
        .chain(tokens.iter().map(entry))
        .collect();
    json!({"choices": [{"message": {"content": "x"}}], "prompt_logprobs": entries, "usage": {"prompt_tokens": 9}})
}

#[test]
fn the_tokens_at_the_end_that_spell_the_text_are_summed() {
    let reply = prompt(&[
        ("assistant", -9.0),
        ("\n", -0.1),
        ("A", -1.0),
        (" b", -2.0),
        (".", -0.5),
    ]);
    assert_eq!(
        scored(Scoring::PromptLogprobs, "A b.", &reply),
        Ok(Likelihood {
            logprob: -3.5,
            tokens: 3,
            apart: 0.0
        })
    );
}

#[test]
fn a_token_may_begin_before_the_text() {
    let reply = prompt(&[("\n", -0.1), ("\n\nA", -1.0), (" b", -2.0)]);
    assert_eq!(
        scored(Scoring::PromptLogprobs, "A b", &reply),
        Ok(Likelihood {
            logprob: -3.0,
            tokens: 2,
            apart: 0.0
        })
    );
}

#[test]
fn characters_of_several_tokens_count_whole() {
    // U+1F600 in three tokens of bytes, none of which is a character.
    let reply = prompt(&[
        (":", -9.0),
        ("a", -1.0),
        ("\u{fffd}", -1.0),
        ("\u{fffd}", -1.0),
        ("\u{fffd}", -1.0),
        (" b", -0.5),
    ]);
    assert_eq!(
        scored(Scoring::PromptLogprobs, "a\u{1F600} b", &reply),
        Ok(Likelihood {
            logprob: -4.5,
            tokens: 5,
            apart: 0.0
        })
    );
}

#[test]
fn tokens_that_touch_a_span_are_told_apart() {
    let reply = prompt(&[
        ("assistant", -9.0),
        ("\n", -0.1),
        ("A", -1.0),
        (" b", -2.0),
        ("c", -4.0),
        (".", -0.5),
    ]);
    let apart = |spans: &[[usize; 2]]| {
        scored_apart(Scoring::PromptLogprobs, "A bc.", spans, &reply)
            .unwrap()
            .apart
    };
    assert_eq!(
        apart(&[[2, 3], [4, 5]]),
        -2.5,
        "the word begins after the space that its token holds"
    );
    assert_eq!((apart(&[[0, 5]]), apart(&[[0, 1], [2, 4]])), (-7.5, -7.0));
    let reply = prompt(&[
        (":", -9.0),
        ("a", -1.0),
        ("\u{fffd}", -1.0),
        ("\u{fffd}", -1.5),
        (" b", -0.5),
    ]);
    let apart = |spans: &[[usize; 2]]| {
        scored_apart(Scoring::PromptLogprobs, "a\u{1F600} b", spans, &reply)
            .unwrap()
            .apart
    };
    assert_eq!(apart(&[[0, 1]]), -1.0);
    assert_eq!(apart(&[[1, 5]]), -2.5);
    assert_eq!(apart(&[[6, 7]]), -0.5);
    let reply = prompt(&[
        (":", -9.0),
        ("\u{fffd}", -1.0),
        ("\u{fffd}", -1.5),
        (" b", -0.5),
    ]);
    assert_eq!(
        scored_apart(Scoring::PromptLogprobs, "\u{1F600} b", &[[0, 4]], &reply)
            .unwrap()
            .apart,
        -2.5
    );
}

#[test]
fn the_token_written_after_an_echo_does_not_count() {
    let logprobs = json!({"tokens": ["Say", " hi", "\n\n", "Hi", " you", "!"], "token_logprobs": [null, -5.0, -1.0, -0.25, -0.5, -7.0]});
    let reply =
        json!({"choices": [{"text": "", "logprobs": logprobs}], "usage": {"prompt_tokens": 5}});
    assert_eq!(
        scored(Scoring::Echo, "Hi you", &reply),
        Ok(Likelihood {
            logprob: -0.75,
            tokens: 2,
            apart: 0.0
        })
    );
}

#[test]
fn what_cannot_be_read_is_no_likelihood() {
    let ends_otherwise = prompt(&[("A", -1.0), (" c", -2.0)]);
    let ambiguous = json!({"prompt_logprobs": [null, {"1": {"logprob": -1.0, "decoded_token": "A"}, "2": {"logprob": -2.0, "decoded_token": "B"}}]});
    let whole_prompt = prompt(&[(" b", -1.0)]);
    for (reply, why) in [
        (json!({"choices": []}), "no log-probabilities of the prompt"),
        (ends_otherwise, "do not end with the text"),
        (ambiguous, "no log-probabilities of the prompt"),
        (whole_prompt, "do not end with the text"),
    ] {
        let found = scored(Scoring::PromptLogprobs, "A b", &reply).unwrap_err();
        assert!(found.contains(why), "{found}");
    }
}
