//! Swap+CoT: where the orders disagree, the judge is shown both explanations and asked again.

use super::Disagree;
use super::both_orders::{agree, conclude, looks};
use crate::ask::{Ask, Judged, Stop};
use crate::look::Seen;
use crate::scene::Scene;

/// 2 calls in 1 round where the orders agree, else 4 in 2. Zeng et al. 2024 (LLMBar), section 4:
/// "Swap+CoT".
pub(crate) fn swap_cot(
    scene: &Scene,
    disagree: Disagree,
    ask: &Ask,
    look: impl Fn(&Scene, &Ask) -> Result<Seen, Stop>,
    again: impl Fn(&Scene, [&str; 2], &Ask) -> Result<Seen, Stop>,
) -> Judged {
    let first = looks(scene, "first", ask, look)?;
    let explanations = match &first {
        [Ok(a), Ok(b)] if !agree(&[a.verdict.clone(), b.verdict.clone()]) => {
            [a.text.clone(), b.text.clone()]
        }
        _ => return Ok(conclude(first, disagree)?),
    };
    let [forward, backward] = [explanations[0].as_str(), explanations[1].as_str()];
    // Each order is shown first the explanation that was written in it.
    let second = looks(scene, "again", ask, |seen, ask| {
        again(
            seen,
            if seen.reversed {
                [backward, forward]
            } else {
                [forward, backward]
            },
            ask,
        )
    })?;
    Ok(conclude(second, disagree)?)
}
