//! What was asked for beside the ranking: covariates, people's labels, certainty, pairs.

use super::{range_text, score_decimals};
use crate::numbers::group_digits;
use crate::view::Line;
use evenhand_core::Setting;
use evenhand_engine::{
    AdaptiveReport, LabelledSystem, Labels, LeaderDrop, PairBounds, PairRow, Report, SourceScore,
    StyleEffect,
};

/// Pairs of an unknown order that a table shows.
const OPEN_SHOWN: usize = 10;

/// P-values below this are shown with their exponent.
const SMALL_P: f64 = 0.001;

pub(super) fn extra_lines(report: &Report) -> Vec<Line> {
    let mut lines: Vec<Line> = report.style.iter().map(effect_line).collect();
    lines.extend(
        report
            .labels
            .iter()
            .flat_map(|labels| label_lines(labels, score_decimals(report.unit))),
    );
    lines.extend(raw_win_rates(report));
    lines.extend(report.adaptive.iter().flat_map(adaptive_lines));
    lines.extend(bounded_p_values(report).map(|line| ("p-values", line)));
    lines.extend(report.drop.iter().map(|drop| ("leader", drop_text(drop))));
    lines.extend(pair_lines(report));
    lines
}

fn effect_line(effect: &StyleEffect) -> Line {
    let ci = effect.ci.map_or_else(String::new, |[low, high]| {
        format!(" ({low:.3} to {high:.3})")
    });
    (
        "control",
        format!("{}: {:+.3} log-odds{ci}", effect.covariate, effect.log_odds),
    )
}

fn raw_win_rates(report: &Report) -> impl Iterator<Item = Line> {
    report.ranking.iter().filter_map(|row| {
        let share = row.raw_win_rate?;
        let text = format!(
            "{}: {share:.3} of comparisons won at the lengths given",
            row.system
        );
        Some(("raw", text))
    })
}

fn label_lines(labels: &Labels, decimals: usize) -> Vec<Line> {
    let mut lines = vec![
        ("labels", matched_labels(labels)),
        ("intervals", narrower_intervals(labels)),
    ];
    let systems = labels.systems.iter();
    lines.extend(systems.map(|system| ("alone", each_source_alone(system, decimals))));
    lines
}

fn matched_labels(labels: &Labels) -> String {
    let share = 100.0 * labels.labelled_share;
    let lambda = labels.lambda.map_or_else(String::new, |lambda| {
        format!("; the judge's weight is lambda {lambda:.3}")
    });
    format!(
        "{} of the judged rows have one ({share:.1} %){lambda}",
        group_digits(labels.matched)
    )
}

fn narrower_intervals(labels: &Labels) -> String {
    let Some(narrower) = labels.narrower else {
        return "not comparable with those of the labels alone".into();
    };
    let worth = labels
        .effective_labels
        .map_or_else(String::new, |worth| format!(", as with {worth:.0} labels"));
    format!(
        "on average {} than by the labels alone{worth}",
        width_change(narrower)
    )
}

fn each_source_alone(system: &LabelledSystem, decimals: usize) -> String {
    let narrower = system.narrower.map_or_else(String::new, |narrower| {
        format!("; together {}", width_change(narrower))
    });
    let labels = score_alone(system.labels_only, decimals);
    let judge = score_alone(system.judge_only, decimals);
    format!(
        "{}: labels {labels}, judge {judge}{narrower}",
        system.system
    )
}

fn score_alone(alone: Option<SourceScore>, decimals: usize) -> String {
    match alone {
        None => "-".into(),
        Some(SourceScore { score, ci: None }) => format!("{score:.decimals$}"),
        Some(SourceScore {
            score,
            ci: Some(ends),
        }) => {
            let range = range_text(ends.map(Some), decimals);
            format!("{score:.decimals$} ({range})")
        }
    }
}

/// Returns the share by which an interval is narrower, in words.
fn width_change(narrower: f64) -> String {
    let word = if narrower < 0.0 { "wider" } else { "narrower" };
    format!("{:.1} % {word}", 100.0 * narrower.abs())
}

/// Says which orders are certain, and of which pairs the order is open.
fn adaptive_lines(found: &AdaptiveReport) -> Vec<Line> {
    let open: Vec<&PairBounds> = found
        .differences
        .iter()
        .filter(|pair| !pair.certified)
        .collect();
    let mut lines = vec![("certain", certain_orders(found))];
    let shown = open.iter().take(OPEN_SHOWN);
    lines.extend(shown.map(|pair| ("open", pair_bounds(pair))));
    if open.len() > OPEN_SHOWN {
        let more = open.len() - OPEN_SHOWN;
        let text = format!("and {more} pairs more ({} json)", Setting::Format);
        lines.push(("open", text));
    }
    lines
}

