//! Segments that say similar things.

use crate::overlap::TokenOverlap;
use crate::search::{Best, Similarity, TooManyNear, best};
use crate::tokens::types;
use crate::{Aligned, Alignment, Cut, Cuts, length};

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
/// space), over all choices of k - 1 places in a and in b; two segments without tokens add 0. The
/// sum is the f64 that adding from the first segment to the last gives; of choices whose sums are
/// the same f64 the lexicographically first (cuts of a, then of b) is taken. It is the optimum, not
/// an approximation, over the places that are looked at: all of an answer of at most [`MAX_PIECES`]
/// pieces; of a longer one only the MAX_PIECES - 1 places nearest to its quantiles of length. Where
/// more choices have nearly the greatest sum than can be told apart in a fraction of a second (such
/// as 200 times the same sentence), only the 63 places nearest to those quantiles are.
/// [`Aligned::searched`] says so.
///
/// `a` and `b` are the texts that the cuts were made of. `None` if an answer has fewer than k - 1
/// places, if no choice has a sum above 0 (no token in common), or if k is not from 2 to
/// [`MAX_SEGMENTS`].
pub fn by_meaning(a: (&str, &Cuts), b: (&str, &Cuts), k: usize) -> Option<Aligned> {
    aligned(a.1, b.1, k, |cuts_a, cuts_b| {
        Some(TokenOverlap::new(&types(
            &cuts_a.pieces(a.0),
            &cuts_b.pieces(b.0),
        )))
    })
}

/// Looks at as many places as can be told apart, by the similarity of the pieces between them.
pub(crate) fn aligned<S: Similarity>(
    a: &Cuts,
    b: &Cuts,
    k: usize,
    similarity: impl Fn(&Cuts, &Cuts) -> Option<S>,
) -> Option<Aligned> {
    if k > MAX_SEGMENTS {
        return None;
    }
    for (pieces, most) in [(MAX_PIECES, MOST_NEAR), (FEW_PIECES, usize::MAX)] {
        let (kept_a, kept_b) = (coarse(a, pieces), coarse(b, pieces));
        match best(&similarity(&kept_a, &kept_b)?, k, most) {
            Ok(found) => return placed((a, &kept_a), (b, &kept_b), found?),
            Err(TooManyNear) => continue,
        }
    }
    None
}

/// The most similarities that are looked at to tell sums apart that are nearly the same.
const MOST_NEAR: usize = 5_000_000;
/// How many pieces an answer may have where that was not enough: few enough for all of their
/// similarities.
const FEW_PIECES: usize = 64;

/// The same for any other similarity of segments (for embeddings there is
/// [`by_embedding`](crate::by_embedding)): its pieces must be those between the places of the cuts.
///
/// `None` besides where the numbers of pieces are not one more than the places, or are above
/// [`MAX_PIECES`].
pub fn by_similarity(
    a: &Cuts,
    b: &Cuts,
    similarity: &impl Similarity,
    k: usize,
) -> Option<Aligned> {
    let fits = similarity.pieces() == (a.places().len() + 1, b.places().len() + 1);
    let small = a.places().len().max(b.places().len()) < MAX_PIECES;
    if !fits || !small || k > MAX_SEGMENTS {
        return None;
    }
    // A similarity of someone else's pieces cannot be made coarser.
    placed((a, a), (b, b), best(similarity, k, usize::MAX).ok()??)
}

fn placed(a: (&Cuts, &Cuts), b: (&Cuts, &Cuts), found: Best) -> Option<Aligned> {
    let places = |cuts: &Cuts, pieces: &[usize]| -> Option<Vec<Cut>> {
        pieces
            .iter()
            .map(|piece| cuts.places().get(piece.checked_sub(1)?).copied())
            .collect()
    };
    let alignment = Alignment {
        a: places(a.1, &found.a)?,
        b: places(b.1, &found.b)?,
    };
    let searched = [a, b]
        .map(|(all, kept)| (kept.places().len() < all.places().len()).then(|| kept.places().len()));
    Some(Aligned {
        alignment,
        score: found.score,
        searched,
    })
}

/// The places that are looked at.
pub(crate) fn coarse(cuts: &Cuts, pieces: usize) -> Cuts {
    if cuts.places().len() < pieces {
        cuts.clone()
    } else {
        cuts.only(length::quantiles(cuts, pieces).unwrap_or_default())
    }
}
