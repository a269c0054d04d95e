use super::request;
use super::transcripts::*;
use crate::served::codec::{Dialect, LARGEST_BODY, decode};
use crate::served::fault::{Fault, FaultKind};
use evenhand_core::{Finish, Reply, Request, Usage};
use std::time::Duration;

fn read(dialect: &Dialect, request: &Request, body: &str) -> Result<Reply, Fault> {
    decode(dialect, request, 200, None, body.as_bytes())
}

fn openai(body: &str) -> Reply {
    read(&Dialect::openai("x"), &request(&["A", "B"], ""), body).unwrap()
}

fn anthropic(body: &str) -> Reply {
    read(&Dialect::anthropic("x"), &request(&["A", "B"], ""), body).unwrap()
}

fn close(found: &Option<Vec<f64>>, expected: &[f64]) -> bool {
    found.as_ref().is_some_and(|found| {
        found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-9)
    })
}

#[test]
fn openais_reply_with_probabilities() {
    let reply = openai(OPENAI);
    assert_eq!(reply.text.as_str(), "B");
    assert_eq!(reply.finish, Finish::Stop);
    assert_eq!(reply.reasoning, None);
    // Named are 0.75, 0.2 and 0.05: all there is.
    assert!(close(&reply.answers, &[0.2, 0.75]), "{reply:?}");
    assert!(reply.answers_within < 1e-9);
    assert_eq!(
        reply.usage,
        Usage {
            prompt_tokens: 1200,
            completion_tokens: 1,
            cached_tokens: 1024,
            reasoning_tokens: 0
        }
    );
    let unasked = read(&Dialect::openai("x"), &request(&[], ""), OPENAI).unwrap();
    assert_eq!(unasked.answers, None);
}

#[test]
fn openais_refusal_is_one_and_its_words_are_kept() {
    let reply = openai(OPENAI_REFUSAL);
    assert_eq!(reply.text.as_str(), "I can't compare these.");
    assert_eq!(reply.finish, Finish::Refusal);
}

#[test]
fn vllms_reasoning_is_apart_and_the_answer_is_found_after_it() {
    let reply = openai(VLLM);
    assert_eq!(reply.text.trim(), "B");
    assert_eq!(reply.reasoning.as_deref(), Some("A or B? A is wrong."));
    assert!(close(&reply.answers, &[0.1, 0.9]), "{reply:?}");
}

#[test]
fn llama_cpps_server_is_read() {
    let reply = openai(LLAMA_CPP);
    assert!(
        reply.text == "A" && close(&reply.answers, &[0.5, 0.5]),
        "{reply:?}"
    );
}

#[test]
fn ollamas_reasoning_that_is_cut_off_leaves_no_text() {
    let reply = openai(OLLAMA);
    assert_eq!(reply.text.as_str(), "");
    assert_eq!(reply.finish, Finish::Length);
    assert_eq!(reply.answers, None);
    assert_eq!(reply.reasoning.as_deref(), Some("The first says"));
}

#[test]
fn deepseeks_reasoner_is_read() {
    let reply = openai(DEEPSEEK);
    assert_eq!(reply.text.as_str(), "Verdict: A");
    assert_eq!(reply.reasoning.as_deref(), Some("The first is right."));
    assert_eq!(
        reply.usage,
        Usage {
            prompt_tokens: 100,
            completion_tokens: 60,
            cached_tokens: 64,
            reasoning_tokens: 55
        }
    );
}

#[test]
fn openrouters_reasoning_and_its_errors_are_read() {
    let reply = openai(OPENROUTER);
    assert_eq!(reply.text.as_str(), "B");
    assert_eq!(reply.reasoning.as_deref(), Some("The second, plainly."));
    let fault = read(&Dialect::openai("x"), &request(&[], ""), OPENROUTER_ERROR).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Overloaded);
    assert_eq!(
        fault.message,
        "error in the reply: Provider returned error: too many at once"
    );
}

