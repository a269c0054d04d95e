use crate::served::codec::{Dialect, decode, encode};
use crate::served::fault::{Fault, FaultKind};
use crate::served::provider::{Provider, Settings};
use evenhand_core::{CallErrorKind, Reply, Request, Task, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

fn request(pieces: &[&str]) -> Request {
    let task = Task::Embed {
        pieces: pieces.iter().map(ToString::to_string).collect(),
    };
    Request::new("test".into(), Vec::new(), task)
}

fn read(body: &str) -> Result<Reply, Fault> {
    decode(
        &Dialect::openai("x"),
        &request(&["One.", "Two."]),
        200,
        None,
        body.as_bytes(),
    )
}

#[test]
fn all_texts_are_one_request_and_a_chats_extra_fields_stay_out() {
    let mut dialect = Dialect::openai("text-embedding-3-small");
    dialect
        .extra
        .insert("reasoning_effort".into(), json!("low"));
    let body: Value =
        serde_json::from_str(&encode(&dialect, &request(&["One.", "T\"wo."])).unwrap()).unwrap();
    let expected = json!({"model": "text-embedding-3-small", "input": ["One.", "T\"wo."], "encoding_format": "float"});
    assert_eq!(body, expected);
}

#[test]
fn the_address_is_beside_that_of_chats() {
    let path = |path: &str| {
        Dialect {
            path: path.into(),
            ..Dialect::openai("x")
        }
        .embeddings_path()
    };
    assert_eq!(path("/chat/completions"), "/embeddings");
    assert_eq!(path("/v1/chat/completions"), "/v1/embeddings");
    assert_eq!(path("/my-own"), "/embeddings");
}

#[test]
fn who_has_none_says_what_to_do() {
    for provider in ["anthropic", "deepseek", "groq"] {
        let dialect = Provider::by_name(provider)
            .unwrap()
            .dialect("m", &Settings::default());
        let error = encode(&dialect, &request(&["One."])).unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Invalid);
        assert_eq!(
            error.message,
            "the API of m has no embeddings: name another model with `embedder`, or align by token \
             overlap (portia without `embedding`)"
        );
    }
    let settings = Settings {
        embeddings: Some(true),
        ..Settings::default()
    };
    let dialect = Provider::by_name("groq").unwrap().dialect("m", &settings);
    assert!(encode(&dialect, &request(&["One."])).is_ok());
}

#[test]
fn embeddings_are_put_in_order_by_their_index() {
    let reply = read(
        r#"{"object": "list", "model": "m", "data": [
            {"object": "embedding", "index": 1, "embedding": [0.25, -1e-3]},
            {"object": "embedding", "index": 0, "embedding": [1, 0.1]}],
            "usage": {"prompt_tokens": 6, "total_tokens": 6}}"#,
    )
    .unwrap();
    assert_eq!(
        reply.embeddings.unwrap().vectors().collect::<Vec<_>>(),
        [[1.0, 0.1], [0.25, -0.001]]
    );
    assert_eq!(
        reply.usage,
        Usage {
            prompt_tokens: 6,
            ..Usage::default()
        }
    );
    assert_eq!(reply.text.as_str(), "");
}

#[test]
fn what_is_no_reply_is_malformed() {
    let data = |data: &str| format!(r#"{{"data": {data}}}"#);
    let one = r#"{"index": 0, "embedding": [1, 2]}"#;
    for (body, why) in [
        (
            "{}".into(),
            "the reply has no field `data`: is the address that of an embeddings API?",
        ),
        (data("{}"), "the reply's data are not a list"),
        (
            data(&format!("[{one}]")),
            "the reply has 1 embeddings of 2 texts",
        ),
        (
            data(&format!("[{one}, {one}]")),
            "the indices of the reply's embeddings are not those of the texts",
        ),
        (
            data(&format!(r#"[{one}, {{"embedding": [1, 2]}}]"#)),
            "the indices of the reply's embeddings are not those of the texts",
        ),
        (
            data(&format!(r#"[{one}, {{"index": 2, "embedding": [1, 2]}}]"#)),
            "the indices of the reply's embeddings are not those of the texts",
        ),
        (
            data(&format!(r#"[{one}, {{"index": 1, "embedding": [1]}}]"#)),
            "embedding 1 has 1 numbers, and embedding 0 has 2",
        ),
        (
            data(&format!(r#"[{one}, {{"index": 1, "embedding": []}}]"#)),
            "an embedding of the reply is not a list of numbers",
        ),
        (
            data(&format!(
                r#"[{one}, {{"index": 1, "embedding": "AACAPw=="}}]"#
            )),
            "an embedding of the reply is not a list of numbers",
        ),
        (
            data(&format!(
                r#"[{one}, {{"index": 1, "embedding": [1, null]}}]"#
            )),
            "an embedding of the reply is not a list of numbers",
        ),
        (
            data(&format!(
                r#"[{one}, {{"index": 1, "embedding": [1, 1e300]}}]"#
            )),
            "embedding 1 holds a number that is not finite",
        ),
    ] {
        let fault = read(&body).unwrap_err();
        assert_eq!(
            (fault.kind, fault.message.as_str()),
            (FaultKind::Malformed, why),
            "{body}"
        );
    }
    let error = decode(
        &Dialect::openai("x"),
        &request(&["One."]),
        404,
        None,
        b"no such model",
    )
    .unwrap_err();
    assert_eq!(error.kind, FaultKind::NotFound);
}

proptest! {
    #[test]
    fn any_bytes_are_a_reply_or_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..200), status in 100u16..600) {
        let _ = decode(&Dialect::openai("x"), &request(&["One."]), status, None, &bytes);
    }

    #[test]
    fn any_order_of_the_embeddings_gives_the_same(order in Just(vec![0usize, 1, 2, 3]).prop_shuffle()) {
        let data: Vec<Value> = order.iter().map(|at| json!({"index": at, "embedding": [*at as f64 + 0.5]})).collect();
        let body = json!({"data": data}).to_string();
        let four = request(&["a", "b", "c", "d"]);
        let reply = decode(&Dialect::openai("x"), &four, 200, None, body.as_bytes()).unwrap();
        let embeddings = reply.embeddings.unwrap();
        prop_assert_eq!(embeddings.vectors().collect::<Vec<_>>(), [[0.5], [1.5], [2.5], [3.5]]);
    }
}
