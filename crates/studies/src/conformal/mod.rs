//! Conformal prediction of people's labels from a judge's verdicts: an interval for each score, a
//! set of verdicts for each pair, with a coverage that holds whatever the judge is like.
//!
//! Split conformal prediction by cluster (Lee, Barber and Willett 2023), for scores with absolute
//! residuals of a line and for verdicts with one less their fitted chance (Sadinle, Lei and
//! Wasserman 2019); for judges: Sheng et al. 2025, arXiv 2509.18658, and arXiv 2604.15302.

mod cases;
#[cfg(test)]
mod tests;

pub use cases::{LabelledCases, Said, SaidCase, cases_of_files, cases_of_pairs};

use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::conformal::{
    ConformalThreshold, FittedLine, Nonconformity, VerdictChances, conformal_threshold,
    deal_clusters, fit_line, fit_verdicts,
};
use evenhand_stats::{Error, mean_value};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use strum::{IntoStaticStr, VariantArray};

/// What is promised, and how it is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConformalOptions {
    /// The share of labels that intervals or sets are to hold, strictly between 0 and 1.
    pub coverage: f64,
    /// The ends of people's scale, where it is known: no interval reaches beyond them.
    pub scale: Option<[f64; 2]>,
    /// Parts of the labelled questions, each of which is predicted from the others.
    pub folds: usize,
    /// How questions are dealt.
    pub seed: u64,
    /// Level of the interval of the realised coverage.
    pub level: f64,
}

/// What people may say, judgment by judgment.
#[derive(Clone, Debug, PartialEq)]
pub struct Conformal {
    /// Whether scores were predicted, and not verdicts.
    pub are_scores: bool,
    /// How far labels may be from what is predicted, by all labels; what it rests on.
    pub threshold: Option<ConformalThreshold>,
    /// The line from the judge's scores to people's, by half of the labels.
    pub line: Option<FittedLine>,
    /// Judgments with a label, and questions that they are on.
    pub labelled: [usize; 2],
    /// Judgments without a verdict, of which nothing is predicted.
    pub failures: u64,
    /// The share of labels that were held, question by question, each predicted from others.
    pub realised: Figure,
    /// The same of each system, or of each two; the promise is not for these.
    pub slices: Vec<SliceCoverage>,
    /// The mean width of the intervals, or None where one has no end.
    pub mean_width: Option<f64>,
    /// Judgments of which nothing is ruled out for want of labels: with a label, predicted from too
    /// few others; and without one. Their labels are held whatever the judge says.
    pub unbounded: [usize; 2],
    /// Of sets, the share with one, two and three verdicts.
    pub set_sizes: Option<[f64; 3]>,
    /// All judgments with a verdict.
    pub judgments: Vec<Predicted>,
}

/// How many labels of a part were held.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SliceCoverage {
    /// The system, or the two.
    pub slice: String,
    /// Labels.
    pub labels: usize,
    /// The share of them that was held.
    pub held: f64,
}

/// What people may say of one judgment.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Predicted {
    /// The item.
    pub item: String,
    /// The system, or the first of two.
    pub first: String,
    /// The second of two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// The judge's score, or how far it leans to the first, from -1 to 1.
    pub judge: f64,
    /// What people said: a score; or 1 (the first), 0 (a tie), -1 (the second).
    pub label: Option<f64>,
    /// The ends of the interval of people's score; null for an end that is not bounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[Option<f64>; 2]>,
    /// The verdicts that people may give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<Vec<SetVerdict>>,
    /// Whether the label is among them; it was predicted without it.
    pub held: Option<bool>,
    /// Whether nothing is ruled out, as too few labelled questions say how far labels are.
    pub unbounded: bool,
}

/// A verdict of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, IntoStaticStr, VariantArray)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SetVerdict {
    /// The first is better.
    First,
    /// Neither is.
    Tie,
    /// The second is better.
    Second,
}

impl SetVerdict {
    /// Returns the name that settings and files use.
    pub fn name(self) -> &'static str {
        self.into()
    }

    fn of(side: Side) -> SetVerdict {
        match side {
            Side::First => SetVerdict::First,
            Side::Tie => SetVerdict::Tie,
            Side::Second => SetVerdict::Second,
        }
    }

    /// 1, 0 or -1.
    fn sign(self) -> f64 {
        match self {
            SetVerdict::First => 1.0,
            SetVerdict::Tie => 0.0,
            SetVerdict::Second => -1.0,
        }
    }
}

