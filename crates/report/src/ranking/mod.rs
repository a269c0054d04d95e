//! A ranking of systems, and what it rests on.

mod csv;
mod extras;
mod markdown;
mod pairs;
mod recorded;
mod summary;
mod table;

pub use csv::ranking_csv;
pub use markdown::ranking_markdown;
pub use recorded::recorded_table;
pub use summary::summary_table;

use crate::compare::{GateJson, gates_json};
use crate::numbers::{count_of, group_digits, or_blank};
use crate::serialize::json_text;
use crate::slices::{deviation_table, slice_heading};
use crate::terminal::{excerpt, printable};
use crate::view::sentences_text;
use crate::{Usage, View};
use evenhand_compare::gate::GateResult;
use evenhand_ranking::{CriterionKind, CriterionRanking, Report, ScoreUnit, SliceRanking};
use schemars::JsonSchema;
use serde::Serialize;
use table::Shown;

/// Below this share of trials with a verdict, that is said before anything else.
const FEW_VERDICTS: f64 = 0.95;

/// Characters of a criterion's name that a heading shows.
const NAME: usize = 60;

/// A ranking, and what it rests on.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RankingJson<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// The kinds of the warnings, in the same order.
    warning_kinds: Vec<&'static str>,
    /// What came of the conditions that were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateJson<'a>>,
    /// The calls, tokens, money and time.
    usage: &'a Usage,
}

/// Returns the ranking as one JSON object with the keys that programs are promised, the usage last.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn ranking_json(
    report: &Report,
    usage: &Usage,
    gates: &[GateResult],
) -> Result<String, serde_json::Error> {
    let kinds = report.warnings.iter().map(|warning| warning.kind.name());
    json_text(&RankingJson {
        report,
        warning_kinds: kinds.collect(),
        gates: gates_json(gates),
        usage,
    })
}

/// Returns the ranking and, below it, what it rests on. Where many trials have no verdict, that
/// stands first.
pub fn ranking_table(report: &Report, usage: &Usage, view: View) -> String {
    let whole = Shown::whole(report);
    let mut text = missing_verdicts(report);
    text += &answer_text(report, view);
    text += &whole.table(view);
    for (heading, part) in turns_and_criteria(report) {
        text += &format!("\n\n{heading}\n{}", part.table(view));
    }
    text += &slice_tables(report, view);
    format!("{text}\n\n{}", summary_table(report, usage, view))
}

/// Lists the rankings by each turn alone and by criteria, each with its heading.
fn turns_and_criteria(report: &Report) -> impl Iterator<Item = (String, Shown<'_>)> {
    let whole = Shown::whole(report);
    let turns = report.turns.iter().map(move |turn| {
        let heading = format!("Turn {} alone", turn.turn);
        (heading, whole.with_rows(&turn.ranking))
    });
    let criteria = report.criteria.iter().flat_map(|all| &all.rankings);
    turns.chain(criteria.map(move |by| {
        let shown = Shown {
            unit: ScoreUnit::CriteriaShare,
            ..whole.with_rows(&by.ranking)
        };
        (criterion_heading(by), shown)
    }))
}

/// Returns the answer of a ranking as its first line; blank where nothing was ranked.
fn answer_text(report: &Report, view: View) -> String {
    or_blank(report.answer.as_ref(), |answer| {
        let sentence = printable(&answer.text);
        format!("{}\n\n", sentences_text(&format!("{sentence}."), view))
    })
}

/// Names a criterion that items share, or those of single items together, and says what its scores
/// are.
pub(crate) fn criterion_heading(by: &CriterionRanking) -> String {
    let items = count_of(by.items, "item", "items");
    match by.kind {
        CriterionKind::Shared => {
            let name = excerpt(by.criterion.as_deref().unwrap_or_default(), NAME);
            let scores = if by.fault {
                ", a fault: share without it"
            } else {
                ": share met"
            };
            format!("Criterion {name}{scores}, {items}")
        }
        CriterionKind::OwnMerits => format!("Criteria of single items: share met, {items}"),
        CriterionKind::OwnFaults => format!("Faults of single items: share without them, {items}"),
    }
}

