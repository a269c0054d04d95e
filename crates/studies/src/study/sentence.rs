//! The answer of a study in one sentence: who is right most often, and which protocols the study's
//! own tests tell apart.

use super::totals::TOTAL;
use super::{StudyReport, StudyRow, bencher_label};
use crate::Figure;
use crate::judge::{Evaluation, PairedDifference, PairedMeasure};
use evenhand_core::p_value_text;

impl StudyReport {
    /// Returns the answer in one sentence, without a full stop; None where nothing has a value. Of
    /// several labelled sets it is that of all together, and of the first where they are not
    /// summed.
    pub fn answer(&self) -> Option<String> {
        self.answer_of_labelled()
            .or_else(|| self.answer_of_benchers())
    }

    // Long, and flat: which set is meant, who is right most often there, and what the tests say.
    fn answer_of_labelled(&self) -> Option<String> {
        let sets = match self.totals.is_empty() {
            true => &self.labelled,
            false => &self.totals,
        };
        // What is compared is of a total, which goes by the set's own name where there is one set.
        let is_there = |total: &&str| sets.iter().any(|(name, _)| name == total);
        let compared = self.differences.first().map(|one| one.total.as_str());
        let input = compared.into_iter().chain([TOTAL]).find(is_there);
        let input = input.or_else(|| Some(sets.first()?.0.as_str()))?;
        let is_single = sets.iter().all(|(name, _)| name == input);
        let tested = self.differences.iter();
        let tested = tested.filter(|one| one.total == input || is_single);
        // Each judge's were corrected by themselves: together they are as many families
        // (Bonferroni).
        let families = tested.clone().count() as f64;
        let differences: Vec<&PairedDifference> = tested.flat_map(|one| &one.differences).collect();
        // A verdict that changes with the order does not count the same in all protocols.
        let in_both = differences
            .iter()
            .any(|one| one.measure == PairedMeasure::AccuracyBoth);
        let accuracy = |one: &Evaluation| match in_both {
            true => one.total.measures.accuracy_both.clone(),
            false => one.total.measures.accuracy.clone(),
        };
        let here = sets.iter().filter(|(name, _)| name == input);
        let valued = here.filter_map(|(_, one)| Some((one, accuracy(one).value?)));
        let valued: Vec<(&Evaluation, f64)> = valued.collect();
        // The first of those that are as often right.
        let best = valued.iter().copied();
        let (best, value) = best.reduce(|one, other| if other.1 > one.1 { other } else { one })?;
        let name = match best.protocol.as_str() {
            "" => best.judge.clone(),
            protocol => format!("{} with {protocol}", best.judge),
        };
        let right = format!("{:.0} %{}", 100.0 * value, range(&accuracy(best), ""));
        let pairs = best.total.counts.pairs;
        let of = if input == TOTAL { "all sets" } else { input };
        let on = format!("{pairs} pair{} of {of}", if pairs == 1 { "" } else { "s" });
        let both = if in_both { " in both orders" } else { "" };
        // Where no label is a tie, a coin is right half of the time.
        let is_above = |one: &Evaluation| match accuracy(one).ci {
            Some([Some(low), _]) => low > 0.5,
            _ => true,
        };
        let knows_chance = !in_both && best.total.measures.tied_labels == 0;
        let none_is_above = knows_chance && !valued.iter().any(|(one, _)| is_above(one));
        let who = match valued.len() {
            1 => format!("{name} is right{both} in {right} on {on}"),
            all if none_is_above => format!(
                "None of {all} ways to judge is shown to be right more often than a coin; the best, \
                 {name}, is right in {right} on {on}"
            ),
            all => {
                format!("Of {all} ways to judge, {name} is right{both} most often: {right} on {on}")
            }
        };

        let most = 1.0 - self.plan.level;
        let sure = differences.iter().filter_map(|one| {
            let (p, value) = (one.p_corrected?, one.difference.value?);
            let p = (p * families).min(1.0);
            (p <= most && value != 0.0).then_some((*one, p))
        });
        let sure: Vec<(&PairedDifference, f64)> = sure.collect();
        let clearest = sure.iter().copied();
        let clearest = clearest.reduce(|one, other| if other.1 < one.1 { other } else { one });
        // How far the intervals of differences reach says how much could be hidden.
        let widths = differences
            .iter()
            .filter_map(|one| match one.difference.ci {
                Some([Some(low), Some(high)]) => Some(100.0 * low.abs().max(high.abs())),
                _ => None,
            });
        let reach = widths.reduce(f64::max).map_or_else(String::new, |points| {
            format!(" (up to {points:.0} points are not ruled out)")
        });
        let apart = match (clearest, differences.len(), valued.len()) {
            (None, 0, 1) => String::new(),
            (None, 0, _) if self.variations.is_empty() => {
                "; whether it is ahead of the others was not tested".into()
            }
            (None, 0, _) => self.answer_on_prompts(|total| total == input || is_single),
            (None, 1, _) => format!("; the one difference between protocols may be noise{reach}"),
            (None, all, _) => {
                format!("; each of {all} differences between protocols may be noise{reach}")
            }
            (Some((one, p)), 1, _) => format!("; {}", ahead(one, p)),
            (Some((one, p)), all, _) => format!(
                "; {} of {all} differences between protocols {} more than noise, the clearest: {}",
                sure.len(),
                if sure.len() == 1 { "is" } else { "are" },
                ahead(one, p)
            ),
        };
        let is_said = none_is_above && valued.len() > 1;
        let chance = match !knows_chance || is_above(best) || is_said {
            true => "",
            false => ", not shown to be more than a coin's 50 %",
        };
        Some(format!("{who}{chance}{apart}"))
    }

