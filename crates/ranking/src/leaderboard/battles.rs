//! Battles and counts to evidence.

use super::gathered::{FileSummary, Gathered, KeptSystems, warn_of_names, warn_of_skipped};
use super::options::{BothBad, ClusterBy, LeaderboardOptions};
use super::reading::{battle_reading, open_all_battles};
use crate::method::{Ci, refuse_aggregation, refuse_ci};
use crate::report::data::Outcomes;
use crate::score::{Evidence, Games};
use crate::{Aggregation, ScoreUnit, Warning};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{Coverage, EngineError};
use evenhand_formats::battles::{
    self, BattleOutcome, Block, Counts, for_each_block, read_counts, read_rows, read_tallied,
};
use evenhand_stats::{Comparison, Comparisons, Elo, EloRun, Game, Tally};

/// Reads battles, keeping no more of them than the aggregation and its intervals need.
pub(super) fn gather_battles(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    let aggregation = chosen_aggregation(options);
    if aggregation == Aggregation::Elo {
        // Ratings can be made while the file is read, of all its systems, in its order alone, each
        // comparison once.
        let all_alike = options.systems.is_none() && options.weight.is_none();
        let once = options.rank.ci == Ci::None && options.rank.permutations.is_none();
        if all_alike && once {
            return rate_while_reading(options);
        }
    } else if options.streams() {
        let counts = read_counts(&mut open_all_battles(options)?, &battle_reading(options))?;
        // Weights cannot be resampled from their sums.
        if !counts.weighted || options.rank.ci == Ci::None {
            return count_pairs(options, aggregation, &counts);
        }
    }
    gather_rows(options, aggregation)
}

/// Reads counts.
pub(super) fn gather_counts(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    if matches!(options.cluster, ClusterBy::Item | ClusterBy::Column(_)) {
        let reason = "counts have no items; leave it out, or give the comparisons themselves";
        return Err(Refusal::new(Setting::Cluster, Cause::Data, reason).into());
    }
    let counts = read_tallied(&mut open_all_battles(options)?, &battle_reading(options))?;
    let (aggregation, ci) = (chosen_aggregation(options), options.rank.ci);
    if aggregation == Aggregation::Elo {
        let reason = "it needs the comparisons in their order, and these are counts";
        return Err(refuse_aggregation(aggregation, Cause::Data, reason).into());
    }
    if counts.weighted && ci.resamples_scores() {
        // The sandwich is for maximum likelihood alone.
        let has_sandwich = aggregation == Aggregation::BradleyTerry && options.rank.prior.is_none();
        let instead = if has_sandwich {
            "sandwich or none"
        } else {
            "none"
        };
        let reason = format!(
            "some counts are not whole, and only whole comparisons can be resampled; use {} {instead}",
            Setting::Ci
        );
        return Err(refuse_ci(ci, Cause::Data, reason).into());
    }
    let mut gathered = count_pairs(options, aggregation, &counts)?;
    // A row of counts is many comparisons.
    let total = gathered.files.outcomes.map_or(0.0, |all| all.total());
    let read = RowsRead {
        verdicts: total.round() as u64,
        dropped: counts.dropped,
        skipped: &counts.skipped,
    };
    gathered.files.coverage = read.coverage();
    Ok(gathered)
}

fn chosen_aggregation(options: &LeaderboardOptions) -> Aggregation {
    options
        .rank
        .aggregation
        .unwrap_or(Aggregation::BradleyTerry)
}

/// No outcomes yet; with whether "both are bad" is kept apart, and no tie.
fn no_outcomes(options: &LeaderboardOptions, aggregation: Aggregation) -> Outcomes {
    let apart = match options.both_bad {
        Some(both_bad) => both_bad == BothBad::Apart,
        None => aggregation.keeps_both_bad_apart(),
    };
    Outcomes {
        apart,
        ..Outcomes::default()
    }
}

pub(super) fn verdicts_only(verdicts: u64) -> Coverage {
    Coverage {
        trials: verdicts,
        verdicts,
        ..Coverage::default()
    }
}

/// The rows of battles that count, and those that do not.
pub(super) struct RowsRead<'a> {
    pub(super) verdicts: u64,
    /// Those of which nobody said who won.
    pub(super) dropped: u64,
    /// What is wrong with those that cannot be read.
    pub(super) skipped: &'a [battles::Error],
}

impl RowsRead<'_> {
    pub(super) fn coverage(&self) -> Coverage {
        let skipped = self.skipped.len() as u64;
        let failed = [("missing", self.dropped), ("unreadable", skipped)];
        let failed = failed.into_iter().filter(|(_, count)| *count > 0);
        Coverage {
            trials: self.verdicts + self.dropped + skipped,
            failures: failed
                .map(|(kind, count)| (kind.to_owned(), count))
                .collect(),
            ..verdicts_only(self.verdicts)
        }
    }

    pub(super) fn warnings(&self, names: &[String]) -> Vec<Warning> {
        let warnings = [warn_of_names(names), warn_of_skipped(self.skipped)];
        warnings.into_iter().flatten().collect()
    }
}

fn summary_of_battles(names: Vec<String>, rows: &RowsRead<'_>, outcomes: Outcomes) -> FileSummary {
    FileSummary {
        warnings: rows.warnings(&names),
        names,
        coverage: rows.coverage(),
        formats: vec!["battles".into()],
        outcomes: Some(outcomes),
        unit: ScoreUnit::Points,
        ..FileSummary::default()
    }
}

