//! The ranking as a table for a terminal.

use self::Column::{Interval, Judgments, Rank, RankInterval, Score, StandardError, System};
use crate::terminal::{excerpt, printable};
use crate::view::{View, fitted, summary, warnings};
use crate::{JudgeUsage, Usage, dollars, grouped};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement};
use evenhand_engine::{
    AdaptiveReport, Alone, Drop, FailureRow, LabelledSystem, Labels, NoScore, PairBounds, PairRow,
    Report, Row, ScoreUnit, Share, StyleEffect,
};

/// Below this share of trials with a verdict, that is said before anything else.
const FEW_VERDICTS: f64 = 0.95;

/// The ranking, and below it what it rests on; before it, that much is missing where it is.
pub fn ranking_table(report: &Report, usage: &Usage, view: View) -> String {
    let missing = missing(report)
        .map(|missing| missing + "\n\n")
        .unwrap_or_default();
    format!(
        "{missing}{}\n\n{}",
        leaderboard(report, view),
        summary_table(report, usage, view)
    )
}

fn missing(report: &Report) -> Option<String> {
    let (verdicts, trials) = (report.coverage.verdicts, report.coverage.trials);
    let share = verdicts as f64 / trials.max(1) as f64;
    (trials > 0 && share < FEW_VERDICTS).then(|| {
        format!(
            "Only {} of {} trials ({:.0} %) came to a verdict; the others count for nobody.",
            grouped(verdicts),
            grouped(trials),
            100.0 * share
        )
    })
}

/// A column of the ranking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Rank,
    System,
    Score,
    StandardError,
    Interval,
    RankInterval,
    Judgments,
}

/// Columns that a narrow terminal does without, the least important first: all but the system and
/// its score.
const DROPPABLE: [Column; 5] = [Judgments, RankInterval, Rank, Interval, StandardError];

pub(crate) fn leaderboard(report: &Report, view: View) -> String {
    let columns = columns(report);
    let mut table = plain();
    table.set_header(
        columns
            .iter()
            .map(|column| header(*column, 100.0 * report.ci.level)),
    );
    let decimals = decimals(report);
    for row in &report.ranking {
        table.add_row(columns.iter().map(|column| cell(row, *column, decimals)));
    }
    for (_, cells) in columns
        .iter()
        .zip(table.column_iter_mut())
        .filter(|(column, _)| **column != System)
    {
        cells.set_cell_alignment(CellAlignment::Right);
    }
    let place = |column: &Column| columns.iter().position(|shown| shown == column);
    fitted(
        table,
        view,
        &DROPPABLE.iter().filter_map(place).collect::<Vec<_>>(),
    )
}

/// Those that have something to show.
fn columns(report: &Report) -> Vec<Column> {
    let errors = report
        .ranking
        .iter()
        .any(|row| row.standard_error.is_some());
    let all = [
        Rank,
        System,
        Score,
        StandardError,
        Interval,
        RankInterval,
        Judgments,
    ];
    all.into_iter()
        .filter(|column| errors || *column != StandardError)
        .collect()
}

fn header(column: Column, level: f64) -> String {
    match column {
        Rank => "rank".into(),
        System => "system".into(),
        Score => "score".into(),
        StandardError => "standard error".into(),
        Interval => format!("{level:.0} % interval"),
        RankInterval => "rank interval".into(),
        Judgments => "judgments".into(),
    }
}

fn cell(row: &Row, column: Column, decimals: usize) -> String {
    let number = |value: Option<f64>, none: &str| {
        value.map_or(none.to_string(), |v| format!("{v:.decimals$}"))
    };
    let range = |[low, high]: [Option<f64>; 2]| {
        format!("{} to {}", number(low, "-inf"), number(high, "+inf"))
    };
    match column {
        Rank => row.rank.map_or("-".into(), |rank| rank.to_string()),
        System => row.system.clone(),
        Score => number(row.score, missing_score(row)),
        StandardError => row
            .standard_error
            .map_or("-".into(), |error| format!("{error:.4}")),
        Interval => row.ci.map_or("-".into(), range),
        RankInterval => row
            .rank_ci
            .map_or("-".into(), |[low, high]| format!("{low} to {high}")),
        Judgments => grouped(row.n),
    }
}

