//! The findings of a study: table 1 of the paper, JSON and CSV.

use super::bencher::{BOUNDS, BencherFigures, DRIFT, caveats_of};
use super::judge::{EvaluationJson, RepeatsJson, push_measures};
use super::judge_notes::{interval_method, interval_text};
use super::paired::{NotComparedJson, PairedJson, paired_note};
use super::study_extras::extra_tables;
use super::study_labelled::{choice_notes, labelled_tables};
use super::study_methods::{
    MethodJson, MethodMeanJson, SpentJson, TogetherJson, means_json, method_notes, method_tables,
    methods_csv, methods_json, push_method_columns, together_json,
};
use super::study_wide::wide_tables;
use super::{bencher, bencher_label, coefficient_with_interval};
use crate::answer::{AnswerJson, CaveatJson, CaveatTable};
use crate::columns::{Column, Columns, table_of};
use crate::numbers::{count_of, format_usd, group_digits, or_blank, or_dash};
use crate::serialize::{json_text, optional_cell};
use crate::terminal::{printable, printable_lines};
use crate::text_table::TextTable;
use evenhand_ranking::IntervalMethod;
use evenhand_studies::Figure;
use evenhand_studies::bencher::Figures;
use evenhand_studies::judge::{Evaluation, PairedDifference};
use evenhand_studies::study::{
    Choice, ComparedSystems, Concordance, CostUnit, FrontierPoint, JudgePrice, JudgeRank, Measure,
    RandomAccuracy, RandomRow, Recommendation, References, SharePoint, Spending, Split,
    StudyReport, StudyRow,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The findings of a study: every bencher with its agreement, what was computed of each, and what
/// to take.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StudyJson<'a> {
    /// The answer in one sentence; null where nothing has a value.
    answer: Option<AnswerJson>,
    /// Its name.
    study: &'a str,
    /// Every bencher.
    benchers: Vec<StudyRowJson<'a>>,
    /// What the intervals of correlations do not say by themselves.
    caveats: Vec<CaveatJson>,
    /// The systems that the benchers of each input set are compared over, and those left out.
    compared_systems: &'a [ComparedSystems],
    /// The best benchers at every cost, of those that rank these systems.
    frontier: &'a [FrontierPoint],
    /// What is counted as cost.
    unit: CostUnit,
    /// Judges on labelled pairs.
    labelled: Vec<LabelledJson<'a>>,
    /// The same over several labelled sets together.
    totals: Vec<LabelledJson<'a>>,
    /// Every judge by every evaluation type on pairs, beside its baseline and with its cost.
    methods: Vec<MethodJson<'a>>,
    /// Means of these over judges, and over judges and forms.
    method_means: Vec<MethodMeanJson<'a>>,
    /// What the methods took together, by judge.
    together: Vec<TogetherJson<'a>>,
    /// Differences between the protocols of each judge, and between judges, on the same pairs.
    protocol_differences: Vec<ProtocolDifferencesJson<'a>>,
    /// The ways to judge of each judge, and of all judges together, chosen without the set that
    /// they are tried on.
    choices: &'a [Choice],
    /// Accuracies of each judge with several packs of prompts, on the same pairs.
    prompt_variations: Vec<PromptVariationJson<'a>>,
    /// Every measure of the judges.
    measures: &'a [Measure],
    /// Judges of labelled pairs with random verdicts in the place of failures.
    random_labelled: &'a [RandomAccuracy],
    /// The judges of every input set, ranked.
    judge_ranks: &'a [JudgeRank],
    /// What the live judges cost.
    judge_prices: &'a [JudgePrice],
    /// How the measures agree.
    concordances: &'a [Concordance],
    /// What to take.
    recommendation: Option<&'a Recommendation>,
    /// How intervals of scores of probabilities were made; those of shares are score intervals
    /// over the same clusters.
    ci: IntervalMethod,
    /// The seed of the resampling.
    seed: u64,
    /// What a user should know.
    warnings: &'a [String],
}

