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

use super::asks::{Asks, Duel, Findings, Probed, Seen, View, findings_of_each, look_at_all};
use super::finding_name::{FindingName, RewriteEffect};
use super::opinion::Opinion;
use super::rows::Rows;
use super::what::Kind;
use crate::figure::indicator;
use evenhand_core::Side;

/// How the response that the judge preferred less is shown when both are asked about again.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// As it is.
    Unchanged,
    /// In this rewrite.
    Rewritten(usize),
}

/// What is said in each of N states of the response that was preferred less, against the other.
pub(super) type Flips<const N: usize> = [Opinion; N];

/// Verdicts on one rewrite under one protocol.
struct Distraction {
    /// A response rewritten against itself.
    fixed: Rows<Opinion>,
    /// Flips by the rewrite, and by repetition.
    repeated: Rows<Flips<2>>,
    /// Flips by the rewrite, and by the neutral one.
    neutral: Rows<Flips<2>>,
    /// Flips by the rewrite in each turn, where items are of several.
    by_turn: Vec<Rows<f64>>,
}

pub(super) fn probe_distractors(asks: &Asks<'_>) -> Probed {
    let rewrites = 0..asks.data().rewrites.len();
    if rewrites.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    findings_of_each(
        &asks.views(),
        |view| {
            // The neutral one first.
            let neutral = flips_in(view, [Shown::Rewritten(asks.data().neutral())]);
            let seen = look_at_all(rewrites.clone(), |rewrite| distraction_by(view, rewrite));
            Ok((neutral?, seen?))
        },
        |view, (neutral, seen)| findings_under(view, &neutral, &seen),
    )
}

fn findings_under(view: View<'_>, neutral: &Rows<Flips<1>>, seen: &[Distraction]) -> Findings {
    let make = view.maker();
    let name = FindingName::LoserFlipsByNeutral;
    let mut found = vec![make.flip_share(name, &neutral.map(|[loser]| is_flip(loser)))?];
    let flips: Vec<Rows<f64>> = seen
        .iter()
        .map(|seen| seen.repeated.map(|[dressed, _]| is_flip(dressed)))
        .collect();
    for ((rewrite, seen), flips) in view.asks.data().rewrites.iter().zip(seen).zip(&flips) {
        found.extend(fixed_findings(view, &rewrite.name, &seen.fixed)?);
        found.extend(flip_findings(view, &rewrite.name, seen, flips)?);
        found.extend(turn_findings(view, Some(&rewrite.name), &seen.by_turn)?);
    }
    // The average of a single distractor is its own figure.
    if seen.len() > 1 {
        found.push(make.flip_share(FindingName::MeanFlips, &Rows::joined(&flips))?);
        let ties: Vec<Rows<f64>> = seen.iter().map(|seen| ties_of(&seen.fixed)).collect();
        found.push(make.share(FindingName::MeanTies, &Rows::joined(&ties))?);
        let by_turn: Vec<Rows<f64>> = (0..seen[0].by_turn.len())
            .map(|turn| Rows::joined(seen.iter().map(|seen| &seen.by_turn[turn])))
            .collect();
        found.extend(turn_findings(view, None, &by_turn)?);
    }
    Ok(found)
}

fn distraction_by(view: View<'_>, rewrite: usize) -> Seen<Distraction> {
    let data = view.asks.data();
    let dressed = Shown::Rewritten(rewrite);
    let plain = Shown::Rewritten(data.neutral());
    // All are asked for before any of them is missed.
    let fixed = view.over_responses(|own| {
        let rewritten = data.rewritten(own.a, rewrite);
        view.compares(own.with_first(rewritten), 0)
    });
    let repeated = flips_in(view, [dressed, Shown::Unchanged]);
    let neutral = flips_in(view, [dressed, plain]);
    let by_turn = look_at_all(data.turns(), |turn| {
        let seen = view.over_pairs(|duel| {
            if data.items[duel.item as usize].turn != Some(turn) {
                return Ok(None);
            }
            flipped_in(view, duel, [dressed, Shown::Unchanged])
        })?;
        Ok(seen.known().map(|[dressed, _]| is_flip(dressed)))
    });
    Ok(Distraction {
        by_turn: by_turn?,
        fixed: fixed?,
        repeated: repeated?,
        neutral: neutral?,
    })
}

