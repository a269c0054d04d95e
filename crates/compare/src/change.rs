//! The size of a change, by the method that fits the data.

use super::subject::Measure;
use evenhand_core::items_in_words;
use evenhand_stats::change::{
    ChangeTest, ControlledItem, MeanChange, Moves, clustered_change, controlled_change,
    least_p_value, paired_change,
};
use evenhand_stats::{Error, SignTest, minimum_detectable_difference};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use strum::IntoStaticStr;

/// How a change was estimated: by which test, of which the interval is the inversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ChangeMethod {
    /// Items that moved by one size: the exact sign test.
    SignTest,
    /// Items that were right or wrong on both sides: McNemar's exact test, which is the sign test.
    #[serde(rename = "mcnemar")]
    #[strum(serialize = "mcnemar")]
    McNemar,
    /// Any differences: the sign-flip test.
    #[default]
    SignFlip,
    /// Any differences less the judge's own change on responses that did not change: the sign-flip
    /// test.
    ControlledSignFlip,
    /// The difference of two scores of a ranking, by the ranking's own intervals.
    Ranking,
}

impl ChangeMethod {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A mean difference over items, the current side less the baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// How it was estimated.
    pub method: ChangeMethod,
    /// The mean difference, in the unit of the measure.
    pub difference: f64,
    /// The ends of its interval; None where it is undefined.
    #[serde(rename = "ci")]
    pub interval: Option<[f64; 2]>,
    /// Two-sided p-value of no difference; None where it is undefined.
    #[serde(rename = "p")]
    pub p_value: Option<f64>,
    /// Items with a value on both sides.
    pub items: usize,
    /// Questions that they ask: what is independent, and counts once in the interval and the test.
    pub questions: usize,
    /// Items on which the current side is higher; where the judge's own change is taken out, those
    /// with a new response, and by more than that change.
    pub up: usize,
    /// Items on which it is lower, likewise.
    pub down: usize,
    /// Items that the test is of: those that moved, or whose judge did.
    pub moved: usize,
    /// The smallest true difference that this many questions would show with a power of 80 %, None
    /// where it is undefined.
    pub detectable: Option<f64>,
    /// The standard deviation of an item's difference, or of a question's, where several items ask
    /// one; None where it is undefined.
    #[serde(skip)]
    pub deviation: Option<f64>,
    /// Why there is no interval, or why a change that would be found of a judge who cannot have
    /// changed is not found.
    #[serde(rename = "note")]
    pub undefined: Option<String>,
    /// Whether a judge who may have changed alone keeps a change from being found: a condition that
    /// looks for one is not decided then.
    #[serde(skip)]
    pub judge_in_doubt: bool,
    /// Whether the test looks for a rise alone.
    #[serde(skip)]
    pub one_sided: bool,
}

/// The power at which the smallest difference to be seen is stated.
pub const POWER: f64 = 0.8;

/// What is known of differences before they are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// Shares of direct verdicts less a half.
    FromEven,
    /// Differences of two shares.
    Shares,
    /// Differences of right and wrong.
    RightOrWrong,
    /// Differences of scores on any scale, and how far they can move.
    Scores(Moves),
}

impl Scale {
    /// The scale of the values of both sides; `width` is how far the ends of the judge's own scale
    /// lie apart, where that is known.
    pub(super) fn of(
        measure: Measure,
        values: impl Iterator<Item = f64> + Clone,
        width: Option<f64>,
    ) -> Scale {
        let is_whole = |value: f64| value == 0.0 || value == 1.0;
        match measure {
            Measure::HeadToHead => Scale::FromEven,
            Measure::WinShare => Scale::Shares,
            // Scores that are right or wrong on both sides.
            Measure::Score if width.is_none_or(|it| it == 1.0) && values.clone().all(is_whole) => {
                Scale::RightOrWrong
            }
            Measure::Score => Scale::of_scores(values, width),
        }
    }

