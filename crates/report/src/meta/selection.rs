//! Which of a judge's verdicts can be accepted: text, JSON and CSV.

use crate::View;
use crate::answer::AnswerJson;
use crate::columns::{Column, csv_of};
use crate::numbers::{count_of, group_digits, or_blank, or_dash};
use crate::serialize::{json_text, optional_cell};
use crate::view::{Line, answer_first};
use evenhand_studies::selective::{Cascade, CascadeCost, SelectOptions, Selection, Tried};
use schemars::JsonSchema;
use serde::Serialize;

/// Returns the answer, and what it rests on.
pub fn selection_table(selection: &Selection, options: &SelectOptions, view: View) -> String {
    let lines = summary_lines(selection, options);
    answer_first(&answer(selection, options), &[], lines, view)
}

fn answer(selection: &Selection, options: &SelectOptions) -> String {
    let (judge, most) = (&selection.judge, percent(options.error));
    let Some(threshold) = selection.threshold else {
        return format!(
            "No verdict of {judge} can be accepted with the promise that at most {most} are wrong: \
             it gets {} of {} on {} right. {}",
            percent(selection.accuracy),
            count_of(selection.pairs as u64, "pair", "pairs"),
            count_of(selection.questions as u64, "question", "questions"),
            match selection.accuracy < 1.0 {
                true =>
                    "There are too few questions, or too many verdicts are wrong where it is \
                     surest.",
                false => "There are too few questions.",
            },
        );
    };
    let share = threshold.accepted as f64 / selection.pairs as f64;
    format!(
        "Accept what {judge} decides with a confidence of {:.2} or more: {} of its verdicts, of \
         which at most {most} are wrong (with a certainty of {}); it gets {} of all {} right.{}",
        threshold.confidence,
        percent(share),
        percent(options.certainty),
        percent(selection.accuracy),
        count_of(selection.pairs as u64, "pair", "pairs"),
        match selection.ties {
            0 => String::new(),
            ties => format!(
                " That holds for pairs of which one response is better: {} that people call a tie \
                 {} left out.",
                group_digits(ties as u64),
                if ties == 1 { "is" } else { "are" }
            ),
        }
    )
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn summary_lines(selection: &Selection, options: &SelectOptions) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    if let (Some(threshold), Some(error)) = (selection.threshold, &selection.error) {
        let ends = or_blank(error.interval.ok(), |ends| {
            let [low, high] = ends.map(percent);
            format!(" ({low} to {high})")
        });
        lines.push((
            "accepted",
            format!(
                "{} verdicts, {} wrong: {}{ends}, on the pairs that chose the threshold",
                group_digits(threshold.accepted),
                group_digits(threshold.wrong),
                percent(error.value)
            ),
        ));
    }
    let tried = &selection.tried;
    let text = format!(
        "on {} random halves, chosen by one and looked at on the other: a threshold in {}; {} of \
         the verdicts accepted, {} of them wrong; more than {} wrong in {} of the halves",
        group_digits(tried.splits),
        group_digits(tried.certified),
        percent(tried.accepted),
        or_dash(tried.error, percent),
        percent(options.error),
        group_digits(tried.broken),
    );
    lines.push(("tried", text));
    if let Some(cascade) = &selection.cascade {
        let judge = &cascade.judge;
        let [first, second] = [cascade.first, cascade.second].map(percent);
        let [together, escalated] = [cascade.together, cascade.escalated].map(percent);
        let text = format!(
            "with {judge} for the rest, {together} of {} pairs are right ({first} by the first \
             alone, {second} by {judge} alone), and {judge} is asked about {escalated} of them",
            cascade.pairs
        );
        lines.push(("second", text));
        let [together, escalated] = [cascade.equal.together, cascade.equal.escalated].map(percent);
        let text = format!(
            "to be as right as {judge} alone on the pairs that choose the threshold, it is asked \
             about {escalated} of the others, and {together} of them are right"
        );
        lines.push(("equal", text));
        lines.extend(cascade.cost.iter().map(|cost| ("cost", cost_text(cost))));
    }
    lines.push((
        "confidence",
        "the distance of the mean share of both orders from a half, doubled: 0 where the orders \
         contradict each other, or there is no verdict; of scores that differ by d, d / (1 + d)"
            .into(),
    ));
    lines.push((
        "method",
        "fixed-sequence test of thresholds by exact binomial tests (Jung et al. 2024); where a \
         question has several pairs, the interval of the share over questions must keep the \
         promise too"
            .into(),
    ));
    lines
}

