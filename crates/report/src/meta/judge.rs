//! How good judges are on labelled pairs: table, JSON, CSV.

use super::judge_notes::{JudgeSettings, interval_method, notes_text};
use super::paired::{NotComparedJson, PairedJson, paired_table};
use super::{coefficient_with_interval, percent_with_interval};
use crate::answer::AnswerJson;
use crate::columns::{Column, Columns, table_of};
use crate::compare::{GateJson, gates_json};
use crate::named_figures::{FigureOf, NamedFigures};
use crate::numbers::{bracketed_interval, count_of, group_digits, or_blank, or_dash, percent};
use crate::serialize::{ByName, json_text};
use crate::slices::{deviation_of, push_deviation_columns};
use crate::terminal::printable;
use crate::view::{fit_table, sentences_text};
use crate::{Usage, View};
use evenhand_compare::gate::GateResult;
use evenhand_core::{Side, p_value_text};
use evenhand_engine::Coverage;
use evenhand_ranking::{InteractionReport, IntervalMethod, SliceDeviation, list_in_words};
use evenhand_studies::Figure;
use evenhand_studies::judge::{
    Counts, Evaluated, Evaluation, Failures, Measures, ReadingDifference, Repeats, SystemLevel,
    Ties, Votes,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

/// How good judges are on labelled pairs. Shares are from 0 to 1.
#[derive(Serialize, JsonSchema)]
pub(crate) struct JudgesJson<'a> {
    /// Who agrees with people, how often, and whether that is more than noise; null where no
    /// accuracy is defined.
    answer: Option<AnswerJson>,
    #[serde(flatten)]
    judges: OneOrMore<'a>,
    /// How ties count, of labels and of verdicts.
    ties: Ties,
    /// How a judge's failures count.
    failures: Failures,
    /// How intervals of scores of probabilities were made; those of shares are score intervals
    /// over the same clusters.
    ci: IntervalMethod,
    /// The seed of the resampling.
    seed: u64,
    /// Of several judges: every two on the pairs that both have judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    paired_differences: Option<Vec<PairedJson<'a>>>,
    /// Of several judges: every two that could not be compared so, with the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compared: Option<Vec<NotComparedJson<'a>>>,
    /// Whether judges are more often right on some parts; where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "interaction_schema")]
    interaction: Option<Value>,
    /// The calls and costs of a live run.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<&'a Usage>,
    /// What came of the conditions that were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateJson<'a>>,
}

/// The members of one judge, or a list of several.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMore<'a> {
    One(Box<EvaluationJson<'a>>),
    Several {
        /// The judges.
        judges: Vec<EvaluationJson<'a>>,
    },
}

/// One judge.
#[derive(Serialize, JsonSchema)]
pub(super) struct EvaluationJson<'a> {
    /// The judge's name.
    judge: &'a str,
    /// How it was asked, where that is known.
    #[serde(skip_serializing_if = "str::is_empty")]
    protocol: &'a str,
    /// How several labels of one pair count.
    votes: Votes,
    #[serde(flatten)]
    total: PartJson<'a>,
    #[serde(flatten)]
    accuracy_macro: NamedFigures<'a, OfSeveralParts>,
    /// The same of each part of the input set, where there are several.
    subsets: ByName<'a, PartJson<'a>>,
    /// The systems ranked by the judge and by people, where the pairs name at least 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    systems: Option<SystemsJson<'a>>,
    /// Verdicts that were read otherwise than the source read them, where it records any.
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<Vec<ReadingJson<'a>>>,
    /// The accuracy in each repeat, where the pairs were judged several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats: Option<RepeatsJson<'a>>,
    /// What a user should know.
    warnings: &'a [String],
}

/// What is only there where the input set has several parts: for the schema alone.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "its fields are what the schema describes")]
struct OfSeveralParts {
    /// The unweighted mean of the parts' accuracies, as RewardBench averages.
    accuracy_macro: Option<Figure>,
}

/// The figures and counts of a judge over some pairs.
#[derive(Serialize, JsonSchema)]
struct PartJson<'a> {
    #[serde(flatten)]
    figures: NamedFigures<'a, Measures>,
    /// Pairs; one that was judged several times is one.
    n: u64,
    /// Labels that verdicts are held against: as many as pairs, or all votes where each counts.
    labels: u64,
    /// Clusters of pairs, which the intervals rest on.
    items: u64,
    /// Labels that are a tie.
    tied_labels: u64,
    /// What was asked and answered.
    coverage: &'a Coverage,
    /// How many pairs came out how, with failures as wrong.
    counts: Counts,
    /// Verdicts by label, then by verdict.
    confusion: BySide<BySide<u64>>,
    /// What was stated with which probability, and how often it came true.
    calibration: Vec<CalibrationJson>,
    /// The counts by the verdicts that the source records, where it records any.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_counts: Option<Counts>,
}

