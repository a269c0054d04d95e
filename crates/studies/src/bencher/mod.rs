//! Benchers against people: how well rankings of systems agree with reference ratings (Gao et al.
//! 2025, "Re-evaluating Automatic LLM System Ranking for Alignment with Human Preference", section
//! 2.3: setting 1), or with people's own judgments aggregated in the same way (setting 3).

mod contest;
mod differences;
mod figures;
mod input;
mod judged;
mod names;
mod rated;
mod source;
mod standing;
mod table;
mod table_record;
mod tau_curve;
#[cfg(test)]
mod tests;
mod universe;

pub use contest::{CorrelationEnds, Over};
pub use differences::BencherDifference;
pub use figures::Figures;
pub use input::Reference;
pub(crate) use judged::leaderboard_options;
pub use judged::{Aggregate, JudgedOptions};
pub use names::Names;
pub use rated::{Rated, RatedRow};
pub use source::BencherSource;
pub use table_record::Columns;
pub use tau_curve::TauRow;

use contest::Contest;
use differences::SharedRounds;
use figures::Correlated;
use input::Inputs;
use schemars::JsonSchema;
use serde::Serialize;
use standing::Standings;

use evenhand_core::{Refusal, Setting};
use evenhand_engine::{Coverage, EngineError};
use evenhand_stats::Bootstrap;

/// What is compared with what, and how.
#[derive(Clone, Debug)]
pub struct BencherOptions {
    /// The benchers, at least one.
    pub rankings: Vec<BencherSource>,
    /// The column of published tables with the system; None: the usual names.
    pub system_column: Option<String>,
    /// The columns with the score, each a bencher of its own; none: the usual names.
    pub score_columns: Vec<String>,
    /// How recorded judgments are read and aggregated.
    pub judged: JudgedOptions,
    /// What the benchers are held against.
    pub reference: Reference,
    /// Names of the same systems.
    pub names: Names,
    /// Further thresholds of tau_u, 0 or more, in the unit of the reference.
    pub u: Vec<f64>,
    /// The resampling.
    pub plan: Bootstrap,
}

/// All benchers.
#[derive(Clone, Debug)]
pub struct BencherReport {
    /// One for each, in the order in which they were given.
    pub benchers: Vec<BencherRow>,
    /// Those that share their rounds with the first, less the first.
    pub differences: Vec<BencherDifference>,
    /// Seed of the resampling.
    pub seed: u64,
}

/// One bencher.
#[derive(Clone, Debug, Default)]
pub struct BencherRow {
    /// Its name.
    pub bencher: String,
    /// How its judgments were aggregated; None for a table.
    pub aggregation: Option<&'static str>,
    /// Systems that both sides have.
    pub n: usize,
    /// The figures.
    pub figures: Figures,
    /// The curve of tau_u by shares of pairs, then the thresholds asked for.
    pub tau_u: Vec<TauRow>,
    /// What the intervals rest on.
    pub ci: CiRow,
    /// The systems, in the order of their names in the reference.
    pub systems: Vec<SystemRow>,
    /// Systems of one side only, which are left out.
    pub unmatched: Unmatched,
    /// Of recorded judgments, how many have a verdict.
    pub coverage: Option<Coverage>,
    /// Items that were resampled, and with people's labels those that both sides have.
    pub items: Option<Items>,
    /// What was left out, and what the figures take for granted.
    pub notes: Vec<String>,
}

/// What intervals rest on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CiRow {
    /// `bootstrap`.
    pub method: &'static str,
    /// What is resampled.
    pub over: Over,
    /// How often.
    pub rounds: usize,
    /// What the intervals of the correlations and of tau_u are made of.
    pub correlations: CorrelationEnds,
    /// Coverage aimed at.
    pub level: f64,
    /// The figures that are over systems all the same.
    pub over_systems: [&'static str; 5],
}

/// Items of a bencher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Items {
    /// With a verdict of the judge.
    pub judged: usize,
    /// With a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labelled: Option<usize>,
    /// With both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub both: Option<usize>,
}

/// One system on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SystemRow {
    /// Its name in the ranking.
    pub system: String,
    /// Its name in the reference.
    pub rated_as: String,
    /// The bencher's score; None where it is not finite.
    pub score: Option<f64>,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
    /// The reference's rating.
    pub rating: Option<f64>,
    /// Its interval.
    pub rating_ci: Option<[f64; 2]>,
}

