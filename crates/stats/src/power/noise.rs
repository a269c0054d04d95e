//! By how much two identical systems would seem to differ in a run, as it was judged.

use crate::checks::{check_clusters, check_level, check_numbers};
use crate::interaction::score_residuals;
use crate::special::two_sided_quantile;
use crate::{Error, ItemScore, Undefined};

/// One verdict on a pair of systems: the share won less the share lost, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLead {
    /// The pair; any number.
    pub pair: u32,
    /// The item; any number.
    pub item: u32,
    /// By how much the pair's first system won.
    pub lead: f64,
}

/// How far two identical systems would seem apart.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Noise {
    /// The difference below which two identical systems stay with chance `level`, in the unit of
    /// leads or scores; above 0.
    pub difference: f64,
    /// Items of a pair of systems, on average.
    pub items: usize,
}

impl Noise {
    /// The two-sided quantile times the standard error of the mean of `items` item differences.
    fn new(variance: f64, items: usize, level: f64) -> Result<Noise, Error> {
        if variance <= 0.0 {
            return Err(Undefined::NoVariance.into());
        }
        Ok(Noise {
            difference: two_sided_quantile(level) * (variance / items as f64).sqrt(),
            items,
        })
    }
}

/// The noise of comparisons, from the variance of item means around the mean of their pair of
/// systems, pooled over pairs: orders and repeats of an item are averaged, as they were judged.
///
/// # Errors
/// A bad level; leads that are not finite; fewer than 2 items of a pair
/// ([`Undefined::TooFewClusters`]); leads that do not vary ([`Undefined::NoVariance`]).
pub fn noise_of_leads(mut leads: Vec<PairLead>, level: f64) -> Result<Noise, Error> {
    check_level(level)?;
    let numbers: Vec<f64> = leads.iter().map(|row| row.lead).collect();
    check_numbers("lead", &numbers)?;
    leads.sort_by_key(|row| (row.pair, row.item));
    let (mut pairs, mut items, mut squares) = (0, 0, 0.0);
    for pair in leads.chunk_by(|x, y| x.pair == y.pair) {
        let of_items = pair.chunk_by(|x, y| x.item == y.item);
        let means: Vec<f64> = of_items
            .map(|item| mean_of(item.iter().map(|x| x.lead)))
            .collect();
        let mean = mean_of(means.iter().copied());
        squares += means.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        pairs += 1;
        items += means.len();
    }
    check_clusters(items / pairs.max(1))?;
    Noise::new(squares / (items - pairs) as f64, items / pairs, level)
}

fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// The noise of scores: twice the variance that the means of items and of systems leave, which is
/// that of the difference of two systems on an item.
///
/// # Errors
/// Those of [`score_residuals`]; a bad level; too few items or systems for anything to be left
/// ([`Undefined::TooFewClusters`]); scores that do not vary ([`Undefined::NoVariance`]).
pub fn noise_of_scores(systems: usize, rows: &[ItemScore], level: f64) -> Result<Noise, Error> {
    check_level(level)?;
    let residuals = score_residuals(systems, rows)?;
    let items = residuals.chunk_by(|x, y| x.item == y.item).count();
    let mut judged = vec![false; systems];
    for cell in &residuals {
        judged[usize::from(cell.system)] = true;
    }
    let judged = judged.iter().filter(|judged| **judged).count();
    let of_system = residuals.len() / judged.max(1);
    check_clusters(of_system)?;
    let freedom = (residuals.len() + 1).saturating_sub(items + judged);
    check_clusters(freedom + 1)?;
    let squares = residuals.iter().map(|cell| (cell.sum / cell.n).powi(2));
    Noise::new(
        2.0 * squares.sum::<f64>() / freedom as f64,
        of_system,
        level,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_of_leads_by_hand() {
        // Item means 1, 0, -1, 0 of one pair: variance 2/3 over 4 items.
        let leads = [(0, 1.0), (0, 1.0), (1, 1.0), (1, -1.0), (2, -1.0), (3, 0.0)];
        let row = |(item, lead)| PairLead {
            pair: 7,
            item,
            lead,
        };
        let found = noise_of_leads(leads.map(row).to_vec(), 0.95).unwrap();
        let expected = 1.959_963_985 * (2.0_f64 / 3.0 / 4.0).sqrt();
        assert!(
            (found.difference - expected).abs() < 1e-8 && found.items == 4,
            "{found:?}"
        );
        assert!(noise_of_leads(Vec::new(), 0.95).is_err());
        let same = [0, 1, 2].map(|item| row((item, 1.0)));
        let expected = Err(Error::Undefined(Undefined::NoVariance));
        assert_eq!(noise_of_leads(same.to_vec(), 0.95), expected);
    }

    /// Two systems: the paired differences say it all.
    #[test]
    fn the_noise_of_scores_is_that_of_paired_differences() {
        let scores = [[3.0, 1.0], [4.0, 4.0], [2.0, 5.0], [5.0, 3.0], [1.0, 1.0]];
        let rows = (0..).zip(scores).flat_map(|(item, both)| {
            let rows = (0..).zip(both);
            rows.map(move |(system, score)| ItemScore {
                item,
                system,
                score,
            })
        });
        let rows: Vec<ItemScore> = rows.collect();
        let found = noise_of_scores(2, &rows, 0.95).unwrap();
        let differences = scores.map(|[x, y]| x - y);
        let mean = differences.iter().sum::<f64>() / 5.0;
        let variance = differences.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
        let expected = 1.959_963_985 * (variance / 5.0).sqrt();
        assert!(
            (found.difference - expected).abs() < 1e-8 && found.items == 5,
            "{found:?}"
        );
        assert!(noise_of_scores(2, &rows[..2], 0.95).is_err());
        assert!(noise_of_scores(2, &[], 0.95).is_err());
    }
}
