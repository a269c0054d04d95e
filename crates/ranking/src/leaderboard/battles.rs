//! Battles and counts to evidence.

use super::FilesRead;
use super::files::{battle_reading, open_all_battles};
use super::gathered::{FileSummary, Gathered, KeptSystems, warn_of_names, warn_of_skipped};
use super::options::{BothBad, ClusterBy, LeaderboardOptions};
use crate::method::{Ci, refuse_aggregation, refuse_ci};
use crate::report::data::Outcomes;
use crate::score::{Evidence, Games};
use crate::{Aggregation, ScoreUnit, WarningKind};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{Coverage, EngineError};
use evenhand_formats::DataError;
use evenhand_formats::battles::{
    BattleOutcome, Block, ClusterCounts, Counts, Rows, for_each_block, read_cluster_counts,
    read_counts, read_rows, read_tallied, read_tallied_clusters,
};
use evenhand_stats::{Comparison, Comparisons, Elo, EloRun, Game, Tally};

/// Reads battles, keeping no more of them than the aggregation and its intervals need.
pub(super) fn read_battles(options: &LeaderboardOptions) -> Result<FilesRead, EngineError> {
    if chosen_aggregation(options) == Aggregation::Elo {
        // Ratings can be made while the file is read, of all its systems, in its order alone, each
        // comparison once.
        let all_alike = options.systems.is_none() && options.min_battles == 0;
        let once = options.rank.ci == Ci::None && options.rank.permutations.is_none();
        if all_alike && !options.names_weight() && once {
            return rate_while_reading(options).map(FilesRead::Rated);
        }
    } else if options.streams() {
        let counts = read_counts(&mut open_all_battles(options)?, &battle_reading(options))?;
        if !counts.weighted || options.needs_sums_alone() {
            return Ok(FilesRead::Counts(counts));
        }
    } else {
        let sources = &mut open_all_battles(options)?;
        let counts = read_cluster_counts(sources, &battle_reading(options))?;
        check_has_clusters(counts.clusters, options)?;
        if !counts.counts.weighted {
            // Alone in a slice is not alone in all.
            let are_named = options.reading.columns.keep_clusters && counts.clusters.is_some();
            return Ok(match are_alone(&counts) && !are_named {
                true => FilesRead::Counts(counts.counts),
                false => FilesRead::Clustered(counts),
            });
        }
    }
    let rows = read_rows(&mut open_all_battles(options)?, &battle_reading(options))?;
    check_has_clusters(rows.cluster.as_ref(), options)?;
    Ok(FilesRead::Rows(rows))
}

/// Refuses battles without items, where intervals are to be by item.
fn check_has_clusters<T>(clusters: Option<T>, options: &LeaderboardOptions) -> Result<(), Refusal> {
    if clusters.is_some() || options.cluster != ClusterBy::Item {
        return Ok(());
    }
    let cluster = Setting::Cluster;
    let reason = format!(
        "the file has no column `question_id` or `item`; name the column with {cluster} COLUMN"
    );
    Err(Refusal::new(cluster, Cause::Data, reason).with_value("item"))
}

/// Whether every comparison is an item of its own, or has none: counts by pair then say the same,
/// and cost less.
fn are_alone(counts: &ClusterCounts) -> bool {
    let clusters = counts.clusters.map(f64::from);
    clusters.is_none_or(|clusters| clusters == counts.total())
}

/// Reads files of counts: of pairs, or of the pairs of each item where intervals are by item.
pub(super) fn read_counts_of_pairs(options: &LeaderboardOptions) -> Result<FilesRead, EngineError> {
    let (sources, reading) = (&mut open_all_battles(options)?, battle_reading(options));
    if options.streams() {
        return Ok(FilesRead::Tallied(read_tallied(sources, &reading)?));
    }
    let counts = read_tallied_clusters(sources, &reading)?;
    if counts.clusters.is_none() && options.cluster == ClusterBy::Item {
        let cluster = Setting::Cluster;
        let reason = format!(
            "the counts have no column `question_id` or `item`; leave it out, name the column \
             with {cluster} COLUMN, or give the comparisons themselves"
        );
        return Err(Refusal::new(cluster, Cause::Data, reason).into());
    }
    Ok(match are_alone(&counts) {
        true => FilesRead::Tallied(counts.counts),
        false => FilesRead::Clustered(counts),
    })
}