/// Systems without a partner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unmatched {
    /// Of the ranking.
    pub ranking: Vec<String>,
    /// Of the reference.
    pub reference: Vec<String>,
}

/// Holds every bencher against the reference.
///
/// # Errors
/// Files that cannot be read, or are not what they should be; aggregations that judgments do not
/// have; a bencher with fewer than 2 systems of the reference; a bad threshold or resampling.
pub fn benchers(options: &BencherOptions) -> Result<BencherReport, EngineError> {
    for u in &options.u {
        if !u.is_finite() || *u < 0.0 {
            let reason = "expected a number from 0, in the unit of the ratings";
            return Err(Refusal::of_value(Setting::U, *u, reason).into());
        }
    }
    let inputs = Inputs::read(options)?;
    let mut compared = Vec::new();
    for bencher in &inputs.benchers {
        let sides = inputs.sides(bencher, options)?;
        let held = Held {
            bencher: &sides.bencher,
            reference: &sides.reference,
            names: &options.names,
            over: sides.over,
            group: sides.group,
        };
        let mut one = held.compare(&bencher.name, &options.u, &options.plan)?;
        one.row.aggregation = sides.aggregation;
        one.row.coverage = sides.coverage;
        one.row.items = sides.items;
        // What is known of how the standings came about.
        one.row.notes.extend(sides.notes);
        compared.push(one);
    }
    let differences = differences::differences_to_first(&compared, options.plan.level)?;
    Ok(BencherReport {
        benchers: compared.into_iter().map(|one| one.row).collect(),
        differences,
        seed: options.plan.seed,
    })
}

/// A bencher with what its differences to others need.
struct ComparedBencher {
    row: BencherRow,
    correlated: Correlated,
    shares: SharedRounds,
}

/// A bencher that is held against a reference.
struct Held<'a> {
    bencher: &'a Standings,
    reference: &'a Standings,
    names: &'a Names,
    over: Over,
    /// Benchers of the same group were resampled together.
    group: Option<usize>,
}

impl Held<'_> {
    fn compare(
        &self,
        name: &str,
        thresholds: &[f64],
        plan: &Bootstrap,
    ) -> Result<ComparedBencher, EngineError> {
        let Held {
            bencher, reference, ..
        } = *self;
        let matching = self.names.pair(&bencher.names(), &reference.names())?;
        let contest = Contest::new(bencher, reference, &matching, self.over);
        // A single system has no order.
        if contest.system_count() < 2 {
            let notes = match contest.notes.join("; ").as_str() {
                "" => String::new(),
                notes => format!(" ({notes})"),
            };
            let reason = format!(
                "{name}: {} of its {} systems ({}) can be compared with the {} of the reference \
                 ({}){notes}; at least 2 are needed: give a table of names with {}",
                contest.system_count(),
                bencher.systems.len(),
                first_names(&bencher.names()),
                reference.systems.len(),
                first_names(&reference.names()),
                Setting::Names
            );
            return Err(Refusal::of_input(reason).into());
        }
        let correlated = Correlated::of_contest(&contest, plan);
        let figures = figures::figures_of(&contest, &correlated, plan)?;
        let tau_u = tau_curve::tau_curve(&contest, thresholds, plan)?;
        let both = contest.bencher.iter().zip(&contest.reference);
        let systems = both.map(|(own, other)| SystemRow {
            system: own.system.clone(),
            rated_as: other.system.clone(),
            score: own.score,
            ci: own.ends.clone().ok(),
            rating: other.score,
            rating_ci: other.ends.clone().ok(),
        });
        let systems = systems.collect();
        let row = BencherRow {
            bencher: name.to_string(),
            aggregation: None,
            n: contest.system_count(),
            figures,
            tau_u,
            ci: CiRow {
                method: "bootstrap",
                over: contest.over,
                rounds: contest.round_count(plan),
                correlations: contest.correlation_ends(),
                level: plan.level,
                over_systems: Figures::OVER_SYSTEMS,
            },
            systems,
            unmatched: matching.unmatched,
            coverage: None,
            items: None,
            notes: [&bencher.notes[..], &reference.notes, &contest.notes].concat(),
        };
        Ok(ComparedBencher {
            row,
            correlated,
            shares: SharedRounds::of_contest(&contest, self.group),
        })
    }
}

/// Lists names, the first five of many.
fn first_names(names: &[&str]) -> String {
    if names.len() > 5 {
        names[..5].join(", ") + ", ..."
    } else {
        names.join(", ")
    }
}
