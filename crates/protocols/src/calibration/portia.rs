//! PORTIA: split, align and merge the responses until their order stops mattering.

use super::Portia;
use super::both_orders::{agree, conclude, looks, neither_failed};
use crate::ask::{Ask, Judged, Stop, both};
use crate::look::Seen;
use crate::scene::Scene;
use crate::segments::{Alignment, pieces, segments};

/// Algorithm 1: segments of equal length; where the orders disagree, segments of like content;
/// where they still disagree, what [`Portia::disagree`] says. 2 calls in 1 round for each step that
/// is needed; for segments by embeddings 1 call for each response and 1 round before, where no
/// other comparison made them. Responses too short to split are shown whole (section 3).
pub(crate) fn portia(
    scene: &Scene,
    portia: &Portia,
    ask: &Ask,
    look: impl Fn(&Scene, &Ask) -> Result<Seen, Stop>,
) -> Judged {
    let mut last = None;
    for stage in stages(portia) {
        let Some(scene) = shown(scene, stage, portia, ask)? else {
            continue;
        };
        let seen = looks(&scene, stage.name(), ask, &look)?;
        if let [Ok(a), Ok(b)] = &seen
            && agree(&[a.verdict.clone(), b.verdict.clone()])
        {
            return Ok(conclude(seen, portia.disagree)?);
        }
        last = Some(seen);
    }
    match last {
        Some(seen) => Ok(conclude(seen, portia.disagree)?),
        None => Ok(conclude(
            looks(scene, "whole", ask, &look)?,
            portia.disagree,
        )?),
    }
}

#[derive(Clone, Copy)]
enum Stage {
    Original,
    Length,
    Semantic,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Original => "original",
            Stage::Length => "length",
            Stage::Semantic => "semantic",
        }
    }
}

fn stages(portia: &Portia) -> impl Iterator<Item = Stage> {
    let steps = [
        (portia.original, Stage::Original),
        (portia.length, Stage::Length),
        (portia.semantic, Stage::Semantic),
    ];
    steps
        .into_iter()
        .filter(|(wanted, _)| *wanted)
        .map(|(_, stage)| stage)
}

/// The responses as a stage shows them; None where they are too short to split.
fn shown<'a>(
    scene: &Scene<'a>,
    stage: Stage,
    portia: &Portia,
    ask: &Ask,
) -> Result<Option<Scene<'a>>, Stop> {
    let [a, b] = [scene.text(0), scene.text(1)];
    let k = portia.k as usize;
    let parts = match stage {
        Stage::Original => return Ok(Some(scene.clone())),
        Stage::Length => segments(a, b, Alignment::Length, k),
        Stage::Semantic if portia.embedding => by_embedding(a, b, k, ask)?,
        Stage::Semantic => segments(a, b, Alignment::Tokens, k),
    };
    Ok(parts.map(|parts| scene.in_parts(parts)))
}

/// Each response is embedded once, whatever it is compared with: all its pieces are one call.
fn by_embedding(a: &str, b: &str, k: usize, ask: &Ask) -> Result<Option<Vec<[String; 2]>>, Stop> {
    let [Some(pieces_a), Some(pieces_b)] = [a, b].map(|text| pieces(text, k)) else {
        return Ok(None);
    };
    let [of_a, of_b] = neither_failed(both(ask.embed(pieces_a), ask.embed(pieces_b))?)?;
    Ok(segments(a, b, Alignment::Embeddings([&of_a, &of_b]), k))
}
