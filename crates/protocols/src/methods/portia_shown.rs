//! The segments that PORTIA showed, found again for whoever looks at a judgment.

use super::portia::Portia;
use crate::segments::{Alignment, cut_segments};

/// Returns the pairs of segments that a step of PORTIA showed of two responses, given in slot order;
/// the segments of each response concatenate to it.
///
/// `protocol` is its full name, as a run keeps it, `step` the stage of the look. None for other
/// protocols, for steps that show responses whole, and where meaning was compared by embeddings,
/// which the name does not hold.
pub fn portia_segments(
    protocol: &str,
    step: &str,
    responses: [&str; 2],
) -> Option<Vec<[String; 2]>> {
    let portia = Portia::read(protocol.rsplit('/').next()?)?;
    let alignment = match step {
        "length" => Alignment::Length,
        "semantic" if !portia.embedding => Alignment::Tokens,
        _ => return None,
    };
    let [a, b] = responses;
    cut_segments(a, b, alignment, portia.k as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "Cats sleep a lot. They hunt at night. Dogs bark at cars.";
    const B: &str = "Dogs do bark. A cat will sleep all day. At night cats hunt mice.";

    #[test]
    fn segments_are_found_again_and_join_to_the_responses() {
        for step in ["length", "semantic"] {
            let found = portia_segments("pairwise/direct/portia:2,tie", step, [A, B]).unwrap();
            assert_eq!(found.len(), 2, "{step}");
            let joined =
                [0, 1].map(|side| found.iter().map(|pair| &*pair[side]).collect::<String>());
            assert_eq!(joined, [A, B]);
        }
    }

    #[test]
    fn nothing_is_made_up_where_the_segments_are_not_known() {
        for (protocol, step) in [
            ("pairwise/direct/portia:2", "original"),
            ("pairwise/direct/portia:2,embedding", "semantic"),
            ("pairwise/direct/swap", "length"),
            ("pairwise/direct/portia:x", "length"),
            ("", "length"),
        ] {
            assert_eq!(
                portia_segments(protocol, step, [A, B]),
                None,
                "{protocol} {step}"
            );
        }
        assert_eq!(
            portia_segments("pairwise/direct/portia:3", "length", ["One.", B]),
            None
        );
    }
}
