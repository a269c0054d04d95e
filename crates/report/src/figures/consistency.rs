//! The figures of a judge's consistency before and after answers are split and merged.

use super::words::Written;
use super::{Axis, DotRow, Dots, Figure};
use evenhand_studies::Figure as Measured;
use evenhand_studies::consistency::{
    ByNumber, Consistency, ConsistencyReport, GoldAgreement, NumberBin,
};

/// Returns the figures of a judge's consistency, whose intervals have this level.
pub fn figures_of_consistency(report: &ConsistencyReport, level: f64) -> Vec<Figure> {
    let written = Written::share(level);
    let mut figures: Vec<Figure> = systems_figure(report, written).into_iter().collect();
    if report.knows_first {
        figures.extend(length_figure(
            "the length of both answers",
            &report.by_length,
            written,
        ));
        let by = "the difference of the lengths";
        figures.extend(length_figure(by, &report.by_difference, written));
    }
    let gold = report.gold.as_ref();
    figures.extend(gold.and_then(|gold| gold_figure(gold, written)));
    figures
}

fn systems_figure(report: &ConsistencyReport, written: Written) -> Option<Figure> {
    let all = ("all".to_string(), &report.all);
    let by_systems = report.by_systems.iter().map(|row| {
        let [a, b] = &row.systems;
        (format!("{a} v {b}"), &row.consistency)
    });
    let rows = [all].into_iter().chain(by_systems);
    let rows = rows.flat_map(|(label, found)| consistency_rows(&label, found, written));
    let dots = Dots {
        title: "The same preference in both orders".into(),
        note: Some(note_of(written)),
        axis: Axis::linear("share of pairs"),
        rows: rows.collect(),
    };
    dots.if_any()
}

fn note_of(written: Written) -> String {
    format!(
        "points and {:.0} % intervals over items; mended: of the pairs that were inconsistent at \
         first",
        100.0 * written.level
    )
}

fn consistency_rows(label: &str, found: &Consistency, written: Written) -> Vec<DotRow> {
    let shares: [(&str, &Measured); 3] = [
        ("at first", &found.at_first),
        ("in the end", &found.in_the_end),
        ("mended", &found.fixed),
    ];
    let rows = shares.map(|(group, share)| {
        let row = written.row(label, share).in_group(group);
        row.saying(&format!("{} pairs", found.pairs))
    });
    rows.to_vec()
}

/// Returns consistency by a number of characters, in groups of equal width.
fn length_figure(by: &str, found: &ByNumber, written: Written) -> Option<Figure> {
    let dots = Dots {
        title: format!("Consistency by {by}"),
        note: Some(note_of(written)),
        axis: Axis::linear("share of pairs"),
        rows: found
            .groups
            .iter()
            .flat_map(|bin| bin_rows(bin, written))
            .collect(),
    };
    dots.if_any()
}

fn bin_rows(bin: &NumberBin, written: Written) -> Vec<DotRow> {
    let [low, end] = bin.range;
    let label = format!("{low} to {} characters", end.saturating_sub(1));
    consistency_rows(&label, &bin.consistency, written)
}

fn gold_figure(gold: &GoldAgreement, written: Written) -> Option<Figure> {
    let both = [
        ("at first", &gold.at_first),
        ("in the end", &gold.in_the_end),
    ];
    let rows = both.map(|(label, share)| {
        let row = written.row(label, share);
        row.saying(&format!("{} pairs", gold.pairs))
    });
    let dots = Dots {
        title: "Agreement with the other judge".into(),
        note: None,
        axis: Axis::linear("share of pairs"),
        rows: rows.to_vec(),
    };
    dots.if_any()
}
