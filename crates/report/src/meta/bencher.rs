//! Benchers against people: table, JSON, CSV.

use crate::answer::{AnswerJson, CaveatJson, CaveatTable};
use crate::columns::{Column, Columns, csv_of, table_of};
use crate::compare::{GateJson, gates_json};
use crate::named_figures::{FigureOf, NamedFigures};
use crate::numbers::{chosen_percent, closed_somewhere, or_blank, or_dash};
use crate::serialize::{end_cell, json_text, optional_cell};
use crate::terminal::printable;
use crate::text_table::TextTable;
use evenhand_compare::gate::GateResult;
use evenhand_engine::Coverage;
use evenhand_ranking::list_in_words;
use evenhand_studies::Figure;
use evenhand_studies::bencher::{
    BencherDifference, BencherReport, BencherRow, CiRow, CorrelationEnds, Figures, Items, Over,
    SystemRow, TauRow, Unmatched,
};
use schemars::JsonSchema;
use serde::Serialize;

/// So many names without a partner are shown in the table; JSON has all.
const SHOWN: usize = 8;

/// How many rows of tau_u are its curve; the others are thresholds that the user asked for.
const CURVE: usize = 20;

/// Benchers held against people: one as a flat object, several as a list.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BencherJson<'a> {
    /// How well the best of them agrees with the reference; null where no correlation is defined.
    answer: Option<AnswerJson>,
    #[serde(flatten)]
    benchers: OneOrMore<'a>,
    /// What the intervals do not say by themselves.
    caveats: Vec<CaveatJson>,
    /// The seed of the resampling.
    seed: u64,
    /// What came of the conditions that were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateJson<'a>>,
}

/// The members of one bencher, or a list of several.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMore<'a> {
    One(Box<NamedBencher<'a>>),
    Several {
        /// The benchers, in the order in which they were given.
        benchers: Vec<NamedBencher<'a>>,
        /// Those that share their rounds with the first, less the first.
        differences: Vec<DifferenceJson<'a>>,
        /// What these show; null where there are none.
        differences_answer: Option<AnswerJson>,
    },
}

/// One bencher.
#[derive(Serialize, JsonSchema)]
struct NamedBencher<'a> {
    /// Its name.
    bencher: &'a str,
    #[serde(flatten)]
    figures: BencherFigures<'a>,
    /// What was left out, why figures are missing, and what they take for granted.
    notes: Vec<String>,
}

/// What is said of a bencher.
#[derive(Serialize, JsonSchema)]
pub(super) struct BencherFigures<'a> {
    /// How its judgments were aggregated; null for a table.
    aggregation: Option<&'static str>,
    /// Systems that both sides have.
    n: usize,
    #[serde(flatten)]
    figures: NamedFigures<'a, Figures, false>,
    /// The curve of tau_u by shares of pairs, then the thresholds asked for.
    tau_u: Vec<TauJson<'a>>,
    /// What the intervals rest on.
    ci: &'a CiRow,
    /// The systems, in the order of their names in the reference.
    systems: &'a [SystemRow],
    /// Systems of one side only, which are left out.
    unmatched: &'a Unmatched,
    /// Of recorded judgments, how many have a verdict.
    coverage: Option<&'a Coverage>,
    /// Items that were resampled, and with people's labels those that both sides have.
    items: Option<Items>,
}

/// Controllable Kendall's tau at one threshold.
#[derive(Serialize, JsonSchema)]
struct TauJson<'a> {
    /// Pairs count whose ratings differ by at most this; null where ratings have no intervals.
    u: Option<f64>,
    /// The share of the pairs that people tell apart for which u was chosen, or that it comes to.
    share: Option<f64>,
    /// tau_u.
    tau: Option<f64>,
    /// The ends of its interval.
    tau_ci: Option<[Option<f64>; 2]>,
    /// Pairs that count.
    pairs: u64,
    /// Why tau_u or its interval is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

/// One bencher less another.
#[derive(Serialize, JsonSchema)]
struct DifferenceJson<'a> {
    /// The bencher.
    bencher: &'a str,
    /// What is taken off: the first bencher.
    less: &'a str,
    #[serde(flatten)]
    correlations: NamedFigures<'a, BencherDifference, false>,
}

const CORRELATIONS: [FigureOf<BencherDifference>; 2] = [
    ("spearman", |row| &row.spearman),
    ("kendall_tau_b", |row| &row.kendall_tau_b),
];

