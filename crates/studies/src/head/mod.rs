//! Fitting a head to a user's own labels, and what it is worth where it was not fitted.
//!
//! A head weighs what a model makes of a response ([`HeadFeatures`]). It is a logistic model of the
//! difference of two responses, without an intercept, so that order cannot matter. What is said of
//! its worth is cross-validated twice: on questions, and on systems, that it has not seen; its
//! depth and penalty are chosen without these, too, and so is the ready score that it is held
//! against.

mod cross;
mod row;

use crate::figure::Figure;
use cross::{Fitted, Tried, best_ready, learning_curve, question_splits, system_splits, try_heads};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{CurvePoint, EngineError, HeadReport, HeadWorth, Known, ReadyScore};
use evenhand_protocols::{HEAD_DEPTHS, HeadFeatures, HeadWeights};
use evenhand_ranking::group_digits;
use evenhand_stats::inference::{ClusterDifference, InferenceError, clustered_difference};
use evenhand_stats::{
    Bootstrap, Dyad, Error, clustered_mean, clustered_share, dyadic_mean, mean_difference,
    mean_value,
};
use row::{READY, Row, half_or_right, ready_leads};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Fewer pairs than these are not fitted.
pub const FEWEST_PAIRS: usize = 20;
/// Fewer questions than these are not.
pub const FEWEST_QUESTIONS: usize = 10;
/// How many labels more are spoken of.
const MORE: f64 = 50.0;

/// A labelled pair with a winner, and what a model makes of its responses.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadPair {
    /// The question: pairs on the same one have the same number.
    pub question: u32,
    /// The systems of the two responses, as indices of [`HeadData::systems`].
    pub systems: [u32; 2],
    /// Whether the first is better.
    pub first: bool,
    /// Of the first response and of the second.
    pub features: [Arc<HeadFeatures>; 2],
}

/// All that a head is fitted to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadData {
    /// The model's name.
    pub model: String,
    /// The names of the systems.
    pub systems: Vec<String>,
    /// The pairs, in the order of the data.
    pub pairs: Vec<HeadPair>,
    /// Labelled pairs without a winner, which were left out.
    pub ties: u64,
    /// Labelled pairs of which a response could not be read, which were left out.
    pub failures: u64,
}

/// A fitted head.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct FittedHead {
    /// Its weights.
    pub weights: HeadWeights,
    /// What it is worth.
    pub report: HeadReport,
}

/// Refuses fewer labels than a head can be fitted to: so many pairs with a winner, on so many
/// questions. It is asked before anything is read, as reading costs.
///
/// # Errors
/// Fewer than 20 pairs, or than 10 questions.
pub fn check_label_counts(pairs: usize, questions: usize) -> Result<(), EngineError> {
    if pairs >= FEWEST_PAIRS && questions >= FEWEST_QUESTIONS {
        return Ok(());
    }
    let reason = format!(
        "{pairs} labelled pairs with a winner, on {questions} questions, are too few for a head; \
         expected {FEWEST_PAIRS} on {FEWEST_QUESTIONS} at least"
    );
    Err(Refusal::new(Setting::Data, Cause::Data, reason).into())
}

