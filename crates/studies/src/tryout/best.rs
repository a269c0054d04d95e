//! The best of several ways, of one model or of many: chosen on the pairs that it is measured on,
//! and said so.

use super::measure::{Credits, Orders};
use crate::Figure;
use evenhand_engine::EngineError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way of asking a model, as it is compared with others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriedWay {
    /// The judge.
    pub judge: String,
    /// How it was asked.
    pub way: String,
    /// What counts as a verdict.
    pub orders: Orders,
    /// How right it was.
    pub credits: Credits,
}

/// The best of several ways.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Best {
    /// The judge.
    pub judge: String,
    /// How it is asked.
    pub way: String,
    /// What counts as a verdict.
    pub orders: Orders,
    /// The accuracy. It was chosen on the same pairs, so that its interval holds for all of the
    /// ways together (Bonferroni).
    pub accuracy: Figure,
    /// Of how many ways it was chosen.
    pub chosen_of: usize,
    /// Whether it is better than a coin, by that interval.
    pub above_coin: bool,
    /// By how much it is ahead of the way that comes next, with an interval for its comparisons
    /// with all others together; None where there is one way.
    pub ahead_of_next: Option<Ahead>,
}

/// By how much a way is ahead of another.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Ahead {
    /// The other's judge.
    pub judge: String,
    /// How it was asked.
    pub way: String,
    /// What counts as a verdict there.
    pub orders: Orders,
    /// The mean difference over the pairs that both have verdicts on.
    pub difference: Figure,
    /// Whether the interval is above 0.
    pub is_certain: bool,
}

/// Returns the interval of an accuracy that holds for so many together.
pub(super) fn accuracy_of_all(
    credits: &Credits,
    ways: usize,
    level: f64,
) -> Result<Figure, EngineError> {
    let rows = credits
        .iter()
        .map(|(pair, (sum, count))| (pair, *sum, *count));
    Ok(Figure::of_rows(rows, level_of_each(ways, level))?)
}

/// Returns the level of each of so many intervals that are to hold together.
fn level_of_each(count: usize, level: f64) -> f64 {
    1.0 - (1.0 - level) / count.max(1) as f64
}

/// Whether an interval is above a half, or below it; None where it is neither.
pub(super) fn above_coin(ci: Option<[Option<f64>; 2]>) -> Option<bool> {
    match ci {
        Some([Some(low), _]) if low > 0.5 => Some(true),
        Some([_, Some(high)]) if high < 0.5 => Some(false),
        _ => None,
    }
}

/// Returns the best of some ways; None where none has a verdict. Of equals, the first.
///
/// # Errors
/// A bad level.
pub fn best_way(ways: &[TriedWay], level: f64) -> Result<Option<Best>, EngineError> {
    let mut ranked = Vec::new();
    for way in ways {
        let figure = accuracy_of_all(&way.credits, ways.len(), level)?;
        if let Some(value) = figure.value {
            ranked.push((value, figure, way));
        }
    }
    // A stable sort: of equals the first stays first.
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut ranked = ranked.into_iter();
    let Some((_, accuracy, best)) = ranked.next() else {
        return Ok(None);
    };
    let ahead_of_next = match ranked.next() {
        Some((_, _, next)) => Some(compare(best, next, ways.len() - 1, level)?),
        None => None,
    };
    Ok(Some(Best {
        judge: best.judge.clone(),
        way: best.way.clone(),
        orders: best.orders,
        above_coin: above_coin(accuracy.ci) == Some(true),
        accuracy,
        chosen_of: ways.len(),
        ahead_of_next,
    }))
}

fn compare(
    best: &TriedWay,
    next: &TriedWay,
    others: usize,
    level: f64,
) -> Result<Ahead, EngineError> {
    let mean = |(sum, count): &(f64, f64)| sum / count;
    let both = best.credits.iter();
    let differences: Vec<f64> = both
        .filter_map(|(pair, own)| Some(mean(own) - mean(next.credits.get(pair)?)))
        .collect();
    let difference = Figure::of_differences(&differences, 1.0, level_of_each(others, level))?;
    let is_certain = matches!(difference.ci, Some([Some(low), _]) if low > 0.0);
    Ok(Ahead {
        judge: next.judge.clone(),
        way: next.way.clone(),
        orders: next.orders,
        difference,
        is_certain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way that is right on the first so many of 100 pairs.
    fn way(name: &str, right: usize) -> TriedWay {
        let credit = |pair: usize| (f64::from(u8::from(pair < right)), 1.0);
        TriedWay {
            judge: name.into(),
            credits: (0..100)
                .map(|pair| (format!("p{pair:02}"), credit(pair)))
                .collect(),
            ..TriedWay::default()
        }
    }

    #[test]
    fn the_best_is_told_from_the_next_only_where_the_pairs_tell() {
        let best = best_way(&[way("a", 52), way("b", 90)], 0.95)
            .unwrap()
            .unwrap();
        assert_eq!(
            (&*best.judge, best.chosen_of, best.above_coin),
            ("b", 2, true)
        );
        assert!(best.ahead_of_next.unwrap().is_certain);
        let best = best_way(&[way("a", 89), way("b", 90)], 0.95)
            .unwrap()
            .unwrap();
        assert_eq!(best.judge, "b");
        assert!(!best.ahead_of_next.unwrap().is_certain);
    }

    #[test]
    fn what_was_chosen_of_more_has_a_wider_interval() {
        let alone = best_way(&[way("a", 61)], 0.95).unwrap().unwrap();
        assert_eq!((alone.above_coin, &alone.ahead_of_next), (true, &None));
        let mut ways = vec![way("a", 61)];
        ways.extend((0..20).map(|_| way("coin", 50)));
        let chosen = best_way(&ways, 0.95).unwrap().unwrap();
        assert_eq!((&*chosen.judge, chosen.above_coin), ("a", false));
        let width = |best: &Best| {
            let [low, high] = best.accuracy.ci.unwrap().map(Option::unwrap);
            high - low
        };
        assert!(width(&chosen) > width(&alone));
    }

    #[test]
    fn without_a_verdict_there_is_no_best() {
        assert_eq!(best_way(&[TriedWay::default()], 0.95).unwrap(), None);
        assert_eq!(best_way(&[], 0.95).unwrap(), None);
    }
}
