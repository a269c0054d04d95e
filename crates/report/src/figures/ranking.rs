//! The figures of a ranking: scores, ranks, what the judge's verdicts say of its order effect.

use super::ranking_pairs::{certain_figure, differences_dots, differences_grid};
use super::words::{Number, Written, dots, intervals, lines};
use super::{DotRow, Figure, LinePoint, Series};
use crate::days::day_number;
use crate::numbers::{chosen_percent, count_of, group_digits, or_blank};
use crate::ranking::{criterion_heading, own_origin, score_decimals};
use crate::slices::{deviations_figure, slice_name};
use evenhand_core::in_order;
use evenhand_ranking::{
    InteractionReport, IntervalMethod, Intervals, NoScore, RankingRow, Report, ScoreUnit,
    SourceScore, StyleEffect,
};

/// Returns the figures of a ranking, its scores first; none where there is no ranking.
pub fn figures_of_ranking(report: &Report) -> Vec<Figure> {
    let unit = report.unit.to_string();
    let written = written_scores(report.unit, report);
    let ranked = report.ranking.iter();
    let scores = ranked.clone().map(|row| score_row(row, written));
    let made = match report.ci.method {
        Intervals::None => "without intervals: none were asked for".into(),
        method if method.are_drawn() => {
            format!("{} (seed {})", interval_words(&report.ci), report.seed)
        }
        _ => interval_words(&report.ci),
    };
    let scores = dots("Scores", made, unit.as_str(), scores);
    let mut figures: Vec<Figure> = scores.into_iter().collect();
    figures.extend(ranks_figure(report));
    figures.extend(history_figure(report, written));
    figures.extend(differences_grid(report));
    figures.extend(differences_dots(report));
    figures.extend(certain_figure(report));

    let turns = report.turns.iter();
    let turns = turns.map(|one| (format!("turn {}", one.turn), &*one.ranking));
    let (title, note) = ("Scores by turn", "each turn was ranked alone");
    figures.extend(dots(
        title,
        note,
        unit.as_str(),
        grouped(turns, report, written),
    ));
    if let Some(found) = &report.interaction {
        // How far each slice is from what the scores say, then the scores by each slice.
        let systems = ranked.map(|row| row.system.clone()).collect();
        let values = report.slices.iter().map(|slice| slice.value.as_str());
        let values: Vec<&str> = values.collect();
        figures.extend(deviations_figure(found, systems, &values, report.ci.level));
        figures.extend(slices_figure(report, found, written));
    }
    let shares = written_scores(ScoreUnit::CriteriaShare, report);
    for by in report.criteria.iter().flat_map(|all| &all.rankings) {
        let rows = by.ranking.iter().map(|row| score_row(row, shares));
        figures.extend(dots(criterion_heading(by), "", "share", rows));
    }
    figures.extend(sources_figure(report));
    figures.extend(style_figure(report));
    figures.extend(position_figure(report));
    figures
}

/// The systems that the history of a board is drawn of, unless a reader chooses others.
const DRAWN: usize = 10;