/// Fits a head to labelled pairs. `plan` gives the level of the intervals, the seed of all that is
/// dealt and drawn, and the threads.
///
/// # Errors
/// Fewer than 20 pairs, or on fewer than 10 questions; features of different numbers.
// Long, and nearly flat: what a head is tried on, in the order of its report.
pub fn fit_head(data: &HeadData, plan: &Bootstrap) -> Result<FittedHead, EngineError> {
    let rows: Vec<Row> = data.pairs.iter().map(Row::new).collect();
    let questions: BTreeSet<u32> = rows.iter().map(|row| row.question).collect();
    check_label_counts(rows.len(), questions.len())?;
    let all: Vec<&Row> = rows.iter().collect();
    let fitted = cross::fit_head_to(&all, plan.seed)?;
    let unseen_questions = {
        let splits = question_splits(&rows, cross::OUTER, plan.seed);
        let tried = try_heads(&rows, &splits, plan.seed)?;
        worth_of(&tried, |one| rows[one.row].question, FITTED, plan)?
    };
    let splits = system_splits(&rows, plan.seed);
    let unseen_systems = worth_on_systems(&rows, &try_heads(&rows, &splits, plan.seed)?, plan)?;
    let mut of_fewer = BTreeMap::new();
    for (labels, tried) in learning_curve(&rows, &splits, plan.seed)? {
        let mut worth = worth_on_systems(&rows, &tried, plan)?;
        as_wide_as(&mut worth.head, &unseen_systems.head, 0.0);
        as_wide_as(&mut worth.ready, &unseen_systems.ready, 0.0);
        as_wide_as(&mut worth.difference, &unseen_systems.difference, -1.0);
        of_fewer.insert(labels, worth);
    }
    let splits = question_splits(&rows, cross::CURVE_PARTS, plan.seed);
    let curve = learning_curve(&rows, &splits, plan.seed)?;
    let mut ready = Vec::new();
    for (at, name) in READY.iter().enumerate() {
        let right = |row: &Row| half_or_right(ready_leads(&row.plain)[at], row.first);
        let counted = rows.iter().map(|row| (row.question, right(row), 1.0));
        ready.push(ReadyScore {
            name: (*name).into(),
            accuracy: known(Figure::of_rows(counted, plan.level)?),
        });
    }
    let mut points = Vec::new();
    for (labels, tried) in &curve {
        let counted = tried
            .iter()
            .map(|one| (rows[one.row].question, one.head, 1.0));
        let found = known(Figure::of_rows(counted, plan.level)?);
        points.push(CurvePoint {
            labels: *labels as u64,
            accuracy: widened(found, FITTED, [0.0, 1.0]),
            unseen_systems: of_fewer.remove(labels),
        });
    }
    let used: BTreeSet<u32> = rows.iter().flat_map(|row| row.systems).collect();
    let name = |system: &u32| {
        data.systems
            .get(*system as usize)
            .cloned()
            .unwrap_or_default()
    };
    let weights = weights_of(&fitted, data);
    let mut report = HeadReport {
        model: data.model.clone(),
        pairs: rows.len() as u64,
        ties: data.ties,
        failures: data.failures,
        questions: questions.len() as u64,
        systems: used.iter().map(name).collect(),
        depth: weights.depth,
        penalty: fitted.penalty,
        unseen_questions,
        unseen_systems,
        ready,
        curve: points,
        next: gain_of_more(&rows, &curve, plan.level)?,
        level: plan.level,
        seed: plan.seed,
        ..HeadReport::default()
    };
    (report.answer, report.recommended) = answer(&report, READY[best_ready(&all)]);
    Ok(FittedHead { weights, report })
}

/// Returns the weights for single responses: each feature is taken about its mean over the
/// responses, which leaves all differences as they are.
fn weights_of(fitted: &Fitted, data: &HeadData) -> HeadWeights {
    let mut means = vec![0.0; fitted.weights.len()];
    let count = 2.0 * data.pairs.len() as f64;
    for features in data.pairs.iter().flat_map(|pair| &pair.features) {
        let states = fitted.depth.and_then(|depth| features.states.get(depth));
        let states = states.map_or(&[][..], Vec::as_slice);
        let plain = features.plain.iter().copied();
        let both = plain.chain(states.iter().copied().map(f64::from));
        for (mean, feature) in means.iter_mut().zip(both) {
            *mean += feature / count;
        }
    }
    HeadWeights {
        depth: fitted
            .depth
            .and_then(|depth| HEAD_DEPTHS.get(depth).copied()),
        means,
        scales: fitted.scales.clone(),
        weights: fitted.weights.clone(),
    }
}

fn known(figure: Figure) -> Known {
    let ci = figure.ci.and_then(|[low, high]| Some([low?, high?]));
    Known {
        value: figure.value,
        ci,
        note: figure.note,
    }
}

/// Widens an interval for what was tried by heads that rest on the same labels: their results stand
/// and fall together. The variance grows by 1 + tried / fitted (Nadeau and Bengio 2003, "Inference
/// for the Generalization Error", section 3, for all folds together); `fitted` is the share of the
/// labels that a head was fitted to.
fn widened(found: Known, fitted: f64, [least, most]: [f64; 2]) -> Known {
    let stretch = (1.0 + 1.0 / fitted).sqrt();
    let ci = found.value.zip(found.ci).map(|(value, [low, high])| {
        [
            (value - stretch * (value - low)).max(least),
            (value + stretch * (high - value)).min(most),
        ]
    });
    Known { ci, ..found }
}

/// The share of the labels that a head is fitted to where questions are left out.
const FITTED: f64 = (cross::OUTER - 1) as f64 / cross::OUTER as f64;

