//! What a probe found: an estimate with its interval, and whether an unbiased judge would have
//! shown as much.

use super::rows::Rows;
use crate::Figure;
use evenhand_stats::{Error, SignTest, benjamini_hochberg, mcnemar, mean_share, wilson};
use serde::Serialize;

/// The chance with which an effect of the size `detectable` would have been found.
const POWER: f64 = 0.8;

/// What the value of a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// A share, from 0 to 1.
    Share,
    /// A difference of shares, from -1 to 1.
    Difference,
    /// Some other number; its interval is made by the probe.
    Number,
}

/// One figure of an audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The probe.
    pub probe: &'static str,
    /// Which figure of the probe.
    pub name: String,
    /// The protocol; empty where a figure is of several.
    pub protocol: String,
    /// What the value estimates, in words.
    pub estimand: &'static str,
    /// What kind of number it is.
    pub scale: Scale,
    /// The value and its interval.
    pub figure: Figure,
    /// What a judge without the defect shows; None where nothing is tested.
    pub unbiased: Option<f64>,
    /// Items with a value.
    pub items: u64,
    /// Questions that these ask. Each counts once in the interval and the test, with the mean of
    /// its items.
    pub clusters: u64,
    /// Items without one, because a verdict failed or a response is not there.
    pub failed: u64,
    /// The exact p-value of the hypothesis that there is no defect.
    pub p: Option<f64>,
    /// The same, adjusted over all findings of the audit (Benjamini and Hochberg 1995).
    pub adjusted_p: Option<f64>,
    /// The smallest true distance from `unbiased` that a test at the level of all findings together
    /// would find four times in five.
    pub detectable: Option<f64>,
    /// Whether the adjusted p-value is at most 1 - level.
    pub biased: bool,
    /// How the questions moved, where the sign test is made; `detectable` follows from it.
    #[serde(skip)]
    pub(super) moves: Option<SignTest>,
}

/// What a finding is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub(super) probe: &'static str,
    pub(super) name: &'a str,
    pub(super) protocol: &'a str,
    pub(super) estimand: &'static str,
}

impl About<'_> {
    /// A mean over questions of shares in [0, 1], tested against `unbiased` where that is given.
    pub(super) fn share(
        self,
        rows: &Rows<f64>,
        unbiased: Option<f64>,
        level: f64,
    ) -> Result<Finding, Error> {
        let means = rows.means();
        let figure = interval(
            mean_share(&means, level).map(|share| [share.value, share.low, share.high]),
            &means,
        )?;
        self.finding(
            Scale::Share,
            figure,
            rows,
            unbiased.map(|unbiased| (unbiased, unbiased.max(1.0 - unbiased))),
        )
    }

    /// A mean over questions of differences in [-1, 1], tested against 0.
    pub(super) fn difference(self, rows: &Rows<f64>, level: f64) -> Result<Finding, Error> {
        self.difference_within(1.0, rows, Some(0.0), level)
    }

    /// A mean over questions of differences of such differences, in [-2, 2], tested against 0.
    pub(super) fn difference_of_two(self, rows: &Rows<f64>, level: f64) -> Result<Finding, Error> {
        self.difference_within(2.0, rows, Some(0.0), level)
    }

    /// A mean over questions of differences in [-1, 1] that is shown and not tested: a sound judge
    /// may differ as much.
    pub(super) fn untested_difference(
        self,
        rows: &Rows<f64>,
        level: f64,
    ) -> Result<Finding, Error> {
        self.difference_within(1.0, rows, None, level)
    }

    fn difference_within(
        self,
        most: f64,
        rows: &Rows<f64>,
        unbiased: Option<f64>,
        level: f64,
    ) -> Result<Finding, Error> {
        let means = rows.means();
        let figure = interval(mean_difference(&means, most, level), &means)?;
        self.finding(
            Scale::Difference,
            figure,
            rows,
            unbiased.map(|unbiased| (unbiased, most)),
        )
    }

    /// A figure that the probe made of the rows, not tested.
    pub(super) fn number<T>(self, figure: Figure, rows: &Rows<T>) -> Finding {
        Finding {
            probe: self.probe,
            name: self.name.into(),
            protocol: self.protocol.into(),
            estimand: self.estimand,
            scale: Scale::Number,
            figure,
            unbiased: None,
            items: rows.items(),
            clusters: rows.questions(),
            failed: rows.failed,
            p: None,
            adjusted_p: None,
            detectable: None,
            biased: false,
            moves: None,
        }
    }

    /// `tested` has the value of a judge without the defect, and how far from it a question can be.
    fn finding(
        self,
        scale: Scale,
        figure: Figure,
        rows: &Rows<f64>,
        tested: Option<(f64, f64)>,
    ) -> Result<Finding, Error> {
        let means = rows.means();
        let unbiased = tested.map(|(unbiased, _)| unbiased);
        let p = unbiased.map_or(Ok(None), |unbiased| sign_test(&means, unbiased))?;
        let moves = tested.and_then(|(unbiased, most)| moves(&means, unbiased, most));
        Ok(Finding {
            scale,
            unbiased,
            p,
            moves,
            ..self.number(figure, rows)
        })
    }
}

/// What is nearer than this is the same.
const SAME: f64 = 1e-9;

/// The mean of differences from -`most` to `most`, and its interval. Where every one is 0, it is as
/// wide as if all items that may move after so many that did not (Wilson) went the whole way to one
/// side.
fn mean_difference(values: &[f64], most: f64, level: f64) -> Result<[f64; 3], Error> {
    if values.len() > 1 && values.iter().all(|value| value.abs() < SAME) {
        let furthest = most * wilson(0.0, values.len() as f64, level)?.high;
        return Ok([0.0, -furthest, furthest]);
    }
    let shares: Vec<f64> = values
        .iter()
        .map(|value| ((value / most + 1.0) / 2.0).clamp(0.0, 1.0))
        .collect();
    let whole = |share: f64| most * (2.0 * share - 1.0);
    mean_share(&shares, level).map(|share| [share.value, share.low, share.high].map(whole))
}

