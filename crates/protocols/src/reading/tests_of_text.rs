//! Reads a text by a form, for the corpora.

use crate::{JudgedProtocol, ProtocolOptions};
use evenhand_core::{Finish, Grade, Reply, Side, Verdict};

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stated {
    /// The response in this slot, from 0.
    Slot(usize),
    Tie,
    Score(f64),
    /// A step, from 1.
    Step(usize),
    Scores([f64; 2]),
    Places(Vec<f64>),
}

pub(super) fn read_as(form: &str, text: &str) -> Option<Stated> {
    read(form, text, Finish::Stop)
}

/// Reads a reply that reached its limit.
pub(super) fn read_cut(form: &str, text: &str) -> Option<Stated> {
    read(form, text, Finish::Length)
}

fn read(form: &str, text: &str, finish: Finish) -> Option<Stated> {
    let protocol = JudgedProtocol::parse(form, &ProtocolOptions::default()).unwrap();
    let reply = Reply {
        text: text.into(),
        finish,
        ..Reply::default()
    };
    let verdict = protocol.prompts.reader(3).read_verdict(&reply).ok()?;
    Some(match &verdict {
        Verdict::Pointwise { score, .. } => Stated::Score(*score),
        Verdict::Listwise { places, .. } => Stated::Places(places.clone()),
        Verdict::Pairwise {
            grade: Some(Grade::Steps(steps)),
            ..
        } => Stated::Step(1 + steps.iter().position(|step| *step == 1.0)?),
        Verdict::Pairwise {
            grade: Some(Grade::Scores(scores)),
            ..
        } => Stated::Scores(*scores),
        Verdict::Pairwise { .. } => match verdict.side() {
            Some(Side::First) => Stated::Slot(0),
            Some(Side::Second) => Stated::Slot(1),
            _ => Stated::Tie,
        },
    })
}
