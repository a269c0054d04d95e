//! The answer of an audit: which biases were found, and how often the order turns a verdict.
//!
//! It decides nothing by itself: a bias is what the audit's own tests found.

use super::finding::questions_needed;
use super::{AuditReport, Finding, FindingName, FindingScale, Placebo, RewriteEffect, ScoreRange};
use crate::Figure;
use evenhand_engine::Coverage;

/// Biases that the sentence names; of more it says how many.
const NAMED: usize = 3;
/// If an answer that says nothing is shown to win more often than this, the sentence says so.
const SELDOM: f64 = 0.05;
/// Above this share of judgments without a verdict, the sentence says so.
const MANY_FAILURES: f64 = 0.05;

impl AuditReport {
    /// Returns the answer, without its last full stop: what was found, then how often the order
    /// turns the verdict, then how much of what was asked has none.
    pub fn answer(&self) -> String {
        let findings = self.findings.iter();
        let turned = findings.clone().filter_map(|one| {
            let value = one.figure.value?;
            (one.name == FindingName::FlipsByOrder).then_some((one, value))
        });
        let turned: Vec<(&Finding, f64)> = turned.collect();
        let turns = match &turned[..] {
            [] => String::new(),
            [(one, _)] => {
                // A judge that is asked again turns some verdicts without any change of order.
                let again = self.findings.iter().find(|other| {
                    other.name == FindingName::FlipsByRepetition && other.protocol == one.protocol
                });
                let again = again.filter(|again| again.figure.value.is_some());
                let again = again.map_or_else(String::new, |again| {
                    let share = in_words(FindingScale::Share, &again.figure);
                    format!("; asking the same again turns it in {share}")
                });
                format!(
                    ". The order turns the verdict in {} of {}{again}",
                    in_words(FindingScale::Share, &one.figure),
                    count(one.items, "pair")
                )
            }
            several => {
                let values = || several.iter().map(|(_, value)| 100.0 * value);
                format!(
                    ". The order turns the verdict in {:.0} to {:.0} % of pairs, by protocol",
                    values().fold(f64::INFINITY, f64::min),
                    values().fold(f64::NEG_INFINITY, f64::max)
                )
            }
        };
        let biased: Vec<&Finding> = findings.filter(|one| one.biased).collect();
        let tests = count(self.tested, "test");
        let found = match biased.len() {
            _ if self.tested == 0 => "nothing was tested".into(),
            _ if self.has_too_few_items() => self.too_few_items(),
            0 => self.none_found(),
            all => {
                let named = biased.iter().take(NAMED).map(|one| self.name(one));
                let mut named: Vec<String> = named.collect();
                if all > NAMED {
                    named.push(format!("and {} more", all - NAMED));
                }
                let open = self.tested - self.deciding_tests();
                let rest = match (self.tested - all as u64, open) {
                    (0, _) => String::new(),
                    (_, 0) => "; the others found none".into(),
                    (others, open) if others == open => {
                        "; the others have too few items to find any".into()
                    }
                    (_, open) => format!(
                        "; the others found none, {open} of them with too few items to find any"
                    ),
                };
                let biases = if all == 1 { "a bias" } else { "biases" };
                format!(
                    "{all} of {tests} found {biases}: {}{rest}",
                    named.join("; ")
                )
            }
        };
        format!(
            "{}: {found}{}{turns}{}",
            self.judge,
            self.weakness(),
            self.failures_in_words()
        )
    }

    /// Whether there are tests, and no outcome of any of them could have been called a bias: then
    /// that none was found says nothing of the judge.
    pub fn has_too_few_items(&self) -> bool {
        self.tested > 0 && self.deciding_tests() == 0
    }

    /// Returns how many tests have questions enough for an outcome that is called a bias.
    pub fn deciding_tests(&self) -> u64 {
        let deciding = self.findings.iter().filter(|one| one.could_find);
        deciding.count() as u64
    }

    /// Says that there are too few items, without a full stop, and how many would do.
    pub fn too_few_items(&self) -> String {
        format!(
            "too few items to find a bias in {}: {} would do for one that shows on every item",
            count(self.tested, "test"),
            questions_needed(self.tested, self.level)
        )
    }

