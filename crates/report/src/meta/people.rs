//! How far people agree among themselves: tables, JSON and CSV.

use super::judge_notes::interval_method;
use super::{coefficient_with_interval, percent_with_interval};
use crate::View;
use crate::answer::AnswerJson;
use crate::columns::{Column, Columns, table_of};
use crate::named_figures::{FigureOf, NamedFigures};
use crate::numbers::{chosen_percent, count_items, count_of, group_digits, or_blank, or_dash};
use crate::serialize::{ByName, json_text};
use crate::text_table::TextTable;
use crate::view::{Line, answer_first, fit_table};
use evenhand_core::Setting;
use evenhand_ranking::IntervalMethod;
use evenhand_stats::Bootstrap;
use evenhand_studies::people::{Agreement, AnnotatorRow, CountedFigure, PeopleReport};
use schemars::JsonSchema;
use serde::Serialize;

/// Columns that a narrow terminal does without, the least important first.
const DROPPABLE: [usize; 6] = [4, 8, 7, 6, 1, 2];

const ANNOTATOR_COLUMNS: [Column<AnnotatorRow>; 5] = [
    ("annotator", |row| row.annotator.clone()),
    ("labels", |row| count_text(row.labels)),
    ("pairs with others", |row| count_text(row.units)),
    ("as most others %", |row| {
        percent_with_interval(&row.agreement.figure)
    }),
    ("kappa", |row| coefficient_with_interval(&row.kappa.figure)),
];

/// Annotators that the table shows.
const SHOWN_ANNOTATORS: usize = 20;

fn count_text(count: usize) -> String {
    group_digits(count as u64)
}

/// Returns the parts and behind them the whole, under the name given.
fn parts_and_whole<'a>(
    report: &'a PeopleReport,
    whole: &'a str,
) -> impl Iterator<Item = (&'a str, &'a Agreement)> {
    let parts = report.parts.iter();
    parts
        .map(|(name, part)| (name.as_str(), part))
        .chain([(whole, &report.all)])
}

/// Returns the answer in words, agreement on the whole and by category, the annotators, and what
/// all this rests on.
pub fn people_table(report: &PeopleReport, plan: &Bootstrap, view: View) -> String {
    let all = report.annotators.len();
    let shown = if view.verbose { all } else { SHOWN_ANNOTATORS };
    let annotators = table_of(&ANNOTATOR_COLUMNS, report.annotators.iter().take(shown));
    let more = match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!(
            "\n and {more} more, with fewer pairs; {} or {} json has all",
            Setting::Verbose,
            Setting::Format
        ),
    };
    let tables = [
        fit_table(agreement_table(report), view, &DROPPABLE),
        fit_table(annotators.with_numbers_from(1), view, &[1]) + &more,
    ];
    let answer = answer_text(report, plan.level);
    answer_first(&answer, &tables, summary_lines(report, plan), view)
}

fn agreement_table(report: &PeopleReport) -> TextTable {
    let columns: [Column<(&str, &Agreement)>; 9] = [
        ("subset", |(name, _)| name.to_string()),
        ("pairs", |(_, part)| count_text(part.units)),
        ("by two or more", |(_, part)| count_text(part.compared)),
        ("alpha", |(_, part)| {
            coefficient_with_interval(&part.alpha_nominal.figure)
        }),
        ("ordinal alpha", |(_, part)| {
            coefficient_with_interval(&part.alpha_ordinal.figure)
        }),
        ("agree %", |(_, part)| {
            percent_with_interval(&part.agreement.figure)
        }),
        ("without ties", |(_, part)| {
            percent_with_interval(&part.agreement_without_ties.figure)
        }),
        ("unanimous", |(_, part)| {
            percent_with_interval(&part.unanimous.figure)
        }),
        ("ties", |(_, part)| percent_with_interval(&part.ties.figure)),
    ];
    table_of(&columns, parts_and_whole(report, "all")).with_numbers_from(1)
}

/// Says how far people agree, and which votes are left out.
fn answer_text(report: &PeopleReport, level: f64) -> String {
    let all = &report.all;
    let left_out = match report.on_other_turns {
        0 => String::new(),
        votes => format!(
            " {} on other turns, and left out; {} each takes every turn.",
            count_of(votes, "vote is", "votes are"),
            Setting::Turn
        ),
    };
    let whole_percent = |share: f64| format!("{:.0}", 100.0 * share);
    let agreement = &all.agreement.figure;
    let interval = or_blank(agreement.ci, |ends| {
        let [low, high] = ends.map(|end| or_dash(end, whole_percent));
        format!(" ({} % interval {low} to {high})", whole_percent(level))
    });
    let alpha = &all.alpha_nominal.figure;
    let alpha = match (&alpha.note, alpha.value) {
        (Some(note), None) => format!("is undefined: {note}"),
        _ => format!("is {}", coefficient_with_interval(alpha)),
    };
    let Some(share) = agreement.value else {
        return format!(
            "No pair has labels from two people, so it is not known how far people \
             agree.{left_out}"
        );
    };
    format!(
        "People agree on {} % of the pairs that two of them judged{interval}; Krippendorff's alpha \
         {alpha}.{left_out}",
        whole_percent(share)
    )
}

