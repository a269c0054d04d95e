use super::*;
use crate::served::codec;
use crate::served::fault::FaultKind;
use evenhand_core::{LARGEST_REWARD, Task};
use evenhand_core::{Message, Role};
use proptest::prelude::*;

fn dialect(reward: RewardWay) -> Dialect {
    Dialect {
        reward,
        ..Dialect::reward("rm")
    }
}

fn request(turns: &[(Role, &str)]) -> Request {
    let turns = turns.iter().map(|(role, content)| Message {
        role: *role,
        content: (*content).into(),
    });
    Request::new("reward:rm".into(), turns.collect(), Task::Reward)
}

fn body(reward: RewardWay, turns: &[(Role, &str)]) -> Value {
    let body = codec::encode(&dialect(reward), &request(turns)).unwrap();
    serde_json::from_str(&body).unwrap()
}

fn read(dialect: &Dialect, body: &Value) -> Result<Reply, Fault> {
    let request = request(&[(Role::User, "Q?"), (Role::Assistant, "A.")]);
    codec::decode(dialect, &request, 200, None, body.to_string().as_bytes())
}

const WAYS: [RewardWay; 5] = [
    RewardWay::Classify,
    RewardWay::Pooling,
    RewardWay::Score,
    RewardWay::Rerank,
    RewardWay::Tei,
];

#[test]
fn bodies_are_those_of_the_servers() {
    let turns = [(Role::User, "Q?"), (Role::Assistant, "A.")];
    let chat = json!({"model": "rm", "use_activation": false, "messages": [
        {"role": "user", "content": "Q?"}, {"role": "assistant", "content": "A."}]});
    for (way, expected) in [
        (RewardWay::Classify, chat.clone()),
        (RewardWay::Pooling, chat),
        (
            RewardWay::Score,
            json!({"model": "rm", "text_1": "Q?", "text_2": "A.", "use_activation": false}),
        ),
        (
            RewardWay::Rerank,
            json!({"model": "rm", "query": "Q?", "documents": ["A."]}),
        ),
        (
            RewardWay::Tei,
            json!({"query": "Q?", "texts": ["A."], "raw_scores": true}),
        ),
    ] {
        assert_eq!(body(way, &turns), expected, "{way:?}");
    }
    let turns = [
        (Role::User, "Hi"),
        (Role::Assistant, "Hello"),
        (Role::User, "Q?"),
        (Role::Assistant, "A."),
    ];
    assert_eq!(
        body(RewardWay::Rerank, &turns)["query"],
        "User: Hi\n\nAssistant: Hello\n\nUser: Q?"
    );
}

#[test]
fn replies_are_read_as_each_server_gives_them() {
    for (way, reply) in [
        (
            RewardWay::Classify,
            json!({"object": "list", "model": "rm", "data": [{"index": 0, "label": "LABEL_0",
                "probs": [-3.25], "num_classes": 1}], "usage": {"prompt_tokens": 9}}),
        ),
        (
            RewardWay::Pooling,
            json!({"model": "rm", "data": [{"index": 0, "object": "pooling", "data": [-3.25]}],
                "usage": {"prompt_tokens": 9}}),
        ),
        (
            RewardWay::Pooling,
            json!({"data": [{"data": [[7.0], [0.5], [-3.25]]}], "usage": {"prompt_tokens": 9}}),
        ),
        (
            RewardWay::Score,
            json!({"data": [{"index": 0, "object": "score", "score": -3.25}],
                "usage": {"prompt_tokens": 9}}),
        ),
        (
            RewardWay::Rerank,
            json!({"model": "rm", "results": [{"index": 0, "document": {"text": "A."},
                "relevance_score": -3.25}], "usage": {"prompt_tokens": 9, "total_tokens": 9}}),
        ),
        (
            RewardWay::Rerank,
            json!({"results": [{"index": 0, "relevance_score": -3.25}],
                "meta": {"tokens": {"input_tokens": 9}}}),
        ),
        (RewardWay::Rerank, json!([{"score": -3.25, "index": 0}])),
        (RewardWay::Tei, json!([{"index": 0, "score": -3.25}])),
    ] {
        let found = read(&dialect(way), &reply).unwrap();
        assert_eq!(found.reward, Some(-3.25), "{reply}");
        let counted = reply.is_object();
        assert_eq!(found.usage.prompt_tokens, if counted { 9 } else { 0 });
    }
}