    /// The largest effect that one of the tests of sides would have missed more often than once in
    /// five: a share, infinite where a test would have missed even the largest. None where none
    /// counts sides.
    pub fn largest_unnoticed(&self) -> Option<f64> {
        let of_sides = self.findings.iter().filter(|one| one.moves.is_some());
        let effects = of_sides.map(|one| one.detectable.unwrap_or(f64::INFINITY));
        effects.reduce(f64::max)
    }

    /// Says that nothing was found, and what would have been.
    fn none_found(&self) -> String {
        let deciding = self.deciding_tests();
        let known = self.findings.iter().filter_map(|one| one.detectable);
        let known: Vec<f64> = known.collect();
        let largest = known.iter().copied().reduce(f64::max);
        let would = match largest {
            None => ", which does not mean that there is none".into(),
            Some(largest) => {
                let among = match known.len() as u64 {
                    all if all == deciding => String::new(),
                    some => format!("in {some} of them, "),
                };
                format!(
                    "; {among}effects of {:.0} points or more would probably have been found, and \
                     smaller ones may be there",
                    (100.0 * largest).ceil()
                )
            }
        };
        let open = match self.tested - deciding {
            0 => String::new(),
            1 => "; 1 more has too few items to find any".into(),
            more => format!("; {more} more have too few items to find any"),
        };
        format!(
            "no bias was found in {}{would}{open}",
            count(deciding, "test")
        )
    }

    /// Says how much of what was asked came to no verdict, where that is much: of all, and of a
    /// member of a panel, which has a verdict where any member has one.
    fn failures_in_words(&self) -> String {
        let coverage = self.tally.coverage();
        let failed = coverage.trials - coverage.verdicts;
        let fails = match failed as f64 > MANY_FAILURES * coverage.trials as f64 {
            true => format!(
                ". {:.0} % of {} came to no verdict",
                100.0 * failed as f64 / coverage.trials as f64,
                count(coverage.trials, "judgment")
            ),
            false => String::new(),
        };
        let members = self.members.iter().filter_map(|member| {
            let Coverage {
                trials, verdicts, ..
            } = member.coverage;
            let failed = (trials - verdicts) as f64;
            (failed > MANY_FAILURES * trials as f64).then(|| {
                let share = 100.0 * failed / trials as f64;
                format!(
                    ". Of the panel, {} fails in {share:.0} % of its judgments",
                    member.judge
                )
            })
        });
        let members: String = members.collect();
        fails + &members
    }

    /// Says where an answer that says nothing wins, without a test that found a bias: that is what
    /// a judge does who errs often.
    fn weakness(&self) -> String {
        let findings = self.findings.iter();
        let wins = findings.filter(|one| {
            let low = one.figure.ci.and_then(|[low, _]| low);
            let is_weak = low.is_some_and(|low| low > SELDOM);
            one.name == FindingName::NullWins && !one.biased && is_weak
        });
        let wins: Vec<&Finding> = wins.collect();
        if wins.is_empty() {
            return String::new();
        }
        let named: Vec<String> = wins.iter().map(|one| self.name(one)).collect();
        let why = match wins.iter().all(|one| one.is_tested()) {
            true => "that is weakness: it is not shown to be more often than the judge errs",
            false => "the judge is weak, or is fooled by empty answers",
        };
        format!(". Not counted as a bias: {}; {why}", named.join("; "))
    }

    /// Returns what a finding says, and the protocol where there are several.
    fn name(&self, one: &Finding) -> String {
        match one.protocol.as_str() {
            protocol if self.protocols.len() > 1 && !protocol.is_empty() => {
                format!("under {protocol}, {}", one.claim())
            }
            _ => one.claim(),
        }
    }
}

impl Finding {
    /// Whether the interval holds the value of a judge without the defect, against which the sign
    /// test was made.
    pub fn holds_unbiased(&self) -> bool {
        let (Some([low, high]), Some(unbiased)) = (self.figure.ci, self.unbiased) else {
            return false;
        };
        self.moves.is_some()
            && low.is_none_or(|low| low <= unbiased)
            && high.is_none_or(|high| unbiased <= high)
    }

