//! Bradley-Terry strengths as people see them, from a few human comparisons and many by a judge.

use super::influence::{Counts, Moments, Row, counts, moments};
use super::objective::{Objective, pairs};
use super::sampling::{SamplingCheck, same_share};
use super::{JUDGED, LABELLED, Measured, PoweredError, Tuning, within};
use crate::bootstrap::check_level;
use crate::chance::chance;
use crate::data::check_rows;
use crate::graph::components;
use crate::linear::{add_edge, laplacian_inverse, sandwiched, trace};
use crate::{Error, MAX_SYSTEMS, Undefined};

/// Standard errors (in log-odds) below this are rounding.
const ROUNDING: f64 = 1e-12;

/// A comparison that a human and the judge have decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelledPair {
    /// The cluster (item) it belongs to: any number, the same for rows that belong together, with a
    /// label or without.
    pub cluster: u32,
    /// One system.
    pub a: u16,
    /// The other system.
    pub b: u16,
    /// The human's outcome for `a`, in [0, 1]: 1 won, 0.5 tied, 0 lost, or a share of annotators.
    pub human: f64,
    /// The judge's outcome for `a`, in [0, 1]: the same, or a probability.
    pub judge: f64,
}

/// A comparison that only the judge has decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPair {
    /// The cluster (item) it belongs to; see [`LabelledPair::cluster`].
    pub cluster: u32,
    /// One system.
    pub a: u16,
    /// The other system.
    pub b: u16,
    /// The judge's outcome for `a`, in [0, 1].
    pub judge: f64,
}

/// Strengths of k systems in log-odds (natural logarithm) with mean 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Strengths {
    /// One for each system.
    pub systems: Vec<Measured>,
    /// Their covariance, k x k, row-major: the variance of a difference is c(i, i) - 2 c(i, j) +
    /// c(j, j).
    pub covariance: Vec<f64>,
}

/// Prediction-powered strengths and what they are to be held against.
#[derive(Clone, Debug, PartialEq)]
pub struct PoweredStrengths {
    /// The estimate of the strengths that all human labels would give.
    pub estimate: Strengths,
    /// The lambda that was used, in [0, 1].
    pub lambda: f64,
    /// The strengths by the labels alone, or why there are none.
    pub labels_only: Result<Strengths, PoweredError>,
    /// The strengths by the judge's verdict on every row, or why there are none. They are off by
    /// the judge's bias, which their intervals know nothing of.
    pub judge_only: Result<Strengths, PoweredError>,
    /// How many labels alone would do as well: labels * (sum of the variances by labels alone / sum
    /// of the variances). [`Undefined::NoVariance`] where either is 0, [`Undefined::NotComparable`]
    /// where labels alone give no strengths.
    pub effective_labels: Result<f64, Undefined>,
    /// Rows with a label.
    pub labels: usize,
    /// Clusters with a labelled row, which the normal approximation rests on.
    pub label_clusters: usize,
    /// Whether the labelled share is the same for every pair of systems.
    pub sampling: SamplingCheck,
}

/// Bradley-Terry strengths by PPI++ (its case of generalised linear models, with power tuning).
///
/// The strengths s maximise mean l(human) + lambda (mean l(judge) over the rows without a label -
/// mean l(judge) over the labelled ones), where l(x) = x log p + (1 - x) log(1 - p), p = 1 / (1 +
/// exp(s_b - s_a)), of one comparison with outcome x for a. That is a Bradley-Terry likelihood with
/// rectified points, which is concave; a tie is half a win.
///
/// With H the mean information over all rows and H+ its inverse on mean-0 vectors, the covariance
/// is H+ M(lambda) H+, where M is the covariance of the objective's gradient by sums over clusters,
/// with the factor C/(C-1) for C clusters. Tuned, lambda makes the sum of the variances least,
/// clipped to [0, 1]: tr(H+ cross H+) / tr(H+ judge H+), taken at the strengths for lambda 1 or,
/// where those are not finite, for lambda 0. Hence the variances are not above those of the labels
/// alone but for second-order terms.
///
/// The target are the strengths that fit the population of human labels best, whether or not the
/// model holds.
///
/// # Errors
/// A row that cannot be used, with its list; a bad level or lambda, more than [`MAX_SYSTEMS`]
/// systems; fewer than 2 systems ([`Undefined::OneSystem`]); fewer than 2 clusters of either kind;
/// labels that do not connect all systems ([`PoweredError::LabelsDisconnected`]); no finite
/// strengths ([`PoweredError::NoFiniteMaximum`]).
pub fn bradley_terry(
    systems: usize,
    labelled: &[LabelledPair],
    judged: &[JudgedPair],
    tuning: Tuning,
    level: f64,
) -> Result<PoweredStrengths, PoweredError> {
    check_level(level)?;
    tuning.check()?;
    let sample = Sample::new(systems, labelled, judged)?;
    sample.counts.check()?;
    sample.check_labels()?;
    let lambda = match tuning {
        Tuning::Given(lambda) => lambda,
        Tuning::Tuned => sample.tune()?,
    };
    let estimate = sample.strengths(lambda, level)?;
    let labels_only = sample.labels_only().strengths(0.0, level);
    let effective = effective_labels(
        labelled.len(),
        systems,
        labels_only.as_ref().ok(),
        &estimate,
    );
    Ok(PoweredStrengths {
        estimate,
        lambda,
        labels_only,
        judge_only: sample.judge_only().strengths(0.0, level),
        effective_labels: effective,
        labels: labelled.len(),
        label_clusters: sample.counts.labelled_clusters,
        sampling: sample.sampling(),
    })
}

