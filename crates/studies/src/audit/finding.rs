//! A finding of a probe: an estimate with its interval, and whether an unbiased judge would have
//! shown as much.

use super::finding_name::FindingName;
use super::rows::{Rows, mean};
use crate::Figure;
use crate::figure::{chance_of_at_least, exact_sign_p};
use evenhand_stats::{Error, SignTest, benjamini_hochberg, holm};
use schemars::JsonSchema;
use serde::Serialize;

/// The chance with which an effect of the size `detectable` would have been found.
const POWER: f64 = 0.8;

/// The kind of number that the value of a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FindingScale {
    /// A share, from 0 to 1.
    Share,
    /// A difference of shares, from -1 to 1.
    Difference,
    /// Some other number; its interval is made by the probe.
    Number,
}

impl FindingScale {
    /// Returns the unit of the number as reports show it, a share in hundredths, after a space.
    pub fn unit(self) -> &'static str {
        match self {
            FindingScale::Share => " %",
            FindingScale::Difference => " points",
            FindingScale::Number => "",
        }
    }
}

/// One figure of an audit.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which figure it is.
    pub name: FindingName,
    /// The protocol; empty where a figure is of several.
    pub protocol: String,
    /// The criterion of the protocol, where an audit compares some.
    pub criterion: Option<String>,
    /// The kind of number that it is.
    pub scale: FindingScale,
    /// The value and its interval.
    pub figure: Figure,
    /// The value of a judge without the defect, of an answer that says nothing how often the judge
    /// errs on the same questions; None where nothing is tested.
    pub unbiased: Option<f64>,
    /// Items with a value; pairs, or responses by themselves, where several of an item are looked
    /// at.
    pub items: u64,
    /// Questions that these ask. Each counts once in the interval and the test, with the mean of
    /// its items.
    pub clusters: u64,
    /// Items without one, because a verdict failed or a response is not there.
    pub failed: u64,
    /// The exact p-value of the hypothesis that there is no defect.
    pub p: Option<f64>,
    /// `p` adjusted over all findings of the audit (Benjamini and Hochberg 1995); of a slice over
    /// those of all slices (Holm 1979).
    pub adjusted_p: Option<f64>,
    /// The smallest true distance from `unbiased` that a test at the level of all findings together
    /// would find four times in five.
    pub detectable: Option<f64>,
    /// Whether the adjusted p-value is at most 1 - level.
    pub biased: bool,
    /// Whether any outcome of the test could have been called a bias: where none could, its
    /// questions are too few, and that nothing was found says nothing. False where nothing is
    /// tested.
    pub could_find: bool,
    /// The p-value of the outcome that speaks most against the judge.
    pub(super) least_p: f64,
    /// How the questions moved, where the sign test is made; `detectable` follows from it.
    pub(super) moves: Option<SignTest>,
}

/// Makes the findings of one protocol, with intervals at one level. The protocol is empty where a
/// figure is of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct FindingMaker<'a> {
    pub(super) protocol: &'a str,
    pub(super) level: f64,
}