/// Returns one bencher as a flat object, several under `benchers`; a figure and its interval are
/// null where they do not exist, with the cause under `notes`.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn bencher_json(
    report: &BencherReport,
    gates: &[GateResult],
) -> Result<String, serde_json::Error> {
    let named = |row| NamedBencher::from(row);
    let benchers = match report.benchers.as_slice() {
        [only] => OneOrMore::One(Box::new(named(only))),
        several => OneOrMore::Several {
            benchers: several.iter().map(named).collect(),
            differences: Vec::from_iter(report.differences.iter().map(|row| DifferenceJson {
                bencher: &row.bencher,
                less: &row.less,
                correlations: NamedFigures::new(&CORRELATIONS, row),
            })),
            differences_answer: differences_text(report).map(|text| AnswerJson { text }),
        },
    };
    let seed = report.seed;
    json_text(&BencherJson {
        answer: answer_text(report).map(|text| AnswerJson { text }),
        benchers,
        caveats: caveats_of(
            report.benchers.iter(),
            (!report.differences.is_empty()).then_some(CaveatTable::Differences),
        ),
        seed,
        gates: gates_json(gates),
    })
}

impl<'a> From<&'a BencherRow> for NamedBencher<'a> {
    fn from(row: &'a BencherRow) -> Self {
        NamedBencher {
            bencher: &row.bencher,
            figures: row.into(),
            notes: all_notes(row),
        }
    }
}

impl<'a> From<&'a BencherRow> for BencherFigures<'a> {
    fn from(row: &'a BencherRow) -> Self {
        let curve = row.tau_u.iter().map(|tau| TauJson {
            u: tau.u,
            share: tau.share,
            tau: tau.tau.value,
            tau_ci: tau.tau.ci,
            pairs: tau.pairs,
            note: tau.tau.note.as_deref(),
        });
        BencherFigures {
            aggregation: row.aggregation,
            n: row.n,
            figures: NamedFigures::new(&Figures::NAMED, &row.figures),
            tau_u: curve.collect(),
            ci: &row.ci,
            systems: &row.systems,
            unmatched: &row.unmatched,
            coverage: row.coverage.as_ref(),
            items: row.items,
        }
    }
}

/// Returns why figures or their intervals are missing, and what else was noted.
pub(super) fn all_notes(row: &BencherRow) -> Vec<String> {
    figure_notes(row).chain(row.notes.iter().cloned()).collect()
}

fn figure_notes(row: &BencherRow) -> impl Iterator<Item = String> {
    Figures::NAMED.into_iter().filter_map(|(name, figure)| {
        let why = figure(&row.figures).note.as_ref()?;
        Some(format!("{name}: {why}"))
    })
}

fn difference_name(row: &BencherDifference) -> String {
    format!("{} - {}", row.bencher, row.less)
}

/// A figure of a bencher, or of the difference of two: a line of the CSV.
struct FigureRow<'a> {
    bencher: String,
    name: &'static str,
    figure: &'a Figure,
    /// The threshold that it is of.
    tau: Option<&'a TauRow>,
    /// How many systems it rests on.
    systems: Option<usize>,
}

/// Returns one row for each figure of each bencher, with a header; differences have the bencher
/// `A - B`.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn bencher_csv(report: &BencherReport) -> Result<String, csv::Error> {
    let mut rows = Vec::new();
    for row in &report.benchers {
        let mut add = |name, figure, tau| {
            rows.push(FigureRow {
                bencher: row.bencher.clone(),
                name,
                figure,
                tau,
                systems: Some(row.n),
            });
        };
        for (name, figure) in Figures::NAMED {
            add(name, figure(&row.figures), None);
        }
        for tau in &row.tau_u {
            add("tau_u", &tau.tau, Some(tau));
        }
    }
    for row in &report.differences {
        rows.extend(CORRELATIONS.into_iter().map(|(name, figure)| FigureRow {
            bencher: difference_name(row),
            name,
            figure: figure(row),
            tau: None,
            systems: None,
        }));
    }
    let columns: [Column<FigureRow>; 10] = [
        ("bencher", |row| row.bencher.clone()),
        ("figure", |row| row.name.into()),
        ("u", |row| optional_cell(row.tau.and_then(|tau| tau.u))),
        ("share", |row| {
            optional_cell(row.tau.and_then(|tau| tau.share))
        }),
        ("value", |row| optional_cell(row.figure.value)),
        ("ci_low", |row| end_cell(row.figure.ci, 0)),
        ("ci_high", |row| end_cell(row.figure.ci, 1)),
        ("pairs", |row| optional_cell(row.tau.map(|tau| tau.pairs))),
        ("n", |row| optional_cell(row.systems)),
        ("note", |row| optional_cell(row.figure.note.as_ref())),
    ];
    csv_of(&columns, rows)
}