/// A bencher: input set x judge x evaluation type x aggregation x reference system.
#[derive(Serialize, JsonSchema)]
struct StudyRowJson<'a> {
    /// The input set.
    input: &'a str,
    /// The judge.
    judge: &'a str,
    /// The evaluation type.
    #[serde(rename = "type")]
    kind: &'a str,
    /// The reference system, where all others are compared with one alone.
    reference: Option<&'a str>,
    /// What was left out, why figures are missing, and what they take for granted.
    notes: Vec<String>,
    #[serde(flatten)]
    figures: BencherFigures<'a>,
    /// Judgments planned.
    trials: u64,
    /// Judgments with a verdict.
    verdicts: u64,
    /// What they took, where that is known.
    spent: Option<SpentJson>,
    /// Its agreement on shares of the inputs.
    shares: Option<&'a [SharePoint]>,
    /// Its agreement with every system as the reference, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<&'a References>,
    /// Its agreement where one budget is spent in different ways, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed_budget: Option<&'a [Split]>,
    /// The same with random verdicts in the place of failures, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    random_verdicts: Option<&'a RandomRow>,
}

/// A judge on a labelled set.
#[derive(Serialize, JsonSchema)]
struct LabelledJson<'a> {
    #[serde(flatten)]
    evaluation: EvaluationJson<'a>,
    /// The labelled set, or the name of the total.
    input: &'a str,
}

/// Differences between ways to judge over some input sets. The p-values of all that are over one
/// total are corrected together.
#[derive(Serialize, JsonSchema)]
struct ProtocolDifferencesJson<'a> {
    /// The total that they are over.
    total: &'a str,
    /// The judge, of whose protocols every two are compared; null of the differences between
    /// judges.
    judge: Option<&'a str>,
    /// Every two on the pairs that both have judged.
    differences: Vec<PairedJson<'a>>,
    /// Those that could not be compared so, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_compared: Vec<NotComparedJson<'a>>,
}

/// The accuracy of one judge by one evaluation type, with several packs of prompts.
#[derive(Serialize, JsonSchema)]
struct PromptVariationJson<'a> {
    /// The total that it is over.
    total: &'a str,
    /// The judge.
    judge: &'a str,
    /// The evaluation type.
    protocol: &'a str,
    /// The names of the prompts; the first are the study's own: the built-in ones, or its pack's.
    prompts: &'a [String],
    /// The accuracy with each of them, in the same order.
    accuracy: RepeatsJson<'a>,
    /// Differences of the first from each of the others.
    differences: Vec<PairedJson<'a>>,
}

/// Returns everything as one object: `benchers` (rows), what was computed of each, and the
/// recommendation.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn study_json(report: &StudyReport) -> Result<String, serde_json::Error> {
    fn paired(differences: &[PairedDifference]) -> Vec<PairedJson<'_>> {
        differences.iter().map(PairedJson::from).collect()
    }
    fn labelled(evaluations: &[(String, Evaluation)]) -> Vec<LabelledJson<'_>> {
        let evaluations = evaluations.iter();
        let labelled = evaluations.map(|(input, evaluation)| LabelledJson {
            evaluation: evaluation.into(),
            input,
        });
        labelled.collect()
    }
    let rows = report.rows.iter().enumerate();
    let differences = report.differences.iter();
    let differences = differences.map(|one| ProtocolDifferencesJson {
        total: &one.total,
        judge: one.judge.as_deref(),
        differences: paired(&one.differences),
        not_compared: one.not_compared.iter().map(NotComparedJson::from).collect(),
    });
    let variations = report.variations.iter().map(|one| PromptVariationJson {
        total: &one.total,
        judge: &one.judge,
        protocol: &one.protocol,
        prompts: &one.prompts,
        accuracy: (&one.accuracies).into(),
        differences: paired(&one.differences),
    });
    json_text(&StudyJson {
        answer: report.answer().map(|text| AnswerJson { text }),
        study: &report.name,
        benchers: rows.map(|(at, row)| row_json(report, at, row)).collect(),
        caveats: caveats_of(
            report.rows.iter().map(|row| &row.bencher),
            (!report.frontier.is_empty()).then_some(CaveatTable::Frontier),
        ),
        compared_systems: &report.compared,
        frontier: &report.frontier,
        unit: report.unit,
        labelled: labelled(&report.labelled),
        totals: labelled(&report.totals),
        methods: methods_json(report),
        method_means: means_json(report),
        together: together_json(report),
        protocol_differences: differences.collect(),
        choices: &report.choices,
        prompt_variations: variations.collect(),
        measures: &report.measures,
        random_labelled: &report.random_labelled,
        judge_ranks: &report.judge_ranks,
        judge_prices: &report.judge_prices,
        concordances: &report.concordances,
        recommendation: report.recommendation.as_ref(),
        ci: interval_method(&report.plan),
        seed: report.plan.seed,
        warnings: &report.warnings,
    })
}

