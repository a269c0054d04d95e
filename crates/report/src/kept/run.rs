//! A run in one screen.

use super::page::Page;
use crate::columns::Columns;
use crate::numbers::{count_of, group_digits, or_dash};
use crate::progress_text;
use crate::ranking::{range_text, score_decimals};
use crate::{CallTotals, View};
use evenhand_core::{name_in_words, shell_word};
use evenhand_pages::Overview;
use evenhand_ranking::{NoiseFloor, ScoreUnit};
use serde_json::Value;

/// Systems of the last ranking that are shown.
const SYSTEMS: usize = 20;

/// Models that a page names of those that answered.
const ANSWERERS: usize = 5;

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

/// Returns a run for people: settings, counts, the last ranking, and where to look next.
pub fn run_page(shown: &RunPage<'_>) -> String {
    let mut page = Page::new(shown.view);
    page.add_heading(&shown.run.title);
    if let Some(label) = &shown.run.label {
        page.add_fact("name", label);
    }
    for (name, value) in &shown.run.manifest {
        // A name with a comma is told from two.
        let systems = || shown.run.systems.iter().map(|name| name_in_words(name));
        match name.as_str() {
            "systems" if !shown.run.systems.is_empty() => {
                page.add_fact(name, &systems().collect::<Vec<_>>().join(", "))
            }
            _ => page.add_fact(name, value),
        }
    }
    page.add_heading("judgments");
    if let Some(progress) = &shown.run.progress {
        page.add_fact("state", &progress_text(progress));
    }
    let counts = &shown.run.counts;
    let verdicts = count_of(counts.verdicts, "verdict", "verdicts");
    let mut judgments = format!("{}: {verdicts}", group_digits(counts.judgments));
    for (kind, count) in &counts.failures {
        judgments += &format!(", {} {kind}", group_digits(*count));
    }
    page.add_fact("judgments", &judgments);
    // A row holds both orders of a pair, so that its count is that of comparisons.
    let [rows, flipped, split] = [counts.rows, counts.flipped, counts.split].map(group_digits);
    page.add_fact(
        "rows",
        &format!("{rows}: {flipped} flipped (the orders disagree), {split} split (votes disagree)"),
    );
    page.add_fact("calls", &shown.calls.sentence());
    let answered = &shown.run.answered_by;
    // Some servers name another configuration in every reply.
    let (named, others) = answered.split_at(answered.len().min(ANSWERERS));
    for one in named {
        let calls = count_of(one.calls, "call", "calls");
        // Of several judges each is named.
        let of = match shown.run.judges.len() {
            ..2 => String::new(),
            _ => format!(" for {}", one.judge),
        };
        page.add_fact("answered by", &format!("{}{of}: {calls}", one.by));
    }
    if !others.is_empty() {
        let calls: u64 = others.iter().map(|one| one.calls).sum();
        let calls = count_of(calls, "call", "calls");
        page.add_fact("answered by", &format!("{} more: {calls}", others.len()));
    }
    if let Some(noise) = shown.noise {
        page.add_fact("noise", &noise.sentence());
    }
    // The last report may rank nothing, or not be kept.
    let ranking = shown.run.report["ranking"].as_array();
    if let Some(rows) = ranking.filter(|rows| !rows.is_empty()) {
        page.add_heading("ranking of the last report");
        if let Some(answer) = shown.run.report["answer"]["text"].as_str() {
            page.add_text(2, &format!("{answer}."));
        }
        let shown_rows = &rows[..rows.len().min(SYSTEMS)];
        page.add_text(1, &ranking_rows(&shown.run.report, shown_rows));
        if rows.len() > SYSTEMS {
            page.add_text(2, &format!("and {} more", rows.len() - SYSTEMS));
        }
    }
    if counts.judgments > 0 {
        let dir = shell_word(&shown.run.title);
        page.add_heading("look further");
        for hint in [
            format!("evenhand show {dir} N             judgment N in full"),
            format!("evenhand judgments {dir} --where flipped"),
            format!("evenhand view {dir}               in a browser"),
        ] {
            page.add_text(2, &hint);
        }
    }
    page.into_text()
}

/// Returns the rows of a report's ranking, with the numbers written as `rank` writes them.
fn ranking_rows(report: &Value, rows: &[Value]) -> String {
    let unit = report["unit"].as_str().and_then(ScoreUnit::from_words);
    // Likelihoods, whose units are not read back, have as many as those that have no rule.
    let decimals = unit.map_or(3, score_decimals);
    let mut columns: Columns<Value> = Columns::new(&[
        ("rank", |row| {
            or_dash(row["rank"].as_u64(), |rank| rank.to_string())
        }),
        ("system", |row| {
            row["system"].as_str().unwrap_or_default().into()
        }),
    ]);
    columns.push("score", move |row| {
        match (row["score"].as_f64(), row["no_score"].as_str()) {
            (Some(score), _) => format!("{score:.decimals$}"),
            (None, Some("won-all")) => "+inf".into(),
            (None, Some("lost-all")) => "-inf".into(),
            (None, _) => "-".into(),
        }
    });
    columns.push("interval", move |row| {
        let ends = row["ci"].as_array();
        or_dash(ends, |_| {
            range_text([0, 1].map(|end| row["ci"][end].as_f64()), decimals)
        })
    });
    columns.table(rows).to_text()
}