fn missing_score(row: &Row) -> &'static str {
    match row.no_score {
        Some(NoScore::WonAll) => "+inf",
        Some(NoScore::LostAll) => "-inf",
        Some(NoScore::Undefined) | None => "-",
    }
}

/// Elo points are whole; shares and log-odds need three decimals, scores on a scale two.
fn decimals(report: &Report) -> usize {
    match report.unit {
        ScoreUnit::FittedElo | ScoreUnit::OnlineElo => 0,
        ScoreUnit::Points | ScoreUnit::FormPoints | ScoreUnit::FilePoints => 2,
        ScoreUnit::ComparisonsWon => 1,
        _ => 3,
    }
}

/// What the judgments are: judge, coverage, position consistency, calls, time, warnings.
pub fn summary_table(report: &Report, usage: &Usage, view: View) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let mut line = |key, value| rows.push((key, value));
    if !report.ranking.is_empty() {
        line(
            "score",
            format!("{} by {}", report.unit, report.aggregation),
        );
    }
    line("judge", report.judge.clone());
    line(
        "protocol",
        format!("{}, {}", report.protocol, report.design),
    );
    line("coverage", coverage(report));
    line("position", position(report));
    looks(report)
        .into_iter()
        .for_each(|(key, value)| line(key, value));
    line("usage", usage_line(usage));
    judge_lines(usage)
        .into_iter()
        .for_each(|value| line("", value));
    extras(report)
        .into_iter()
        .for_each(|(key, value)| line(key, value));
    let notes = report
        .ranking
        .iter()
        .filter_map(|row| Some((&row.system, row.note.as_ref()?)));
    notes.for_each(|(system, note)| line("note", format!("{system}: {note}")));
    report
        .first_failures
        .iter()
        .for_each(|first| line("failure", first_failure(first)));
    unread(report)
        .into_iter()
        .for_each(|advice| line("", advice));
    rows.extend(warnings(&report.warnings, view));
    summary(rows, view)
}

/// Who could read what the strict reader could not, where nobody was asked to.
fn unread(report: &Report) -> Option<String> {
    let replies = match report.unread {
        0 => return None,
        1 => "1 reply".into(),
        count => format!("{} replies", grouped(count)),
    };
    Some(format!(
        "{replies} could not be read; --second-stage JUDGE would have another model say which \
         verdict they express"
    ))
}

fn first_failure(first: &FailureRow) -> String {
    let systems = first.systems.join(" against ");
    format!(
        "{}, first: item {}, {systems}: {}",
        first.kind,
        first.item,
        excerpt(&first.detail, 300)
    )
}

pub(crate) fn coverage(report: &Report) -> String {
    let coverage = &report.coverage;
    let failures: Vec<String> = coverage
        .failures
        .iter()
        .map(|(kind, count)| format!("{} {kind}", grouped(*count)))
        .collect();
    let failures = if failures.is_empty() {
        "no failure".into()
    } else {
        failures.join(", ")
    };
    format!(
        "{} of {} trials have a verdict ({failures})",
        grouped(coverage.verdicts),
        grouped(coverage.trials)
    )
}

fn position(report: &Report) -> String {
    let first = report
        .first_slot
        .as_ref()
        .map(|first| format!("; the first response gets {}", percent(first)));
    match &report.consistency {
        Some(share) => format!(
            "the same outcome in both orders on {} of {} pairs{}",
            percent(share),
            grouped(share.n),
            first.unwrap_or_default()
        ),
        None if report.first_slot.is_some() => {
            format!(
                "not measured: no pair was judged in both orders{}",
                first.unwrap_or_default()
            )
        }
        None if report.pairwise => "not measured: no pair has a verdict".into(),
        None => "consistent by construction: no two responses are shown together".into(),
    }
}

