//! Segments of comparable length.

use crate::{Alignment, Cut, Cuts};

/// Cuts each answer into k segments of comparable length: PORTIA's algorithm 1, stage 2
/// ("equalsplit").
///
/// Cut t of an answer of n characters is the allowed place closest to t·n/k, for t = 1, …, k - 1 in
/// turn; of two that are equally close the earlier. Where the paper's rule would give one place
/// twice, the later cut takes the closest of the places after the one before it, and every cut
/// leaves a place to each of those that follow.
///
/// `None` if an answer has fewer than k - 1 places, or k is 0.
pub fn align_by_length(a: &Cuts, b: &Cuts, k: usize) -> Option<Alignment> {
    Some(Alignment {
        a: length_quantiles(a, k)?,
        b: length_quantiles(b, k)?,
    })
}

/// Returns the k - 1 allowed places nearest to the k-quantiles of length.
pub(crate) fn length_quantiles(cuts: &Cuts, k: usize) -> Option<Vec<Cut>> {
    let places = cuts.places();
    let mut first = 0;
    let quantiles = (1..k).map(|t| {
        // Each of the cuts to come needs a place of its own.
        let last = (places.len() + t + 1).checked_sub(k)?;
        let open = places.get(first..last)?;
        let nearest = nearest_place(open, cuts.end().char, t, k)?;
        first += nearest + 1;
        open.get(nearest).copied()
    });
    let quantiles: Option<Vec<Cut>> = quantiles.collect();
    quantiles.filter(|_| k > 0)
}

/// Returns the index of the place nearest to t·n/k; the earlier of two.
fn nearest_place(places: &[Cut], length: usize, t: usize, k: usize) -> Option<usize> {
    // Everything is multiplied by k, so that the comparisons are exact.
    let wanted = t as u128 * length as u128;
    let scaled = |cut: &Cut| cut.char as u128 * k as u128;
    let after = places.partition_point(|cut| scaled(cut) < wanted);
    let around = after.saturating_sub(1)..(after + 1).min(places.len());
    around.min_by_key(|&index| places.get(index).map(|cut| scaled(cut).abs_diff(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Segmentation, find_cuts};

    /// Sentences of these lengths, white space included.
    fn chars(lengths: &[usize], k: usize) -> Option<Vec<usize>> {
        let text: String = lengths
            .iter()
            .map(|&n| format!("{}. ", "é".repeat(n - 2)))
            .collect();
        Some(
            length_quantiles(&find_cuts(&text, Segmentation::Plain), k)?
                .iter()
                .map(|cut| cut.char)
                .collect(),
        )
    }

    #[test]
    fn cuts_are_nearest_to_the_quantiles() {
        // Places 10, 20, 30, 40, 50 of 60.
        assert_eq!(chars(&[10; 6], 2).unwrap(), [30]);
        assert_eq!(chars(&[10; 6], 3).unwrap(), [20, 40]);
        assert_eq!(chars(&[10; 6], 6).unwrap(), [10, 20, 30, 40, 50]);
        // The middle of 50 is 25: 20 and 30 are equally near.
        assert_eq!(chars(&[10; 5], 2).unwrap(), [20]);
    }

    #[test]
    fn cuts_never_meet_and_leave_room() {
        // Places 5, 10, 15, 90 of 100; quarters at 25, 50, 75: both 25 and 50 are nearest to 15.
        assert_eq!(chars(&[5, 5, 5, 75, 10], 4).unwrap(), [10, 15, 90]);
        // Places 80, 85, 90 of 100; quarters at 25, 50, 75.
        assert_eq!(chars(&[80, 5, 5, 10], 4).unwrap(), [80, 85, 90]);
    }

    #[test]
    fn too_few_places_are_not_enough() {
        assert_eq!(chars(&[10; 3], 4), None);
        assert_eq!(chars(&[10; 3], 0), None);
        assert_eq!(chars(&[10; 3], 1).unwrap(), [0; 0]);
        assert_eq!(chars(&[10], 2), None);
    }
}
