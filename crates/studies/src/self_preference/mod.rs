//! Whether judges prefer their own responses beyond what the other judges make of them, without
//! labels of people. `evenhand_stats::self_preference` has the estimator and what it assumes.

#[cfg(test)]
mod tests;

use crate::recordings::read_by_name;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::judgments::{Options, RecordedJudgments};
use evenhand_stats::self_preference::{PairPoints, own_preference};
use evenhand_stats::{Error, holm};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

/// Whose verdicts are looked at.
#[derive(Clone, Debug)]
pub struct SelfPreferenceOptions {
    /// Files of recorded judgments of the same systems, or directories of files. Those of one name
    /// are one judge's, which has that name.
    pub recorded: Vec<PathBuf>,
    /// The judges that have a system of their own, each with that system. Where there are none, a
    /// judge with the name of a system is its author.
    pub own: Vec<[String; 2]>,
    /// How files are understood.
    pub reading: Options,
    /// Coverage of the intervals, and 1 less the chance that a fair judge is accused.
    pub level: f64,
}

/// Whether judges prefer their own responses.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SelfPreferenceReport {
    /// The judges, in the order of their files.
    pub judges: Vec<OwnRow>,
    /// How many systems were compared.
    pub systems: usize,
    /// How many judges were tested together: p-values are adjusted for them (Holm 1979).
    pub tested: usize,
    /// Coverage of the intervals.
    pub level: f64,
}

/// One judge and its own system. Shares are from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct OwnRow {
    /// The judge.
    pub judge: String,
    /// Its own system; null where it has none here.
    pub system: Option<String>,
    /// Comparisons that it judged, those that its scores make included.
    pub comparisons: u64,
    /// The share that its own system got from it, ties half.
    pub by_itself: Option<f64>,
    /// The share that its own system got from the other judges, but for their own systems.
    pub by_others: Option<f64>,
    /// How far it puts its own system above where the others' opinion would have it, in log-odds,
    /// once its accuracy and its tastes are taken out; null with a note where that is undefined.
    pub excess: Option<f64>,
    /// The interval of that.
    pub ci: Option<[f64; 2]>,
    /// Two-sided p-value of no excess.
    pub p: Option<f64>,
    /// Adjusted for all judges that were tested.
    pub p_adjusted: Option<f64>,
    /// What is shown of it at this level.
    pub finding: OwnFinding,
    /// How far it stretches the others' differences: above 1 it tells systems further apart.
    pub slope: Option<f64>,
    /// Systems of others that its line rests on.
    pub others: Option<usize>,
    /// Other judges.
    pub peers: Option<usize>,
    /// Why the excess is undefined.
    pub note: Option<String>,
}

/// What is shown of a judge and its own system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OwnFinding {
    /// It prefers its own.
    PrefersOwn,
    /// It disfavours its own.
    DisfavoursOwn,
    /// Neither.
    NotShown,
    /// Nothing could be tested.
    #[default]
    Undefined,
}

impl OwnFinding {
    /// Returns it in words.
    pub fn words(self) -> &'static str {
        match self {
            OwnFinding::PrefersOwn => "prefers its own",
            OwnFinding::DisfavoursOwn => "disfavours its own",
            OwnFinding::NotShown => "not shown",
            OwnFinding::Undefined => "undefined",
        }
    }
}

/// Reads the recordings and looks at every judge.
///
/// # Errors
/// Files that cannot be read; an own system or its judge that is not there; judges of whom none has
/// a system of its own.
pub fn measure_self_preference(
    options: &SelfPreferenceOptions,
) -> Result<SelfPreferenceReport, EngineError> {
    let read = read_by_name(&options.recorded, &options.reading)?;
    let judges: Vec<String> = read.iter().map(|(name, _)| name.clone()).collect();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut systems: Vec<String> = Vec::new();
    for name in read.iter().flat_map(|(_, recorded)| &recorded.systems) {
        if let Entry::Vacant(new) = numbers.entry(name) {
            new.insert(systems.len());
            systems.push(name.clone());
        }
    }
    let own = own_systems(&judges, &systems, &options.own)?;
    let said = read.iter();
    let said = said.map(|(_, recorded)| points_of(recorded, &numbers));
    let said: Vec<PairPoints> = said.collect::<Result<_, Error>>()?;

    let mut rows = Vec::with_capacity(judges.len());
    for (judge, name) in judges.into_iter().enumerate() {
        rows.push(row_of(judge, name, &said, &own, &systems, options.level)?);
    }
    adjust(&mut rows, options.level)?;
    Ok(SelfPreferenceReport {
        systems: systems.len(),
        tested: rows.iter().filter(|row| row.p.is_some()).count(),
        judges: rows,
        level: options.level,
    })
}