fn summary_lines(report: &PeopleReport, plan: &Bootstrap) -> Vec<Line> {
    let all = &report.all;
    let ceiling = format!(
        "no judge can match more than {} % of single labels; the majority of the others matches \
         {} % (human ceiling, leave-one-out); of {}",
        percent_with_interval(&all.ceiling_in_sample.figure),
        percent_with_interval(&all.ceiling_leave_one_out.figure),
        count_of(all.ceiling_in_sample.n as u64, "label", "labels"),
    );
    let ceiling = match all.ceiling_in_sample.n {
        0 => String::from("not known: no pair has labels from two people"),
        _ => ceiling,
    };
    let labels = format!(
        "{}, {}, {}; {} of two people's labels of one pair",
        count_of(report.labels as u64, "label", "labels"),
        count_of(report.annotators.len() as u64, "annotator", "annotators"),
        count_items(report.items as u64, report.questions as u64),
        count_of(all.agreement.n as u64, "comparison", "comparisons")
    );
    let units = |wanted: fn(usize) -> bool| {
        let counts = report.units_by_annotators.iter();
        let counts = counts.filter(|(annotators, _)| wanted(**annotators));
        counts.map(|(_, units)| *units).sum::<usize>()
    };
    let has = |count: usize| if count == 1 { "has" } else { "have" };
    let (one, two, more) = (
        units(|annotators| annotators == 1),
        units(|annotators| annotators == 2),
        units(|annotators| annotators > 2),
    );
    let annotators = format!(
        "{} {} one, {} {} two, {} {} three or more",
        count_of(one as u64, "pair", "pairs"),
        has(one),
        count_text(two),
        has(two),
        count_text(more),
        has(more)
    );
    let mut lines = vec![
        ("ceiling", ceiling),
        ("labels", labels),
        ("annotators", annotators),
    ];
    let repeats = &report.self_agreement;
    if repeats.n > 0 {
        let text = format!(
            "{} of a pair that the same person had labelled: {} % are the same again; the first \
             counts above",
            count_of(repeats.n as u64, "label", "labels"),
            percent_with_interval(&repeats.figure)
        );
        lines.push(("repeated", text));
    }
    for (labels, why) in [
        (report.unnamed, "without the name of an annotator"),
        (report.self_comparisons, "of a system and itself"),
    ] {
        if labels > 0 {
            let labels = count_of(labels as u64, "label", "labels");
            lines.push(("left out", format!("{labels} {why}")));
        }
    }
    for (name, counted) in [
        ("alpha", &all.alpha_nominal),
        ("ordinal alpha", &all.alpha_ordinal),
        ("agreement without ties", &all.agreement_without_ties),
    ] {
        if let Some(note) = &counted.figure.note {
            lines.push(("undefined", format!("{name}: {note}")));
        }
    }
    let level = chosen_percent(plan.level);
    lines.push(("intervals", format!("{level} %, over items")));
    lines
}

/// The figures, in the order of JSON and CSV.
const FIGURES: [FigureOf<Agreement, CountedFigure>; 8] = [
    ("alpha_nominal", |one| &one.alpha_nominal),
    ("alpha_ordinal", |one| &one.alpha_ordinal),
    ("agreement", |one| &one.agreement),
    ("agreement_without_ties", |one| &one.agreement_without_ties),
    ("unanimous", |one| &one.unanimous),
    ("ties", |one| &one.ties),
    ("ceiling_leave_one_out", |one| &one.ceiling_leave_one_out),
    ("ceiling_in_sample", |one| &one.ceiling_in_sample),
];

const ANNOTATOR_FIGURES: [FigureOf<AnnotatorRow, CountedFigure>; 2] = [
    ("agreement", |row| &row.agreement),
    ("kappa", |row| &row.kappa),
];