    /// The scale of scores, be they right or wrong or not.
    pub(super) fn of_scores(values: impl Iterator<Item = f64>, width: Option<f64>) -> Scale {
        Scale::Scores(match width {
            Some(width) => Moves {
                step: width,
                limit: width,
            },
            None => Moves::of_scores(values),
        })
    }

    /// How far an item can move.
    pub(super) fn moves(self) -> Moves {
        let size = match self {
            Scale::FromEven => 0.5,
            Scale::Shares | Scale::RightOrWrong => 1.0,
            Scale::Scores(moves) => return moves,
        };
        Moves {
            step: size,
            limit: size,
        }
    }
}

/// Estimates the mean of paired differences; None without any.
pub(super) fn estimate_change(differences: &[f64], scale: Scale, level: f64) -> Option<Change> {
    if differences.is_empty() {
        return None;
    }
    let found = paired_change(differences, scale.moves(), level);
    let mut change = Change::of(differences, differences.len(), found, scale, level);
    if change.method == ChangeMethod::SignTest && scale == Scale::RightOrWrong {
        change.method = ChangeMethod::McNemar;
    }
    Some(change)
}

/// Estimates the mean change less the judge's own; None without differences or shifts. `fixed`:
/// the judge cannot have changed.
pub(super) fn estimate_controlled(
    items: &[ControlledItem],
    scale: Scale,
    level: f64,
    fixed: bool,
) -> Option<Change> {
    let shifts = items.iter().filter_map(|item| item.shift);
    let shift = shifts.clone().sum::<f64>() / shifts.count() as f64;
    let own = |item: &ControlledItem| {
        let difference = item.difference? - shift;
        Some(if item.changed { difference } else { 0.0 })
    };
    let differences: Vec<f64> = items.iter().filter_map(own).collect();
    if differences.is_empty() || !shift.is_finite() {
        return None;
    }
    let paired = items.iter().filter(|item| item.difference.is_some());
    let questions: BTreeSet<u32> = paired.map(|item| item.question).collect();
    let found = controlled_change(items, scale.moves(), level, fixed);
    let mut change = Change::of(&differences, questions.len(), found, scale, level);
    change.method = ChangeMethod::ControlledSignFlip;
    // Items that moved, and by more than the judge's own change moves them.
    let moved = items.iter().filter(|item| item.changed);
    let moved = moved.filter_map(|item| item.difference);
    change.up = moved.clone().filter(|x| *x > shift.max(0.0)).count();
    change.down = moved.filter(|x| *x < shift.min(0.0)).count();
    let would_be_found = || {
        controlled_change(items, scale.moves(), level, true)
            .is_ok_and(|found| found.p_value < 1.0 - level)
    };
    if !fixed && change.p_value.is_some_and(|p| p >= 1.0 - level) && would_be_found() {
        let told = items.iter().filter(|item| item.shift.is_some()).count();
        change.judge_in_doubt = true;
        change.undefined = Some(format!(
            "it is one if the judge stayed the same, which {told} unchanged answers are too few to \
             show"
        ));
    }
    // No response changed: there is no change, whatever the judge says.
    if items.iter().all(|item| !item.changed) {
        change.interval = Some([0.0, 0.0]);
        change.p_value = Some(1.0);
        change.moved = 0;
    }
    Some(change)
}