/// Returns what heads were worth on pairs that they were not fitted to, with intervals over these
/// clusters; each head was fitted to this share of the labels.
fn worth_of(
    tried: &[Tried],
    cluster: impl Fn(&Tried) -> u32,
    fitted: f64,
    plan: &Bootstrap,
) -> Result<HeadWorth, EngineError> {
    let share = |right: fn(&Tried) -> f64| {
        let counted = tried.iter().map(|one| (cluster(one), right(one), 1.0));
        let found = known(Figure::of_rows(counted, plan.level)?);
        Ok::<Known, EngineError>(widened(found, fitted, [0.0, 1.0]))
    };
    let differences = tried.iter().map(|one| (cluster(one), one.head - one.ready));
    let clusters = ClusterDifference::of_pairs(differences);
    let difference = match clustered_difference(&clusters, plan) {
        Ok(found) => Known {
            value: Some(found.difference),
            ci: Some(found.interval),
            note: None,
        },
        Err(InferenceError::Input(error)) => return Err(error.into()),
        Err(undefined) => Known::not(undefined.to_string()),
    };
    Ok(HeadWorth {
        pairs: tried.len() as u64,
        head: share(|one| one.head)?,
        ready: share(|one| one.ready)?,
        difference: widened(difference, fitted, [-1.0, 1.0]),
    })
}

/// Returns what heads were worth on pairs of other systems.
fn worth_on_systems(
    rows: &[Row],
    tried: &[Tried],
    plan: &Bootstrap,
) -> Result<HeadWorth, EngineError> {
    if tried.is_empty() {
        let why = "too few labels are left where both systems of a pair are left out: it takes \
                   labels of five systems or more, and of many pairs of them";
        return Ok(HeadWorth {
            pairs: 0,
            head: Known::not(why),
            ready: Known::not(why),
            difference: Known::not(why),
        });
    }
    // Systems are dealt to so many groups, two of which are left out at a time.
    let systems: BTreeSet<u32> = rows.iter().flat_map(|row| row.systems).collect();
    let groups = systems.len().min(cross::GROUPS) as f64;
    let fitted = ((groups - 2.0) / groups).powi(2).max(0.1);
    let over_questions = worth_of(tried, |one| rows[one.row].question, fitted, plan)?;
    // No row is tried twice.
    let over_pairs = worth_of(tried, |one| one.row as u32, fitted, plan)?;
    let also_over_systems =
        |found: Known, of_pairs: Known, value: fn(&Tried) -> f64, least: f64| {
            let dyads = tried.iter().map(|one| Dyad {
                systems: rows[one.row].systems,
                value: value(one),
            });
            let dyads: Vec<Dyad> = dyads.collect();
            let found = with_systems(found, of_pairs, &dyads, groups, plan.level)?;
            let found = as_wide_as_systems(found, &dyads, least, plan.level)?;
            let ci = found.ci.map(|[low, high]| [low.max(least), high.min(1.0)]);
            Ok::<Known, EngineError>(Known { ci, ..found })
        };
    Ok(HeadWorth {
        pairs: over_questions.pairs,
        head: also_over_systems(over_questions.head, over_pairs.head, |one| one.head, 0.0)?,
        ready: also_over_systems(over_questions.ready, over_pairs.ready, |one| one.ready, 0.0)?,
        difference: also_over_systems(
            over_questions.difference,
            over_pairs.difference,
            |one| one.head - one.ready,
            -1.0,
        )?,
    })
}

/// Widens an interval of heads of fewer labels to that of heads of all: what the same pairs of the
/// same systems leave open about these, they leave open about those. In a simulation with one odd
/// system in ten, intervals that were not widened so lay below the truth in 6 to 12 % of sets.
fn as_wide_as(found: &mut Known, of_all: &Known, least: f64) {
    let all = of_all.value.zip(of_all.ci);
    if let (Some(value), Some([low, high]), Some((all, ends))) = (found.value, found.ci, all) {
        found.ci = Some([
            low.min(value - (all - ends[0])).max(least),
            high.max(value + (ends[1] - all)).min(1.0),
        ]);
    }
}

