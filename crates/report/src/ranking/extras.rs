//! The parts of a report beside the ranking: covariates, people's labels, certainty, pairs.

use super::pairs::{about_pairs, pair_text};
use super::{range_text, score_decimals};
use crate::numbers::{count_of, group_digits, or_blank, or_dash};
use crate::view::Line;
use evenhand_core::{Setting, list_names};
use evenhand_engine::{AdaptiveReport, CertainFor, TournamentReport};
use evenhand_ranking::{
    CorrectedPassRate, EloEffect, Labels, LeaderDrop, PanelJudge, Report, Share, SourceScore,
    StyleEffect,
};

/// Pairs of an unknown order that a table shows.
const OPEN_SHOWN: usize = 10;

/// P-values below this are shown with their exponent.
const SMALL_P: f64 = 0.001;

/// Returns what the options asked for beside the ranking, and the notes on its systems.
pub(super) fn lines_about_systems(report: &Report) -> Vec<Line> {
    let mut lines: Vec<Line> = report.style.iter().map(effect_line).collect();
    lines.extend(report.panel.iter().map(judge_line));
    if let Some(labels) = &report.labels {
        lines.extend(label_lines(labels, score_decimals(report.unit)));
    }
    for row in &report.ranking {
        if let Some(share) = row.raw_win_rate {
            let system = &row.system;
            let text = format!("{system}: {share:.3} of comparisons won at the lengths given");
            lines.push(("raw", text));
        }
    }
    if let Some(found) = &report.adaptive {
        lines.extend(adaptive_lines(found));
    }
    lines.extend(report.tournament.iter().flat_map(tournament_lines));
    if let Some(upkeep) = &report.upkeep {
        if let Some(anchor) = &upkeep.anchor {
            let (system, rating) = (&anchor.system, anchor.rating);
            let text =
                format!("{system} is {rating}; an interval is that of the difference from it");
            lines.push(("anchor", text));
        }
        if !upkeep.left_out.is_empty() {
            let names = list_names(upkeep.left_out.iter().cloned());
            let least = group_digits(upkeep.min_battles);
            let are = if upkeep.left_out.len() == 1 {
                "has"
            } else {
                "have"
            };
            let text = format!("{names} {are} fewer than {least} battles in all");
            lines.push(("left out", text));
        }
    }
    if !report.kept.is_empty() {
        let kept = report.kept.join(" ");
        lines.push(("kept", format!("{kept}, in every edition of this board")));
    }
    lines.extend(bounded_p_values(report).map(|text| ("p-values", text)));
    lines.extend(report.drop.iter().map(|drop| ("leader", drop_text(drop))));
    let pairs = report.differences.iter();
    lines.extend(pairs.map(|pair| ("pair", pair_text(pair, report))));
    if !report.differences.is_empty() {
        lines.push(("pairs", about_pairs()));
    }
    for row in &report.ranking {
        if let Some(note) = &row.note {
            lines.push(("note", format!("{}: {note}", row.system)));
        }
    }
    lines
}