/// What several looks at one trial say: of a panel, of a protocol with stages, of a second stage.
fn looks(report: &Report) -> Vec<(&'static str, String)> {
    let agreement = report.agreement.as_ref().map(|share| {
        (
            "panel",
            format!(
                "two members agree on {} of {} comparisons of their verdicts",
                percent(share),
                grouped(share.n)
            ),
        )
    });
    let listed = |counts: Vec<String>| counts.join(", ");
    let stages: Vec<String> = report
        .stages
        .iter()
        .map(|(stage, count)| format!("{} at {stage}", grouped(*count)))
        .collect();
    let sources: Vec<String> = report
        .sources
        .iter()
        .map(|(source, count)| format!("{} {source}", grouped(*count)))
        .collect();
    let stages =
        (!stages.is_empty()).then(|| ("stages", format!("trials ended {}", listed(stages))));
    let apart = report
        .sources
        .keys()
        .any(|source| ["second-stage", "person", "mixed"].contains(source));
    let sources = apart.then(|| ("read from", listed(sources)));
    [agreement, stages, sources].into_iter().flatten().collect()
}

/// What was asked for beside the ranking.
pub(crate) fn extras(report: &Report) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&str, String)> = report
        .style
        .iter()
        .map(|effect| ("control", effect_line(effect)))
        .collect();
    if let Some(labels) = &report.labels {
        lines.extend([
            ("labels", labels_line(labels)),
            ("intervals", narrower_line(labels)),
        ]);
        lines.extend(
            labels
                .systems
                .iter()
                .map(|system| ("alone", alone_line(system, decimals(report)))),
        );
    }
    let raw = report
        .ranking
        .iter()
        .filter_map(|row| Some((&row.system, row.raw_win_rate?)));
    lines.extend(raw.map(|(system, share)| {
        (
            "raw",
            format!("{system}: {share:.3} of comparisons won at the lengths given"),
        )
    }));
    lines.extend(report.adaptive.iter().flat_map(adaptive_lines));
    lines.extend(bounded_p_values(report).map(|line| ("p-values", line)));
    lines.extend(report.drop.iter().map(|drop| ("leader", drop_line(drop))));
    lines.extend(
        report
            .differences
            .iter()
            .map(|pair| ("pair", pair_line(pair, report))),
    );
    lines
}

/// What is certain, and of which pairs the order is not.
fn adaptive_lines(found: &AdaptiveReport) -> Vec<(&'static str, String)> {
    let of_items = found.certain_for == "items";
    let open: Vec<&PairBounds> = found
        .differences
        .iter()
        .filter(|pair| !pair.certified)
        .collect();
    let mut lines = vec![(
        "certain",
        format!(
            "the order of {} of {} pairs {}, all with chance {}, after {} of {} judgments (until \
             {}; ended: {}){}",
            found.certified.len(),
            found.differences.len(),
            if of_items {
                "on these very items"
            } else {
                "on items such as these, of which these are a random sample"
            },
            found.certainty,
            grouped(found.judged),
            grouped(found.of),
            found.until,
            found.ended,
            if of_items {
                "; it says nothing of other items (--certain-for population does)"
            } else {
                ""
            }
        ),
    )];
    let bounds = |pair: &&PairBounds| {
        format!(
            "{} over {}: {:.3} to {:.3}, {} items",
            pair.a, pair.b, pair.ci[0], pair.ci[1], pair.judged
        )
    };
    lines.extend(
        open.iter()
            .take(OPEN_SHOWN)
            .map(|pair| ("open", bounds(pair))),
    );
    if open.len() > OPEN_SHOWN {
        lines.push((
            "open",
            format!("and {} pairs more (--format json)", open.len() - OPEN_SHOWN),
        ));
    }
    lines
}

/// Pairs of an unknown order that a table shows.
const OPEN_SHOWN: usize = 10;

fn effect_line(effect: &StyleEffect) -> String {
    let ci = effect
        .ci
        .map(|[low, high]| format!(" ({low:.3} to {high:.3})"));
    format!(
        "{}: {:+.3} log-odds{}",
        effect.covariate,
        effect.log_odds,
        ci.unwrap_or_default()
    )
}

