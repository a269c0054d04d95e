//! Consistency and answers by the value of a field, and whether they differ by it beyond chance.

use super::{Answers, ComparedPair, Consistency};
use evenhand_ranking::{InteractionReport, SliceTest, SliceUnit};
use evenhand_stats::interaction::mean_residuals;
use evenhand_stats::{Bootstrap, Error, ItemScore};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The pairs by the values of a field of their items.
#[derive(Clone, Debug, PartialEq)]
pub struct ByField {
    /// The field.
    pub field: String,
    /// Each value.
    pub parts: Vec<FieldPart>,
    /// Whether consistency, and the share of looks with a verdict, differ by value: one family of
    /// tests, whose p-values hold for all values and both figures together.
    pub test: InteractionReport,
}

/// The pairs of one value.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldPart {
    /// The value; blank for items without one.
    pub value: Arc<str>,
    /// How many items it has.
    pub items: usize,
    /// Its pairs.
    pub consistency: Consistency,
    /// What the judge answers on them.
    pub answers: Answers,
}

/// What is tested of each item, by number.
const TESTED: [&str; 2] = ["consistency", "coverage by verdicts"];

impl ByField {
    pub(super) fn measure(
        pairs: &[&ComparedPair],
        field: &str,
        plan: &Bootstrap,
    ) -> Result<ByField, Error> {
        let mut by_value: BTreeMap<&Arc<str>, Vec<&ComparedPair>> = BTreeMap::new();
        for pair in pairs {
            by_value.entry(&pair.value).or_default().push(pair);
        }
        let mut parts = Vec::new();
        for (value, own) in &by_value {
            let items: BTreeSet<&Arc<str>> = own.iter().map(|pair| &pair.item).collect();
            parts.push(FieldPart {
                value: Arc::clone(value),
                items: items.len(),
                consistency: Consistency::measure(own, plan.level)?,
                answers: Answers::measure(own, plan.level)?,
            });
        }
        let values: Vec<String> = by_value.keys().map(ToString::to_string).collect();
        let test = test_values(pairs, field, &values, plan);
        Ok(ByField {
            field: field.into(),
            parts,
            test,
        })
    }
}

/// Tests the means of items: those of one question count as one.
fn test_values(
    pairs: &[&ComparedPair],
    field: &str,
    values: &[String],
    plan: &Bootstrap,
) -> InteractionReport {
    // By value and question: the sums of both figures, and how many there are of each.
    let mut sums: BTreeMap<(&str, &str), [(f64, f64); 2]> = BTreeMap::new();
    for pair in pairs {
        let sums = sums.entry((&pair.value, &pair.question)).or_default();
        let consistent = match pair.first {
            Some(first) => first.is_some(),
            None => pair.last.is_some(),
        };
        let answered = pair.answers.iter().filter(|answer| answer.is_ok()).count();
        let looks = pair.answers.len();
        for (sum, (own, count)) in sums
            .iter_mut()
            .zip([(usize::from(consistent), 1), (answered, looks)])
        {
            *sum = (sum.0 + own as f64, sum.1 + count as f64);
        }
    }
    let mut rows = Vec::new();
    let mut slices = Vec::new();
    for (item, ((value, _), figures)) in (0..).zip(&sums) {
        slices.push(values.partition_point(|known| known.as_str() < *value) as u32);
        for (system, (sum, count)) in (0_u16..).zip(figures) {
            rows.push(ItemScore::new(item, system, sum / count.max(1.0)));
        }
    }
    let test = SliceTest {
        field,
        values,
        names: &TESTED.map(String::from),
        unit: SliceUnit::ShareOfPairs,
        differs: "The judge differs",
        units: "items",
        plan,
    };
    test.of_residuals(mean_residuals(TESTED.len(), &rows), &slices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::Side;
    use evenhand_stats::draw_numbers;
    use evenhand_testing::is_slow;

    /// Pairs of four values, of which the judge is inconsistent on these shares.
    fn pairs(seed: u64, items: usize, shares: [f64; 4]) -> Vec<ComparedPair> {
        let draws = draw_numbers(seed, 4, 1 << 20);
        let draws = draws.map(|draw| f64::from(draw) / f64::from(1 << 20));
        (0..items)
            .zip(draws)
            .map(|(at, draw)| {
                let side = (draw >= shares[at % 4]).then_some(Side::First);
                let name: Arc<str> = at.to_string().into();
                ComparedPair {
                    item: name.clone(),
                    question: name,
                    value: ["a", "b", "c", "d"][at % 4].into(),
                    systems: ["x".into(), "y".into()],
                    lengths: [1, 1],
                    first: Some(side),
                    last: side,
                    disagrees: side.is_none(),
                    answers: vec![Ok("first".into()); 2],
                }
            })
            .collect()
    }

    fn found(pairs: &[ComparedPair], seed: u64) -> ByField {
        let plan = Bootstrap {
            rounds: 199,
            seed,
            ..Bootstrap::default()
        };
        ByField::measure(&pairs.iter().collect::<Vec<_>>(), "category", &plan).unwrap()
    }

    #[test]
    fn a_value_on_which_the_judge_is_inconsistent_is_named() {
        let by = found(&pairs(1, 160, [0.1, 0.1, 0.7, 0.1]), 0);
        let text = &by.test.summary;
        assert!(
            text.starts_with("The judge differs by category: consistency is "),
            "{text}"
        );
        assert!(text.contains("worse on c than overall"), "{text}");
        let parts: Vec<usize> = by.parts.iter().map(|part| part.consistency.pairs).collect();
        assert_eq!(parts, [40; 4]);
    }

    #[test]
    fn small_slices_are_not_tested() {
        let by = found(&pairs(1, 20, [0.0, 0.0, 1.0, 0.0]), 0);
        assert!(
            by.test.note.is_some() && by.test.p.is_none(),
            "{:?}",
            by.test
        );
    }

    /// A judge that is as inconsistent everywhere is accused of no value, over sizes.
    #[test]
    fn a_fair_judge_is_accused_as_rarely_as_the_level_says() {
        let judges = if is_slow() { 2000 } else { 100 };
        let limit = 0.05 + 2.0 * (0.05_f64 * 0.95 / judges as f64).sqrt();
        for items in [48, 80, 200, 400] {
            for share in [0.1, 0.4] {
                let is_alarm = |seed: &u64| {
                    let found = found(&pairs(*seed, items, [share; 4]), *seed);
                    found.test.p.is_some_and(|p| p <= 0.05)
                };
                let alarms = (0..judges).filter(is_alarm).count() as f64 / judges as f64;
                println!("{items} items, {share} inconsistent: accused {alarms:.3}");
                assert!(alarms <= limit, "{items} {share}: {alarms}");
            }
        }
    }
}
