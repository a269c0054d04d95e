//! What each item shows of each system beyond the scores over all items.

use crate::control::{Battles, ControlError, StyleControl, style_controlled};
use crate::{Comparison, Error, ItemScore, Ridge, Tally, bradley_terry_ridge, sigmoid};
use std::collections::BTreeMap;

/// What one item shows of one system beyond its score over all items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// The item.
    pub item: u32,
    /// The system.
    pub system: u16,
    /// Sum over its judgments on the item of what was observed less what was expected.
    pub sum: f64,
    /// How many judgments that is, by their weights.
    pub n: f64,
}

/// A prior so weak that it changes no strength that the data determine, and keeps the others
/// finite.
const PRIOR: f64 = 0.01;

/// Residuals of comparisons: points (a tie is half) less those that a Bradley-Terry fit over all
/// rows expects, in comparisons. They sum to 0 within each item. In order of item and system.
///
/// Where several systems are compared with one reference alone, what they have in common on an item
/// may as well be the reference's: it is taken out, as the mean of an item of scores is, and the
/// reference has no residuals.
///
/// # Errors
/// Those of [`Tally::add`]; a system that is not below `systems`.
pub fn comparison_residuals(systems: usize, rows: &[Comparison]) -> Result<Vec<Residual>, Error> {
    let mut tally = Tally::new(systems)?;
    for row in rows {
        tally.add(row.a.into(), row.b.into(), row.wins_a, row.ties, row.wins_b)?;
    }
    let strengths = bradley_terry_ridge(&tally, Ridge::new(PRIOR)?).estimates;
    let strength = |system: u16| strengths[usize::from(system)].finite().unwrap_or(0.0);
    let lead = |_, row: &Comparison| strength(row.a) - strength(row.b);
    Ok(residuals_at(systems, rows, lead))
}

/// [`comparison_residuals`] beyond what the systems' strengths and the covariates expect, all
/// fitted together ([`style_controlled`], ties as half a win): where one system writes longer in a
/// slice and long responses win, that is no residual. `covariates` has a column for each, a number
/// a row: what the first response has more of.
///
/// What the covariates take is taken as known. They took some of every residual, most where a
/// covariate is nearly the slice itself, so that the test of slices errs to the safe side there.
///
/// # Errors
/// Those of [`style_controlled`]; a system that is not below `systems`.
pub fn controlled_residuals(
    systems: usize,
    rows: &[Comparison],
    covariates: &[Vec<f64>],
    threads: usize,
) -> Result<Vec<Residual>, ControlError> {
    let weight: Vec<f64> = rows.iter().map(Comparison::weight).collect();
    let points = |row: &Comparison| match row.weight() {
        weight if weight > 0.0 => ((row.wins_a + row.ties / 2.0) / weight).clamp(0.0, 1.0),
        _ => 0.5,
    };
    let columns = |side: fn(&Comparison) -> u16| rows.iter().map(side).collect::<Vec<u16>>();
    let fit = style_controlled(
        &Battles {
            systems,
            a: &columns(|row| row.a),
            b: &columns(|row| row.b),
            won: &rows.iter().map(points).collect::<Vec<f64>>(),
            weight: Some(&weight),
            cluster: None,
            covariates,
        },
        &StyleControl {
            ridge: PRIOR,
            threads,
            ..StyleControl::default()
        },
    )?;
    let strength = |system: u16| fit.scores.estimates[usize::from(system)].finite();
    let lead = |at: usize, row: &Comparison| {
        let effects = covariates.iter().zip(&fit.coefficients);
        let style: f64 = effects.map(|(column, effect)| column[at] * effect).sum();
        strength(row.a).unwrap_or(0.0) - strength(row.b).unwrap_or(0.0) + style
    };
    Ok(residuals_at(systems, rows, lead))
}

