//! Multiple evidence calibration: the verdict averaged over samples of what the judge writes before
//! it.

use super::both_orders::neither_failed;
use crate::ask::{Ask, Judged, Stop, settled};
use crate::look::Seen;
use crate::scene::Scene;
use crate::verdicts::mean;
use evenhand_core::{Failure, FailureKind, Verdict};

/// k samples in one order, asked together. A sample that fails counts for nothing, and is kept as a
/// failed look.
pub(crate) fn mec(
    scene: &Scene,
    k: u32,
    ask: &Ask,
    look: impl Fn(&Scene, &Ask) -> Result<Seen, Stop>,
) -> Judged {
    let samples = settled((0..k).map(|sample| look(scene, &ask.sample(sample, k))))?;
    Ok(averaged(samples, scene.reversed, ask)?)
}

/// k samples in each order, 2k in all, asked together; both orders have the same weight. Wang et
/// al. 2023, section 4.2.
pub(crate) fn mec_bpc(
    scene: &Scene,
    k: u32,
    ask: &Ask,
    look: impl Fn(&Scene, &Ask) -> Result<Seen, Stop>,
) -> Judged {
    let swapped = scene.swapped();
    let forward = (0..k).map(|sample| look(scene, &ask.sample(sample, k)));
    let backward = (0..k).map(|sample| look(&swapped, &ask.sample(sample, k)).map(Seen::swapped));
    let mut forward = settled(forward.chain(backward))?;
    let backward = forward.split_off(k as usize);
    let means = neither_failed([averaged(forward, false, ask), averaged(backward, true, ask)])?;
    mean(&means).ok_or_else(|| nothing().into())
}

fn averaged(
    samples: Vec<Result<Seen, Failure>>,
    swapped: bool,
    ask: &Ask,
) -> Result<Verdict, Failure> {
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut failure = None;
    for (sample, seen) in samples.into_iter().enumerate() {
        let outcome = seen.map(|seen| seen.verdict);
        ask.note("", sample as u32, swapped, outcome.clone());
        match outcome {
            Ok(verdict) => verdicts.push(verdict),
            Err(found) => failure = failure.or(Some(found)),
        }
    }
    mean(&verdicts).ok_or_else(|| failure.unwrap_or_else(nothing))
}

fn nothing() -> Failure {
    Failure::new(FailureKind::Invalid, "no sample was taken")
}