/// Returns the scores of a board's editions over time, of the systems of the last one; None with
/// fewer than two editions.
fn history_figure(report: &Report, written: Written) -> Option<Figure> {
    let [first, .., last] = report.history.as_slice() else {
        return None;
    };
    let unit = report.unit.to_string();
    // An edition in another unit cannot stand on the same axis.
    let editions = report.history.iter().filter(|edition| edition.unit == unit);
    let start = day_number(&first.date)?;
    let of_system = |system: &str| {
        let points = editions.clone().filter_map(|edition| {
            let row = edition.ranking.iter().find(|row| row.system == system)?;
            let number = Number::of(row.score, row.ci, None);
            let made = edition.intervals.as_ref();
            let written = Written {
                level: made.map_or(written.level, |made| made.level),
                ..written
            };
            let score = written.words(number);
            Some(LinePoint {
                x: (day_number(&edition.date)? - start) as f64,
                y: row.score,
                text: format!("{}: {score}", edition.date),
                low: row.ci.and_then(|[low, _]| low),
                high: row.ci.and_then(|[_, high]| high),
            })
        });
        Series {
            label: system.into(),
            points: points.collect(),
            ..Series::default()
        }
    };
    let series = last.ranking.iter().map(|row| of_system(&row.system));
    let series = series.collect();
    let of_all = match last.ranking.len() {
        all if all > DRAWN => {
            format!("the first {DRAWN} of {all} systems, unless others are chosen; ")
        }
        _ => String::new(),
    };
    let left_out = match report.history.len() - editions.clone().count() {
        0 => "",
        _ => "; editions in another unit are left out",
    };
    // Each way in which intervals were made, once; None where a board of before does not say it.
    let ways = in_order(editions.map(|edition| edition.intervals.as_ref().map(interval_words)));
    let made = match ways.into_iter().collect::<Option<Vec<String>>>() {
        None => "intervals are those of each edition".into(),
        Some(ways) => match ways.as_slice() {
            [one] => format!("{one}, of each edition by itself"),
            several => format!("by the edition, {}", several.join("; or ")),
        },
    };
    let note = format!("{of_all}{made}{left_out}");
    let mut figure = lines("Scores over time", note, ["date", &unit], series);
    if let Some(Figure::Lines(lines)) = &mut figure {
        lines.x.since = Some(first.date.clone());
        lines.drawn = Some(DRAWN).filter(|drawn| *drawn < lines.series.len());
    }
    figure
}

/// Returns how the scores of a ranking are written.
fn written_scores(unit: ScoreUnit, report: &Report) -> Written {
    Written {
        decimals: score_decimals(unit),
        level: report.ci.level,
    }
}

/// Returns a system's score with its rank and its judgments; in the place of an infinite score, why
/// it is infinite.
fn score_row(row: &RankingRow, written: Written) -> DotRow {
    let note = row.note.as_deref();
    let mut drawn = written.row(row.system.as_str(), Number::of(row.score, row.ci, note));
    let infinite = match row.no_score {
        Some(NoScore::WonAll) => Some("+inf"),
        Some(NoScore::LostAll) => Some("-inf"),
        _ => None,
    };
    if let Some(score) = infinite {
        drawn.text = format!("{score}{}", or_blank(note, |note| format!(": {note}")));
    }
    let rank = match (row.rank, row.rank_ci) {
        (_, Some([low, high])) if low < high => format!("rank {low} to {high}, "),
        (Some(rank), _) => format!("rank {rank}, "),
        (None, _) => String::new(),
    };
    let judgments = count_of(row.n, "judgment", "judgments");
    drawn.saying(&format!("{rank}{judgments}"))
}

/// Says how intervals were made.
fn interval_words(ci: &IntervalMethod) -> String {
    if ci.method == Intervals::None {
        return "without intervals".into();
    }
    let rounds = match ci.rounds {
        0 => String::new(),
        rounds => format!(", {} resamples", group_digits(rounds as u64)),
    };
    let cluster = ci.over().map(|over| format!(" over {over}"));
    let cluster = cluster.unwrap_or_default();
    format!(
        "{}: {}{cluster}{rounds}",
        intervals(ci.level),
        ci.method.name()
    )
}

/// Returns the ranks with their intervals; None where no rank has one.
fn ranks_figure(report: &Report) -> Option<Figure> {
    if report.ranking.iter().all(|row| row.rank_ci.is_none()) {
        return None;
    }
    let rows = report.ranking.iter().map(|row| {
        let mut text = match row.rank {
            Some(rank) => format!("rank {rank}"),
            None => "no rank".into(),
        };
        if let Some([low, high]) = row.rank_ci {
            text += &format!(" (interval {low} to {high})");
        }
        DotRow {
            label: row.system.clone(),
            value: row.rank.map(f64::from),
            low: row.rank_ci.map(|[low, _]| f64::from(low)),
            high: row.rank_ci.map(|[_, high]| f64::from(high)),
            text,
            ..DotRow::default()
        }
    });
    let note = format!(
        "1 is the best; all rank intervals hold jointly with {} % confidence",
        chosen_percent(report.ci.level)
    );
    let mut figure = dots("Ranks", note, "rank", rows);
    if let Some(Figure::Dots(dots)) = &mut figure {
        dots.axis.first = Some(1.0);
    }
    figure
}

