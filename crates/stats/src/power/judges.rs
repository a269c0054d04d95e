//! What lies between judges: the layout of items and judges crossed.

use super::VarianceComponents;
use super::components::{Strata, counted, item_mean, mean_of};
use std::collections::{BTreeMap, BTreeSet};

/// Splits what varies between items for one judge into what all judges share and what is a judge's
/// own, and adds what varies between judges (mean squares of the two-way layout, Searle, Casella and
/// McCulloch 1992, section 4.4). `noise` is the variance of an item's mean by one judge that orders
/// and repeats make. Unchanged where no pair of systems has two judges with two items in common.
pub(super) fn between_judges(
    strata: &Strata,
    within: VarianceComponents,
    noise: f64,
) -> VarianceComponents {
    let mut pairs: BTreeMap<u32, Vec<BTreeMap<u32, f64>>> = BTreeMap::new();
    for ((pair, _), items) in strata {
        let means = counted(items).into_iter();
        let means = means.filter_map(|(item, leads)| Some((item, item_mean(leads)?)));
        pairs.entry(*pair).or_default().push(means.collect());
    }
    let tables = pairs.values().filter_map(|judges| Table::of(judges));
    let tables: Vec<Table> = tables.collect();
    let Some(rest) = Table::rest_of(&tables) else {
        return within;
    };
    let judges: BTreeSet<u32> = strata.keys().map(|(_, judge)| *judge).collect();
    let of_items = tables
        .iter()
        .map(|table| (table.items - rest * table.free_items()) / table.judges);
    let free_items: f64 = tables.iter().map(Table::free_items).sum();
    let of_judges = tables.iter().map(|table| {
        let free = table.judges - 1.0;
        (table.between / free - rest) / table.count
    });
    let of_judges: Vec<f64> = of_judges.collect();
    VarianceComponents {
        item: (of_items.sum::<f64>() / free_items).max(0.0),
        judge: Some(mean_of(&of_judges).unwrap_or(0.0).max(0.0)),
        item_judge: (rest - noise).max(0.0),
        judges: judges.len(),
        ..within
    }
}

/// Sums of squares of a pair of systems, over the items that all its judges have judged.
struct Table {
    /// Items.
    count: f64,
    judges: f64,
    /// Squares between items, between judges, and what both leave.
    items: f64,
    between: f64,
    rest: f64,
}

impl Table {
    /// None for fewer than two judges or items.
    fn of(judges: &[BTreeMap<u32, f64>]) -> Option<Table> {
        let first = judges.first().filter(|_| judges.len() > 1)?;
        let shared = first
            .keys()
            .filter(|item| judges.iter().all(|own| own.contains_key(item)));
        let shared: Vec<u32> = shared.copied().collect();
        let rows: Vec<Vec<f64>> = shared
            .iter()
            .map(|item| judges.iter().map(|own| own[item]).collect())
            .collect();
        (rows.len() > 1).then(|| Table::of_rows(&rows))
    }

    /// A row for each item, a column for each judge.
    fn of_rows(rows: &[Vec<f64>]) -> Table {
        let (count, judges) = (rows.len() as f64, rows[0].len() as f64);
        let by_item: Vec<f64> = rows.iter().filter_map(|row| mean_of(row)).collect();
        let columns = 0..rows[0].len();
        let by_judge = columns.map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / count);
        let by_judge: Vec<f64> = by_judge.collect();
        let whole = by_item.iter().sum::<f64>() / count;
        let squares = |means: &[f64]| means.iter().map(|mean| (mean - whole).powi(2)).sum::<f64>();
        let rest = rows.iter().zip(&by_item).flat_map(|(row, own)| {
            let cells = row.iter().zip(&by_judge);
            cells.map(move |(cell, of_judge)| (cell - own - of_judge + whole).powi(2))
        });
        Table {
            count,
            judges,
            items: judges * squares(&by_item),
            between: count * squares(&by_judge),
            rest: rest.sum(),
        }
    }

    fn free_items(&self) -> f64 {
        self.count - 1.0
    }

    /// The mean square that items and judges leave; None without a table.
    fn rest_of(tables: &[Table]) -> Option<f64> {
        let free = |table: &Table| table.free_items() * (table.judges - 1.0);
        let freedom: f64 = tables.iter().map(free).sum();
        let rest: f64 = tables.iter().map(|table| table.rest).sum();
        (freedom > 0.0).then(|| rest / freedom)
    }
}
