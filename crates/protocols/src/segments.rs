//! Two responses cut into aligned parts.

use evenhand_align::{
    Segmentation, align_by_embedding, align_by_length, align_by_tokens, find_cuts, pieces_to_embed,
};
use evenhand_core::Embeddings;

/// How the parts are aligned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Alignment<'a> {
    /// Parts of comparable length.
    Length,
    /// Parts that share the most tokens.
    Tokens,
    /// Parts whose embeddings are most alike, by those of each response's [`list_pieces`].
    Embeddings([&'a Embeddings; 2]),
}

impl Alignment<'_> {
    fn swapped(self) -> Self {
        match self {
            Alignment::Embeddings([a, b]) => Alignment::Embeddings([b, a]),
            other => other,
        }
    }
}

/// Cuts both into k parts, which concatenate to them; None where one is too short to split, or the
/// two have nothing in common. The cuts do not depend on which response comes first.
pub(crate) fn cut_segments(
    a: &str,
    b: &str,
    alignment: Alignment,
    k: usize,
) -> Option<Vec<[String; 2]>> {
    if a > b {
        let mut parts = cut_segments(b, a, alignment.swapped(), k)?;
        for part in &mut parts {
            part.reverse();
        }
        return Some(parts);
    }
    let [cuts_a, cuts_b] = [a, b].map(|text| find_cuts(text, Segmentation::Full));
    let aligned = match alignment {
        Alignment::Length => align_by_length(&cuts_a, &cuts_b, k)?,
        Alignment::Tokens => align_by_tokens((a, &cuts_a), (b, &cuts_b), k)?.alignment,
        Alignment::Embeddings(embeddings) => {
            let [of_a, of_b] = embeddings.map(|of_text| of_text.vectors().collect::<Vec<_>>());
            align_by_embedding((&cuts_a, &of_a), (&cuts_b, &of_b), k)?.alignment
        }
    };
    let segments = aligned.segments(a, b).into_iter();
    let owned = segments.map(|(a, b)| [a.to_string(), b.to_string()]);
    Some(owned.collect())
}

/// Returns the pieces of a response that are embedded; None where it is too short to split in k.
pub(crate) fn list_pieces(text: &str, k: usize) -> Option<Vec<String>> {
    let cuts = find_cuts(text, Segmentation::Full);
    if cuts.places().len() + 1 < k {
        return None;
    }
    let pieces = pieces_to_embed(text, &cuts).into_iter();
    Some(pieces.map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "Cats sleep a lot. They hunt at night. Dogs bark at cars.";
    const B: &str =
        "Dogs do bark. A cat will sleep all day. At night cats hunt mice. Dogs bark at all cars.";

    /// How often each of some stems stands in a piece.
    fn embedded(pieces: &[String]) -> Embeddings {
        let count = |piece: &String, stem: &str| piece.to_lowercase().matches(stem).count() as f32;
        let vectors: Vec<Vec<f32>> = pieces
            .iter()
            .map(|piece| {
                ["cat", "hunt", "dog", "sleep"]
                    .map(|stem| count(piece, stem))
                    .to_vec()
            })
            .collect();
        Embeddings::new(&vectors).unwrap()
    }

    #[test]
    fn the_order_of_the_responses_moves_no_cut() {
        let [of_a, of_b] = [A, B].map(|text| embedded(&list_pieces(text, 3).unwrap()));
        for alignment in [
            Alignment::Length,
            Alignment::Tokens,
            Alignment::Embeddings([&of_a, &of_b]),
        ] {
            let forward = cut_segments(A, B, alignment, 3).unwrap();
            let mut backward = cut_segments(B, A, alignment.swapped(), 3).unwrap();
            backward.iter_mut().for_each(|part| part.reverse());
            assert_eq!(forward, backward);
            let whole: String = forward.iter().map(|part| part[0].as_str()).collect();
            assert_eq!(whole, A);
        }
    }

    #[test]
    fn a_single_sentence_is_not_split() {
        assert_eq!(cut_segments("One sentence.", B, Alignment::Length, 3), None);
        assert_eq!(list_pieces("One sentence.", 2), None);
        assert_eq!(
            list_pieces("One sentence. And two.", 2).unwrap(),
            ["One sentence.", "And two."]
        );
    }

    #[test]
    fn embeddings_that_do_not_fit_split_nothing() {
        let [of_a, of_b] = [A, B].map(|text| embedded(&list_pieces(text, 3).unwrap()));
        assert_eq!(
            cut_segments(A, B, Alignment::Embeddings([&of_b, &of_a]), 3),
            None
        );
    }
}