#[test]
fn azures_filter_of_prompts_is_a_fault_and_of_replies_a_refusal() {
    let fault = decode(
        &Dialect::openai("x"),
        &request(&[], ""),
        400,
        None,
        AZURE_FILTER.as_bytes(),
    )
    .unwrap_err();
    assert_eq!(fault.kind, FaultKind::Filtered);
    assert_eq!(openai(AZURE_CUT).finish, Finish::Refusal);
    assert_eq!(openai(AZURE_CUT).text.as_str(), "");
}

#[test]
fn thoughts_that_only_the_total_counts_are_counted() {
    let usage = Usage {
        prompt_tokens: 32,
        completion_tokens: 103,
        cached_tokens: 0,
        reasoning_tokens: 94,
    };
    assert_eq!(openai(UNSEEN_THOUGHTS).usage, usage);
    assert_eq!(
        openai(r#"{"choices":[{"message":{"content":"A"}}]}"#).usage,
        Usage::default(),
        "none were counted"
    );
    let mad = r#"{"choices":[{"message":{"content":"A"}}],
        "usage":{"prompt_tokens":9223372036854775807,"completion_tokens":1e300,"total_tokens":-5}}"#;
    let usage = Usage {
        prompt_tokens: Usage::MOST,
        completion_tokens: Usage::MOST,
        ..Usage::default()
    };
    assert_eq!(openai(mad).usage, usage);
    let mad = r#"{"content":[],"usage":{"input_tokens":18446744073709551615,"cache_read_input_tokens":9223372036854775807}}"#;
    let usage = Usage {
        prompt_tokens: Usage::MOST,
        cached_tokens: Usage::MOST,
        ..Usage::default()
    };
    assert_eq!(anthropic(mad).usage, usage);
}

#[test]
fn content_in_parts_is_one_text_and_its_thinking_apart() {
    let reply = openai(MISTRAL);
    assert_eq!(reply.text.as_str(), "Verdict: B");
    assert_eq!(reply.reasoning.as_deref(), Some("The first errs."));
}

#[test]
fn anthropics_text_is_read() {
    let reply = anthropic(ANTHROPIC);
    assert_eq!(reply.text.as_str(), "Verdict: A");
    assert_eq!(reply.finish, Finish::Stop);
    assert_eq!(reply.reasoning, None);
    assert_eq!(
        reply.usage,
        Usage {
            prompt_tokens: 3210,
            completion_tokens: 5,
            cached_tokens: 3000,
            reasoning_tokens: 0
        }
    );
}

#[test]
fn anthropics_thinking_is_apart_from_its_text() {
    let reply = anthropic(ANTHROPIC_THINKING);
    assert_eq!(reply.text.as_str(), "Because");
    assert_eq!(reply.finish, Finish::Length);
    assert_eq!(reply.reasoning.as_deref(), Some("The first errs."));
    assert_eq!(anthropic(ANTHROPIC_REFUSAL).finish, Finish::Refusal);
}

#[test]
fn an_overloaded_server_is_one_and_keeps_the_wait_it_asks_for() {
    let told = Some(Duration::from_secs(12));
    let read = |status, body: &str| {
        let dialect = Dialect::anthropic("x");
        decode(&dialect, &request(&[], ""), status, told, body.as_bytes()).unwrap_err()
    };
    let expected = Fault {
        kind: FaultKind::Overloaded,
        message: "HTTP 529: Overloaded".into(),
        retry_after: told,
    };
    assert_eq!(read(529, ANTHROPIC_OVERLOADED), expected);
    // A fault that does not pass keeps none.
    assert_eq!(read(401, "{}").retry_after, None);
}