/// Residuals of comparisons at the leads that a fit expects of each, in log-odds.
fn residuals_at(
    systems: usize,
    rows: &[Comparison],
    lead: impl Fn(usize, &Comparison) -> f64,
) -> Vec<Residual> {
    let mut sums = Sums::default();
    for (at, row) in rows.iter().enumerate() {
        let games = row.wins_a + row.ties + row.wins_b;
        let expected = games * sigmoid(lead(at, row));
        let beyond = row.wins_a + row.ties / 2.0 - expected;
        sums.add(row.item, row.a, beyond, games);
        sums.add(row.item, row.b, -beyond, games);
    }
    let mut cells = sums.into_residuals();
    if let Some(reference) = find_reference(rows) {
        cells.retain(|cell| cell.system != reference);
        take_out_means(&mut cells, systems);
    }
    cells
}

/// The system that is in every row, where at least two others are compared with it.
fn find_reference(rows: &[Comparison]) -> Option<u16> {
    let first = rows.first()?;
    let in_all = |system: &u16| rows.iter().all(|row| row.a == *system || row.b == *system);
    let reference = [first.a, first.b].into_iter().find(in_all)?;
    let other = |row: &Comparison| if row.a == reference { row.b } else { row.a };
    let several = rows.iter().any(|row| other(row) != other(first));
    several.then_some(reference)
}

/// Residuals of scores: each score less the mean of its item and that of its system, by least
/// squares, so that a slice of easy items says nothing of any system. In order of item and system.
///
/// # Errors
/// A system that is not below `systems`; a score that is no number.
pub fn score_residuals(systems: usize, rows: &[ItemScore]) -> Result<Vec<Residual>, Error> {
    let mut cells = sum_scores(systems, rows)?;
    take_out_means(&mut cells, systems);
    Ok(cells)
}

/// Sums scores by item and system, once they are checked as everywhere.
fn sum_scores(systems: usize, rows: &[ItemScore]) -> Result<Vec<Residual>, Error> {
    crate::ItemScores::new(systems, rows.to_vec())?;
    let mut sums = Sums::default();
    for row in rows {
        sums.add(row.item, row.system, row.score, 1.0);
    }
    Ok(sums.into_residuals())
}

/// Residuals of scores of which the mean of each system alone is taken out, so that a slice that is
/// hard for all counts for each: whether a judge errs more often on some questions, or a change is
/// larger on some. In order of item and system.
///
/// # Errors
/// Those of [`score_residuals`].
pub fn mean_residuals(systems: usize, rows: &[ItemScore]) -> Result<Vec<Residual>, Error> {
    let mut cells = sum_scores(systems, rows)?;
    take_out_systems(&mut cells, systems);
    Ok(cells)
}

/// Steps after which means of items and systems are taken as they are: with every system on every
/// item, one is exact.
const STEPS: usize = 100;

/// Takes the means of items and of systems out in turn, until nothing changes.
fn take_out_means(cells: &mut [Residual], systems: usize) {
    let scale = cells.iter().map(|cell| cell.sum.abs()).fold(0.0, f64::max);
    for _ in 0..STEPS {
        let mut by_item = 0.0_f64;
        for item in cells.chunk_by_mut(|x, y| x.item == y.item) {
            let n: f64 = item.iter().map(|cell| cell.n).sum();
            let mean = item.iter().map(|cell| cell.sum).sum::<f64>() / n;
            item.iter_mut().for_each(|cell| cell.sum -= mean * cell.n);
            by_item = by_item.max(mean.abs());
        }
        let by_system = take_out_systems(cells, systems);
        if by_item.max(by_system) <= 1e-12 * scale {
            break;
        }
    }
}

/// Returns the largest mean that was taken out.
fn take_out_systems(cells: &mut [Residual], systems: usize) -> f64 {
    let mut sums = vec![[0.0; 2]; systems];
    for cell in cells.iter() {
        let [sum, n] = &mut sums[usize::from(cell.system)];
        *sum += cell.sum;
        *n += cell.n;
    }
    let means = sums.iter().map(|[sum, n]| sum / n.max(1.0));
    let means: Vec<f64> = means.collect();
    for cell in cells.iter_mut() {
        cell.sum -= means[usize::from(cell.system)] * cell.n;
    }
    means.iter().map(|mean| mean.abs()).fold(0.0, f64::max)
}