/// Returns the scores by each slice, on the axis of those over all items.
///
/// Where scores have no origin but their own mean, those of a slice that lacks systems would all be
/// too high or too low. They are moved until the systems that all slices have in common have the
/// mean that they have over all items; where there are none, a slice's own systems.
fn slices_figure(report: &Report, found: &InteractionReport, written: Written) -> Option<Figure> {
    let score_in = |rows: &[RankingRow], system: &str| {
        let row = rows.iter().find(|row| row.system == system)?;
        row.score.filter(|score| score.is_finite())
    };
    let has_own = own_origin(report.unit).is_some();
    let ranked = report.slices.iter().filter(|one| !one.ranking.is_empty());
    let systems = report.ranking.iter().map(|row| row.system.as_str());
    let systems = systems.filter(|system| score_in(&report.ranking, system).is_some());
    let systems: Vec<&str> = systems.collect();
    let is_in = |system: &str, rows: &[RankingRow]| score_in(rows, system).is_some();
    let common = systems.iter().copied();
    let common = common.filter(|system| ranked.clone().all(|one| is_in(system, &one.ranking)));
    let common: Vec<&str> = common.collect();
    let mut moved = false;
    let slices = report.slices.iter().map(|one| {
        let own = systems.iter().copied();
        let own: Vec<&str> = own.filter(|system| is_in(system, &one.ranking)).collect();
        let by = if common.is_empty() { &own } else { &common };
        let gaps = by.iter().filter_map(|system| {
            Some(score_in(&report.ranking, system)? - score_in(&one.ranking, system)?)
        });
        let shift = match by.len() {
            count if has_own && count > 0 => gaps.sum::<f64>() / count as f64,
            _ => 0.0,
        };
        moved |= shift.abs() > 1e-9;
        let rows = one.ranking.iter().map(|row| {
            let there = RankingRow {
                score: row.score.map(|score| score + shift),
                ci: row
                    .ci
                    .map(|ends| ends.map(|end| end.map(|end| end + shift))),
                ..row.clone()
            };
            let drawn = score_row(&there, written).in_group(slice_name(&one.value));
            match row.score.filter(|_| shift.abs() > 1e-9) {
                Some(own) => {
                    let own = format!("{own:.0$}", written.decimals);
                    drawn.saying(&format!("{own} in the slice's own ranking"))
                }
                None => drawn,
            }
        });
        rows.collect::<Vec<DotRow>>()
    });
    let rows = by_system(slices.collect::<Vec<_>>().concat(), report);
    let by = match common.len() {
        0 => "its own systems have".into(),
        1 => format!("{} has", common[0]),
        count => format!("the {count} systems that are in all slices have"),
    };
    let mut note = found.summary.clone();
    if moved {
        note += &format!(
            " The scores of each slice are moved so that {by} the same mean as over all items: in \
             its own ranking, the mean of its own systems is fixed."
        );
    }
    let title = format!("Scores by {}", found.field);
    dots(title, note, report.unit.to_string(), rows)
}

/// Returns the scores of several rankings, a group each, all of one system below each other.
fn grouped<'a>(
    rankings: impl Iterator<Item = (String, &'a [RankingRow])>,
    report: &Report,
    written: Written,
) -> Vec<DotRow> {
    let rows = rankings.flat_map(|(group, rows)| {
        let rows = rows.iter().map(|row| score_row(row, written));
        rows.map(|row| row.in_group(group.as_str()))
            .collect::<Vec<DotRow>>()
    });
    by_system(rows.collect(), report)
}