/// Returns whether slices differ, a table for each, and one of the deviations; blank without
/// slices. It stands below the table of the whole, which the answer is about.
fn slice_tables(report: &Report, view: View) -> String {
    let Some(found) = &report.interaction else {
        return String::new();
    };
    let own = or_blank(own_origin(report.unit), |own| format!(" {own}."));
    let summary = format!("{}{own}", printable(&found.summary));
    let mut text = format!("\n\n{}", sentences_text(&summary, view));
    for slice in &report.slices {
        text += &format!("\n\n{}", printable(&heading_of_slice(&found.field, slice)));
        if let Some(sentence) = note_of_slice(slice) {
            text += &format!("\n{}", sentences_text(&printable(&sentence), view));
        }
        if !slice.ranking.is_empty() {
            let (shown, more) = view.shorten(slice.ranking.len());
            let shown = Shown::whole(report).with_rows(&slice.ranking[..shown]);
            text += &format!("\n{}{more}", shown.table(view));
        }
    }
    text + &deviation_table(found, "system", view)
}

fn heading_of_slice(field: &str, slice: &SliceRanking) -> String {
    slice_heading(
        field,
        &slice.value,
        &slice.size,
        &slice.units,
        slice.too_small,
    )
}

/// Says why a slice has no ranking, or what its reader must know.
fn note_of_slice(slice: &SliceRanking) -> Option<String> {
    let note = slice.note.as_deref()?;
    Some(match slice.ranking.is_empty() {
        true => format!("It has no ranking: {note}."),
        false => format!("{note}."),
    })
}

/// Says that the scores of a slice are no measure against those of another; None where they are in
/// a unit with an origin of its own, as shares are.
pub(crate) fn own_origin(unit: ScoreUnit) -> Option<&'static str> {
    match unit {
        ScoreUnit::FittedElo => Some(
            "The scores of a slice have a mean of 1000 over its own systems: compare them within it",
        ),
        ScoreUnit::LogOdds => Some(
            "The scores of a slice have a mean of 0 over its own systems: compare them within it",
        ),
        _ => None,
    }
}

/// Says how few trials came to a verdict; blank where nearly all did.
fn missing_verdicts(report: &Report) -> String {
    let coverage = &report.coverage;
    let share = coverage.verdicts as f64 / coverage.trials.max(1) as f64;
    if coverage.trials == 0 || share >= FEW_VERDICTS {
        return String::new();
    }
    let [verdicts, trials] = [coverage.verdicts, coverage.trials].map(group_digits);
    format!(
        "Only {verdicts} of {trials} trials ({:.0} %) came to a verdict; the others are \
         excluded.\n\n",
        100.0 * share
    )
}

/// Returns the decimals of scores: Elo points are whole; shares and log-odds need three, scores on
/// a scale two.
pub(crate) fn score_decimals(unit: ScoreUnit) -> usize {
    match unit {
        ScoreUnit::FittedElo | ScoreUnit::AnchoredElo | ScoreUnit::OnlineElo => 0,
        ScoreUnit::Points | ScoreUnit::FormPoints | ScoreUnit::FilePoints => 2,
        ScoreUnit::ComparisonsWon => 1,
        _ => 3,
    }
}

/// Returns `LOW to HIGH`, where an open end is infinite.
pub(crate) fn range_text([low, high]: [Option<f64>; 2], decimals: usize) -> String {
    let end_text = |end: Option<f64>, open: &str| match end {
        Some(end) => format!("{end:.decimals$}"),
        None => open.into(),
    };
    format!("{} to {}", end_text(low, "-inf"), end_text(high, "+inf"))
}
