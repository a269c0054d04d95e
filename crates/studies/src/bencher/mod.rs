//! Benchers against people: how well rankings of systems agree with reference ratings (Gao et al.
//! 2024, "Re-evaluating Automatic LLM System Ranking for Alignment with Human Preference", section
//! 2.3: setting 1), or with people's own judgments aggregated in the same way (setting 3).

mod contest;
mod differences;
mod figures;
mod input;
mod names;
mod rated;
mod source;
mod standing;
mod table;
#[cfg(test)]
mod tests;
mod universe;

pub use contest::Over;
pub use differences::Difference;
pub use figures::{Figures, TauRow};
pub(crate) use input::reading;
pub use input::{Aggregate, Judged, Reference};
pub use names::Names;
pub use rated::Rated;
pub use source::Source;
pub use table::Columns;

use contest::Contest;
use figures::Correlated;
use input::{Bencher, Inputs};
use names::Matching;
use serde::Serialize;
use standing::Standings;

use evenhand_engine::{Coverage, EngineError};
use evenhand_stats::Bootstrap;

/// What is compared with what, and how.
#[derive(Clone, Debug)]
pub struct BencherOptions {
    /// The benchers, at least one.
    pub rankings: Vec<Source>,
    /// The column of published tables with the system; None: the usual names.
    pub system_column: Option<String>,
    /// The columns with the score, each a bencher of its own; none: the usual names.
    pub score_columns: Vec<String>,
    /// How recorded judgments are read and aggregated.
    pub judged: Judged,
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
    pub differences: Vec<Difference>,
    /// Seed of the resampling.
    pub seed: u64,
}

/// One bencher.
#[derive(Clone, Debug)]
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
    /// Systems of one side only, which count nowhere.
    pub unmatched: Unmatched,
    /// Of recorded judgments, how many have a verdict.
    pub coverage: Option<Coverage>,
    /// Items that were resampled, and with people's labels those that both sides have.
    pub items: Option<Items>,
    /// What was left out, and what the figures take for granted.
    pub notes: Vec<String>,
}

/// What intervals rest on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CiRow {
    /// `bootstrap`.
    pub method: &'static str,
    /// What is resampled.
    pub over: Over,
    /// How often.
    pub rounds: usize,
    /// Coverage aimed at.
    pub level: f64,
    /// The figures that are over systems all the same.
    pub over_systems: [&'static str; 5],
}

/// Items of a bencher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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
    if let Some(bad) = options.u.iter().find(|u| !(u.is_finite() && **u >= 0.0)) {
        return Err(EngineError::Setting(format!(
            "--u {bad}: expected a number from 0, in the unit of the ratings"
        )));
    }
    let inputs = Inputs::read(options)?;
    let found: Vec<Compared> = inputs
        .benchers
        .iter()
        .map(|bencher| compared(bencher, &inputs, options))
        .collect::<Result<_, _>>()?;
    let differences = differences::from_first(&found, options.plan.level)?;
    Ok(BencherReport {
        benchers: found.into_iter().map(|one| one.row).collect(),
        differences,
        seed: options.plan.seed,
    })
}

/// A bencher with what its differences to others need.
struct Compared {
    row: BencherRow,
    correlated: Correlated,
    /// Benchers with the same key have the same rounds.
    shares: differences::Key,
}

fn compared(
    bencher: &Bencher,
    inputs: &Inputs,
    options: &BencherOptions,
) -> Result<Compared, EngineError> {
    let sides = inputs.sides(bencher, options)?;
    let (own, other) = (sides.bencher.names(), sides.reference.names());
    let matching = options.names.pair(&own, &other)?;
    let contest = Contest::new(&sides.bencher, &sides.reference, &matching, sides.over);
    if contest.systems() < 2 {
        return Err(too_few(&bencher.name, &own, &other, &contest));
    }
    let (figures, correlated) = figures::figures(&contest, &options.plan)?;
    let tau_u = figures::curve(&contest, &options.u, &options.plan)?;
    let shares = differences::Key::of(&contest, sides.group);
    let ci = CiRow {
        method: "bootstrap",
        over: contest.over,
        rounds: contest.count(&options.plan),
        level: options.plan.level,
        over_systems: Figures::OVER_SYSTEMS,
    };
    let row = BencherRow {
        bencher: bencher.name.clone(),
        aggregation: sides.aggregation,
        n: contest.systems(),
        figures,
        tau_u,
        ci,
        systems: rows(&contest),
        notes: notes(&sides.bencher, &sides.reference, &contest, sides.notes),
        unmatched: unmatched(matching),
        coverage: sides.coverage,
        items: sides.items,
    };
    Ok(Compared {
        row,
        correlated,
        shares,
    })
}

fn unmatched(matching: Matching) -> Unmatched {
    Unmatched {
        ranking: matching.ranking,
        reference: matching.reference,
    }
}

fn notes(
    bencher: &Standings,
    reference: &Standings,
    contest: &Contest,
    more: Vec<String>,
) -> Vec<String> {
    [&bencher.notes, &reference.notes, &contest.notes, &more]
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}

fn rows(contest: &Contest) -> Vec<SystemRow> {
    let row = |(own, other): (&standing::Standing, &standing::Standing)| SystemRow {
        system: own.system.clone(),
        rated_as: other.system.clone(),
        score: own.score,
        ci: own.ends.clone().ok(),
        rating: other.score,
        rating_ci: other.ends.clone().ok(),
    };
    contest
        .bencher
        .iter()
        .zip(&contest.reference)
        .map(row)
        .collect()
}

fn too_few(name: &str, own: &[&str], other: &[&str], contest: &Contest) -> EngineError {
    let some = |names: &[&str]| {
        let dots = if names.len() > 5 { ", ..." } else { "" };
        names.iter().take(5).copied().collect::<Vec<_>>().join(", ") + dots
    };
    let (matched, own_names, other_names) = (contest.systems(), some(own), some(other));
    let lost = if contest.notes.is_empty() {
        String::new()
    } else {
        format!(" ({})", contest.notes.join("; "))
    };
    EngineError::Setting(format!(
        "{name}: {matched} of its {} systems ({own_names}) can be compared with the {} of the \
         reference ({other_names}){lost}; at least 2 are needed: give a table of names with \
         --names",
        own.len(),
        other.len()
    ))
}
