//! The audit over simulated judges with planted defects: what is planted is found, and nothing
//! else.

mod calls;
mod coverage;
mod probes;
mod readings;
mod refusals;
mod rewrites;
mod slices;
mod soft;
mod sound;

use super::*;
use evenhand_constraints::Constraints;
use evenhand_constraints::tweak::{Tweaked, questions, tweak};
use evenhand_core::{Item, Message, Side};
use evenhand_engine::{Estimate, JudgeOptions, Limits, PriceTable, Progress};
use evenhand_formats::DatasetBuilder;
use evenhand_formats::records::{ItemRef, Place, Record, SystemOutput, Vote};
use evenhand_testing::is_slow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Defects of simulated judges, each with the rewrite that shows it.
const PLANTED_DISTRACTORS: [(&str, Rewrite); 8] = [
    ("distractor", Rewrite::Assertive),
    ("length", Rewrite::Filler),
    ("length", Rewrite::Padding),
    ("flattery", Rewrite::Flattery),
    ("markdown", Rewrite::Markdown),
    ("emoji", Rewrite::Emoji),
    ("authority", Rewrite::Authority),
    ("injection", Rewrite::Injection),
];

/// Items that are made for their constraints, three of every question where EVENHAND_SLOW is set,
/// else one.
static TWEAKS: LazyLock<Vec<Tweaked>> = LazyLock::new(|| {
    let rounds = if is_slow() { 3 } else { 1 };
    let all = (0..rounds).flat_map(|_| questions()).zip(0..);
    all.map(|(question, stream)| tweak(&question.question, &question.answer, 0, stream).unwrap())
        .collect()
});

/// Their constraints with an answer that keeps them, and with those that break one, two and three.
pub(super) static CONSTRAINED: LazyLock<Vec<(Constraints, &str)>> = LazyLock::new(|| {
    let of = |item: &'static Tweaked| {
        let answers = [&item.adherent].into_iter().chain(&item.broken);
        answers.map(|answer| (Constraints::new(item.constraints.clone()), answer.as_str()))
    };
    TWEAKS.iter().flat_map(of).collect()
});

/// So many items of the tweak set.
fn tweak_set(items: usize) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for (number, tweaked) in TWEAKS.iter().take(items).enumerate() {
        let (id, messages) = (
            number.to_string(),
            vec![Message::user(tweaked.instruction.clone())],
        );
        let item = Item {
            id: id.clone(),
            messages,
            constraints: Some(tweaked.to_json()),
            ..Item::default()
        };
        builder.add_record(Record::Item(item), &place).unwrap();
        let answers = [&tweaked.adherent].into_iter().chain(&tweaked.broken);
        for (system, output) in TWEAKED.into_iter().zip(answers) {
            let answer = SystemOutput::new(system, output.clone());
            builder
                .add_record(Record::response(&id, answer), &place)
                .unwrap();
        }
    }
    builder.finish(false).unwrap()
}

struct Silent;

impl Watch for Silent {
    fn begin(&mut self, _: &str, _: u64) {}
    fn progress(&mut self, _: Progress) {}
    fn note(&mut self, _: &str) {}
    fn end(&mut self) {}
}

/// Items with an answer of each of four systems, of different lengths; people prefer either as
/// often, whichever is longer.
fn data(items: usize) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for number in 0..items {
        let id = format!("q{number}");
        let item = Item {
            id: id.clone(),
            messages: vec![Message::user(format!("What of {number}?"))],
            category: Some(["odd", "even"][number % 2].into()),
            ..Item::default()
        };
        builder.add_record(Record::Item(item), &place).unwrap();
        for (at, system) in ["a", "b", "c", "d"].iter().enumerate() {
            let more = " It goes on for a while.".repeat(1 + (number * 7 + at * 5) % 9);
            let output = format!("It is {number} as {system} sees it.{more}\n\nSo much for that.");
            builder
                .add_record(
                    Record::response(&id, SystemOutput::new(*system, output)),
                    &place,
                )
                .unwrap();
        }
        let preferred = if number / 2 % 2 == 0 {
            Side::First
        } else {
            Side::Second
        };
        let votes = vec![Vote {
            preferred,
            annotator: None,
            decides: false,
        }];
        builder
            .add_record(
                Record::Label {
                    item: ItemRef::Id(id),
                    a: "a".into(),
                    b: "b".into(),
                    votes,
                },
                &place,
            )
            .unwrap();
    }
    builder.finish(false).unwrap()
}

fn options(judge: &str, probes: &[Probe], run: &std::path::Path) -> AuditOptions {
    AuditOptions {
        judges: vec![JudgeSpec::parse(judge).unwrap()],
        panel: Panel::Mean,
        second_stage: None,
        embedder: None,
        protocols: vec!["pairwise-tie/direct/swap".into(), "pointwise:1-10".into()],
        pack: Pack::default(),
        criteria: vec![],
        probes: probes.to_vec(),
        by: None,
        pairs: PairChoice::Drawn,
        rewrites: vec![Rewrite::Assertive],
        by_model: None,
        lists_rewritten: false,
        own: None,
        repeats: 2,
        level: 0.95,
        seed: 0,
        run: Some(run.to_path_buf()),
        label: None,
        live: LiveOptions {
            machine: None,
            judge: JudgeOptions::default(),
            limits: Limits::default(),
            prices: PriceTable::built_in(),
            reuse: vec![],
            shared: None,
            stop: Arc::default(),
        },
    }
}

fn run(
    judge: &str,
    items: usize,
    change: impl Fn(&mut AuditOptions),
    probes: &[Probe],
) -> AuditReport {
    let dir = tempfile::tempdir().unwrap();
    let mut options = options(judge, probes, &dir.path().join("run"));
    change(&mut options);
    let tweaked = probes.contains(&Probe::Severity).then(|| tweaked(items));
    audit(&data(items), tweaked.as_ref(), &options, &mut Silent).unwrap()
}

fn found<'a>(report: &'a AuditReport, name: &str, protocol: &str) -> &'a Finding {
    let of = |finding: &&Finding| {
        finding.name.to_string() == name && finding.protocol.starts_with(protocol)
    };
    report
        .findings
        .iter()
        .find(of)
        .unwrap_or_else(|| panic!("no {name} of {protocol} in {:#?}", report.findings))
}

/// The topic and the name of each bias that was found.
fn biases(report: &AuditReport) -> Vec<String> {
    report
        .findings
        .iter()
        .filter(|finding| finding.biased)
        .map(|finding| format!("{}, {}", finding.name.topic(), finding.name))
        .collect()
}

/// Answers that keep and break constraints, by the names of their systems.
fn tweaked(items: usize) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for number in 0..items {
        let messages = vec![Message::user(format!("Do {number}."))];
        let item = Item {
            id: format!("t{number}"),
            messages,
            ..Item::default()
        };
        builder.add_record(Record::Item(item), &place).unwrap();
        for system in TWEAKED {
            let answer = SystemOutput::new(system, format!("I do {number} as {system}."));
            builder
                .add_record(Record::response(format!("t{number}"), answer), &place)
                .unwrap();
        }
    }
    builder.finish(false).unwrap()
}
