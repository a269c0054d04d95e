//! Battles and counts to evidence.

use super::gathered::{FileSummary, Gathered, KeptSystems, warn_of_names, warn_of_skipped};
use super::options::{BothBad, ClusterBy, LeaderboardOptions};
use super::reading::{battle_reading, open_all_battles};
use crate::rank::method::{Ci, refuse_aggregation, refuse_ci};
use crate::rank::score::{Evidence, Games};
use crate::report::data::Outcomes;
use crate::{Aggregation, Coverage, EngineError, ScoreUnit, Warning};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::battles::{
    self, Block, Counts, Outcome, Rows, Totals, for_each_block, read_counts, read_rows,
    read_tallied,
};
use evenhand_stats::{Comparison, Comparisons, Elo, EloRun, Game, Tally};

/// Reads battles, keeping no more of them than the aggregation and its intervals need.
pub(super) fn gather_battles(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    let aggregation = chosen_aggregation(options);
    match aggregation {
        Aggregation::Elo if rates_in_order(options) => rate_while_reading(options),
        Aggregation::Elo => gather_rows(options, aggregation),
        _ if options.streams() => gather_streamed(options, aggregation),
        _ => gather_rows(options, aggregation),
    }
}

/// Whether Elo ratings can be made while the file is read: of all its systems, in its order alone,
/// each comparison once.
fn rates_in_order(options: &LeaderboardOptions) -> bool {
    let all_alike = options.systems.is_none() && options.weight.is_none();
    all_alike && options.rank.ci == Ci::None && options.rank.permutations.is_none()
}

/// Reads battles as counts, unless their rows are needed after all.
fn gather_streamed(
    options: &LeaderboardOptions,
    aggregation: Aggregation,
) -> Result<Gathered, EngineError> {
    let counts = read_counts(&mut open_all_battles(options)?, &battle_reading(options))?;
    // Weights cannot be resampled from their sums.
    if counts.weighted && options.rank.ci != Ci::None {
        return gather_rows(options, aggregation);
    }
    count_pairs(options, aggregation, &counts)
}

/// Reads counts.
pub(super) fn gather_counts(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    check_counts_cluster(options)?;
    let counts = read_tallied(&mut open_all_battles(options)?, &battle_reading(options))?;
    let aggregation = chosen_aggregation(options);
    let has_prior = options.rank.prior.is_some();
    check_counted(&counts, aggregation, has_prior, options.rank.ci)?;
    let mut gathered = count_pairs(options, aggregation, &counts)?;
    // A row of counts is many comparisons.
    let outcomes = gathered.files.outcomes;
    let total = outcomes.map_or(0.0, |outcomes| outcomes.total());
    let read = RowsRead {
        verdicts: total.round() as u64,
        dropped: counts.dropped,
        skipped: &counts.skipped,
    };
    gathered.files.coverage = read.coverage();
    Ok(gathered)
}

/// Refuses what cannot be made of counts.
fn check_counted(
    counts: &Counts,
    aggregation: Aggregation,
    has_prior: bool,
    ci: Ci,
) -> Result<(), Refusal> {
    if aggregation == Aggregation::Elo {
        let reason = "it needs the comparisons in their order, and these are counts";
        return Err(refuse_aggregation(aggregation, Cause::Data, reason));
    }
    if counts.weighted && ci.resamples_scores() {
        return Err(refuse_resampled_fractions(aggregation, has_prior, ci));
    }
    Ok(())
}

fn check_counts_cluster(options: &LeaderboardOptions) -> Result<(), Refusal> {
    match options.cluster {
        ClusterBy::Auto | ClusterBy::None => Ok(()),
        ClusterBy::Item | ClusterBy::Column(_) => Err(refuse_cluster_of_counts()),
    }
}

fn refuse_cluster_of_counts() -> Refusal {
    let reason = "counts have no items; leave it out, or give the comparisons themselves";
    Refusal::new(Setting::Cluster, Cause::Data, reason)
}