    /// Says whether the study's own prompts and those of other packs are told apart on these totals.
    fn answer_on_prompts(&self, is_counted: impl Fn(&str) -> bool) -> String {
        let most = 1.0 - self.plan.level;
        let counted = self.variations.iter().filter(|one| is_counted(&one.total));
        // Those of each type were corrected by themselves.
        let families = counted.clone().count() as f64;
        let all: Vec<&PairedDifference> = counted.flat_map(|one| &one.differences).collect();
        let sure = all.iter().filter_map(|one| {
            let p = (one.p_corrected? * families).min(1.0);
            (p <= most && one.difference.value? != 0.0).then_some((*one, p))
        });
        let clearest = sure
            .clone()
            .reduce(|one, other| if other.1 < one.1 { other } else { one });
        match clearest {
            None => "; the differences between the prompts may be noise".into(),
            Some((one, p)) => format!(
                "; {} of {} differences between prompts {} more than noise, the clearest: {}",
                sure.clone().count(),
                all.len(),
                if sure.count() == 1 { "is" } else { "are" },
                ahead(one, p)
            ),
        }
    }

    fn answer_of_benchers(&self) -> Option<String> {
        let rho = |row: &StudyRow| row.bencher.figures.spearman.value;
        let valued = self.rows.iter().filter_map(|row| Some((row, rho(row)?)));
        let valued: Vec<(&StudyRow, f64)> = valued.collect();
        let best = valued.iter().copied();
        let (best, value) = best.reduce(|one, other| if other.1 > one.1 { other } else { one })?;
        let interval = match best.bencher.figures.spearman.ci {
            Some([Some(low), Some(high)]) => format!(" ({low:.2} to {high:.2})"),
            _ => String::new(),
        };
        let (name, systems) = (bencher_label(best), best.bencher.n);
        let rho = format!("rho {value:.2}{interval} on {systems} systems");
        Some(match valued.len() {
            1 => format!("{name} agrees with people with {rho}"),
            all => format!(
                "Of {all} benchers {name} agrees most with people: {rho}; whether it is ahead of \
                 the others was not tested"
            ),
        })
    }
}

