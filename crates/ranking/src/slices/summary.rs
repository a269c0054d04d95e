//! The answer in one sentence: whether slices differ, and who does where.

use super::data::{InteractionReport, SliceDeviation, SliceUnit};
use crate::Report;
use std::collections::BTreeMap;

/// How many deviations the sentence names.
const NAMED: usize = 3;

/// Says whether slices differ beyond chance at level `alpha`; `differs` is what would.
pub(super) fn summarise(found: &InteractionReport, differs: &str, alpha: f64) -> String {
    let InteractionReport { field, tested, .. } = found;
    if let Some(note) = &found.note {
        return format!("Whether there is a difference by {field} was not tested: {note}.");
    }
    let untested = untested(found);
    // Those that are told from chance: the largest of each p-value first.
    let is_sure = |row: &&SliceDeviation| row.p_adjusted.is_some_and(|p| p <= alpha + 1e-12);
    let mut sure: Vec<&SliceDeviation> = found.deviations.iter().filter(is_sure).collect();
    if sure.is_empty() {
        let p = found.p.map_or("-".into(), p_text);
        return format!(
            "No difference by {field} can be told from noise (smallest p {p} of {tested}, by \
             permutation and signs of items, max-t).{untested}"
        );
    }
    sure.sort_by(|x, y| {
        let [p_of_x, p_of_y] = [x, y].map(|row| row.p_adjusted.unwrap_or(1.0));
        let sizes = y.deviation.abs().total_cmp(&x.deviation.abs());
        p_of_x.total_cmp(&p_of_y).then(sizes)
    });
    let named = sure.iter().take(NAMED).map(|row| describe(row, found.unit));
    let named: Vec<String> = named.collect();
    let named = named.join("; ");
    let more = match sure.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "{differs} by {field}: {named}{more} (p by permutation and signs of items, max-t over \
         {tested} tests).{untested}"
    )
}

/// Whether a slice has another leader than the whole.
pub(super) fn leads_differ(report: &Report) -> bool {
    let leader = |ranking: &[crate::RankingRow]| ranking.first().map(|row| row.system.clone());
    let whole = leader(&report.ranking);
    let mut slices = report.slices.iter().filter(|slice| !slice.too_small);
    slices.any(|slice| leader(&slice.ranking) != whole)
}

/// Says which slices are in no test, with their items; blank where there are none.
fn untested(found: &InteractionReport) -> String {
    let mut slices: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for row in &found.deviations {
        let (items, is_tested) = slices.entry(&row.value).or_default();
        *items = row.items.max(*items);
        *is_tested |= row.p_adjusted.is_some();
    }
    slices.retain(|_, (_, is_tested)| !*is_tested);
    let named = slices.iter().take(NAMED);
    let named = named.map(|(value, (items, _))| format!("{} ({items})", name_of_value(value)));
    let named: Vec<String> = named.collect();
    let more = match slices.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match named.is_empty() {
        true => String::new(),
        false => format!(
            " Not tested, with fewer than {} items there or elsewhere: {}{more}.",
            found.least_items,
            named.join(", ")
        ),
    }
}

fn describe(row: &SliceDeviation, unit: SliceUnit) -> String {
    let SliceDeviation { system, value, .. } = row;
    let better = match row.deviation > 0.0 {
        true => "better",
        false => "worse",
    };
    let (size, points) = (row.deviation.abs(), 100.0 * row.deviation.abs());
    let size = match unit {
        SliceUnit::Points => format!("{size:.2}"),
        SliceUnit::ShareWon => format!("{points:.0} points of win rate"),
        SliceUnit::ShareKept => format!("{points:.0} points of responses kept"),
        SliceUnit::ShareRight => format!("{points:.0} points of accuracy"),
    };
    let p = row.p_adjusted.map_or("-".into(), p_text);
    let value = name_of_value(value);
    format!("{system} is {size} {better} on {value} than overall (p {p})")
}

/// Names a value, be it blank.
pub(super) fn name_of_value(value: &str) -> &str {
    match value {
        "" => "(none)",
        value => value,
    }
}

fn p_text(p: f64) -> String {
    match p {
        p if p < 0.0095 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}
