//! Segments that are most alike.

use crate::equal_lengths::length_quantiles;
use crate::overlap::TokenOverlap;
use crate::search::{BestCuts, Similarity, TooManyNear, find_best_cuts};
use crate::tokens::number_types;
use crate::{Aligned, Alignment, Cut, Cuts};

/// How many pieces an answer may have for the search to look at every place between them.
///
/// The search takes time in proportion to n²·m² for answers of n and m pieces, and memory to k·n·m.
pub const MAX_PIECES: usize = 256;

/// The greatest number of segments.
pub const MAX_SEGMENTS: usize = 32;

/// Cuts two answers into k segments each so that segments of the same number share the most tokens:
/// PORTIA's algorithm 1, stage 3 (algorithms 2 and 3 for k = 2 and 3), with its token overlap.
///
/// Maximises Σ over the k segments of |X ∩ Y| / max(|X|, |Y|), X and Y the sets of lower-cased
/// tokens (runs of letters, digits and underscore, or any other single character that is not white
/// space; by [`Segmentation::Full`](crate::Segmentation), the words of scripts that are written
/// without spaces), over all choices of k - 1 places in a and in b; two segments without tokens add
/// 0. The sum is the f64 that adding from the first segment to the last gives; of choices whose
/// sums are the same f64 the lexicographically first (cuts of a, then of b) is taken. It is the
/// optimum, not an approximation, over the places that are looked at: all of an answer of at most
/// [`MAX_PIECES`] pieces; of a longer one only the MAX_PIECES - 1 places nearest to its quantiles
/// of length. Where more choices have nearly the greatest sum than can be compared in a fraction of
/// a second (such as 200 times the same sentence), only the 63 places nearest to those quantiles
/// are. [`Aligned::searched`] says so.
///
/// `a` and `b` are the texts that the cuts were made of. `None` if an answer has fewer than k - 1
/// places, if no choice has a sum above 0 (no token in common), or if k is not from 2 to
/// [`MAX_SEGMENTS`].
pub fn align_by_tokens(a: (&str, &Cuts), b: (&str, &Cuts), k: usize) -> Option<Aligned> {
    align_within_limits(a.1, b.1, k, |cuts_a, cuts_b| {
        let pieces = [cuts_a.pieces(a.0), cuts_b.pieces(b.0)];
        let types = number_types(&pieces[0], &pieces[1], a.1.segmentation());
        Some(TokenOverlap::new(&types))
    })
}

/// Aligns two answers over as many of their places as can be compared, by the similarity of the
/// pieces between those.
pub(crate) fn align_within_limits<S: Similarity>(
    a: &Cuts,
    b: &Cuts,
    k: usize,
    similarity: impl Fn(&Cuts, &Cuts) -> Option<S>,
) -> Option<Aligned> {
    if k > MAX_SEGMENTS {
        return None;
    }
    // All places first; fewer where too many ways come near the best.
    for (pieces, most) in [(MAX_PIECES, MOST_NEAR), (FEW_PIECES, usize::MAX)] {
        let (kept_a, kept_b) = (thin_out(a, pieces), thin_out(b, pieces));
        match find_best_cuts(&similarity(&kept_a, &kept_b)?, k, most) {
            Ok(found) => return place_cuts((a, &kept_a), (b, &kept_b), &found?),
            Err(TooManyNear) => continue,
        }
    }
    None
}

/// The most similarities that are computed to tell sums apart that are nearly the same.
const MOST_NEAR: usize = 5_000_000;
/// How many pieces an answer may have where that was not enough: few enough for all of their
/// similarities.
const FEW_PIECES: usize = 64;

/// Cuts two answers into k segments each so that segments of the same number are most alike by any
/// similarity, as [`align_by_tokens`] does by token overlap (for embeddings there is
/// [`align_by_embedding`](crate::align_by_embedding)).
///
/// The pieces of the similarity must be those between the places of the cuts. `None` as for
/// [`align_by_tokens`], and where the numbers of pieces are not one more than the places, or are
/// above [`MAX_PIECES`].
pub fn align_by_similarity(
    a: &Cuts,
    b: &Cuts,
    similarity: &impl Similarity,
    k: usize,
) -> Option<Aligned> {
    let pieces = similarity.pieces();
    let is_of_cuts = pieces == (a.piece_count(), b.piece_count());
    if !is_of_cuts || pieces.0.max(pieces.1) > MAX_PIECES || k > MAX_SEGMENTS {
        return None;
    }
    // A similarity of someone else's pieces cannot be made coarser.
    let found = find_best_cuts(similarity, k, usize::MAX).ok()??;
    place_cuts((a, a), (b, b), &found)
}

/// Turns numbers of pieces into places; each answer comes with all its cuts and those that were
/// kept.
fn place_cuts(a: (&Cuts, &Cuts), b: (&Cuts, &Cuts), found: &BestCuts) -> Option<Aligned> {
    let places = |cuts: &Cuts, pieces: &[usize]| -> Option<Vec<Cut>> {
        let places = pieces.iter().map(|piece| cuts.place_before(*piece));
        places.collect()
    };
    Some(Aligned {
        alignment: Alignment {
            a: places(a.1, &found.a)?,
            b: places(b.1, &found.b)?,
        },
        score: found.score,
        searched: [a, b].map(|(all, kept)| count_if_fewer(kept, all)),
    })
}

/// Returns how many places are kept, where those are not all.
pub(crate) fn count_if_fewer(kept: &Cuts, all: &Cuts) -> Option<usize> {
    let count = kept.places().len();
    (count < all.places().len()).then_some(count)
}

/// Keeps the places nearest to the quantiles of length where an answer has more than this many
/// pieces.
pub(crate) fn thin_out(cuts: &Cuts, pieces: usize) -> Cuts {
    if cuts.places().len() < pieces {
        cuts.clone()
    } else {
        cuts.with_places(length_quantiles(cuts, pieces).unwrap_or_default())
    }
}
