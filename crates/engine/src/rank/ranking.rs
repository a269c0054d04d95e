//! From the judgments of a run to a ranking that says how far it can be trusted.

use crate::rank::control;
use crate::rank::score::{Ci, Evidence, Method, score};
use crate::rank::style::{check_style, style_scored};
use crate::{Aggregation, Collected, EngineError, Job, RankScale, Report, ScoreUnit};
use evenhand_formats::StyleCovariate;
use evenhand_protocols::Form;
use evenhand_stats::{Bootstrap, Cluster, Comparison, Comparisons, Game, ItemScores, Ridge};

/// How a ranking is made.
#[derive(Clone, Debug, PartialEq)]
pub struct RankOptions {
    /// None: the mean for scores on a scale, else, and with `control`, Bradley-Terry.
    pub aggregation: Option<Aggregation>,
    /// Unit of Bradley-Terry scores.
    pub scale: RankScale,
    /// The weight of a ridge prior on Bradley-Terry strengths.
    pub prior: Option<f64>,
    /// How intervals are made.
    pub ci: Ci,
    /// What is resampled.
    pub cluster: Cluster,
    /// How it is resampled.
    pub bootstrap: Bootstrap,
    /// Whether all pairs of systems are compared, with p-values.
    pub differences: bool,
    /// How those are adjusted.
    pub adjust: crate::Adjust,
    /// Whether the fewest judgments are sought that carry the leader.
    pub drop: bool,
    /// Orders over which Elo ratings are averaged; None: the order given alone.
    pub permutations: Option<usize>,
    /// What is counted in the responses of a run, and its effect taken out (style control). A
    /// leaderboard has its own.
    pub control: Vec<StyleCovariate>,
}

impl Default for RankOptions {
    /// Elo points, bootstrap over items.
    fn default() -> Self {
        RankOptions {
            aggregation: None,
            scale: RankScale::Elo,
            prior: None,
            ci: Ci::Bootstrap,
            cluster: Cluster::Item,
            bootstrap: Bootstrap::default(),
            differences: false,
            adjust: crate::Adjust::Joint,
            drop: false,
            permutations: None,
            control: Vec::new(),
        }
    }
}

impl RankOptions {
    /// The resampling of shares: next to none where no intervals are wanted.
    pub(crate) fn bootstrap(&self) -> Bootstrap {
        let rounds = if self.ci == Ci::None {
            2
        } else {
            self.bootstrap.rounds
        };
        Bootstrap {
            rounds,
            ..self.bootstrap
        }
    }

    /// The aggregation, or why this job's judgments cannot be aggregated by it, or why a covariate
    /// says nothing of its responses.
    pub fn check(&self, job: &Job) -> Result<Aggregation, EngineError> {
        let aggregation = self.aggregation(job)?;
        check_style(&job.dataset, &self.control)?;
        Ok(aggregation)
    }

    fn aggregation(&self, job: &Job) -> Result<Aggregation, EngineError> {
        let form = job.protocol.form();
        let aggregation = self.aggregation.unwrap_or(match form {
            Form::Pointwise(_) if self.control.is_empty() => Aggregation::Mean,
            _ => Aggregation::BradleyTerry,
        });
        if aggregation.needs_scores() && job.compares() {
            return Err(EngineError::Setting(format!(
                "--aggregate {}: {form} gives preferences and no scores; use bradley-terry or \
                 win-ratio, or a pointwise protocol",
                aggregation.name()
            )));
        }
        if !self.control.is_empty() {
            control::check(aggregation, self)?;
        }
        self.method(aggregation)?;
        Ok(aggregation)
    }

    /// How scores are made by this aggregation; settings that do not go together are refused.
    pub(crate) fn method(&self, aggregation: Aggregation) -> Result<Method, EngineError> {
        let prior = self.prior.map(Ridge::new).transpose()?;
        if prior.is_some() && aggregation != Aggregation::BradleyTerry {
            let name = aggregation.name();
            return Err(EngineError::Setting(format!(
                "--prior: it is for bradley-terry; --aggregate {name} takes none"
            )));
        }
        if self.ci == Ci::Sandwich && aggregation != Aggregation::BradleyTerry {
            let name = aggregation.name();
            return Err(EngineError::Setting(format!(
                "--ci sandwich: it is for bradley-terry; with --aggregate {name} use --ci bootstrap"
            )));
        }
        if self.permutations.is_some() && (aggregation != Aggregation::Elo || self.ci != Ci::None) {
            let why = "--permutations: it is for --aggregate elo with --ci none, whose ratings it \
                       averages over orders";
            return Err(EngineError::Setting(why.into()));
        }
        Ok(Method {
            aggregation,
            prior,
            ci: self.ci,
            cluster: self.cluster,
            plan: self.bootstrap,
            differences: self.differences,
            adjust: self.adjust,
            drop: self.drop,
            permutations: self.permutations,
        })
    }
}

/// Ranks the systems of a job by its judgments.
pub fn rank(
    job: &Job,
    collected: &Collected,
    options: &RankOptions,
) -> Result<Report, EngineError> {
    let aggregation = options.aggregation(job)?;
    let method = options.method(aggregation)?;
    let (scored, style) = match &options.control[..] {
        [] => (
            score(&evidence(job, collected, aggregation)?, &method)?,
            Vec::new(),
        ),
        control => style_scored(job, collected, control, &method)?,
    };
    let mut report = Report::of_judgments(job, collected, options)?;
    report.aggregation = aggregation.name();
    report.unit = aggregation.unit(options.scale, unit_of_points(job.protocol.form()));
    let names: Vec<String> = job
        .dataset
        .systems
        .iter()
        .map(|name| name.to_string())
        .collect();
    Ok(Report {
        style,
        ..report.with(&names, scored, &method, options.scale)
    })
}

fn evidence(
    job: &Job,
    collected: &Collected,
    aggregation: Aggregation,
) -> Result<Evidence, EngineError> {
    let systems = job.dataset.systems.len();
    if !job.compares() {
        let scores = ItemScores::new(systems, collected.scores.clone())?;
        return match aggregation {
            Aggregation::Elo => Ok(games(systems, scores.to_comparisons()?.rows())),
            _ => Ok(Evidence::Scores(scores)),
        };
    }
    match aggregation {
        Aggregation::Elo => Ok(games(systems, &collected.comparisons)),
        _ => Ok(Evidence::Comparisons(Comparisons::new(
            systems,
            collected.comparisons.clone(),
        )?)),
    }
}

/// Comparisons in their order, as games.
pub(crate) fn games(systems: usize, rows: &[Comparison]) -> Evidence {
    let (clusters, games) = rows.iter().map(|row| (row.item, game(row))).unzip();
    Evidence::Games {
        systems,
        games,
        clusters,
    }
}

/// A verdict that is a distribution is one game with its expected score.
pub(crate) fn game(row: &Comparison) -> Game {
    let weight = row.wins_a + row.ties + row.wins_b;
    let score = if weight > 0.0 {
        (row.wins_a + 0.5 * row.ties) / weight
    } else {
        0.5
    };
    Game {
        a: row.a,
        b: row.b,
        score: score.clamp(0.0, 1.0),
        weight,
    }
}

fn unit_of_points(form: Form) -> ScoreUnit {
    match form {
        Form::Likelihood(likely) => ScoreUnit::Nats(likely),
        _ => ScoreUnit::FormPoints,
    }
}