fn count_pairs(
    options: &LeaderboardOptions,
    aggregation: Aggregation,
    counts: &Counts,
) -> Result<Gathered, EngineError> {
    let kept = KeptSystems::select(&counts.names, options)?;
    let mut outcomes = no_outcomes(options, aggregation);
    let mut tally = Tally::new(kept.names.len())?;
    for pair in &counts.pairs {
        if let Some([a, b]) = kept.numbers([pair.a, pair.b]) {
            let ties = pair.ties + if outcomes.apart { 0.0 } else { pair.both_bad };
            tally.add(a.into(), b.into(), pair.wins_a, ties, pair.wins_b)?;
            outcomes.add(pair.wins_a + pair.wins_b, pair.ties, pair.both_bad);
        }
    }
    let read = RowsRead {
        verdicts: match options.systems {
            Some(_) => outcomes.total() as u64,
            None => counts.rows,
        },
        dropped: counts.dropped,
        skipped: &counts.skipped,
    };
    let files = summary_of_battles(kept.names, &read, outcomes);
    Ok(Gathered::of_single(Evidence::Counts(tally), files))
}

/// Rates by Elo while the file is read; no comparison is kept.
fn rate_while_reading(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    let mut run = EloRun::new(0, Elo::default())?;
    let mut games_of_systems: Vec<u64> = Vec::new();
    let mut outcomes = no_outcomes(options, Aggregation::Elo);
    let mut play = |block: &Block| -> Result<(), EngineError> {
        games_of_systems.resize(block.names.len(), 0);
        for (row, (&a, &b)) in block.a.iter().zip(block.b).enumerate() {
            let outcome = block.outcome[row];
            outcomes.add_row(outcome, 1.0);
            if outcome == BattleOutcome::BothBad && outcomes.apart {
                continue;
            }
            games_of_systems[usize::from(a)] += 1;
            games_of_systems[usize::from(b)] += 1;
            run.push_game(&Game {
                a,
                b,
                score: points_of_first(outcome),
                weight: block.weight.get(row).copied().unwrap_or(1.0),
            })?;
        }
        Ok(())
    };
    let mut failed = None;
    let reading = battle_reading(options);
    let totals = for_each_block(&mut open_all_battles(options)?, &reading, |block| {
        if failed.is_none() {
            failed = play(block).err();
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    let read = RowsRead {
        verdicts: totals.rows,
        dropped: totals.dropped,
        skipped: &totals.skipped,
    };
    let files = summary_of_battles(totals.names.clone(), &read, outcomes);
    let evidence = Evidence::Rated {
        scores: run.scores(),
        n: games_of_systems,
    };
    Ok(Gathered::of_single(evidence, files))
}

/// Returns what the first system scored, ties half.
pub(super) fn points_of_first(outcome: BattleOutcome) -> f64 {
    match outcome {
        BattleOutcome::A => 1.0,
        BattleOutcome::Tie | BattleOutcome::BothBad => 0.5,
        BattleOutcome::B => 0.0,
    }
}

/// Reads rows under their clusters.
fn gather_rows(
    options: &LeaderboardOptions,
    aggregation: Aggregation,
) -> Result<Gathered, EngineError> {
    let rows = read_rows(&mut open_all_battles(options)?, &battle_reading(options))?;
    if rows.cluster.is_none() && options.cluster == ClusterBy::Item {
        let cluster = Setting::Cluster;
        let reason = format!(
            "the file has no column `question_id` or `item`; name the column with {cluster} COLUMN"
        );
        return Err(Refusal::new(cluster, Cause::Data, reason)
            .with_value("item")
            .into());
    }
    // Where every comparison is an item of its own, counts say the same, and cost less.
    let alone = rows.cluster.is_none() || rows.clusters as usize == rows.a.len();
    if aggregation != Aggregation::Elo && alone && rows.weight.is_none() {
        return count_pairs(options, aggregation, &rows.counts());
    }

    // The rows between kept systems, in their order.
    let kept = KeptSystems::select(&rows.names, options)?;
    let mut outcomes = no_outcomes(options, aggregation);
    let (mut games, mut clusters) = (Vec::new(), Vec::new());
    for row in 0..rows.a.len() {
        let Some([a, b]) = kept.numbers([rows.a[row], rows.b[row]]) else {
            continue;
        };
        let outcome = rows.outcome[row];
        let weight = rows.weight.as_ref().map_or(1.0, |weights| weights[row]);
        outcomes.add_row(outcome, weight);
        if outcomes.apart && outcome == BattleOutcome::BothBad {
            continue;
        }
        let cluster = rows.cluster.as_ref();
        clusters.push(cluster.map_or(row as u32, |clusters| clusters[row]));
        games.push(Game {
            a,
            b,
            score: points_of_first(outcome),
            weight,
        });
    }
    let systems = kept.names.len();
    let evidence = if aggregation == Aggregation::Elo {
        Evidence::Games(Games {
            systems,
            games,
            clusters,
        })
    } else {
        let rows = clusters.iter().zip(&games);
        let rows = rows.map(|(item, game)| comparison_of_game(*item, game));
        Evidence::Comparisons(Comparisons::new(systems, rows.collect())?)
    };
    let read = RowsRead {
        verdicts: outcomes.rows,
        dropped: rows.dropped,
        skipped: &rows.skipped,
    };
    let files = summary_of_battles(kept.names, &read, outcomes);
    Ok(Gathered::by_item_if(
        rows.cluster.is_some(),
        evidence,
        files,
    ))
}

pub(super) fn comparison_of_game(item: u32, game: &Game) -> Comparison {
    // Points are 0, half or 1: half is a tie, and no win of half a game.
    let ties = if game.score == 0.5 { game.weight } else { 0.0 };
    let wins_a = game.score * (game.weight - ties);
    Comparison {
        item,
        a: game.a,
        b: game.b,
        wins_a,
        ties,
        wins_b: game.weight - wins_a - ties,
    }
}