/// Puts the rows of one system together, the systems in the order of the ranking.
fn by_system(rows: Vec<DotRow>, report: &Report) -> Vec<DotRow> {
    let ranked = report.ranking.iter().map(|row| &row.system);
    let mut sorted = Vec::with_capacity(rows.len());
    for label in in_order(ranked.chain(rows.iter().map(|row| &row.label))) {
        sorted.extend(rows.iter().filter(|row| row.label == *label).cloned());
    }
    sorted
}

/// Returns the scores by people's labels alone, by the judge alone, and by both.
fn sources_figure(report: &Report) -> Option<Figure> {
    let labels = report.labels.as_ref()?;
    let written = written_scores(report.unit, report);
    let together = report.ranking.iter();
    let together = together.map(|row| score_row(row, written).in_group("together"));
    let mut rows: Vec<DotRow> = together.collect();
    let row = |system: &str, source: Option<SourceScore>| {
        let number = match source {
            Some(source) => Number::closed(source.score, source.ci),
            None => Number::default(),
        };
        written.row(system, number)
    };
    for one in &labels.systems {
        rows.push(row(&one.system, one.labels_only).in_group("labels alone"));
        rows.push(row(&one.system, one.judge_only).in_group("judge alone"));
    }
    dots(
        "People's labels and the judge",
        "the intervals of the judge alone ignore its bias",
        report.unit.to_string(),
        by_system(rows, report),
    )
}

/// Returns the effects of covariates, where they are controlled for.
fn style_figure(report: &Report) -> Option<Figure> {
    let written = Written::share(report.ci.level);
    let mut note = format!(
        "the log-odds that {} is worth; the tick is at no effect",
        say_units(&report.style)
    );
    let mut rows = Vec::new();
    for effect in &report.style {
        let number = Number::closed(effect.log_odds, effect.ci);
        let row = written.row(effect.covariate.as_str(), number);
        rows.push(row.against(Some(0.0)));
        if let Some(why) = &effect.note {
            note += &format!("; no interval of {}: {why}", effect.covariate);
        }
    }
    dots("What style is worth", note, "log-odds", rows)
}

/// Says of what the effects are, with the covariates of each kind.
fn say_units(effects: &[StyleEffect]) -> String {
    const SHOWN_FIRST: &str = "being shown first";
    let unit_of = |effect: &StyleEffect| match effect {
        StyleEffect { elo: Some(_), .. } => SHOWN_FIRST,
        StyleEffect {
            normalised: true, ..
        } => "one standard deviation of the normalised difference",
        _ => "one more of it",
    };
    let units = in_order(effects.iter().map(unit_of));
    let said = units.into_iter().map(|unit| {
        let of_unit = effects.iter().filter(|effect| unit_of(effect) == unit);
        let names: Vec<&str> = of_unit.map(|effect| &*effect.covariate).collect();
        match unit {
            SHOWN_FIRST => unit.to_string(),
            _ => format!("{unit} ({})", names.join(", ")),
        }
    });
    said.collect::<Vec<String>>().join(" or ")
}

/// Returns how far the order of the responses and the members of a panel matter.
fn position_figure(report: &Report) -> Option<Figure> {
    let written = Written::share(report.ci.level);
    let shares = [
        ("same outcome in both orders", &report.consistency, None),
        ("given to the first response", &report.first_slot, Some(0.5)),
        ("members of the panel agree", &report.agreement, None),
    ];
    let rows = shares.into_iter().filter_map(|(label, share, mark)| {
        let share = share.as_ref()?;
        let row = written.row(label, Number::closed(share.value, share.ci));
        let row = row.saying(&format!("of {}", group_digits(share.n)));
        Some(row.against(mark))
    });
    dots(
        "The judge's verdicts",
        "the tick is where the order of the responses does not matter",
        "share",
        rows,
    )
}

#[cfg(test)]
mod tests;