fn effect_line(effect: &StyleEffect) -> Line {
    let StyleEffect {
        covariate,
        normalised,
        log_odds,
        ci,
        elo,
        note,
    } = effect;
    let note = or_blank(note.as_ref(), |note| format!("; no interval: {note}"));
    if let Some(EloEffect { points, ci }) = elo {
        let ci = or_blank(*ci, |[low, high]| format!(" ({low:.1} to {high:.1})"));
        let text =
            format!("{covariate}: being shown first is worth {points:+.1} Elo points{ci}{note}");
        return ("control", text);
    }
    // What one more letter is worth is small: two digits of the interval's width are shown.
    let width = ci.map_or(1.0, |[low, high]| high - low);
    let decimals = match width {
        0.01.. => 3,
        0.001.. => 4,
        0.0001.. => 5,
        _ => 6,
    };
    let ci = or_blank(*ci, |[low, high]| {
        format!(" ({low:.decimals$} to {high:.decimals$})")
    });
    let per = match *normalised {
        true => "one standard deviation".into(),
        false => format!("one more of {covariate}"),
    };
    let text = format!("{covariate}: {log_odds:+.decimals$} log-odds{ci} for {per}{note}");
    ("control", text)
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

/// Says how many judged rows people labelled, how much narrower that makes intervals, and what each
/// source would say alone.
fn label_lines(labels: &Labels, decimals: usize) -> Vec<Line> {
    let lambda = or_blank(labels.lambda, |lambda| {
        format!("; the judge's weight is lambda {lambda:.3}")
    });
    let matched = format!(
        "{} of the judged rows have one ({:.1} %){lambda}",
        group_digits(labels.matched),
        100.0 * labels.labelled_share
    );
    let intervals = match labels.narrower {
        None => "not comparable with those of the labels alone".into(),
        Some(narrower) if narrower >= SHOWN_GAIN => {
            let worth = or_blank(labels.effective_labels, |worth| {
                format!(", as with {worth:.0} labels")
            });
            let change = width_change(narrower);
            format!("on average {change} than by the labels alone{worth}")
        }
        Some(narrower) => {
            let change = match narrower.abs() >= SHOWN_GAIN {
                true => format!("{} than", width_change(narrower)),
                false => "as wide as".into(),
            };
            format!(
                "on average {change} by the labels alone: the judge adds nothing here, the labels \
                 alone say as much"
            )
        }
    };
    let mut lines = vec![("labels", matched), ("intervals", intervals)];
    let score = |alone: Option<SourceScore>| {
        or_dash(alone, |SourceScore { score, ci }| {
            let range = or_blank(ci, |ends| {
                format!(" ({})", range_text(ends.map(Some), decimals))
            });
            format!("{score:.decimals$}{range}")
        })
    };
    for alone in &labels.systems {
        let shown = alone.narrower.filter(|change| change.abs() >= SHOWN_GAIN);
        let narrower = or_blank(shown, |narrower| {
            format!("; together {}", width_change(narrower))
        });
        let text = format!(
            "{}: labels {}, judge {}{narrower}",
            alone.system,
            score(alone.labels_only),
            score(alone.judge_only)
        );
        lines.push(("alone", text));
    }
    for one in &labels.systems {
        if let Some(rate) = &one.corrected {
            lines.push(("corrected", corrected_rate(&one.system, rate)));
        }
    }
    lines
}

/// Says what people would pass, by how often the judge is wrong on what they passed and failed.
fn corrected_rate(name: &str, found: &CorrectedPassRate) -> String {
    let percent = |share: f64, ci: Option<[f64; 2]>| {
        let range = or_blank(ci, |[low, high]| {
            format!(" ({:.1} to {:.1})", 100.0 * low, 100.0 * high)
        });
        format!("{:.1} %{range}", 100.0 * share)
    };
    let share = |share: &Option<Share>| {
        or_dash(share.as_ref(), |share| {
            let percent = percent(share.value, share.ci);
            format!("{percent} of {}", group_digits(share.n))
        })
    };
    let rate = or_dash(found.rate, |rate| percent(rate, found.ci));
    let note = or_blank(found.note.as_ref(), |note| format!("; {note}"));
    format!(
        "{name}: {rate} by the judge's sensitivity {} and specificity {}{note}",
        share(&found.sensitivity),
        share(&found.specificity)
    )
}

/// A gain or loss of width below this is that of other labels as well: nothing is said of it.
const SHOWN_GAIN: f64 = 0.01;

/// Returns the share by which an interval is narrower, in words.
fn width_change(narrower: f64) -> String {
    let word = if narrower < 0.0 { "wider" } else { "narrower" };
    format!("{:.1} % {word}", 100.0 * narrower.abs())
}

/// Says which orders are certain, and of which pairs the order is open.
fn adaptive_lines(found: &AdaptiveReport) -> Vec<Line> {
    // Certain of these items only, or of the population they stand for.
    let (scope, caveat) = match found.certain_for {
        CertainFor::Items => (
            "on these very items",
            format!("; for items in general: {} population", Setting::CertainFor),
        ),
        CertainFor::Population => (
            "on items such as these, of which these are a random sample",
            String::new(),
        ),
    };
    let certain = format!(
        "the order of {} of {} pairs {scope}, all with chance {}, after {} of {} were judged \
         (until {}; ended: {}){caveat}",
        found.certified.len(),
        found.differences.len(),
        found.certainty,
        group_digits(found.judged),
        group_digits(found.of),
        found.until,
        found.ended
    );
    let mut lines = vec![("certain", certain)];
    let pairs = found.differences.iter();
    let open: Vec<_> = pairs.filter(|pair| !pair.certified).collect();
    for pair in open.iter().take(OPEN_SHOWN) {
        let text = format!(
            "{} over {}: {:.3} to {:.3}, {} items",
            pair.a, pair.b, pair.ci[0], pair.ci[1], pair.judged
        );
        lines.push(("open", text));
    }
    let more = open.len().saturating_sub(OPEN_SHOWN);
    if more > 0 {
        let text = format!("and {more} pairs more ({} json)", Setting::Format);
        lines.push(("open", text));
    }
    lines
}

/// Says how many pairs met, and on which items.
fn tournament_lines(found: &TournamentReport) -> Vec<Line> {
    let pairs = count_of(found.meetings.len() as u64, "pair", "pairs");
    let left_out = match found.left_out {
        0 => String::new(),
        items => format!(
            "; {} not answered by all",
            count_of(items as u64, "item", "items")
        ),
    };
    let text = format!(
        "{pairs} met ({}), {} of {} comparisons of a round robin; who met whom was decided on {}, \
         and the ranking rests on the other {}{left_out}",
        found.design,
        group_digits(found.judged),
        group_digits(found.of),
        count_of(found.deciding_items as u64, "item", "items"),
        group_digits(found.ranking_items as u64),
    );
    let mut lines = vec![("tournament", text)];
    if found.failed > 0 {
        let trials = count_of(found.failed, "trial", "trials");
        let text =
            format!("{trials} on the deciding items without a verdict, half for either side");
        lines.push(("tournament", text));
    }
    lines
}

fn drop_text(drop: &LeaderDrop) -> String {
    let (Some(leader), Some(instead), Some(judgments), Some(share)) =
        (&drop.leader, &drop.instead, drop.judgments, drop.share)
    else {
        let why = drop.note.as_deref().unwrap_or_default();
        return format!("how few judgments it rests on is not known: {why}");
    };
    let percent = 100.0 * share;
    let caveat = if drop.verified {
        ""
    } else {
        " (not confirmed by a refit)"
    };
    let plural = if judgments < 1.5 { "" } else { "s" };
    format!(
        "without {judgments:.0} judgment{plural} ({percent:.2} %), {instead} is ahead of \
         {leader}{caveat}"
    )
}

/// Says how many p-values the number of resamples limits, and how many resamples would show more.
fn bounded_p_values(report: &Report) -> Option<String> {
    let pairs = report.differences.iter();
    let bounded = pairs.filter(|pair| pair.p_adjusted_is_bound);
    let bounds: Vec<f64> = bounded.filter_map(|pair| pair.p_adjusted).collect();
    let largest = bounds.iter().copied().reduce(f64::max)?;
    // The smallest p-value of R patterns is 1 / (R + 1).
    let more = if largest <= SMALL_P {
        String::new()
    } else {
        format!(
            "; with {} {} they can fall below {SMALL_P}",
            Setting::Rounds,
            (1.0 / SMALL_P).ceil() as u64
        )
    };
    Some(format!(
        "no pattern of signs was as extreme for {} of {} pairs: their p-values are bounds{more}",
        group_digits(bounds.len() as u64),
        group_digits(report.differences.len() as u64)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_of_one_letter_is_shown_to_two_digits_of_its_width() {
        let effect = |normalised: bool, log_odds: f64, ci: Option<[f64; 2]>| {
            let effect = StyleEffect {
                covariate: "len_a".into(),
                normalised,
                log_odds,
                ci,
                elo: None,
                note: None,
            };
            effect_line(&effect).1
        };
        assert_eq!(
            effect(false, 0.000_97, Some([0.000_89, 0.001_05])),
            "len_a: +0.00097 log-odds (0.00089 to 0.00105) for one more of len_a"
        );
        assert_eq!(
            effect(true, 0.5, Some([0.4, 0.6])),
            "len_a: +0.500 log-odds (0.400 to 0.600) for one standard deviation"
        );
        assert_eq!(
            effect(false, 0.5, None),
            "len_a: +0.500 log-odds for one more of len_a"
        );
    }

    #[test]
    fn a_judge_that_narrows_nothing_is_said_to_add_nothing() {
        let mut labels = Labels {
            narrower: Some(0.0),
            ..Labels::default()
        };
        let said = |labels: &Labels| label_lines(labels, 0)[1].1.clone();
        assert_eq!(
            said(&labels),
            "on average as wide as by the labels alone: the judge adds nothing here, the labels \
             alone say as much"
        );
        for (narrower, expected) in [
            (
                0.009,
                "on average as wide as by the labels alone: the judge",
            ),
            (
                -0.02,
                "on average 2.0 % wider than by the labels alone: the judge",
            ),
        ] {
            labels.narrower = Some(narrower);
            assert!(said(&labels).starts_with(expected), "{}", said(&labels));
        }
        labels.narrower = Some(0.062);
        assert_eq!(
            said(&labels),
            "on average 6.2 % narrower than by the labels alone"
        );
    }
}