/// Widens an interval over questions for what systems add, which is found from pairs of systems.
///
/// What questions and what systems add adds up, as variances do. What single pairs add is in both,
/// and counts once: `of_pairs` has the interval over pairs (Cameron, Gelbach and Miller 2011,
/// "Robust inference with multiway clustering"). Heads share systems as they share labels: systems
/// are dealt to so many `groups`, of which a head is fitted to all but two, so that the variance
/// over systems grows as in [`widened`]. In a simulation where states show the system and one of
/// any two always wins, intervals that did not grow so missed in 8 to 18 % of cases.
fn with_systems(
    found: Known,
    of_pairs: Known,
    dyads: &[Dyad],
    groups: f64,
    level: f64,
) -> Result<Known, EngineError> {
    match dyadic_mean(dyads, level) {
        Ok((middle, [low, _])) => {
            // The interval over systems reaches as far on both sides.
            let of_systems = (middle - low) * (1.0 + groups / (groups - 2.0)).sqrt();
            let reach = |of_questions: f64, of_pairs: f64| {
                let beyond = of_systems.powi(2) - of_pairs.powi(2);
                of_questions.hypot(beyond.max(0.0).sqrt())
            };
            let ends = found.value.zip(found.ci).zip(of_pairs.ci);
            let ci = ends.map(|((value, [low, high]), of_pairs)| {
                [
                    value - reach(value - low, value - of_pairs[0]),
                    value + reach(high - value, of_pairs[1] - value),
                ]
            });
            Ok(Known { ci, ..found })
        }
        Err(Error::Undefined(_)) => {
            let why = "nothing is known about systems that were not labelled: that takes pairs of \
                       five systems or more, which do not all share one";
            Ok(Known {
                ci: None,
                note: Some(why.into()),
                ..found
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Widens an interval to at least that of the systems as clusters, each with all of its pairs.
///
/// Where all pairs come out alike they show no spread, and yet the next system may be of a kind
/// that none of the labelled ones is of: without this, intervals lay above the truth in up to 58 %
/// of simulated sets in which one system in ten is such. Shares (`least` 0) have the interval of
/// [`clustered_share`], differences (`least` -1) that of [`mean_difference`].
fn as_wide_as_systems(
    found: Known,
    dyads: &[Dyad],
    least: f64,
    level: f64,
) -> Result<Known, EngineError> {
    let Some(([low, high], value)) = found.ci.zip(found.value) else {
        return Ok(found);
    };
    let mut systems: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for dyad in dyads {
        for system in dyad.systems {
            let (sum, count) = systems.entry(system).or_default();
            *sum += dyad.value;
            *count += 1.0;
        }
    }
    let systems: Vec<(f64, f64)> = systems.into_values().collect();
    let (middle, ends) = if least < 0.0 {
        let means: Vec<f64> = systems.iter().map(|(sum, count)| sum / count).collect();
        let over_systems = mean_difference(&means, 1.0, level)?;
        (over_systems.value, over_systems.interval)
    } else {
        let over_systems = clustered_share(&systems, level)?;
        (over_systems.value, over_systems.interval)
    };
    let [below, above] = ends.map_or([f64::INFINITY; 2], |[low, high]| {
        [middle - low, high - middle]
    });
    Ok(Known {
        ci: Some([low.min(value - below), high.max(value + above)]),
        ..found
    })
}

/// Returns by how much more often a head of so many labels more would be right: accuracy is taken
/// to be a line in 1 / sqrt(labels), which is fitted to the curve and followed.
///
/// The gain is a weighed sum of the curve's points, and so a mean over pairs of such sums: its
/// interval is Student's over questions.
fn gain_of_more(
    rows: &[Row],
    curve: &[(usize, Vec<Tried>)],
    level: f64,
) -> Result<Known, EngineError> {
    if curve.len() < 3 {
        return Ok(Known::not(
            "a curve of fewer than three points says nothing about how it goes on; it takes 50 \
             labels beside each fifth of the questions, so 63 at least",
        ));
    }
    let steps: Vec<f64> = curve
        .iter()
        .map(|(size, _)| 1.0 / (*size as f64).sqrt())
        .collect();
    let centre = mean_value(&steps).unwrap_or(0.0);
    let squares: f64 = steps.iter().map(|step| (step - centre).powi(2)).sum();
    let n = rows.len() as f64;
    let further = 1.0 / (n + MORE).sqrt() - 1.0 / n.sqrt();
    // Every point is about the same pairs, in the same order.
    let tried = &curve[0].1;
    let gains = (0..tried.len()).map(|at| {
        let parts = steps.iter().zip(curve);
        parts
            .map(|(step, (_, tried))| (step - centre) / squares * further * tried[at].head)
            .sum::<f64>()
    });
    let gains: Vec<f64> = gains.collect();
    let questions: Vec<u32> = tried.iter().map(|one| rows[one.row].question).collect();
    let found = clustered_mean(&gains, &questions, level)?;
    let found = Known {
        value: Some(found.value),
        ci: found.low.zip(found.high).map(<[f64; 2]>::from),
        note: None,
    };
    Ok(widened(found, FITTED, [-1.0, 1.0]))
}

/// What is recommended where nothing is shown to be right more often than a coin.
const NOTHING: &str = "nothing";
/// How often a coin is right.
const COIN: f64 = 0.5;

/// Returns the answer in a few sentences, and what to judge with: the head only where it is shown
/// to be better than the best ready score, and than a coin, on systems that it has not seen: it
/// judges no system that it was fitted to. Where neither is shown to be better than a coin it is
/// nothing.
fn answer(report: &HeadReport, best: &str) -> (String, String) {
    let knows_others = report.unseen_systems.head.ci.is_some();
    let (worth, where_tried) = match knows_others {
        true => (
            &report.unseen_systems,
            "pairs of systems and questions that it has not seen",
        ),
        false => (&report.unseen_questions, "questions that it has not seen"),
    };
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let with_ends = |found: &Known, sign: &str| {
        let ends = found
            .ci
            .map(|[low, high]| format!(" ({} to {})", percent(low), percent(high)));
        let value = found
            .value
            .map_or_else(|| "an unknown share".into(), percent);
        format!("{value}{sign}{}", ends.unwrap_or_default())
    };
    let mut said = format!(
        "The head is right on {} of {where_tried}; the best ready score on {}.",
        with_ends(&worth.head, " %"),
        with_ends(&worth.ready, " %")
    );
    let is_above = |found: &Known, least: f64| found.ci.is_some_and(|[low, _]| low > least);
    let is_ahead = is_above(&worth.difference, 0.0);
    let is_recommended = knows_others && is_ahead && is_above(&worth.head, COIN);
    let difference = with_ends(&worth.difference, " points");
    said += &match (is_ahead, is_recommended) {
        (_, true) => format!(" It is better: by {difference}. Judge with the head."),
        (false, _) => format!(" It is not shown to be better: the difference is {difference}."),
        (true, _) if knows_others => {
            format!(" It is better by {difference}, but it is not shown to be better than a coin.")
        }
        // It may know which system writes so, and nothing else.
        (true, _) => format!(" It is better there: by {difference}."),
    };
    if !knows_others {
        said += " Nothing is known about systems that were not labelled, and a head judges only \
                 those.";
    }
    let beats_a_coin = [&worth.head, &worth.ready].map(|found| is_above(found, COIN));
    if beats_a_coin == [false, false] {
        said += &format!(
            " Nothing here is shown to be right more often than a coin: neither the head nor a \
             score that needs no labels. The best of these scores on all labels is {best}, but what \
             is chosen by labels looks better on them than it is.{}",
            labels_to_tell(&worth.ready, report.pairs)
        );
    } else if !is_recommended {
        said += &format!(" Judge with {best}, which needs no labels.");
        if !beats_a_coin[1] {
            said += " That is not shown to be better than a coin.";
        }
    }
    said += &match report.next.value {
        Some(_) => format!(
            " {MORE} more labels would make it right more often by {}.",
            with_ends(&report.next, " points")
        ),
        None => format!(" It is not known what {MORE} more labels would add."),
    };
    let recommended = match (is_recommended, beats_a_coin) {
        (true, _) => "head",
        (false, [false, false]) => NOTHING,
        (false, _) => best,
    };
    (said, recommended.into())
}

/// Says how many labels would show that the best ready score beats a coin, in four of five cases,
/// if it is as often right as it was here: an interval gets narrower by the square root of labels.
fn labels_to_tell(ready: &Known, labels: u64) -> String {
    let (Some(value), Some([low, _])) = (ready.value, ready.ci) else {
        return String::new();
    };
    if value <= COIN {
        return " It was right no more often than a coin, so more labels are not expected to help."
            .into();
    }
    // Of a normal estimate: half of an interval of 95 % is 1.96 standard errors, and 0.84 more are
    // needed for four of five.
    let reach = (value - low) * (1.0 + 0.84 / 1.96);
    let needed = labels as f64 * (reach / (value - COIN)).powi(2);
    // Two digits: it is no more exact than that.
    let unit = 10_f64.powf((needed.log10().floor() - 1.0).max(0.0));
    format!(
        " If {:.1} % is its true share, about {} labels would show it.",
        100.0 * value,
        group_digits(((needed / unit).ceil() as u64).saturating_mul(unit as u64))
    )
}

#[cfg(test)]
mod tests;