const COLUMNS: [Column<BencherRow>; 9] = [
    ("bencher", |row| row.bencher.clone()),
    ("systems", |row| row.n.to_string()),
    ("spearman", |row| value_with_interval(&row.figures.spearman)),
    ("kendall tau-b", |row| {
        value_with_interval(&row.figures.kendall_tau_b)
    }),
    ("separability", |row| {
        value_with_interval(&row.figures.separability)
    }),
    ("agreement", |row| {
        value_with_interval(&row.figures.agreement_with_confidence)
    }),
    ("strict", |row| value_text(&row.figures.strict_agreement)),
    ("brier", |row| value_text(&row.figures.brier)),
    ("log loss", |row| value_text(&row.figures.log_loss)),
];

const DIFFERENCE_COLUMNS: [Column<BencherDifference>; 3] = [
    ("difference", difference_name),
    ("spearman", |row| value_with_interval(&row.spearman)),
    ("kendall tau-b", |row| {
        value_with_interval(&row.kendall_tau_b)
    }),
];

/// Says how well the bencher that agrees most with the reference does, without a full stop; of two,
/// by how much it is above the other.
// Long, and flat: an answer for one ranking, for those that are equal, for two, and for more.
fn answer_text(report: &BencherReport) -> Option<String> {
    let correlation = |row: &BencherRow| row.figures.spearman.value;
    let measured = report
        .benchers
        .iter()
        .filter(|row| correlation(row).is_some());
    // The first of several that agree as well.
    let best = measured.rev().max_by(|one, other| {
        let [one, other] = [one, other].map(|row| correlation(row).unwrap_or_default());
        one.total_cmp(&other)
    })?;
    let name = &best.bencher;
    let figure = in_words(&best.figures.spearman, false);
    let n = best.n;
    let several = report.benchers.len();
    if several < 2 {
        let strict = &best.figures.strict_agreement;
        let pairs = or_blank(strict.value, |share| {
            format!(
                "; {:.0} % of the pairs are in the same order",
                100.0 * share
            )
        });
        return Some(format!(
            "{name} orders {n} systems as the reference does with a Spearman correlation of \
             {figure}{pairs}"
        ));
    }
    let value = correlation(best);
    let alike = report.benchers.iter();
    let alike: Vec<String> = alike
        .filter(|row| correlation(row) == value && row.n == n)
        .map(|row| row.bencher.clone())
        .collect();
    if alike.len() > 1 {
        let names = list_in_words(&alike);
        let ends = |row: &BencherRow| row.figures.spearman.ci;
        let mut equal = report
            .benchers
            .iter()
            .filter(|row| correlation(row) == value);
        let figure = match equal.all(|row| ends(row) == ends(best)) {
            true => figure,
            false => format!("{:.2}", value.unwrap_or_default()),
        };
        let which = match alike.len() == several {
            true if several == 2 => "Both rankings agree equally with the reference".into(),
            true => format!("All {several} rankings agree equally with the reference"),
            false => {
                format!("Of {several} rankings {names} agree most with the reference, and equally")
            }
        };
        return Some(format!(
            "{which}: a Spearman correlation of {figure} over {n} systems"
        ));
    }
    let above = match (&report.benchers[..], &report.differences[..]) {
        ([first, second], [one]) => {
            let other = if name == &first.bencher {
                second
            } else {
                first
            };
            let other = &other.bencher;
            let unknown = match one.spearman.ci {
                Some(_) => "",
                None => ", and whether by more than noise is not known",
            };
            match one.spearman.value {
                Some(_) => {
                    let by = in_words(&one.spearman, name == &one.less);
                    format!(", {by} above that of {other}{unknown}")
                }
                None => format!("; {other} has none"),
            }
        }
        (_, []) => {
            "; whether it leads by more than noise was not tested, as the rankings share no \
                    rounds of the same systems or items"
                .into()
        }
        ([first, ..], _) if name == &first.bencher => {
            "; how far each other one is from it stands below".into()
        }
        ([first, ..], _) => format!(
            "; whether it leads by more than noise was not tested, as each is compared with the \
             first, {}: put {name} first",
            first.bencher
        ),
        ([], _) => String::new(),
    };
    Some(format!(
        "Of {several} rankings {name} agrees most with the reference: a Spearman correlation of \
         {figure} over {n} systems{above}"
    ))
}