/// Checked comparisons, ordered by cluster: `up` is a, `down` is b.
struct Sample {
    systems: usize,
    rows: Vec<Row>,
    counts: Counts,
}

impl Sample {
    fn new(
        systems: usize,
        labelled: &[LabelledPair],
        judged: &[JudgedPair],
    ) -> Result<Sample, PoweredError> {
        check_size(systems, labelled.len().saturating_add(judged.len()))?;
        let mut rows = Vec::with_capacity(labelled.len() + judged.len());
        for (position, row) in labelled.iter().enumerate() {
            check_outcome(position, "human", row.human).map_err(within(LABELLED))?;
            let given = JudgedPair {
                cluster: row.cluster,
                a: row.a,
                b: row.b,
                judge: row.judge,
            };
            rows.push(pair(systems, position, given, Some(row.human)).map_err(within(LABELLED))?);
        }
        for (position, row) in judged.iter().enumerate() {
            rows.push(pair(systems, position, *row, None).map_err(within(JUDGED))?);
        }
        rows.sort_by_key(|row| row.cluster);
        Ok(Sample::of(systems, rows))
    }

    fn of(systems: usize, rows: Vec<Row>) -> Sample {
        let counts = counts(&rows);
        Sample {
            systems,
            rows,
            counts,
        }
    }

    fn labels_only(&self) -> Sample {
        Sample::of(
            self.systems,
            self.rows
                .iter()
                .filter(|row| row.human.is_some())
                .copied()
                .collect(),
        )
    }

    /// Every row, the judge's verdict taken for the label.
    fn judge_only(&self) -> Sample {
        Sample::of(
            self.systems,
            self.rows
                .iter()
                .map(|row| Row {
                    human: Some(row.judge),
                    ..*row
                })
                .collect(),
        )
    }

    fn check_labels(&self) -> Result<(), PoweredError> {
        let labelled = self.tally(|row| f64::from(u8::from(row.human.is_some())));
        let components = components(self.systems, |i, j| labelled[i * self.systems + j] > 0.0);
        if components.len() > 1 {
            Err(PoweredError::LabelsDisconnected { components })
        } else {
            Ok(())
        }
    }

    /// What `count` says of the rows of each pair, k x k, row-major and symmetric.
    fn tally(&self, count: impl Fn(&Row) -> f64) -> Vec<f64> {
        let mut table = vec![0.0; self.systems * self.systems];
        for row in &self.rows {
            let (a, b) = ends(row);
            table[a * self.systems + b] += count(row);
            table[b * self.systems + a] += count(row);
        }
        table
    }

    /// Lambda 1 may lack finite strengths where lambda 0 has them; which of them lambda is taken at
    /// matters little.
    fn tune(&self) -> Result<f64, PoweredError> {
        let start = self
            .objective(1.0)
            .maximise(1.0)
            .or_else(|_| self.objective(0.0).maximise(0.0))?;
        let (moments, inverse) = (self.moments(&start), self.inverse_information(&start, 0.0)?);
        let of = |matrix: &[f64]| trace(&sandwiched(&inverse, matrix, self.systems), self.systems);
        let (cross, judge) = (of(&moments.cross), of(&moments.judge));
        Ok(if judge.sqrt() <= ROUNDING {
            0.0
        } else {
            (cross / judge).clamp(0.0, 1.0)
        })
    }