fn cost_text(cost: &CascadeCost) -> String {
    let of = |together: f64| {
        let saved = 1.0 - together / cost.second;
        if saved >= 0.0 {
            format!("{together:.3} a pair, {} saved", percent(saved))
        } else {
            format!("{together:.3} a pair, {} more", percent(-saved))
        }
    };
    format!(
        "{:.3} a pair by the second judge alone; with the promise {}; as right as it {}",
        cost.second,
        of(cost.together),
        of(cost.equal)
    )
}

/// Which verdicts of a judge can be accepted. Shares are from 0 to 1.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SelectionJson<'a> {
    /// The answer.
    answer: AnswerJson,
    /// The judge.
    judge: &'a str,
    /// Its pairs with a label that is no tie.
    pairs: usize,
    /// Its pairs whose label is a tie, which are left out: nothing is promised of such pairs.
    ties: usize,
    /// The questions that the pairs are on, which are what counts as evidence.
    questions: usize,
    /// The share of the pairs that it gets right without selection; no verdict is a wrong one.
    accuracy: f64,
    /// What is promised.
    promise: PromiseJson,
    /// Which verdicts are accepted, by all pairs; null where no threshold keeps the promise.
    threshold: Option<ThresholdJson>,
    /// The share of wrong verdicts among the accepted ones, on the pairs that the threshold was
    /// chosen by.
    error: Option<ErrorJson>,
    /// What came of the promise on pairs that the threshold was not chosen by.
    tried: &'a Tried,
    /// With a second judge for what is not accepted; null without one.
    cascade: Option<&'a Cascade>,
}

/// What is promised.
#[derive(Serialize, JsonSchema)]
struct PromiseJson {
    /// The largest share of accepted verdicts that may be wrong.
    error: f64,
    /// With which probability the promise is kept.
    certainty: f64,
}

/// A threshold of confidence.
#[derive(Serialize, JsonSchema)]
struct ThresholdJson {
    /// Verdicts of this confidence or more are accepted.
    confidence: f64,
    /// How many of the verdicts are.
    accepted: u64,
    /// How many of those are wrong.
    wrong: u64,
}

/// A share with its interval.
#[derive(Serialize, JsonSchema)]
struct ErrorJson {
    /// The share.
    value: f64,
    /// The ends of its interval over questions; null where all are of one.
    ci: Option<[f64; 2]>,
}

/// Returns the selection as one object; shares are from 0 to 1.
///
/// # Errors
/// Those of the JSON writer; no selection is known to cause one.
pub fn selection_json(
    selection: &Selection,
    options: &SelectOptions,
) -> Result<String, serde_json::Error> {
    json_text(&SelectionJson {
        answer: AnswerJson::of_sentences(&answer(selection, options)),
        judge: &selection.judge,
        pairs: selection.pairs,
        ties: selection.ties,
        questions: selection.questions,
        accuracy: selection.accuracy,
        promise: PromiseJson {
            error: options.error,
            certainty: options.certainty,
        },
        threshold: selection.threshold.map(|found| ThresholdJson {
            confidence: found.confidence,
            accepted: found.accepted,
            wrong: found.wrong,
        }),
        error: selection.error.map(|share| ErrorJson {
            value: share.value,
            ci: share.interval.ok(),
        }),
        tried: &selection.tried,
        cascade: selection.cascade.as_ref(),
    })
}

const CSV_COLUMNS: [Column<Selection>; 14] = [
    ("judge", |one| one.judge.clone()),
    ("pairs", |one| one.pairs.to_string()),
    ("accuracy", |one| one.accuracy.to_string()),
    ("threshold", |one| {
        optional_cell(one.threshold.map(|found| found.confidence))
    }),
    ("accepted", |one| {
        optional_cell(one.threshold.map(|found| found.accepted))
    }),
    ("wrong", |one| {
        optional_cell(one.threshold.map(|found| found.wrong))
    }),
    ("held_out_accepted", |one| one.tried.accepted.to_string()),
    ("held_out_error", |one| optional_cell(one.tried.error)),
    ("broken", |one| one.tried.broken.to_string()),
    ("second", |one| of_cascade(one, |found| found.judge.clone())),
    ("together", |one| of_cascade(one, |found| found.together)),
    ("escalated", |one| of_cascade(one, |found| found.escalated)),
    ("equal_together", |one| {
        of_cascade(one, |found| found.equal.together)
    }),
    ("equal_escalated", |one| {
        of_cascade(one, |found| found.equal.escalated)
    }),
];

fn of_cascade<T: ToString>(selection: &Selection, figure: fn(&Cascade) -> T) -> String {
    optional_cell(selection.cascade.as_ref().map(figure))
}

/// Returns one line.
///
/// # Errors
/// Those of the CSV writer.
pub fn selection_csv(selection: &Selection) -> Result<String, csv::Error> {
    csv_of(&CSV_COLUMNS, [selection])
}