/// Returns two digits behind the point, and no minus before a zero.
fn two_digits(value: f64) -> String {
    // -0 and 0 are the same to the sum, not to the eye.
    format!("{:.2}", (100.0 * value).round() / 100.0 + 0.0)
}

/// Returns `0.72 (0.64 to 0.79)`; `negated`, the same of what it is less.
fn in_words(figure: &Figure, negated: bool) -> String {
    let text = |value: f64| two_digits(if negated { -value } else { value });
    let interval = match figure.ci {
        Some([Some(low), Some(high)]) => {
            let [low, high] = if negated { [high, low] } else { [low, high] };
            format!(" ({} to {})", text(low), text(high))
        }
        _ => String::new(),
    };
    or_dash(figure.value, text) + &interval
}

/// Says on which side of the first ranking the others are with their whole intervals, without a
/// full stop; None where nothing is compared. It claims no more than the intervals show: a ranking
/// with more noise can have a correlation nearer 0 for that alone.
fn differences_text(report: &BencherReport) -> Option<String> {
    let first = &report.differences.first()?.less;
    let mut sides: [(&str, Vec<&str>); 4] = [
        ("above it with the whole interval", Vec::new()),
        ("below it with the whole interval", Vec::new()),
        ("not told apart, as the interval holds 0", Vec::new()),
        ("without an interval", Vec::new()),
    ];
    for row in &report.differences {
        let side = match row.spearman.ci {
            Some([Some(low), _]) if low > 0.0 => 0,
            Some([_, Some(high)]) if high < 0.0 => 1,
            Some(_) => 2,
            None => 3,
        };
        sides[side].1.push(&row.bencher);
    }
    let filled = sides.iter().filter(|(_, names)| !names.is_empty());
    let parts: Vec<String> = filled
        .map(|(side, names)| format!("{} {side}", names.join(", ")))
        .collect();
    // Of many intervals that are right one by one, some are wrong.
    let each = match report.differences.len() {
        1 => "",
        _ => " (each interval by itself)",
    };
    let parts = parts.join("; ");
    Some(format!(
        "Against {first}, by Spearman correlation: {parts}{each}"
    ))
}