fn certain_orders(found: &AdaptiveReport) -> String {
    let (holds_for, caveat) = if found.certain_for == "items" {
        let caveat = format!(
            "; it says nothing about other items ({} population does)",
            Setting::CertainFor
        );
        ("on these very items", caveat)
    } else {
        (
            "on items such as these, of which these are a random sample",
            String::new(),
        )
    };
    format!(
        "the order of {} of {} pairs {holds_for}, all with chance {}, after {} of {} judgments \
         (until {}; ended: {}){caveat}",
        found.certified.len(),
        found.differences.len(),
        found.certainty,
        group_digits(found.judged),
        group_digits(found.of),
        found.until,
        found.ended,
    )
}

fn pair_bounds(pair: &PairBounds) -> String {
    format!(
        "{} over {}: {:.3} to {:.3}, {} items",
        pair.a, pair.b, pair.ci[0], pair.ci[1], pair.judged
    )
}

fn drop_text(drop: &LeaderDrop) -> String {
    let (Some(leader), Some(instead), Some(judgments), Some(share)) =
        (&drop.leader, &drop.instead, drop.judgments, drop.share)
    else {
        let why = drop.note.clone().unwrap_or_default();
        return format!("how few judgments it rests on is not known: {why}");
    };
    let verified = if drop.verified {
        ""
    } else {
        " (not confirmed by a refit)"
    };
    format!(
        "without {judgments:.0} judgments ({:.2} %), {instead} is ahead of {leader}{verified}",
        100.0 * share
    )
}

/// Says how many p-values the number of resamples limits, and how many resamples would show more.
fn bounded_p_values(report: &Report) -> Option<String> {
    let bounds: Vec<f64> = report
        .differences
        .iter()
        .filter(|pair| pair.p_adjusted_is_bound)
        .filter_map(|pair| pair.p_adjusted)
        .collect();
    if bounds.is_empty() {
        return None;
    }
    Some(format!(
        "no resample of {} was as extreme for {} of {} pairs: their p-values are bounds{} ({} \
         sandwich has none)",
        group_digits(report.ci.rounds as u64),
        group_digits(bounds.len() as u64),
        group_digits(report.differences.len() as u64),
        rounds_for_smaller_p(report, &bounds),
        Setting::Ci
    ))
}

fn rounds_for_smaller_p(report: &Report, bounds: &[f64]) -> String {
    let largest = bounds.iter().copied().fold(0.0, f64::max);
    if largest <= SMALL_P {
        return String::new();
    }
    let needed = (report.ci.rounds as f64 * largest / SMALL_P).ceil() as u64;
    format!(
        "; with {} {needed} they can fall below {SMALL_P}",
        Setting::Rounds
    )
}

fn pair_lines(report: &Report) -> impl Iterator<Item = Line> {
    report
        .differences
        .iter()
        .map(|pair| ("pair", pair_text(pair, report)))
}

/// Names the better one first, as pairs come in rank order.
fn pair_text(pair: &PairRow, report: &Report) -> String {
    let PairRow { a, b, .. } = pair;
    let (Some(difference), Some(p), Some(adjusted)) = (pair.difference, pair.p, pair.p_adjusted)
    else {
        return format!("{a} and {b}: {}", pair.note.clone().unwrap_or_default());
    };
    let decimals = score_decimals(report.unit);
    let p = p_value(p, pair.p_is_bound);
    let mut text = format!("{a} is ahead of {b} by {difference:.decimals$}");
    text += &difference_interval(pair, report);
    text += &format!(", p {p}");
    if report.differences.len() > 1 {
        let adjusted = p_value(adjusted, pair.p_adjusted_is_bound);
        let pairs = group_digits(report.differences.len() as u64);
        text += &format!(", {adjusted} for all {pairs} pairs");
    }
    text
}

fn difference_interval(pair: &PairRow, report: &Report) -> String {
    let level = 100.0 * report.ci.level;
    pair.ci.map_or_else(String::new, |ci| {
        let range = range_text(ci, score_decimals(report.unit));
        format!(" ({level:.0} % interval {range})")
    })
}

fn p_value(p: f64, is_bound: bool) -> String {
    let sign = if is_bound { "< " } else { "" };
    if p < SMALL_P {
        format!("{sign}{p:.1e}")
    } else {
        format!("{sign}{p:.3}")
    }
}
