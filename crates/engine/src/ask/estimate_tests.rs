//! An estimate's bounds against what simulated judges are asked: every form x reasoning x
//! calibration over every kind of data, by one judge and by panels.
//!
//! `EVENHAND_SLOW=1` walks through all of them, otherwise through one in so many.

use super::*;
use crate::ask::replay::replay;
use crate::{Design, JudgeOptions, JudgeSpec, NamedJudges, bench};
use evenhand_core::{Criterion, Item, Message, Outcome, Step, StepKind, Trajectory};
use evenhand_formats::records::{ItemRef, Place, Record, SystemOutput};
use evenhand_formats::{Dataset, DatasetBuilder};
use evenhand_models::simulated::{Simulated, Spec};
use evenhand_protocols::{Certainty, Panel, Protocol, ProtocolOptions};

const FORMS: [&str; 17] = [
    "pairwise",
    "pairwise-tie",
    "pairwise-5point",
    "pairwise-score",
    "pairwise-likert",
    "pointwise:1-7",
    "pointwise:1-5,mode",
    "listwise",
    "listwise:2",
    "checklist",
    "checklist:each",
    "likelihood",
    "likelihood:given",
    "likelihood:novel",
    "likelihood:inverse",
    "likelihood:contrast=2",
    "likelihood:null,sum",
];

const REASONINGS: [&str; 14] = [
    "direct",
    "direct+metrics",
    "direct+reference",
    "cot",
    "cot+metrics+reference",
    "pros-cons",
    "prepair",
    "prepair+metrics",
    "prepair+analyses-only",
    "prepair+metrics+reference+analyses-only",
    "prepair-star",
    "prepair-star+reference",
    "prepair-star+analyses-only",
    "prepair-star+metrics+analyses-only",
];

const CALIBRATIONS: [&str; 17] = [
    "single",
    "single:fixed",
    "swap",
    "swap:average",
    "swap:tie",
    "swap:none",
    "swap-cot",
    "swap-cot:none",
    "mec:1",
    "mec:3",
    "mec+bpc:2",
    "self-consistency:3",
    "portia:2",
    "portia:3,original-first",
    "portia:2,no-length,tie",
    "portia:2,embedding",
    "portia:3,original-first,no-length,embedding",
];

/// A kind of data.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Single,
    /// One instruction alone.
    OneItem,
    /// An answer to a later turn, with the turns before it in view.
    LaterTurn,
    /// Conversations that are judged whole.
    Whole,
    Trajectories,
    /// A conversation that is judged whole beside instructions.
    Mixed,
}

const KINDS: [Kind; 6] = [
    Kind::Single,
    Kind::OneItem,
    Kind::LaterTurn,
    Kind::Whole,
    Kind::Trajectories,
    Kind::Mixed,
];

/// Two items or one, three systems; two of them have the same answer to the first item.
fn dataset(kind: Kind) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    let items = if kind == Kind::OneItem { 1 } else { 2 };
    for number in 0..items {
        let is_conversation = match kind {
            Kind::LaterTurn | Kind::Whole => true,
            Kind::Mixed => number == 0,
            _ => false,
        };
        let mut messages = vec![Message::user(format!("What of {number}?"))];
        if is_conversation {
            messages.push(Message::user("And then?"));
        }
        let item = Item {
            id: number.to_string(),
            messages,
            reference: (number == 1).then(|| "It is as it is.".into()),
            criteria: (0..=number)
                .map(|at| Criterion::new(format!("Is it {at}?")))
                .collect(),
            ..Item::default()
        };
        builder.add_record(Record::Item(item), &place).unwrap();
        for system in ["a", "b", "c"] {
            let who = if number == 0 && system == "c" {
                "b"
            } else {
                system
            };
            let text = format!(
                "It is {number} as {who} has it. It goes on for a while! {who} is not sure. That \
                 is all of it.\n\nOr is it more? Perhaps {who} knows.",
            );
            let mut answer = SystemOutput::new(system, text);
            if is_conversation {
                let first = Message {
                    role: evenhand_core::Role::Assistant,
                    content: format!("First {who}."),
                };
                answer.earlier = vec![first];
                answer.whole = kind != Kind::LaterTurn;
            }
            if kind == Kind::Trajectories {
                answer.trajectory = Some(Trajectory {
                    steps: vec![Step::new(1, StepKind::Call, format!("look({who})"))],
                    length: 2,
                    ..Trajectory::default()
                });
            }
            let response = Record::Response {
                item: ItemRef::Id(number.to_string()),
                answer,
            };
            builder.add_record(response, &place).unwrap();
        }
    }
    builder.finish(false).unwrap()
}

/// A simulated judge that answers in memory, and knows what it was asked.
struct Asked {
    judge: Simulated,
    replies: HashMap<RequestKey, CallResult>,
}

impl Answers for Asked {
    fn known_reply(&self, key: &RequestKey) -> Option<CallResult> {
        self.replies.get(key).cloned()
    }

