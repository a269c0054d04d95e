//! How far people agree among themselves: tables, JSON and CSV.

use super::judge_notes::{interval_json, interval_text};
use super::{
    coefficient_with_interval, figure_cells, insert_figure, interval_columns, percent_with_interval,
};
use crate::View;
use crate::columns::{Column, table_of};
use crate::numbers::{count_items, count_of, group_digits, or_blank, or_dash};
use crate::serialize::{array_of, csv_text, json_text, object_of};
use crate::terminal::printable;
use crate::text_table::TextTable;
use crate::view::{Line, fit_table, sentences_text, summary_text};
use evenhand_core::Setting;
use evenhand_stats::Bootstrap;
use evenhand_studies::people::{Agreement, AnnotatorRow, CountedFigure, PeopleReport};
use serde_json::{Map, Value, json};

/// Columns that a narrow terminal does without, the least important first.
const DROPPABLE: [usize; 6] = [4, 8, 7, 6, 1, 2];

const ANNOTATOR_COLUMNS: [Column<AnnotatorRow>; 5] = [
    ("annotator", |row| row.annotator.clone()),
    ("labels", |row| count_text(row.labels)),
    ("pairs with others", |row| count_text(row.units)),
    ("as most others %", |row| {
        percent_with_interval(&row.agreement.figure)
    }),
    ("kappa", |row| coefficient_with_interval(&row.kappa.figure)),
];

/// Annotators that the table shows.
const SHOWN_ANNOTATORS: usize = 20;

fn count_text(count: usize) -> String {
    group_digits(count as u64)
}

/// Returns the parts and behind them the whole, under the name given.
fn parts_and_whole<'a>(
    report: &'a PeopleReport,
    whole: &'a str,
) -> impl Iterator<Item = (&'a str, &'a Agreement)> {
    let parts = report.parts.iter();
    parts
        .map(|(name, part)| (name.as_str(), part))
        .chain([(whole, &report.all)])
}

/// Returns the answer in words, agreement on the whole and by category, the annotators, and what
/// all this rests on.
pub fn people_table(report: &PeopleReport, plan: &Bootstrap, view: View) -> String {
    let all = report.annotators.len();
    let shown = if view.verbose { all } else { SHOWN_ANNOTATORS };
    let annotators = table_of(&ANNOTATOR_COLUMNS, report.annotators.iter().take(shown));
    let more = match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!(
            "\n and {more} more, with fewer pairs; {} or {} json has all",
            Setting::Verbose,
            Setting::Format
        ),
    };
    let parts = [
        sentences_text(&printable(&answer_text(&report.all, plan.level)), view),
        fit_table(agreement_table(report), view, &DROPPABLE),
        fit_table(annotators.with_numbers_from(1), view, &[1]) + &more,
        summary_text(summary_lines(report, plan), view),
    ];
    parts.join("\n\n") + "\n"
}

fn agreement_table(report: &PeopleReport) -> TextTable {
    let columns: [Column<(&str, &Agreement)>; 9] = [
        ("subset", |(name, _)| name.to_string()),
        ("pairs", |(_, part)| count_text(part.units)),
        ("by two or more", |(_, part)| count_text(part.compared)),
        ("alpha", |(_, part)| {
            coefficient_with_interval(&part.alpha_nominal.figure)
        }),
        ("ordinal alpha", |(_, part)| {
            coefficient_with_interval(&part.alpha_ordinal.figure)
        }),
        ("agree %", |(_, part)| {
            percent_with_interval(&part.agreement.figure)
        }),
        ("without ties", |(_, part)| {
            percent_with_interval(&part.agreement_without_ties.figure)
        }),
        ("unanimous", |(_, part)| {
            percent_with_interval(&part.unanimous.figure)
        }),
        ("ties", |(_, part)| percent_with_interval(&part.ties.figure)),
    ];
    table_of(&columns, parts_and_whole(report, "all")).with_numbers_from(1)
}

/// Says how far people agree, in one sentence.
fn answer_text(all: &Agreement, level: f64) -> String {
    let whole_percent = |share: f64| format!("{:.0}", 100.0 * share);
    let agreement = &all.agreement.figure;
    let interval = or_blank(agreement.ci, |ends| {
        let [low, high] = ends.map(|end| or_dash(end, whole_percent));
        format!(" ({} % interval {low} to {high})", whole_percent(level))
    });
    let alpha = &all.alpha_nominal.figure;
    let alpha = match (&alpha.note, alpha.value) {
        (Some(note), None) => format!("is undefined: {note}"),
        _ => format!("is {}", coefficient_with_interval(alpha)),
    };
    format!(
        "People agree on {} % of the pairs that two of them judged{interval}; Krippendorff's alpha \
         {alpha}.",
        or_dash(agreement.value, whole_percent)
    )
}

fn summary_lines(report: &PeopleReport, plan: &Bootstrap) -> Vec<Line> {
    let mut lines = vec![
        ("ceiling", ceiling_text(&report.all)),
        ("labels", labels_text(report)),
        ("annotators", annotators_of_units_text(report)),
    ];
    let repeats = &report.self_agreement;
    if repeats.n > 0 {
        let text = format!(
            "{} of a pair that the same person had labelled: {} % are the same again; the first \
             counts above",
            count_of(repeats.n as u64, "label", "labels"),
            percent_with_interval(&repeats.figure)
        );
        lines.push(("repeated", text));
    }
    for (labels, why) in [
        (report.unnamed, "without the name of an annotator"),
        (report.self_comparisons, "of a system and itself"),
    ] {
        if labels > 0 {
            let labels = count_of(labels as u64, "label", "labels");
            lines.push(("left out", format!("{labels} {why}")));
        }
    }
    let all = &report.all;
    for (name, counted) in [
        ("alpha", &all.alpha_nominal),
        ("ordinal alpha", &all.alpha_ordinal),
        ("agreement without ties", &all.agreement_without_ties),
    ] {
        if let Some(note) = &counted.figure.note {
            lines.push(("undefined", format!("{name}: {note}")));
        }
    }
    lines.push(("intervals", interval_text(plan)));
    lines
}