fn labels_line(labels: &Labels) -> String {
    let share = 100.0 * labels.labelled_share;
    let lambda = labels
        .lambda
        .map(|lambda| format!("; the judge is used by lambda {lambda:.3}"))
        .unwrap_or_default();
    format!(
        "{} of the judged rows have one ({share:.1} %){lambda}",
        grouped(labels.matched)
    )
}

fn narrower_line(labels: &Labels) -> String {
    let Some(narrower) = labels.narrower else {
        return "not to be compared with those of the labels alone".into();
    };
    let worth = labels
        .effective_labels
        .map(|worth| format!(", as of {worth:.0} labels"))
        .unwrap_or_default();
    format!(
        "on average {} than by the labels alone{worth}",
        width(narrower)
    )
}

fn alone_line(system: &LabelledSystem, decimals: usize) -> String {
    let alone = |alone: &Option<Alone>| match alone {
        None => "-".into(),
        Some(Alone { score, ci: None }) => format!("{score:.decimals$}"),
        Some(Alone {
            score,
            ci: Some([low, high]),
        }) => format!("{score:.decimals$} ({low:.decimals$} to {high:.decimals$})"),
    };
    let narrower = system
        .narrower
        .map(|narrower| format!("; together {}", width(narrower)))
        .unwrap_or_default();
    let (labels, judge) = (alone(&system.labels_only), alone(&system.judge_only));
    format!(
        "{}: labels {labels}, judge {judge}{narrower}",
        system.system
    )
}

/// A share by which an interval is narrower, in words.
fn width(narrower: f64) -> String {
    let word = if narrower < 0.0 { "wider" } else { "narrower" };
    format!("{:.1} % {word}", 100.0 * narrower.abs())
}

