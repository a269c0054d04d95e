//! People's labels of a run, one a pair.

use crate::{PersonLabel, RowOutcome};
use evenhand_core::Side;
use evenhand_store::KeptLabel;
use std::collections::BTreeMap;

/// Votes for the one system, for neither, for the other.
type Votes = [u32; 3];

/// Returns what most people said of each pair; a tie where as many prefer the one as the other.
pub fn majority_labels(labels: &[KeptLabel]) -> Vec<PersonLabel> {
    let mut pairs = BTreeMap::<(&str, &str, &str), Votes>::new();
    for label in labels {
        let place = match label.preferred {
            Side::First => 0,
            Side::Tie => 1,
            Side::Second => 2,
        };
        // A pair's names stand in order.
        let (pair, place) = if label.a <= label.b {
            ((&*label.item, &*label.a, &*label.b), place)
        } else {
            ((&*label.item, &*label.b, &*label.a), 2 - place)
        };
        pairs.entry(pair).or_default()[place] += 1;
    }
    let labels = pairs.into_iter().map(|((item, a, b), votes)| PersonLabel {
        item: item.into(),
        a: a.into(),
        b: b.into(),
        outcome: outcome_of(votes),
    });
    labels.collect()
}

fn outcome_of([a, tie, b]: Votes) -> RowOutcome {
    if a > b && a > tie {
        RowOutcome::A
    } else if b > a && b > tie {
        RowOutcome::B
    } else {
        RowOutcome::Tie
    }
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
        assert_eq!(outcomes, [("y", RowOutcome::A), ("z", RowOutcome::Tie)]);
    }
}
