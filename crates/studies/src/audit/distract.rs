//! Is a judge distracted by what must not matter?  Tripathi et al. 2025, section 3, for every way of rewriting.
//!
//! - *Fixed quality* (figure 2, table 3): a response against itself, rewritten: how often the rewritten one is preferred (a half
//!   for a judge that is not distracted), and how often the two are called equal.
//! - *Flips* (table 2): the response that the judge prefers less is rewritten and both are asked about again: how often it is now
//!   the preferred one.  A noisy judge changes its mind without that too, so the same pair is asked again unchanged, and what is
//!   tested is the difference.

use super::asks::{Asked, Asks, Duel, Kind, Seen, Stop};
use super::duels::{duel, items};
use super::finding::{About, Finding};
use evenhand_engine::EngineError;

pub(super) const PROBE: &str = "distractor";

pub(super) fn distract(asks: &Asks<'_>, protocols: &[Asked]) -> Seen<Result<Vec<Finding>, EngineError>> {
    let rewrites = 0..asks.materials.first().map_or(0, |material| material.rewrites.len());
    let cells: Vec<(&Asked, usize)> =
        protocols.iter().flat_map(|asked| rewrites.clone().map(move |rewrite| (asked, rewrite))).collect();
    let seen: Vec<_> = cells.iter().map(|(asked, rewrite)| cell(asks, asked, *rewrite)).collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    Ok(seen.into_iter().collect::<Result<Vec<_>, _>>().map(|all| all.concat()))
}

fn cell(asks: &Asks<'_>, asked: &Asked, rewrite: usize) -> Seen<Result<Vec<Finding>, EngineError>> {
    let fixed = asks.over(items(asks, 0), |item| fixed(asks, asked, rewrite, item));
    let flips = asks.over(items(asks, 0), |item| flipped(asks, asked, rewrite, item));
    let (fixed, flips) = (fixed?, flips?);
    Ok(findings(asks, asked, &asks.materials[0].rewrites[rewrite].name, fixed, flips))
}

/// A response rewritten against itself: the share of the rewritten one, and that of ties.
fn fixed(asks: &Asks<'_>, asked: &Asked, rewrite: usize, item: u32) -> Seen<[f64; 2]> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let rewritten = asks.materials[0].rewritten(duel.a, rewrite);
    asks.prefers(asked, Duel { a: rewritten, b: duel.a, ..duel }, 0)
}

/// Whether the response that was preferred less is preferred once it is rewritten, and without; none where there was no
/// preference to begin with.
pub(super) fn flipped(asks: &Asks<'_>, asked: &Asked, rewrite: usize, item: u32) -> Seen<Option<[f64; 2]>> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let [share, _] = asks.prefers(asked, duel, 0)?;
    if share == 0.5 {
        return Ok(None);
    }
    let (winner, loser) = if share > 0.5 { (duel.a, duel.b) } else { (duel.b, duel.a) };
    let against = |loser: u32, replicate| asks.prefers(asked, Duel { a: loser, b: winner, ..duel }, replicate);
    let dressed = against(asks.materials[0].rewritten(loser, rewrite), 0);
    let again = against(loser, 1);
    let flip = |[share, _]: [f64; 2]| f64::from(u8::from(share > 0.5));
    Ok(Some([flip(dressed?), flip(again?)]))
}

fn findings(
    asks: &Asks<'_>,
    asked: &Asked,
    rewrite: &str,
    (fixed, failed): (Vec<[f64; 2]>, u64),
    (flips, unflipped): (Vec<Option<[f64; 2]>>, u64),
) -> Result<Vec<Finding>, EngineError> {
    let about = |name, estimand| About { probe: PROBE, name, protocol: &asked.protocol, estimand };
    let [preferred, ties] = [0, 1].map(|which| fixed.iter().map(|values| values[which]).collect::<Vec<f64>>());
    let flips: Vec<[f64; 2]> = flips.into_iter().flatten().collect();
    let flipped: Vec<f64> = flips.iter().map(|flip| flip[0]).collect();
    let beyond: Vec<f64> = flips.iter().map(|flip| flip[0] - flip[1]).collect();
    let names = ["preferred", "equal", "flips", "flips beyond repetition"].map(|what| format!("{rewrite}: {what}"));
    let alike = if asked.kind == Kind::Pairs {
        "how often a response and itself, rewritten, are called equal"
    } else {
        "how often a response and itself, rewritten, have the same score"
    };
    Ok(vec![
        about(&names[0], "how often a response is preferred to itself for being rewritten").share(
            (&preferred, failed),
            Some(0.5),
            asks.level,
        )?,
        about(&names[1], alike).share((&ties, failed), None, asks.level)?,
        about(&names[2], "how often the response preferred less is preferred once it is rewritten").share(
            (&flipped, unflipped),
            None,
            asks.level,
        )?,
        about(&names[3], "those flips less the flips when the same is asked again")
            .difference((&beyond, unflipped), asks.level)?,
    ])
}
