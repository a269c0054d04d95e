//! Studies: a grid of benchers (input set x judge x evaluation type x aggregation x reference
//! system), each held against people (Gao et al. 2025, sections 3.2 to 3.4 and appendices D to F),
//! over one store so that nothing is judged twice.

mod advice;
mod agreement;
mod asks;
mod budget;
mod cell;
mod choice;
mod config;
mod config_check;
mod costs;
mod frontier;
mod gather;
mod input_data;
mod joint_order;
mod judge_prices;
mod judges;
mod live;
mod methods;
mod prompts;
mod random;
mod recorded;
mod reference;
mod rows;
mod sentence;
mod totals;

#[cfg(test)]
mod tests;

pub use advice::Recommendation;
pub use agreement::{SharePoint, Spread};
pub use budget::Split;
pub use cell::{Cell, RandomCell, Spending, Verdicts};
pub use choice::{Choice, LeftOutSet, Way};
pub use config::Config;
pub use frontier::{ComparedSystems, CostUnit, FrontierPoint};
pub use gather::Watch;
pub(crate) use gather::Watched;
pub use judge_prices::JudgePrice;
pub use judges::{Concordance, JudgeRank, Measure};
pub use live::LiveOptions;
pub use methods::{MethodMean, MethodRow, RelativeCost, TogetherCost};
pub use prompts::PromptVariation;
pub use random::{RandomAccuracy, RandomCounts, RandomRow};
pub use reference::{ReferencePoint, References};
pub use rows::StudyRow;
pub use totals::ProtocolDifferences;

use crate::bencher::Rated;
use crate::judge::{Evaluation, Settings, evaluate};
use asks::{Ask, asks, labelled_asks};
use config::Ratings;
use evenhand_engine::EngineError;
use evenhand_stats::Bootstrap;
use live::{LiveCell, LiveJudges};
use methods::MethodCell;
use random::RandomPairs;
use std::mem::take;
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
    /// The systems that the benchers of each input set are compared over.
    pub compared: Vec<ComparedSystems>,
    /// The best benchers at every cost (figures 9 and 10), of those that rank these systems.
    pub frontier: Vec<FrontierPoint>,
    /// What is counted there.
    pub unit: CostUnit,
    /// Judges on labelled pairs (setting 2), with the input set.
    pub labelled: Vec<(String, Evaluation)>,
    /// Every judge by every evaluation type on pairs, beside its baseline and with its cost.
    pub methods: Vec<MethodRow>,
    /// Means of these over judges, and over forms.
    pub method_means: Vec<MethodMean>,
    /// What the methods took together, by judge.
    pub together: Vec<TogetherCost>,
    /// The same over several labelled sets together, with the total's name.
    pub totals: Vec<(String, Evaluation)>,
    /// Rows with random verdicts in the place of failures (appendix C), where that was asked for.
    pub random_rows: Vec<(usize, RandomRow)>,
    /// The same of judges of labelled sets.
    pub random_labelled: Vec<RandomAccuracy>,
    /// Differences between the protocols of each judge, and between judges, on the same pairs.
    pub differences: Vec<ProtocolDifferences>,
    /// The ways to judge of each judge, and of all judges together, chosen without the set that
    /// they are tried on.
    pub choices: Vec<Choice>,
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
    let mut report = StudyReport {
        name: config.name.clone().unwrap_or_default(),
        plan: config.bootstrap(),
        warnings: config.left_out_warnings(),
        ..StudyReport::default()
    };
    if config.random_verdicts && !config.recorded.is_empty() {
        report.warnings.push(RECORDED_STRICTLY.into());
    }
    // What is recorded is read before anything is asked: an error in it costs nothing.
    let rated = config.ratings.as_ref().map(Ratings::read).transpose()?;
    let mut cells = recorded::recorded_cells(config, rated.as_ref())?;
    let packs = asks::read_packs(config)?;
    let recorded = recorded::recorded_judges(config)?;

    let mut judged = JudgedSets::new();
    let mut random = Vec::new();
    let (mut spent, mut unlabelled) = (Vec::new(), Vec::new());
    if config.has_live() {
        // Prompts that cannot be used are refused before anything is asked.
        let labelled = labelled_asks(config, &packs)?;
        let mut judges = LiveJudges::open(config, &packs, options)?;
        report.run = Some(judges.dir().to_path_buf());
        for ask in asks(config, config.inputs.iter()) {
            let live = judges.judge_cell(&ask, watch)?;
            cells.push(live_cell(&ask, live, rated.as_ref())?);
        }
        for ask in labelled {
            let live = judges.judge_labelled(&ask, watch)?;
            random.extend(live.random.map(|random| (judged.len(), random)));
            spent.push(Some(live.spent));
            judged.push((ask.input.to_string(), live.judged));
        }
        for ask in asks(config, config.unlabelled.iter()) {
            let live = judges.judge_labelled(&ask, watch)?;
            unlabelled.push(MethodCell {
                input: ask.input.to_string(),
                judged: live.judged,
                spent: Some(live.spent),
            });
        }
        report.together = judges.spent_together()?;
        report.judge_prices = judges.into_prices();
    }
    judged.extend(recorded);
    // What recorded judgments cost is not known.
    spent.resize(judged.len(), None);
    for (input, one) in &mut judged {
        *one = take(one).counted_by(config.votes_of(input));
    }
    for (at, drawn) in &mut random {
        let votes = config.votes_of(&judged[*at].0);
        drawn.judged = take(&mut drawn.judged).counted_by(votes);
    }

    evaluate_labelled(&mut report, config, &judged, &random)?;
    let both = judged.into_iter().zip(spent);
    let labelled = both.map(|((input, judged), spent)| MethodCell {
        input,
        judged,
        spent,
    });
    let settings = Settings::of_plan(report.plan);
    let compared = methods::compare_methods(config, labelled.collect(), unlabelled, &settings)?;
    (report.methods, report.method_means) = compared;
    if let Some(rated) = &rated {
        rows::fill_report(&mut report, &cells, rated, config)?;
        costs::add_costs(&mut report, config);
    }
    report.measures = judges::measures_of(&report);
    report.judge_ranks = judges::rank_judges(&report);
    report.concordances = judges::concordances(&report.measures, &report.plan)?;
    Ok(report)
}