fn refuse_resampled_fractions(aggregation: Aggregation, has_prior: bool, ci: Ci) -> Refusal {
    // The sandwich is for maximum likelihood alone.
    let instead = match aggregation == Aggregation::BradleyTerry && !has_prior {
        true => "sandwich or none",
        false => "none",
    };
    let reason = format!(
        "some counts are not whole, and only whole comparisons can be resampled; use {} {instead}",
        Setting::Ci
    );
    refuse_ci(ci, Cause::Data, reason)
}

fn chosen_aggregation(options: &LeaderboardOptions) -> Aggregation {
    let chosen = options.rank.aggregation;
    chosen.unwrap_or(Aggregation::BradleyTerry)
}

/// Whether "both are bad" is kept apart, and no tie.
fn keeps_both_bad_apart(options: &LeaderboardOptions, aggregation: Aggregation) -> bool {
    match options.both_bad {
        Some(both_bad) => both_bad == BothBad::Apart,
        None => aggregation.keeps_both_bad_apart(),
    }
}

fn no_outcomes(apart: bool) -> Outcomes {
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
    let mut outcomes = no_outcomes(keeps_both_bad_apart(options, aggregation));
    let tally = tally_pairs(counts, &kept, &mut outcomes)?;
    let rows = match options.systems {
        Some(_) => outcomes.total() as u64,
        None => counts.rows,
    };
    let read = RowsRead {
        verdicts: rows,
        dropped: counts.dropped,
        skipped: &counts.skipped,
    };
    let files = summary_of_battles(kept.names, &read, outcomes);
    Ok(Gathered::of_single(Evidence::Counts(tally), files))
}

fn tally_pairs(
    counts: &Counts,
    kept: &KeptSystems,
    outcomes: &mut Outcomes,
) -> Result<Tally, EngineError> {
    let mut tally = Tally::new(kept.names.len())?;
    for pair in &counts.pairs {
        if let Some([a, b]) = kept.numbers([pair.a, pair.b]) {
            let ties = pair.ties + if outcomes.apart { 0.0 } else { pair.both_bad };
            tally.add(a.into(), b.into(), pair.wins_a, ties, pair.wins_b)?;
            outcomes.add(pair.wins_a + pair.wins_b, pair.ties, pair.both_bad);
        }
    }
    Ok(tally)
}

