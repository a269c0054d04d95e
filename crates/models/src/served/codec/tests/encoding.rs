use super::{held, request};
use crate::served::codec::{Api, Dialect, Scoring, Seed, SystemRole, Thinking, TokenLimit, encode};
use evenhand_core::{CallErrorKind, Message, Request, Role, Task};
use serde_json::{Value, json};

fn body(dialect: &Dialect, request: &Request) -> Value {
    serde_json::from_str(&encode(dialect, request).unwrap()).unwrap()
}

fn openai() -> Dialect {
    Dialect::openai("gpt-4o-mini")
}

fn sampled(sample: u32) -> Request {
    let mut request = Request {
        sample,
        ..request(&["A", "B"], "")
    };
    if let Task::Generate { decoding, .. } = &mut request.task {
        decoding.temperature = 1.0;
    }
    request
}

fn said(messages: &[(Role, &str)]) -> Request {
    let message = |(role, content): &(Role, &str)| Message {
        role: *role,
        content: content.to_string(),
    };
    Request {
        messages: messages.iter().map(message).collect(),
        ..request(&[], "")
    }
}

#[test]
fn a_request_of_openais_api() {
    let expected = json!({
        "model": "gpt-4o-mini",
        "messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": "Which is better?"}],
        "max_tokens": 8,
        "temperature": 0.0,
        "logprobs": true,
        "top_logprobs": 20,
    });
    assert_eq!(body(&openai(), &request(&["A", "B"], "")), expected);
}

#[test]
fn a_request_of_anthropics_api() {
    let expected = json!({
        "model": "claude",
        "max_tokens": 8,
        "system": "You judge.",
        "messages": [{"role": "user", "content": "Which is better?"}],
        "temperature": 0.0,
    });
    assert_eq!(
        body(&Dialect::anthropic("claude"), &request(&["A", "B"], "")),
        expected
    );
    assert_eq!(
        Api::Anthropic.headers(),
        [("anthropic-version", "2023-06-01")]
    );
}

#[test]
fn probabilities_are_asked_for_only_where_answers_are_wanted_and_the_server_has_them() {
    assert_eq!(body(&openai(), &request(&[], "")).get("logprobs"), None);
    assert_eq!(
        body(
            &Dialect {
                logprobs: false,
                ..openai()
            },
            &request(&["A"], "")
        )
        .get("logprobs"),
        None
    );
    assert_eq!(
        body(
            &Dialect {
                top_logprobs: 5,
                ..openai()
            },
            &request(&["A"], "Verdict:")
        )["top_logprobs"],
        5
    );
}

#[test]
fn samples_of_a_prompt_have_seeds_of_their_own_and_a_greedy_reply_has_none() {
    let seed = |sample| body(&openai(), &sampled(sample))["seed"].as_u64().unwrap();
    let seeds: std::collections::BTreeSet<u64> = (0..500).map(seed).collect();
    assert_eq!(seeds.len(), 500);
    assert!(seeds.iter().all(|seed| *seed < 1 << 31));
    assert_eq!(seed(3), seed(3));
    assert_eq!(body(&openai(), &request(&["A"], "")).get("seed"), None);
    assert_eq!(
        body(
            &Dialect {
                seed: Seed::None,
                ..openai()
            },
            &sampled(1)
        )
        .get("seed"),
        None
    );
    assert!(
        body(
            &Dialect {
                seed: Seed::RandomSeed,
                ..openai()
            },
            &sampled(1)
        )["random_seed"]
            .is_u64()
    );
}

#[test]
fn a_model_that_thinks_has_room_for_it_and_no_temperature() {
    let thinks = Dialect {
        token_limit: TokenLimit::MaxCompletionTokens,
        temperature: false,
        logprobs: false,
        reasoning_tokens: 1000,
        system_role: SystemRole::Developer,
        ..openai()
    };
    let body = body(&thinks, &request(&["A"], ""));
    assert_eq!(body["max_completion_tokens"], 1008);
    assert_eq!(body.get("temperature"), None);
    assert_eq!(body.get("max_tokens"), None);
    assert_eq!(body["messages"][0]["role"], "developer");
}

#[test]
fn anthropics_thinking_has_a_budget_of_at_least_1024_and_no_temperature() {
    let thinks = Dialect {
        reasoning_tokens: 500,
        ..Dialect::anthropic("claude")
    };
    let body = body(&thinks, &request(&["A"], ""));
    assert_eq!(
        body["thinking"],
        json!({"type": "enabled", "budget_tokens": 1024})
    );
    assert_eq!(body["max_tokens"].as_u64(), Some(1032));
    assert_eq!(body.get("temperature"), None);
}

#[test]
fn anthropics_newer_models_think_without_a_budget() {
    let thinks = Dialect {
        reasoning_tokens: 2000,
        thinking: Thinking::Adaptive,
        ..Dialect::anthropic("claude")
    };
    let body = body(&thinks, &request(&["A"], ""));
    assert_eq!(body["thinking"], json!({"type": "adaptive"}));
    assert_eq!(body["max_tokens"].as_u64(), Some(2008));
    assert_eq!(body.get("temperature"), None);
}

