//! The answer of a study in one sentence: who is right most often, and which protocols the study's
//! own tests tell apart.

use super::totals::TOTAL;
use super::{MethodMean, StudyReport, StudyRow};
use crate::Figure;
use crate::judge::{Evaluation, MethodFigures, PairedDifference, PairedMeasure};
use evenhand_core::{in_order, p_value_text};
use evenhand_ranking::list_in_words;

impl StudyReport {
    /// Returns the answer in one sentence, without a full stop; None where nothing has a value. Of
    /// several labelled sets it is that of all together, and of the first where they are not
    /// summed.
    pub fn answer(&self) -> Option<String> {
        self.answer_of_labelled()
            .or_else(|| self.answer_of_benchers())
            .or_else(|| self.answer_of_methods())
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
        let tested = tested.filter(|one| {
            one.total == input || (is_single && Some(one.total.as_str()) == compared)
        });
        let between = match tested.clone().any(|one| one.judge.is_none()) {
            true => "ways to judge",
            false => "protocols",
        };
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
        let name_of = |one: &Evaluation| match one.protocol.as_str() {
            "" => one.judge.clone(),
            protocol => format!("{} with {protocol}", one.judge),
        };
        let name = name_of(best);
        let equals = valued
            .iter()
            .filter(|(one, other)| !std::ptr::eq(*one, best) && (other - value).abs() < EQUAL);
        let equals = equals.map(|(one, _)| name_of(one)).collect();
        let equals = equals_text(["is", "are"], equals);
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
                 {name}, is right in {right} on {on}{equals}"
            ),
            all => {
                format!(
                    "Of {all} ways to judge, {name} is right{both} most often{equals}: {right} on \
                     {on}"
                )
            }
        };

        let most = 1.0 - self.plan.level;
        // Those of a total were corrected together, so that what is counted here is what the table
        // shows.
        let sure = differences.iter().copied();
        let sure: Vec<&PairedDifference> = sure.filter(|one| is_sure(one, most)).collect();
        let clearest = clearest_of(&sure);
        let names_judges = valued.iter().any(|(one, _)| one.judge != best.judge);
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
            (None, 0, _) => self.answer_on_prompts(input, is_single, names_judges),
            (None, 1, _) => format!("; the one difference between {between} may be noise{reach}"),
            (None, all, _) => {
                format!("; each of {all} differences between {between} may be noise{reach}")
            }
            (Some(one), 1, _) => format!("; {}", ahead(one, names_judges)),
            (Some(one), all, _) => format!(
                "; {} of {all} differences between {between} {} more than noise, the clearest: \
                 {}{}",
                sure.len(),
                if sure.len() == 1 { "is" } else { "are" },
                ahead(one, names_judges),
                lead_text(best, &valued, &differences, &sure)
            ),
        };
        let is_said = none_is_above && valued.len() > 1;
        let chance = match !knows_chance || is_above(best) || is_said {
            true => "",
            false => ", not shown to be more than a coin's 50 %",
        };
        Some(format!("{who}{chance}{apart}"))
    }

    /// Says whether the study's own prompts and those of other packs are told apart on this total.
    fn answer_on_prompts(&self, input: &str, is_single: bool, names_judges: bool) -> String {
        let total = match (is_single, self.variations.first()) {
            (true, Some(first)) => first.total.as_str(),
            _ => input,
        };
        let counted = self.variations.iter().filter(|one| one.total == total);
        let all: Vec<&PairedDifference> = counted.flat_map(|one| &one.differences).collect();
        let sure = all.iter().copied();
        let sure = sure.filter(|one| is_sure(one, 1.0 - self.plan.level));
        let sure: Vec<&PairedDifference> = sure.collect();
        match clearest_of(&sure) {
            None => "; the differences between the prompts may be noise".into(),
            Some(one) => format!(
                "; {} of {} differences between prompts {} more than noise, the clearest: {}",
                sure.len(),
                all.len(),
                if sure.len() == 1 { "is" } else { "are" },
                ahead(one, names_judges)
            ),
        }
    }

    /// Returns the benchers that agree most with people, and equally, in the order of the study,
    /// with their rho: of those that rank the systems that are compared, on the input set of the
    /// first.
    pub(super) fn best_benchers(&self) -> Option<(Vec<usize>, f64)> {
        let is_compared = |at: &usize| !self.compared.iter().any(|one| one.left_out.contains(at));
        let rho = |at: usize| self.rows.get(at)?.bencher.figures.spearman.value;
        let places = (0..self.rows.len()).filter(is_compared);
        let valued: Vec<(usize, f64)> = places.filter_map(|at| Some((at, rho(at)?))).collect();
        let best = valued.iter().copied();
        let (best, value) = best.reduce(|one, other| if other.1 > one.1 { other } else { one })?;
        // Only those on the same input set and systems are as good: the others' equal figures are
        // of other things.
        let of = |at: usize| (&self.rows[at].input, self.rows[at].bencher.n);
        let equal = valued.iter();
        let equal = equal.filter(|(at, other)| *other == value && of(*at) == of(best));
        Some((equal.map(|(at, _)| *at).collect(), value))
    }

    // Long, and flat: the judge, the bencher, what the advice takes, and who is left out.
    fn answer_of_benchers(&self) -> Option<String> {
        let (best, value) = self.best_benchers()?;
        // Of several that agree equally, the one that the advice takes.
        let taken = self.recommendation.as_ref();
        let named = taken
            .map(|found| found.row)
            .filter(|row| best.contains(row));
        let named = &self.rows[named.unwrap_or(best[0])];
        let name_of = |row: &StudyRow| {
            let reference = row.reference.iter();
            let reference = reference.map(|system| format!(" against {system}"));
            let reference: String = reference.collect();
            let (judge, input, kind) = (&row.judge, &row.input, &row.kind);
            format!(
                "{judge} on {input} ({kind}{reference}, {})",
                row.aggregation
            )
        };
        let interval = match named.bencher.figures.spearman.ci {
            Some([Some(low), Some(high)]) => format!(" ({low:.2} to {high:.2})"),
            _ => String::new(),
        };
        let (name, systems) = (name_of(named), named.bencher.n);
        let rho = format!("rho {value:.2}{interval} on {systems} systems");
        let is_left_out = |at: &usize| self.compared.iter().any(|one| one.left_out.contains(at));
        let valued = self.rows.iter().enumerate();
        let valued = valued
            .filter(|(at, row)| row.bencher.figures.spearman.value.is_some() && !is_left_out(at));
        let judges = self.best_judge_text();
        let of = if judges.is_some() { "of" } else { "Of" };
        let (all, others) = (valued.count(), best.len() - 1);
        let agrees = match (all, others) {
            (1, _) => format!("{name} agrees with people with {rho}"),
            (_, 0) => {
                let untested = match judges {
                    Some(_) => "",
                    None => "; whether it is ahead of the others was not tested",
                };
                format!("{of} {all} benchers {name} agrees most with people: {rho}{untested}")
            }
            (_, others) => format!(
                "{of} {all} benchers {name} agrees most with people, as {} {others} more on the \
                 same systems: {rho}",
                if others == 1 { "does" } else { "do" }
            ),
        };
        let advised = taken.filter(|_| all > 1).and_then(|found| {
            let row = self.rows.get(found.row)?;
            let part = match found.items < found.of {
                true => format!(" on {} of {} inputs", found.items, found.of),
                false => String::new(),
            };
            let who = match std::ptr::eq(row, named) {
                true => "it".into(),
                false => name_of(row),
            };
            Some(match &found.why {
                Some(why) => format!("; the advice takes {who}{part}, {why}"),
                None if others > 0 && found.cost.is_some() => {
                    "; the advice takes it: none of these is cheaper".into()
                }
                None => format!("; the advice takes {who}{part}"),
            })
        });
        let left_out = self.compared.iter().map(|one| one.left_out.len());
        let left_out = match left_out.sum::<usize>() {
            0 => String::new(),
            1 => "; 1 that ranks fewer systems, or others, is left out".into(),
            several => format!("; {several} that rank fewer systems, or others, are left out"),
        };
        let judges = judges.map_or_else(String::new, |text| format!("{text}; "));
        Some(format!(
            "{judges}{agrees}{}{left_out}",
            advised.unwrap_or_default()
        ))
    }

    /// Says which judge is the best on each input set that ranks several, and whether it is told
    /// apart from the others there; None where none does.
    fn best_judge_text(&self) -> Option<String> {
        let ranks = || self.judge_ranks.iter().filter(|one| one.rank.is_some());
        let mut found: Vec<(&str, Vec<&str>, bool)> = Vec::new();
        for input in in_order(ranks().map(|one| one.input.as_str())) {
            let here = ranks().filter(|one| one.input == input);
            let first = here.clone().filter(|one| one.rank == Some(1));
            let is_apart = first.clone().all(|one| one.rank_high == Some(1));
            let names: Vec<&str> = first.map(|one| one.judge.as_str()).collect();
            if here.count() > 1 {
                let is_apart = is_apart && names.len() == 1;
                found.push((input, names, is_apart));
            }
        }
        let (_, names, _) = found.first()?;
        if found.iter().all(|(_, others, _)| others == names) {
            let be = if names.len() == 1 { "is" } else { "are" };
            let inputs = listed(found.iter().map(|(input, ..)| *input));
            let apart = found.iter().filter(|(.., is_apart)| *is_apart);
            let apart: Vec<&str> = apart.map(|(input, ..)| *input).collect();
            let is_told = match apart.len() {
                0 => "not told apart from the others".into(),
                all if all == found.len() => "told apart from the others".into(),
                _ => format!("told apart from the others on {} alone", listed(apart)),
            };
            let who = listed(names.iter().copied());
            return Some(format!("The best judge on {inputs} {be} {who}, {is_told}"));
        }
        let each = found.iter().map(|(input, names, is_apart)| {
            let told = if *is_apart {
                ""
            } else {
                " (not told apart from the others)"
            };
            format!("{} on {input}{told}", listed(names.iter().copied()))
        });
        Some(format!(
            "The best judge is {}",
            each.collect::<Vec<_>>().join(", ")
        ))
    }

    /// Says which method gives the same verdict in both orders most often, and how much more often
    /// than its baseline: of the first set of pairs, by the mean over most judges and forms.
    // Long, and flat: what is meant, who is most often consistent, and whether that is a gain.
    fn answer_of_methods(&self) -> Option<String> {
        let input = &self.methods.first()?.input;
        // A mean is over several columns; where there is none, each method stands for itself.
        let means = self.method_means.iter().filter(|mean| mean.input == *input);
        let most = means.clone().map(|mean| mean.columns).max();
        let (named, over): (Vec<(String, &MethodFigures, bool)>, String) = match most {
            Some(most) => {
                let means: Vec<&MethodMean> = means.filter(|mean| mean.columns == most).collect();
                let (judges, forms) = means
                    .first()
                    .map_or((1, 1), |mean| (mean.judges, mean.forms));
                let named = means.into_iter().map(|mean| {
                    let has_baseline = !mean.baselines.is_empty();
                    (mean.method.clone(), &mean.figures, has_baseline)
                });
                let plural = |count: usize, word: &str| {
                    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
                };
                let over = format!(
                    ", on average over {} and {}",
                    plural(judges, "judge"),
                    plural(forms, "form")
                );
                (named.collect(), over)
            }
            None => {
                let rows = self.methods.iter().filter(|row| row.input == *input);
                let named = rows.map(|row| {
                    let name = format!("{} with {}", row.judge, row.kind);
                    (name, &row.figures, row.baseline.is_some())
                });
                (named.collect(), String::new())
            }
        };
        let valued = named.iter();
        let valued = valued.filter_map(|(name, figures, has_baseline)| {
            Some((name, *figures, *has_baseline, figures.consistent.value?))
        });
        let valued: Vec<_> = valued.collect();
        let best = valued.iter().copied();
        let (name, figures, has_baseline, value) =
            best.reduce(|one, other| if other.3 > one.3 { other } else { one })?;
        let equals = valued
            .iter()
            .filter(|(other, _, _, of_other)| other != &name && (of_other - value).abs() < EQUAL);
        let equals = equals.map(|(other, ..)| (*other).clone()).collect();
        let equals = equals_text(["does", "do"], equals);
        let ends = range(&figures.consistent, "");
        let share = format!("{:.0} %{ends} of the pairs of {input}{over}", 100.0 * value);
        let gain = &figures.consistent_gain;
        let gained = match (has_baseline, gain.value) {
            (true, Some(more)) => {
                let ends = range(gain, "");
                let is_shown = gain
                    .ci
                    .is_some_and(|[low, _]| low.is_some_and(|low| low > 0.0));
                let noise = if is_shown { "" } else { ", which may be noise" };
                let (size, way) = (100.0 * more.abs(), if more < 0.0 { "less" } else { "more" });
                format!("; that is {size:.0} %{ends} {way} often than its baseline{noise}")
            }
            (true, None) => "; how much more often than its baseline is not known".into(),
            (false, _) if valued.len() > 1 => {
                "; it is a baseline, and no method is more often consistent".into()
            }
            (false, _) => String::new(),
        };
        Some(match valued.len() {
            1 => format!("{name} gives the same verdict in both orders on {share}{gained}"),
            all => format!(
                "Of {all} methods {name} gives the same verdict in both orders most often{equals}: \
                 on {share}{gained}"
            ),
        })
    }
}