/// Rates by Elo while the file is read; no comparison is kept.
fn rate_while_reading(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    let mut rating = Rating::new(keeps_both_bad_apart(options, Aggregation::Elo))?;
    let mut failed = None;
    let reading = battle_reading(options);
    let totals = for_each_block(&mut open_all_battles(options)?, &reading, |block| {
        if failed.is_none() {
            failed = rating.play(block).err();
        }
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok(rating.into_gathered(&totals)),
    }
}

/// Elo ratings under way.
struct Rating {
    run: EloRun,
    games_of_systems: Vec<u64>,
    outcomes: Outcomes,
}

impl Rating {
    fn new(apart: bool) -> Result<Rating, EngineError> {
        Ok(Rating {
            run: EloRun::new(0, Elo::default())?,
            games_of_systems: Vec::new(),
            outcomes: no_outcomes(apart),
        })
    }

    fn play(&mut self, block: &Block) -> Result<(), EngineError> {
        self.games_of_systems.resize(block.names.len(), 0);
        for (row, (&a, &b)) in block.a.iter().zip(block.b).enumerate() {
            let outcome = block.outcome[row];
            self.outcomes.add_row(outcome, 1.0);
            if outcome == Outcome::BothBad && self.outcomes.apart {
                continue;
            }
            let weight = block.weight.get(row).copied().unwrap_or(1.0);
            self.play_game(Game {
                a,
                b,
                score: points_of_first(outcome),
                weight,
            })?;
        }
        Ok(())
    }

    fn play_game(&mut self, game: Game) -> Result<(), EngineError> {
        self.games_of_systems[usize::from(game.a)] += 1;
        self.games_of_systems[usize::from(game.b)] += 1;
        Ok(self.run.push_game(&game)?)
    }

    fn into_gathered(self, totals: &Totals) -> Gathered {
        let read = RowsRead {
            verdicts: totals.rows,
            dropped: totals.dropped,
            skipped: &totals.skipped,
        };
        let evidence = Evidence::Rated {
            scores: self.run.scores(),
            n: self.games_of_systems,
        };
        let files = summary_of_battles(totals.names.clone(), &read, self.outcomes);
        Gathered::of_single(evidence, files)
    }
}

/// Returns what the first system scored, ties half.
pub(super) fn points_of_first(outcome: Outcome) -> f64 {
    match outcome {
        Outcome::A => 1.0,
        Outcome::Tie | Outcome::BothBad => 0.5,
        Outcome::B => 0.0,
    }
}

/// Reads rows under their clusters.
fn gather_rows(
    options: &LeaderboardOptions,
    aggregation: Aggregation,
) -> Result<Gathered, EngineError> {
    let rows = read_rows(&mut open_all_battles(options)?, &battle_reading(options))?;
    check_items(&rows, options)?;
    if aggregation != Aggregation::Elo && are_counts_enough(&rows) {
        return count_pairs(options, aggregation, &rows.counts());
    }
    let kept = KeptSystems::select(&rows.names, options)?;
    let outcomes = no_outcomes(keeps_both_bad_apart(options, aggregation));
    let found = KeptRows::collect(&rows, &kept, outcomes);
    let read = RowsRead {
        verdicts: found.outcomes.rows,
        dropped: rows.dropped,
        skipped: &rows.skipped,
    };
    let files = summary_of_battles(kept.names, &read, found.outcomes);
    let evidence = found.games.into_evidence(aggregation)?;
    let by_item = rows.cluster.is_some();
    Ok(Gathered::by_item_if(by_item, evidence, files))
}

fn check_items(rows: &Rows, options: &LeaderboardOptions) -> Result<(), Refusal> {
    if rows.cluster.is_none() && options.cluster == ClusterBy::Item {
        return Err(refuse_cluster_without_items());
    }
    Ok(())
}

/// Where every comparison is an item of its own, counts say the same, and cost less.
fn are_counts_enough(rows: &Rows) -> bool {
    let alone = rows.cluster.is_none() || rows.clusters as usize == rows.a.len();
    alone && rows.weight.is_none()
}

fn refuse_cluster_without_items() -> Refusal {
    let cluster = Setting::Cluster;
    let reason = format!(
        "the file has no column `question_id` or `item`; name the column with {cluster} COLUMN"
    );
    Refusal::new(cluster, Cause::Data, reason).with_value("item")
}

/// The rows between kept systems, as games in their order, and how all of them ended.
struct KeptRows {
    games: Games,
    outcomes: Outcomes,
}

impl KeptRows {
    fn collect(rows: &Rows, kept: &KeptSystems, outcomes: Outcomes) -> KeptRows {
        let games = Games::none(kept.names.len());
        let mut found = KeptRows { games, outcomes };
        for row in 0..rows.a.len() {
            if let Some(systems) = kept.numbers([rows.a[row], rows.b[row]]) {
                found.add(rows, row, systems);
            }
        }
        found
    }

    fn add(&mut self, rows: &Rows, row: usize, [a, b]: [u16; 2]) {
        let outcome = rows.outcome[row];
        let weight = rows.weight.as_ref().map_or(1.0, |weights| weights[row]);
        self.outcomes.add_row(outcome, weight);
        if self.outcomes.apart && outcome == Outcome::BothBad {
            return;
        }
        let cluster = rows.cluster.as_ref();
        let cluster = cluster.map_or(row as u32, |clusters| clusters[row]);
        let score = points_of_first(outcome);
        self.games.clusters.push(cluster);
        self.games.games.push(Game {
            a,
            b,
            score,
            weight,
        });
    }
}

impl Games {
    fn into_evidence(self, aggregation: Aggregation) -> Result<Evidence, EngineError> {
        if aggregation == Aggregation::Elo {
            return Ok(Evidence::Games(self));
        }
        let rows = self.clusters.iter().zip(&self.games);
        let rows = rows.map(|(item, game)| comparison_of_game(*item, game));
        let comparisons = Comparisons::new(self.systems, rows.collect())?;
        Ok(Evidence::Comparisons(comparisons))
    }

    fn none(systems: usize) -> Games {
        Games {
            systems,
            games: Vec::new(),
            clusters: Vec::new(),
        }
    }
}

fn comparison_of_game(item: u32, game: &Game) -> Comparison {
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
