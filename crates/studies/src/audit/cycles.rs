//! Are preferences transitive? Tripathi et al. 2025, appendix A.4: three responses to an item,
//! every two of them compared.
//!
//! A noisy judge goes round in a circle now and then. A circle counts as certain where each of its
//! three preferences is the verdict in both orders and every repetition. If some order of the three
//! explains the judge, at least one preference of any circle has a chance of at most a half, over
//! both orders, and so at most 1/4 of being the verdict in both: with r repetitions a certain
//! circle one way or the other has a chance of at most 2 / 4^r, against which the count is tested
//! (exact binomial; one triple a question, so that they are independent).

use super::asks::{Asks, Duel, Probed, Seen, View, findings_of_each, look_at_all};
use super::finding_name::FindingName;
use super::opinion::Opinion;
use super::what::Kind;
use crate::figure::indicator;
use evenhand_core::Side;

pub(super) fn probe_transitivity(asks: &Asks<'_>) -> Probed {
    // The chance of a certain circle, as the head of this file derives it.
    let chance = 2.0 / 4f64.powi(asks.options.repeats as i32);
    findings_of_each(
        &asks.views_of(Kind::Pairs),
        |view| view.over(|item| circle_of(view, item)),
        |view, seen| {
            let make = view.maker();
            let round = seen.map(|[round, _]| *round);
            let certain = seen.map(|[_, certain]| *certain);
            Ok(vec![
                make.share(FindingName::Circles, &round)?,
                make.tested_count(FindingName::CertainCircles, &certain, chance)?,
            ])
        },
    )
}

/// Whether the preferences of the first look at the three comparisons of an item go round, and
/// whether they do in both orders and every repetition; as 0 or 1.
fn circle_of(view: View<'_>, item: u32) -> Seen<[f64; 2]> {
    let [a, b, c] = view.asks.drawn_systems(item)?;
    let edges = [[a, b], [b, c], [c, a]].map(|pair| Duel::in_data(item, pair));
    let repeats = 0..view.asks.options.repeats;
    let looks = repeats.flat_map(|repeat| edges.map(|duel| (duel, repeat)));
    let opinions = look_at_all(looks, |(duel, repeat)| look_again(view, duel, repeat))?;
    let certain = goes_round(&opinions) && opinions.iter().all(|opinion| opinion.unanimous);
    Ok([goes_round(&opinions[..edges.len()]), certain].map(indicator))
}

/// Whether all preferences of a circle go one way round, or all the other.
fn goes_round(opinions: &[Opinion]) -> bool {
    let all = |side| opinions.iter().all(|opinion| opinion.side == side);
    all(Side::First) || all(Side::Second)
}

/// Takes another look at a pair. A judge that repeats itself would say the same of the same, so
/// repetitions differ in spaces that no reader sees: in neither, in both, in the first, in the
/// second response; then these four again.
fn look_again(view: View<'_>, duel: Duel, repeat: u32) -> Seen<Opinion> {
    let neutral = view.asks.neutral(duel);
    let shown = match repeat % 4 {
        0 => duel,
        1 => neutral,
        2 => duel.with_first(neutral.a),
        _ => duel.against(neutral.b),
    };
    view.compares(shown, repeat / 4)
}
