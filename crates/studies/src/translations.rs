//! Whether a judge says the same of one question in several languages, and in which of them the
//! order of the responses decides (Fu and Liu 2025, arXiv 2505.12201, who find Fleiss' kappa near
//! 0.3 over 25 languages).
//!
//! A unit is a question with two systems. In each language its verdict is that the first system
//! wins, ties or loses, by both orders together.

use crate::Figure;
use evenhand_core::{Judgment, Response, Side, are_same};
use evenhand_stats::inference::{ClusterDifference, InferenceError, clustered_difference};
use evenhand_stats::{Bootstrap, Error, RatedSubject, fleiss_kappa, holm, rated_agreement};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How far a judge's verdicts on translations of one question agree.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TranslationReport {
    /// The field whose values are the languages.
    pub field: String,
    /// Fleiss' kappa of the languages' verdicts.
    pub kappa: Figure,
    /// The mean over units of the share of pairs of languages with the same verdict.
    pub agreement: Option<f64>,
    /// Pairs of languages whose flips were compared: p-values are adjusted for them.
    pub tested: usize,
    /// Units with a verdict in two languages or more.
    pub units: usize,
    /// Questions that these are of: what intervals and tests count.
    pub questions: usize,
    /// The languages, in the order of their names.
    pub languages: Vec<LanguageRow>,
    /// Each two languages whose flips were compared.
    pub differences: Vec<LanguageDifference>,
    /// Coverage of the intervals.
    pub level: f64,
}

/// One language. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LanguageRow {
    /// The value of the field.
    pub language: String,
    /// Units with a verdict.
    pub verdicts: usize,
    /// Units without one.
    pub without_verdict: usize,
    /// Of the verdicts of other languages on the same units, the share that are the same.
    pub agreement: Figure,
    /// Of the units with a verdict in both orders, the share on which these differ.
    pub flips: Figure,
    /// By how much this language's verdicts flip more often than those of most other languages, or
    /// less often if negative: at least this much beyond each of more than half of them. 0 where it
    /// is beyond no such half; null where it was compared with none.
    pub flips_beyond_others: Option<f64>,
    /// The interval of that; those of all pairs of languages hold together.
    pub ci: Option<[f64; 2]>,
    /// The largest p-value that it takes to be told apart from most others, the same way, adjusted
    /// for all pairs of languages (Holm 1979).
    pub p_adjusted: Option<f64>,
    /// Whether it is told apart from most others, all the same way.
    pub differs: bool,
}

/// How much more often the verdicts of one language flip than those of another, on units that have
/// both orders in both.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LanguageDifference {
    /// The two languages.
    pub languages: [String; 2],
    /// The share of units that flip in the first, less that in the second.
    pub difference: f64,
    /// Its interval; those of all pairs hold together.
    pub ci: [f64; 2],
    /// Its p-value, adjusted for all pairs (Holm 1979).
    pub p_adjusted: f64,
    /// Whether the two are told apart.
    pub differs: bool,
}

impl LanguageDifference {
    /// Returns the difference, its interval and its p-value as the language sees them that is
    /// first or second; None for a language that is neither.
    pub fn seen_by(&self, language: &str) -> Option<(f64, [f64; 2], f64)> {
        let [low, high] = self.ci;
        if self.languages[0] == language {
            Some((self.difference, [low, high], self.p_adjusted))
        } else if self.languages[1] == language {
            Some((-self.difference, [-high, -low], self.p_adjusted))
        } else {
            None
        }
    }
}

/// Returns what more than half of these reach on one side of 0; 0 where neither side has so many.
/// It rises with each of them, so bounds of all of them bound it.
fn reached_by_most(mut differences: Vec<f64>) -> f64 {
    differences.sort_by(f64::total_cmp);
    let needed = differences.len() / 2 + 1;
    let (above, below) = (
        differences[differences.len() - needed],
        differences[needed - 1],
    );
    if above > 0.0 {
        above
    } else if below < 0.0 {
        below
    } else {
        0.0
    }
}

/// What was said of a unit in one language.
#[derive(Clone, Debug, Default)]
struct Said {
    /// Preferences for the first system, tie, the second, of each judgment; None without a verdict.
    judgments: Vec<Option<[f64; 3]>>,
    /// Whether both orders within one judgment had one verdict; None where it has no two looks.
    same_within: Option<bool>,
    /// Whether both responses are the same.
    shows_same: bool,
}

