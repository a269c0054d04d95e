//! Studies: a grid of benchers (input set x judge x evaluation type x aggregation x reference
//! system), each held against people (Gao et al. 2024, sections 3.2 to 3.4 and appendices D to F),
//! over one store so that nothing is judged twice.

mod advice;
mod agreement;
mod asks;
mod budget;
mod cell;
mod config;
mod config_check;
mod costs;
mod frontier;
mod gather;
mod input_data;
mod judge_prices;
mod judge_ranks;
mod live;
mod packs;
mod parts;
mod prompts;
mod random;
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
pub use cell::{Cell, RandomCell, Spending, Verdicts};
pub use config::Config;
pub use frontier::{CostUnit, FrontierPoint};
pub use gather::Watch;
pub use judge_prices::JudgePrice;
pub use judge_ranks::JudgeRank;
pub use live::LiveOptions;
pub use prompts::PromptVariation;
pub use random::{RandomAccuracy, RandomCounts, RandomRow};
pub use reference::{ReferencePoint, References};
pub use rounds::Spread;
pub use rows::StudyRow;
pub use settings::{Concordance, Measure};
pub use share::SharePoint;
pub use totals::ProtocolDifferences;

use crate::bencher::Rated;
use crate::judge::{Evaluation, Settings, evaluate};
use asks::{Ask, asks, labelled_asks};
use config::Ratings;
use evenhand_engine::EngineError;
use evenhand_stats::Bootstrap;
use live::{LiveCell, LiveJudges};
use packs::NamedPack;
use random::RandomPairs;
use std::path::PathBuf;
use totals::JudgedSets;

/// What a study found.
#[derive(Clone, Debug, Default)]
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
    /// Rows with random verdicts in the place of failures (appendix C), where that was asked for.
    pub random_rows: Vec<(usize, RandomRow)>,
    /// The same of judges of labelled sets.
    pub random_labelled: Vec<RandomAccuracy>,
    /// Differences between the protocols of each judge, on the same pairs.
    pub differences: Vec<ProtocolDifferences>,
    /// Accuracies of each judge with several packs of prompts, on the same pairs.
    pub variations: Vec<PromptVariation>,
    /// Every measure of the judges, and how they agree (figure 3).
    pub measures: Vec<Measure>,
    /// The judges of every input set, ranked (table 2).
    pub judge_ranks: Vec<JudgeRank>,
    /// What the live judges cost (table 3), by name.
    pub judge_prices: Vec<JudgePrice>,
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
    let mut runner = Runner::new(config)?;
    // What is recorded is read before anything is asked: an error in it costs nothing.
    let recorded = recorded::recorded_judges(config)?;
    if config.has_live() {
        runner.judge_live(options, watch)?;
    }
    runner.judged.extend(recorded);
    runner.finish()
}

/// A study as it goes on.
struct Runner<'a> {
    config: &'a Config,
    rated: Option<Rated>,
    /// Prompts in place of the built-in ones.
    packs: Vec<NamedPack>,
    cells: Vec<Cell>,
    judged: JudgedSets,
    /// By place in `judged`, whose first are the live ones.
    random: Vec<(usize, RandomPairs)>,
    report: StudyReport,
}

