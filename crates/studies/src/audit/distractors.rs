//! Is a judge distracted by what must not matter? Tripathi et al. 2025, section 3, for every way of
//! rewriting.
//!
//! - *Fixed quality* (figure 2, table 3): a response against itself, rewritten: how often the
//!   rewritten one is preferred (a half for a judge that is not distracted), and how often the two
//!   are called equal.
//! - *Flips* (table 2): the response that the judge prefers less is rewritten and both are asked
//!   about again: how often it is now the preferred one. A noisy judge changes its mind without
//!   that too, and a judge that repeats itself may change it whatever is changed. So the pair is
//!   also asked about after a rewrite that no reader sees, in the same way, and the difference is
//!   tested. The pair asked again unchanged is shown beside it. In every state both are asked about
//!   anew: the winner was chosen by a noisy verdict, and its score would be too high if it were
//!   kept.

use super::asks::{Asked, Asks, Duel, Kind, Seen, Stop};
use super::duels::duel_of;
use super::finding::Finding;
use super::finding_name::{FindingName, RewriteEffect};
use super::probing::{Probed, concatenated, look_at_all};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_engine::EngineError;

/// How the response that the judge preferred less is shown when both are asked about again.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// As it is.
    Unchanged,
    /// In this rewrite.
    Rewritten(usize),
}

/// What one rewrite shows under one protocol.
struct Distraction {
    /// A response rewritten against itself: the share of the rewritten one, and that of ties.
    fixed: Rows<[f64; 2]>,
    /// Flips by the rewrite, and by repetition.
    repeated: Rows<[f64; 2]>,
    /// Flips by the rewrite, and by the neutral one.
    neutral: Rows<[f64; 2]>,
}

pub(super) fn probe_distractors(asks: &Asks<'_>, protocols: &[Asked]) -> Probed {
    let seen = look_at_all(protocols, |asked| probe_under(asks, asked))?;
    Ok(concatenated(seen.into_iter()))
}

/// Looks at all rewrites under one protocol, the neutral one first.
fn probe_under(asks: &Asks<'_>, asked: &Asked) -> Probed {
    let rewrites = 0..asks.rewrite_count(0);
    if rewrites.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let neutral = flips_in(asks, asked, [Shown::Rewritten(asks.materials[0].neutral())]);
    let seen = look_at_all(rewrites.clone(), |rewrite| {
        distraction_by(asks, asked, rewrite)
    });
    let (neutral, seen) = (neutral?, seen?);
    let of_rewrites = rewrites
        .zip(&seen)
        .map(|(rewrite, seen)| rewrite_findings(asks, asked, rewrite, seen));
    Ok(concatenated(
        std::iter::once(neutral_finding(asks, asked, &neutral)).chain(of_rewrites),
    ))
}

fn distraction_by(asks: &Asks<'_>, asked: &Asked, rewrite: usize) -> Seen<Distraction> {
    let dressed = Shown::Rewritten(rewrite);
    let plain = Shown::Rewritten(asks.materials[0].neutral());
    let fixed = asks.over(0, |item| against_itself(asks, asked, rewrite, item));
    let repeated = flips_in(asks, asked, [dressed, Shown::Unchanged]);
    let neutral = flips_in(asks, asked, [dressed, plain]);
    Ok(Distraction {
        fixed: fixed?,
        repeated: repeated?,
        neutral: neutral?,
    })
}

/// Shows a response rewritten against itself: the share of the rewritten one, and that of ties.
fn against_itself(asks: &Asks<'_>, asked: &Asked, rewrite: usize, item: u32) -> Seen<[f64; 2]> {
    let duel = duel_of(asks, 0, item).ok_or(Stop::Failed)?;
    let rewritten = Duel {
        a: asks.materials[0].rewritten(duel.a, rewrite),
        b: duel.a,
        ..duel
    };
    asks.prefers(asked, rewritten, 0)
}

/// Returns the flips of all items where there was a preference.
fn flips_in<const N: usize>(
    asks: &Asks<'_>,
    asked: &Asked,
    states: [Shown; N],
) -> Seen<Rows<[f64; N]>> {
    let seen = asks.over(0, |item| flipped_in(asks, asked, item, states))?;
    Ok(seen.known())
}

/// Whether the response that was preferred less is preferred in each of these states; None where
/// there was no preference to begin with.
pub(super) fn flipped_in<const N: usize>(
    asks: &Asks<'_>,
    asked: &Asked,
    item: u32,
    states: [Shown; N],
) -> Seen<Option<[f64; N]>> {
    let duel = duel_of(asks, 0, item).ok_or(Stop::Failed)?;
    let [share, _] = asks.prefers(asked, duel, 0)?;
    if share == 0.5 {
        return Ok(None);
    }
    let loser_first = if share > 0.5 { duel.swapped() } else { duel };
    let seen = states.map(|state| loser_share(asks, asked, loser_first, state));
    let mut flips = [0.0; N];
    for (flip, share) in flips.iter_mut().zip(seen) {
        *flip = indicator(share? > 0.5);
    }
    Ok(Some(flips))
}

/// Returns how much the response preferred less, the first of the duel, is preferred in a state.
fn loser_share(asks: &Asks<'_>, asked: &Asked, duel: Duel, state: Shown) -> Seen<f64> {
    let (shown, replicate) = match state {
        Shown::Unchanged => (duel.a, 1),
        Shown::Rewritten(rewrite) => (asks.materials[0].rewritten(duel.a, rewrite), 0),
    };
    let [share, _] = asks.prefers_anew(asked, Duel { a: shown, ..duel }, replicate)?;
    Ok(share)
}

fn neutral_finding(
    asks: &Asks<'_>,
    asked: &Asked,
    flips: &Rows<[f64; 1]>,
) -> Result<Vec<Finding>, EngineError> {
    let found = FindingName::LoserFlipsByNeutral
        .under(&asked.protocol)
        .untested_share(&flips.map(|[flip]| *flip), asks.level)?;
    Ok(vec![found])
}

fn rewrite_findings(
    asks: &Asks<'_>,
    asked: &Asked,
    rewrite: usize,
    seen: &Distraction,
) -> Result<Vec<Finding>, EngineError> {
    let level = asks.level;
    let about = |effect| {
        FindingName::Rewritten {
            rewrite: asks.rewrite_name(0, rewrite),
            effect,
        }
        .under(&asked.protocol)
    };
    let equal = match asked.kind {
        Kind::Pairs => RewriteEffect::EqualVerdict,
        Kind::Scores => RewriteEffect::EqualScore,
    };
    let [preferred, ties] = [0, 1].map(|which| seen.fixed.map(|values| values[which]));
    let flips = seen.repeated.map(|flip| flip[0]);
    let [beyond_repetition, beyond_neutral] =
        [&seen.repeated, &seen.neutral].map(|flips| flips.map(|flip| flip[0] - flip[1]));
    Ok(vec![
        about(RewriteEffect::Preferred).tested_share(&preferred, 0.5, level)?,
        about(equal).untested_share(&ties, level)?,
        about(RewriteEffect::Flips).untested_share(&flips, level)?,
        about(RewriteEffect::FlipsBeyondRepetition)
            .untested_difference(&beyond_repetition, level)?,
        about(RewriteEffect::FlipsBeyondNeutral).tested_difference(&beyond_neutral, level)?,
    ])
}
