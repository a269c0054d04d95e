//! Whether judges prefer their own responses: text, JSON and CSV.

use crate::View;
use crate::answer::answered_json;
use crate::columns::{Column, csv_of, table_of};
use crate::numbers::{chosen_percent, count_of, group_digits, or_dash, with_interval};
use crate::serialize::{end_cell, optional_cell};
use crate::view::{Line, answer_first, fit_table};
use evenhand_core::p_value_text;
use evenhand_studies::self_preference::{OwnFinding, OwnRow, SelfPreferenceReport};

/// Columns that a narrow terminal does without, the least important first.
const DROPPABLE: [usize; 3] = [8, 2, 7];

const ONE_JUDGE: &str = "Whether a judge prefers its own responses cannot be told from one judge: \
                         nobody else says how good they are. At least two other judges are needed.";

/// Two may differ for several reasons, which look alike.
const TWO_JUDGES: &str = "Whether a judge prefers its own responses cannot be told from two \
                          judges: where they differ on a system, one may prefer it or the other \
                          disfavour it, and either may be the better judge. At least three are \
                          needed.";

const COLUMNS: [Column<OwnRow>; 9] = [
    ("judge", |row| row.judge.clone()),
    ("own system", |row| or_dash(row.system.clone(), |name| name)),
    ("comparisons", |row| group_digits(row.comparisons)),
    ("own wins, by itself %", |row| share_text(row.by_itself)),
    ("by others %", |row| share_text(row.by_others)),
    ("excess, log-odds", |row| {
        let ci = row.ci.map(|ends| ends.map(Some));
        with_interval(row.excess, ci, |number| format!("{number:.2}"))
    }),
    ("p, adjusted", |row| or_dash(row.p_adjusted, p_value_text)),
    ("finding", |row| row.finding.words().into()),
    ("slope", |row| {
        or_dash(row.slope, |slope| format!("{slope:.2}"))
    }),
];

fn share_text(share: Option<f64>) -> String {
    or_dash(share, |share| format!("{:.1}", 100.0 * share))
}

/// Returns the answer in words, the judges, and what it rests on.
pub fn self_preference_table(report: &SelfPreferenceReport, view: View) -> String {
    let table = table_of(&COLUMNS, &report.judges).with_numbers_from(2);
    let table = fit_table(table, view, &DROPPABLE);
    answer_first(&answer(report), &[table], summary_lines(report), view)
}

/// Returns the answer and the report as one object.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn self_preference_json(report: &SelfPreferenceReport) -> Result<String, serde_json::Error> {
    answered_json(&answer(report), report)
}

fn answer(report: &SelfPreferenceReport) -> String {
    if report.tested == 0 {
        return match report.judges.len() {
            1 => ONE_JUDGE,
            2 => TWO_JUDGES,
            _ => "Whether any judge prefers its own responses cannot be told.",
        }
        .into();
    }
    let named = |finding: OwnFinding| {
        let found = report.judges.iter().filter(|row| row.finding == finding);
        found.map(|row| row.judge.as_str()).collect::<Vec<_>>()
    };
    let (prefers, disfavours) = (
        named(OwnFinding::PrefersOwn),
        named(OwnFinding::DisfavoursOwn),
    );
    let mut said = Vec::new();
    if !prefers.is_empty() {
        said.push(format!(
            "prefer their own responses: {}",
            prefers.join(", ")
        ));
    }
    if !disfavours.is_empty() {
        said.push(format!("disfavour their own: {}", disfavours.join(", ")));
    }
    let tested = count_of(report.tested as u64, "judge", "judges");
    match said.is_empty() {
        true => format!(
            "No judge is shown to prefer its own responses, of {tested} that could be tested."
        ),
        false => format!("Of {tested} that could be tested, {}.", said.join("; ")),
    }
}

fn summary_lines(report: &SelfPreferenceReport) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in &report.judges {
        if let Some(note) = &row.note {
            lines.push(("undefined", format!("{}: {note}", row.judge)));
        }
    }
    if report.judges.iter().any(|row| row.by_others.is_some()) {
        lines.push((
            "by others",
            "the mean of the other judges' shares, each without comparisons with that judge's own \
             system: their opponents may differ from those of the share by itself"
                .into(),
        ));
    }
    // The rest is of what was tested.
    if report.tested == 0 {
        return lines;
    }
    let level = chosen_percent(report.level);
    lines.push((
        "excess",
        "how far the judge puts its own system above the line that its other strengths have on \
         those of the other judges, each without its own system: what accuracy and taste do not \
         explain"
            .into(),
    ));
    lines.push((
        "assumes",
        "that a judge's tastes are alike for all systems; a taste that it shares with its own \
         system for another reason (length, format) is part of the excess"
            .into(),
    ));
    let judges = count_of(report.tested as u64, "judge", "judges");
    lines.push((
        "intervals",
        format!(
            "{level} % prediction intervals of the line (Student's t); p-values adjusted for \
             {judges} (Holm)"
        ),
    ));
    lines
}

const CSV_COLUMNS: [Column<OwnRow>; 15] = [
    ("judge", |row| row.judge.clone()),
    ("system", |row| optional_cell(row.system.clone())),
    ("comparisons", |row| row.comparisons.to_string()),
    ("by_itself", |row| optional_cell(row.by_itself)),
    ("by_others", |row| optional_cell(row.by_others)),
    ("excess", |row| optional_cell(row.excess)),
    ("low", |row| end_cell(row.ci, 0)),
    ("high", |row| end_cell(row.ci, 1)),
    ("p", |row| optional_cell(row.p)),
    ("p_adjusted", |row| optional_cell(row.p_adjusted)),
    ("finding", |row| row.finding.words().into()),
    ("slope", |row| optional_cell(row.slope)),
    ("others", |row| optional_cell(row.others)),
    ("peers", |row| optional_cell(row.peers)),
    ("note", |row| optional_cell(row.note.clone())),
];

/// Returns a line for each judge.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn self_preference_csv(report: &SelfPreferenceReport) -> Result<String, csv::Error> {
    csv_of(&CSV_COLUMNS, &report.judges)
}
