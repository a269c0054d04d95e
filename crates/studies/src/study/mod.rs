//! Studies: a grid of benchers (input set x judge x evaluation type x aggregation x reference
//! system), each held against people (Gao et al. 2024, sections 3.2 to 3.4 and appendices D to F),
//! over one store so that nothing is judged twice.

mod advice;
mod agreement;
mod budget;
mod cell;
mod config;
mod frontier;
mod live;
mod recorded;
mod reference;
mod rounds;
mod rows;
mod settings;
mod share;

#[cfg(test)]
mod tests;

pub use advice::Recommendation;
pub use budget::Split;
pub use cell::{Cell, Spending, Verdicts};
pub use config::Config;
pub use frontier::{FrontierPoint, Unit};
pub use live::{LiveOptions, Watch};
pub use reference::{ReferencePoint, References};
pub use rounds::Spread;
pub use rows::Row;
pub use settings::{Concordance, Measure};
pub use share::SharePoint;

use crate::bencher::Rated;
use crate::judge::{Evaluation, Settings, evaluate};
use evenhand_engine::EngineError;
use evenhand_stats::Bootstrap;
use live::Asking;
use std::path::PathBuf;

/// What a study found.
#[derive(Clone, Debug)]
pub struct StudyReport {
    /// Its name.
    pub name: String,
    /// Of the intervals.
    pub plan: Bootstrap,
    /// Every bencher with its agreement: table 1 of the paper.
    pub rows: Vec<Row>,
    /// For each row, its agreement on shares of the inputs (figures 11 to 13).
    pub shares: Vec<Vec<SharePoint>>,
    /// Rows with every system as the reference (figures 4 to 6).
    pub references: Vec<(usize, References)>,
    /// Rows whose budget was spent in different ways (figures 1, 7, 8).
    pub budgets: Vec<(usize, Vec<Split>)>,
    /// The best benchers at every cost (figures 9 and 10).
    pub frontier: Vec<FrontierPoint>,
    /// What is counted there.
    pub unit: Unit,
    /// Judges on labelled pairs (setting 2), with the input set.
    pub labelled: Vec<(String, Evaluation)>,
    /// Every measure of the judges, and how they agree (figure 3).
    pub measures: Vec<Measure>,
    /// See `measures`.
    pub concordances: Vec<Concordance>,
    /// What to take.
    pub recommendation: Option<Recommendation>,
    /// Calls and tokens of the live judges, and where they are kept.
    pub run: Option<PathBuf>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// Runs a study: asks what is missing, and computes everything.
///
/// # Errors
/// Settings that do not go together, files that cannot be read, a judge that breaks down, a stop or
/// a limit.
pub fn study(
    config: &Config,
    options: &LiveOptions,
    watch: &mut dyn Watch,
) -> Result<StudyReport, EngineError> {
    let plan = Bootstrap {
        rounds: config.rounds,
        level: config.level,
        seed: config.seed,
        threads: 0,
    };
    let rated = config
        .ratings
        .as_ref()
        .map(|ratings| Rated::read(&ratings.file, ratings.names.as_deref()))
        .transpose()?;
    let mut cells = recorded::cells(config, rated.as_ref())?;
    let recorded = recorded::labelled(config, &plan)?;
    let (mut labelled, mut run) = (Vec::new(), None);
    if !config.inputs.is_empty() || config.live_labelled().next().is_some() {
        let mut asking = Asking::open(config, options)?;
        run = Some(asking.dir().to_path_buf());
        cells.extend(live_cells(config, &mut asking, rated.as_ref(), watch)?);
        labelled = live_labelled(config, &mut asking, &plan, watch)?;
    }
    labelled.extend(recorded);
    let mut report = StudyReport {
        name: config.name.clone().unwrap_or_default(),
        plan,
        rows: Vec::new(),
        shares: Vec::new(),
        references: Vec::new(),
        budgets: Vec::new(),
        frontier: Vec::new(),
        unit: Unit::default(),
        labelled,
        measures: Vec::new(),
        concordances: Vec::new(),
        recommendation: None,
        run,
        warnings: Vec::new(),
    };
    if let Some(rated) = &rated {
        rows::fill(&mut report, &cells, rated, config)?;
    }
    report.measures = rows::measures(&report);
    report.concordances = settings::concordances(&report.measures, &plan)?;
    Ok(report)
}

fn live_cells(
    config: &Config,
    asking: &mut Asking<'_>,
    rated: Option<&Rated>,
    watch: &mut dyn Watch,
) -> Result<Vec<Cell>, EngineError> {
    let mut cells = Vec::new();
    for (input, set) in &config.inputs {
        for kind in set.types.as_ref().unwrap_or(&config.types) {
            for judge in config.judges.keys() {
                let asked = asking.cell(set, judge, kind, watch)?;
                cells.push(Cell {
                    input: input.clone(),
                    judge: judge.clone(),
                    kind: kind.clone(),
                    ratings: cell::ratings(&asked.systems, rated)?,
                    systems: asked.systems,
                    verdicts: asked.verdicts,
                    trials: asked.coverage.trials,
                    judged: asked.coverage.verdicts,
                    spent: Some(asked.spent),
                });
            }
        }
    }
    Ok(cells)
}

fn live_labelled(
    config: &Config,
    asking: &mut Asking<'_>,
    plan: &Bootstrap,
    watch: &mut dyn Watch,
) -> Result<Vec<(String, Evaluation)>, EngineError> {
    let settings = Settings {
        bootstrap: *plan,
        ..Settings::default()
    };
    let mut labelled = Vec::new();
    for (input, set) in config.live_labelled() {
        for kind in set.types.as_ref().unwrap_or(&config.types) {
            for judge in config.judges.keys() {
                let (judged, _) = asking.labelled(live::data(set)?, judge, kind, watch)?;
                labelled.push((input.clone(), evaluate(&judged, &settings)?));
            }
        }
    }
    Ok(labelled)
}

/// A row's name, for people.
fn label(row: &Row) -> String {
    let reference = row
        .reference
        .as_ref()
        .map(|system| format!(" against {system}"))
        .unwrap_or_default();
    format!(
        "{} on {}: {}{reference}, {}",
        row.judge, row.input, row.kind, row.aggregation
    )
}