/// Shares nearer than this are equal: they are sums of rounded numbers.
const EQUAL: f64 = 1e-9;

/// Says who shares the first place with the one that is named; the verb is of one, and of several.
/// Empty where nobody does.
fn equals_text([one, several]: [&str; 2], names: Vec<String>) -> String {
    match &names[..] {
        [] => String::new(),
        [name] => format!(", as {one} {name}"),
        names => format!(", as {several} {} others", names.len()),
    }
}

/// Whether a difference is more than noise among all that were corrected with it; `most` is the
/// largest p-value of such a one.
fn is_sure(one: &PairedDifference, most: f64) -> bool {
    one.p_corrected.is_some_and(|p| p <= most) && one.difference.value != Some(0.0)
}

/// Returns the one with the smallest corrected p-value; of several, which a correction often makes
/// equal, the one whose own is the smallest.
fn clearest_of<'a>(sure: &[&'a PairedDifference]) -> Option<&'a PairedDifference> {
    let p_values = |one: &PairedDifference| [one.p_corrected, one.p].map(|p| p.unwrap_or(1.0));
    let order = |one: &&&PairedDifference, other: &&&PairedDifference| {
        let [[own, raw], [others, others_raw]] = [one, other].map(|one| p_values(one));
        own.total_cmp(&others).then(raw.total_cmp(&others_raw))
    };
    sure.iter().min_by(order).copied()
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(String::from).collect();
    list_in_words(&names)
}

