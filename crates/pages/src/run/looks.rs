//! Looks with what they showed.

use evenhand_core::Look;
use evenhand_protocols::portia_segments;
use schemars::JsonSchema;
use serde::Serialize;

/// A look, and where PORTIA cut the responses for it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LookDetail {
    /// The look, as the run keeps it.
    #[serde(flatten)]
    pub look: Look,
    /// For each response, in slot order, how many characters stand before each cut; None where it
    /// was shown whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<[Vec<usize>; 2]>,
}

/// Adds to the looks of a judgment where its responses were cut, given in slot order.
pub(crate) fn describe_looks(
    looks: Vec<Look>,
    protocol: &str,
    responses: &[&str],
) -> Vec<LookDetail> {
    let cuts = |look: &Look| {
        let [a, b] = *responses else { return None };
        let pairs = portia_segments(protocol, look.stage.name(), [a, b])?;
        // The characters before each segment but the first.
        Some([0, 1].map(|side| {
            let ends = pairs.iter().scan(0, |end, pair| {
                *end += pair[side].chars().count();
                Some(*end)
            });
            let mut ends: Vec<usize> = ends.collect();
            ends.pop();
            ends
        }))
    };
    let looks = looks.into_iter().map(|look| LookDetail {
        segments: cuts(&look),
        look,
    });
    looks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Stage, Verdict, VerdictSource};

    #[test]
    fn cuts_count_characters_of_each_response() {
        let look = Look {
            judge: 0,
            stage: Stage::from("length"),
            sample: 0,
            swapped: false,
            outcome: Ok(Verdict::pair([1.0, 0.0, 0.0], 0.0, VerdictSource::Text)),
            criterion: None,
        };
        let (a, b) = ("Größe zählt. Immer.", "Size counts. Always so.");
        let found = describe_looks(vec![look], "pairwise/direct/portia:2", &[a, b]);
        let json = serde_json::to_value(&found[0]).unwrap();
        assert_eq!(json["stage"], "length");
        let cuts: Vec<Vec<usize>> = serde_json::from_value(json["segments"].clone()).unwrap();
        let first: String = a.chars().take(cuts[0][0]).collect();
        assert_eq!(cuts[0].len(), 1);
        assert_eq!(cuts[1].len(), 1);
        assert_eq!(first.trim_end(), "Größe zählt.");
    }
}
