//! The figures of a ranking: scores, ranks, what the judge's verdicts say of its order effect.

use super::ranking_pairs::{certain_figure, differences_figures};
use super::words::{Number, Written, finite_ends};
use super::{Axis, DotRow, Dots, Figure};
use crate::numbers::{count_of, group_digits};
use crate::ranking::score_decimals;
use crate::slices::{deviations_figure, slice_name};
use evenhand_engine::{
    CriterionRanking, IntervalMethod, NoScore, RankingRow, Report, ScoreUnit, Share, SourceScore,
};

/// Returns the figures of a ranking, its scores first; none where there is no ranking.
pub fn figures_of_ranking(report: &Report) -> Vec<Figure> {
    let mut figures: Vec<Figure> = scores_figure(report).into_iter().collect();
    figures.extend(ranks_figure(report));
    figures.extend(differences_figures(report));
    figures.extend(certain_figure(report));
    figures.extend(turns_figure(report));
    figures.extend(beyond_figure(report));
    figures.extend(slices_figure(report));
    figures.extend(criteria_figures(report));
    figures.extend(sources_figure(report));
    figures.extend(style_figure(report));
    figures.extend(position_figure(report));
    figures
}

/// Returns the scores with their intervals, in the order of the ranking.
fn scores_figure(report: &Report) -> Option<Figure> {
    let scores = Scores::of_report(report);
    let rows = report.ranking.iter().map(|row| scores.row(row));
    let dots = Dots {
        title: "Scores".into(),
        note: Some(interval_words(&report.ci, report.seed)),
        axis: scores.axis(),
        rows: rows.collect(),
    };
    dots.if_any()
}

/// How the scores of a ranking are written.
#[derive(Clone, Copy)]
struct Scores {
    unit: ScoreUnit,
    written: Written,
}

impl Scores {
    fn of_report(report: &Report) -> Scores {
        Scores::of_unit(report.unit, report)
    }

    fn of_unit(unit: ScoreUnit, report: &Report) -> Scores {
        let written = Written {
            decimals: score_decimals(unit),
            level: report.ci.level,
        };
        Scores { unit, written }
    }

    fn axis(self) -> Axis {
        Axis::linear(self.unit.to_string())
    }

    fn row(self, row: &RankingRow) -> DotRow {
        let number = Number {
            value: row.score.filter(|score| score.is_finite()),
            ci: finite_ends(row.ci),
            note: row.note.as_deref(),
        };
        let drawn = self.written.row(row.system.as_str(), number);
        let drawn = drawn.saying(&rank_words(row));
        match row.no_score {
            Some(NoScore::WonAll) => without_score(drawn, "+inf", row),
            Some(NoScore::LostAll) => without_score(drawn, "-inf", row),
            _ => drawn,
        }
    }
}

/// Says in the place of a score why it is infinite.
fn without_score(drawn: DotRow, score: &str, row: &RankingRow) -> DotRow {
    let note = row.note.as_ref().map(|note| format!(": {note}"));
    let text = format!("{score}{}", note.unwrap_or_default());
    DotRow { text, ..drawn }.saying(&rank_words(row))
}

/// Returns `rank 1 to 2, 40 judgments`.
fn rank_words(row: &RankingRow) -> String {
    let judgments = count_of(row.n, "judgment", "judgments");
    let rank = match (row.rank, row.rank_ci) {
        (_, Some([low, high])) if low < high => format!("rank {low} to {high}, "),
        (Some(rank), _) => format!("rank {rank}, "),
        (None, _) => String::new(),
    };
    format!("{rank}{judgments}")
}

/// Says how the intervals were made.
fn interval_words(ci: &IntervalMethod, seed: u64) -> String {
    if ci.method.is_empty() || ci.method == "none" {
        return "without intervals: none were asked for".into();
    }
    let rounds = match ci.rounds {
        0 => String::new(),
        rounds => format!(", {} resamples", group_digits(rounds as u64)),
    };
    let cluster = match ci.cluster {
        "item" => " over items",
        _ => "",
    };
    format!(
        "{:.0} % intervals: {}{cluster}{rounds} (seed {seed})",
        100.0 * ci.level,
        ci.method
    )
}

/// Returns the ranks with their intervals; None where no rank has one.
fn ranks_figure(report: &Report) -> Option<Figure> {
    let has_intervals = report.ranking.iter().any(|row| row.rank_ci.is_some());
    let ranked = report.ranking.iter().map(rank_row);
    let dots = Dots {
        title: "Ranks".into(),
        note: Some(format!(
            "1 is the best; all rank intervals hold jointly with {:.0} % confidence",
            100.0 * report.ci.level
        )),
        axis: Axis::linear("rank"),
        rows: ranked.collect(),
    };
    dots.if_any().filter(|_| has_intervals)
}

fn rank_row(row: &RankingRow) -> DotRow {
    let [low, high] = row.rank_ci.map_or([None; 2], |ends| ends.map(Some));
    DotRow {
        label: row.system.clone(),
        value: row.rank.map(f64::from),
        low: low.map(f64::from),
        high: high.map(f64::from),
        text: rank_text(row),
        ..DotRow::default()
    }
}

fn rank_text(row: &RankingRow) -> String {
    let rank = row
        .rank
        .map_or("no rank".into(), |rank| format!("rank {rank}"));
    match row.rank_ci {
        Some([low, high]) => format!("{rank} (interval {low} to {high})"),
        None => rank,
    }
}

/// Returns the scores by each turn, where there are any.
fn turns_figure(report: &Report) -> Option<Figure> {
    let scores = Scores::of_report(report);
    let turns = report.turns.iter();
    let rows = turns.flat_map(|turn| {
        let rows = turn.ranking.iter();
        rows.map(move |row| scores.row(row).in_group(format!("turn {}", turn.turn)))
    });
    let dots = Dots {
        title: "Scores by turn".into(),
        note: Some("each turn was ranked alone".into()),
        axis: scores.axis(),
        rows: by_label(rows.collect()),
    };
    dots.if_any()
}