    fn answer_call(&mut self, missing: Missing, _: usize) -> Result<(), EngineError> {
        let Missing { key, request, .. } = missing;
        let judge = &mut self.judge;
        self.replies
            .entry(key)
            .or_insert_with(|| judge.answer(&key, &request));
        Ok(())
    }
}

/// Judges all trials, and returns the outcomes and the distinct calls.
fn run_simulated(job: &Job, judge: &str) -> (Vec<Outcome>, u64) {
    let judge = Simulated::new(Spec::parse(judge).unwrap(), &job.dataset.systems).unwrap();
    let mut asked = Asked {
        judge,
        replies: HashMap::new(),
    };
    let trials = job.plan.trials();
    let outcomes = trials.map(|trial| replay(job, &trial, &mut asked).unwrap().outcome);
    let outcomes = outcomes.collect();
    (outcomes, asked.replies.len() as u64)
}

/// Judges of every mind: who knows, who takes a slot, who guesses, who ties, and who says the same
/// whatever it is asked.
const JUDGES: [&str; 5] = [
    "accuracy=1,gap=1",
    "gap=0,first-slot=1",
    "gap=0",
    "gap=0,tie=0.6,seed=1",
    "accuracy=0.7,first-slot=0.3,seed=2",
];

fn judges(members: &[&str]) -> Judges {
    Judges {
        panel: members.iter().map(|member| (*member).into()).collect(),
        ..Judges::one("x")
    }
}

/// One judge, and panels of two: those that ask all, and one that asks in turn.
fn panels() -> [(Panel, Judges); 4] {
    let half = Certainty::parse("0.5").unwrap();
    [
        (Panel::Mean, judges(&["x"])),
        (Panel::Mean, judges(&["x", "y"])),
        (Panel::Majority, judges(&["x", "y"])),
        (Panel::Escalate(half), judges(&["x", "y"])),
    ]
}

/// Every combination, over every kind of data, by every panel.
fn cases() -> Vec<(String, Kind, (Panel, Judges))> {
    let mut cases = Vec::new();
    for form in FORMS {
        for reasoning in REASONINGS {
            let names = CALIBRATIONS.map(|last| format!("{form}/{reasoning}/{last}"));
            let kinds = names.iter().flat_map(|name| KINDS.map(|kind| (name, kind)));
            cases
                .extend(kinds.flat_map(|(name, kind)| panels().map(|by| (name.clone(), kind, by))));
        }
    }
    cases
}

/// Returns whether how many calls there are varies, and each judge that was asked more or fewer
/// than the bounds say.
fn judges_outside(job: &Job, model: &dyn Model) -> (bool, Vec<String>) {
    let estimate = estimate(job, model, &[]).unwrap();
    let bounds = estimate.calls_at_least..=estimate.calls;
    let varies = bounds.start() < bounds.end();
    // Where nothing varies, two judges show it.
    let judges = if varies { &JUDGES[..] } else { &JUDGES[..2] };
    let outside = judges.iter().filter_map(|judge| {
        let (outcomes, asked) = run_simulated(job, judge);
        assert!(
            asked > 0,
            "{}: nothing is asked: {outcomes:?}",
            job.protocol
        );
        let is_within = bounds.contains(&asked);
        (!is_within).then(|| format!("{judge}: {asked} of {bounds:?}"))
    });
    (varies, outside.collect())
}

#[test]
fn calls_are_within_the_bounds_of_every_combination() {
    let judge = JudgeSpec::named("simulated", &NamedJudges::new()).unwrap();
    let bench = bench(&[judge], None, None, &[], JudgeOptions::default()).unwrap();
    let stride = match std::env::var_os("EVENHAND_SLOW") {
        Some(_) => 1,
        None => 307,
    };
    let (mut accepted, mut refused, mut ranges) = (0, 0, 0);
    let mut outside = Vec::new();
    for (name, kind, (panel, judges)) in cases().into_iter().step_by(stride) {
        let what = format!("{name} {kind:?} {panel} of {}", judges.panel.len());
        let options = ProtocolOptions {
            panel,
            ..ProtocolOptions::default()
        };
        let Ok(protocol) = Protocol::with(&name, &options) else {
            continue;
        };
        match Job::new(dataset(kind), protocol, Design::AllPairs, judges, 0) {
            Err(_) => refused += 1,
            Ok(job) => {
                let (varies, found) = judges_outside(&job, bench.model.as_ref());
                outside.extend(found.into_iter().map(|one| format!("{what}: {one}")));
                accepted += 1;
                ranges += u32::from(varies);
            }
        }
    }
    println!("{accepted} accepted, {ranges} of them with a range, {refused} refused");
    assert!(
        outside.is_empty(),
        "{} outside: {outside:#?}",
        outside.len()
    );
    assert!(accepted > 50 && refused > 5 && ranges > 20);
}
