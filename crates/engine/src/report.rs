//! A ranking and what it rests on, as plain data.

use crate::warn::of_judgments;
use crate::{Collected, Coverage, EngineError, Job, RankOptions};
use evenhand_core::Source;
use evenhand_stats::{Cluster, ClusteredRatio, Error, clustered_ratio};
use serde::Serialize;

/// One system in the ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub system: String,
    /// Its score; None where it is infinite or undefined, with the cause in `note`.
    pub score: Option<f64>,
    /// The interval of the score; an end is None where it is not finite.
    pub ci: Option<[Option<f64>; 2]>,
    /// Its rank from 1; equals share the better one.
    pub rank: Option<u32>,
    /// The interval of the rank.
    pub rank_ci: Option<[u32; 2]>,
    /// Judgments that it rests on.
    pub n: u64,
    /// Why something above is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How intervals were made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// `bootstrap` or `none`.
    pub method: &'static str,
    /// `item` or `none`.
    pub cluster: &'static str,
    /// Resamples.
    pub rounds: usize,
    /// Coverage aimed at.
    pub level: f64,
}

/// A share with its interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// In [0, 1].
    pub value: f64,
    /// Bootstrap over items; None where the data do not vary or are too few.
    pub ci: Option<[f64; 2]>,
    /// What it counts.
    pub n: u64,
}

/// A ranking and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// In rank order; systems without a rank last.
    pub ranking: Vec<Row>,
    /// The aggregation's name.
    pub aggregation: &'static str,
    /// What the scores are measured in.
    pub unit: &'static str,
    /// How intervals were made.
    pub ci: Interval,
    /// The seed of the resampling and of what the plan drew.
    pub seed: u64,
    /// The judge's identity.
    pub judge: String,
    /// The protocol.
    pub protocol: String,
    /// The design.
    pub design: String,
    /// What came to a verdict.
    pub coverage: Coverage,
    /// Share of pairs with the same outcome in both orders; None where no pair was judged in both.
    pub consistency: Option<Share>,
    /// Mean probability given to the response shown first; None where no two were shown together.
    pub first_slot: Option<Share>,
    /// Mean probability that lay on none of the answers; None where no probabilities were read.
    pub outside: Option<f64>,
    /// Groups of systems that comparisons link, where there is more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<Vec<String>>,
    /// What the reader must know.
    pub warnings: Vec<String>,
    /// Whether the judge saw two responses at once.
    #[serde(skip)]
    pub pairwise: bool,
}

impl Report {
    /// What can be said of the judgments before any system has a score.
    pub fn of_judgments(job: &Job, collected: &Collected, options: &RankOptions) -> Result<Report, EngineError> {
        let mut report = Report {
            ranking: Vec::new(),
            aggregation: "none",
            unit: "none",
            ci: interval(options),
            seed: options.bootstrap.seed,
            judge: job.judge.to_string(),
            protocol: job.protocol.to_string(),
            design: job.design.to_string(),
            coverage: collected.coverage.clone(),
            consistency: share(&collected.consistent, options)?,
            first_slot: share(&collected.first_slot, options)?,
            outside: outside(collected),
            components: Vec::new(),
            warnings: Vec::new(),
            pairwise: job.is_pairwise(),
        };
        report.warnings = of_judgments(job, &report);
        Ok(report)
    }
}

fn interval(options: &RankOptions) -> Interval {
    let cluster = if options.cluster == Cluster::Item { "item" } else { "none" };
    let (method, rounds) = if options.intervals { ("bootstrap", options.bootstrap.rounds) } else { ("none", 0) };
    Interval { method, cluster, rounds, level: options.bootstrap.level }
}

fn share(rows: &[(f64, f64)], options: &RankOptions) -> Result<Option<Share>, EngineError> {
    match clustered_ratio(rows, &options.bootstrap()) {
        Ok(ratio) => {
            let ci = ends(&ratio).filter(|_| options.intervals);
            Ok(Some(Share { value: ratio.value, ci, n: ratio.n as u64 }))
        }
        Err(Error::Undefined(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn ends(ratio: &ClusteredRatio) -> Option<[f64; 2]> {
    let interval = ratio.interval.as_ref().ok()?;
    Some([interval.low?, interval.high?])
}

fn outside(collected: &Collected) -> Option<f64> {
    let verdicts = collected.from_source(Source::Probabilities);
    (verdicts > 0).then(|| collected.outside / verdicts as f64)
}