#[test]
fn every_reason_to_end_is_known() {
    for (reason, finish) in [
        ("\"stop\"", Finish::Stop),
        ("\"length\"", Finish::Length),
        ("\"model_length\"", Finish::Length),
        ("\"content_filter\"", Finish::Refusal),
        ("\"whatever\"", Finish::Stop),
        ("null", Finish::Stop),
    ] {
        let body =
            format!(r#"{{"choices":[{{"message":{{"content":"A"}},"finish_reason":{reason}}}]}}"#);
        assert_eq!(openai(&body).finish, finish, "{reason}");
    }
}

/// Tokens with the log-probability of each and those beside it, as a server lists them.
fn listed(tokens: &[(&str, &[(&str, f64)])]) -> serde_json::Value {
    let token = |name: &str, p: f64| serde_json::json!({"token": name, "logprob": p.ln()});
    let tokens = tokens.iter().map(|(written, named)| {
        let own = named.iter().find(|(name, _)| name == written);
        let mut entry = token(written, own.map_or(0.99, |(_, p)| *p));
        entry["top_logprobs"] = named.iter().map(|(name, p)| token(name, *p)).collect();
        entry
    });
    serde_json::json!({"content": tokens.collect::<Vec<_>>()})
}

#[test]
fn the_probabilities_of_a_reply_held_to_a_schema_are_those_at_its_verdict() {
    let held = super::held(&["A", "B"]);
    let read = |before: &str, tokens: &[(&str, &[(&str, f64)])], behind: &str| {
        let listed_tokens: Vec<_> = [(before, &[][..])]
            .into_iter()
            .chain(tokens.iter().copied())
            .chain([(behind, &[][..])])
            .collect();
        let content: String = listed_tokens.iter().map(|(text, _)| *text).collect();
        let body = serde_json::json!({"choices": [{"message": {"content": content},
            "logprobs": listed(&listed_tokens)}]});
        let reply = read(&Dialect::openai("x"), &held, &body.to_string()).unwrap();
        assert_eq!(reply.text, content, "the object is left to be read");
        reply.answers
    };
    let why = r#"{"reasoning": "\"verdict\": \"A\"", "verdict""#;
    // Alone; behind a quote; before one; in white space; with a token that is no answer there.
    for (before, token, named) in [
        (r#": ""#, "B", [("B", 0.75), ("A", 0.25)]),
        (r#":"#, r#" "B"#, [(r#" "B"#, 0.75), (r#" "A"#, 0.25)]),
        (r#":""#, r#"B""#, [(r#"B""#, 0.75), (r#"A"}"#, 0.25)]),
        ("", r#"": "B"#, [(r#"": "B"#, 0.75), ("A", 0.25)]),
    ] {
        let (before, token, named) = match before {
            // The name's own quote is of the token.
            "" => (why.trim_end_matches('"').to_string(), token, named),
            before => (format!("{why}{before}"), token, named),
        };
        let behind = if token.ends_with('"') { "}" } else { "\"}" };
        let answers = read(&before, &[(token, &named)], behind).unwrap();
        let first = if named[1].0 == "A" && token != "B" {
            0.0
        } else {
            0.25
        };
        assert!(
            (answers[0] - first).abs() < 1e-9 && (answers[1] - 0.75).abs() < 1e-9,
            "{token}: {answers:?}"
        );
    }
    assert_eq!(read("Sure. ", &[("B", &[("B", 1.0)])], "."), None);
}

#[test]
fn a_reply_that_goes_on_has_the_probabilities_at_each_answer_that_stands_as_a_word() {
    let read = |tokens: &[(&str, &[(&str, f64)])], after: &str| {
        let content: String = tokens.iter().map(|(text, _)| *text).collect();
        let body = serde_json::json!({"choices": [{"message": {"content": content},
            "logprobs": listed(tokens)}]});
        let request = request(&["A", "B"], after);
        let reply = read(&Dialect::openai("x"), &request, &body.to_string()).unwrap();
        // Where the answer was due is the beginning, or nothing was named there.
        let places = reply.places.into_iter().filter(|place| place.end > 0);
        places
            .map(|place| {
                let p = place.answers.iter().map(|p| (p * 100.0).round());
                (content[..place.end].to_string(), p.collect::<Vec<f64>>())
            })
            .collect::<Vec<_>>()
    };
    let named = |text: &str, p: Vec<f64>| (text.to_string(), p);
    let article: [(&str, &[(&str, f64)]); 5] = [
        ("A", &[("A", 0.7), ("B", 0.3)]),
        (" careful", &[]),
        (" look", &[]),
        (":", &[]),
        (" B", &[(" B", 0.8), (" A", 0.2)]),
    ];
    assert_eq!(
        read(&article, ""),
        [
            named("A", vec![70.0, 30.0]),
            named("A careful look: B", vec![20.0, 80.0])
        ]
    );
    assert_eq!(
        read(&article, "Verdict:"),
        [],
        "where no answer is due at once"
    );
    let marked: [(&str, &[(&str, f64)]); 4] = [
        ("The", &[("The", 0.9), ("A", 0.1)]),
        (" answer BAD A1 is", &[]),
        (" B.", &[(" B.", 0.6), (" A.", 0.4)]),
        ("\n", &[]),
    ];
    assert_eq!(
        read(&marked, ""),
        [named("The answer BAD A1 is B", vec![40.0, 60.0])],
        "letters within words are none, and a mark behind one is not of it"
    );
    for bare in [" B", "**B**", "B."] {
        assert_eq!(read(&[(bare, &[(bare, 1.0)])], ""), [], "{bare}");
    }
}

#[test]
fn arguments_of_one_tool_call_stand_for_a_text_that_is_not_there() {
    let read = |message: &str| {
        let body =
            format!(r#"{{"choices":[{{"message":{message},"finish_reason":"tool_calls"}}]}}"#);
        let reply = openai(&body);
        (reply.text, reply.is_tool_call, reply.finish)
    };
    let call = r#"{"function":{"name":"judge","arguments":"{\"verdict\": \"B\"}"}}"#;
    let said = r#"{"verdict": "B"}"#.to_string();
    assert_eq!(
        read(&format!(r#"{{"content":null,"tool_calls":[{call}]}}"#)),
        (said.clone(), true, Finish::Stop)
    );
    assert_eq!(
        read(r#"{"content":"","function_call":{"name":"j","arguments":"{\"verdict\": \"B\"}"}}"#).0,
        said
    );
    for (message, text) in [
        (format!(r#"{{"content":"A","tool_calls":[{call}]}}"#), "A"),
        (
            format!(r#"{{"content":null,"tool_calls":[{call},{call}]}}"#),
            "",
        ),
        (r#"{"content":null,"tool_calls":[]}"#.into(), ""),
        (
            r#"{"content":null,"tool_calls":[{"function":{"arguments":7}}]}"#.into(),
            "",
        ),
    ] {
        assert_eq!(read(&message), (text.to_string(), false, Finish::Stop));
    }
}

#[test]
fn what_is_no_reply_is_malformed() {
    let cut = &OPENAI[..OPENAI.len() - 9];
    for body in [
        "",
        " \n",
        "<html><body>Welcome</body></html>",
        cut,
        "null",
        "[]",
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":{"message":{"content":"A"}}}"#,
        r#"{"choices":[null]}"#,
        r#"{"choices":[{"text":"A"}]}"#,
        r#"{"choices":[{"message":{"content":7}}]}"#,
        r#"{"choices":[{"message":"A"}]}"#,
    ] {
        let fault = read(&Dialect::openai("x"), &request(&["A"], ""), body).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Malformed, "{body}");
    }
    let fault = read(
        &Dialect::anthropic("x"),
        &request(&["A"], ""),
        r#"{"content":"A"}"#,
    )
    .unwrap_err();
    assert_eq!(fault.kind, FaultKind::Malformed);
}

#[test]
fn a_reply_that_was_not_read_to_its_end_is_malformed() {
    let mut body = OPENAI.to_owned();
    body.push_str(&" ".repeat(LARGEST_BODY - body.len()));
    let fault = |body: &str| {
        read(&Dialect::openai("x"), &request(&[], ""), body).map_err(|fault| fault.kind)
    };
    assert_eq!(fault(&body), Err(FaultKind::Malformed));
    assert!(fault(&body[..LARGEST_BODY - 1]).is_ok());
}
