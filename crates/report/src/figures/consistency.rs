//! The figures of a judge's consistency before and after answers are split and merged.

use super::words::{Written, dots, intervals};
use super::{DotRow, Figure};
use crate::slices::slice_name;
use evenhand_studies::consistency::{ByNumber, Consistency, ConsistencyReport};

/// Returns the figures of a judge's consistency, whose intervals have this level.
pub fn figures_of_consistency(report: &ConsistencyReport, level: f64) -> Vec<Figure> {
    let written = Written::share(level);
    let mut rows = consistency_rows("all", &report.all, written).to_vec();
    for row in &report.by_systems {
        let [a, b] = &row.systems;
        let label = format!("{a} v {b}");
        rows.extend(consistency_rows(&label, &row.consistency, written));
    }
    let title = "The same preference in both orders";
    let mut figures: Vec<Figure> = Vec::new();
    figures.extend(dots(title, note_of(written), "share of pairs", rows));
    if let Some(by) = &report.by_field {
        let rows = by.parts.iter().flat_map(|part| {
            let label = slice_name(&part.value);
            consistency_rows(label, &part.consistency, written)
        });
        let title = format!("Consistency by {}", by.field);
        figures.extend(dots(title, note_of(written), "share of pairs", rows));
    }
    if report.knows_first {
        let by = "the length of both answers";
        figures.extend(length_figure(by, &report.by_length, written));
        let by = "the difference of the lengths";
        figures.extend(length_figure(by, &report.by_difference, written));
    }
    if let Some(gold) = &report.gold {
        let both = [
            ("at first", &gold.at_first),
            ("in the end", &gold.in_the_end),
        ];
        let rows = both.map(|(label, share)| {
            let row = written.row(label, share);
            row.saying(&format!("{} pairs", gold.pairs))
        });
        let title = "Agreement with the other judge";
        figures.extend(dots(title, "", "share of pairs", rows));
    }
    figures
}

fn note_of(written: Written) -> String {
    format!(
        "points and {} over items; mended: of the pairs that were inconsistent at first",
        intervals(written.level)
    )
}

fn consistency_rows(label: &str, found: &Consistency, written: Written) -> [DotRow; 3] {
    let shares = [
        ("at first", &found.at_first),
        ("in the end", &found.in_the_end),
        ("mended", &found.fixed),
    ];
    shares.map(|(group, share)| {
        let row = written.row(label, share).in_group(group);
        row.saying(&format!("{} pairs", found.pairs))
    })
}

/// Returns consistency by a number of characters, in groups of equal width.
fn length_figure(by: &str, found: &ByNumber, written: Written) -> Option<Figure> {
    let rows = found.groups.iter().flat_map(|bin| {
        let [low, end] = bin.range;
        let label = format!("{low} to {} characters", end.saturating_sub(1));
        consistency_rows(&label, &bin.consistency, written)
    });
    let title = format!("Consistency by {by}");
    dots(title, note_of(written), "share of pairs", rows)
}