/// Predicts what people may say of each judgment: of those with a label from the other parts of the
/// labelled questions, of the others from all labels.
///
/// # Errors
/// A coverage or a level that is none.
pub fn predict_labels(
    cases: &LabelledCases,
    options: &ConformalOptions,
) -> Result<Conformal, Error> {
    let labelled: Vec<&SaidCase> = cases
        .all
        .iter()
        .filter(|case| case.said.is_labelled())
        .collect();
    let clusters: Vec<u32> = labelled.iter().map(|case| case.cluster).collect();
    let of_all = Predictor::fit(&labelled, options, options.seed)?;
    let fold_of = deal_clusters(&clusters, options.folds, options.seed);
    let mut of_others = Vec::new();
    for fold in 0..options.folds {
        let others: Vec<&SaidCase> = (labelled.iter().copied())
            .filter(|case| fold_of[&case.cluster] != fold)
            .collect();
        // Each fold deals its questions anew.
        of_others.push(Predictor::fit(
            &others,
            options,
            options.seed.wrapping_add(1 + fold as u64),
        )?);
    }
    let predict = |case: &SaidCase| match case.said.is_labelled() {
        true => of_others[fold_of[&case.cluster]].predict(case, options),
        false => of_all.predict(case, options),
    };
    let judgments: Vec<Predicted> = cases.all.iter().map(predict).collect();
    let held = held_labels(cases, &judgments);
    let by_question = shares_by(held.iter().map(|(case, held)| (case.cluster, *held)));
    let shares: Vec<f64> = by_question.values().map(|(share, _)| *share).collect();
    let by_systems = shares_by(
        held.iter()
            .map(|(case, held)| (case.systems.join(", "), *held)),
    );
    Ok(Conformal {
        are_scores: cases.are_scores,
        threshold: of_all.threshold,
        line: match of_all.model {
            Some(Model::Line(line)) => Some(line),
            _ => None,
        },
        labelled: [labelled.len(), shares.len()],
        failures: cases.failures,
        realised: Figure::of_shares(&shares, options.level)?,
        slices: (by_systems.into_iter())
            .map(|(slice, (held, labels))| SliceCoverage {
                slice,
                labels,
                held,
            })
            .collect(),
        mean_width: mean_width(&judgments),
        unbounded: [true, false].map(|is_labelled| {
            let open = judgments.iter().filter(|one| one.unbounded);
            open.filter(|one| one.label.is_some() == is_labelled)
                .count()
        }),
        set_sizes: set_sizes(&judgments),
        judgments,
    })
}

/// The labelled judgments, and whether the label was held: 1 or 0.
fn held_labels<'a>(cases: &'a LabelledCases, judgments: &[Predicted]) -> Vec<(&'a SaidCase, f64)> {
    let both = cases.all.iter().zip(judgments);
    both.filter_map(|(case, predicted)| Some((case, f64::from(u8::from(predicted.held?)))))
        .collect()
}

/// The mean of the values of each key, and how many they are.
fn shares_by<K: Ord>(values: impl Iterator<Item = (K, f64)>) -> BTreeMap<K, (f64, usize)> {
    let mut all: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    for (key, value) in values {
        all.entry(key).or_default().push(value);
    }
    let means = all.into_iter();
    means
        .filter_map(|(key, values)| Some((key, (mean_value(&values)?, values.len()))))
        .collect()
}

/// The mean width of the intervals; None of sets, and where one has no end.
fn mean_width(judgments: &[Predicted]) -> Option<f64> {
    let widths: Option<Vec<f64>> = (judgments.iter())
        .map(|one| {
            let [low, high] = one.interval?;
            Some(high? - low?)
        })
        .collect();
    mean_value(&widths?)
}

/// The share of sets with one, two and three verdicts; None of intervals.
fn set_sizes(judgments: &[Predicted]) -> Option<[f64; 3]> {
    let sizes: Option<Vec<usize>> = (judgments.iter())
        .map(|one| one.set.as_ref().map(Vec::len))
        .collect();
    let sizes = sizes?;
    Some([1, 2, 3].map(|size| {
        let of_size = sizes.iter().filter(|one| **one == size).count();
        of_size as f64 / sizes.len().max(1) as f64
    }))
}

/// What a judge's verdicts say of people's.
enum Model {
    Line(FittedLine),
    Chances(VerdictChances),
}

/// A model that half of the questions were fitted to, and a threshold by the others.
struct Predictor {
    model: Option<Model>,
    threshold: Option<ConformalThreshold>,
}