impl Change {
    /// `questions` is how many questions the items of the differences ask.
    pub(super) fn of(
        differences: &[f64],
        questions: usize,
        found: Result<MeanChange, Error>,
        scale: Scale,
        level: f64,
    ) -> Change {
        let items = differences.len();
        let mut change = Change {
            items,
            questions,
            up: differences.iter().filter(|x| **x > 0.0).count(),
            down: differences.iter().filter(|x| **x < 0.0).count(),
            difference: differences.iter().sum::<f64>() / items as f64,
            ..Change::default()
        };
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                change.undefined = Some(error.to_string());
                return change;
            }
        };
        change.difference = found.difference;
        change.interval = found.interval;
        change.p_value = Some(found.p_value);
        change.moved = found.moved;
        change.deviation = (questions > 1).then_some(found.deviation);
        if found.interval.is_none() {
            let asked = if questions < items {
                "question"
            } else {
                "item"
            };
            change.undefined = Some(match questions {
                1 => format!("1 {asked} is too few to rule out any change"),
                count => format!("{count} {asked}s are too few to rule out any change"),
            });
        }
        let detectable = match found.test {
            ChangeTest::Sign => {
                change.method = ChangeMethod::SignTest;
                let size = match found.moved {
                    0 => scale.moves().step,
                    _ => differences.iter().map(|x| x.abs()).fold(0.0, f64::max),
                };
                let test = SignTest {
                    items: questions as u64,
                    moved: found.moved as f64 / questions as f64,
                    size,
                };
                test.detectable_mean(level, POWER).ok().flatten()
            }
            ChangeTest::SignFlip => {
                minimum_detectable_difference(questions, found.deviation, level, POWER).ok()
            }
        };
        // What would be found four times in five is not within reach of the interval, which allows
        // that items move further than any did.
        let reach = change
            .interval
            .map_or(0.0, |[low, high]| (high - low) / 2.0);
        change.detectable = detectable.filter(|least| *least >= reach);
        change
    }

    /// Whether a test of so many items that moved can find anything at this level.
    pub fn can_be_found(&self, level: f64) -> bool {
        self.least_p_value(self.moved) < 1.0 - level
    }

    /// The smallest p-value of its test, had so many items moved.
    pub(super) fn least_p_value(&self, moved: usize) -> f64 {
        let sides = if self.one_sided { 2.0 } else { 1.0 };
        least_p_value(moved) / sides
    }

    /// A difference of two scores of a ranking, with its own interval.
    pub fn of_ranking(difference: f64, interval: Option<[f64; 2]>, p_value: Option<f64>) -> Change {
        Change {
            method: ChangeMethod::Ranking,
            difference,
            interval,
            p_value,
            // It rests on more than the items of the two.
            ..Change::default()
        }
    }

    /// A change that was tested item by item, of so many items.
    pub fn of_items(found: &MeanChange, items: usize) -> Change {
        Change {
            method: match found.test {
                ChangeTest::Sign => ChangeMethod::SignTest,
                ChangeTest::SignFlip => ChangeMethod::SignFlip,
            },
            items,
            questions: items,
            moved: found.moved,
            deviation: Some(found.deviation),
            ..Change::of_ranking(found.difference, found.interval, Some(found.p_value))
        }
    }

    /// Says on how many items it rests: "90 items of 15 questions".
    pub fn items_in_words(&self) -> String {
        items_in_words(self.items as u64, self.questions as u64)
    }
}

/// Estimates the mean over items of paired differences, where items of one question are not
/// independent; None without any. `questions` holds the question of each item.
///
/// Where every item asks a question of its own, it is [`estimate_change`]; else
/// [`clustered_change`].
pub(super) fn estimate_by_question(
    differences: &[f64],
    questions: &[u32],
    scale: Scale,
    level: f64,
) -> Option<Change> {
    let asked = questions.iter().collect::<BTreeSet<_>>().len();
    if asked == differences.len() {
        return estimate_change(differences, scale, level);
    }
    let items = questions.iter().copied().zip(differences.iter().copied());
    let found = clustered_change(&Vec::from_iter(items), scale.moves(), level);
    let mut change = Change::of(differences, asked, found, scale, level);
    change.difference = differences.iter().sum::<f64>() / differences.len() as f64;
    Some(change)
}

/// Tests whether the mean of values from -1 to 1 is above 0, where it cannot be below it but by
/// chance or for a reason that does not matter: one-sided, and without an interval. None without
/// any.
pub(super) fn estimate_excess(values: &[f64], questions: &[u32], level: f64) -> Option<Change> {
    let found = estimate_by_question(values, questions, Scale::Shares, level)?;
    let p_value = found.p_value.map(|p| match found.difference > 0.0 {
        true => p / 2.0,
        false => 1.0,
    });
    Some(Change {
        p_value,
        one_sided: true,
        interval: None,
        detectable: None,
        undefined: None,
        ..found
    })
}