/// Returns the answer, a row for each bencher, and below it the curve of tau_u where it is known,
/// differences and remarks.
pub fn bencher_table(report: &BencherReport) -> String {
    let answer = answer_text(report).map(|text| printable(&format!("{text}.")).into_owned());
    let mut parts: Vec<String> = answer.into_iter().collect();
    let benchers = table_of(&COLUMNS, &report.benchers).with_numbers_from(1);
    parts.push(benchers.to_text());
    let mut thresholds = report.benchers.iter().flat_map(|row| &row.tau_u);
    if thresholds.any(|tau| tau.tau.value.is_some()) {
        parts.push(curve_table(report).to_text());
    }
    if !report.differences.is_empty() {
        let differences = table_of(&DIFFERENCE_COLUMNS, &report.differences);
        let said = or_blank(differences_text(report), |text| {
            format!("{}.\n", printable(&text))
        });
        parts.push(said + &differences.with_numbers_from(1).to_text());
    }
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

/// Shows tau_u at the first share of the curve and at every fourth, and at the thresholds asked
/// for.
fn curve_table(report: &BencherReport) -> TextTable {
    // All benchers have the same thresholds.
    let first = report.benchers.first().map_or(&[][..], |row| &row.tau_u);
    let mut columns: Columns<BencherRow> =
        Columns::new(&[("tau_u at pairs", |row| row.bencher.clone())]);
    for (at, tau) in first.iter().enumerate() {
        let is_asked_for = at >= CURVE;
        if !(is_asked_for || at % 4 == 3 || at == 0) {
            continue;
        }
        let name = match tau.u {
            Some(u) if is_asked_for => format!("u {u}"),
            _ => format!("{:.0} %", 100.0 * tau.share.unwrap_or_default()),
        };
        columns.push(name, move |row| {
            or_dash(row.tau_u.get(at), |tau| value_with_interval(&tau.tau))
        });
    }
    columns.table(&report.benchers).with_numbers_from(1)
}

/// Says what intervals rest on, which systems were left out and why figures are missing; what holds
/// for all benchers is said once.
fn remarks(report: &BencherReport) -> Vec<String> {
    // Each with the benchers that it holds for, in the order in which they were first made.
    let mut remarks: Vec<(String, Vec<&str>)> = Vec::new();
    for row in &report.benchers {
        for text in remarks_on(row) {
            match remarks.iter_mut().find(|(known, _)| *known == text) {
                Some((_, benchers)) => benchers.push(&row.bencher),
                None => remarks.push((text, vec![&row.bencher])),
            }
        }
    }
    let line = |(text, benchers): (String, Vec<&str>)| {
        let names = benchers.join(", ") + ": ";
        // Notes on a file begin with its name, which may be the bencher's.
        match benchers.len() == report.benchers.len() || text.starts_with(&names) {
            true => text,
            false => names + &text,
        }
    };
    let mut lines: Vec<String> = remarks.into_iter().map(line).collect();
    let bounded = |row: &BencherRow| row.ci.correlations == CorrelationEnds::Bounds;
    if !report.differences.is_empty() && report.benchers.iter().any(bounded) {
        lines.push(format!("differences are of bootstrap rounds; {DRIFT}"));
    }
    lines
}

/// Returns what these intervals do not say by themselves: of the benchers, with the names of those
/// that it holds for, where not for all, and of as many of the other tables as are there.
pub(super) fn caveats_of<'a>(
    rows: impl Iterator<Item = &'a BencherRow> + Clone,
    others: impl IntoIterator<Item = CaveatTable>,
) -> Vec<CaveatJson> {
    let over_items = rows.clone().filter(|row| row.ci.over != Over::Systems);
    let drawn = over_items
        .clone()
        .filter(|row| row.ci.correlations == CorrelationEnds::Rounds);
    let names: Vec<&str> = drawn.map(|row| row.bencher.as_str()).collect();
    let text = match names.len() {
        0 => None,
        some if some == rows.count() => Some(DRIFT.into()),
        _ => Some(format!("{}: {DRIFT}", names.join(", "))),
    };
    let of_benchers = text.map(|text| CaveatJson {
        about: CaveatTable::Benchers,
        text,
    });
    // All others are of rounds.
    let is_any = over_items.count() > 0;
    let others = others.into_iter().filter(|_| is_any);
    let of_others = others.map(|about| CaveatJson {
        about,
        text: DRIFT.into(),
    });
    of_benchers.into_iter().chain(of_others).collect()
}

/// Says what is wrong with intervals of correlations from rounds, which have the noise of the
/// judgments twice.
pub(super) const DRIFT: &str = "noise draws correlations of close systems towards 0, so that their \
                                intervals can lie nearer 0 than what unlimited items would give";

/// Says what correlations with people over items are held to lie in.
pub(super) const BOUNDS: &str = "bounds of what unlimited items would give, by the systems that one test of all \
                      pairs tells apart";

fn remarks_on(row: &BencherRow) -> Vec<String> {
    let (level, rounds) = (chosen_percent(row.ci.level), row.ci.rounds);
    let drawn = match row.ci.over {
        _ if row.ci.correlations == CorrelationEnds::Bounds => BOUNDS.into(),
        Over::Systems => format!("bootstrap over systems, {rounds} rounds"),
        Over::Items => format!("bootstrap over items, {rounds} rounds"),
        Over::Comparisons => format!("bootstrap over comparisons, {rounds} rounds"),
        Over::Rounds => format!("of the file's {rounds} bootstrap rounds"),
    };
    // A bootstrap over systems is that of all figures; any other leaves some of them out.
    let others = "; those of separability, agreements and losses over systems";
    let others = match (row.ci.over, row.ci.correlations) {
        (Over::Systems, _) => String::new(),
        (_, CorrelationEnds::Bounds) => others.into(),
        (_, CorrelationEnds::Rounds) => format!("{others}; {DRIFT}"),
    };
    let mut remarks = vec![format!("intervals: {level} % {drawn}{others}")];
    if let Some(coverage) = &row.coverage {
        remarks.push(format!(
            "coverage: {} of {} judgments have a verdict",
            coverage.verdicts, coverage.trials
        ));
    }
    let names = &row.unmatched.ranking;
    if !names.is_empty() {
        let (shown, rest) = names.split_at(names.len().min(SHOWN));
        let more = match rest.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        remarks.push(format!("unmatched: {}{more}", shown.join(", ")));
    }
    remarks.extend(figure_notes(row));
    // The first reason stands for all thresholds.
    if let Some(why) = row.tau_u.iter().find_map(|tau| tau.tau.note.as_ref()) {
        remarks.push(format!("tau_u: {why}"));
    }
    remarks.extend(row.notes.iter().cloned());
    remarks
}