    fn objective(&self, lambda: f64) -> Objective {
        let mut objective = Objective::new(self.systems);
        let (label, other) = (1.0 / self.counts.labelled, lambda / self.counts.judged);
        for row in &self.rows {
            let (a, b) = ends(row);
            match row.human {
                Some(human) => {
                    objective.add(a, b, label, human);
                    objective.add(a, b, -lambda * label, row.judge);
                }
                None => objective.add(a, b, other, row.judge),
            }
        }
        objective
    }

    /// Moments of the rows' gradients.
    fn moments(&self, strengths: &[f64]) -> Moments {
        let gradient = |row: &Row| {
            let (a, b) = ends(row);
            let expected = chance(strengths[a] - strengths[b]);
            Row {
                human: row.human.map(|human| human - expected),
                judge: row.judge - expected,
                ..*row
            }
        };
        moments(
            self.systems,
            &self.rows.iter().map(gradient).collect::<Vec<_>>(),
        )
    }

    /// H+, of all rows.
    fn inverse_information(
        &self,
        strengths: &[f64],
        lambda: f64,
    ) -> Result<Vec<f64>, PoweredError> {
        let (k, rows) = (self.systems, self.rows.len() as f64);
        let (games, mut information) = (self.tally(|_| 1.0), vec![0.0; k * k]);
        for (i, j) in pairs(k) {
            let lead = strengths[i] - strengths[j];
            add_edge(
                &mut information,
                k,
                (i, j),
                games[i * k + j] / rows * chance(lead) * chance(-lead),
            );
        }
        laplacian_inverse(&information, k).ok_or(PoweredError::NotConverged {
            lambda,
            iterations: 0,
        })
    }

    fn strengths(&self, lambda: f64, level: f64) -> Result<Strengths, PoweredError> {
        let strengths = self.objective(lambda).maximise(lambda)?;
        let inverse = self.inverse_information(&strengths, lambda)?;
        let covariance = sandwiched(
            &inverse,
            &self.moments(&strengths).variance(lambda),
            self.systems,
        );
        let of = |(i, &value): (usize, &f64)| {
            Measured::new(value, covariance[i * self.systems + i], ROUNDING, level)
        };
        let systems = strengths.iter().enumerate().map(of).collect();
        Ok(Strengths {
            systems,
            covariance,
        })
    }

    fn sampling(&self) -> SamplingCheck {
        let (k, labelled) = (
            self.systems,
            self.tally(|row| f64::from(u8::from(row.human.is_some()))),
        );
        let games = self.tally(|_| 1.0);
        let groups: Vec<(f64, f64)> = pairs(k)
            .map(|(i, j)| (labelled[i * k + j], games[i * k + j] - labelled[i * k + j]))
            .collect();
        SamplingCheck {
            labelled_share: self.counts.labelled / self.rows.len() as f64,
            test: same_share(&groups),
        }
    }
}

/// a and b of a row.
fn ends(row: &Row) -> (usize, usize) {
    (row.up, row.down.unwrap_or(row.up))
}

fn check_size(systems: usize, rows: usize) -> Result<(), Error> {
    check_rows(rows)?;
    match systems {
        0..=1 => Err(Undefined::OneSystem.into()),
        2..=MAX_SYSTEMS => Ok(()),
        _ => Err(Error::TooManySystems {
            systems,
            limit: MAX_SYSTEMS,
        }),
    }
}

fn check_outcome(row: usize, field: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Error::Value {
            row,
            field,
            value,
            expected: "from 0 to 1",
        })
    }
}

fn pair(
    systems: usize,
    position: usize,
    given: JudgedPair,
    human: Option<f64>,
) -> Result<Row, Error> {
    check_outcome(position, "judge", given.judge)?;
    let (a, b) = (usize::from(given.a), usize::from(given.b));
    if let Some(&system) = [a, b].iter().find(|&&system| system >= systems) {
        return Err(Error::NoSuchSystem {
            row: position,
            system,
            systems,
        });
    }
    if a == b {
        return Err(Error::SelfComparison {
            row: position,
            system: a,
        });
    }
    Ok(Row {
        cluster: given.cluster,
        up: a,
        down: Some(b),
        human,
        judge: given.judge,
    })
}

fn effective_labels(
    labels: usize,
    k: usize,
    alone: Option<&Strengths>,
    powered: &Strengths,
) -> Result<f64, Undefined> {
    let alone = trace(&alone.ok_or(Undefined::NotComparable)?.covariance, k);
    let powered = trace(&powered.covariance, k);
    if alone.min(powered) <= ROUNDING * ROUNDING {
        Err(Undefined::NoVariance)
    } else {
        Ok(labels as f64 * alone / powered)
    }
}