/// Says which of two is ahead, by how much, and by which p-value.
fn ahead(one: &PairedDifference, p: f64) -> String {
    let value = one.difference.value.unwrap_or_default();
    let [first, second] = one.names.each_ref().map(String::as_str);
    // Both are `judge, protocol`; a judge that they share is named before.
    let parts = first.rsplit_once(", ").zip(second.rsplit_once(", "));
    let (first, second) = match parts {
        Some(((judge, first), (other, second))) if judge == other => (first, second),
        _ => (first, second),
    };
    let (first, second) = if value < 0.0 {
        (second, first)
    } else {
        (first, second)
    };
    let mut figure = one.difference.clone();
    if value < 0.0 {
        figure.ci = figure
            .ci
            .map(|[low, high]| [high, low].map(|end| end.map(|end| -end)));
    }
    let by = match one.measure {
        PairedMeasure::Accuracy => "",
        PairedMeasure::AccuracyBoth => ", right in both orders",
    };
    let p = format!("p {}", p_value_text(p));
    let points = 100.0 * value.abs();
    let ends = range(&figure, &format!("; {p}"));
    let ends = if ends.is_empty() {
        format!(" ({p})")
    } else {
        ends
    };
    format!("{first} is ahead of {second} by {points:.1} points{ends}{by}")
}

