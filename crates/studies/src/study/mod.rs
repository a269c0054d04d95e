//! Studies: a grid of benchers (input set x judge x evaluation type x aggregation x reference
//! system), each held against people (Gao et al. 2024, sections 3.2 to 3.4 and appendices D to F),
//! over one store so that nothing is judged twice.

mod advice;
mod agreement;
mod budget;
mod cell;
mod config;
mod config_check;
mod costs;
mod frontier;
mod live;
mod recorded;
mod reference;
mod rounds;
mod rows;
mod settings;
mod share;
mod totals;

#[cfg(test)]
mod tests;

pub use advice::Recommendation;
pub use budget::Split;
pub use cell::{Cell, Spending, Verdicts};
pub use config::Config;
pub use frontier::{CostUnit, FrontierPoint};
pub use live::{LiveOptions, Watch};
pub use reference::{ReferencePoint, References};
pub use rounds::Spread;
pub use rows::StudyRow;
pub use settings::{Concordance, Measure};
pub use share::SharePoint;
pub use totals::ProtocolDifferences;

use crate::bencher::Rated;
use crate::judge::{Evaluation, Settings, evaluate};
use evenhand_engine::EngineError;
use evenhand_stats::Bootstrap;
use live::LiveJudges;
use std::path::PathBuf;
use totals::JudgedSets;

/// What a study found.
#[derive(Clone, Debug)]
pub struct StudyReport {
    /// Its name.
    pub name: String,
    /// Of the intervals.
    pub plan: Bootstrap,
    /// Every bencher with its agreement: table 1 of the paper.
    pub rows: Vec<StudyRow>,
    /// For each row, its agreement on shares of the inputs (figures 11 to 13).
    pub shares: Vec<Vec<SharePoint>>,
    /// Rows with every system as the reference (figures 4 to 6).
    pub references: Vec<(usize, References)>,
    /// Rows whose budget was spent in different ways (figures 1, 7, 8).
    pub budgets: Vec<(usize, Vec<Split>)>,
    /// The best benchers at every cost (figures 9 and 10).
    pub frontier: Vec<FrontierPoint>,
    /// What is counted there.
    pub unit: CostUnit,
    /// Judges on labelled pairs (setting 2), with the input set.
    pub labelled: Vec<(String, Evaluation)>,
    /// The same over several labelled sets together, with the total's name.
    pub totals: Vec<(String, Evaluation)>,
    /// Differences between the protocols of each judge, on the same pairs.
    pub differences: Vec<ProtocolDifferences>,
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
    let mut cells = recorded::recorded_cells(config, rated.as_ref())?;
    let recorded = recorded::recorded_judges(config)?;
    let mut report = empty_report(config, plan);
    let mut judged = JudgedSets::new();
    if !config.inputs.is_empty() || config.live_labelled().next().is_some() {
        let mut judges = LiveJudges::open(config, options)?;
        report.run = Some(judges.dir().to_path_buf());
        cells.extend(live_cells(config, &mut judges, rated.as_ref(), watch)?);
        judged = judge_labelled_sets(config, &mut judges, watch)?;
    }
    judged.extend(recorded);
    evaluate_labelled(&mut report, config, &judged)?;
    if let Some(rated) = &rated {
        rows::fill_report(&mut report, &cells, rated, config)?;
    }
    report.measures = settings::measures_of(&report);
    report.concordances = settings::concordances(&report.measures, &plan)?;
    Ok(report)
}

fn empty_report(config: &Config, plan: Bootstrap) -> StudyReport {
    StudyReport {
        name: config.name.clone().unwrap_or_default(),
        plan,
        rows: Vec::new(),
        shares: Vec::new(),
        references: Vec::new(),
        budgets: Vec::new(),
        frontier: Vec::new(),
        unit: CostUnit::default(),
        labelled: Vec::new(),
        totals: Vec::new(),
        differences: Vec::new(),
        measures: Vec::new(),
        concordances: Vec::new(),
        recommendation: None,
        run: None,
        warnings: config.left_out.iter().map(|set| left_out(set)).collect(),
    }
}

fn live_cells(
    config: &Config,
    judges: &mut LiveJudges<'_>,
    rated: Option<&Rated>,
    watch: &mut dyn Watch,
) -> Result<Vec<Cell>, EngineError> {
    let mut cells = Vec::new();
    for (input, set) in &config.inputs {
        for kind in config.types_of(set) {
            for judge in config.judges.keys() {
                let live = judges.judge_cell(set, judge, kind, watch)?;
                cells.push(Cell {
                    input: input.clone(),
                    judge: judge.clone(),
                    kind: kind.clone(),
                    ratings: cell::ratings_of(&live.systems, rated)?,
                    systems: live.systems,
                    verdicts: live.verdicts,
                    trials: live.coverage.trials,
                    judged: live.coverage.verdicts,
                    spent: Some(live.spent),
                });
            }
        }
    }
    Ok(cells)
}

fn left_out(set: &str) -> String {
    format!("[labelled.{set}] is left out: its data is not there, and it is optional")
}

/// Judges every labelled set by every evaluation type.
fn judge_labelled_sets(
    config: &Config,
    judges: &mut LiveJudges<'_>,
    watch: &mut dyn Watch,
) -> Result<JudgedSets, EngineError> {
    let mut found = JudgedSets::new();
    for (input, set) in config.live_labelled() {
        for kind in config.types_of(set) {
            for judge in config.judges.keys() {
                let data = live::input_data(set)?;
                found.push((
                    input.clone(),
                    judges.judge_labelled(data, judge, kind, watch)?,
                ));
            }
        }
    }
    Ok(found)
}

/// Evaluates labelled sets by themselves and together, and compares protocols.
fn evaluate_labelled(
    report: &mut StudyReport,
    config: &Config,
    judged: &JudgedSets,
) -> Result<(), EngineError> {
    let settings = Settings {
        bootstrap: report.plan,
        ..Settings::default()
    };
    for (input, one) in judged {
        report
            .labelled
            .push((input.clone(), evaluate(one, &settings)?));
    }
    let merged = totals::merge_totals(config, judged);
    report.totals = totals::evaluate_totals(&merged, &settings)?;
    report.differences = totals::compare_protocols(merged, &settings)?;
    Ok(())
}

/// Returns a row's name, for people.
fn bencher_label(row: &StudyRow) -> String {
    let reference = row
        .reference
        .as_ref()
        .map_or_else(String::new, |system| format!(" against {system}"));
    format!(
        "{} on {}: {}{reference}, {}",
        row.judge, row.input, row.kind, row.aggregation
    )
}