/// A value for each outcome.
#[derive(Serialize, JsonSchema)]
struct BySide<T> {
    /// The first response is better.
    a: T,
    /// Neither is.
    tie: T,
    /// The second is.
    b: T,
}

impl<T> From<[T; 3]> for BySide<T> {
    fn from([a, tie, b]: [T; 3]) -> Self {
        BySide { a, tie, b }
    }
}

/// Forecasts of about one probability.
#[derive(Serialize, JsonSchema)]
struct CalibrationJson {
    /// How many there are.
    n: usize,
    /// Their mean.
    forecast: Option<f64>,
    /// The share that came true.
    observed: Option<f64>,
}

/// The systems ranked by the judge and by people.
#[derive(Serialize, JsonSchema)]
struct SystemsJson<'a> {
    /// How many systems there are.
    n: usize,
    #[serde(flatten)]
    figures: NamedFigures<'a, SystemLevel>,
}

/// A verdict that was read otherwise than its source read it.
#[derive(Serialize, JsonSchema)]
struct ReadingJson<'a> {
    /// The part of the input set.
    subset: &'a str,
    /// The pair.
    pair: &'a str,
    /// Which response was shown first.
    order: Order,
    /// What the source recorded; null where it found nothing.
    recorded: Option<Outcome>,
    /// What was read; null where no verdict was found.
    read: Option<Outcome>,
    /// Why none was read, or why what was read is another.
    why: Option<&'a str>,
}

/// Which of a pair's responses is shown first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// The first one.
    Forward,
    /// The second one.
    Swapped,
}

/// What a verdict says of a pair.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    /// The first response is better.
    A,
    /// Neither is.
    Tie,
    /// The second is.
    B,
}

/// The accuracies of repeats, from 0 to 1.
#[derive(Serialize, JsonSchema)]
pub(super) struct RepeatsJson<'a> {
    /// The accuracy in each.
    accuracies: Vec<Option<f64>>,
    /// Their intervals over items, in the same order; null where there is none.
    accuracies_ci: Vec<Option<[Option<f64>; 2]>>,
    #[serde(flatten)]
    mean: NamedFigures<'a, Repeats>,
    /// Their standard deviation.
    sd: Option<f64>,
}

/// The figures of a judge, in the order of JSON and CSV.
const FIGURES: [FigureOf<Measures>; 21] = [
    ("accuracy", |m| &m.accuracy),
    ("accuracy_forward", |m| &m.accuracy_forward),
    ("accuracy_swapped", |m| &m.accuracy_swapped),
    ("accuracy_averaged", |m| &m.accuracy_averaged),
    ("best_of", |m| &m.best_of),
    ("ties_score", |m| &m.ties_score),
    ("accuracy_length_balanced", |m| &m.accuracy_length_balanced),
    ("longer_wins", |m| &m.longer_wins),
    ("shorter_wins", |m| &m.shorter_wins),
    ("longer_preferred", |m| &m.longer_preferred),
    ("accuracy_beyond_length", |m| &m.accuracy_beyond_length),
    ("brier", |m| &m.brier),
    ("calibration_error", |m| &m.calibration_error),
    ("accuracy_both", |m| &m.accuracy_both),
    ("consistency", |m| &m.consistency),
    ("first_slot", |m| &m.first_slot),
    ("kappa", |m| &m.kappa),
    ("kappa_averaged", |m| &m.kappa_averaged),
    ("sensitivity", |m| &m.sensitivity),
    ("specificity", |m| &m.specificity),
    ("kappa_orders", |m| &m.kappa_orders),
];

/// Returns one object for a judge; of several, a list `judges`.
///
/// # Errors
/// Those of the JSON writer; no evaluation is known to cause one.
pub fn judges_json(
    judges: &[Evaluation],
    with: JudgeSettings<'_>,
    gates: &[GateResult],
) -> Result<String, serde_json::Error> {
    let mut all: Vec<EvaluationJson> = judges.iter().map(EvaluationJson::from).collect();
    let several = all.len() > 1;
    let differences = with.differences.iter().map(PairedJson::from);
    let not_compared = with.not_compared.iter().map(NotComparedJson::from);
    json_text(&JudgesJson {
        answer: answer_text(judges, with).map(|text| AnswerJson { text }),
        judges: match all.pop() {
            Some(only) if all.is_empty() => OneOrMore::One(Box::new(only)),
            last => {
                all.extend(last);
                OneOrMore::Several { judges: all }
            }
        },
        ties: with.settings.ties,
        failures: with.settings.failures,
        ci: interval_method(&with.settings.bootstrap),
        seed: with.settings.bootstrap.seed,
        paired_differences: several.then(|| differences.collect()),
        not_compared: several.then(|| not_compared.collect()),
        interaction: with.interaction.map(interaction_of_judges).transpose()?,
        usage: with.usage,
        gates: gates_json(gates),
    })
}