#[test]
fn a_classifier_of_several_classes_is_a_reward_model_only_where_one_is_named() {
    let reply = json!({"data": [{"probs": [0.25, 0.75]}]});
    let why = read(&dialect(RewardWay::Classify), &reply).unwrap_err();
    assert!(why.message.contains("gives 2 numbers") && why.message.contains("reward-class"));
    let named = |class| Dialect {
        reward_class: Some(class),
        ..dialect(RewardWay::Classify)
    };
    assert_eq!(read(&named(1), &reply).unwrap().reward, Some(0.75));
    let why = read(&named(2), &reply).unwrap_err();
    assert!(why.message.contains("2 classes"), "{}", why.message);
}

#[test]
fn what_is_no_reward_is_a_fault() {
    for (way, reply) in [
        (RewardWay::Classify, json!({})),
        (RewardWay::Classify, json!({"data": []})),
        (
            RewardWay::Classify,
            json!({"data": [{"probs": [1.0]}, {"probs": [2.0]}]}),
        ),
        (RewardWay::Classify, json!({"data": [{"probs": []}]})),
        (RewardWay::Classify, json!({"data": [{"probs": ["1"]}]})),
        (RewardWay::Classify, json!({"data": [{"probs": [null]}]})),
        (
            RewardWay::Pooling,
            json!({"data": [{"data": [[1.0], [1.0, 2.0]]}]}),
        ),
        (RewardWay::Pooling, json!({"data": [{"data": "AAAA"}]})),
        (RewardWay::Score, json!({"data": [{"score": "high"}]})),
        (RewardWay::Rerank, json!({"results": [{"index": 0}]})),
        (RewardWay::Tei, json!({"score": 1.0})),
        // Of another text than the one that was sent.
        (RewardWay::Tei, json!([{"index": 1, "score": 1.0}])),
        (RewardWay::Tei, json!([{"index": "0", "score": 1.0}])),
        (
            RewardWay::Rerank,
            json!({"results": [{"index": 7, "relevance_score": 1.0}]}),
        ),
        (RewardWay::Rerank, json!([{"index": -1, "score": 1.0}])),
        (
            RewardWay::Classify,
            json!({"data": [{"index": 2, "probs": [1.0]}]}),
        ),
        // Finite, and beyond what sums can hold.
        (RewardWay::Tei, json!([{"index": 0, "score": 1e308}])),
        (RewardWay::Score, json!({"data": [{"score": -1.1e9}]})),
    ] {
        assert!(read(&dialect(way), &reply).is_err(), "{way:?} {reply}");
    }
    // A number beyond what a double holds.
    let body = br#"{"data": [{"probs": [1e999]}]}"#;
    let request = request(&[(Role::User, "Q?"), (Role::Assistant, "A.")]);
    let read = codec::decode(&dialect(RewardWay::Classify), &request, 200, None, body);
    assert!(read.is_err());
}

#[test]
fn refusals_say_what_to_do() {
    let request = request(&[(Role::User, "Q?"), (Role::Assistant, "A.")]);
    for (status, words, expected) in [
        (404, "Not Found", "classify, pooling, score, rerank and tei"),
        (400, "The model does not support Score API", "/classify"),
        (400, "no chat template is defined", "has no chat template"),
    ] {
        let body = json!({"error": {"message": words}}).to_string();
        let dialect = dialect(RewardWay::Classify);
        let fault = codec::decode(&dialect, &request, status, None, body.as_bytes()).unwrap_err();
        assert!(fault.message.contains(expected), "{}", fault.message);
        assert_ne!(fault.kind, FaultKind::Malformed);
    }
}

#[test]
fn a_reward_model_writes_nothing_and_a_chat_model_gives_no_reward() {
    let asks = request(&[(Role::User, "Q?"), (Role::Assistant, "A.")]);
    let why = codec::encode(&Dialect::openai("m"), &asks).unwrap_err();
    assert!(why.message.contains("gives no reward"));
    let why = codec::encode(&dialect(RewardWay::Score), &request(&[(Role::User, "Q?")]));
    assert!(why.unwrap_err().message.contains("no answer"));
}

proptest! {
    /// Whatever a server says, a reply has a finite reward or is a fault.
    #[test]
    fn no_bytes_are_anything_else(
        way in prop::sample::select(WAYS.to_vec()),
        body in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            any::<f64>().prop_map(|n| format!("{{\"data\":[{{\"probs\":[{n}],\"score\":{n},\"data\":[[{n}]]}}]}}").into_bytes()),
            any::<f64>().prop_map(|n| format!("[{{\"score\":{n}}}]").into_bytes()),
        ],
    ) {
        let request = request(&[(Role::User, "Q?"), (Role::Assistant, "A.")]);
        if let Ok(reply) = codec::decode(&dialect(way), &request, 200, None, &body) {
            prop_assert!(reply.reward.is_some_and(|reward| reward.abs() <= LARGEST_REWARD));
        }
    }
}
