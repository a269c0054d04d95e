//! PORTIA: split, align and merge the responses until their order stops mattering.

use super::Portia;
use super::both_orders::{agree, conclude, looks};
use crate::ask::{Ask, Judged, Stop};
use crate::look::{Scene, Seen};
use crate::segments::{Alignment, segments};

/// Algorithm 1: segments of equal length; where the orders disagree, segments of like content; where they still disagree,
/// what [`Portia::disagree`] says. 2 calls in 1 round for each step that is needed. Responses too short to split are shown
/// whole (section 3).
pub(crate) fn portia(scene: &Scene, portia: &Portia, ask: &Ask, look: impl Fn(&Scene, &Ask) -> Result<Seen, Stop>) -> Judged {
    let mut last = None;
    for stage in stages(portia) {
        let Some(scene) = shown(scene, stage, portia.k as usize) else { continue };
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
        None => Ok(conclude(looks(scene, "whole", ask, &look)?, portia.disagree)?),
    }
}

#[derive(Clone, Copy)]
enum Stage {
    Original,
    Aligned(Alignment),
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Original => "original",
            Stage::Aligned(Alignment::Length) => "length",
            Stage::Aligned(Alignment::Semantic) => "semantic",
        }
    }
}

fn stages(portia: &Portia) -> impl Iterator<Item = Stage> {
    let steps = [
        (portia.original, Stage::Original),
        (portia.length, Stage::Aligned(Alignment::Length)),
        (portia.semantic, Stage::Aligned(Alignment::Semantic)),
    ];
    steps.into_iter().filter(|(wanted, _)| *wanted).map(|(_, stage)| stage)
}

/// The responses as a stage shows them; None where they are too short to split.
fn shown<'a>(scene: &Scene<'a>, stage: Stage, k: usize) -> Option<Scene<'a>> {
    match stage {
        Stage::Original => Some(scene.clone()),
        Stage::Aligned(alignment) => {
            let text = |slot: usize| scene.responses.get(slot).map_or("", |response| &response.text);
            Some(Scene { parts: segments(text(0), text(1), alignment, k)?, ..scene.clone() })
        }
    }
}