impl Predictor {
    /// Half of the questions say what people's labels have to do with the judge's, the others how
    /// far they are from that. With fewer than two questions nothing is known.
    fn fit(
        labelled: &[&SaidCase],
        options: &ConformalOptions,
        seed: u64,
    ) -> Result<Predictor, Error> {
        let clusters: Vec<u32> = labelled.iter().map(|case| case.cluster).collect();
        let distinct: BTreeSet<u32> = clusters.iter().copied().collect();
        if distinct.len() < 2 {
            return Ok(Predictor {
                model: None,
                threshold: None,
            });
        }
        let half_of = deal_clusters(&clusters, 2, seed);
        let (calibrating, fitting): (Vec<&SaidCase>, Vec<&SaidCase>) =
            (labelled.iter().copied()).partition(|case| half_of[&case.cluster] == 0);
        let clusters: Vec<u32> = fitting.iter().map(|case| case.cluster).collect();
        let scores: Vec<[f64; 2]> = fitting
            .iter()
            .filter_map(|case| case.said.scores())
            .collect();
        let verdicts: Vec<(f64, usize)> = fitting
            .iter()
            .filter_map(|case| case.said.verdict())
            .collect();
        let model = match verdicts.is_empty() {
            true => Model::Line(fit_line(
                &clusters,
                &Vec::from_iter(scores.iter().map(|[judge, _]| *judge)),
                &Vec::from_iter(scores.iter().map(|[_, people]| *people)),
            )?),
            false => Model::Chances(fit_verdicts(
                &clusters,
                &Vec::from_iter(verdicts.iter().map(|(lean, _)| *lean)),
                &Vec::from_iter(verdicts.iter().map(|(_, label)| *label)),
            )?),
        };
        let rows: Vec<Nonconformity> = (calibrating.iter())
            .filter_map(|case| {
                Some(Nonconformity {
                    cluster: case.cluster,
                    distance: model.distance(&case.said)?,
                })
            })
            .collect();
        Ok(Predictor {
            threshold: Some(conformal_threshold(&rows, options.coverage)?),
            model: Some(model),
        })
    }

    fn predict(&self, case: &SaidCase, options: &ConformalOptions) -> Predicted {
        let within = self.threshold.and_then(|threshold| threshold.distance);
        let (mut interval, mut set) = (None, None);
        let held;
        let (judge, label) = match case.said {
            Said::Score { judge, label } => {
                let centre = match &self.model {
                    Some(Model::Line(line)) => Some(line.at(judge)),
                    _ => None,
                };
                let ends = centre
                    .zip(within)
                    .map(|(centre, within)| [centre - within, centre + within]);
                let shown = bounded(ends, options.scale);
                held = label.map(|label| {
                    // As the threshold was found, so that a label just at it is held; an interval
                    // that was cut to one end of the scale holds that end.
                    let distance = self
                        .model
                        .as_ref()
                        .and_then(|model| model.distance(&case.said));
                    distance
                        .zip(within)
                        .is_none_or(|(distance, within)| distance <= within)
                        || shown == [Some(label); 2]
                });
                interval = Some(shown);
                (judge, label)
            }
            Said::Verdict { lean, label } => {
                let label = label.map(SetVerdict::of);
                let may_be = |verdict: SetVerdict| match (&self.model, within) {
                    (Some(Model::Chances(chances)), Some(within)) => {
                        1.0 - chances.at(lean)[verdict as usize] <= within
                    }
                    _ => true,
                };
                let mut verdicts: Vec<SetVerdict> = SetVerdict::VARIANTS
                    .iter()
                    .copied()
                    .filter(|verdict| may_be(*verdict))
                    .collect();
                // A set that holds nothing would be no prediction: the likeliest verdict is always
                // in it, which can only hold more.
                if let (true, Some(Model::Chances(chances))) = (verdicts.is_empty(), &self.model) {
                    let chances = chances.at(lean);
                    let by_chance = |x: &SetVerdict, y: &SetVerdict| {
                        chances[*x as usize].total_cmp(&chances[*y as usize])
                    };
                    verdicts.extend(SetVerdict::VARIANTS.iter().copied().max_by(by_chance));
                }
                held = label.map(|label| verdicts.contains(&label));
                set = Some(verdicts);
                (lean, label.map(SetVerdict::sign))
            }
        };
        let mut systems = case.systems.iter().cloned();
        Predicted {
            item: case.item.clone(),
            first: systems.next().unwrap_or_default(),
            second: systems.next(),
            judge,
            label,
            interval,
            set,
            held,
            unbounded: within.is_none(),
        }
    }
}

/// An interval that has the ends of the scale where it has none of its own, or reaches beyond them.
fn bounded(ends: Option<[f64; 2]>, scale: Option<[f64; 2]>) -> [Option<f64>; 2] {
    match (ends, scale) {
        (Some([low, high]), Some([least, most])) => {
            [low.clamp(least, most), high.clamp(least, most)].map(Some)
        }
        (Some(ends), None) => ends.map(Some),
        (None, Some(scale)) => scale.map(Some),
        (None, None) => [None, None],
    }
}

impl Model {
    /// How far a label is from what is predicted; None without one.
    fn distance(&self, said: &Said) -> Option<f64> {
        match (self, said) {
            (Model::Line(line), Said::Score { judge, label }) => {
                Some(((*label)? - line.at(*judge)).abs())
            }
            (Model::Chances(chances), Said::Verdict { lean, label }) => {
                Some(1.0 - chances.at(*lean)[SetVerdict::of((*label)?) as usize])
            }
            _ => None,
        }
    }
}