impl FindingMaker<'_> {
    /// A mean over questions of shares in [0, 1], tested against `unbiased`.
    pub(super) fn tested_share(
        self,
        name: FindingName,
        rows: &Rows<f64>,
        unbiased: f64,
    ) -> Result<Finding, Error> {
        let furthest = unbiased.max(1.0 - unbiased);
        self.share(name, rows)?.test(rows, unbiased, furthest)
    }

    /// A mean over questions of shares in [0, 1] that is shown and not tested.
    pub(super) fn share(self, name: FindingName, rows: &Rows<f64>) -> Result<Finding, Error> {
        let shares = rows.question_means();
        let figure = Figure::of_shares(&shares, self.level)?;
        Ok(self.finding(name, FindingScale::Share, figure, rows))
    }

    /// A share by the judge's verdicts, and beside it the same by its probabilities.
    pub(super) fn share_and_weighed(
        self,
        name: FindingName,
        rows: &Rows<f64>,
        weighed: &Rows<f64>,
    ) -> Result<Vec<Finding>, Error> {
        let mut found = vec![self.share(name.clone(), rows)?];
        found.extend(self.weighed(name, rows, weighed)?);
        Ok(found)
    }

    /// A share of preferences that flip. Where neither response is preferred in any pair, none can
    /// flip, and the share is 0 of none; the note says so.
    pub(super) fn flip_share(self, name: FindingName, rows: &Rows<f64>) -> Result<Finding, Error> {
        let mut finding = self.share(name, rows)?;
        if rows.item_count() == 0 && rows.set_aside > 0 {
            let pairs = rows.set_aside;
            finding.figure = Figure {
                value: Some(0.0),
                ..Figure::undefined(format!(
                    "neither response is preferred in any of {pairs} pairs, so that no preference \
                     can flip"
                ))
            };
        }
        Ok(finding)
    }

    /// What the judge's probabilities say of a figure that is counted by its verdicts: shown under
    /// a name of its own and never tested. None where both are the same, as of a judge whose
    /// verdicts leave no doubt.
    pub(super) fn weighed(
        self,
        name: FindingName,
        rows: &Rows<f64>,
        weighed: &Rows<f64>,
    ) -> Result<Option<Finding>, Error> {
        let mut both = rows.values().zip(weighed.values());
        if both.all(|(value, weighed)| (value - weighed).abs() < SAME) {
            return Ok(None);
        }
        let name = FindingName::ByProbability(Box::new(name));
        self.share(name, weighed).map(Some)
    }

    /// A mean over questions of differences in [-1, 1] that is shown and not tested: a sound judge
    /// may differ as much.
    pub(super) fn difference(self, name: FindingName, rows: &Rows<f64>) -> Result<Finding, Error> {
        self.difference_up_to(1.0, name, rows)
    }

    /// A mean over questions of differences in [-1, 1], tested against 0.
    pub(super) fn tested_difference(
        self,
        name: FindingName,
        rows: &Rows<f64>,
    ) -> Result<Finding, Error> {
        self.difference_up_to(1.0, name, rows)?.test(rows, 0.0, 1.0)
    }

    /// A mean over questions of differences of such differences, in [-2, 2], tested against 0.
    pub(super) fn tested_double_difference(
        self,
        name: FindingName,
        rows: &Rows<f64>,
    ) -> Result<Finding, Error> {
        self.difference_up_to(2.0, name, rows)?.test(rows, 0.0, 2.0)
    }

    /// A share of items with a 1, tested one-sided against a judge whose items have one with a
    /// chance of at most `chance` (exact binomial test).
    pub(super) fn tested_count(
        self,
        name: FindingName,
        rows: &Rows<f64>,
        chance: f64,
    ) -> Result<Finding, Error> {
        // Of every question the first item counts, so that they are independent.
        let firsts = rows.first_of_each_question();
        let count = firsts.iter().sum::<f64>() as u64;
        let all = firsts.len() as u64;
        Ok(Finding {
            unbiased: Some(chance),
            p: (all > 0).then(|| chance_of_at_least(count, all, chance)),
            least_p: chance_of_at_least(all, all, chance),
            ..self.share(name, rows)?
        })
    }

    /// A share of items with a 1, tested one-sided against another share of the same questions: if
    /// there is no defect, as many questions have the 1 here alone as have it there alone (exact
    /// sign test). `unbiased` is the other share. Where no question has both, nothing is tested.
    pub(super) fn count_beyond(
        self,
        name: FindingName,
        rows: &Rows<f64>,
        others: &Rows<f64>,
    ) -> Result<Finding, Error> {
        // As in a test against a chance, of every question the first item counts.
        let both = rows.firsts_beside(others);
        let count = |of: fn(f64, f64) -> bool| {
            let counted = both.iter().filter(|(own, other)| of(*own, *other));
            counted.count() as u64
        };
        let here = count(|own, other| own > other);
        let there = count(|own, other| own < other);
        let others: Vec<f64> = both.iter().map(|(_, other)| *other).collect();
        Ok(Finding {
            unbiased: mean(&others),
            p: (!both.is_empty()).then(|| chance_of_at_least(here, here + there, 0.5)),
            least_p: 0.5_f64.powf(both.len() as f64),
            ..self.share(name, rows)?
        })
    }

    /// A figure that the probe made of the rows, not tested.
    pub(super) fn number<T>(self, name: FindingName, figure: Figure, rows: &Rows<T>) -> Finding {
        self.finding(name, FindingScale::Number, figure, rows)
    }

    /// A mean over questions of differences from -`most` to `most`.
    fn difference_up_to(
        self,
        most: f64,
        name: FindingName,
        rows: &Rows<f64>,
    ) -> Result<Finding, Error> {
        let means = rows.question_means();
        let figure = Figure::of_differences(&means, most, self.level)?;
        Ok(self.finding(name, FindingScale::Difference, figure, rows))
    }

    fn finding<T>(
        self,
        name: FindingName,
        scale: FindingScale,
        figure: Figure,
        rows: &Rows<T>,
    ) -> Finding {
        Finding {
            name,
            protocol: self.protocol.into(),
            criterion: None,
            scale,
            figure,
            unbiased: None,
            items: rows.item_count(),
            clusters: rows.question_count(),
            failed: rows.failed,
            p: None,
            adjusted_p: None,
            detectable: None,
            biased: false,
            could_find: false,
            least_p: 1.0,
            moves: None,
        }
    }
}

