//! The parts of a report beside the ranking: covariates, people's labels, certainty, pairs.

use super::{range_text, score_decimals, system_notes};
use crate::numbers::{group_digits, or_blank};
use crate::view::Line;
use evenhand_core::Setting;
use evenhand_engine::{
    AdaptiveReport, Anchor, CorrectedPassRate, LabelledSystem, Labels, LeaderDrop, PairBounds,
    PairRow, PanelJudge, Report, Share, SourceScore, StyleEffect, UpkeepReport,
};

/// Pairs of an unknown order that a table shows.
const OPEN_SHOWN: usize = 10;

/// P-values below this are shown with their exponent.
const SMALL_P: f64 = 0.001;

/// Returns what the options asked for beside the ranking, and the notes on its systems.
pub(super) fn lines_about_systems(report: &Report) -> impl Iterator<Item = Line> {
    extra_lines(report).into_iter().chain(system_notes(report))
}

fn extra_lines(report: &Report) -> Vec<Line> {
    let labels = report.labels.iter();
    let mut lines: Vec<Line> = report.style.iter().map(effect_line).collect();
    lines.extend(report.panel.iter().map(judge_line));
    lines.extend(labels.flat_map(|labels| label_lines(labels, report)));
    lines.extend(raw_win_rates(report));
    lines.extend(report.adaptive.iter().flat_map(adaptive_lines));
    lines.extend(report.upkeep.iter().flat_map(upkeep_lines));
    lines.extend(comparison_lines(report));
    lines
}

/// Returns what compares systems with each other: p-values, the leader, pairs.
fn comparison_lines(report: &Report) -> impl Iterator<Item = Line> {
    let bounded = bounded_p_values(report).map(|line| ("p-values", line));
    let leader = report.drop.iter().map(|drop| ("leader", drop_text(drop)));
    bounded.into_iter().chain(leader).chain(pair_lines(report))
}

/// Says which system is fixed at which rating, and who has too few battles to be ranked.
fn upkeep_lines(upkeep: &UpkeepReport) -> Vec<Line> {
    let anchor = upkeep.anchor.iter().map(|Anchor { system, rating }| {
        (
            "anchor",
            format!("{system} is {rating}; an interval is that of the difference from it"),
        )
    });
    let left_out = (!upkeep.left_out.is_empty()).then(|| {
        let (least, names) = (upkeep.min_battles, upkeep.left_out.join(", "));
        ("left out", format!("fewer than {least} battles: {names}"))
    });
    anchor.chain(left_out).collect()
}

fn effect_line(effect: &StyleEffect) -> Line {
    let StyleEffect {
        covariate,
        log_odds,
        ci,
        note,
    } = effect;
    let ci = or_blank(*ci, |[low, high]| format!(" ({low:.3} to {high:.3})"));
    let note = or_blank(note.as_ref(), |note| format!("; no interval: {note}"));
    (
        "control",
        format!("{covariate}: {log_odds:+.3} log-odds{ci}{note}"),
    )
}

/// Says how far a judge tells systems apart, beside the average judge of the panel.
fn judge_line(judge: &PanelJudge) -> Line {
    let value = or_blank(judge.discrimination, |d| format!("discrimination {d:.2}, "));
    let ci = or_blank(judge.ci, |[low, high]| format!("{low:.2} to {high:.2}, "));
    let note = or_blank(judge.note.as_ref(), |note| format!("; {note}"));
    let n = group_digits(judge.n);
    let name = &judge.judge;
    ("judge", format!("{name}: {value}{ci}{n} comparisons{note}"))
}

fn raw_win_rates(report: &Report) -> impl Iterator<Item = Line> {
    let rows = report.ranking.iter();
    let rates = rows.filter_map(|row| Some((&row.system, row.raw_win_rate?)));
    rates.map(|(system, share)| {
        let text = format!("{system}: {share:.3} of comparisons won at the lengths given");
        ("raw", text)
    })
}

fn label_lines(labels: &Labels, report: &Report) -> Vec<Line> {
    let decimals = score_decimals(report.unit);
    let mut lines = vec![
        ("labels", matched_labels(labels)),
        ("intervals", narrower_intervals(labels)),
    ];
    let systems = labels.systems.iter();
    lines.extend(
        systems
            .clone()
            .map(|system| ("alone", each_source_alone(system, decimals))),
    );
    let corrected = systems.filter_map(|one| Some((&one.system, one.corrected.as_ref()?)));
    lines.extend(corrected.map(|(name, rate)| ("corrected", corrected_rate(name, rate))));
    lines
}