impl Said {
    /// The verdict over all judgments, where each has one.
    fn verdict(&self) -> Option<Side> {
        let mut sum = [0.0; 3];
        for preference in &self.judgments {
            for (sum, share) in sum.iter_mut().zip((*preference)?) {
                *sum += share;
            }
        }
        (!self.judgments.is_empty()).then(|| Side::of(sum))
    }

    /// Whether the verdict changes with the order; None where the two are not known, or both
    /// responses are the same.
    fn flips(&self) -> Option<bool> {
        if self.shows_same {
            return None;
        }
        match self.judgments[..] {
            [first, second] => Some(Side::of(first?) != Side::of(second?)),
            [_] => self.same_within.map(|same| !same),
            _ => None,
        }
    }
}

/// Gathers judgments by question, systems and language.
#[derive(Debug, Default)]
pub struct TranslationCollector {
    units: BTreeMap<(String, [u32; 2]), BTreeMap<String, Said>>,
}

impl TranslationCollector {
    /// Adds a judgment of two systems on an item of this question and language.
    pub fn add(
        &mut self,
        judgment: &Judgment,
        responses: &[Response],
        question: String,
        language: String,
    ) {
        let [first, second] = judgment.trial.systems[..] else {
            return;
        };
        let unit = (question, [first.min(second), first.max(second)]);
        let said = self
            .units
            .entry(unit)
            .or_default()
            .entry(language)
            .or_default();
        said.shows_same = are_same(responses, 0, 1);
        let preference = judgment
            .outcome
            .as_ref()
            .ok()
            .and_then(|one| one.preference());
        said.judgments
            .push(preference.map(|[wins, ties, losses]| match first < second {
                true => [wins, ties, losses],
                false => [losses, ties, wins],
            }));
        if let [one, other] = &judgment.looks[..]
            && one.swapped != other.swapped
            && one.judge == other.judge
        {
            let sides = [one, other].map(|look| look.outcome.as_ref().ok()?.side());
            said.same_within = match sides {
                [Some(one), Some(other)] => Some(one == other),
                _ => None,
            };
        }
    }

    /// Measures what was gathered. `field` is the name of the field whose values are the languages.
    ///
    /// # Errors
    /// A bad level, or what else is wrong with the settings.
    pub fn measure(
        &self,
        field: &str,
        plan: &Bootstrap,
    ) -> Result<TranslationReport, InferenceError> {
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut subjects = Vec::new();
        for ((question, _), said) in &self.units {
            let next = numbers.len() as u32;
            let cluster = *numbers.entry(question.as_str()).or_insert(next);
            let mut counts = vec![0; 3];
            for side in said.values().filter_map(Said::verdict) {
                counts[side as usize] += 1;
            }
            subjects.push(RatedSubject { cluster, counts });
        }
        let compared = |subject: &&RatedSubject| subject.counts.iter().sum::<u32>() > 1;
        let questions: std::collections::BTreeSet<u32> = subjects
            .iter()
            .filter(compared)
            .map(|subject| subject.cluster)
            .collect();
        let kappa = match fleiss_kappa(&subjects, plan.level) {
            Ok(found) => Figure::new(Ok(found.value), found.interval.map_err(Error::from))?,
            Err(error) => Figure::new(Err(error.clone()), Err(error))?,
        };
        let mut names: Vec<&String> = self.units.values().flat_map(BTreeMap::keys).collect();
        names.sort_unstable();
        names.dedup();
        let differences = self.differences(&names, plan)?;
        let mut languages = Vec::with_capacity(names.len());
        for name in names {
            languages.push(self.language(name, &differences, plan.level)?);
        }
        Ok(TranslationReport {
            field: field.into(),
            kappa,
            agreement: rated_agreement(&subjects),
            tested: differences.len(),
            units: subjects.iter().filter(compared).count(),
            questions: questions.len(),
            languages,
            differences,
            level: plan.level,
        })
    }