/// Returns an interaction whose deviations are of judges, not of systems.
fn interaction_of_judges(found: &InteractionReport) -> Result<Value, serde_json::Error> {
    let mut found = serde_json::to_value(found)?;
    let rows = found.get_mut("deviations").and_then(Value::as_array_mut);
    for row in rows.into_iter().flatten().filter_map(Value::as_object_mut) {
        let judge = row.remove("system").unwrap_or_default();
        row.insert("judge".into(), judge);
    }
    Ok(found)
}

fn interaction_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut row = SliceDeviation::json_schema(generator).to_value();
    if let Some(properties) = row["properties"].as_object_mut() {
        properties.remove("system");
        properties.insert(
            "judge".into(),
            json!({"type": "string", "description": "The judge."}),
        );
    }
    row["required"] = json!(["judge"]);
    let mut schema = InteractionReport::json_schema(generator);
    schema.insert("type".into(), json!("object"));
    if let Some(properties) = schema.get_mut("properties") {
        properties["deviations"]["items"] = row;
    }
    schema
}

impl<'a> From<&'a Evaluation> for EvaluationJson<'a> {
    fn from(judge: &'a Evaluation) -> Self {
        let total = PartJson::from(&judge.total);
        let accuracy_macro = judge.accuracy_macro.iter();
        let (figures, accuracy_macro) = total
            .figures
            .and_later(accuracy_macro.map(|figure| ("accuracy_macro", figure).into()));
        EvaluationJson {
            judge: &judge.judge,
            protocol: &judge.protocol,
            votes: judge.votes,
            total: PartJson { figures, ..total },
            accuracy_macro,
            subsets: judge
                .subsets
                .iter()
                .map(|(name, part)| (name.as_str(), part.into()))
                .collect(),
            systems: judge.systems.as_ref().map(|systems| SystemsJson {
                n: systems.n,
                figures: NamedFigures::new(&SYSTEM_FIGURES, systems),
            }),
            differences: judge.differences.as_ref().map(|all| {
                let all = all.iter();
                all.map(ReadingJson::from).collect()
            }),
            repeats: judge.repeats.as_ref().map(RepeatsJson::from),
            warnings: &judge.warnings,
        }
    }
}

const SYSTEM_FIGURES: [FigureOf<SystemLevel>; 2] = [
    ("spearman", |systems| &systems.rho),
    ("kendall_tau_b", |systems| &systems.tau),
];

impl<'a> From<&'a Evaluated> for PartJson<'a> {
    fn from(part: &'a Evaluated) -> Self {
        let measures = &part.measures;
        PartJson {
            figures: NamedFigures::new(&FIGURES, measures),
            n: measures.n,
            labels: measures.labels,
            items: measures.items,
            tied_labels: measures.tied_labels,
            coverage: &measures.coverage,
            counts: part.counts,
            confusion: measures.confusion.map(BySide::from).into(),
            calibration: Vec::from_iter(measures.calibration.iter().map(|bin| CalibrationJson {
                n: bin.n,
                forecast: bin.forecast,
                observed: bin.observed,
            })),
            recorded_counts: part.recorded,
        }
    }
}

impl<'a> From<&'a ReadingDifference> for ReadingJson<'a> {
    fn from(one: &'a ReadingDifference) -> Self {
        let outcome = |side| match side {
            Side::First => Outcome::A,
            Side::Tie => Outcome::Tie,
            Side::Second => Outcome::B,
        };
        ReadingJson {
            subset: &one.subset,
            pair: &one.pair,
            order: if one.swapped {
                Order::Swapped
            } else {
                Order::Forward
            },
            recorded: one.recorded.map(outcome),
            read: one.read.map(outcome),
            why: one.why.as_deref(),
        }
    }
}

impl<'a> From<&'a Repeats> for RepeatsJson<'a> {
    fn from(repeats: &'a Repeats) -> Self {
        RepeatsJson {
            accuracies: repeats.accuracies.iter().map(|one| one.value).collect(),
            accuracies_ci: repeats.accuracies.iter().map(|one| one.ci).collect(),
            mean: NamedFigures::new(&[("mean", |repeats: &Repeats| &repeats.mean)], repeats),
            sd: repeats.sd.value,
        }
    }
}