fn matched_labels(labels: &Labels) -> String {
    let lambda = or_blank(labels.lambda, |lambda| {
        format!("; the judge's weight is lambda {lambda:.3}")
    });
    format!(
        "{} of the judged rows have one ({:.1} %){lambda}",
        group_digits(labels.matched),
        100.0 * labels.labelled_share
    )
}

fn narrower_intervals(labels: &Labels) -> String {
    let Some(narrower) = labels.narrower else {
        return "not comparable with those of the labels alone".into();
    };
    let worth = or_blank(labels.effective_labels, |worth| {
        format!(", as with {worth:.0} labels")
    });
    let change = width_change(narrower);
    format!("on average {change} than by the labels alone{worth}")
}

fn each_source_alone(alone: &LabelledSystem, decimals: usize) -> String {
    let narrower = or_blank(alone.narrower, |narrower| {
        format!("; together {}", width_change(narrower))
    });
    let [labels, judge] =
        [alone.labels_only, alone.judge_only].map(|source| score_alone(source, decimals));
    format!("{}: labels {labels}, judge {judge}{narrower}", alone.system)
}

fn score_alone(alone: Option<SourceScore>, decimals: usize) -> String {
    let Some(SourceScore { score, ci }) = alone else {
        return "-".into();
    };
    let range = or_blank(ci, |ends| {
        format!(" ({})", range_text(ends.map(Some), decimals))
    });
    format!("{score:.decimals$}{range}")
}

/// Says what people would pass, by how often the judge is wrong on what they passed and failed.
fn corrected_rate(name: &str, found: &CorrectedPassRate) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let range = |ci: Option<[f64; 2]>| {
        or_blank(ci, |[low, high]| {
            format!(" ({:.1} to {:.1})", 100.0 * low, 100.0 * high)
        })
    };
    let share = |share: &Option<Share>| match share {
        Some(share) => format!(
            "{}{} of {}",
            percent(share.value),
            range(share.ci),
            group_digits(share.n)
        ),
        None => "-".into(),
    };
    let rate = match found.rate {
        Some(rate) => format!("{}{}", percent(rate), range(found.ci)),
        None => "-".into(),
    };
    let note = or_blank(found.note.as_ref(), |note| format!("; {note}"));
    format!(
        "{name}: {rate} by the judge's sensitivity {} and specificity {}{note}",
        share(&found.sensitivity),
        share(&found.specificity)
    )
}

/// Returns the share by which an interval is narrower, in words.
fn width_change(narrower: f64) -> String {
    let word = if narrower < 0.0 { "wider" } else { "narrower" };
    format!("{:.1} % {word}", 100.0 * narrower.abs())
}

/// Says which orders are certain, and of which pairs the order is open.
fn adaptive_lines(found: &AdaptiveReport) -> Vec<Line> {
    let open = open_pairs(found);
    let shown = open.iter().take(OPEN_SHOWN);
    let mut lines = vec![("certain", certain_orders(found))];
    lines.extend(shown.map(|pair| ("open", pair_bounds(pair))));
    lines.extend(more_open_pairs(open.len()));
    lines
}

/// Returns the pairs whose order is not certain.
fn open_pairs(found: &AdaptiveReport) -> Vec<&PairBounds> {
    let pairs = found.differences.iter();
    pairs.filter(|pair| !pair.certified).collect()
}

/// Says how many open pairs are not shown, where some are not.
fn more_open_pairs(open: usize) -> Option<Line> {
    let more = open.saturating_sub(OPEN_SHOWN);
    (more > 0).then(|| {
        let text = format!("and {more} pairs more ({} json)", Setting::Format);
        ("open", text)
    })
}

fn certain_orders(found: &AdaptiveReport) -> String {
    format!(
        "the order of {} of {} pairs {}, all with chance {}, after {} of {} judgments \
         (until {}; ended: {}){}",
        found.certified.len(),
        found.differences.len(),
        certain_scope(found),
        found.certainty,
        group_digits(found.judged),
        group_digits(found.of),
        found.until,
        found.ended,
        certain_caveat(found)
    )
}