/// Writes an interval of shares in brackets, with what stands behind it.
fn range(figure: &Figure, and: &str) -> String {
    match figure.ci {
        Some([Some(low), Some(high)]) => {
            format!(" ({:.0} to {:.0}{and})", 100.0 * low, 100.0 * high)
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ProtocolDifferences;
    use super::*;
    use proptest::prelude::*;

    fn figure(value: f64, low: f64, high: f64) -> Figure {
        Figure {
            value: Some(value),
            ci: Some([Some(low), Some(high)]),
            note: None,
        }
    }

    fn evaluation(protocol: &str, accuracy: f64) -> (String, Evaluation) {
        let mut one = Evaluation {
            judge: "J".into(),
            protocol: protocol.into(),
            ..Evaluation::default()
        };
        one.total.measures.accuracy = figure(accuracy, accuracy - 0.07, accuracy + 0.07);
        one.total.counts.pairs = 180;
        ("set".into(), one)
    }

    fn difference(value: f64, p: f64) -> PairedDifference {
        PairedDifference {
            names: ["J, P".into(), "J, Q".into()],
            pairs: 180,
            measure: PairedMeasure::Accuracy,
            accuracies: [0.5 + value, 0.5],
            difference: figure(value, value - 0.04, value + 0.04),
            ahead: [1, 1],
            p: Some(p),
            drawn: None,
            p_corrected: Some(p),
        }
    }

    fn report(protocols: &[f64], differences: Vec<PairedDifference>) -> StudyReport {
        let evaluations = protocols.iter().zip(["P", "Q", "R", "S", "T"]);
        StudyReport {
            labelled: evaluations
                .map(|(accuracy, name)| evaluation(name, *accuracy))
                .collect(),
            differences: vec![ProtocolDifferences {
                total: "total".into(),
                judge: "J".into(),
                differences,
            }],
            ..StudyReport::default()
        }
    }

    #[test]
    fn who_is_right_and_who_is_ahead_stand_with_their_intervals() {
        let say = |protocols: &[f64], found| report(protocols, found).answer().unwrap();
        assert_eq!(
            say(&[0.64], Vec::new()),
            "J with P is right in 64 % (57 to 71) on 180 pairs of set"
        );
        // An interval that holds a half is no better than a coin.
        assert_eq!(
            say(&[0.53], Vec::new()),
            "J with P is right in 53 % (46 to 60) on 180 pairs of set, not shown to be more than a \
             coin's 50 %"
        );
        assert_eq!(
            say(&[0.53, 0.5], Vec::new()),
            "None of 2 ways to judge is shown to be right more often than a coin; the best, J with \
             P, is right in 53 % (46 to 60) on 180 pairs of set; whether it is ahead of the others \
             was not tested"
        );
        assert_eq!(
            say(&[0.59, 0.64], vec![difference(-0.05, 0.02)]),
            "Of 2 ways to judge, J with Q is right most often: 64 % (57 to 71) on 180 pairs of \
             set; Q is ahead of P by 5.0 points (1 to 9; p 0.020)"
        );
        assert_eq!(
            say(&[0.64, 0.59], vec![difference(0.05, 0.2)]),
            "Of 2 ways to judge, J with P is right most often: 64 % (57 to 71) on 180 pairs of \
             set; the one difference between protocols may be noise (up to 9 points are not \
             ruled out)"
        );
        assert_eq!(StudyReport::default().answer(), None);
    }

    /// The whole of a set goes by the set's name, and what is compared by the total's; with a total
    /// of several sets the answer is that one's. Judges are families of their own.
    #[test]
    fn the_differences_are_of_the_set_that_is_named() {
        let of = |name: &str, accuracy| {
            let (_, one) = evaluation("P", accuracy);
            (name.to_string(), one)
        };
        let mut found = report(&[], vec![difference(0.05, 0.02)]);
        found.totals = vec![of("chat", 0.6), of("chat", 0.7)];
        let said = found.answer().unwrap();
        assert!(said.contains("of chat; P is ahead of Q"), "{said}");
        found.totals.extend([of(TOTAL, 0.8), of(TOTAL, 0.5)]);
        let said = found.answer().unwrap();
        assert!(
            said.contains("80 % (73 to 87) on 180 pairs of all sets; P is"),
            "{said}"
        );
        // Of three judges with a test each, 0.02 is 0.06.
        let one = found.differences[0].clone();
        found.differences = vec![one.clone(), one.clone(), one];
        let said = found.answer().unwrap();
        assert!(
            said.contains("each of 3 differences between protocols may be noise"),
            "{said}"
        );
    }

    #[test]
    fn where_verdicts_count_unlike_those_right_in_both_orders_are_said() {
        let mut found = report(&[0.66, 0.63], vec![difference(-0.08, 0.01)]);
        found.differences[0].differences[0].measure = PairedMeasure::AccuracyBoth;
        for (at, both) in [(0, 0.55), (1, 0.63)] {
            found.labelled[at].1.total.measures.accuracy_both = figure(both, 0.5, 0.7);
        }
        let said = found.answer().unwrap();
        assert!(
            said.contains("J with Q is right in both orders most often: 63 %"),
            "{said}"
        );
    }

    proptest! {
        /// It says that one is ahead exactly where a corrected test found it, and who is.
        #[test]
        fn it_claims_what_the_tests_found(
            found in proptest::collection::vec((-30_i32..=30, 0.0_f64..0.2), 0..6),
            right in proptest::collection::vec(0.1_f64..0.9, 1..5),
        ) {
            let found: Vec<PairedDifference> = found
                .into_iter()
                .map(|(points, p)| difference(f64::from(points) / 100.0, p))
                .collect();
            let sure: Vec<&PairedDifference> = found
                .iter()
                .filter(|one| one.p_corrected <= Some(0.05) && one.difference.value != Some(0.0))
                .collect();
            let report = report(&right, found.clone());
            let answer = report.answer();
            prop_assert!(answer.is_some());
            let answer = answer.unwrap_or_default();
            let claims = ["is ahead of P", "is ahead of Q"].iter().any(|one| answer.contains(one));
            prop_assert_eq!(claims, !sure.is_empty(), "{}", &answer);
            prop_assert_eq!(
                answer.contains("may be noise"), sure.is_empty() && !found.is_empty(), "{}", &answer
            );
            if let Some(least) = sure.iter().map(|one| one.p_corrected).min_by(|one, other| {
                one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal)
            }) {
                let leads = sure.iter().filter(|one| one.p_corrected == least);
                let said = leads.map(|one| match one.difference.value > Some(0.0) {
                    true => "P is ahead of Q",
                    false => "Q is ahead of P",
                });
                prop_assert!(said.clone().any(|said| answer.contains(said)), "{}", &answer);
            }
            let most = right.iter().copied().fold(0.0, f64::max);
            let share = format!("{:.0} % (", 100.0 * most);
            prop_assert!(answer.contains(&share), "{}", answer);
        }
    }
}
