//! Battles and counts to evidence.

use super::evidence::{Gathered, sources};
use super::{About, BothBad, ClusterBy, LeaderboardOptions, streams};
use crate::rank::score::{Ci, Evidence};
use crate::report::Outcomes;
use crate::{Aggregation, Coverage, EngineError, ScoreUnit};
use evenhand_formats::battles::{
    Block, Column, Columns, Counts, Options, Outcome, for_each_block, read_counts, read_rows,
    read_tallied,
};
use evenhand_stats::{Cluster, Comparison, Comparisons, Elo, EloRun, Game, Tally};

/// What is to be read of the files.
pub(crate) fn reading(options: &LeaderboardOptions) -> Options {
    let columns = Columns {
        left: options.left.clone(),
        right: options.right.clone(),
        winner: options.winner.clone(),
        weight: options.weight.clone().map_or(Column::Auto, Column::Named),
        cluster: match &options.cluster {
            _ if streams(options) => Column::Ignored,
            ClusterBy::Column(name) => Column::Named(name.clone()),
            _ => Column::Auto,
        },
        outcomes: options.outcomes.clone(),
        filter: options.filter.clone(),
        ..Columns::default()
    };
    let threads = match options.rank.bootstrap.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        threads => threads,
    };
    Options {
        columns,
        threads,
        ..Options::default()
    }
}

/// Reads battles.
pub(crate) fn gather(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    let aggregation = options
        .rank
        .aggregation
        .unwrap_or(Aggregation::BradleyTerry);
    match (aggregation, options.rank.ci) {
        (Aggregation::Elo, Ci::None) if options.rank.permutations.is_none() => rate(options),
        (Aggregation::Elo, _) => rows(options, aggregation),
        _ if streams(options) => {
            let counts = read_counts(&mut sources(options)?, &reading(options))?;
            // Weights cannot be resampled from their sums.
            let weighted = counts.weighted && options.rank.ci != Ci::None;
            if weighted {
                rows(options, aggregation)
            } else {
                counted(options, aggregation, &counts)
            }
        }
        _ => rows(options, aggregation),
    }
}

/// Reads counts.
pub(crate) fn gather_counts(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    if matches!(options.cluster, ClusterBy::Item | ClusterBy::Column(_)) {
        return Err(EngineError::Setting(
            "--cluster: counts have no items; leave it out, or give the comparisons themselves"
                .into(),
        ));
    }
    let counts = read_tallied(&mut sources(options)?, &reading(options))?;
    let aggregation = options
        .rank
        .aggregation
        .unwrap_or(Aggregation::BradleyTerry);
    if aggregation == Aggregation::Elo {
        return Err(EngineError::Setting(
            "--aggregate elo: it needs the comparisons in their order, and these are counts".into(),
        ));
    }
    if counts.weighted && matches!(options.rank.ci, Ci::Bootstrap | Ci::Bca) {
        let name = options.rank.ci.name();
        return Err(EngineError::Setting(format!(
            "--ci {name}: some counts are not whole, and only whole comparisons can be resampled; \
             use --ci sandwich or none"
        )));
    }
    let mut gathered = counted(options, aggregation, &counts)?;
    // A row of counts is many comparisons.
    let total = gathered
        .about
        .outcomes
        .map_or(0, |outcomes| outcomes.total().round() as u64);
    (
        gathered.about.coverage.trials,
        gathered.about.coverage.verdicts,
    ) = (total, total);
    Ok(gathered)
}