/// Whether the certainty is about these items only, not about the population they stand for.
fn is_for_these_items(found: &AdaptiveReport) -> bool {
    found.certain_for == "items"
}

fn certain_scope(found: &AdaptiveReport) -> &'static str {
    if is_for_these_items(found) {
        "on these very items"
    } else {
        "on items such as these, of which these are a random sample"
    }
}

fn certain_caveat(found: &AdaptiveReport) -> String {
    if !is_for_these_items(found) {
        return String::new();
    }
    format!(
        "; it says nothing about other items ({} population does)",
        Setting::CertainFor
    )
}

fn pair_bounds(pair: &PairBounds) -> String {
    format!(
        "{} over {}: {:.3} to {:.3}, {} items",
        pair.a, pair.b, pair.ci[0], pair.ci[1], pair.judged
    )
}

fn drop_text(drop: &LeaderDrop) -> String {
    known_drop_text(drop).unwrap_or_else(|| {
        let why = drop.note.as_deref().unwrap_or_default();
        format!("how few judgments it rests on is not known: {why}")
    })
}

fn known_drop_text(drop: &LeaderDrop) -> Option<String> {
    let (leader, instead) = (drop.leader.as_ref()?, drop.instead.as_ref()?);
    let (judgments, percent) = (drop.judgments?, 100.0 * drop.share?);
    let caveat = unconfirmed_text(drop);
    Some(format!(
        "without {judgments:.0} judgments ({percent:.2} %), {instead} is ahead of {leader}{caveat}"
    ))
}

fn unconfirmed_text(drop: &LeaderDrop) -> &'static str {
    if drop.verified {
        ""
    } else {
        " (not confirmed by a refit)"
    }
}

/// Says how many p-values the number of resamples limits, and how many resamples would show more.
fn bounded_p_values(report: &Report) -> Option<String> {
    let bounds = p_value_bounds(report);
    let largest = bounds.iter().copied().reduce(f64::max)?;
    let [bounded, pairs] = [bounds.len(), report.differences.len()].map(|n| group_digits(n as u64));
    Some(format!(
        "no pattern of signs was as extreme for {bounded} of {pairs} pairs: their p-values are \
         bounds{}",
        rounds_for_smaller_p(largest)
    ))
}

fn p_value_bounds(report: &Report) -> Vec<f64> {
    let pairs = report.differences.iter();
    pairs
        .filter(|pair| pair.p_adjusted_is_bound)
        .filter_map(|pair| pair.p_adjusted)
        .collect()
}

fn rounds_for_smaller_p(largest: f64) -> String {
    if largest <= SMALL_P {
        return String::new();
    }
    // The smallest p-value of R patterns is 1 / (R + 1).
    let needed = (1.0 / SMALL_P).ceil() as u64;
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
    compared_pair_text(pair, report).unwrap_or_else(|| {
        let PairRow { a, b, note, .. } = pair;
        format!("{a} and {b}: {}", note.as_deref().unwrap_or_default())
    })
}

fn compared_pair_text(pair: &PairRow, report: &Report) -> Option<String> {
    let PairRow { a, b, .. } = pair;
    let (difference, p) = (pair.difference?, p_value(pair.p?, pair.p_is_bound));
    let adjusted = adjusted_p_text(pair, report)?;
    let interval = difference_interval(pair, report);
    let decimals = score_decimals(report.unit);
    let said = match difference {
        0.0 => format!("{a} and {b} are even:"),
        _ => format!("{a} is ahead of {b} by"),
    };
    Some(format!(
        "{said} {difference:.decimals$}{interval}, p {p}{adjusted}"
    ))
}

/// Returns the p-value adjusted for all pairs; blank where there is one pair, so nothing to adjust.
fn adjusted_p_text(pair: &PairRow, report: &Report) -> Option<String> {
    let adjusted = p_value(pair.p_adjusted?, pair.p_adjusted_is_bound);
    Some(match report.differences.len() {
        1 => String::new(),
        pairs => format!(", {adjusted} for all {} pairs", group_digits(pairs as u64)),
    })
}

fn difference_interval(pair: &PairRow, report: &Report) -> String {
    or_blank(pair.ci, |ci| {
        let level = 100.0 * report.ci.level;
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