/// How far people agree among themselves. Shares are from 0 to 1, null where they are undefined; a
/// unit is an item with two systems.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PeopleJson<'a> {
    /// The answer.
    answer: AnswerJson,
    #[serde(flatten)]
    all: AgreementJson<'a>,
    /// Items that have a label of a named annotator.
    items: usize,
    /// Questions that these ask: what the intervals count.
    questions: usize,
    /// How many annotators there are.
    annotators: usize,
    /// How many labels name their annotator.
    labels: usize,
    /// How many labels name nobody, and are left out.
    labels_without_annotator: usize,
    /// How many labels hold a system against itself, and are left out.
    self_comparisons: usize,
    /// How many votes are on turns that were not read, and are left out.
    labels_on_other_turns: u64,
    /// How many units have labels of so many annotators.
    units_by_annotators: Vec<UnitsJson>,
    #[serde(flatten)]
    self_agreement: NamedFigures<'a, Repeated>,
    /// The same over the units of each category of items.
    subsets: ByName<'a, AgreementJson<'a>>,
    /// Every annotator against the others, those with the most shared units first.
    by_annotator: Vec<AnnotatorJson<'a>>,
    /// How intervals of scores of probabilities were made; those of shares are score intervals
    /// over the same clusters.
    ci: IntervalMethod,
    /// The seed of the resampling.
    seed: u64,
}

/// What is said of repeated labels: for the schema alone.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "its fields are what the schema describes")]
struct Repeated {
    /// Of labels that a person gave to a unit again, the share that equals that person's first.
    self_agreement: CountedFigure,
}

/// How far people agree on some units.
#[derive(Serialize, JsonSchema)]
struct AgreementJson<'a> {
    /// Units that have labels.
    units: usize,
    /// Those that two people or more labelled.
    units_compared: usize,
    #[serde(flatten)]
    figures: NamedFigures<'a, Agreement>,
}

/// How many units have labels of so many annotators.
#[derive(Serialize, JsonSchema)]
struct UnitsJson {
    /// So many annotators.
    annotators: usize,
    /// So many units.
    units: usize,
}

/// How far an annotator agrees with the others.
#[derive(Serialize, JsonSchema)]
struct AnnotatorJson<'a> {
    /// The annotator's name.
    annotator: &'a str,
    /// Units that the annotator labelled.
    labels: usize,
    /// Those of them that others labelled too.
    units: usize,
    #[serde(flatten)]
    figures: NamedFigures<'a, AnnotatorRow>,
}

/// Returns the report as one object; shares are from 0 to 1, null with a note where undefined.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn people_json(report: &PeopleReport, plan: &Bootstrap) -> Result<String, serde_json::Error> {
    let all = AgreementJson::from(&report.all);
    let (figures, self_agreement) =
        all.figures
            .and_later([("self_agreement", &report.self_agreement).into()]);
    let units = report.units_by_annotators.iter();
    let units = units.map(|(&annotators, &units)| UnitsJson { annotators, units });
    let subsets = report.parts.iter();
    let by_annotator = report.annotators.iter().map(|row| AnnotatorJson {
        annotator: &row.annotator,
        labels: row.labels,
        units: row.units,
        figures: NamedFigures::new(&ANNOTATOR_FIGURES, row),
    });
    json_text(&PeopleJson {
        answer: AnswerJson::of_sentences(&answer_text(report, plan.level)),
        all: AgreementJson { figures, ..all },
        items: report.items,
        questions: report.questions,
        annotators: report.annotators.len(),
        labels: report.labels,
        labels_without_annotator: report.unnamed,
        self_comparisons: report.self_comparisons,
        labels_on_other_turns: report.on_other_turns,
        units_by_annotators: units.collect(),
        self_agreement,
        subsets: subsets
            .map(|(name, part)| (name.as_str(), part.into()))
            .collect(),
        by_annotator: by_annotator.collect(),
        ci: interval_method(plan),
        seed: plan.seed,
    })
}

impl<'a> From<&'a Agreement> for AgreementJson<'a> {
    fn from(one: &'a Agreement) -> Self {
        AgreementJson {
            units: one.units,
            units_compared: one.compared,
            figures: NamedFigures::new(&FIGURES, one),
        }
    }
}

/// Returns a line for each category and one for all.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn people_csv(report: &PeopleReport) -> Result<String, csv::Error> {
    let mut columns: Columns<(&str, &Agreement)> = Columns::new(&[
        ("subset", |(subset, _)| subset.to_string()),
        ("units", |(_, part)| part.units.to_string()),
        ("units_compared", |(_, part)| part.compared.to_string()),
    ]);
    for (name, counted) in FIGURES {
        columns.push_figure(name, ["low", "high"], move |(_, part)| {
            &counted(part).figure
        });
        columns.push(format!("{name}_n"), move |(_, part)| {
            counted(part).n.to_string()
        });
    }
    columns.csv(parts_and_whole(report, ""))
}
