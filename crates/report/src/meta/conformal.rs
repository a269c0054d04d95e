//! What people may say of each judgment: text, JSON and CSV.

use crate::View;
use crate::answer::AnswerJson;
use crate::columns::{Column, csv_of};
use crate::numbers::{chosen_percent, count_of, group_digits, or_blank};
use crate::serialize::{end_cell, json_text, optional_cell};
use crate::view::{Line, answer_first};
use evenhand_stats::conformal::least_clusters;
use evenhand_studies::Figure;
use evenhand_studies::conformal::{Conformal, ConformalOptions, Predicted, SliceCoverage};
use schemars::JsonSchema;
use serde::Serialize;

/// Parts that a summary names: those of which the fewest labels were held.
const SLICES_SHOWN: usize = 5;

/// Returns the answer, and what it rests on.
pub fn conformal_table(found: &Conformal, options: &ConformalOptions, view: View) -> String {
    let lines = summary_lines(found, options);
    answer_first(&answer(found, options), &[], lines, view)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn answer(found: &Conformal, options: &ConformalOptions) -> String {
    let promised = format!("{} %", chosen_percent(options.coverage));
    let Some(distance) = found.threshold.and_then(|threshold| threshold.distance) else {
        // The half that says how far labels are has the odd question.
        let needed = 2 * least_clusters(options.coverage) - 1;
        let questions = count_of(
            found.labelled[1] as u64,
            "labelled question",
            "labelled questions",
        );
        return format!(
            "There are too few labels to rule anything out at {promised}: there are {questions}, \
             and half of them are used to fit; label {needed} or more."
        );
    };
    match found.line {
        Some(line) => format!(
            "In {promised} of new questions people's score is within {distance:.2} of {:.2} {} \
             {:.2} times the judge's.",
            line.intercept,
            if line.slope < 0.0 { "-" } else { "+" },
            line.slope.abs()
        ),
        None => {
            let [one, two, three] = found.set_sizes.unwrap_or_default().map(percent);
            format!(
                "In {promised} of new questions what people say is in the set: one verdict for \
                 {one} of the judgments, two for {two}, and nothing is ruled out for {three}."
            )
        }
    }
}

// Long: the lines stand here in the order in which they are read.
fn summary_lines(found: &Conformal, options: &ConformalOptions) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let [labels, questions] = found.labelled.map(|count| count as u64);
    lines.push((
        "labels",
        format!(
            "{} of {} on {}",
            group_digits(labels),
            count_of(found.judgments.len() as u64, "judgment", "judgments"),
            count_of(questions, "question", "questions")
        ),
    ));
    let realised = &found.realised;
    if let (Some(value), Some([Some(low), Some(high)])) = (realised.value, realised.ci) {
        let [value, low, high] = [value, low, high].map(percent);
        lines.push((
            "coverage",
            format!(
                "{value} ({low} to {high}) of the labels are held, question by question, each \
                 predicted from the other {} of {} parts",
                options.folds.saturating_sub(1),
                options.folds
            ),
        ));
    }
    let [labelled, others] = found.unbounded.map(|count| count as u64);
    if labelled > 0 {
        lines.push((
            "unbounded",
            format!(
                "{} of these labels are predicted from so few others that nothing is ruled out: \
                 they are held whatever the judge says, and the coverage says little",
                group_digits(labelled)
            ),
        ));
    }
    if others > 0 {
        let judgments = count_of(others, "judgment", "judgments");
        let text = format!("nothing is ruled out for {judgments} without a label");
        lines.push(("unbounded", text));
    }
    if found.are_scores {
        let width = match found.mean_width {
            Some(width) => format!("{width:.2} on average"),
            None => "some intervals have no end".into(),
        };
        lines.push(("width", width));
    } else if let Some([one, ..]) = found.set_sizes {
        lines.push((
            "singletons",
            format!("{} of the sets are one verdict", percent(one)),
        ));
    }
    for slice in least_held(&found.slices) {
        lines.push((
            "held",
            format!(
                "{}: {} of {}",
                slice.slice,
                percent(slice.held),
                group_digits(slice.labels as u64)
            ),
        ));
    }
    if found.failures > 0 {
        let failures = count_of(found.failures, "judgment", "judgments");
        lines.push((
            "failures",
            format!("{failures} without a verdict; nothing is predicted for them"),
        ));
    }
    let cut = or_blank(options.scale, |[low, high]| {
        format!("; ends beyond {low} to {high} are cut")
    });
    lines.push((
        "method",
        format!(
            "split conformal prediction by question: half fit, half say how far labels are. The \
             promise is for new questions such as the labelled ones, each counted once, and of all \
             judgments together; not of a system or of a kind of item{cut}"
        ),
    ));
    lines
}

