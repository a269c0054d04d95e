//! Two responses cut into aligned parts.

use evenhand_align::{Segmentation, by_length, by_meaning, split};

/// How the parts are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alignment {
    /// Parts of comparable length.
    Length,
    /// Parts that share the most tokens.
    Semantic,
}

/// k parts of each, which concatenate to it; None where one is too short to split, or the two share no token. The same cuts
/// whichever response comes first.
pub(crate) fn segments(a: &str, b: &str, alignment: Alignment, k: usize) -> Option<Vec<[String; 2]>> {
    if a <= b {
        return ordered(a, b, alignment, k);
    }
    let mut parts = ordered(b, a, alignment, k)?;
    parts.iter_mut().for_each(|part| part.reverse());
    Some(parts)
}

fn ordered(a: &str, b: &str, alignment: Alignment, k: usize) -> Option<Vec<[String; 2]>> {
    let [cuts_a, cuts_b] = [a, b].map(|text| split(text, Segmentation::Full));
    let found = match alignment {
        Alignment::Length => by_length(&cuts_a, &cuts_b, k)?,
        Alignment::Semantic => by_meaning((a, &cuts_a), (b, &cuts_b), k)?.alignment,
    };
    Some(found.segments(a, b).into_iter().map(|(a, b)| [a.to_string(), b.to_string()]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "Cats sleep a lot. They hunt at night. Dogs bark at cars.";
    const B: &str = "Dogs do bark. A cat will sleep all day. At night cats hunt mice. Dogs bark at all cars.";

    #[test]
    fn the_order_of_the_responses_moves_no_cut() {
        for alignment in [Alignment::Length, Alignment::Semantic] {
            let forward = segments(A, B, alignment, 3).unwrap();
            let mut backward = segments(B, A, alignment, 3).unwrap();
            backward.iter_mut().for_each(|part| part.reverse());
            assert_eq!(forward, backward);
            let whole: String = forward.iter().map(|part| part[0].as_str()).collect();
            assert_eq!(whole, A);
        }
    }

    #[test]
    fn a_single_sentence_is_not_split() {
        assert_eq!(segments("One sentence.", B, Alignment::Length, 3), None);
    }
}
