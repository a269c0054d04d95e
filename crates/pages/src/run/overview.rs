//! What the pages show before any judgment is opened.

use super::OpenRun;
use crate::{Counts, MatrixCell};
use evenhand_engine::settings_of;
use evenhand_ranking::{RankScale, ScoreUnit};
use evenhand_store::{
    Answered, JudgmentCounts, KeptReport, Reader, RunProgress, RunState, StoreError,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A run, or the report of a command, as the pages begin with it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Overview {
    /// The version of the program.
    pub evenhand: String,
    /// The command that made the report: `rank`, `audit`, ..
    pub command: String,
    /// The heading.
    pub title: String,
    /// What its user calls the run, which is shown in the place of the heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The text that changes whenever the run has grown.
    pub version: String,
    /// Whether judgments may still come in: a process holds the run's lock.
    pub live: bool,
    /// How far the run has come: planned judgments, judgments, verdicts, state. None for a report
    /// without a run.
    #[serde(flatten)]
    pub progress: Option<RunProgress>,
    /// Where the pages get their data: `server` or `file`.
    pub mode: &'static str,
    /// Whether its page is one of a site, whose first page, `index.html`, stands beside it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub site: bool,
    /// Whether people may judge here.
    pub review: bool,
    /// The settings that made the run; of an audit, a study or a model that was tried, with the
    /// judge and the protocols of its last report.
    pub manifest: BTreeMap<String, String>,
    /// The command's report, as it prints it as JSON; null where there is none.
    pub report: Value,
    /// The report's figures.
    pub figures: Vec<Value>,
    /// The systems, in the order of the data.
    pub systems: Vec<String>,
    /// The categories, in the order of the data.
    pub categories: Vec<String>,
    /// The judges, in the order of their first calls.
    pub judges: Vec<String>,
    /// Who answered for them, as their servers say it.
    pub answered_by: Vec<Answered>,
    /// How many items have a judgment.
    pub items: usize,
    /// Sums over the judgments.
    pub counts: Counts,
    /// Each pair of systems.
    pub matrix: Vec<MatrixCell>,
    /// What a file leaves out; None where it holds everything.
    pub sample: Option<Sample>,
}

/// The part of the judgments that a file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sample {
    /// Judgments that it holds.
    pub kept: usize,
    /// Judgments of the run.
    pub of: usize,
    /// How they were chosen.
    pub how: String,
}

/// An overview as the pages read it: with what their sentences need, where the report has it in a
/// phrase alone.
#[derive(Debug, Serialize)]
pub struct PageOverview<'a> {
    #[serde(flatten)]
    overview: &'a Overview,
    /// What the scores are in; None where that is not known.
    unit: Option<PageUnit>,
}

/// The unit of scores, as it stands in a sentence.
#[derive(Debug, Serialize)]
struct PageUnit {
    short: &'static str,
    /// Where a difference says how often the one wins.
    scale: Option<RankScale>,
}

impl<'a> From<&'a Overview> for PageOverview<'a> {
    fn from(overview: &'a Overview) -> Self {
        let unit = overview.report["unit"].as_str();
        let unit = unit.and_then(ScoreUnit::from_words).map(|unit| PageUnit {
            short: unit.short(),
            scale: unit.scale(),
        });
        PageOverview { overview, unit }
    }
}

impl Overview {
    /// Describes a report without a run.
    pub fn of_file() -> Overview {
        Overview {
            evenhand: env!("CARGO_PKG_VERSION").into(),
            mode: "file",
            ..Overview::default()
        }
    }
}

/// What the store says of a run beside its judgments, at the moment at which these were read.
#[derive(Clone, Debug, Default)]
pub(super) struct About {
    progress: RunProgress,
    label: Option<String>,
    settings: BTreeMap<String, String>,
    report: Option<KeptReport>,
    judges: Vec<String>,
}

impl About {
    /// Reads it for a run that has these judgments, within the snapshot in which they were read.
    pub(super) fn read(reader: &Reader, counts: JudgmentCounts) -> Result<About, StoreError> {
        let manifest = reader.manifest()?;
        Ok(About {
            progress: reader.progress_of(counts, reader.is_running())?,
            label: manifest.label.clone(),
            settings: settings_of(reader, manifest)?,
            report: reader.last_report()?,
            judges: reader.judges()?,
        })
    }
}

impl Overview {
    /// Adds what the store says of the run to what its judgments say.
    pub(super) fn of_run(self, dir: &Path, about: &About) -> Overview {
        let kept = about.report.as_ref();
        let (command, report, figures) = kept.map_or_else(
            || ("rank".into(), Value::Null, Vec::new()),
            |kept| {
                (
                    kept.command.clone(),
                    read_json(&kept.report),
                    read_json(&kept.figures),
                )
            },
        );
        Overview {
            command,
            title: dir.display().to_string(),
            live: about.progress.state == RunState::Running,
            progress: Some(about.progress),
            label: about.label.clone(),
            manifest: about.settings.clone(),
            report,
            figures,
            judges: about.judges.clone(),
            ..self
        }
    }
}

impl OpenRun {
    /// Describes the run as a whole, as it stood when its judgments were last read: what is said of
    /// it and its rows are of one moment.
    pub fn overview(&self) -> Overview {
        let index = &self.index;
        let overview = Overview {
            version: self.version.clone(),
            systems: index.systems().to_vec(),
            categories: index.categories().to_vec(),
            items: index.judged_items(),
            answered_by: self.answered_by.clone(),
            counts: index.count(self.calls.count()),
            matrix: index.matrix(),
            ..Overview::of_file()
        };
        overview.of_run(self.reader.dir(), &self.about)
    }
}

/// Reads what a run keeps as JSON; nothing where it is damaged.
fn read_json<T: DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}