/// Says whether the best of several ways to judge is shown to be ahead of the next.
fn lead_text(
    best: &Evaluation,
    valued: &[(&Evaluation, f64)],
    differences: &[&PairedDifference],
    sure: &[&PairedDifference],
) -> String {
    let others = valued.iter().copied();
    let others = others.filter(|(one, _)| !std::ptr::eq(*one, best));
    let next = others.reduce(|one, other| if other.1 > one.1 { other } else { one });
    let Some((next, _)) = next else {
        return String::new();
    };
    let asked = |one: &Evaluation| match one.protocol.as_str() {
        "" => one.judge.clone(),
        protocol => format!("{}, {protocol}", one.judge),
    };
    let names = [asked(best), asked(next)];
    let is_theirs = |one: &&&PairedDifference| names.iter().all(|name| one.names.contains(name));
    let next = asked_with(&names[1]);
    let Some(one) = differences.iter().find(is_theirs) else {
        return format!("; whether the best is ahead of the next, {next}, was not tested");
    };
    let is_first = one.names[0] == names[0];
    let is_ahead = one
        .difference
        .value
        .is_some_and(|value| (value > 0.0) == is_first);
    match sure.iter().any(|sure| std::ptr::eq(*sure, *one)) {
        true if is_ahead => format!("; the best is ahead of the next, {next}"),
        true => format!("; on the pairs that both judged, the best is behind the next, {next}"),
        false => format!("; the best is not shown to be ahead of the next, {next}"),
    }
}

