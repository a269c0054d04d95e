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

use super::asked::Kind;
use super::asks::{Asks, Duel, Opinion, Seen, View};
use super::finding::Made;
use super::finding_name::{FindingName, RewriteEffect};
use super::probing::{Findings, Probed, concatenated, look_at_all};
use super::rows::Rows;
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
    let seen = look_at_all(asks.views(), probe_under)?;
    Ok(concatenated(seen.into_iter()))
}

/// Looks at all rewrites under one protocol, the neutral one first.
fn probe_under(view: View<'_>) -> Probed {
    let rewrites = 0..view.asks.rewrite_count(0);
    if rewrites.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let neutral = flips_in(view, [Shown::Rewritten(view.asks.data().neutral())]);
    let seen = look_at_all(rewrites, |rewrite| distraction_by(view, rewrite));
    Ok(all_findings(view, &neutral?, &seen?))
}

fn all_findings(view: View<'_>, neutral: &Rows<Flips<1>>, seen: &[Distraction]) -> Findings {
    let mut found = vec![neutral_finding(view, neutral)?];
    for (rewrite, seen) in seen.iter().enumerate() {
        found.extend(rewrite_findings(view, rewrite, seen)?);
    }
    // The average of a single distractor is its own figure.
    if seen.len() > 1 {
        found.extend(mean_findings(view, seen)?);
    }
    Ok(found)
}

fn distraction_by(view: View<'_>, rewrite: usize) -> Seen<Distraction> {
    let dressed = Shown::Rewritten(rewrite);
    let plain = Shown::Rewritten(view.asks.data().neutral());
    // All are asked for before any of them is missed.
    let fixed = view.over(|item| against_itself(view, rewrite, item));
    let repeated = flips_in(view, [dressed, Shown::Unchanged]);
    let neutral = flips_in(view, [dressed, plain]);
    let turns = view.asks.data().turns().into_iter();
    let by_turn = look_at_all(turns, |turn| flips_in_turn(view, turn, dressed));
    Ok(Distraction {
        by_turn: by_turn?,
        fixed: fixed?,
        repeated: repeated?,
        neutral: neutral?,
    })
}

/// Shows a response rewritten against itself.
fn against_itself(view: View<'_>, rewrite: usize, item: u32) -> Seen<Opinion> {
    let duel = view.asks.duel(item)?;
    let rewritten = view.asks.data().rewritten(duel.a, rewrite);
    view.compares(duel.against(duel.a).with_first(rewritten), 0)
}

/// Returns the flips of all items where there was a preference.
fn flips_in<const N: usize>(view: View<'_>, states: [Shown; N]) -> Seen<Rows<Flips<N>>> {
    let seen = view.over(|item| flipped_in(view, item, states))?;
    Ok(seen.known())
}

/// Returns the flips by a rewrite on the items of one turn.
fn flips_in_turn(view: View<'_>, turn: u32, dressed: Shown) -> Seen<Rows<f64>> {
    let items = &view.asks.data().items;
    let seen = view.over(|item| {
        if items[item as usize].turn != Some(turn) {
            return Ok(None);
        }
        flipped_in(view, item, [dressed, Shown::Unchanged])
    })?;
    Ok(seen.known().map(|[dressed, _]| is_flip(dressed)))
}

/// Asks about the response that was preferred less in each of these states; None where there was no
/// preference to begin with.
pub(super) fn flipped_in<const N: usize>(
    view: View<'_>,
    item: u32,
    states: [Shown; N],
) -> Seen<Option<Flips<N>>> {
    let duel = view.asks.duel(item)?;
    let loser_first = match view.compares(duel, 0)?.side {
        Side::First => duel.swapped(),
        Side::Second => duel,
        Side::Tie => return Ok(None),
    };
    // All states are asked for before any of them is missed.
    let seen = look_at_all(states, |state| in_state(view, loser_first, state))?;
    Ok(<Flips<N>>::try_from(seen).ok())
}

/// Returns what is said of the first of a duel, which was preferred less, in a state.
fn in_state(view: View<'_>, duel: Duel, state: Shown) -> Seen<Opinion> {
    let (shown, replicate) = match state {
        Shown::Unchanged => (duel.a, 1),
        Shown::Rewritten(rewrite) => (view.asks.data().rewritten(duel.a, rewrite), 0),
    };
    view.compares_anew(duel.with_first(shown), replicate)
}

/// Whether what was preferred less, the first, is preferred now, as 0 or 1. A tie is no flip.
pub(super) fn is_flip(loser: &Opinion) -> f64 {
    indicator(loser.side == Side::First)
}