fn least_held(slices: &[SliceCoverage]) -> Vec<&SliceCoverage> {
    let mut sorted: Vec<&SliceCoverage> = slices.iter().filter(|_| slices.len() > 1).collect();
    sorted.sort_by(|a, b| a.held.total_cmp(&b.held));
    sorted.truncate(SLICES_SHOWN);
    sorted
}

/// Intervals of people's scores, or sets of their verdicts, one a judgment. Shares are from 0 to 1.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConformalJson<'a> {
    /// The answer.
    answer: AnswerJson,
    /// The share of labels that is promised to be held.
    coverage: f64,
    /// How far labels may be from what is predicted: points of a score, or one less the fitted
    /// chance of a verdict; null where the labels are too few.
    distance: Option<f64>,
    /// The labelled questions that it rests on.
    questions: Option<usize>,
    /// The fewest of them with which there is a distance.
    least_questions: Option<usize>,
    /// The line from the judge's scores to people's; null for verdicts.
    line: Option<LineJson>,
    /// Judgments with a label.
    labels: usize,
    /// Judgments without a verdict, of which nothing is predicted.
    failures: u64,
    /// The share of labels that were held, question by question, each predicted from others.
    realised: &'a Figure,
    /// The same of each system, or of each two: the promise is not for these.
    slices: &'a [SliceCoverage],
    /// The mean width of the intervals; null for verdicts, and where one has no end.
    mean_width: Option<f64>,
    /// Judgments of which nothing is ruled out for want of labels: with a label, which is held
    /// whatever the judge says, and without one.
    unbounded: [usize; 2],
    /// The share of sets with one, two and three verdicts; null for scores.
    set_sizes: Option<[f64; 3]>,
    /// All judgments with a verdict.
    judgments: &'a [Predicted],
}

/// A straight line.
#[derive(Serialize, JsonSchema)]
struct LineJson {
    /// People's score where the judge's is 0.
    intercept: f64,
    /// How much it rises with a point of the judge's.
    slope: f64,
}

/// Returns what was found as one object.
///
/// # Errors
/// Those of the JSON writer; none is known to occur.
pub fn conformal_json(
    found: &Conformal,
    options: &ConformalOptions,
) -> Result<String, serde_json::Error> {
    json_text(&ConformalJson {
        answer: AnswerJson::of_sentences(&answer(found, options)),
        coverage: options.coverage,
        distance: found.threshold.and_then(|threshold| threshold.distance),
        questions: found.threshold.map(|threshold| threshold.clusters),
        least_questions: found.threshold.map(|threshold| threshold.least_clusters),
        line: found.line.map(|line| LineJson {
            intercept: line.intercept,
            slope: line.slope,
        }),
        labels: found.labelled[0],
        failures: found.failures,
        realised: &found.realised,
        slices: &found.slices,
        mean_width: found.mean_width,
        unbounded: found.unbounded,
        set_sizes: found.set_sizes,
        judgments: &found.judgments,
    })
}

const CSV_COLUMNS: [Column<Predicted>; 9] = [
    ("item", |one| one.item.clone()),
    ("first", |one| one.first.clone()),
    ("second", |one| one.second.clone().unwrap_or_default()),
    ("judge", |one| one.judge.to_string()),
    ("label", |one| optional_cell(one.label)),
    ("low", |one| end_cell(one.interval, 0)),
    ("high", |one| end_cell(one.interval, 1)),
    ("set", |one| {
        let names = one.set.iter().flatten().map(|verdict| verdict.name());
        names.collect::<Vec<_>>().join("|")
    }),
    ("held", |one| optional_cell(one.held)),
];

/// Returns a line for each judgment.
///
/// # Errors
/// Those of the CSV writer.
pub fn conformal_csv(found: &Conformal) -> Result<String, csv::Error> {
    csv_of(&CSV_COLUMNS, &found.judgments)
}