impl Finding {
    /// Adds the exact sign test of the rows of which the figure was made: of the questions whose
    /// mean is not `unbiased`, as many are above it as below if there is no defect. The questions
    /// are independent, and what happens within one does not matter. `furthest` is how far from
    /// `unbiased` a question can be.
    fn test(self, rows: &Rows<f64>, unbiased: f64, furthest: f64) -> Result<Finding, Error> {
        let distances: Vec<f64> = rows
            .question_means()
            .iter()
            .map(|mean| mean - unbiased)
            .collect();
        let above = distances.iter().filter(|distance| **distance > SAME);
        let below = distances.iter().filter(|distance| **distance < -SAME);
        let p = exact_sign_p([above.count() as u32, below.count() as u32])?;
        let away: Vec<f64> = distances
            .iter()
            .map(|distance| distance.abs())
            .filter(|distance| *distance > SAME)
            .collect();
        let items = distances.len() as u64;
        Ok(Finding {
            unbiased: Some(unbiased),
            // Where no question is away, nothing speaks against a judge without the defect.
            p: p.or((items > 0).then_some(1.0)),
            least_p: least_sign_p(items),
            // Those that are away are so far on average; as far as they can be where none is.
            moves: (items > 0).then(|| SignTest {
                items,
                moved: away.len() as f64 / items as f64,
                size: mean(&away).unwrap_or(furthest),
            }),
            ..self
        })
    }

    /// Whether it has a test.
    pub(super) fn is_tested(&self) -> bool {
        self.p.is_some()
    }
}

/// The p-value of the exact sign test where all of so many questions are on one side: with none,
/// nothing speaks against the judge.
fn least_sign_p(questions: u64) -> f64 {
    2.0_f64.powf(1.0 - questions as f64).min(1.0)
}

/// The fewest questions with which a bias that shows on every one of them is found, whatever the
/// other tests of so many show.
pub(super) fn questions_needed(tests: u64, level: f64) -> u64 {
    let strict = (1.0 - level) / tests.max(1) as f64;
    (1.0 - strict.log2()).ceil() as u64
}

/// Values nearer than this are equal: means of shares are sums of rounded numbers.
const SAME: f64 = 1e-9;

/// Adjusts the p-values of all findings together, and says what could have been found.
pub(super) fn adjust_findings(findings: &mut [Finding], level: f64) -> Result<(), Error> {
    adjust_by(benjamini_hochberg, findings.iter_mut().collect(), level).map(|_| ())
}

/// Corrects the p-values of the findings of all slices together, so that none of them accuses a
/// sound judge with a chance above 1 - level; returns how many are tested.
pub(super) fn correct_slices(findings: Vec<&mut Finding>, level: f64) -> Result<u64, Error> {
    adjust_by(holm, findings, level)
}