/// Returns the flips of all pairs where there was a preference.
fn flips_in<const N: usize>(view: View<'_>, states: [Shown; N]) -> Seen<Rows<Flips<N>>> {
    let seen = view.over_pairs(|duel| flipped_in(view, duel, states))?;
    Ok(seen.known())
}

/// Asks about the response that was preferred less in each of these states; None where there was no
/// preference to begin with.
pub(super) fn flipped_in<const N: usize>(
    view: View<'_>,
    duel: Duel,
    states: [Shown; N],
) -> Seen<Option<Flips<N>>> {
    let loser_first = match view.compares(duel, 0)?.side {
        Side::First => duel.swapped(),
        Side::Second => duel,
        Side::Tie => return Ok(None),
    };
    // All states are asked for before any of them is missed.
    let seen = look_at_all(states, |state| {
        let loser = loser_first.a;
        let (shown, replicate) = match state {
            Shown::Unchanged => (loser, 1),
            Shown::Rewritten(rewrite) => (view.asks.data().rewritten(loser, rewrite), 0),
        };
        view.compares_anew(loser_first.with_first(shown), replicate)
    })?;
    Ok(<Flips<N>>::try_from(seen).ok())
}

/// Whether what was preferred less, the first, is preferred now, as 0 or 1. A tie is no flip.
fn is_flip(loser: &Opinion) -> f64 {
    indicator(loser.side == Side::First)
}

fn effect_name(rewrite: &str, effect: RewriteEffect) -> FindingName {
    FindingName::Rewritten {
        rewrite: rewrite.into(),
        effect,
    }
}

/// Returns the figures of a response against itself, rewritten.
fn fixed_findings(view: View<'_>, rewrite: &str, fixed: &Rows<Opinion>) -> Findings {
    let make = view.maker();
    let name = effect_name(rewrite, RewriteEffect::Preferred);
    let preferred = fixed.map(Opinion::preference);
    let shares = fixed.map(|opinion| opinion.share);
    let mut found = vec![make.tested_share(name.clone(), &preferred, 0.5)?];
    found.extend(make.weighed(name, &preferred, &shares)?);
    let equal_effect = match view.asked.kind {
        Kind::Pairs => RewriteEffect::EqualVerdict,
        Kind::Scores => RewriteEffect::EqualScore,
    };
    let equal = ties_of(fixed);
    let ties = fixed.map(|opinion| opinion.tie);
    found.extend(make.share_and_weighed(effect_name(rewrite, equal_effect), &equal, &ties)?);
    Ok(found)
}

/// Whether the two are called equal, as 0 or 1.
fn ties_of(fixed: &Rows<Opinion>) -> Rows<f64> {
    fixed.map(|opinion| indicator(opinion.equal))
}

/// Returns the flips, and those beyond what has no such words.
fn flip_findings(view: View<'_>, rewrite: &str, seen: &Distraction, flips: &Rows<f64>) -> Findings {
    let make = view.maker();
    let name = |effect| effect_name(rewrite, effect);
    let beyond_repetition = seen.repeated.map(flips_beyond);
    let beyond_neutral = seen.neutral.map(flips_beyond);
    let mut found = vec![make.flip_share(name(RewriteEffect::Flips), flips)?];
    // Scores are compared, and have no probability of being the higher one.
    if view.asked.kind == Kind::Pairs {
        let weighed = seen.repeated.map(|[dressed, _]| dressed.share);
        found.extend(make.weighed(name(RewriteEffect::Flips), flips, &weighed)?);
    }
    let name_beyond = name(RewriteEffect::FlipsBeyondRepetition);
    found.push(make.difference(name_beyond, &beyond_repetition)?);
    let name_beyond = name(RewriteEffect::FlipsBeyondNeutral);
    found.push(make.tested_difference(name_beyond, &beyond_neutral)?);
    Ok(found)
}

/// Returns the flips in each turn, in the order of the turns.
fn turn_findings(view: View<'_>, rewrite: Option<&str>, by_turn: &[Rows<f64>]) -> Findings {
    let mut found = Vec::new();
    for (turn, flips) in view.asks.data().turns().into_iter().zip(by_turn) {
        let rewrite = rewrite.map(String::from);
        let name = FindingName::FlipsInTurn { rewrite, turn };
        found.push(view.maker().flip_share(name, flips)?);
    }
    Ok(found)
}

/// Whether the loser flips in the first state, less whether it does in the second.
pub(super) fn flips_beyond([dressed, placebo]: &Flips<2>) -> f64 {
    is_flip(dressed) - is_flip(placebo)
}