#[test]
fn a_reply_is_held_to_the_schema_that_the_request_wants_with_its_fields_in_order() {
    let body = body(&openai(), &held(&["A", "B"]));
    let format = &body["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["strict"], true);
    let schema = &format["json_schema"]["schema"];
    let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["reasoning", "verdict"]);
    assert_eq!(schema["properties"]["verdict"]["enum"], json!(["A", "B"]));
    assert_eq!(
        body["logprobs"], true,
        "beside the probabilities of its answers"
    );
    let free = super::encoding::body(&openai(), &request(&["A", "B"], "Verdict:"));
    assert_eq!(free.get("response_format"), None);
    let anthropic = super::encoding::body(&Dialect::anthropic("x"), &held(&["A", "B"]));
    assert_eq!(anthropic.get("response_format"), None);
}

#[test]
fn a_model_without_a_systems_role_hears_it_from_the_person() {
    let dialect = Dialect {
        system_role: SystemRole::User,
        ..openai()
    };
    let messages = body(&dialect, &request(&[], ""))["messages"].clone();
    assert_eq!(
        messages,
        json!([{"role": "user", "content": "You judge.\n\nWhich is better?"}])
    );
    let alone = body(
        &dialect,
        &said(&[(Role::System, "x"), (Role::Assistant, "y")]),
    )["messages"]
        .clone();
    assert_eq!(
        alone,
        json!([{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}])
    );
}

#[test]
fn anthropics_turns_alternate_and_begin_with_the_person() {
    use Role::{Assistant, System, User};
    let merged = said(&[
        (System, "s"),
        (User, "a"),
        (User, "b"),
        (Assistant, "c"),
        (System, "t"),
        (Assistant, "d"),
        (User, "e"),
    ]);
    let body = body(&Dialect::anthropic("claude"), &merged);
    assert_eq!(body["system"], "s\n\nt");
    let turn = |role: &str, content: &str| json!({"role": role, "content": content});
    assert_eq!(
        body["messages"],
        json!([
            turn("user", "a\n\nb"),
            turn("assistant", "c\n\nd"),
            turn("user", "e")
        ])
    );
    for messages in [&[(Assistant, "a"), (User, "b")][..], &[(System, "s")], &[]] {
        let error = encode(&Dialect::anthropic("claude"), &said(messages)).unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Invalid, "{messages:?}");
    }
}

#[test]
fn a_cache_is_asked_for_at_the_end_of_what_stands_first() {
    let cached = Dialect {
        cache: true,
        ..Dialect::anthropic("claude")
    };
    let block = |text: &str| json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
    assert_eq!(
        body(&cached, &request(&[], ""))["system"],
        block("You judge.")
    );
    assert_eq!(
        body(&cached, &said(&[(Role::User, "x")]))["messages"][0]["content"],
        block("x")
    );
}

#[test]
fn extra_fields_are_added_and_may_not_change_what_is_asked() {
    let with = |extra: Value| Dialect {
        extra: extra.as_object().cloned().unwrap(),
        ..openai()
    };
    let body = body(
        &with(json!({"top_k": 1, "max_tokens": 99})),
        &request(&[], ""),
    );
    assert_eq!(body["top_k"], 1);
    assert_eq!(body["max_tokens"], 99);
    for name in ["model", "messages", "system", "stream"] {
        let error = encode(&with(json!({name: 1})), &request(&[], "")).unwrap_err();
        assert!(
            error.kind == CallErrorKind::Invalid && error.message.contains(&format!("`{name}`")),
            "{error:?}"
        );
    }
}

#[test]
fn a_text_is_scored_as_an_unfinished_turn_or_after_a_plain_prompt() {
    let request = Request {
        task: Task::score("Blue."),
        ..said(&[(Role::User, "A colour?")])
    };
    let of = |likelihood| Dialect {
        likelihood,
        ..openai()
    };
    let chat = body(&of(Scoring::PromptLogprobs), &request);
    assert_eq!(
        chat["messages"],
        json!([{"role": "user", "content": "A colour?"}, {"role": "assistant", "content": "Blue."}])
    );
    assert_eq!(chat["prompt_logprobs"], 0);
    assert_eq!(chat["continue_final_message"], true);
    let echo = body(&of(Scoring::Echo), &request);
    assert_eq!(echo["prompt"], "A colour?\n\nBlue.");
    assert_eq!(echo["echo"], true);
    assert_eq!(echo["max_tokens"], 1);
    let null = Request {
        messages: vec![Message {
            role: Role::User,
            content: String::new(),
        }],
        ..request.clone()
    };
    assert_eq!(
        body(&of(Scoring::Echo), &null)["prompt"],
        "\n\nBlue.",
        "the first token has no probability"
    );
    assert_eq!(of(Scoring::Echo).score_path(), "/completions");
    assert_eq!(
        of(Scoring::PromptLogprobs).score_path(),
        "/chat/completions"
    );
    let empty = Request {
        task: Task::score(String::new()),
        ..request
    };
    assert_eq!(
        encode(&of(Scoring::Echo), &empty).unwrap_err().message,
        "an empty text has no likelihood"
    );
}

#[test]
fn a_likelihood_cannot_be_asked_of_a_served_model_that_gives_none() {
    let request = Request {
        task: Task::score("x"),
        ..request(&[], "")
    };
    for dialect in [openai(), Dialect::anthropic("claude")] {
        let error = encode(&dialect, &request).unwrap_err();
        assert!(
            error.kind == CallErrorKind::Invalid && error.message.contains("gguf:PATH"),
            "{error:?}"
        );
    }
}