/// Evaluates labelled sets by themselves and together, and compares protocols. Some are evaluated
/// with random verdicts in the place of failures too; each of these has its place in `judged`.
fn evaluate_labelled(
    report: &mut StudyReport,
    config: &Config,
    judged: &JudgedSets,
    random: &[(usize, RandomPairs)],
) -> Result<(), EngineError> {
    let settings = Settings::of_plan(report.plan);
    let merged = totals::merge_totals(config, judged);
    for (input, one) in judged {
        let evaluated = totals::evaluate_set(config, (input, one), &settings)?;
        report.labelled.extend(evaluated.parts);
        report.totals.extend(evaluated.whole);
    }
    let totals = totals::evaluate_totals(&merged, &settings)?;
    report.totals.extend(totals);
    for (at, random) in random {
        let (input, strict) = &judged[*at];
        let strict = evaluate(strict, &settings)?;
        let drawn = evaluate(&random.judged, &settings)?;
        report.random_labelled.push(RandomAccuracy {
            input: input.clone(),
            judge: strict.judge,
            kind: strict.protocol,
            counts: random.counts,
            seed: report.plan.seed,
            strict_accuracy: strict.total.measures.accuracy,
            accuracy: drawn.total.measures.accuracy,
        });
    }
    report.choices = choice::choices(judged, &settings)?;
    report.variations = prompts::prompt_variations(&merged, &config.own_prompts(), &settings)?;
    report.differences = totals::compare_ways(merged, &settings, &mut report.warnings)?;
    Ok(())
}

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

const RECORDED_STRICTLY: &str = "random-verdicts: recorded judgments are read strictly alone: what \
                                 failed there has no form to draw a verdict from";

/// Returns a row's name, for people.
fn bencher_label(row: &StudyRow) -> String {
    let reference = row.reference.as_ref();
    let reference = reference.map_or(String::new(), |system| format!(" against {system}"));
    format!(
        "{} on {}: {}{reference}, {}",
        row.judge, row.input, row.kind, row.aggregation
    )
}