/// A judge on a part of the input set.
struct JudgePart<'a> {
    judge: &'a str,
    protocol: &'a str,
    /// The part's name; empty where there is one part.
    subset: &'a str,
    measures: &'a Measures,
}

/// Returns the parts of each judge, and behind them the whole.
fn parts_of(judges: &[Evaluation]) -> impl Iterator<Item = JudgePart<'_>> {
    judges.iter().flat_map(|judge| {
        let subsets = judge.subsets.iter();
        let whole = if judge.subsets.is_empty() { "" } else { "all" };
        subsets
            .map(|(name, part)| (name.as_str(), part))
            .chain([(whole, &judge.total)])
            .map(|(subset, part)| JudgePart {
                judge: &judge.judge,
                protocol: &judge.protocol,
                subset,
                measures: &part.measures,
            })
    })
}

/// Columns that a narrow terminal does without, the least important first: all but judge, subset
/// and accuracy.
const DROPPABLE: [usize; 10] = [5, 4, 6, 7, 8, 10, 2, 11, 12, 9];

/// Returns a row for each judge and part of the input set, and what they rest on.
pub fn judges_table(judges: &[Evaluation], with: JudgeSettings<'_>, view: View) -> String {
    let columns: [Column<JudgePart<'_>>; 13] = [
        ("judge", |part| part.judge.into()),
        ("subset", |part| part.subset.into()),
        ("pairs", |part| pairs_text(part.measures)),
        ("accuracy %", |part| {
            percent_with_interval(&part.measures.accuracy)
        }),
        ("length-balanced", |part| {
            percent_with_interval(&part.measures.accuracy_length_balanced)
        }),
        ("longer is better", |part| {
            or_dash(part.measures.longer_wins.value, percent)
        }),
        ("forward", |part| {
            or_dash(part.measures.accuracy_forward.value, percent)
        }),
        ("swapped", |part| {
            or_dash(part.measures.accuracy_swapped.value, percent)
        }),
        ("both", |part| {
            or_dash(part.measures.accuracy_both.value, percent)
        }),
        ("consistent", |part| {
            percent_with_interval(&part.measures.consistency)
        }),
        ("first slot", |part| {
            or_dash(part.measures.first_slot.value, percent)
        }),
        ("kappa", |part| {
            coefficient_with_interval(&part.measures.kappa)
        }),
        ("no verdict", |part| {
            let coverage = &part.measures.coverage;
            group_digits(coverage.trials - coverage.verdicts)
        }),
    ];
    let main = table_of(&columns, parts_of(judges)).with_numbers_from(2);
    let answer = answer_text(judges, with);
    let mut parts: Vec<String> = answer
        .map(|answer| sentences_text(&printable(&format!("{answer}.")), view))
        .into_iter()
        .collect();
    parts.push(fit_table(main, view, &DROPPABLE));
    if let Some(found) = with.interaction {
        parts.push(sentences_text(&printable(&found.summary), view));
    }
    let paired = paired_table(with.differences);
    if paired.has_rows() {
        parts.push(paired.to_text());
    }
    parts.push(notes_text(judges, with, view));
    parts.join("\n\n") + "\n"
}

/// Returns the answer without a full stop; None where there is nothing to say.
fn answer_text(judges: &[Evaluation], with: JudgeSettings<'_>) -> Option<String> {
    match judges {
        [judge] => answer_of_one(judge, with.settings.ties),
        several => answer_of_several(several, with),
    }
}

/// Says how often a judge agrees with the labels, and whether that is more than chance gives. None
/// where there is nothing to say.
fn answer_of_one(judge: &Evaluation, ties: Ties) -> Option<String> {
    let measures = &judge.total.measures;
    let share = agreement_text(measures, ties)?;
    let kappa = or_blank(measures.kappa.value, |_| {
        format!(": kappa is {}", coefficient_with_interval(&measures.kappa))
    });
    Some(format!(
        "{} agrees with the labels in {share}{kappa}",
        judge.judge
    ))
}

/// Says how many judgments agree with the labels, and whether that is more than chance gives: only
/// where agreement and kappa both show it, as the interval of one of them may be too narrow. Chance
/// is a half only where a tie is no third answer.
fn agreement_text(measures: &Measures, ties: Ties) -> Option<String> {
    let chance = Chance::of(measures, ties);
    let beside_length = match chance {
        Chance::Beyond => length_text(measures),
        _ => String::new(),
    };
    Some(share_text(measures)? + chance.text() + &beside_length)
}

