//! A fixed budget of judgments, spent on many inputs with few comparisons each or on few with many
//! (Gao et al. 2025, figures 1, 7 and 8).

use super::agreement::{Rounds, Spread, agreement};
use evenhand_stats::{Comparison, Comparisons, Error, PairMethod, Tally, draw_numbers};
use schemars::JsonSchema;
use serde::Serialize;

/// One way to spend the budget.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Split {
    /// Inputs drawn, with replacement.
    pub items: usize,
    /// Comparisons drawn on each, with replacement.
    pub comparisons: usize,
    /// Over the draws.
    #[serde(flatten)]
    pub spread: Spread,
}

/// How many ways are tried at most.
const SPLITS: usize = 8;

/// Returns the ways to spend as many comparisons as there are responses (m inputs times n systems),
/// from all inputs down to as few as can take them: at most so many comparisons on each as it has.
///
/// # Errors
/// A bad level.
pub(super) fn budget_splits(
    pairs: &Comparisons,
    method: PairMethod,
    ratings: &[Option<f64>],
    rounds: Rounds,
) -> Result<Vec<Split>, Error> {
    let by_item: Vec<&[Comparison]> = pairs.rows().chunk_by(|x, y| x.item == y.item).collect();
    let budget = by_item.len() * pairs.systems();
    let most = by_item.iter().map(|rows| rows.len()).max();
    let mut splits = Vec::new();
    for items in split_sizes(by_item.len(), budget, most.unwrap_or(0)) {
        let comparisons = budget / items;
        let spread = rounds.spread(|round| {
            let mut tally = Tally::new(pairs.systems())?;
            draw_into(
                &mut tally,
                &by_item,
                [items, comparisons],
                (rounds.seed, round),
            )?;
            Ok(agreement(&method.scores(&tally), ratings))
        })?;
        splits.push(Split {
            items,
            comparisons,
            spread,
        });
    }
    Ok(splits)
}

/// Draws so many items, and so many comparisons on each, with replacement. Each item drawn has a
/// stream of its own.
fn draw_into(
    tally: &mut Tally,
    by_item: &[&[Comparison]],
    [items, comparisons]: [usize; 2],
    (seed, round): (u64, u64),
) -> Result<(), Error> {
    let first = round << 32;
    let drawn = draw_numbers(seed, first, by_item.len() as u32);
    for (item, stream) in drawn.take(items).zip(first + 1..) {
        let rows = by_item[item as usize];
        for row in draw_numbers(seed, stream, rows.len() as u32).take(comparisons) {
            let row = &rows[row as usize];
            tally.add(row.a.into(), row.b.into(), row.wins_a, row.ties, row.wins_b)?;
        }
    }
    Ok(())
}

/// Returns numbers of inputs, evenly spaced in ratio, from all of them to the fewest whose
/// comparisons are enough for the budget.
fn split_sizes(items: usize, budget: usize, most: usize) -> Vec<usize> {
    let fewest = budget.div_ceil(most.max(1)).clamp(1, items.max(1));
    let ratio = fewest as f64 / items.max(1) as f64;
    let sizes = (0..SPLITS).map(|step| {
        let exponent = step as f64 / (SPLITS - 1) as f64;
        (items as f64 * ratio.powf(exponent)).round() as usize
    });
    let mut sizes: Vec<usize> = sizes.filter(|size| *size > 0).collect();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_stats::Comparison;

    const ROUNDS: Rounds = Rounds {
        count: 20,
        level: 0.95,
        seed: 1,
    };

    #[test]
    fn sizes_go_from_all_inputs_to_as_few_as_will_do() {
        // 100 inputs, 10 systems: a budget of 1000, and at most 90 comparisons on each input: 12
        // inputs.
        assert_eq!(
            split_sizes(100, 1000, 90),
            [100, 74, 55, 40, 30, 22, 16, 12]
        );
        // Two systems judged in both orders: 2 comparisons on each input are the budget.
        assert_eq!(split_sizes(5, 10, 2), [5]);
        assert!(split_sizes(0, 0, 0).is_empty());
    }

    #[test]
    fn every_split_spends_the_budget() {
        // Three systems, the first always wins and the last always loses: whatever is drawn, the
        // order is the ratings'.
        let row = |item, a, b| Comparison::won(item, a, b, true);
        let rows = (0..20).flat_map(|item| {
            [
                row(item, 0, 1),
                row(item, 0, 2),
                row(item, 1, 2),
                row(item, 0, 1),
                row(item, 0, 2),
                row(item, 1, 2),
            ]
        });
        let pairs = Comparisons::new(3, rows.collect()).unwrap();
        let ratings = [Some(3.0), Some(2.0), Some(1.0)];
        let found = budget_splits(&pairs, PairMethod::WinRatio, &ratings, ROUNDS).unwrap();
        assert_eq!((found[0].items, found[0].comparisons), (20, 3));
        assert!(
            found
                .iter()
                .all(|split| split.items * split.comparisons <= 60
                    && split.items * split.comparisons > 60 - split.items)
        );
        assert!(
            found
                .iter()
                .all(|split| split.spread.rho.value.unwrap() > 0.9),
            "{found:?}"
        );
        assert_eq!(
            found,
            budget_splits(&pairs, PairMethod::WinRatio, &ratings, ROUNDS).unwrap()
        );
    }
}