/// Makes evidence of files of counts.
pub(super) fn gather_tallied(
    counts: &Counts,
    options: &LeaderboardOptions,
) -> Result<Gathered, EngineError> {
    check_tallied(counts, options)?;
    // A row of counts is many comparisons.
    gather_pairs(counts, options, |sums| sums.map(|sum| sum.round() as u64))
}

/// Refuses what counts cannot serve.
fn check_tallied(counts: &Counts, options: &LeaderboardOptions) -> Result<(), Refusal> {
    let (aggregation, ci) = (chosen_aggregation(options), options.rank.ci);
    if aggregation == Aggregation::Elo {
        let reason = "it needs the comparisons in their order, and these are counts";
        return Err(refuse_aggregation(aggregation, Cause::Data, reason));
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
            "some counts are not whole, and only whole comparisons can be resampled; use {} \
             {instead}",
            Setting::Ci
        );
        return Err(refuse_ci(ci, Cause::Data, reason));
    }
    Ok(())
}

/// Makes evidence of counts by cluster, from battles or from files of counts.
pub(super) fn gather_clustered(
    read: &ClusterCounts,
    options: &LeaderboardOptions,
) -> Result<Gathered, EngineError> {
    check_tallied(&read.counts, options)?;
    let kept = KeptSystems::select(&read.counts.names, options)?;
    let mut outcomes = no_outcomes(options);
    // Pages that are not written to take no memory.
    let mut rows = Vec::with_capacity(read.most_pairs());
    for cell in read.iter() {
        let Some([a, b]) = kept.numbers([cell.a, cell.b]) else {
            continue;
        };
        outcomes.add(cell.wins_a + cell.wins_b, cell.ties, cell.both_bad);
        let both_bad = if outcomes.apart { 0.0 } else { cell.both_bad };
        rows.push(Comparison {
            item: cell.cluster,
            a,
            b,
            wins_a: cell.wins_a,
            ties: cell.ties + both_bad,
            wins_b: cell.wins_b,
        });
    }
    let counts = &read.counts;
    let verdicts = outcomes.total().round() as u64;
    let left_out = (counts.totals.sum() - outcomes.total()).round() as u64;
    let evidence = Evidence::Comparisons(Comparisons::of_counts(kept.names.len(), rows)?);
    let files = summary_of_battles(kept.names, verdicts, counts.dropped, &counts.skipped);
    let files = FileSummary {
        outcomes: Some(outcomes),
        left_out,
        clusters: read.cluster_values.clone(),
        ..files
    };
    Ok(Gathered::by_item_if(true, evidence, files))
}

pub(super) fn chosen_aggregation(options: &LeaderboardOptions) -> Aggregation {
    options
        .rank
        .aggregation
        .unwrap_or(Aggregation::BradleyTerry)
}

/// No outcomes yet; with whether "both are bad" is kept apart, and no tie.
pub(super) fn no_outcomes(options: &LeaderboardOptions) -> Outcomes {
    let apart = match options.both_bad {
        Some(both_bad) => both_bad == BothBad::Apart,
        None => chosen_aggregation(options).keeps_both_bad_apart(),
    };
    Outcomes {
        apart,
        ..Outcomes::default()
    }
}

/// Says what files of battles were: so many verdicts, rows of which nobody said who won, those
/// that cannot be read, and files without rows.
pub(super) fn summary_of_battles(
    names: Vec<String>,
    verdicts: u64,
    dropped: u64,
    skipped: &[DataError],
) -> FileSummary {
    let (files, records): (Vec<&DataError>, Vec<&DataError>) =
        skipped.iter().partition(|error| error.is_of_file());
    let unreadable = records.len() as u64;
    let failed = [("missing", dropped), ("unreadable", unreadable)];
    let failed = failed.into_iter().filter(|(_, count)| *count > 0);
    let failed = failed.map(|(kind, count)| (kind.to_owned(), count));
    let empty = files.iter().map(ToString::to_string).collect::<Vec<_>>();
    let empty = (!files.is_empty()).then(|| WarningKind::BadRecords.says(empty.join("; ")));
    let warnings = [warn_of_names(&names), warn_of_skipped(&records), empty];
    FileSummary {
        names,
        coverage: Coverage {
            trials: verdicts + dropped + unreadable,
            verdicts,
            failures: failed.collect(),
        },
        warnings: warnings.into_iter().flatten().collect(),
        formats: vec!["battles".into()],
        unit: ScoreUnit::Points,
        ..FileSummary::default()
    }
}

