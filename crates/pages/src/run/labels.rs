//! People's labels of a run, one a pair.

use crate::PersonLabel;
use evenhand_core::Side;
use evenhand_store::KeptLabel;
use std::collections::BTreeMap;

/// Votes for the one system, for neither, for the other.
type Votes = [u32; 3];

/// Returns what most people said of each pair; a tie where as many prefer the one as the other.
pub fn majority_labels(labels: &[KeptLabel]) -> Vec<PersonLabel> {
    let mut pairs = BTreeMap::<(&str, &str, &str), Votes>::new();
    for label in labels {
        let place = label.preferred as usize;
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
        preferred: Side::plurality(votes.map(f64::from)),
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
        let preferred: Vec<_> = found
            .iter()
            .map(|label| (&*label.b, label.preferred))
            .collect();
        assert_eq!(preferred, [("y", Side::First), ("z", Side::Tie)]);
    }
}