/// Says that a judge is not shown to be more often right than a rule that looks at the length
/// alone; empty where it is, or where the lengths are not known. What people prefer may go with the
/// length so far that a judge that is right far more often than by chance has read nothing.
fn length_text(measures: &Measures) -> String {
    let beyond = &measures.accuracy_beyond_length;
    let (Some(points), [low, _]) = (beyond.value, beyond.ci.unwrap_or_default()) else {
        return String::new();
    };
    if low.is_some_and(|low| low > 0.0) {
        return String::new();
    }
    let rules = [
        ("longer", &measures.longer_wins),
        ("shorter", &measures.shorter_wins),
    ];
    let [longer, shorter] = rules.map(|(_, rule)| rule.value.unwrap_or_default());
    let (length, rule) = rules[usize::from(shorter > longer)];
    // A rule that is no better than a coin on these labels explains nothing.
    let low = rule.ci.and_then(|[low, _]| low);
    if low.is_none_or(|low| low <= 0.5) {
        return String::new();
    }
    let better = if points > 0.0 {
        "not shown to be better than"
    } else {
        "no better than"
    };
    let side = if points < 0.0 { "behind" } else { "ahead" };
    format!(
        ", but {better} always taking the {length} response: {} points {side} where one is better",
        percent(points.abs())
    )
}

/// Says in how many of its judgments a judge agrees with the labels.
fn share_text(measures: &Measures) -> Option<String> {
    let accuracy = &measures.accuracy;
    let interval = bracketed_interval(accuracy.ci, |end| format!("{:.0}", 100.0 * end));
    Some(format!(
        "{} %{interval} of its judgments of {}",
        percent(accuracy.value?),
        count_of(measures.n, "pair", "pairs")
    ))
}

/// How often a judge agrees with the labels, beside what chance gives.
#[derive(Clone, Copy, PartialEq)]
enum Chance {
    Below,
    Beyond,
    NotShown,
    Unknown,
}

impl Chance {
    fn of(measures: &Measures, ties: Ties) -> Chance {
        let (accuracy, kappa) = (&measures.accuracy, &measures.kappa);
        let ends = |figure: &Figure| figure.ci.unwrap_or_default();
        let is_above_half = ends(accuracy)[0].is_some_and(|low| low > 0.5);
        let has_thirds = ties == Ties::Class && measures.tied_labels > 0;
        match ends(kappa) {
            [_, Some(high)] if high < 0.0 => Chance::Below,
            [Some(low), _] if low > 0.0 && (is_above_half || has_thirds) => Chance::Beyond,
            [Some(low), _] if low <= 0.0 => Chance::NotShown,
            _ => Chance::Unknown,
        }
    }

    /// Returns it as the end of a sentence.
    fn text(self) -> &'static str {
        match self {
            Chance::Below => {
                ", less than by chance; check whether the labels name the other response"
            }
            Chance::Beyond => ", more than by chance",
            Chance::NotShown => ", which is not shown to be more than chance gives",
            Chance::Unknown => "",
        }
    }
}

/// Judges whose shares the answer names where they are not ranked.
const NAMED: usize = 3;