/// Returns how far each slice is from what the scores say, where there are any.
fn beyond_figure(report: &Report) -> Option<Figure> {
    let ranked = report.ranking.iter().map(|row| row.system.clone());
    let values = report.slices.iter().map(|slice| slice.value.as_str());
    let values: Vec<&str> = values.collect();
    let found = report.interaction.as_ref()?;
    deviations_figure(found, ranked.collect(), &values, report.ci.level)
}

/// Returns the scores by each slice, where there are any.
fn slices_figure(report: &Report) -> Option<Figure> {
    let found = report.interaction.as_ref()?;
    let scores = Scores::of_report(report);
    let slices = report.slices.iter();
    let rows = slices.flat_map(|slice| {
        let rows = slice.ranking.iter();
        rows.map(move |row| scores.row(row).in_group(slice_name(&slice.value)))
    });
    let dots = Dots {
        title: format!("Scores by {}", found.field),
        note: Some(found.summary.clone()),
        axis: scores.axis(),
        rows: by_label(rows.collect()),
    };
    dots.if_any()
}

/// Puts the rows of one label together, the labels in the order of their first rows.
fn by_label(rows: Vec<DotRow>) -> Vec<DotRow> {
    let labels = crate::order::in_order(rows.iter().map(|row| row.label.clone()));
    let of_label = |label| rows.iter().filter(move |row| &row.label == label).cloned();
    labels.iter().flat_map(of_label).collect()
}

/// Returns a figure for each criterion.
fn criteria_figures(report: &Report) -> impl Iterator<Item = Figure> {
    let criteria = report.criteria.iter();
    let rankings = criteria.flat_map(|criteria| &criteria.rankings);
    rankings.filter_map(|by| criterion_figure(by, report))
}

fn criterion_figure(by: &CriterionRanking, report: &Report) -> Option<Figure> {
    let scores = Scores::of_unit(ScoreUnit::CriteriaShare, report);
    let dots = Dots {
        title: crate::ranking::criterion_heading(by),
        note: None,
        axis: Axis::linear("share"),
        rows: by.ranking.iter().map(|row| scores.row(row)).collect(),
    };
    dots.if_any()
}

/// Returns the scores by people's labels alone, by the judge alone, and by both.
fn sources_figure(report: &Report) -> Option<Figure> {
    let labels = report.labels.as_ref()?;
    let scores = Scores::of_report(report);
    let alone = labels.systems.iter().flat_map(|system| {
        let sources = [
            ("labels alone", system.labels_only),
            ("judge alone", system.judge_only),
        ];
        sources.map(|(group, source)| scores.source_row(&system.system, source).in_group(group))
    });
    let together = report.ranking.iter();
    let together = together.map(|row| scores.row(row).in_group("together"));
    let dots = Dots {
        title: "People's labels and the judge".into(),
        note: Some("the intervals of the judge alone know nothing of its bias".into()),
        axis: scores.axis(),
        rows: by_label(together.chain(alone).collect()),
    };
    dots.if_any()
}

impl Scores {
    fn source_row(self, system: &str, source: Option<SourceScore>) -> DotRow {
        let ci = source.and_then(|source| source.ci);
        let number = Number {
            value: source
                .map(|source| source.score)
                .filter(|score| score.is_finite()),
            ci: finite_ends(ci.map(|ends| ends.map(Some))),
            note: None,
        };
        self.written.row(system, number)
    }
}

/// Returns the effects of covariates, where they are controlled for.
fn style_figure(report: &Report) -> Option<Figure> {
    let written = Written::share(report.ci.level);
    let effects = report.style.iter().map(|effect| {
        let number = number_of(effect.log_odds, effect.ci);
        written
            .row(effect.covariate.as_str(), number)
            .against(Some(0.0))
    });
    let without = report.style.iter().filter_map(|effect| {
        let note = effect.note.as_ref()?;
        Some(format!("; no interval of {}: {note}", effect.covariate))
    });
    let without: String = without.collect();
    let dots = Dots {
        title: "What style is worth".into(),
        note: Some(format!(
            "the log-odds that one more of it is worth; the tick is at no effect{without}"
        )),
        axis: Axis::linear("log-odds"),
        rows: effects.collect(),
    };
    dots.if_any()
}

/// Returns a number with an interval that is closed.
pub(super) fn number_of(value: f64, ci: Option<[f64; 2]>) -> Number<'static> {
    Number {
        value: Some(value).filter(|value| value.is_finite()),
        ci: finite_ends(ci.map(|ends| ends.map(Some))),
        note: None,
    }
}

/// Returns how far the order of the responses and the members of a panel matter.
fn position_figure(report: &Report) -> Option<Figure> {
    let shares = [
        ("same outcome in both orders", &report.consistency, None),
        ("given to the first response", &report.first_slot, Some(0.5)),
        ("members of the panel agree", &report.agreement, None),
    ];
    let rows = shares.into_iter().filter_map(|(label, share, mark)| {
        Some(share_row(label, share.as_ref()?, report.ci.level).against(mark))
    });
    let dots = Dots {
        title: "The judge's verdicts".into(),
        note: Some("the tick is where the order of the responses does not matter".into()),
        axis: Axis::linear("share"),
        rows: rows.collect(),
    };
    dots.if_any()
}

fn share_row(label: &str, share: &Share, level: f64) -> DotRow {
    let row = Written::share(level).row(label, number_of(share.value, share.ci));
    row.saying(&format!("of {}", group_digits(share.n)))
}

#[cfg(test)]
mod tests;