/// Sums by item and system.
#[derive(Default)]
struct Sums(BTreeMap<(u32, u16), [f64; 2]>);

impl Sums {
    fn add(&mut self, item: u32, system: u16, sum: f64, n: f64) {
        let cell = self.0.entry((item, system)).or_default();
        cell[0] += sum;
        cell[1] += n;
    }

    fn into_residuals(self) -> Vec<Residual> {
        let cells = self.0.into_iter().filter(|(_, [_, n])| *n > 0.0);
        cells
            .map(|((item, system), [sum, n])| Residual {
                item,
                system,
                sum,
                n,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_of_comparisons_sum_to_nothing_in_each_item_and_nearly_for_each_system() {
        let rows: Vec<Comparison> = (0..30)
            .map(|i| Comparison::won(i / 3, (i % 3) as u16, ((i + 1) % 3) as u16, i % 4 != 0))
            .collect();
        let residuals = comparison_residuals(3, &rows).unwrap();
        for item in residuals.chunk_by(|x, y| x.item == y.item) {
            assert!(item.iter().map(|cell| cell.sum).sum::<f64>().abs() < 1e-12);
        }
        for system in 0..3 {
            let own = residuals.iter().filter(|cell| cell.system == system);
            assert!(own.map(|cell| cell.sum).sum::<f64>().abs() < 0.02);
        }
    }

    /// Two systems against a reference that wins every third item only: what they have in common
    /// says nothing of either.
    #[test]
    fn a_reference_s_weak_items_are_nobody_s_strength() {
        let rows: Vec<Comparison> = (0..60)
            .map(|i| Comparison::won(i / 2, (i % 2) as u16, 2, (i / 2) % 3 != 0))
            .collect();
        let residuals = comparison_residuals(3, &rows).unwrap();
        assert_eq!(residuals.len(), 60);
        assert!(
            residuals
                .iter()
                .all(|cell| cell.system != 2 && cell.sum.abs() < 1e-9)
        );
        // With one system there is nobody to have anything in common with.
        let alone: Vec<Comparison> = rows.into_iter().filter(|row| row.a == 0).collect();
        assert_eq!(comparison_residuals(3, &alone).unwrap().len(), 60);
    }

    #[test]
    fn scores_that_are_a_sum_of_item_and_system_leave_nothing() {
        let all = (0..20_u32).flat_map(|item| (0..4_u16).map(move |system| (item, system)));
        // Not every system on every item.
        let some = all.filter(|(item, system)| (item + u32::from(*system)) % 5 != 0);
        let rows: Vec<ItemScore> = some
            .map(|(item, system)| {
                ItemScore::new(
                    item,
                    system,
                    f64::from(item * 7 % 11) + 2.0 * f64::from(system),
                )
            })
            .collect();
        let residuals = score_residuals(4, &rows).unwrap();
        assert!(residuals.iter().all(|cell| cell.sum.abs() < 1e-9));
        assert_eq!(residuals.len(), rows.len());
    }

    #[test]
    fn a_slice_that_is_hard_for_all_is_left_where_the_mean_of_a_system_alone_is_taken_out() {
        let rows: Vec<ItemScore> = (0..20_u32)
            .map(|at| {
                ItemScore::new(
                    at / 2,
                    (at % 2) as u16,
                    f64::from(at / 2 % 2) + f64::from(at % 2),
                )
            })
            .collect();
        let residuals = mean_residuals(2, &rows).unwrap();
        assert!(residuals.iter().all(|cell| cell.sum.abs() == 0.5));
        assert!(
            score_residuals(2, &rows)
                .unwrap()
                .iter()
                .all(|cell| cell.sum.abs() < 1e-9)
        );
    }

    #[test]
    fn systems_beyond_the_number_are_refused() {
        assert!(comparison_residuals(2, &[Comparison::won(0, 0, 2, true)]).is_err());
        let row = ItemScore::new(0, 3, 1.0);
        assert!(score_residuals(2, &[row]).is_err());
    }
}