impl<'a> Runner<'a> {
    /// Begins with the cells that are recorded.
    fn new(config: &'a Config) -> Result<Runner<'a>, EngineError> {
        let rated = config.ratings.as_ref().map(Ratings::read).transpose()?;
        Ok(Runner {
            cells: recorded::recorded_cells(config, rated.as_ref())?,
            rated,
            packs: packs::read_packs(config)?,
            judged: JudgedSets::new(),
            random: Vec::new(),
            report: StudyReport::empty(config),
            config,
        })
    }

    fn judge_live(
        &mut self,
        options: &LiveOptions,
        watch: &mut dyn Watch,
    ) -> Result<(), EngineError> {
        // Prompts that cannot be used are refused before anything is asked.
        labelled_asks(self.config, &self.packs)?;
        let mut judges = LiveJudges::open(self.config, options)?;
        self.report.run = Some(judges.dir().to_path_buf());
        self.add_live_cells(&mut judges, watch)?;
        self.judge_labelled_sets(&mut judges, watch)?;
        self.report.judge_prices = judges.into_prices();
        Ok(())
    }

    fn add_live_cells(
        &mut self,
        judges: &mut LiveJudges<'_>,
        watch: &mut dyn Watch,
    ) -> Result<(), EngineError> {
        for ask in asks(self.config, self.config.inputs.iter()) {
            let live = judges.judge_cell(ask.set, ask.judge, ask.kind, watch)?;
            self.cells.push(live_cell(&ask, live, self.rated.as_ref())?);
        }
        Ok(())
    }

    /// Judges every labelled set by every evaluation type, with every pack of prompts.
    fn judge_labelled_sets(
        &mut self,
        judges: &mut LiveJudges<'_>,
        watch: &mut dyn Watch,
    ) -> Result<(), EngineError> {
        for ask in labelled_asks(self.config, &self.packs)? {
            let judged = judges.judge_labelled(&ask, watch)?;
            let at = self.judged.len();
            self.random.extend(judged.random.map(|random| (at, random)));
            self.judged.push((ask.input.to_string(), judged.judged));
        }
        Ok(())
    }

    /// Computes everything.
    fn finish(mut self) -> Result<StudyReport, EngineError> {
        self.evaluate_labelled()?;
        self.fill_report()?;
        let mut report = self.report;
        report.measures = settings::measures_of(&report);
        report.judge_ranks = judge_ranks::rank_judges(&report)?;
        report.concordances = settings::concordances(&report.measures, &report.plan)?;
        Ok(report)
    }

    fn fill_report(&mut self) -> Result<(), EngineError> {
        let Some(rated) = &self.rated else {
            return Ok(());
        };
        rows::fill_report(&mut self.report, &self.cells, rated, self.config)
    }

    /// Evaluates the labelled sets with random verdicts in the place of failures.
    fn evaluate_random(&mut self, settings: &Settings) -> Result<(), EngineError> {
        let seed = self.report.plan.seed;
        for (at, random) in &self.random {
            let (input, strict) = &self.judged[*at];
            let both = [strict, &random.judged].map(|one| evaluate(one, settings));
            let [strict, drawn] = both;
            let found = RandomAccuracy::new(input, &strict?, &drawn?);
            self.report.random_labelled.push(RandomAccuracy {
                counts: random.counts,
                seed,
                ..found
            });
        }
        Ok(())
    }

    /// Evaluates labelled sets by themselves and together, and compares protocols.
    fn evaluate_labelled(&mut self) -> Result<(), EngineError> {
        let settings = Settings::of_plan(self.report.plan);
        let merged = totals::merge_totals(self.config, &self.judged);
        for (input, one) in &self.judged {
            let evaluated = parts::evaluate_set(self.config, (input, one), &settings)?;
            self.report.labelled.extend(evaluated.parts);
            self.report.totals.extend(evaluated.whole);
        }
        self.report
            .totals
            .extend(totals::evaluate_totals(&merged, &settings)?);
        self.evaluate_random(&settings)?;
        self.report.variations = prompts::prompt_variations(&merged, &settings)?;
        self.report.differences = totals::compare_protocols(merged, &settings)?;
        Ok(())
    }
}

fn recorded_strictly(config: &Config) -> Option<String> {
    let is_asked = config.random_verdicts && !config.recorded.is_empty();
    is_asked.then(|| RECORDED_STRICTLY.into())
}

const RECORDED_STRICTLY: &str = "random-verdicts: recorded judgments are read strictly alone: what \
                                 failed there has no form to draw a verdict from";

fn live_cell(ask: &Ask<'_>, live: LiveCell, rated: Option<&Rated>) -> Result<Cell, EngineError> {
    Ok(Cell {
        input: ask.input.to_string(),
        judge: ask.judge.to_string(),
        kind: ask.kind.to_string(),
        ratings: cell::ratings_of(&live.systems, rated)?,
        systems: live.systems,
        verdicts: live.verdicts,
        trials: live.coverage.trials,
        judged: live.coverage.verdicts,
        spent: Some(live.spent),
        random: live.random,
    })
}

/// Returns what can be said of a study before it begins.
fn warnings_of(config: &Config) -> Vec<String> {
    let mut warnings = config.left_out_warnings();
    warnings.extend(recorded_strictly(config));
    warnings
}

impl StudyReport {
    /// Returns the report of a study that has asked nothing yet.
    fn empty(config: &Config) -> StudyReport {
        StudyReport {
            name: config.name.clone().unwrap_or_default(),
            plan: config.bootstrap(),
            warnings: warnings_of(config),
            ..StudyReport::default()
        }
    }
}

/// Returns a row's name, for people.
fn bencher_label(row: &StudyRow) -> String {
    let reference = reference_text(row);
    format!(
        "{} on {}: {}{reference}, {}",
        row.judge, row.input, row.kind, row.aggregation
    )
}

fn reference_text(row: &StudyRow) -> String {
    match &row.reference {
        Some(system) => format!(" against {system}"),
        None => String::new(),
    }
}