fn adjust_by(
    adjust: fn(&[f64]) -> Result<Vec<f64>, Error>,
    findings: Vec<&mut Finding>,
    level: f64,
) -> Result<u64, Error> {
    let p: Vec<f64> = findings.iter().filter_map(|finding| finding.p).collect();
    // The level of each test at which all together have this one (Bonferroni): what is found at it
    // is found whatever the other tests show.
    let strict = 1.0 - (1.0 - level) / p.len().max(1) as f64;
    let adjusted = adjust(&p)?;
    let tested = findings.into_iter().filter(|finding| finding.is_tested());
    let tested: Vec<&mut Finding> = tested.collect();
    for (finding, adjusted) in tested.into_iter().zip(adjusted) {
        finding.adjusted_p = Some(adjusted);
        finding.biased = adjusted <= 1.0 - level;
        // A judge with this bias alone must be found too, whatever the other tests show.
        finding.could_find = finding.least_p * p.len() as f64 <= 1.0 - level;
        finding.detectable = match finding.moves {
            Some(moves) => moves.detectable_mean(strict, POWER)?,
            None => None,
        };
    }
    Ok(p.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_testing::is_slow;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    const MAKER: FindingMaker<'static> = FindingMaker {
        protocol: "p",
        level: 0.95,
    };

    fn tested_share(rows: &Rows<f64>) -> Finding {
        let name = FindingName::FirstSlot;
        MAKER.tested_share(name, rows, 0.5).unwrap()
    }

    fn tested_difference(rows: &Rows<f64>) -> Finding {
        let name = FindingName::FlipsBeyondNeutral;
        MAKER.tested_difference(name, rows).unwrap()
    }

    /// Each about a question of its own.
    fn each(values: Vec<f64>, failed: u64) -> Rows<f64> {
        Rows::new(
            values
                .into_iter()
                .enumerate()
                .map(|(at, value)| ((0, at as u32), value))
                .collect(),
            failed,
        )
    }

    #[test]
    fn a_share_away_from_a_half_is_found() {
        let values: Vec<f64> = (0..40).map(|i| if i < 34 { 1.0 } else { 0.0 }).collect();
        let quiet: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
        let mut findings = [values, quiet].map(|values| tested_share(&each(values, 0)));
        adjust_findings(&mut findings, 0.95).unwrap();
        assert!(findings[0].biased && !findings[1].biased);
        assert_eq!(findings[1].p, Some(1.0));
        // 34 of 40: twice the chance of at most 6 heads in 40, 1.0e-5 (in Python: 2 * binom.cdf(6,
        // 40, 0.5) = 8.36e-06).
        assert!(
            (findings[0].p.unwrap() - 8.364e-6).abs() < 1e-8,
            "{:?}",
            findings[0].p
        );
        assert!(findings[1].detectable.unwrap() < 0.35);
    }

    #[test]
    fn differences_are_tested_against_nothing() {
        let found = tested_difference(&each(vec![0.0; 20], 3));
        assert_eq!(
            (found.figure.value, found.p, found.failed),
            (Some(0.0), Some(1.0), 3)
        );
        let [low, high] = found.figure.ci.unwrap();
        assert!(
            low.unwrap() < -0.15 && high.unwrap() > 0.15,
            "twenty zeros leave room"
        );
    }

    #[test]
    fn what_an_interval_holds_is_not_said_to_be_found() {
        let moved = |ups: usize, downs: usize, size: f64| {
            let value = |i: usize| if i < ups { size } else { -size };
            (0..60)
                .map(|i| if i < ups + downs { value(i) } else { 0.0 })
                .collect::<Vec<f64>>()
        };
        let cases = [
            (0, 0, 1.0),
            (1, 1, 1.0),
            (3, 3, 1.0),
            (6, 6, 0.5),
            (20, 20, 0.5),
            (30, 30, 1.0),
        ];
        let of = |(ups, downs, size)| tested_difference(&each(moved(ups, downs, size), 0));
        let mut findings = cases.map(of);
        adjust_findings(&mut findings, 0.95).unwrap();
        for (case, finding) in cases.iter().zip(&findings) {
            let [low, high] = finding.figure.ci.unwrap().map(Option::unwrap);
            let detectable = finding.detectable.unwrap_or(1.0);
            assert!(
                high <= detectable && -low <= detectable,
                "{case:?}: {low} to {high}, {detectable}"
            );
        }
        // No one of 60 moved: (t sqrt(2) + 1) / 62 with Student's 97.5 % of 59 degrees, 2.0010.
        let [_, high] = findings[0].figure.ci.unwrap().map(Option::unwrap);
        assert!((high - 0.0618).abs() < 1e-4, "{high}");
    }

    /// Of so many audits of a judge who leans to one side or the other with each question, equally
    /// often: in how many the interval holds a half, and in how many the judge is said to be
    /// biased. 20 questions of six items each; with `apart` every item counts as a question of its
    /// own.
    fn leaning(audits: u64, apart: bool) -> [f64; 2] {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut yes = |chance: f64| (random.next_u64() as f64) < chance * 2f64.powi(64);
        let mut counts = [0.0; 2];
        for _ in 0..audits {
            let sides: Vec<f64> = (0..20).map(|_| if yes(0.5) { 0.9 } else { 0.1 }).collect();
            let row = |at: u32| {
                (
                    (0, if apart { at } else { at / 6 }),
                    f64::from(u8::from(yes(sides[at as usize / 6]))),
                )
            };
            let rows = Rows::new((0..120).map(row).collect(), 0);
            let mut found = [tested_share(&rows)];
            adjust_findings(&mut found, 0.95).unwrap();
            let [low, high] = found[0].figure.ci.unwrap().map(Option::unwrap);
            counts[0] += f64::from(u8::from(low <= 0.5 && 0.5 <= high));
            counts[1] += f64::from(u8::from(found[0].biased));
        }
        counts.map(|count| count / audits as f64)
    }

    #[test]
    fn intervals_and_tests_hold_where_items_share_questions() {
        let audits = if is_slow() { 20_000 } else { 400 };
        let [held, accused] = leaning(audits, false);
        let [held_apart, accused_apart] = leaning(audits, true);
        println!("by question: intervals hold {held:.3}, accused {accused:.3}");
        println!("by item: intervals hold {held_apart:.3}, accused {accused_apart:.3}");
        assert!(held > 0.92 && accused <= 0.05, "{held} {accused}");
        assert!(
            held_apart < 0.75 && accused_apart > 0.25,
            "{held_apart} {accused_apart}"
        );
    }

    #[test]
    fn a_question_counts_once_whatever_its_items_are() {
        let rows = Rows::new(
            (0..40)
                .map(|at| ((0, at % 8), f64::from(u8::from(at % 8 < 7))))
                .collect(),
            0,
        );
        let found = tested_share(&rows);
        assert_eq!((found.items, found.clusters), (40, 8));
        // 7 of 8: 2 * (1 + 8) / 2^8.
        assert!(
            (found.p.unwrap() - 18.0 / 256.0).abs() < 1e-12,
            "{:?}",
            found.p
        );
    }

    /// Errors at random are as many on either side; what goes beyond them is found, one-sided.
    #[test]
    fn a_count_beyond_another_is_found_on_the_questions_of_both() {
        let beyond = |here: &[f64], there: &[f64]| {
            let [here, there] = [here, there].map(|values| each(values.to_vec(), 0));
            MAKER
                .count_beyond(FindingName::NullWins, &here, &there)
                .unwrap()
        };
        let ones = |count: usize| -> Vec<f64> {
            (0..40).map(|at| f64::from(u8::from(at < count))).collect()
        };
        // 8 questions have it here alone: 1 / 2^8.
        let found = beyond(&ones(12), &ones(4));
        assert!((found.p.unwrap() - 1.0 / 256.0).abs() < 1e-12, "{found:?}");
        assert_eq!(found.unbiased, Some(0.1));
        assert_eq!(found.figure.value, Some(0.3));
        assert_eq!(beyond(&ones(4), &ones(12)).p, Some(1.0));
        assert_eq!(beyond(&ones(12), &ones(12)).p, Some(1.0));
        // Without labels nothing is tested.
        let found = beyond(&ones(12), &[]);
        assert_eq!((found.p, found.unbiased), (None, None));
    }

    /// With three questions the sign test's p-value is 1/4 or more; six have 1/32, which is small
    /// enough for a test alone, but not for one of two of which the other finds nothing.
    #[test]
    fn a_test_that_no_outcome_could_have_failed_finds_nothing() {
        let of = |questions: usize| tested_share(&each(vec![1.0; questions], 0));
        for (questions, could_find) in [
            (vec![3], [false].as_slice()),
            (vec![5], &[false]),
            (vec![6], &[true]),
            (vec![6, 6], &[false, false]),
            (vec![6, 3], &[false, false]),
            (vec![7, 3], &[true, false]),
        ] {
            let mut findings: Vec<Finding> = questions.iter().copied().map(of).collect();
            adjust_findings(&mut findings, 0.95).unwrap();
            let could: Vec<bool> = findings.iter().map(|one| one.could_find).collect();
            assert_eq!(could, could_find, "{questions:?}");
            // Every question is on one side here, so that a test finds what it can find.
            assert!(findings.iter().all(|one| one.biased || !one.could_find));
        }
        assert_eq!(
            [1, 2, 20].map(|tests| questions_needed(tests, 0.95)),
            [6, 7, 10]
        );
    }

    #[test]
    fn nothing_to_see_is_no_finding() {
        let mut findings = [tested_share(&each(vec![], 5))];
        adjust_findings(&mut findings, 0.95).unwrap();
        assert_eq!(
            (findings[0].figure.value, findings[0].p, findings[0].biased),
            (None, None, false)
        );
        assert!(findings[0].figure.note.is_some());
    }
}
