//! A run in one screen.

use super::page::Page;
use super::verdict::format_score;
use crate::numbers::{count_of, group_digits, or_dash};
use crate::progress_text;
use crate::serialize::json_text;
use crate::text_table::TextTable;
use crate::{CallTotals, View};
use evenhand_engine::NoiseFloor;
use evenhand_pages::{Counts, Overview};
use serde_json::Value;

/// Systems of the last ranking that are shown.
const SYSTEMS: usize = 20;

/// A run, and how it is shown.
#[derive(Clone, Copy, Debug)]
pub struct RunPage<'a> {
    /// What is known of it.
    pub run: &'a Overview,
    /// Its calls with their tokens and their cost.
    pub calls: &'a CallTotals,
    /// By how much two identical systems would seem to differ; None where that is not known.
    pub noise: Option<&'a NoiseFloor>,
    /// Where it is shown.
    pub view: View,
}

/// Returns a run as an indented JSON object.
///
/// # Errors
/// Those of the JSON writer; no run is known to cause one.
pub fn run_json(run: &Overview) -> Result<String, serde_json::Error> {
    json_text(run)
}

/// Returns a run for people: settings, counts, the last ranking, and where to look next.
pub fn run_page(shown: &RunPage<'_>) -> String {
    let mut page = Page::new(shown.view);
    page.add_heading(&shown.run.title);
    for (name, value) in &shown.run.manifest {
        page.add_fact(name, value);
    }
    page.add_heading("judgments");
    if let Some(progress) = &shown.run.progress {
        page.add_fact("state", &progress_text(progress));
    }
    add_counts(&mut page, shown.run);
    page.add_fact("calls", &shown.calls.sentence());
    if let Some(noise) = shown.noise {
        page.add_fact("noise", &noise.sentence());
    }
    add_ranking(&mut page, &shown.run.report);
    add_hints(&mut page, shown.run);
    page.into_text()
}

fn add_counts(page: &mut Page, run: &Overview) {
    let counts = &run.counts;
    page.add_fact("judgments", &describe_verdicts(counts));
    page.add_fact("rows", &describe_rows(counts));
}

fn describe_verdicts(counts: &Counts) -> String {
    let verdicts = count_of(counts.verdicts, "verdict", "verdicts");
    let all = group_digits(counts.judgments);
    let kinds = counts.failures.iter();
    let failures = kinds.map(|(kind, count)| format!(", {} {kind}", group_digits(*count)));
    format!("{all}: {verdicts}{}", failures.collect::<String>())
}

/// A row holds both orders of a pair, so that its count is that of comparisons.
fn describe_rows(counts: &Counts) -> String {
    let [rows, flipped, split] = [counts.rows, counts.flipped, counts.split].map(group_digits);
    format!("{rows}: {flipped} flipped (the orders disagree), {split} split (votes disagree)")
}

/// Adds the ranking of the last report; nothing where none is kept, or it ranks nothing.
fn add_ranking(page: &mut Page, report: &Value) {
    let Some(rows) = report["ranking"].as_array().filter(|rows| !rows.is_empty()) else {
        return;
    };
    page.add_heading("ranking of the last report");
    let cells = rows.iter().take(SYSTEMS).map(ranking_cells);
    let table = TextTable::with_header(["rank", "system", "score", "interval"]).with_rows(cells);
    page.add_text(1, &table.to_text());
    if rows.len() > SYSTEMS {
        page.add_text(2, &format!("and {} more", rows.len() - SYSTEMS));
    }
}

fn ranking_cells(row: &Value) -> [String; 4] {
    let rank = row["rank"].as_u64();
    [
        rank.map_or("-".into(), |rank| rank.to_string()),
        row["system"].as_str().unwrap_or_default().into(),
        or_dash(row["score"].as_f64(), format_score),
        describe_interval(&row["ci"]),
    ]
}

fn describe_interval(ends: &Value) -> String {
    if ends.is_null() {
        return "-".into();
    }
    let [low, high] = [0, 1].map(|end| ends[end].as_f64());
    let [low, high] = [low, high].map(|end| end.map_or("?".into(), format_score));
    format!("{low} to {high}")
}

fn add_hints(page: &mut Page, run: &Overview) {
    if run.counts.judgments == 0 {
        return;
    }
    let dir = &run.title;
    page.add_heading("look further");
    page.add_text(
        2,
        &format!("evenhand show {dir} N             judgment N in full"),
    );
    page.add_text(2, &format!("evenhand judgments {dir} --where flipped"));
    page.add_text(
        2,
        &format!("evenhand view {dir}               in a browser"),
    );
}