fn row_json<'a>(report: &'a StudyReport, at: usize, row: &'a StudyRow) -> StudyRowJson<'a> {
    // What the study computed for only some rows.
    fn of_row<T>(found: &[(usize, T)], at: usize) -> Option<&T> {
        let (_, found) = found.iter().find(|(row, _)| *row == at)?;
        Some(found)
    }
    StudyRowJson {
        input: &row.input,
        judge: &row.judge,
        kind: &row.kind,
        reference: row.reference.as_deref(),
        notes: bencher::all_notes(&row.bencher),
        figures: (&row.bencher).into(),
        trials: row.trials,
        verdicts: row.judged,
        spent: row.spent.map(SpentJson::from),
        shares: report.shares.get(at).map(Vec::as_slice),
        references: of_row(&report.references, at),
        fixed_budget: of_row(&report.budgets, at).map(Vec::as_slice),
        random_verdicts: of_row(&report.random_rows, at),
    }
}

const COLUMNS: [Column<StudyRow>; 11] = [
    ("input", |row| row.input.clone()),
    ("judge", |row| row.judge.clone()),
    ("type", |row| row.kind.clone()),
    ("reference", |row| optional_cell(row.reference.as_ref())),
    ("aggregation", |row| row.aggregation.to_string()),
    ("systems", |row| row.bencher.n.to_string()),
    ("verdicts", |row| group_digits(row.judged)),
    ("rho", |row| {
        coefficient_with_interval(&row.bencher.figures.spearman)
    }),
    ("tau-b", |row| {
        coefficient_with_interval(&row.bencher.figures.kendall_tau_b)
    }),
    ("separable", |row| {
        or_dash(row.bencher.figures.separability.value, |share| {
            format!("{:.0} %", 100.0 * share)
        })
    }),
    ("cost", cost_text),
];

const CSV_COLUMNS: [Column<StudyRow>; 9] = [
    ("input", |row| row.input.clone()),
    ("judge", |row| row.judge.clone()),
    ("type", |row| row.kind.clone()),
    ("reference", |row| optional_cell(row.reference.as_ref())),
    ("aggregation", |row| row.aggregation.to_string()),
    ("systems", |row| row.bencher.n.to_string()),
    ("trials", |row| row.trials.to_string()),
    ("verdicts", |row| row.judged.to_string()),
    ("cost_usd", |row| {
        optional_cell(row.spent.and_then(|spent| spent.usd))
    }),
];

/// Returns one row for each bencher, with a header. Without a bencher: how alike the settings order
/// the judges, [`concordances_csv`]; the figures of the labelled sets where there is one judge.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn study_csv(report: &StudyReport) -> Result<String, csv::Error> {
    if !report.rows.is_empty() {
        let mut columns = Columns::new(&CSV_COLUMNS);
        for (name, figure) in Figures::NAMED {
            columns.push_figure(name, ["low", "high"], move |row: &StudyRow| {
                figure(&row.bencher.figures)
            });
        }
        return columns.csv(&report.rows);
    }
    if report.concordances.iter().any(|row| row.judges > 1) {
        return concordances_csv(report);
    }
    if report.labelled.is_empty() {
        return methods_csv(report);
    }
    let mut columns: Columns<(String, Evaluation)> = Columns::new(&[
        ("input", |(input, _)| input.clone()),
        ("judge", |(_, one)| one.judge.clone()),
        ("type", |(_, one)| one.protocol.clone()),
    ]);
    push_measures(&mut columns, |(_, one)| &one.total.measures);
    push_method_columns(&mut columns, |(input, one)| {
        report.methods.iter().find(|row| {
            let is_own = row.input == *input && row.judge == one.judge;
            is_own && row.kind == one.protocol
        })
    });
    columns.csv(report.labelled.iter().chain(&report.totals))
}

/// Returns how alike every two settings order the judges (figure 3), a row for each, with a header.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn concordances_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let mut columns: Columns<Concordance> = Columns::new(&[
        ("setting_a", |row| row.a.0.to_string()),
        ("input_a", |row| row.a.1.clone()),
        ("setting_b", |row| row.b.0.to_string()),
        ("input_b", |row| row.b.1.clone()),
        ("judges", |row| row.judges.to_string()),
    ]);
    columns.push_figure("rho", ["low", "high"], |row| &row.rho);
    columns.push_figure("tau_b", ["low", "high"], |row| &row.tau_b);
    // Why a coefficient is missing.
    columns.push("note", |row| {
        optional_cell(row.rho.note.as_ref().or(row.tau_b.note.as_ref()))
    });
    columns.csv(&report.concordances)
}

