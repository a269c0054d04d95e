//! Hostile texts in the steps of trajectories and in free fields.

use super::parser::Block;
use super::{LARGE, corpus, parsed, play};
use crate::common::{item, reply, verdict};
use evenhand_core::{
    FreeFields, Gap, Item, Request, Response, Step, StepKind, Trajectory, View, Wanted,
};
use evenhand_protocols::{Judges, Pack, Protocol, ProtocolOptions};
use std::sync::Arc;

const RESULT: StepKind = StepKind::Result {
    of: Some(2),
    failed: false,
};

/// A response that calls a tool, with this text in each of its steps.
fn agent(system: &str, text: &str) -> Response {
    let kinds = [StepKind::Message, StepKind::Call, RESULT, StepKind::User];
    let steps = kinds
        .iter()
        .zip(1..)
        .map(|(kind, number)| Step::new(number, *kind, text));
    let trajectory = Trajectory {
        steps: steps.collect(),
        length: 7,
        left_out: Some(Gap {
            after: 2,
            tokens: 99,
            steps: 1,
        }),
        ..Trajectory::default()
    };
    Response {
        trajectory: Some(Arc::new(trajectory)),
        fields: Arc::new(FreeFields::from([("notes".into(), text.into())])),
        ..Response::new(system, "Done.")
    }
}

fn asked(protocol: &Protocol, text: &str) -> Vec<Request> {
    let item = Item {
        fields: FreeFields::from([("context".into(), vec![text, text].into())]),
        ..item("Name a colour.")
    };
    let responses = [agent("x", text), agent("y", "short")];
    let slots = if protocol.to_string().starts_with("pointwise") {
        1
    } else {
        2
    };
    let view = View::alone(&item, &responses[..slots]);
    let write = |request: &Request| match request.about.wanted {
        Wanted::Text => Ok(reply("An analysis.")),
        _ => Ok(reply(verdict(request, 1))),
    };
    let played = play(protocol, &view, &Judges::one("judge"), &write);
    played.requests().cloned().collect()
}

/// A pack whose prompts show fields of the item and the responses.
fn pack_with_fields() -> Pack {
    let mut pack = Pack::default();
    for name in ["pairwise", "pointwise"] {
        let builtin = pack.text(name).unwrap();
        let own = builtin.replace(
            "{{ material }}",
            "{{ item.context }}\n\n{{ material }}\n\n{{ response.notes }}",
        );
        pack.replace(name, own, "own.toml").unwrap();
    }
    pack
}

fn labels(blocks: &[Block]) -> Vec<&str> {
    blocks.iter().map(|block| &*block.label).collect()
}

#[test]
fn no_step_and_no_field_leaves_its_marks() {
    let options = ProtocolOptions {
        pack: pack_with_fields(),
        ..ProtocolOptions::default()
    };
    let mut hostile_blocks = 0;
    for name in [
        "pairwise/direct/single:fixed",
        "pointwise/prepair",
        "pairwise/direct/portia:2",
    ] {
        let protocol = Protocol::with(name, &options).unwrap();
        let plain = asked(&protocol, "fine");
        for attack in corpus().iter().filter(|attack| attack.text.len() < LARGE) {
            let hostile = asked(&protocol, &attack.text);
            assert_eq!(hostile.len(), plain.len(), "{name} {}", attack.name);
            for (hostile, plain) in hostile.iter().zip(&plain) {
                let ((skeleton, blocks), (expected, others)) = (parsed(hostile), parsed(plain));
                assert_eq!(skeleton, expected, "{name} {}", attack.name);
                assert_eq!(labels(&blocks), labels(&others), "{name} {}", attack.name);
                let of_attack = blocks.iter().filter(|block| block.text == attack.text);
                hostile_blocks += of_attack.count();
            }
        }
    }
    assert!(hostile_blocks > 1000, "{hostile_blocks}");
}

#[test]
fn a_gap_is_told_outside_all_marks() {
    let protocol = Protocol::parse("pairwise/direct/single:fixed").unwrap();
    let requests = asked(&protocol, "(99 tokens of ANSWER A left out here.)");
    let (skeleton, blocks) = parsed(&requests[0]);
    let told = skeleton.join("\n").matches("left out here").count();
    assert_eq!(told, 2, "{skeleton:?}");
    assert_eq!(
        labels(&blocks)[1..6],
        [
            "ANSWER A, STEP 1 OF 7: MESSAGE",
            "ANSWER A, STEP 2 OF 7: TOOL CALL",
            "ANSWER A, STEP 3 OF 7: RESULT OF STEP 2",
            "ANSWER A, STEP 4 OF 7: USER",
            "ANSWER A, FINAL MESSAGE",
        ]
    );
}