/// Says what agreement with single people a judge can reach.
fn ceiling_text(all: &Agreement) -> String {
    format!(
        "a judge agrees with at most {} % of single people's labels, by saying of each pair what \
         most people said; by saying what most of the others say, without the label itself, with \
         {} % (human ceiling, leave-one-out); of {}",
        percent_with_interval(&all.ceiling_in_sample.figure),
        percent_with_interval(&all.ceiling_leave_one_out.figure),
        count_of(all.ceiling_in_sample.n as u64, "label", "labels"),
    )
}

fn labels_text(report: &PeopleReport) -> String {
    format!(
        "{}, {}, {}; {} of two people's labels of one pair",
        count_of(report.labels as u64, "label", "labels"),
        count_of(report.annotators.len() as u64, "annotator", "annotators"),
        count_items(report.items as u64, report.questions as u64),
        count_of(report.all.agreement.n as u64, "comparison", "comparisons")
    )
}

/// Says how many pairs have how many annotators.
fn annotators_of_units_text(report: &PeopleReport) -> String {
    let count = |wanted: fn(usize) -> bool| {
        let counts = report.units_by_annotators.iter();
        let counts = counts.filter(|(annotators, _)| wanted(**annotators));
        count_text(counts.map(|(_, units)| units).sum())
    };
    format!(
        "{} pairs have one, {} have two, {} have three or more",
        count(|annotators| annotators == 1),
        count(|annotators| annotators == 2),
        count(|annotators| annotators > 2),
    )
}

fn named_figures(agreement: &Agreement) -> [(&'static str, &CountedFigure); 8] {
    [
        ("alpha_nominal", &agreement.alpha_nominal),
        ("alpha_ordinal", &agreement.alpha_ordinal),
        ("agreement", &agreement.agreement),
        ("agreement_without_ties", &agreement.agreement_without_ties),
        ("unanimous", &agreement.unanimous),
        ("ties", &agreement.ties),
        ("ceiling_leave_one_out", &agreement.ceiling_leave_one_out),
        ("ceiling_in_sample", &agreement.ceiling_in_sample),
    ]
}

/// Returns the report as one object; shares are from 0 to 1, null with a note where undefined.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn people_json(report: &PeopleReport, plan: &Bootstrap) -> Result<String, serde_json::Error> {
    let units = report.units_by_annotators.iter();
    let units = units.map(|(annotators, units)| json!({"annotators": annotators, "units": units}));
    let subsets = report.parts.iter();
    let subsets = subsets.map(|(name, part)| (name.clone(), agreement_json(part)));
    let annotators = array_of(&report.annotators, |row| {
        let mut object = object_of(json!({
            "annotator": row.annotator,
            "labels": row.labels,
            "units": row.units,
        }));
        insert_counted(&mut object, "agreement", &row.agreement);
        insert_counted(&mut object, "kappa", &row.kappa);
        object
    });
    let mut object = agreement_json(&report.all);
    object.extend(object_of(json!({
        "items": report.items,
        "questions": report.questions,
        "annotators": report.annotators.len(),
        "labels": report.labels,
        "labels_without_annotator": report.unnamed,
        "self_comparisons": report.self_comparisons,
        "units_by_annotators": units.collect::<Value>(),
    })));
    insert_counted(&mut object, "self_agreement", &report.self_agreement);
    object.extend(object_of(json!({
        "subsets": subsets.collect::<Value>(),
        "by_annotator": annotators,
        "ci": interval_json(plan),
        "seed": plan.seed,
    })));
    json_text(&object)
}

fn agreement_json(agreement: &Agreement) -> Map<String, Value> {
    let mut object = object_of(json!({
        "units": agreement.units,
        "units_compared": agreement.compared,
    }));
    for (name, counted) in named_figures(agreement) {
        insert_counted(&mut object, name, counted);
    }
    object
}

/// Inserts a figure, its interval, and how many it rests on.
fn insert_counted(object: &mut Map<String, Value>, name: &str, counted: &CountedFigure) {
    insert_figure(object, name, &counted.figure);
    object.insert(format!("{name}_n"), json!(counted.n));
}

/// Returns a line for each category and one for all.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn people_csv(report: &PeopleReport) -> Result<String, csv::Error> {
    let mut header = ["subset", "units", "units_compared"]
        .map(String::from)
        .to_vec();
    // The names of the figures are the same whatever their values.
    for (name, _) in named_figures(&Agreement::default()) {
        header.extend(interval_columns(name, ["low", "high"]));
        header.push(format!("{name}_n"));
    }
    let rows = parts_and_whole(report, "").map(|(subset, agreement)| {
        let mut cells = vec![
            subset.to_string(),
            agreement.units.to_string(),
            agreement.compared.to_string(),
        ];
        for (_, counted) in named_figures(agreement) {
            cells.extend(figure_cells(&counted.figure));
            cells.push(counted.n.to_string());
        }
        cells
    });
    csv_text(header, rows)
}