fn value_text(figure: &Figure) -> String {
    or_dash(figure.value, |value| {
        format!("{:.3}", (1000.0 * value).round() / 1000.0 + 0.0)
    })
}

/// Returns `0.720 (0.64 to 0.79)`, with dots for an open end.
fn value_with_interval(figure: &Figure) -> String {
    let interval = closed_somewhere(figure.ci).filter(|_| figure.value.is_some());
    value_text(figure)
        + &or_blank(interval, |ends| {
            let [low, high] = ends.map(|end| match end {
                Some(end) => two_digits(end),
                None => "...".into(),
            });
            format!(" ({low} to {high})")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, ci: [f64; 2]) -> Figure {
        Figure {
            value: Some(value),
            ci: Some(ci.map(Some)),
            note: None,
        }
    }

    fn row(bencher: &str, spearman: Figure) -> BencherRow {
        let figures = Figures {
            spearman,
            ..Figures::default()
        };
        BencherRow {
            bencher: bencher.into(),
            n: 24,
            figures,
            ..BencherRow::default()
        }
    }

    fn answer(benchers: &[BencherRow], differences: Vec<BencherDifference>) -> Option<String> {
        answer_text(&BencherReport {
            benchers: benchers.to_vec(),
            differences,
            seed: 0,
        })
    }

    #[test]
    fn rankings_that_agree_equally_are_none_the_most() {
        let both = ["ours", "theirs"].map(|name| row(name, figure(0.9, [0.8, 0.95])));
        assert_eq!(
            answer(&both, Vec::new()).unwrap(),
            "Both rankings agree equally with the reference: a Spearman \
             correlation of 0.90 (0.80 to 0.95) over 24 systems"
        );
    }

    #[test]
    fn the_answer_names_the_ranking_that_agrees_most() {
        let one = row("ours", figure(0.924, [0.78, 0.976]));
        assert_eq!(
            answer(std::slice::from_ref(&one), Vec::new()).unwrap(),
            "ours orders 24 systems as the reference does with a Spearman correlation of 0.92 (0.78 \
             to 0.98)"
        );
        let other = row("theirs", figure(0.95, [0.8, 0.99]));
        let difference = BencherDifference {
            bencher: "theirs".into(),
            less: "ours".into(),
            spearman: figure(0.026, [-0.05, 0.1]),
            kendall_tau_b: Figure::default(),
        };
        let both = [one, other];
        assert_eq!(
            answer(&both, vec![difference.clone()]).unwrap(),
            "Of 2 rankings theirs agrees most with the reference: a Spearman correlation of 0.95 \
             (0.80 to 0.99) over 24 systems, 0.03 (-0.05 to 0.10) above that of ours"
        );
        // The difference may be of the other less this one.
        let turned = BencherDifference {
            bencher: "ours".into(),
            less: "theirs".into(),
            spearman: figure(-0.026, [-0.1, 0.05]),
            ..difference.clone()
        };
        assert!(
            answer(&both, vec![turned])
                .unwrap()
                .ends_with(", 0.03 (-0.05 to 0.10) above that of ours")
        );
        // Of a perfect order of few systems nothing is known of the uncertainty.
        let bare = BencherDifference {
            spearman: Figure {
                value: Some(0.026),
                ..Figure::default()
            },
            ..difference
        };
        assert!(
            answer(&both, vec![bare]).unwrap().ends_with(
                ", 0.03 above that of ours, and whether by more than noise is not known"
            )
        );
        assert_eq!(answer(&[row("flat", Figure::default())], Vec::new()), None);
    }

    #[test]
    fn of_several_rankings_the_answer_says_whether_the_lead_was_tested_and_why_not() {
        let rows = [("a", 0.5), ("b", 0.9), ("c", 0.7)];
        let rows = rows.map(|(name, value)| row(name, figure(value, [-0.001, 0.99])));
        let against = |less: &str, name: &str| BencherDifference {
            bencher: name.into(),
            less: less.into(),
            spearman: figure(0.1, [-0.1, 0.3]),
            kendall_tau_b: Figure::default(),
        };
        let said = answer(&rows, vec![against("a", "b"), against("a", "c")]).unwrap();
        assert!(
            said.ends_with("as each is compared with the first, a: put b first"),
            "{said}"
        );
        let said = answer(&rows, Vec::new()).unwrap();
        assert!(
            said.ends_with("share no rounds of the same systems or items"),
            "{said}"
        );
        assert!(said.contains("0.90 (0.00 to 0.99)"), "{said}");
        let [a, b, c] = rows;
        let said = answer(&[b, a, c], vec![against("b", "a"), against("b", "c")]).unwrap();
        assert!(
            said.ends_with("how far each other one is from it stands below"),
            "{said}"
        );
    }

    #[test]
    fn a_note_that_begins_with_the_name_of_its_ranking_says_it_once() {
        let mut noted = row("a", Figure::default());
        noted.notes = vec!["a: x has no score and is left out".into()];
        let report = BencherReport {
            benchers: vec![noted, row("b", Figure::default())],
            differences: Vec::new(),
            seed: 0,
        };
        let lines = remarks(&report);
        assert!(
            lines.contains(&"a: x has no score and is left out".to_owned()),
            "{lines:?}"
        );
    }

    #[test]
    fn each_ranking_is_on_one_side_of_the_first() {
        let difference = |name: &str, ci: Option<[f64; 2]>| BencherDifference {
            bencher: name.into(),
            less: "ours".into(),
            spearman: Figure {
                value: Some(0.1),
                ci: ci.map(|ends| ends.map(Some)),
                note: None,
            },
            kendall_tau_b: Figure::default(),
        };
        let said = |differences| {
            differences_text(&BencherReport {
                benchers: Vec::new(),
                differences,
                seed: 0,
            })
        };
        assert_eq!(said(Vec::new()), None);
        // An interval that ends at 0 holds it.
        let open = difference("b", Some([0.0, 0.2]));
        assert_eq!(
            said(vec![open.clone()]).unwrap(),
            "Against ours, by Spearman correlation: b not told apart, as the interval holds 0"
        );
        let all = vec![
            difference("a", Some([0.05, 0.2])),
            open,
            difference("c", Some([-0.3, -0.1])),
            difference("d", None),
        ];
        assert_eq!(
            said(all).unwrap(),
            "Against ours, by Spearman correlation: a above it with the whole interval; c below it \
             with the whole interval; b not told apart, as the interval holds 0; d without an \
             interval (each interval by itself)"
        );
    }

    #[test]
    fn intervals_of_rounds_over_items_are_said_to_drift() {
        let mut one = row("ours", Figure::default());
        assert!(!remarks_on(&one)[0].ends_with(DRIFT));
        let caveats = |rows: &[BencherRow]| caveats_of(rows.iter(), [CaveatTable::Differences]);
        assert_eq!(caveats(&[one.clone()]), Vec::new());
        let over_systems = row("theirs", Figure::default());
        one.ci.over = Over::Items;
        assert!(remarks_on(&one)[0].ends_with(DRIFT));
        let said = caveats(&[one.clone()]);
        assert_eq!(said.len(), 2);
        assert!(said.iter().all(|caveat| caveat.text == DRIFT));
        let some = caveats(&[one.clone(), over_systems]);
        assert_eq!(some[0].about, CaveatTable::Benchers);
        assert_eq!(some[0].text, format!("ours: {DRIFT}"));
        one.ci.correlations = CorrelationEnds::Bounds;
        assert_eq!(
            remarks_on(&one)[0],
            format!(
                "intervals: 0 % {BOUNDS}; those of separability, agreements and losses over systems"
            )
        );
        let of_rounds = caveats(&[one]);
        assert_eq!(of_rounds.len(), 1);
        assert_eq!(of_rounds[0].about, CaveatTable::Differences);
    }
}