fn counted(
    options: &LeaderboardOptions,
    aggregation: Aggregation,
    counts: &Counts,
) -> Result<Gathered, EngineError> {
    let keep = kept(&counts.names, options)?;
    let names = names_kept(&counts.names, &keep);
    let apart = both_bad(options, aggregation) == BothBad::Apart;
    let mut tally = Tally::new(names.len())?;
    let mut outcomes = Outcomes {
        apart,
        ..Outcomes::default()
    };
    for pair in &counts.pairs {
        let (Some(a), Some(b)) = (keep[usize::from(pair.a)], keep[usize::from(pair.b)]) else {
            continue;
        };
        let ties = pair.ties + if apart { 0.0 } else { pair.both_bad };
        tally.add(a.into(), b.into(), pair.wins_a, ties, pair.wins_b)?;
        outcomes.add(pair.wins_a + pair.wins_b, pair.ties, pair.both_bad);
    }
    let total = if options.systems.is_some() {
        outcomes.total() as u64
    } else {
        counts.rows
    };
    let about = about(names, total, outcomes);
    Ok(Gathered {
        evidence: Evidence::Counts(tally),
        about,
        cluster: Cluster::None,
    })
}

fn about(names: Vec<String>, rows: u64, outcomes: Outcomes) -> About {
    About {
        names,
        coverage: Coverage {
            trials: rows,
            verdicts: rows,
            ..Coverage::default()
        },
        formats: vec!["battles".into()],
        outcomes: Some(outcomes),
        unit: ScoreUnit::Points,
        ..About::default()
    }
}

fn both_bad(options: &LeaderboardOptions, aggregation: Aggregation) -> BothBad {
    let usual = if aggregation.keeps_both_bad_apart() {
        BothBad::Apart
    } else {
        BothBad::Tie
    };
    options.both_bad.unwrap_or(usual)
}

/// The new number of each system; None where it is left out.
pub(crate) fn kept(
    names: &[String],
    options: &LeaderboardOptions,
) -> Result<Vec<Option<u16>>, EngineError> {
    let Some(wanted) = &options.systems else {
        return Ok((0..names.len() as u16).map(Some).collect());
    };
    if let Some(unknown) = wanted.iter().find(|wanted| !names.contains(wanted)) {
        return Err(EngineError::Setting(format!(
            "--systems: no system {unknown} is in the files; those that are: {}",
            names.join(", ")
        )));
    }
    let mut next = 0..;
    Ok(names
        .iter()
        .map(|name| wanted.contains(name).then(|| next.next()).flatten())
        .collect())
}

/// The names of the systems that are not left out.
pub(super) fn names_kept(names: &[String], keep: &[Option<u16>]) -> Vec<String> {
    names
        .iter()
        .zip(keep)
        .filter(|(_, kept)| kept.is_some())
        .map(|(name, _)| name.clone())
        .collect()
}

/// Elo ratings while the file is read; no comparison is kept.
fn rate(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    if options.systems.is_some() || options.weight.is_some() {
        return rows(options, Aggregation::Elo);
    }
    let apart = both_bad(options, Aggregation::Elo) == BothBad::Apart;
    let mut run = EloRun::new(0, Elo::default())?;
    let (mut n, mut seen, mut failed) = (Vec::new(), [0u64; 4], None);
    let totals = for_each_block(&mut sources(options)?, &reading(options), |block| {
        n.resize(block.names.len(), 0u64);
        failed = failed
            .take()
            .or(play(&mut run, block, apart, &mut n, &mut seen).err());
    })?;
    failed.map_or(Ok(()), Err)?;
    let mut outcomes = Outcomes {
        apart,
        ..Outcomes::default()
    };
    outcomes.add((seen[0] + seen[3]) as f64, seen[1] as f64, seen[2] as f64);
    let about = about(totals.names, totals.rows, outcomes);
    Ok(Gathered {
        evidence: Evidence::Rated {
            scores: run.scores(),
            n,
        },
        about,
        cluster: Cluster::None,
    })
}

