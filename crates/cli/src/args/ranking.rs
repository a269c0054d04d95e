//! How judgments become a ranking, new ones and recorded ones alike, and how it is resampled: how
//! often, how wide the intervals are, from which seed and on how many threads.

use super::Scale;
use super::choices::{names, parse_scale, words};
use super::help::{RUN, STATISTICS};
use crate::Failed;
use clap::Args;
use evenhand_core::did_you_mean;
use evenhand_ranking::{
    Adjust, Aggregation, Ci, RankOptions, Report, check_level, check_prior, check_rounds,
};
use evenhand_stats::Bootstrap;

/// The words of `--ci`.
pub(crate) const INTERVALS: &[(&str, Ci)] = &[
    ("bootstrap", Ci::Bootstrap),
    ("bca", Ci::Bca),
    ("sandwich", Ci::Sandwich),
    ("none", Ci::None),
];

/// The words of `--adjust`.
pub(crate) const ADJUSTMENTS: &[(&str, Adjust)] = &[
    ("joint", Adjust::Joint),
    ("holm", Adjust::Holm),
    ("bh", Adjust::BenjaminiHochberg),
    ("none", Adjust::None),
];

/// The settings that decide how judgments become a ranking.
#[derive(Clone, Debug, Args)]
pub(crate) struct RankingArgs {
    /// How judgments become scores
    ///
    /// See `evenhand help aggregations`. [default: mean for scores, else bradley-terry]
    #[arg(
        long, value_parser = names(Aggregation::NAMES.iter().copied(), parse_aggregation),
        hide_possible_values = true, value_name = "NAME", help_heading = STATISTICS
    )]
    pub(crate) aggregate: Option<Aggregation>,
    /// The unit of strengths, or the judge's scale
    ///
    /// The unit of Bradley-Terry, Rao-Kupper and Davidson scores (elo or log-odds), or the scale on
    /// which the judge scores, such as 1..5 or 0..1:0.1.
    #[arg(
        long, value_parser = parse_scale, value_name = "elo|log-odds|A..B[:STEP]",
        default_value = "elo", help_heading = STATISTICS
    )]
    pub(crate) scale: Scale,
    /// Ridge prior on Bradley-Terry strengths
    ///
    /// Its variance is 1/WEIGHT, in log-odds. It makes every score finite, and shrinks them.
    #[arg(long, value_name = "WEIGHT", help_heading = STATISTICS)]
    pub(crate) prior: Option<f64>,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    /// Compare all pairs of systems, with p-values
    #[arg(long, help_heading = STATISTICS)]
    pub(crate) differences: bool,
    /// How the p-values of --differences are adjusted for their number
    ///
    /// joint, as for the rank intervals; holm; bh; or none.
    #[arg(
        long, default_value = "joint", value_parser = words(ADJUSTMENTS),
        help_heading = STATISTICS
    )]
    pub(crate) adjust: Adjust,
    /// Find the fewest judgments whose removal changes the leader
    #[arg(long, help_heading = STATISTICS)]
    pub(crate) drop: bool,
    /// Average Elo ratings over N seeded orders of the games
    ///
    /// Only with --aggregate elo --ci none.
    #[arg(long, value_name = "N", help_heading = STATISTICS)]
    pub(crate) permutations: Option<usize>,
}

impl RankingArgs {
    /// Returns what rankings of new and of recorded judgments have in common.
    pub(crate) fn options(&self, seed: u64, threads: usize) -> Result<RankOptions, Failed> {
        let bootstrap = self.resampling.plan(seed, threads)?;
        self.prior.map_or(Ok(()), check_prior)?;
        Ok(RankOptions {
            aggregation: self.aggregate,
            scale: self.scale.into(),
            prior: self.prior,
            bootstrap,
            differences: self.differences,
            adjust: self.adjust,
            drop: self.drop,
            permutations: self.permutations,
            ..RankOptions::default()
        })
    }

    /// Takes the pairs out of a report that nobody asked to see, as a condition alone needs them.
    pub(crate) fn drop_unasked(&self, report: &mut Report) {
        if !self.differences {
            report.adjust = None;
            report.differences.clear();
        }
    }
}

pub(crate) fn parse_aggregation(name: &str) -> Result<Aggregation, String> {
    name.parse().map_err(|_| {
        let meant = did_you_mean(name, Aggregation::NAMES.iter().copied());
        format!("expected one of {}{meant}", Aggregation::NAMES.join(", "))
    })
}

/// The most threads that are started: more of them do harm.
pub(crate) const MAX_THREADS: usize = 256;

/// How intervals are made.
#[derive(Clone, Debug, Args)]
pub(crate) struct ResamplingArgs {
    /// Number of bootstrap resamples
    #[arg(long, default_value_t = 1000, help_heading = STATISTICS)]
    pub(crate) rounds: usize,
    /// Coverage of the intervals
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    pub(crate) level: f64,
}

impl ResamplingArgs {
    /// Returns the plan of the bootstrap.
    ///
    /// # Errors
    /// A level outside (0, 1), or a number of resamples that is too small or too large.
    pub(crate) fn plan(&self, seed: u64, threads: usize) -> Result<Bootstrap, Failed> {
        check_level(self.level)?;
        check_rounds(self.rounds)?;
        Ok(Bootstrap {
            rounds: self.rounds,
            level: self.level,
            seed,
            threads,
        })
    }
}

/// Where draws begin, for commands that draw nothing but resamples.
#[derive(Clone, Debug, Args)]
pub(crate) struct SeedArgs {
    /// Seed of the resampling
    #[arg(long, default_value_t = 0, help_heading = RUN)]
    pub(crate) seed: u64,
}

/// How many threads a command works with.
#[derive(Clone, Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Threads [default: the machine's cores]
    #[arg(long, value_name = "N", help_heading = RUN)]
    pub(crate) threads: Option<usize>,
}

impl ThreadArgs {
    /// Returns the number of threads, 0 for as many as there are cores.
    pub(crate) fn count(&self) -> usize {
        self.threads.unwrap_or(0).min(MAX_THREADS)
    }
}