    /// Says in plain words what the figure shows of the judge, with its interval: of every figure
    /// that is tested, that is; of any other its name with its value.
    pub fn claim(&self) -> String {
        let share = in_words(self.scale, &self.figure);
        // A difference is told by its size, and by which of two is more.
        let falls = self.figure.value.is_some_and(|value| value < 0.0);
        let size = if falls {
            let minus = |end: Option<f64>| end.map(|number| -number);
            let size = Figure {
                value: minus(self.figure.value),
                ci: self.figure.ci.map(|[low, high]| [minus(high), minus(low)]),
                note: None,
            };
            in_words(self.scale, &size)
        } else {
            share.clone()
        };
        let more = if falls { "less" } else { "more" };
        match &self.name {
            FindingName::FirstSlot => format!("the first of two wins {share}, ties as half"),
            FindingName::FlipsBeyondNeutral => {
                format!("the order turns verdicts {more} often than added spaces do, by {size}")
            }
            FindingName::Rewritten { rewrite, effect } => match effect {
                RewriteEffect::Preferred => {
                    format!(
                        "a response changed by {rewrite} beats its original in {share}, ties as half"
                    )
                }
                RewriteEffect::FlipsBeyondNeutral => format!(
                    "{rewrite} makes the loser win {more} often than added spaces do, by {size}"
                ),
                _ => format!("{} {share}", self.name),
            },
            FindingName::ProtocolDifference { rewrite } => format!(
                "{rewrite} turns verdicts {more} often under the first protocol than under the \
                 second, by {size}"
            ),
            FindingName::NullWins => match self.unbiased {
                Some(errs) => format!(
                    "an answer that says nothing wins in {share}, where the judge errs in {}",
                    in_words(FindingScale::Share, &Figure::of_value(errs))
                ),
                None => format!("an answer that says nothing wins in {share}"),
            },
            FindingName::CertainCircles => {
                format!("three responses beat each other in a circle, for certain, in {share}")
            }
            FindingName::Reversals {
                beyond: Some(placebo),
                third_first,
            } => format!(
                "a third response shown {} reverses the other two {more} often than {}, by {size}",
                if *third_first { "first" } else { "last" },
                match placebo {
                    Placebo::Repetition => "asking again does",
                    Placebo::Neutral => "added spaces do",
                }
            ),
            FindingName::ScoreShift(range) => format!(
                "scores from 0 to {} are {} than from 0 to 10, by {size}",
                match range {
                    ScoreRange::One => 1,
                    ScoreRange::Hundred => 100,
                },
                if falls { "lower" } else { "higher" }
            ),
            FindingName::AccuracyLost { broken, rewrite } => format!(
                "accuracy against {broken} broken constraints {} with {rewrite}, by {size}",
                if falls { "rises" } else { "falls" }
            ),
            FindingName::WinRateGained { rewrite } => format!(
                "{rewrite} {} the lowest systems, by {size} of win rate beyond what added spaces do",
                if falls { "harms" } else { "helps" }
            ),
            name => format!("{name} {share}"),
        }
    }
}

/// Writes a figure with its interval.
fn in_words(scale: FindingScale, figure: &Figure) -> String {
    let Some(value) = figure.value else {
        return "without a value".into();
    };
    let unit = scale.unit();
    let (factor, decimals) = match scale {
        FindingScale::Share | FindingScale::Difference => (100.0, 0),
        FindingScale::Number => (1.0, 2),
    };
    let text = |number: f64| {
        let shown = factor * number;
        // What is less than 1 has a decimal, and nothing is minus zero.
        let decimals = if shown.abs() < 1.0 {
            decimals.max(1)
        } else {
            decimals
        };
        let text = format!("{shown:.decimals$}");
        match text.strip_prefix('-') {
            Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_string(),
            _ => text,
        }
    };
    let range = match figure.ci {
        Some([Some(low), Some(high)]) => format!(" ({} to {})", text(low), text(high)),
        _ => String::new(),
    };
    format!("{}{unit}{range}", text(value))
}