/// Returns the number of each judge's own system.
fn own_systems(
    judges: &[String],
    systems: &[String],
    given: &[[String; 2]],
) -> Result<Vec<Option<usize>>, Refusal> {
    let place = |name: &str, names: &[String]| names.iter().position(|other| other == name);
    let mut own: Vec<Option<usize>> = vec![None; judges.len()];
    for [judge, system] in given {
        let refuse = |what: &str, name: &str, names: &[String]| {
            let why = format!(
                "no {what} `{name}` is in the files; there are {}",
                names.join(", ")
            );
            Refusal::new(Setting::Own, Cause::Data, why).with_value(format!("{judge}={system}"))
        };
        let at = place(judge, judges).ok_or_else(|| refuse("judge", judge, judges))?;
        let of = place(system, systems).ok_or_else(|| refuse("system", system, systems))?;
        if let Some(first) = own[at].replace(of) {
            let why = format!(
                "{judge} has {} for its own too; expected one system a judge",
                systems[first]
            );
            let refusal = Refusal::new(Setting::Own, Cause::Data, why);
            return Err(refusal.with_value(format!("{judge}={system}")));
        }
    }
    if given.is_empty() {
        own = judges.iter().map(|judge| place(judge, systems)).collect();
    }
    if own.iter().all(Option::is_none) {
        let why = format!(
            "no judge ({}) has the name of a system ({}); say whose system is whose with {} \
             JUDGE=SYSTEM",
            judges.join(", "),
            systems.join(", "),
            Setting::Own
        );
        return Err(Refusal::of_input(why));
    }
    Ok(own)
}

/// Returns the points of systems against each other by one judge; of scores, by the scores of two
/// systems on an item. `numbers` has the number of each system.
fn points_of(
    recorded: &RecordedJudgments,
    numbers: &BTreeMap<&str, usize>,
) -> Result<PairPoints, Error> {
    let known = recorded.systems.iter();
    let known = known.map(|name| numbers.get(name.as_str()).copied().unwrap_or(0));
    let known: Vec<usize> = known.collect();
    let number = |system: u16| known[usize::from(system)];
    let mut points = PairPoints::new(numbers.len())?;
    for row in &recorded.comparisons {
        let half = (row.ties + row.both_bad) / 2.0;
        let [of_a, of_b] = [row.wins_a + half, row.wins_b + half];
        points.add(number(row.a), number(row.b), of_a, of_b)?;
    }
    let mut by_item: BTreeMap<u32, Vec<(usize, f64)>> = BTreeMap::new();
    for row in &recorded.scores {
        by_item
            .entry(row.item)
            .or_default()
            .push((number(row.system), row.score));
    }
    for scores in by_item.values() {
        for (at, (a, first)) in scores.iter().enumerate() {
            for (b, second) in scores[at + 1..].iter().filter(|(b, _)| a != b) {
                let of_a = match first.total_cmp(second) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                };
                points.add(*a, *b, of_a, 1.0 - of_a)?;
            }
        }
    }
    Ok(points)
}

fn row_of(
    judge: usize,
    name: String,
    said: &[PairPoints],
    own: &[Option<usize>],
    systems: &[String],
    level: f64,
) -> Result<OwnRow, Error> {
    // What its system got from each other judge, but against that one's own system.
    let share_by_peers = |system| {
        let peers = (0..said.len()).filter(|peer| *peer != judge && own[*peer] != Some(system));
        let shares =
            peers.filter_map(|peer| share(&said[peer], system, |other| own[peer] != Some(other)));
        crate::figure::mean(&shares.collect::<Vec<_>>())
    };
    let mut row = OwnRow {
        judge: name,
        system: own[judge].map(|system| systems[system].clone()),
        comparisons: said[judge].total().round() as u64,
        by_itself: own[judge].and_then(|system| share(&said[judge], system, |_| true)),
        by_others: own[judge].and_then(share_by_peers),
        ..OwnRow::default()
    };
    match own_preference(said, own, judge, level) {
        Ok(found) => {
            row.excess = Some(found.excess);
            row.ci = Some(found.interval);
            row.p = Some(found.p_value);
            row.slope = Some(found.slope);
            row.others = Some(found.others);
            row.peers = Some(found.peers);
        }
        Err(Error::Undefined(why)) => row.note = Some(why.to_string()),
        Err(error) => return Err(error),
    }
    Ok(row)
}

/// Returns the share that a system got against those of whom it is asked.
fn share(said: &PairPoints, system: usize, counts: impl Fn(usize) -> bool) -> Option<f64> {
    let others = (0..said.systems()).filter(|other| counts(*other));
    let sums = others.map(|other| said.points(system, other));
    let [won, lost] = sums.fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
    (won + lost > 0.0).then(|| won / (won + lost))
}

/// Adjusts the p-values of all judges that were tested, and says what is shown.
fn adjust(rows: &mut [OwnRow], level: f64) -> Result<(), Error> {
    let p: Vec<f64> = rows.iter().filter_map(|row| row.p).collect();
    let adjusted = holm(&p)?;
    let tested = rows.iter_mut().filter(|row| row.p.is_some());
    for (row, adjusted) in tested.zip(adjusted) {
        row.p_adjusted = Some(adjusted);
        row.finding = match row.excess {
            Some(excess) if adjusted <= 1.0 - level && excess > 0.0 => OwnFinding::PrefersOwn,
            Some(_) if adjusted <= 1.0 - level => OwnFinding::DisfavoursOwn,
            _ => OwnFinding::NotShown,
        };
    }
    Ok(())
}