fn neutral_finding(view: View<'_>, flips: &Rows<Flips<1>>) -> Made {
    let name = FindingName::LoserFlipsByNeutral;
    view.maker()
        .flip_share(name, &flips.map(|[loser]| is_flip(loser)))
}

fn rewrite_findings(view: View<'_>, rewrite: usize, seen: &Distraction) -> Findings {
    let rewrite = view.asks.rewrite_name(0, rewrite);
    let mut found = fixed_findings(view, &rewrite, &seen.fixed)?;
    found.extend(flip_findings(view, &rewrite, seen)?);
    found.extend(turn_findings(view, Some(rewrite), &seen.by_turn)?);
    Ok(found)
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
    let preferred = fixed.map(Opinion::preference);
    let equal = fixed.map(|opinion| indicator(opinion.equal));
    let preferred_name = effect_name(rewrite, RewriteEffect::Preferred);
    let equal_name = effect_name(rewrite, equal_effect(view.asked.kind));
    let mut found = vec![make.tested_share(preferred_name.clone(), &preferred, 0.5)?];
    let shares = fixed.map(|opinion| opinion.share);
    found.extend(make.weighed(preferred_name, &preferred, &shares)?);
    let ties = fixed.map(|opinion| opinion.tie);
    found.extend(make.share_and_weighed(equal_name, &equal, &ties)?);
    Ok(found)
}

/// Returns the flips, and those beyond what has no such words.
fn flip_findings(view: View<'_>, rewrite: &str, seen: &Distraction) -> Findings {
    let make = view.maker();
    let name = |effect| effect_name(rewrite, effect);
    let beyond_repetition = flips_beyond(&seen.repeated);
    let beyond_neutral = flips_beyond(&seen.neutral);
    let weighed = seen.repeated.map(|[dressed, _]| dressed.share);
    let flips = seen.flips();
    let mut found = vec![make.flip_share(name(RewriteEffect::Flips), &flips)?];
    // Scores are compared, and have no probability of being the higher one.
    if view.asked.kind == Kind::Pairs {
        found.extend(make.weighed(name(RewriteEffect::Flips), &flips, &weighed)?);
    }
    found.extend([
        make.difference(
            name(RewriteEffect::FlipsBeyondRepetition),
            &beyond_repetition,
        )?,
        make.tested_difference(name(RewriteEffect::FlipsBeyondNeutral), &beyond_neutral)?,
    ]);
    Ok(found)
}

impl Distraction {
    /// Returns the flips by the rewrite.
    fn flips(&self) -> Rows<f64> {
        self.repeated.map(|[dressed, _]| is_flip(dressed))
    }

    /// Returns the flips of several rewrites in the turn of this number.
    fn joined_in_turn(all: &[Distraction], turn: usize) -> Rows<f64> {
        Rows::joined(all.iter().map(|seen| &seen.by_turn[turn]))
    }
}

/// Returns the flips in each turn, in the order of the turns.
fn turn_findings(view: View<'_>, rewrite: Option<String>, by_turn: &[Rows<f64>]) -> Findings {
    let turns = view.asks.data().turns().into_iter().zip(by_turn);
    let findings = turns.map(|(turn, flips)| {
        let rewrite = rewrite.clone();
        let name = FindingName::FlipsInTurn { rewrite, turn };
        Ok(view.maker().flip_share(name, flips)?)
    });
    findings.collect()
}

/// Returns the flips by all rewrites together, and of each turn.
fn mean_findings(view: View<'_>, seen: &[Distraction]) -> Findings {
    let flips: Vec<Rows<f64>> = seen.iter().map(Distraction::flips).collect();
    let flips = Rows::joined(&flips);
    let mut found = vec![view.maker().flip_share(FindingName::MeanFlips, &flips)?];
    found.extend(turn_findings(view, None, &joined_by_turn(seen))?);
    Ok(found)
}

/// Returns the flips of several rewrites, by turn.
fn joined_by_turn(seen: &[Distraction]) -> Vec<Rows<f64>> {
    let turns = seen.first().map_or(0, |seen| seen.by_turn.len());
    (0..turns)
        .map(|turn| Distraction::joined_in_turn(seen, turn))
        .collect()
}

/// Returns what is counted as a tie under a protocol of this kind.
fn equal_effect(kind: Kind) -> RewriteEffect {
    match kind {
        Kind::Pairs => RewriteEffect::EqualVerdict,
        Kind::Scores => RewriteEffect::EqualScore,
    }
}

/// Returns the flips by the first state less those by the second.
fn flips_beyond(flips: &Rows<Flips<2>>) -> Rows<f64> {
    flips.map(|[dressed, placebo]| is_flip(dressed) - is_flip(placebo))
}