fn drop_line(drop: &Drop) -> String {
    let (Some(leader), Some(instead), Some(judgments), Some(share)) =
        (&drop.leader, &drop.instead, drop.judgments, drop.share)
    else {
        return format!(
            "not known how few judgments carry it: {}",
            drop.note.clone().unwrap_or_default()
        );
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

/// How many p-values the number of resamples limits, and how many would show more.
fn bounded_p_values(report: &Report) -> Option<String> {
    let bounds: Vec<f64> = report
        .differences
        .iter()
        .filter(|pair| pair.p_adjusted_is_bound)
        .filter_map(|pair| pair.p_adjusted)
        .collect();
    let most = bounds.iter().copied().fold(0.0, f64::max);
    let needed = (report.ci.rounds as f64 * most / 0.001).ceil() as u64;
    let more = if most > 0.001 {
        format!("; with --rounds {needed} they can fall below 0.001",)
    } else {
        String::new()
    };
    (!bounds.is_empty()).then(|| {
        format!(
            "no resample of {} was as extreme for {} of {} pairs: their p-values are bounds{more} \
             (--ci sandwich has none)",
            grouped(report.ci.rounds as u64),
            grouped(bounds.len() as u64),
            grouped(report.differences.len() as u64)
        )
    })
}

/// The better one first, as it comes in rank order.
fn pair_line(pair: &PairRow, report: &Report) -> String {
    let decimals = decimals(report);
    let (Some(difference), Some(p), Some(adjusted)) = (pair.difference, pair.p, pair.p_adjusted)
    else {
        return format!(
            "{} and {}: {}",
            pair.a,
            pair.b,
            pair.note.clone().unwrap_or_default()
        );
    };
    let end =
        |end: Option<f64>, none: &str| end.map_or(none.to_string(), |x| format!("{x:.decimals$}"));
    let level = 100.0 * report.ci.level;
    let ci = pair.ci.map_or(String::new(), |[low, high]| {
        format!(
            " ({level:.0} % interval {} to {})",
            end(low, "-inf"),
            end(high, "+inf")
        )
    });
    let p = format!("p {}", p_value(p, pair.p_is_bound));
    let pairs = report.differences.len();
    let of_all = format!(
        ", {} for all {} pairs",
        p_value(adjusted, pair.p_adjusted_is_bound),
        grouped(pairs as u64)
    );
    let of_all = if pairs > 1 { of_all } else { String::new() };
    format!(
        "{} is ahead of {} by {difference:.decimals$}{ci}, {p}{of_all}",
        pair.a, pair.b
    )
}

fn p_value(p: f64, is_bound: bool) -> String {
    let shown = if p < 0.001 {
        format!("{p:.1e}")
    } else {
        format!("{p:.3}")
    };
    if is_bound {
        format!("< {shown}")
    } else {
        shown
    }
}

fn percent(share: &Share) -> String {
    let ci = share
        .ci
        .map(|[low, high]| format!(" ({:.0} to {:.0})", 100.0 * low, 100.0 * high));
    format!("{:.0} %{}", 100.0 * share.value, ci.unwrap_or_default())
}

pub(crate) fn usage_line(usage: &Usage) -> String {
    let total = JudgeUsage {
        judge: String::new(),
        calls: usage.calls,
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        cached_tokens: usage.cached_tokens,
        reasoning_tokens: usage.reasoning_tokens,
        cost_usd: usage.cost_usd,
    };
    format!("{}; {:.1} s", tokens_and_cost(&total), usage.seconds)
}

/// What each of several judges took.
fn judge_lines(usage: &Usage) -> Vec<String> {
    let several = usage.judges.iter().filter(|_| usage.judges.len() > 1);
    several
        .map(|judge| format!("{}: {}", judge.judge, tokens_and_cost(judge)))
        .collect()
}

fn tokens_and_cost(usage: &JudgeUsage) -> String {
    let part = |count: u64, what: &str| {
        if count > 0 {
            format!(" ({} {what})", grouped(count))
        } else {
            String::new()
        }
    };
    format!(
        "{} calls, {} prompt tokens{}, {} written{}{}",
        grouped(usage.calls),
        grouped(usage.prompt_tokens),
        part(usage.cached_tokens, "from a cache"),
        grouped(usage.completion_tokens),
        part(usage.reasoning_tokens, "of reasoning"),
        usage
            .cost_usd
            .map(|usd| format!("; {}", dollars(usd)))
            .unwrap_or_default()
    )
}

/// The table without white space at the ends of its lines.
pub(crate) fn lines(table: &Table) -> String {
    table
        .0
        .lines()
        .map(|line| line.trim_end().to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

pub(crate) fn plain() -> Table {
    let mut table = comfy_table::Table::new();
    table.load_style(NOTHING);
    Table(table)
}

/// Characters of a cell for which no column is left out: it breaks between words instead.
const BROKEN: usize = 28;

/// A table for a terminal. Whatever is put into a cell, it can neither act on the terminal nor
/// begin a row.
pub(crate) struct Table(comfy_table::Table);

impl Table {
    pub(crate) fn set_header<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.0.set_header(
            cells
                .into_iter()
                .map(|cell| printable(cell.as_ref()).into_owned()),
        );
    }

    pub(crate) fn add_row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.0.add_row(
            cells
                .into_iter()
                .map(|cell| printable(cell.as_ref()).into_owned()),
        );
    }

    pub(crate) fn column_mut(&mut self, column: usize) -> Option<&mut comfy_table::Column> {
        self.0.column_mut(column)
    }

    /// Characters that its lines need, with the columns that are not hidden; a longer cell than
    /// [`BROKEN`] breaks between words.
    pub(crate) fn width(&self) -> usize {
        let widths = self
            .0
            .column_max_content_widths()
            .into_iter()
            .zip(self.0.column_iter());
        widths
            .filter(|(_, column)| column.constraint() != Some(&ColumnConstraint::Hidden))
            .map(|(width, _)| usize::from(width).min(BROKEN) + 2)
            .sum()
    }

    /// Hides a column, if there is one of that number.
    pub(crate) fn hide(&mut self, column: usize) -> bool {
        self.0
            .column_mut(column)
            .map(|column| column.set_constraint(ColumnConstraint::Hidden))
            .is_some()
    }

    /// Breaks cells between words, so that no line is longer.
    pub(crate) fn within(&mut self, width: usize) {
        self.0.set_content_arrangement(ContentArrangement::Dynamic);
        self.0.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }

    pub(crate) fn column_iter_mut(&mut self) -> impl Iterator<Item = &mut comfy_table::Column> {
        self.0.column_iter_mut()
    }
}