/// Writes `judge, protocol` as the sentence names a way to judge.
fn asked_with(name: &str) -> String {
    match name.rsplit_once(", ") {
        Some((judge, protocol)) => format!("{judge} with {protocol}"),
        None => name.into(),
    }
}

/// Says which of two is ahead, by how much, and by which corrected p-value. A judge is named where
/// there are several.
fn ahead(one: &PairedDifference, names_judges: bool) -> String {
    let value = one.difference.value.unwrap_or_default();
    let [first, second] = one.names.each_ref().map(String::as_str);
    // Both are `judge, protocol`.
    let parts = first.rsplit_once(", ").zip(second.rsplit_once(", "));
    let (first, second) = match parts {
        Some(((judge, first), (other, second))) if judge == other && !names_judges => {
            (first.to_string(), second.to_string())
        }
        _ => (asked_with(first), asked_with(second)),
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
    let p = one.p_corrected.map(p_value_text).unwrap_or_default();
    let p = format!("p {p}");
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
    use super::super::totals::compare_ways;
    use super::super::{MethodRow, ProtocolDifferences, RelativeCost};
    use super::*;
    use crate::judge::{Game, JudgedPairs, LabelledPair, Settings, evaluate};
    use evenhand_core::Side;
    use evenhand_stats::{Bootstrap, draw_numbers};
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
                judge: Some("J".into()),
                differences,
                not_compared: Vec::new(),
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

    #[test]
    fn who_shares_the_first_place_is_said() {
        let said = |right: &[f64]| {
            let mut found = report(right, vec![difference(0.0, 1.0)]);
            for (at, (_, one)) in found.labelled.iter_mut().enumerate() {
                one.protocol = format!("P{at}");
            }
            found.answer().unwrap()
        };
        let two = said(&[0.7, 0.717, 0.717]);
        assert!(
            two.contains("J with P1 is right most often, as is J with P2: 72 % ("),
            "{two}"
        );
        let three = said(&[0.717, 0.717, 0.717]);
        assert!(
            three.contains("most often, as are 2 others: 72 %"),
            "{three}"
        );
    }

    /// The whole of a set goes by the set's name, and what is compared by the total's; with a total
    /// of several sets the answer is that one's.
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
    }

    /// The p-values in the sentence are the corrected ones of the table, and the clearest has the
    /// smallest; of several judges each is named.
    #[test]
    fn the_clearest_difference_is_the_surest_one_of_the_table() {
        let of = |judge: &str, value: f64, p: f64, corrected: f64| PairedDifference {
            names: ["P", "Q"].map(|protocol| format!("{judge}, {protocol}")),
            p: Some(p),
            p_corrected: Some(corrected),
            ..difference(value, p)
        };
        let all = vec![of("J", 0.076, 0.011, 0.033), of("K", 0.05, 0.004, 0.033)];
        let mut found = report(&[0.6, 0.7], all);
        found.labelled[1].1.judge = "K".into();
        let said = found.answer().unwrap();
        assert!(
            said.contains(
                "the clearest: K with P is ahead of K with Q by 5.0 points (1 to 9; p 0.033)"
            ),
            "{said}"
        );
    }

    /// Two judges that are alike, each asked in two ways that are alike: of 200 studies hardly more
    /// than 5 % claim a difference, though each tests six.
    #[test]
    fn judges_that_are_alike_are_seldom_told_apart() {
        let mut draws = draw_numbers(7, 1, 1 << 20);
        let mut is_right = || draws.next().unwrap() < 7 * (1 << 20) / 10;
        let settings = Settings::of_plan(Bootstrap {
            rounds: 20,
            ..Bootstrap::default()
        });
        let seeds = 200;
        let mut claims = 0;
        for _ in 0..seeds {
            let mut way = |judge: &str, protocol: &str| {
                let game = |right: bool| {
                    let side = if right { Side::First } else { Side::Second };
                    Some(Game::of_shares(side.certain()))
                };
                let pairs = (0..60).map(|at: u32| LabelledPair {
                    name: at.to_string(),
                    cluster: at,
                    label: Side::First,
                    games: [game(is_right()), game(is_right())],
                    ..LabelledPair::default()
                });
                JudgedPairs {
                    judge: judge.into(),
                    protocol: protocol.into(),
                    pairs: pairs.collect(),
                    ..JudgedPairs::default()
                }
            };
            let ways = [("j", "p"), ("j", "q"), ("k", "p"), ("k", "q")];
            let ways = ways.map(|(judge, protocol)| way(judge, protocol));
            let labelled = ways.iter();
            let labelled = labelled.map(|one| ("set".into(), evaluate(one, &settings).unwrap()));
            let report = StudyReport {
                labelled: labelled.collect(),
                differences: compare_ways(
                    vec![("total".into(), ways.to_vec())],
                    &settings,
                    &mut Vec::new(),
                )
                .unwrap(),
                ..StudyReport::default()
            };
            let answer = report.answer().unwrap();
            assert!(
                answer.contains("differences between ways to judge"),
                "{answer}"
            );
            claims += usize::from(answer.contains(" more than noise"));
        }
        println!("a difference is claimed in {claims} of {seeds}");
        // 10 are expected at most, with a standard error of 3.
        assert!(claims <= 16, "{claims} of {seeds}");
    }

    /// A study of methods on pairs without labels says which keeps its verdict in both orders.
    #[test]
    fn a_study_of_methods_names_the_most_consistent_one() {
        let method = |kind: &str, consistent, gain: Option<Figure>| MethodRow {
            input: "vicuna".into(),
            judge: "J".into(),
            kind: kind.into(),
            form: "pairwise".into(),
            method: kind.into(),
            baseline: gain.as_ref().map(|_| "plain".into()),
            figures: MethodFigures {
                consistent: figure(consistent, consistent - 0.05, consistent + 0.05),
                consistent_gain: gain.unwrap_or_default(),
                ..MethodFigures::default()
            },
            spent: None,
            relative: RelativeCost::default(),
        };
        let mut found = StudyReport {
            methods: vec![
                method("plain", 0.75, None),
                method("portia", 0.9, Some(figure(0.2, 0.1, 0.3))),
            ],
            ..StudyReport::default()
        };
        assert_eq!(
            found.answer().unwrap(),
            "Of 2 methods J with portia gives the same verdict in both orders most often: on 90 % \
             (85 to 95) of the pairs of vicuna; that is 20 % (10 to 30) more often than its baseline"
        );
        found.methods[1].figures.consistent_gain = figure(0.2, -0.1, 0.5);
        assert!(found.answer().unwrap().ends_with(", which may be noise"));
    }

    /// Judges are told apart as protocols are, and it is said whether the best is ahead of the
    /// next.
    #[test]
    fn the_best_of_several_judges_is_ahead_of_the_next_where_a_test_says_so() {
        let mut found = report(&[0.85, 0.73, 0.6], Vec::new());
        for ((_, one), judge) in found.labelled.iter_mut().zip(["good", "fair", "bad"]) {
            one.judge = judge.into();
            one.protocol = "P".into();
        }
        let between = |names: [&str; 2], p| PairedDifference {
            names: names.map(|name| format!("{name}, P")),
            ..difference(0.12, p)
        };
        found.differences = vec![ProtocolDifferences {
            total: "total".into(),
            judge: None,
            differences: vec![
                between(["good", "fair"], 0.2),
                between(["good", "bad"], 0.001),
            ],
            not_compared: Vec::new(),
        }];
        let said = found.answer().unwrap();
        assert!(
            said.contains("1 of 2 differences between ways to judge is more than noise"),
            "{said}"
        );
        assert!(
            said.ends_with("; the best is not shown to be ahead of the next, fair with P"),
            "{said}"
        );
        found.differences[0].differences[0].p_corrected = Some(0.01);
        let said = found.answer().unwrap();
        assert!(
            said.ends_with("; the best is ahead of the next, fair with P"),
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