    /// Tests for each two languages whether one flips more often, on units with both. Against the
    /// mean of all others an innocent language would differ as soon as one of them flips.
    fn differences(
        &self,
        names: &[&String],
        plan: &Bootstrap,
    ) -> Result<Vec<LanguageDifference>, InferenceError> {
        let pairs = names.len() * names.len().saturating_sub(1) / 2;
        let each = Bootstrap {
            level: 1.0 - (1.0 - plan.level) / pairs.max(1) as f64,
            ..*plan
        };
        let (mut differences, mut p) = (Vec::new(), Vec::new());
        for (at, first) in names.iter().enumerate() {
            for second in &names[at + 1..] {
                let rows = self.units.iter().filter_map(|((question, _), said)| {
                    let flips = [first, second].map(|name| said.get(*name)?.flips());
                    let [first, second] =
                        flips.map(|flips| flips.map(|it| f64::from(u8::from(it))));
                    Some((question, first? - second?))
                });
                let found = match clustered_difference(&ClusterDifference::of_pairs(rows), &each) {
                    Ok(found) => found,
                    Err(InferenceError::Undefined(_)) => continue,
                    Err(error) => return Err(error),
                };
                p.push(found.p_value);
                differences.push(LanguageDifference {
                    languages: [(*first).clone(), (*second).clone()],
                    difference: found.difference,
                    ci: found.interval,
                    p_adjusted: 1.0,
                    differs: false,
                });
            }
        }
        for (row, adjusted) in differences.iter_mut().zip(holm(&p)?) {
            row.p_adjusted = adjusted;
            row.differs = adjusted <= 1.0 - plan.level;
        }
        Ok(differences)
    }

