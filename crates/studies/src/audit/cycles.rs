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
use super::duels::group;
use super::finding::{About, Finding};
use super::rows::Rows;
use evenhand_engine::EngineError;

pub(super) fn cycles(
    asks: &Asks<'_>,
    protocols: &[Asked],
) -> Seen<Result<Vec<Finding>, EngineError>> {
    let pairs: Vec<&Asked> = protocols
        .iter()
        .filter(|asked| asked.kind == Kind::Pairs)
        .collect();
    let seen: Vec<_> = pairs
        .iter()
        .map(|asked| asks.over(0, |item| circle(asks, asked, item)))
        .collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    Ok(pairs
        .iter()
        .zip(seen)
        .map(|(asked, seen)| findings(asks, asked, seen))
        .collect::<Result<Vec<_>, _>>()
        .map(|all| all.concat()))
}

/// Whether the three go round, and whether they certainly do.
fn circle(asks: &Asks<'_>, asked: &Asked, item: u32) -> Seen<[f64; 2]> {
    let three = group(asks, 0, item, 3).ok_or(Stop::Failed)?;
    let edges = [(0, 1), (1, 2), (2, 0)].map(|(a, b)| Duel {
        material: 0,
        item,
        a: three[a],
        b: three[b],
    });
    let looks: Vec<Seen<[f64; 2]>> = (0..asks.repeats)
        .flat_map(|repeat| edges.map(|duel| again(asks, asked, duel, repeat)))
        .collect();
    let shares = looks
        .into_iter()
        .map(|look| look.map(|[share, _]| share))
        .collect::<Seen<Vec<f64>>>()?;
    let all = |looks: &[f64], of: fn(f64) -> bool| looks.iter().all(|share| of(*share));
    let round = all(&shares[..3], |share| share > 0.5) || all(&shares[..3], |share| share < 0.5);
    let certain = all(&shares, |share| share > 1.0 - 1e-9) || all(&shares, |share| share < 1e-9);
    Ok([round, certain].map(|yes| f64::from(u8::from(yes))))
}

/// Another look at a pair. A judge that repeats itself would say the same of the same, so
/// repetitions differ in spaces that no reader sees: in neither, in both, in the first, in the
/// second response; then these four again.
fn again(asks: &Asks<'_>, asked: &Asked, duel: Duel, repeat: u32) -> Seen<[f64; 2]> {
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

fn findings(
    asks: &Asks<'_>,
    asked: &Asked,
    seen: Rows<[f64; 2]>,
) -> Result<Vec<Finding>, EngineError> {
    let about = |name, estimand| About {
        probe: "transitivity",
        name,
        protocol: &asked.protocol,
        estimand,
    };
    let [round, certain] = [0, 1].map(|which| seen.map(|values| values[which]));
    let bound = 2.0 / 4f64.powi(asks.repeats as i32);
    let rate = about(
        "circles",
        "how often three responses beat each other in a circle",
    )
    .share(&round, None, asks.level)?;
    let sure = about(
        "certain circles",
        "how often they do in both orders and every repetition",
    )
    .share(&certain, None, asks.level)?;
    Ok(vec![
        rate,
        Finding {
            unbiased: Some(bound),
            p: more_often(&certain, bound),
            ..sure
        },
    ])
}

/// The chance of as many items with a 1 where each has one with a chance of at most `chance`: of
/// every question the first counts, so that they are independent.
pub(super) fn more_often(rows: &Rows<f64>, chance: f64) -> Option<f64> {
    let firsts = rows.firsts();
    let count = firsts.iter().sum::<f64>() as u64;
    (!firsts.is_empty()).then(|| at_least(count, firsts.len() as u64, chance))
}

/// The chance of at least `count` of n at `chance`.
fn at_least(count: u64, n: u64, chance: f64) -> f64 {
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
        assert!((at_least(2, 3, 0.125) - 22.0 / 512.0).abs() < 1e-12);
        assert_eq!(at_least(0, 10, 0.1), 1.0);
    }
}
