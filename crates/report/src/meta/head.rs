//! The fit of a head, and what it is worth: text, JSON and CSV.

use crate::View;
use crate::columns::{Column, table_of};
use crate::numbers::{chosen_percent, count_of, group_digits, or_dash};
use crate::serialize::{csv_text, optional_cell};
use crate::view::{Line, answer_first, fit_table};
use evenhand_engine::{HeadReport, HeadWorth, Known};

/// Columns that a narrow terminal does without, the least important first.
const DROPPABLE: [usize; 1] = [1];

/// A row of the table: where it was tried, how many pairs there are, and three figures.
struct TriedRow<'a> {
    name: String,
    pairs: Option<u64>,
    head: Option<&'a Known>,
    ready: Option<&'a Known>,
    difference: Option<&'a Known>,
}

/// Returns a share in per cent with its interval: `72.0 (64.1 to 79.3)`.
fn percent_known(known: &Known) -> String {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let ends = known
        .ci
        .map(|[low, high]| format!(" ({} to {})", percent(low), percent(high)));
    or_dash(known.value, |value| {
        percent(value) + &ends.unwrap_or_default()
    })
}

fn rows<'a>(report: &'a HeadReport) -> Vec<TriedRow<'a>> {
    let of_worth = |name: String, worth: &'a HeadWorth| TriedRow {
        name,
        pairs: Some(worth.pairs),
        head: Some(&worth.head),
        ready: Some(&worth.ready),
        difference: Some(&worth.difference),
    };
    let mut rows = vec![of_worth(
        "unseen systems and questions".into(),
        &report.unseen_systems,
    )];
    for point in &report.curve {
        if let Some(worth) = &point.unseen_systems {
            let name = format!("unseen systems and questions, {} labels", point.labels);
            rows.push(of_worth(name, worth));
        }
    }
    rows.push(of_worth(
        "unseen questions".into(),
        &report.unseen_questions,
    ));
    for point in &report.curve {
        rows.push(TriedRow {
            name: format!("unseen questions, {} labels", point.labels),
            pairs: None,
            head: Some(&point.accuracy),
            ready: None,
            difference: None,
        });
    }
    for score in &report.ready {
        rows.push(TriedRow {
            name: format!("all labels, {}", score.name),
            pairs: Some(report.pairs),
            head: None,
            ready: Some(&score.accuracy),
            difference: None,
        });
    }
    rows
}

/// Returns the answer in words, how right the head and the ready scores are, and what it rests on.
pub fn head_table(report: &HeadReport, view: View) -> String {
    let columns: [Column<TriedRow>; 5] = [
        ("tried on", |row| row.name.clone()),
        ("pairs", |row| or_dash(row.pairs, group_digits)),
        ("head %", |row| or_dash(row.head, percent_known)),
        ("ready score %", |row| or_dash(row.ready, percent_known)),
        ("difference, points", |row| {
            or_dash(row.difference, percent_known)
        }),
    ];
    let table = table_of(&columns, rows(report)).with_numbers_from(1);
    let table = fit_table(table, view, &DROPPABLE);
    answer_first(&report.answer, &[table], summary_lines(report), view)
}

fn summary_lines(report: &HeadReport) -> Vec<Line> {
    let pairs = count_of(report.pairs, "labelled pair", "labelled pairs");
    let questions = count_of(report.questions, "question", "questions");
    let states = match report.depth {
        Some(depth) => format!("states {depth} % deep, likelihoods, length"),
        None => "likelihoods and length; states did no better in cross-validation".into(),
    };
    let mut lines = vec![
        ("recommended", report.recommended.clone()),
        ("rests on", format!("{pairs} with a winner, on {questions}")),
        ("systems", report.systems.join(", ")),
        ("model", report.model.clone()),
        ("made of", format!("{states}; penalty {}", report.penalty)),
    ];
    let left_out = [
        (report.ties, "ties"),
        (
            report.failures,
            "pairs with a response that is missing or could not be read",
        ),
    ];
    for (count, what) in left_out {
        if count > 0 {
            lines.push(("left out", format!("{} {what}", group_digits(count))));
        }
    }
    for (key, known) in [
        ("unseen systems", &report.unseen_systems.head),
        ("50 more labels", &report.next),
    ] {
        if let Some(note) = &known.note {
            lines.push((key, note.clone()));
        }
    }
    lines.push((
        "all labels",
        "the best of the scores is chosen by these labels, so its own share of them shows nothing; \
         those above are of scores chosen without what they are tried on"
            .into(),
    ));
    let level = chosen_percent(report.level);
    lines.push((
        "intervals",
        format!("{level} %, by question; of unseen systems by question and by system"),
    ));
    lines
}

/// Returns a line for each row of the table.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn head_csv(report: &HeadReport) -> Result<String, csv::Error> {
    let mut header = vec!["tried_on".to_owned(), "pairs".to_owned()];
    for name in ["head", "ready", "difference"] {
        header.extend([
            name.to_owned(),
            format!("{name}_low"),
            format!("{name}_high"),
        ]);
    }
    let cells = |row: TriedRow| {
        let mut cells = vec![row.name, optional_cell(row.pairs)];
        for known in [row.head, row.ready, row.difference] {
            let ci = known.and_then(|known| known.ci);
            cells.push(optional_cell(known.and_then(|known| known.value)));
            cells.push(optional_cell(ci.map(|ends| ends[0])));
            cells.push(optional_cell(ci.map(|ends| ends[1])));
        }
        cells
    };
    csv_text(header, rows(report).into_iter().map(cells))
}
