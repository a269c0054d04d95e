//! People's labels of a run, one a pair.

use crate::PersonLabel;
use evenhand_core::Side;
use evenhand_store::KeptLabel;
use std::collections::BTreeMap;

/// Returns the outcome of each pair that more people named than each other; a tie where there is
/// none.
pub fn majority_labels(labels: &[KeptLabel]) -> Vec<PersonLabel> {
    // Votes for the one system, for neither, and for the other; a pair's names stand in order.
    let mut pairs = BTreeMap::<(&str, &str, &str), [f64; 3]>::new();
    for label in labels {
        let (pair, preferred) = if label.a <= label.b {
            ((&*label.item, &*label.a, &*label.b), label.preferred)
        } else {
            (
                (&*label.item, &*label.b, &*label.a),
                label.preferred.swapped(),
            )
        };
        let votes = pairs.entry(pair).or_default();
        *votes = [0, 1, 2].map(|at| votes[at] + preferred.certain()[at]);
    }
    let labels = pairs.into_iter().map(|((item, a, b), votes)| PersonLabel {
        item: item.into(),
        a: a.into(),
        b: b.into(),
        outcome: Side::plurality(votes),
    });
    labels.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(a: &str, b: &str, preferred: Side) -> KeptLabel {
        KeptLabel {
            item: "q".into(),
            a: a.into(),
            b: b.into(),
            preferred,
            annotator: None,
        }
    }

    #[test]
    fn the_majority_of_both_notations_counts() {
        let said = [
            label("x", "y", Side::First),
            label("y", "x", Side::Second),
            label("x", "y", Side::Second),
            label("x", "z", Side::First),
            label("z", "x", Side::First),
        ];
        let found = majority_labels(&said);
        let outcomes: Vec<_> = found
            .iter()
            .map(|label| (&*label.b, label.outcome))
            .collect();
        assert_eq!(outcomes, [("y", Side::First), ("z", Side::Tie)]);
    }
}