/// Returns table 1 of the paper, and below it what else was asked for.
pub fn study_table(report: &StudyReport) -> String {
    let mut tables = Vec::new();
    if !report.rows.is_empty() {
        tables.push(table_of(&COLUMNS, &report.rows).with_numbers_from(5));
    }
    tables.extend(wide_tables(report));
    tables.extend(labelled_tables(report));
    tables.extend(method_tables(report));
    tables.extend(extra_tables(report));
    tables.iter_mut().for_each(TextTable::hide_silent_columns);
    let answer = report.answer();
    let answer = answer.map(|text| format!("{}.", printable(&text)));
    let mut parts: Vec<String> = answer.into_iter().collect();
    // What to do stands beside the answer, before tables of hundreds of lines.
    let advice = report.recommendation.iter();
    let advice: Vec<String> = advice.flat_map(|found| &found.text).cloned().collect();
    parts.extend((!advice.is_empty()).then(|| printable_lines(&advice.join("\n")).into()));
    parts.extend(tables.iter().map(|table| table.to_text()));
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

fn cost_text(row: &StudyRow) -> String {
    match row.spent {
        Some(Spending { usd: Some(usd), .. }) => format_usd(usd),
        Some(spent) if spent.calls > 0 => {
            let tokens = spent.usage.prompt_tokens + spent.usage.completion_tokens;
            format!("{} tokens", group_digits(tokens))
        }
        _ => "-".into(),
    }
}

fn remarks(report: &StudyReport) -> Vec<String> {
    let mut remarks = vec![format!("intervals: {}", interval_text(&report.plan))];
    let warnings = report.warnings.iter();
    remarks.extend(warnings.map(|text| format!("warning: {text}")));
    remarks.extend(few_rounds(report));
    let differences = report.differences.iter().flat_map(|one| &one.differences);
    let variations = report.variations.iter().flat_map(|one| &one.differences);
    let tested = paired_note(differences.chain(variations));
    remarks.extend(tested.map(|note| format!("note: {note}")));
    let apart = report.differences.iter().flat_map(|one| &one.not_compared);
    remarks.extend(apart.map(|one| {
        let [first, second] = &one.names;
        format!("note: {first} and {second} were not compared: {}", one.why)
    }));
    let choices = choice_notes(report).into_iter();
    remarks.extend(choices.map(|note| format!("note: {note}")));
    let methods = method_notes(report).into_iter();
    remarks.extend(methods.map(|note| format!("note: {note}")));
    let bare = correlations(report).into_iter();
    let bare = bare.filter_map(|(name, figure)| Some((why_bare(figure)?, name)));
    remarks.extend(notes_of(bare));
    if !report.rows.is_empty() {
        remarks.push(format!(
            "note: intervals of rho and tau-b of benchers are {BOUNDS}"
        ));
    }
    // What is drawn is what a part of the inputs, or a budget, would give.
    if !(report.frontier.is_empty() && report.budgets.is_empty()) {
        remarks.push(format!(
            "note: at a part of the inputs or the budget, {DRIFT}"
        ));
    }
    remarks.extend(compared_notes(report));
    let notes = report.rows.iter().flat_map(|row| {
        let notes = row.bencher.notes.iter();
        notes.map(|note| (note.clone(), named_row(row)))
    });
    remarks.extend(notes_of(notes));
    remarks
}

/// Returns each note once, in alphabetical order, behind the names of all that it is about.
fn notes_of(notes: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (note, name) in notes {
        let names = all.entry(note).or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let lines = all.into_iter().map(|(note, names)| {
        let named = match &names[..] {
            [one] => one.clone(),
            [one, other] => format!("{one}; {other}"),
            [one, others @ ..] => format!("{one} and {} more", others.len()),
            [] => String::new(),
        };
        format!("note: {named}: {note}")
    });
    lines.collect()
}

/// Says which benchers and shares of inputs are not compared with the others.
fn compared_notes(report: &StudyReport) -> Vec<String> {
    let has_frontier = !report.frontier.is_empty();
    let mut notes = Vec::new();
    for one in &report.compared {
        let systems = count_of(one.systems.len() as u64, "system", "systems");
        let left_out = one.left_out.iter().filter_map(|at| report.rows.get(*at));
        let names: Vec<String> = left_out
            .map(|row| format!("{} ({})", named_row(row), row.bencher.n))
            .collect();
        if !names.is_empty() {
            notes.push(format!(
                "note: benchers on {} are compared over the {systems} of those that rank most; \
                 {} left out, with the systems of each: {}",
                one.input,
                names.len(),
                names.join("; ")
            ));
        }
        if has_frontier && one.shares_left_out > 0 {
            let shares = count_of(one.shares_left_out as u64, "share", "shares");
            notes.push(format!(
                "note: best at its cost on {}: {shares} of the inputs left out, as some draw of so \
                 few leaves one of the {systems} without a rank",
                one.input
            ));
        }
    }
    notes
}

/// Returns a bencher's name with its reference.
fn named_row(row: &StudyRow) -> String {
    let reference = row.reference.as_ref();
    bencher_label(row) + &or_blank(reference, |system| format!(" against {system}"))
}

/// Says for each input set with too few rounds to exclude any rank of its judges how many it takes.
fn few_rounds(report: &StudyReport) -> Vec<String> {
    let ranks = report.judge_ranks.iter();
    let few: BTreeSet<(&str, usize)> = ranks
        .filter_map(|one| Some((one.input.as_str(), one.rounds_needed?)))
        .collect();
    let rounds = group_digits(report.plan.rounds as u64);
    let few = few.into_iter().map(|(input, needed)| {
        format!(
            "note: {rounds} rounds are too few to exclude any rank of so many judges on {input}; \
             that takes rounds = {needed} or more"
        )
    });
    few.collect()
}

/// Returns the correlations that the tables show with their intervals, each with whose it is.
fn correlations(report: &StudyReport) -> Vec<(String, &Figure)> {
    let name_of = |at: usize| report.rows.get(at).map(named_row).unwrap_or_default();
    let mut found = Vec::new();
    for row in &report.rows {
        let figures = &row.bencher.figures;
        found.extend([&figures.spearman, &figures.kendall_tau_b].map(|one| (named_row(row), one)));
    }
    for (at, random) in &report.random_rows {
        let name = format!("{}, random verdicts", name_of(*at));
        found.extend([&random.spearman, &random.kendall_tau_b].map(|one| (name.clone(), one)));
    }
    for (at, references) in &report.references {
        if references.points.len() > 1 {
            let name = format!("{}, every system as the reference", name_of(*at));
            found.push((name, &references.trend));
        }
    }
    for (at, splits) in &report.budgets {
        for split in splits {
            let name = format!("{}, {} inputs", name_of(*at), split.items);
            found.extend([&split.spread.rho, &split.spread.tau].map(|one| (name.clone(), one)));
        }
    }
    for point in &report.frontier {
        let name = format!("{}, {} inputs", name_of(point.row), point.items);
        found.extend([&point.rho, &point.tau].map(|one| (name.clone(), one)));
    }
    for row in &report.concordances {
        let [a, b] = [&row.a, &row.b].map(|(setting, input)| format!("setting {setting}, {input}"));
        let name = format!("{a} and {b}");
        found.extend([&row.rho, &row.tau_b].map(|one| (name.clone(), one)));
    }
    found
}

/// Says why a correlation has no interval, or no value; None where it has both, or nothing is said.
fn why_bare(figure: &Figure) -> Option<String> {
    let why = figure.note.as_ref()?;
    match (figure.value, figure.ci) {
        (Some(_), Some(_)) => None,
        (Some(_), None) => Some(format!("a correlation without an interval: {why}")),
        (None, _) => Some(format!("a correlation without a value: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_whom_it_is_about() {
        let notes = [
            ("b", "X"),
            ("a", "X"),
            ("a", "Y"),
            ("b", "X"),
            ("c", "X"),
            ("c", "Y"),
            ("c", "Z"),
        ];
        let notes = notes.map(|(note, name)| (note.to_string(), name.to_string()));
        let expected = ["note: X; Y: a", "note: X: b", "note: X and 2 more: c"];
        assert_eq!(notes_of(notes.into_iter()), expected);
    }

    #[test]
    fn a_correlation_without_an_interval_says_why() {
        let figure = |value, ci, note: Option<&str>| Figure {
            value,
            ci,
            note: note.map(Into::into),
        };
        let ends = Some([Some(0.25), None]);
        let said = |value, ci| why_bare(&figure(value, ci, Some("few systems")));
        assert_eq!(said(Some(0.5), ends), None);
        let bare = Some("a correlation without an interval: few systems".to_string());
        assert_eq!(said(Some(0.5), None), bare);
        let none = Some("a correlation without a value: few systems".to_string());
        assert_eq!(said(None, None), none);
        assert_eq!(why_bare(&figure(Some(0.5), None, None)), None);
    }
}