fn count(number: u64, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {one}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_stats::SignTest;
    use proptest::prelude::*;

    fn finding(name: FindingName, value: f64, biased: bool) -> Finding {
        Finding {
            name,
            protocol: "pairwise".into(),
            criterion: None,
            scale: FindingScale::Share,
            figure: Figure {
                value: Some(value),
                ci: Some([Some(value / 2.0), Some(value)]),
                note: None,
            },
            unbiased: Some(0.5),
            items: 60,
            clusters: 60,
            failed: 0,
            p: Some(0.01),
            adjusted_p: Some(0.02),
            detectable: None,
            biased,
            could_find: true,
            least_p: 0.0,
            moves: None,
        }
    }

    fn report(findings: Vec<Finding>) -> AuditReport {
        AuditReport {
            judge: "J".into(),
            protocols: vec!["pairwise".into()],
            tested: findings.len() as u64,
            findings,
            ..AuditReport::default()
        }
    }

    #[test]
    fn what_was_found_is_said_with_its_interval() {
        let mut some = report(vec![
            finding(FindingName::FirstSlot, 0.62, true),
            finding(FindingName::FlipsByOrder, 0.12, false),
        ]);
        assert_eq!(
            some.answer(),
            "J: 1 of 2 tests found a bias: the first of two wins 62 % (31 to 62), ties as half; \
             the others found none. The order turns the verdict in 12 % (6 to 12) of 60 pairs"
        );
        some.protocols.push("pointwise".into());
        assert!(
            some.answer().contains(
                "found a bias: under pairwise, the first of two wins 62 % (31 to 62), ties as \
                 half; the others found none"
            ),
            "{}",
            some.answer()
        );
        some.protocols.pop();
        some.findings[0].name = FindingName::NullWins;
        assert!(
            some.answer()
                .contains("found a bias: an answer that says nothing wins in 62 % (31 to 62)"),
            "{}",
            some.answer()
        );
        some.findings[0].biased = false;
        assert!(
            some.answer().contains(
                "there is none. Not counted as a bias: an answer that says nothing wins in 62 % (31 \
                 to 62), where the judge errs in 50 %; that is weakness: it is not shown to be more \
                 often than the judge errs. The order"
            ),
            "{}",
            some.answer()
        );
        (some.findings[0].unbiased, some.findings[0].p) = (None, None);
        assert!(
            some.answer().contains(
                "wins in 62 % (31 to 62); the judge is weak, or is fooled by empty answers. The order"
            ),
            "{}",
            some.answer()
        );
        (some.findings[0].unbiased, some.findings[0].p) = (Some(0.5), Some(0.01));
        some.findings[0].name = FindingName::FirstSlot;
        assert_eq!(
            some.answer(),
            "J: no bias was found in 2 tests, which does not mean that there is none. The order \
             turns the verdict in 12 % (6 to 12) of 60 pairs"
        );
        some.findings
            .push(finding(FindingName::FlipsByRepetition, 0.1, false));
        assert!(
            some.answer()
                .contains("of 60 pairs; asking the same again turns it in 10 % (5 to 10)"),
            "{}",
            some.answer()
        );
        assert_eq!(report(Vec::new()).answer(), "J: nothing was tested");
        let small = |value: f64, low, high| {
            let figure = Figure {
                value: Some(value),
                ci: Some([Some(low), Some(high)]),
                note: None,
            };
            in_words(FindingScale::Difference, &figure)
        };
        assert_eq!(small(0.004, -0.0001, 0.012), "0.4 points (0.0 to 1)");
    }

    #[test]
    fn where_nothing_was_found_it_says_what_would_have_been() {
        let quiet = || finding(FindingName::FirstSlot, 0.5, false);
        let mut some = report(vec![quiet(), quiet()]);
        some.level = 0.95;
        some.findings[0].detectable = Some(0.321);
        assert_eq!(
            some.answer(),
            "J: no bias was found in 2 tests; in 1 of them, effects of 33 points or more would \
             probably have been found, and smaller ones may be there"
        );
        some.findings[1].detectable = Some(0.4);
        assert!(
            some.answer()
                .contains("tests; effects of 40 points or more would probably have been found"),
            "{}",
            some.answer()
        );
        (some.findings[1].could_find, some.findings[1].detectable) = (false, None);
        assert_eq!(
            some.answer(),
            "J: no bias was found in 1 test; effects of 33 points or more would probably have \
             been found, and smaller ones may be there; 1 more has too few items to find any"
        );
        some.findings
            .push(finding(FindingName::FirstSlot, 0.9, true));
        some.tested = 3;
        assert!(
            some.answer()
                .ends_with("; the others found none, 1 of them with too few items to find any"),
            "{}",
            some.answer()
        );
        some.findings.pop();
        some.tested = 2;
        some.findings[0].could_find = false;
        assert_eq!(
            some.answer(),
            "J: too few items to find a bias in 2 tests: 7 would do for one that shows on every \
             item"
        );
    }

    #[test]
    fn a_difference_is_told_by_its_size_and_direction() {
        let mut one = finding(FindingName::FlipsBeyondNeutral, 0.2, true);
        one.scale = FindingScale::Difference;
        assert_eq!(
            one.claim(),
            "the order turns verdicts more often than added spaces do, by 20 points (10 to 20)"
        );
        one.figure.value = Some(-0.2);
        one.figure.ci = Some([Some(-0.4), Some(0.1)]);
        assert_eq!(
            one.claim(),
            "the order turns verdicts less often than added spaces do, by 20 points (-10 to 40)"
        );
    }

    #[test]
    fn an_interval_holds_the_unbiased_value_where_it_reaches_it() {
        for (ci, holds) in [
            ([Some(0.4), Some(0.6)], true),
            ([Some(0.5), Some(0.6)], true),
            ([Some(0.3), Some(0.5)], true),
            ([Some(0.51), Some(0.6)], false),
            ([Some(0.3), Some(0.49)], false),
            ([None, Some(0.49)], false),
            ([Some(0.51), None], false),
            ([None, None], true),
        ] {
            let mut one = finding(FindingName::FirstSlot, 0.5, true);
            one.figure.ci = Some(ci);
            // That of a share with a one-sided test is no other.
            assert!(!one.holds_unbiased());
            one.moves = Some(SignTest {
                items: 60,
                moved: 1.0,
                size: 0.5,
            });
            assert_eq!(one.holds_unbiased(), holds, "{ci:?}");
            one.unbiased = None;
            assert!(!one.holds_unbiased());
        }
    }

    proptest! {
        /// It claims a bias exactly where a test found one, and counts all of them.
        #[test]
        fn it_claims_what_the_tests_found(
            biased in proptest::collection::vec(any::<bool>(), 0..9),
            turned in 0_usize..3,
        ) {
            let mut findings: Vec<Finding> = biased
                .iter()
                .map(|biased| finding(FindingName::FirstSlot, 0.6, *biased))
                .collect();
            let flips = finding(FindingName::FlipsByOrder, 0.25, false);
            findings.extend(std::iter::repeat_n(flips, turned));
            let report = report(findings);
            let (answer, found) = (report.answer(), biased.iter().filter(|one| **one).count());
            let ends = match turned {
                0 => "",
                1 => ". The order turns the verdict in 25 % (12 to 25) of 60 pairs",
                _ => ". The order turns the verdict in 25 to 25 % of pairs, by protocol",
            };
            let rest = answer.strip_prefix("J: ").and_then(|rest| rest.strip_suffix(ends));
            prop_assert!(rest.is_some(), "{answer}");
            let rest = rest.unwrap_or_default();
            let begins = match (report.tested, found) {
                (0, _) => "nothing was tested".into(),
                (_, 0) => "no bias was found in ".into(),
                (_, found) => format!("{found} of {} test", report.tested),
            };
            prop_assert!(rest.starts_with(&begins), "{answer}");
            prop_assert_eq!(rest.matches("wins 60 %").count(), found.min(NAMED));
            let others = found > 0 && report.tested > found as u64;
            prop_assert_eq!(rest.contains("others found none"), others);
        }
    }
}