fn interval(found: Result<[f64; 3], Error>, values: &[f64]) -> Result<Figure, Error> {
    match found {
        Ok([value, low, high]) => Ok(Figure {
            value: Some(value),
            ci: Some([Some(low), Some(high)]),
            note: None,
        }),
        Err(Error::Undefined(reason)) => Ok(Figure {
            value: values.first().copied(),
            ci: None,
            note: Some(reason.to_string()),
        }),
        Err(error) => Err(error),
    }
}

/// The exact sign test: of the questions whose mean is not `unbiased`, as many are above it as
/// below if there is no defect. The questions are independent, and what happens within one does not
/// matter.
fn sign_test(values: &[f64], unbiased: f64) -> Result<Option<f64>, Error> {
    let count = |of: fn(&f64) -> bool| {
        values
            .iter()
            .map(|value| value - unbiased)
            .filter(of)
            .count() as u32
    };
    match mcnemar(
        count(|distance| *distance > SAME),
        count(|distance| *distance < -SAME),
    ) {
        Ok(test) => Ok(Some(test.exact_p)),
        Err(Error::Undefined(_)) => Ok(if values.is_empty() { None } else { Some(1.0) }),
        Err(error) => Err(error),
    }
}

/// How many of the questions are away from `unbiased`, and how far; as far as `most` where none is.
fn moves(values: &[f64], unbiased: f64, most: f64) -> Option<SignTest> {
    let away = values
        .iter()
        .map(|value| (value - unbiased).abs())
        .filter(|distance| *distance > SAME);
    let (sum, count) = away.fold((0.0, 0.0), |(sum, count), distance| {
        (sum + distance, count + 1.0)
    });
    let items = values.len() as u64;
    let size = if count > 0.0 { sum / count } else { most };
    (items > 0).then(|| SignTest {
        items,
        moved: count / items as f64,
        size,
    })
}

/// Adjusts the p-values of all findings together, and says what could have been found.
pub(super) fn adjust(findings: &mut [Finding], level: f64) -> Result<(), Error> {
    let tested: Vec<usize> = (0..findings.len())
        .filter(|at| findings[*at].p.is_some())
        .collect();
    let p: Vec<f64> = tested.iter().filter_map(|at| findings[*at].p).collect();
    let adjusted = benjamini_hochberg(&p)?;
    let strict = 1.0 - (1.0 - level) / tested.len().max(1) as f64;
    for (at, adjusted) in tested.into_iter().zip(adjusted) {
        let finding = &mut findings[at];
        finding.adjusted_p = Some(adjusted);
        finding.biased = adjusted <= 1.0 - level;
        finding.detectable = finding
            .moves
            .map_or(Ok(None), |moves| moves.detectable_mean(strict, POWER))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    const ABOUT: About<'static> = About {
        probe: "position",
        name: "x",
        protocol: "p",
        estimand: "e",
    };

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
        let mut findings =
            [values, quiet].map(|values| ABOUT.share(&each(values, 0), Some(0.5), 0.95).unwrap());
        adjust(&mut findings, 0.95).unwrap();
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
        let found = ABOUT.difference(&each(vec![0.0; 20], 3), 0.95).unwrap();
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
        let of = |(ups, downs, size)| {
            ABOUT
                .difference(&each(moved(ups, downs, size), 0), 0.95)
                .unwrap()
        };
        let mut findings = cases.map(of);
        adjust(&mut findings, 0.95).unwrap();
        for (case, finding) in cases.iter().zip(&findings) {
            let [low, high] = finding.figure.ci.unwrap().map(Option::unwrap);
            let detectable = finding.detectable.unwrap_or(1.0);
            assert!(
                high <= detectable && -low <= detectable,
                "{case:?}: {low} to {high}, {detectable}"
            );
        }
        // No one of 60 moved: z^2 / (60 + z^2) of all may.
        let [_, high] = findings[0].figure.ci.unwrap().map(Option::unwrap);
        assert!((high - 0.0602).abs() < 1e-4, "{high}");
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
            let mut found = [ABOUT.share(&rows, Some(0.5), 0.95).unwrap()];
            adjust(&mut found, 0.95).unwrap();
            let [low, high] = found[0].figure.ci.unwrap().map(Option::unwrap);
            counts[0] += f64::from(u8::from(low <= 0.5 && 0.5 <= high));
            counts[1] += f64::from(u8::from(found[0].biased));
        }
        counts.map(|count| count / audits as f64)
    }

    #[test]
    fn intervals_and_tests_hold_where_items_share_questions() {
        let audits = if std::env::var_os("EVENHAND_SLOW").is_some() {
            20_000
        } else {
            400
        };
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
        let found = ABOUT.share(&rows, Some(0.5), 0.95).unwrap();
        assert_eq!((found.items, found.clusters), (40, 8));
        // 7 of 8: 2 * (1 + 8) / 2^8.
        assert!(
            (found.p.unwrap() - 18.0 / 256.0).abs() < 1e-12,
            "{:?}",
            found.p
        );
    }

    #[test]
    fn nothing_to_see_is_no_finding() {
        let mut findings = [ABOUT.share(&each(vec![], 5), Some(0.5), 0.95).unwrap()];
        adjust(&mut findings, 0.95).unwrap();
        assert_eq!(
            (findings[0].figure.value, findings[0].p, findings[0].biased),
            (None, None, false)
        );
        assert!(findings[0].figure.note.is_some());
    }
}
