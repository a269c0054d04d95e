//! What was read of a leaderboard's files: evidence, which systems are ranked, and what the report
//! says of the files.

use super::options::{ClusterBy, LeaderboardOptions};
use crate::method::Method;
use crate::report::data::{IntervalMethod, MissingItems, Outcomes, ReportJudge};
use crate::score::Evidence;
use crate::{Aggregation, Report, ScoreUnit, Warning, WarningKind};
use evenhand_core::{Cause, Refusal, Setting, did_you_mean, quote};
use evenhand_engine::Coverage;
use evenhand_formats::{DataError, describe_skipped};
use evenhand_stats::Cluster;
use std::collections::BTreeMap;

/// Evidence, and what the files say beside it.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    pub(super) evidence: Evidence,
    pub(super) files: FileSummary,
    pub(super) cluster: Cluster,
}

impl Gathered {
    /// Says of evidence whether it is resampled by item, or by single comparison.
    pub(super) fn by_item_if(by_item: bool, evidence: Evidence, files: FileSummary) -> Gathered {
        let mut gathered = Gathered::of_single(evidence, files);
        gathered.files.by_item = by_item;
        if by_item {
            gathered.cluster = Cluster::Item;
        }
        gathered
    }

    /// Evidence whose comparisons are each an item of their own.
    pub(super) fn of_single(evidence: Evidence, files: FileSummary) -> Gathered {
        Gathered {
            evidence,
            files,
            cluster: Cluster::None,
        }
    }
}

/// A summary of the files, beside their evidence.
#[derive(Clone, Debug, Default)]
pub(super) struct FileSummary {
    /// The systems that are ranked, in the order of their numbers.
    pub(super) names: Vec<String>,
    pub(super) coverage: Coverage,
    /// Verdicts of the coverage that count for no system.
    pub(super) set_aside: u64,
    /// Verdicts of systems that are not ranked, which are no part of the coverage.
    pub(super) left_out: u64,
    /// Systems that lack a score on some items; None where that is not known.
    pub(super) missing: Option<Vec<MissingItems>>,
    pub(super) judges: Vec<String>,
    pub(super) formats: Vec<String>,
    pub(super) outcomes: Option<Outcomes>,
    /// Whether items were resampled, not single comparisons.
    pub(super) by_item: bool,
    /// The names of what counts once, by number, where they were to be kept.
    pub(super) clusters: Vec<String>,
    /// Whether comparisons have unlike weights.
    pub(super) weighed: bool,
    /// The items that were judged, and the questions that they ask; 0 where they are not known.
    pub(super) items: [u64; 2],
    pub(super) warnings: Vec<Warning>,
    /// The unit of single responses' scores.
    pub(super) unit: ScoreUnit,
}

impl FileSummary {
    /// Reports everything but the ranking.
    pub(super) fn report(
        &self,
        options: &LeaderboardOptions,
        aggregation: Aggregation,
        method: &Method,
    ) -> Report {
        let ci = IntervalMethod::new(method.rank.ci, &method.rank.bootstrap, self.by_item);
        Report {
            aggregation: aggregation.name(),
            unit: aggregation.unit(options.rank.scale, self.unit),
            ci: match &options.cluster {
                ClusterBy::Column(name) if self.by_item => ci.over_column(name),
                _ => ci,
            },
            seed: options.rank.bootstrap.seed,
            judge: if self.judges.is_empty() {
                ReportJudge::Unnamed
            } else {
                ReportJudge::Named(self.judges.join(", "))
            },
            protocol: format!("recorded ({})", self.formats.join(", ")),
            design: "recorded".into(),
            coverage: self.coverage.clone(),
            set_aside: self.set_aside,
            left_out: self.left_out,
            missing: self.missing.clone(),
            outcomes: self.outcomes,
            items: self.items[0],
            questions: self.items[1],
            warnings: self.warnings.clone(),
            ..Report::default()
        }
    }
}

/// Warns of records that are left out because they cannot be read, and says why.
pub(super) fn warn_of_skipped(skipped: &[&DataError]) -> Option<Warning> {
    (!skipped.is_empty()).then(|| WarningKind::BadRecords.says(describe_skipped(skipped)))
}

/// Warns of systems whose names differ by white space or capitals alone: they look the same, or
/// nearly so, and are ranked apart.
pub(super) fn warn_of_names(names: &[String]) -> Option<Warning> {
    let mut alike: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for name in names {
        let words: Vec<&str> = name.split_whitespace().collect();
        alike
            .entry(words.join(" ").to_lowercase())
            .or_default()
            .push(name);
    }
    let alike: Vec<String> = alike
        .into_values()
        .filter(|names| names.len() > 1)
        .map(|names| {
            let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            names.join(" and ")
        })
        .collect();
    let shown = alike.iter().take(5).map(String::as_str).collect::<Vec<_>>();
    let text = format!(
        "names that differ by white space or capitals alone are ranked as different systems: {}",
        shown.join("; ")
    );
    (!alike.is_empty()).then(|| WarningKind::SimilarNames.says(text))
}

/// Which systems of the files are ranked, and by which numbers.
pub(super) struct KeptSystems {
    /// The new number of each system of the files; None where it is left out.
    numbers: Vec<Option<u16>>,
    /// The names of the kept systems, in the order of their new numbers.
    pub(super) names: Vec<String>,
}

impl KeptSystems {
    /// Keeps all systems of the files.
    pub(super) fn all(names: &[String]) -> KeptSystems {
        KeptSystems {
            numbers: (0..names.len() as u16).map(Some).collect(),
            names: names.to_vec(),
        }
    }

    /// Keeps the systems that the options name, or all where they name none.
    ///
    /// # Errors
    /// A system that is not in the files.
    pub(super) fn select(
        names: &[String],
        options: &LeaderboardOptions,
    ) -> Result<KeptSystems, Refusal> {
        let Some(wanted) = &options.systems else {
            return Ok(KeptSystems::all(names));
        };
        let unknown = wanted.iter().find(|wanted| !names.contains(wanted));
        let Some(unknown) = unknown.filter(|_| !options.of_slice) else {
            return Ok(KeptSystems::of_names(names, wanted));
        };
        let there: Vec<String> = names.iter().map(|name| quote(name)).collect();
        let there = there.join(", ");
        Err(Refusal::new(
            Setting::Systems,
            Cause::Data,
            format!(
                "no system {unknown} is in the files; those that are: {there}{}",
                did_you_mean(unknown, names)
            ),
        ))
    }

    /// Keeps the systems of these names.
    pub(super) fn of_names(names: &[String], wanted: &[String]) -> KeptSystems {
        let mut kept = KeptSystems::all(&[]);
        for name in names {
            let is_kept = wanted.contains(name);
            kept.numbers
                .push(is_kept.then_some(kept.names.len() as u16));
            if is_kept {
                kept.names.push(name.clone());
            }
        }
        kept
    }

    /// Returns the new number of a system of the files; None where it is left out.
    pub(super) fn number(&self, system: u16) -> Option<u16> {
        self.numbers[usize::from(system)]
    }

    /// Returns the new numbers of two systems; None where either is left out.
    pub(super) fn numbers(&self, [a, b]: [u16; 2]) -> Option<[u16; 2]> {
        Some([self.number(a)?, self.number(b)?])
    }
}