    /// Measures one language, beside the others on the same units.
    fn language(
        &self,
        name: &str,
        differences: &[LanguageDifference],
        level: f64,
    ) -> Result<LanguageRow, InferenceError> {
        let (mut verdicts, mut without, mut agreeing, mut flips) = (0, 0, Vec::new(), Vec::new());
        for ((question, _), said) in &self.units {
            let Some(own) = said.get(name) else { continue };
            match own.verdict() {
                None => without += 1,
                Some(verdict) => {
                    verdicts += 1;
                    let others = said.iter().filter(|(language, _)| *language != name);
                    let theirs: Vec<Side> = others.filter_map(|(_, said)| said.verdict()).collect();
                    let same = theirs.iter().filter(|side| **side == verdict).count();
                    agreeing.push((question, same as f64, theirs.len() as f64));
                }
            }
            if let Some(flipped) = own.flips() {
                flips.push((question, f64::from(u8::from(flipped)), 1.0));
            }
        }
        let seen: Vec<(f64, [f64; 2], f64)> = differences
            .iter()
            .filter_map(|one| one.seen_by(name))
            .collect();
        let of_most = |value: fn(&(f64, [f64; 2], f64)) -> f64| {
            (!seen.is_empty()).then(|| reached_by_most(seen.iter().map(value).collect()))
        };
        let beyond = of_most(|one| one.0);
        let ci = of_most(|one| one.1[0]).zip(of_most(|one| one.1[1]));
        // Of the comparisons on its side, as many as are more than half of all.
        let p_adjusted = beyond.map(|beyond| {
            let on_its_side = seen.iter().filter(|one| one.0 * beyond > 0.0);
            let mut p: Vec<f64> = on_its_side.map(|one| one.2).collect();
            p.sort_by(f64::total_cmp);
            p.get(seen.len() / 2).copied().unwrap_or(1.0)
        });
        Ok(LanguageRow {
            language: name.into(),
            verdicts,
            without_verdict: without,
            agreement: Figure::of_rows(agreeing, level)?,
            flips: Figure::of_rows(flips, level)?,
            flips_beyond_others: beyond,
            ci: ci.map(|(low, high)| [low, high]),
            p_adjusted,
            differs: p_adjusted.is_some_and(|p| p <= 1.0 - level),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_stats::draw_numbers;
    use evenhand_testing::is_slow;

    const FIRST: Option<[f64; 3]> = Some([1.0, 0.0, 0.0]);
    const TIE: Option<[f64; 3]> = Some([0.0, 1.0, 0.0]);
    const SECOND: Option<[f64; 3]> = Some([0.0, 0.0, 1.0]);

    /// Units of one pair, a question each, with both orders in every language.
    fn collector(units: &[[[Option<[f64; 3]>; 2]; 3]]) -> TranslationCollector {
        let mut collector = TranslationCollector::default();
        for (at, unit) in units.iter().enumerate() {
            let said = ["de", "en", "sw"].into_iter().zip(unit);
            let said = said.map(|(language, orders)| {
                let said = Said {
                    judgments: orders.to_vec(),
                    same_within: None,
                    shows_same: false,
                };
                (language.to_owned(), said)
            });
            collector
                .units
                .insert((format!("q{at:03}"), [0, 1]), said.collect());
        }
        collector
    }

    #[test]
    fn kappa_and_flips_by_hand() {
        let units = [
            [[FIRST, FIRST], [FIRST, FIRST], [FIRST, SECOND]],
            [[SECOND, SECOND], [SECOND, SECOND], [SECOND, SECOND]],
            [[FIRST, FIRST], [FIRST, TIE], [SECOND, SECOND]],
            [[TIE, TIE], [TIE, TIE], [TIE, None]],
        ];
        let report = collector(&units)
            .measure("language", &Bootstrap::default())
            .unwrap();
        // Shares of pairs of languages that agree: 1/3 (first, first, tie), 1, 1/3 (the tie of
        // half a win is none: first, first, second), 1 (of two).
        assert!(
            (report.agreement.unwrap() - (1.0 / 3.0 + 1.0 + 1.0 / 3.0 + 1.0) / 4.0).abs() < 1e-12
        );
        assert_eq!((report.units, report.questions), (4, 4));
        let sw = &report.languages[2];
        assert_eq!((sw.verdicts, sw.without_verdict), (3, 1));
        assert_eq!(sw.flips.value, Some(1.0 / 3.0));
        // Of the verdicts of two others on three units: 0, 2 and 0 are the same.
        assert_eq!(sw.agreement.value, Some(2.0 / 6.0));
        assert_eq!(report.languages[0].flips.value, Some(0.0));
        assert!(report.languages.iter().all(|row| !row.differs));
    }

    #[test]
    fn a_language_that_flips_is_told_apart_and_equal_ones_are_not() {
        let unit = |flips: bool| {
            let sw = if flips {
                [FIRST, SECOND]
            } else {
                [FIRST, FIRST]
            };
            [[FIRST, FIRST], [FIRST, FIRST], sw]
        };
        let units: Vec<_> = (0..60).map(|at| unit(at % 2 == 0)).collect();
        let report = collector(&units)
            .measure("language", &Bootstrap::default())
            .unwrap();
        let differs: Vec<bool> = report.languages.iter().map(|row| row.differs).collect();
        assert_eq!(differs, [false, false, true], "{report:?}");
        let beyond = report.languages.iter().map(|row| row.flips_beyond_others);
        assert_eq!(
            beyond.collect::<Vec<_>>(),
            [Some(0.0), Some(0.0), Some(0.5)]
        );
        let calm: Vec<_> = (0..60).map(|_| unit(false)).collect();
        let report = collector(&calm)
            .measure("language", &Bootstrap::default())
            .unwrap();
        assert!(report.languages.iter().all(|row| !row.differs));
        assert!(
            report.kappa.value.is_none() && report.kappa.note.is_some(),
            "one category alone"
        );
        assert_eq!((report.agreement, report.tested), (Some(1.0), 3));
    }

    #[test]
    fn of_one_language_nothing_is_said() {
        let mut one = TranslationCollector::default();
        let said = Said {
            judgments: vec![FIRST, FIRST],
            same_within: None,
            shows_same: false,
        };
        one.units.insert(
            ("q".into(), [0, 1]),
            BTreeMap::from([("en".to_owned(), said)]),
        );
        let report = one.measure("language", &Bootstrap::default()).unwrap();
        assert!(report.kappa.value.is_none() && report.languages[0].flips_beyond_others.is_none());
        assert_eq!((report.agreement, report.tested), (None, 0));
        let none = TranslationCollector::default()
            .measure("language", &Bootstrap::default())
            .unwrap();
        assert_eq!((none.units, none.languages.len()), (0, 0));
    }

    /// Verdicts in three languages on questions of `pairs` pairs. A question has a difficulty u,
    /// even from 0 to 1, at which a language flips with the chance 2 u p; else its verdict is the
    /// first.
    fn drawn(seed: u64, questions: u64, pairs: usize, flips: [f64; 3]) -> TranslationCollector {
        let numbers = draw_numbers(seed, questions, 1 << 30);
        let mut numbers = numbers.map(|number| f64::from(number) / f64::from(1 << 30));
        let mut collector = TranslationCollector::default();
        for question in 0..questions {
            let difficulty = numbers.next().unwrap();
            for pair in 0..pairs as u32 {
                let said = ["de", "en", "sw"].into_iter().zip(flips);
                let said = said.map(|(language, flips)| {
                    let flipped = numbers.next().unwrap() < 2.0 * difficulty * flips;
                    let said = Said {
                        judgments: vec![FIRST, if flipped { SECOND } else { FIRST }],
                        same_within: None,
                        shows_same: false,
                    };
                    (language.to_owned(), said)
                });
                let unit = (format!("q{question:04}"), [pair, pair + 1]);
                collector.units.insert(unit, said.collect());
            }
        }
        collector
    }

    #[test]
    fn what_most_reach_is_never_what_half_reach() {
        assert_eq!(reached_by_most(vec![1.0, 1.0]), 1.0);
        assert_eq!(reached_by_most(vec![0.0, -1.0]), 0.0);
        assert_eq!(reached_by_most(vec![-0.2, -1.0]), -0.2);
        assert_eq!(reached_by_most(vec![0.3, 0.2, -1.0]), 0.2);
        assert_eq!(reached_by_most(vec![0.3, 0.2, -0.1, -1.0]), 0.0);
        assert_eq!(reached_by_most(vec![0.4]), 0.4);
    }

    /// How often intervals of flips, of agreement with the others and of flips beyond theirs miss
    /// what was planted, and how often an innocent language is told apart, beside a planted one or
    /// not.
    #[test]
    fn intervals_hold_what_was_planted() {
        let (seeds, sizes): (u64, &[u64]) = match is_slow() {
            true => (500, &[20, 50, 100, 400]),
            false => (20, &[20]),
        };
        let error = (0.05 * 0.95 / seeds as f64).sqrt();
        let cells = [
            (1, [0.05; 3]),
            (1, [0.2; 3]),
            (1, [0.4; 3]),
            (3, [0.2; 3]),
            (1, [0.1, 0.1, 0.4]),
            (1, [0.02, 0.02, 0.5]),
        ];
        for (pairs, flips) in cells {
            for &questions in sizes {
                // Flips, agreement, flips beyond the others: missed, of how many.
                let mut missed = [[0.0; 2]; 3];
                let mut accused = 0.0;
                for seed in 0..seeds {
                    let plan = Bootstrap {
                        rounds: 400,
                        seed,
                        ..Bootstrap::default()
                    };
                    let report = drawn(seed, questions, pairs, flips);
                    let report = report.measure("language", &plan).unwrap();
                    for (at, row) in report.languages.iter().enumerate() {
                        let own = flips[at];
                        let others = (flips.iter().sum::<f64>() - own) / 2.0;
                        let beyond = (0..3).filter(|other| *other != at);
                        let beyond = reached_by_most(beyond.map(|it| own - flips[it]).collect());
                        // Both flip, or neither; the mean of (2 u)^2 is 4 / 3.
                        let same = 1.0 - own - others + 8.0 / 3.0 * own * others;
                        let closed = |figure: &Figure| {
                            figure
                                .ci
                                .map(|ends| ends.map(|end| end.unwrap_or(f64::NAN)))
                        };
                        let cis = [closed(&row.flips), closed(&row.agreement), row.ci];
                        for (missed, (ci, truth)) in missed
                            .iter_mut()
                            .zip(cis.into_iter().zip([own, same, beyond]))
                        {
                            let Some([low, high]) = ci else { continue };
                            missed[0] += f64::from(u8::from(low > truth || high < truth));
                            missed[1] += 1.0;
                        }
                    }
                    // The first two are innocent in all cells.
                    let mut innocent = report.languages[..2].iter();
                    accused += f64::from(u8::from(innocent.any(|row| row.differs)));
                }
                let [flips_missed, agreement, beyond] = missed.map(|[missed, of]| missed / of);
                println!(
                    "{questions} questions of {pairs}, flips {flips:?}: missed {flips_missed:.4}, \
                     agreement {agreement:.4}, beyond {beyond:.4}; innocent told apart {:.3} \
                     ({error:.4})",
                    accused / seeds as f64
                );
                let accused = accused / seeds as f64;
                let worst = flips_missed.max(agreement).max(beyond).max(accused);
                assert!(
                    worst <= 0.05 + 4.0 * error,
                    "{questions} {flips:?}: {missed:?}"
                );
            }
        }
    }
}
