//! Are preferences transitive? Tripathi et al. 2025, appendix A.4: three responses to an item,
//! every two of them compared.
//!
//! A noisy judge goes round in a circle now and then. A circle counts as certain where each of its
//! three preferences is the verdict in both orders and every repetition. If some order of the three
//! explains the judge, at least one preference of any circle has a chance of at most a half, over
//! both orders, and so at most 1/4 of being the verdict in both: with r repetitions a certain
//! circle one way or the other has a chance of at most 2 / 4^r, against which the count is tested
//! (exact binomial; one triple a question, so that they are independent).

use super::asks::{Asked, Asks, Duel, Kind, Seen, Stop};
use super::duels::drawn_systems;
use super::finding::Finding;
use super::finding_name::FindingName;
use super::probing::{Probed, findings_of_each, look_at_all};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_engine::EngineError;

/// Shares nearer to 0 or 1 than this are certain.
const CERTAIN: f64 = 1e-9;

/// What the three comparisons of an item show.
struct Circle {
    /// Whether the preferences of the first look go round.
    round: f64,
    /// Whether they do in both orders and every repetition.
    certain: f64,
}

pub(super) fn probe_transitivity(asks: &Asks<'_>, protocols: &[Asked]) -> Probed {
    let pairs: Vec<&Asked> = protocols
        .iter()
        .filter(|asked| asked.kind == Kind::Pairs)
        .collect();
    findings_of_each(
        &pairs,
        |asked| asks.over(0, |item| circle_of(asks, asked, item)),
        |asked, seen| circle_findings(asks, asked, &seen),
    )
}

fn circle_of(asks: &Asks<'_>, asked: &Asked, item: u32) -> Seen<Circle> {
    let three = drawn_systems(asks, 0, item, 3).ok_or(Stop::Failed)?;
    let edges = [(0, 1), (1, 2), (2, 0)].map(|(a, b)| Duel {
        material: 0,
        item,
        a: three[a],
        b: three[b],
    });
    let looks = (0..asks.repeats).flat_map(|repeat| edges.map(|duel| (duel, repeat)));
    let shares = look_at_all(looks, |(duel, repeat)| {
        let [share, _] = look_again(asks, asked, duel, repeat)?;
        Ok(share)
    })?;
    let first = &shares[..edges.len()];
    Ok(Circle {
        round: indicator(goes_round(first, [0.5, 0.5])),
        certain: indicator(goes_round(&shares, [CERTAIN, 1.0 - CERTAIN])),
    })
}

/// Whether all preferences of a circle are beyond these ends, one way round or the other.
fn goes_round(shares: &[f64], [low, high]: [f64; 2]) -> bool {
    shares.iter().all(|share| *share > high) || shares.iter().all(|share| *share < low)
}

/// Takes another look at a pair. A judge that repeats itself would say the same of the same, so
/// repetitions differ in spaces that no reader sees: in neither, in both, in the first, in the
/// second response; then these four again.
fn look_again(asks: &Asks<'_>, asked: &Asked, duel: Duel, repeat: u32) -> Seen<[f64; 2]> {
    let neutral = asks.neutral(duel);
    let shown = match repeat % 4 {
        0 => duel,
        1 => neutral,
        2 => Duel {
            a: neutral.a,
            ..duel
        },
        _ => Duel {
            b: neutral.b,
            ..duel
        },
    };
    asks.prefers(asked, shown, repeat / 4)
}

fn circle_findings(
    asks: &Asks<'_>,
    asked: &Asked,
    seen: &Rows<Circle>,
) -> Result<Vec<Finding>, EngineError> {
    let round = seen.map(|circle| circle.round);
    let certain = seen.map(|circle| circle.certain);
    let rate = FindingName::Circles
        .under(&asked.protocol)
        .untested_share(&round, asks.level)?;
    let certain_rate = FindingName::CertainCircles
        .under(&asked.protocol)
        .untested_share(&certain, asks.level)?;
    let bound = 2.0 / 4f64.powi(asks.repeats as i32);
    Ok(vec![
        rate,
        Finding {
            unbiased: Some(bound),
            p: p_of_count(&certain, bound),
            ..certain_rate
        },
    ])
}

/// Returns the chance of as many items with a 1 where each has one with a chance of at most
/// `chance`: of every question the first counts, so that they are independent.
pub(super) fn p_of_count(rows: &Rows<f64>, chance: f64) -> Option<f64> {
    let firsts = rows.first_of_each_question();
    let count = firsts.iter().sum::<f64>() as u64;
    (!firsts.is_empty()).then(|| chance_of_at_least(count, firsts.len() as u64, chance))
}

/// Returns the chance of at least `count` of n at `chance`.
fn chance_of_at_least(count: u64, n: u64, chance: f64) -> f64 {
    let (mut term, mut sum) = ((1.0 - chance).powf(n as f64), 0.0);
    for k in 0..count.min(n) {
        sum += term;
        term *= (n - k) as f64 / (k + 1) as f64 * chance / (1.0 - chance);
    }
    (1.0 - sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_tail_by_hand() {
        // 2 or 3 of 3 at 1/8: 3/64 * 7/8 + 1/512 = 22/512.
        assert!((chance_of_at_least(2, 3, 0.125) - 22.0 / 512.0).abs() < 1e-12);
        assert_eq!(chance_of_at_least(0, 10, 0.1), 1.0);
    }
}