/// Makes evidence of battles by pair.
pub(super) fn gather_counts(
    counts: &Counts,
    options: &LeaderboardOptions,
) -> Result<Gathered, EngineError> {
    // Sums of weights are no counts, and then all systems are kept.
    gather_pairs(counts, options, |sums| match options.systems {
        Some(_) => sums.map(|sum| sum as u64),
        None => [counts.rows; 2],
    })
}

/// Makes evidence of pairs; `verdicts` says how many verdicts the sums of the outcomes of the kept
/// ones and of all are.
fn gather_pairs(
    counts: &Counts,
    options: &LeaderboardOptions,
    verdicts: impl Fn([f64; 2]) -> [u64; 2],
) -> Result<Gathered, EngineError> {
    let kept = KeptSystems::select(&counts.names, options)?;
    let mut outcomes = no_outcomes(options);
    let mut tally = Tally::new(kept.names.len())?;
    for pair in &counts.pairs {
        if let Some([a, b]) = kept.numbers([pair.a, pair.b]) {
            let ties = pair.ties + if outcomes.apart { 0.0 } else { pair.both_bad };
            tally.add(a.into(), b.into(), pair.wins_a, ties, pair.wins_b)?;
            outcomes.add(pair.wins_a + pair.wins_b, pair.ties, pair.both_bad);
        }
    }
    let [verdicts, all] = verdicts([outcomes.total(), counts.totals.sum()]);
    let files = summary_of_battles(kept.names, verdicts, counts.dropped, &counts.skipped);
    let files = FileSummary {
        outcomes: Some(outcomes),
        left_out: all.saturating_sub(verdicts),
        ..files
    };
    Ok(Gathered::of_single(Evidence::Counts(tally), files))
}

/// Rates by Elo while the file is read; no comparison is kept.
fn rate_while_reading(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    let mut run = EloRun::new(0, Elo::default())?;
    let mut games_of_systems: Vec<u64> = Vec::new();
    let mut outcomes = no_outcomes(options);
    let mut play = |block: &Block| -> Result<(), EngineError> {
        games_of_systems.resize(block.names.len(), 0);
        for (row, (&a, &b)) in block.a.iter().zip(block.b).enumerate() {
            let outcome = block.outcome[row];
            let weight = block.weight.get(row).copied().unwrap_or(1.0);
            outcomes.add_row(outcome, weight);
            if outcome == BattleOutcome::BothBad && outcomes.apart {
                continue;
            }
            games_of_systems[usize::from(a)] += 1;
            games_of_systems[usize::from(b)] += 1;
            run.push_game(&Game {
                a,
                b,
                score: points_of_first(outcome),
                weight,
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
    let files = FileSummary {
        outcomes: Some(outcomes),
        ..summary_of_battles(totals.names, totals.rows, totals.dropped, &totals.skipped)
    };
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

/// Makes evidence of rows under their clusters.
pub(super) fn gather_rows(
    rows: &Rows,
    options: &LeaderboardOptions,
) -> Result<Gathered, EngineError> {
    let kept = KeptSystems::select(&rows.names, options)?;
    // Without intervals battles are counted by their weights, as where they are read for that.
    let is_elo = chosen_aggregation(options) == Aggregation::Elo;
    if options.rank.ci == Ci::None && !is_elo {
        let systems = rows.a.iter().zip(&rows.b);
        let between = systems.filter(|(a, b)| kept.numbers([**a, **b]).is_some());
        let between = between.count() as u64;
        let counts = rows.counts(|weight| options.times(weight));
        return gather_pairs(&counts, options, |_| [between, rows.a.len() as u64]);
    }
    // The rows between kept systems, in their order.
    let mut outcomes = no_outcomes(options);
    let (mut games, mut clusters) = (Vec::new(), Vec::new());
    for row in 0..rows.a.len() {
        let Some([a, b]) = kept.numbers([rows.a[row], rows.b[row]]) else {
            continue;
        };
        let outcome = rows.outcome[row];
        let weight = rows.weight.as_ref().map_or(1.0, |weights| weights[row]);
        let weight = options.times(weight);
        outcomes.add_row(outcome, weight);
        let is_apart = outcomes.apart && outcome == BattleOutcome::BothBad;
        if is_apart || (options.counting && weight == 0.0) {
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
    let weighed = games
        .windows(2)
        .any(|both| both[0].weight != both[1].weight);
    let evidence = if is_elo {
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
    let files = FileSummary {
        outcomes: Some(outcomes),
        left_out: rows.a.len() as u64 - outcomes.rows,
        clusters: rows.cluster_values.clone(),
        weighed,
        ..summary_of_battles(kept.names, outcomes.rows, rows.dropped, &rows.skipped)
    };
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