/// Says who agrees with the labels most often, and from whom that judge is told apart on the pairs
/// that both have judged. The p-values are corrected for all differences of the report, so that
/// choosing the best costs nothing.
// Long, and flat: the best judge, what was tested of it, judges that have no pair in common, and a
// clause for each way a test may end.
fn answer_of_several(judges: &[Evaluation], with: JudgeSettings<'_>) -> Option<String> {
    // Those with an interval, if there are any: of a single pair anybody may be right.
    let accuracy = |judge: &Evaluation| judge.total.measures.accuracy.clone();
    let has_interval = judges.iter().any(|judge| accuracy(judge).ci.is_some());
    let measured = judges.iter().filter_map(|judge| {
        let accuracy = accuracy(judge);
        Some((judge, accuracy.value?)).filter(|_| accuracy.ci.is_some() || !has_interval)
    });
    // The first of several that are as good.
    let (best, most) = measured
        .clone()
        .rev()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let as_good = measured.filter(|(_, value)| *value == most).count() - 1;
    let asked = |judge: &Evaluation| match judge.protocol.as_str() {
        "" => judge.judge.clone(),
        protocol => format!("{}, {protocol}", judge.judge),
    };
    // With its protocol only where another judge has its name.
    let called = |name: &str| {
        let judge = judges.iter().find(|judge| asked(judge) == name);
        let is_alone = |one: &&Evaluation| {
            let namesakes = judges.iter().filter(|other| other.judge == one.judge);
            namesakes.count() == 1
        };
        let alone = judge.filter(is_alone);
        alone.map_or_else(|| name.to_owned(), |one| one.judge.clone())
    };
    let name = asked(best);
    let alpha = 1.0 - with.settings.bootstrap.level;
    let (mut worse, mut open, mut better) = (Vec::new(), Vec::new(), Vec::new());
    let mut largest = 0.0_f64;
    for one in with.differences {
        let Some(place) = one.names.iter().position(|other| *other == name) else {
            continue;
        };
        let other = called(&one.names[1 - place]);
        match one.p_corrected.map(|p| (p, p + 1e-12 < alpha)) {
            // It was not tested.
            None => {}
            Some((_, false)) => open.push(other),
            Some((p, _)) if one.accuracies[place] > one.accuracies[1 - place] => {
                worse.push(other);
                largest = largest.max(p);
            }
            // It has judged more pairs, and is right more often on those alone.
            Some(_) => better.push(other),
        }
    }
    // Recordings may have one name, and are then compared more often than they are others.
    let compared = worse.len() + open.len() + better.len();
    let others = (judges.len() - 1).saturating_sub(compared);
    let mut apart: Vec<String> = Vec::new();
    let counts = judges.iter().map(|judge| judge.total.measures.n);
    let [fewest, most] = [counts.clone().min(), counts.max()].map(Option::unwrap_or_default);
    let counts = format!("{} to {}", group_digits(fewest), group_digits(most));
    // With no pair in common there is nobody to be ahead of.
    if fewest < most && compared == 0 {
        let mut shares: Vec<String> = Vec::new();
        for judge in judges {
            let text = agreement_text(&judge.total.measures, with.settings.ties);
            shares.extend(text.map(|text| format!("{} in {text}", called(&asked(judge)))));
        }
        let more = shares.len().saturating_sub(NAMED);
        shares.truncate(NAMED);
        shares.extend((more > 0).then(|| format!("and {more} more")));
        return Some(format!(
            "The {} judges are not ranked, as they judged different pairs ({counts}). They agree \
             with the labels: {}",
            judges.len(),
            shares.join("; ")
        ));
    }
    if fewest < most {
        apart.push(format!(
            "the judges saw different pairs ({counts}), so these shares do not rank them"
        ));
    }
    if !worse.is_empty() {
        let p = p_value_text(largest);
        apart.push(format!("it is ahead of {} (p {p})", list_in_words(&worse)));
    }
    if !open.is_empty() {
        apart.push(format!(
            "it cannot be separated from {}",
            list_in_words(&open)
        ));
    }
    if !better.is_empty() {
        let better = list_in_words(&better);
        apart.push(format!(
            "on the pairs that both have judged it is behind {better}"
        ));
    }
    let mut reasons = Vec::new();
    for one in with
        .not_compared
        .iter()
        .filter(|one| one.names.contains(&name))
    {
        let why = one.why.to_string();
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    let why = match reasons.is_empty() {
        true => String::new(),
        false => format!(" ({})", reasons.join("; ")),
    };
    if compared == 0 {
        apart.push(format!(
            "whether that is more than noise was not tested{why}"
        ));
    } else if others > 0 {
        let others = count_of(others as u64, "other", "others");
        apart.push(format!("it was not compared with {others}{why}"));
    }
    let often = match as_good {
        0 => "most often".into(),
        _ => format!(
            "most often, as {} {}",
            if as_good == 1 { "does" } else { "do" },
            count_of(as_good as u64, "other", "others")
        ),
    };
    let apart = apart.join("; ");
    let chance = |judge: &Evaluation| Chance::of(&judge.total.measures, with.settings.ties);
    let none_is_beyond = has_interval && judges.iter().all(|judge| chance(judge) != Chance::Beyond);
    let (name, share) = (called(&name), share_text(&best.total.measures)?);
    Some(match chance(best) {
        _ if !none_is_beyond => format!(
            "Of {} judges {name} agrees with the labels {often}, in {}; {apart}",
            judges.len(),
            agreement_text(&best.total.measures, with.settings.ties)?
        ),
        chance => format!(
            "None of {} judges is shown to agree with the labels more than by chance. {name} \
             agrees {often}, in {share}{}; {apart}",
            judges.len(),
            // That it is not shown is said.
            if chance == Chance::Below {
                chance.text()
            } else {
                ""
            }
        ),
    })
}

/// Returns how many pairs there are, and how many votes where more than that count.
fn pairs_text(measures: &Measures) -> String {
    let (pairs, labels) = (measures.n, measures.labels);
    match labels > pairs {
        true => format!("{} ({} votes)", group_digits(pairs), group_digits(labels)),
        false => group_digits(pairs),
    }
}

/// Adds the counts and figures of a judge.
pub(super) fn push_measures<'a, R: 'a>(
    columns: &mut Columns<'a, R>,
    of: impl Fn(&R) -> &Measures + Copy + 'a,
) {
    columns.push("n", move |row| of(row).n.to_string());
    columns.push("trials", move |row| of(row).coverage.trials.to_string());
    columns.push("verdicts", move |row| of(row).coverage.verdicts.to_string());
    columns.push("labels", move |row| of(row).labels.to_string());
    for (name, figure) in FIGURES {
        columns.push_figure(name, ["low", "high"], move |row| figure(of(row)));
    }
}

/// Returns one row for each judge and part of the input set, with a header. How far a part is from
/// the whole follows where that was tested.
///
/// # Errors
/// Those of the CSV writer; no evaluation is known to cause one.
pub fn judges_csv(
    judges: &[Evaluation],
    interaction: Option<&InteractionReport>,
) -> Result<String, csv::Error> {
    let mut columns: Columns<JudgePart> = Columns::new(&[
        ("judge", |part| part.judge.into()),
        ("subset", |part| part.subset.into()),
    ]);
    push_measures(&mut columns, |part| part.measures);
    if interaction.is_some() {
        push_deviation_columns(&mut columns, move |part: &JudgePart| {
            // Judges of one name are told apart by protocols.
            let asked = format!("{}, {}", part.judge, part.protocol);
            deviation_of(interaction, part.judge, part.subset)
                .or_else(|| deviation_of(interaction, &asked, part.subset))
        });
    }
    columns.csv(parts_of(judges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_studies::judge::{
        NotCompared, PairedDifference, PairedMeasure, Settings, WhyNotCompared,
    };

    fn evaluation(judge: &str, protocol: &str, accuracy: Option<f64>) -> Evaluation {
        let mut evaluation = Evaluation {
            judge: judge.into(),
            protocol: protocol.into(),
            ..Evaluation::default()
        };
        evaluation.total.measures.n = 100;
        evaluation.total.measures.accuracy.value = accuracy;
        evaluation
    }

    fn difference(names: [&str; 2], accuracies: [f64; 2], p: Option<f64>) -> PairedDifference {
        PairedDifference {
            names: names.map(String::from),
            pairs: 100,
            measure: PairedMeasure::Accuracy,
            accuracies,
            difference: Figure::default(),
            ahead: [0, 0],
            p,
            drawn: None,
            p_corrected: p,
        }
    }

    fn answer(judges: &[Evaluation], differences: &[PairedDifference]) -> Option<String> {
        let mut settings = Settings::default();
        settings.bootstrap.level = 0.95;
        let with = JudgeSettings {
            settings: &settings,
            differences,
            not_compared: &[],
            interaction: None,
            usage: None,
        };
        answer_text(judges, with)
    }

    #[test]
    fn the_best_judge_is_ahead_only_where_a_test_says_so() {
        let judges = [
            evaluation("X", "", Some(0.7)),
            evaluation("Y", "", Some(0.9)),
            evaluation("Z", "", Some(0.5)),
        ];
        let start = "Of 3 judges Y agrees with the labels most often, in 90.0 % of its judgments of 100 pairs";
        let says = |differences: &[PairedDifference]| {
            let text = answer(&judges, differences).unwrap();
            text.strip_prefix(start).unwrap().to_owned()
        };
        assert_eq!(
            says(&[]),
            "; whether that is more than noise was not tested"
        );
        let over_x = |p| difference(["X", "Y"], [0.7, 0.9], p);
        let over_z = |p| difference(["Y", "Z"], [0.9, 0.5], p);
        let beside = difference(["X", "Z"], [0.7, 0.5], Some(0.001));
        assert_eq!(
            says(&[over_x(Some(0.04)), over_z(Some(0.002)), beside.clone()]),
            "; it is ahead of X and Z (p 0.040)"
        );
        assert_eq!(
            says(&[over_x(Some(0.05)), over_z(Some(0.002)), beside]),
            "; it is ahead of Z (p 0.002); it cannot be separated from X"
        );
        assert_eq!(
            says(&[over_x(Some(0.3)), over_z(Some(0.2))]),
            "; it cannot be separated from X and Z"
        );
        // Without a p-value nothing was tested.
        assert_eq!(
            says(&[over_x(None), over_z(Some(0.2))]),
            "; it cannot be separated from Z; it was not compared with 1 other"
        );
        assert_eq!(
            says(&[over_z(Some(0.002))]),
            "; it is ahead of Z (p 0.002); it was not compared with 1 other"
        );
        // On the pairs that both have judged it may be behind, however often it is right on all.
        assert_eq!(
            says(&[
                difference(["X", "Y"], [0.9, 0.8], Some(0.001)),
                over_z(Some(0.5))
            ]),
            "; it cannot be separated from Z; on the pairs that both have judged it is behind X"
        );
    }

    #[test]
    fn judges_that_a_coin_could_be_are_not_praised() {
        let judge = |name: &str, [low, high]: [f64; 2]| {
            let mut one = evaluation(name, "", Some((low + high) / 2.0));
            let kappa = |accuracy: f64| Some(2.0 * accuracy - 1.0);
            one.total.measures.accuracy.ci = Some([Some(low), Some(high)]);
            one.total.measures.kappa.value = kappa((low + high) / 2.0);
            one.total.measures.kappa.ci = Some([kappa(low), kappa(high)]);
            one
        };
        let (coin, other, good) = (
            judge("coin", [0.4, 0.6]),
            judge("other", [0.42, 0.62]),
            judge("good", [0.7, 0.9]),
        );
        assert_eq!(
            answer(&[coin.clone(), other.clone()], &[]).unwrap(),
            "None of 2 judges is shown to agree with the labels more than by chance. other agrees \
             most often, in 52.0 % (42 to 62) of its judgments of 100 pairs; whether that is more \
             than noise was not tested"
        );
        let some = answer(&[coin, good, other], &[]).unwrap();
        assert!(
            some.starts_with(
                "Of 3 judges good agrees with the labels most often, in 80.0 % (70 to 90) of its \
                 judgments of 100 pairs, more than by chance; "
            ),
            "{some}"
        );
    }

    /// Of labels that go with the length a judge may agree with most and have read nothing.
    #[test]
    fn a_judge_that_is_no_better_than_a_rule_of_length_is_not_praised() {
        let judge = |beyond: f64, low: f64| {
            let mut one = evaluation("J", "", Some(0.87));
            let measures = &mut one.total.measures;
            measures.accuracy.ci = Some([Some(0.78), Some(0.93)]);
            measures.kappa.value = Some(0.74);
            measures.kappa.ci = Some([Some(0.5), Some(0.9)]);
            measures.shorter_wins.value = Some(0.87);
            measures.shorter_wins.ci = Some([Some(0.78), Some(0.93)]);
            measures.longer_wins.value = Some(0.13);
            measures.accuracy_beyond_length.value = Some(beyond);
            measures.accuracy_beyond_length.ci = Some([Some(low), Some(beyond + 0.1)]);
            one
        };
        assert_eq!(
            answer(&[judge(0.0, -0.1)], &[]).unwrap(),
            "J agrees with the labels in 87.0 % (78 to 93) of its judgments of 100 pairs, more \
             than by chance, but no better than always taking the shorter response: 0.0 points ahead \
             where one is better: kappa is 0.74 (0.50 to 0.90)"
        );
        let several = answer(&[judge(0.05, -0.01), evaluation("K", "", None)], &[]).unwrap();
        assert!(
            several.contains(
                ", but not shown to be better than always taking the shorter response: 5.0 points \
                 ahead where one is better; "
            ),
            "{several}"
        );
        let ahead = answer(&[judge(0.05, 0.01)], &[]).unwrap();
        assert!(ahead.contains("more than by chance: kappa"), "{ahead}");
    }

    #[test]
    fn judges_of_different_pairs_and_those_not_compared_are_told() {
        let mut other = evaluation("K", "", Some(0.91));
        other.total.measures.n = 192;
        let settings = Settings::default();
        let not_compared = [NotCompared {
            names: ["J", "K"].map(String::from),
            why: WhyNotCompared::NoPairInCommon,
        }];
        let with = JudgeSettings {
            settings: &settings,
            differences: &[],
            not_compared: &not_compared,
            interaction: None,
            usage: None,
        };
        assert_eq!(
            answer_text(&[evaluation("J", "", Some(0.8)), other], with).unwrap(),
            "The 2 judges are not ranked, as they judged different pairs (100 to 192). They agree with \
             the labels: J in 80.0 % of its judgments of 100 pairs; K in 91.0 % of its judgments of \
             192 pairs"
        );
    }

    #[test]
    fn judges_of_one_name_are_told_apart_by_their_protocols() {
        let judges = [
            evaluation("J", "pairwise", Some(0.8)),
            evaluation("J", "prepair", Some(0.8)),
            evaluation("K", "pairwise", None),
        ];
        let differences = [difference(
            ["J, pairwise", "J, prepair"],
            [0.8, 0.8],
            Some(1.0),
        )];
        assert_eq!(
            answer(&judges, &differences).unwrap(),
            "Of 3 judges J, pairwise agrees with the labels most often, as does 1 other, in 80.0 % of \
             its judgments of 100 pairs; it cannot be separated from \"J, prepair\"; it was not compared with 1 other"
        );
        assert_eq!(answer(&judges[2..], &[]), None);
        assert_eq!(answer(&[judges[2].clone(), judges[2].clone()], &[]), None);
    }
}
