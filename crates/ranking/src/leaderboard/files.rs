//! The files of a leaderboard: what each is, by its first bytes and its fields, how it is opened,
//! and what its reader is to read; then what was read: evidence, which systems are ranked, and what
//! the report says of the files.

use super::options::{ClusterBy, LeaderboardOptions, RecordedFormat};
use crate::method::Method;
use crate::report::data::{IntervalMethod, Outcomes, ReportJudge};
use crate::score::Evidence;
use crate::{Aggregation, Report, ScoreUnit, Warning, WarningKind};
use evenhand_core::{Cause, Refusal, Setting, quote};
use evenhand_engine::{Coverage, EngineError, open_buffered, open_input, unreadable_input};
use evenhand_formats::battles::{self, BattleSource, Column, TableKind};
use evenhand_formats::judgments;
use evenhand_stats::Cluster;
use std::collections::BTreeMap;
use std::path::Path;

/// The sort of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileSort {
    Battles,
    Counts,
    /// Judgments or scores.
    Recorded,
}

impl FileSort {
    pub(super) fn name(self) -> &'static str {
        match self {
            FileSort::Battles => "battles",
            FileSort::Counts => "counts",
            FileSort::Recorded => "judgments or scores",
        }
    }
}

/// Returns the one sort of all files.
pub(super) fn sort_of_files(options: &LeaderboardOptions) -> Result<FileSort, EngineError> {
    let mut before: Option<(&Path, FileSort)> = None;
    for path in &options.paths {
        let sort = match options.format {
            Some(RecordedFormat::Battles) => FileSort::Battles,
            Some(RecordedFormat::Counts) => FileSort::Counts,
            Some(RecordedFormat::Judgments(_)) => FileSort::Recorded,
            None => recognise(path, options)?,
        };
        if let Some((other, sort_of_other)) = before
            && sort_of_other != sort
        {
            return Err(Refusal::of_input(format!(
                "{} and {} are of different sorts ({} and {}); rank them apart",
                other.display(),
                path.display(),
                sort_of_other.name(),
                sort.name()
            ))
            .into());
        }
        before = Some((path, sort));
    }
    let (_, sort) = before.ok_or_else(|| Refusal::of_input("no file was given"))?;
    Ok(sort)
}

fn recognise(path: &Path, options: &LeaderboardOptions) -> Result<FileSort, EngineError> {
    let mut source = open_battles(path)?;
    let kind = battles::detect_table(&mut source);
    let is_counts = kind == Some(TableKind::Counts);
    // Columns that the user names say what a file is.
    if options.names_columns() && !is_counts {
        return Ok(FileSort::Battles);
    }
    let reading = &options.reading;
    let has_item = reading.item.is_some() && kind.is_none();
    if reading.system.is_some() || reading.score.is_some() || has_item {
        return Ok(FileSort::Recorded);
    }
    if is_counts {
        return Ok(FileSort::Counts);
    }
    let is_typed = source.has_typed_columns();
    if is_typed == kind.is_some() {
        // Neither looks like battles; or both do.
        let sort = if is_typed {
            FileSort::Battles
        } else {
            FileSort::Recorded
        };
        return Ok(sort);
    }
    // Files of pairs with two games have names for both, and no `winner`. Parquet that no reader of
    // judgments knows is left to that of battles, whose error says more.
    let file = open_buffered(path)?;
    match judgments::detect_format(file, &judgment_reading(options)) {
        Some(_) => Ok(FileSort::Recorded),
        None => Ok(FileSort::Battles),
    }
}

/// Returns what the reader of battles and counts is to read.
pub(super) fn battle_reading(options: &LeaderboardOptions) -> battles::Options {
    let mut columns = options.reading.columns.clone();
    columns.cluster = match (&options.cluster, &options.reading.item) {
        _ if options.streams() => Column::Ignored,
        (ClusterBy::Column(name), _) | (_, Some(name)) => Column::Named(name.clone()),
        _ => Column::Auto,
    };
    battles::Options {
        columns,
        // All processors where the user does not say how many.
        threads: match options.rank.bootstrap.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            threads => threads,
        },
        ..battles::Options::default()
    }
}

/// Returns what the reader of judgments and scores is to read.
pub(super) fn judgment_reading(options: &LeaderboardOptions) -> judgments::Options {
    let aggregation = options.rank.aggregation;
    judgments::Options {
        kind: match options.format {
            Some(RecordedFormat::Judgments(kind)) => Some(kind),
            _ => None,
        },
        scored: aggregation.is_some_and(Aggregation::needs_scores),
        ..options.reading.clone()
    }
}

/// Opens a file for the reader of battles.
pub(super) fn open_battles(path: &Path) -> Result<BattleSource, EngineError> {
    let name = path.display().to_string();
    #[cfg(feature = "arrow")]
    if let Some(table) = evenhand_engine::table_in_memory(path) {
        return Ok(BattleSource::of_table(name, table));
    }
    let file = open_input(path).map_err(|e| unreadable_input(path, &e))?;
    Ok(BattleSource::new(name, file))
}

/// Opens all files for the reader of battles.
pub(super) fn open_all_battles(
    options: &LeaderboardOptions,
) -> Result<Vec<BattleSource>, EngineError> {
    let paths = options.paths.iter();
    paths.map(|path| open_battles(path)).collect()
}

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
    pub(super) judges: Vec<String>,
    pub(super) formats: Vec<String>,
    pub(super) outcomes: Option<Outcomes>,
    /// Whether items were resampled, not single comparisons.
    pub(super) by_item: bool,
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
        Report {
            aggregation: aggregation.name(),
            unit: aggregation.unit(options.rank.scale, self.unit),
            ci: IntervalMethod::new(method.rank.ci, &method.rank.bootstrap, self.by_item),
            seed: options.rank.bootstrap.seed,
            judge: if self.judges.is_empty() {
                ReportJudge::Unnamed
            } else {
                ReportJudge::Named(self.judges.join(", "))
            },
            protocol: format!("recorded ({})", self.formats.join(", ")),
            design: "recorded".into(),
            coverage: self.coverage.clone(),
            outcomes: self.outcomes,
            items: self.items[0],
            questions: self.items[1],
            warnings: self.warnings.clone(),
            ..Report::default()
        }
    }
}

/// Warns of records that are left out because they cannot be read, and lists them.
pub(super) fn warn_of_skipped(skipped: &[impl ToString]) -> Option<Warning> {
    let lines: Vec<String> = skipped.iter().map(ToString::to_string).collect();
    let text = format!(
        "{} records cannot be read and are left out: {}",
        lines.len(),
        lines.join("; ")
    );
    (!lines.is_empty()).then(|| WarningKind::BadRecords.says(text))
}

/// Warns of systems whose names differ by white space alone: they look the same, and are ranked
/// apart.
pub(super) fn warn_of_names(names: &[String]) -> Option<Warning> {
    let mut alike: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for name in names {
        let words: Vec<&str> = name.split_whitespace().collect();
        alike.entry(words.join(" ")).or_default().push(name);
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
        "names that differ by white space alone are ranked as different systems: {}",
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
        let Some(unknown) = wanted.iter().find(|wanted| !names.contains(wanted)) else {
            return Ok(KeptSystems::of_names(names, wanted));
        };
        let mut there = names.join(", ");
        if let Some(name) = names.iter().find(|name| name.contains(',')) {
            there += "; one with a comma stands in double quotes: ";
            there += &quote(name);
        }
        Err(Refusal::new(
            Setting::Systems,
            Cause::Data,
            format!("no system {unknown} is in the files; those that are: {there}"),
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