fn play(
    run: &mut EloRun,
    block: &Block,
    apart: bool,
    n: &mut [u64],
    seen: &mut [u64; 4],
) -> Result<(), EngineError> {
    for (row, (&a, &b)) in block.a.iter().zip(block.b).enumerate() {
        let outcome = block.outcome[row];
        seen[place(outcome)] += 1;
        if outcome == Outcome::BothBad && apart {
            continue;
        }
        n[usize::from(a)] += 1;
        n[usize::from(b)] += 1;
        let weight = block.weight.get(row).copied().unwrap_or(1.0);
        run.push_game(&Game {
            a,
            b,
            score: points(outcome),
            weight,
        })?;
    }
    Ok(())
}

fn place(outcome: Outcome) -> usize {
    match outcome {
        Outcome::A => 0,
        Outcome::Tie => 1,
        Outcome::BothBad => 2,
        Outcome::B => 3,
    }
}

/// What the first system scored.
pub(super) fn points(outcome: Outcome) -> f64 {
    match outcome {
        Outcome::A => 1.0,
        Outcome::Tie | Outcome::BothBad => 0.5,
        Outcome::B => 0.0,
    }
}

/// Rows under their clusters.
fn rows(options: &LeaderboardOptions, aggregation: Aggregation) -> Result<Gathered, EngineError> {
    let rows = read_rows(&mut sources(options)?, &reading(options))?;
    if rows.cluster.is_none() && options.cluster == ClusterBy::Item {
        return Err(EngineError::Setting(
            "--cluster item: the file has no column `question_id` or `item`; name the column with \
             --cluster COLUMN"
                .into(),
        ));
    }
    // Every comparison an item of its own: counts say the same, and cost less.
    let alone = rows.cluster.is_none() || rows.clusters as usize == rows.a.len();
    if alone && rows.weight.is_none() && aggregation != Aggregation::Elo {
        return counted(options, aggregation, &rows.counts());
    }
    let keep = kept(&rows.names, options)?;
    let names = names_kept(&rows.names, &keep);
    let apart = both_bad(options, aggregation) == BothBad::Apart;
    let mut outcomes = Outcomes {
        apart,
        ..Outcomes::default()
    };
    let mut found = Vec::new();
    for row in 0..rows.a.len() {
        let (Some(a), Some(b)) = (
            keep[usize::from(rows.a[row])],
            keep[usize::from(rows.b[row])],
        ) else {
            continue;
        };
        let (outcome, weight) = (
            rows.outcome[row],
            rows.weight.as_ref().map_or(1.0, |all| all[row]),
        );
        outcomes.add_one(place(outcome), weight);
        let item = rows.cluster.as_ref().map_or(row as u32, |all| all[row]);
        if !(apart && outcome == Outcome::BothBad) {
            found.push((
                item,
                Game {
                    a,
                    b,
                    score: points(outcome),
                    weight,
                },
            ));
        }
    }
    let by_item = rows.cluster.is_some();
    let about = About {
        by_item,
        ..about(names, outcomes.rows, outcomes)
    };
    let evidence = if aggregation == Aggregation::Elo {
        games(about.names.len(), found)
    } else {
        compared(about.names.len(), found)?
    };
    Ok(Gathered {
        evidence,
        about,
        cluster: if by_item {
            Cluster::Item
        } else {
            Cluster::None
        },
    })
}

fn games(systems: usize, rows: Vec<(u32, Game)>) -> Evidence {
    let (clusters, games) = rows.into_iter().unzip();
    Evidence::Games {
        systems,
        games,
        clusters,
    }
}

fn compared(systems: usize, rows: Vec<(u32, Game)>) -> Result<Evidence, EngineError> {
    let one = |(item, game): (u32, Game)| {
        let (wins_a, ties) = if game.score == 0.5 {
            (0.0, game.weight)
        } else {
            (game.score * game.weight, 0.0)
        };
        Comparison {
            item,
            a: game.a,
            b: game.b,
            wins_a,
            ties,
            wins_b: game.weight - wins_a - ties,
        }
    };
    Ok(Evidence::Comparisons(Comparisons::new(
        systems,
        rows.into_iter().map(one).collect(),
    )?))
}
