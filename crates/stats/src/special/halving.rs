//! The place in a range where an answer changes, by halving the range.

/// Halves a range so many times: its lower end moves to the middle where that `belongs_below`, else
/// its upper end does. The two may stand the other way round.
pub(crate) fn halve_range(
    (mut low, mut high): (f64, f64),
    times: u32,
    belongs_below: impl Fn(f64) -> bool,
) -> (f64, f64) {
    for _ in 0..times {
        let middle = (low + high) / 2.0;
        if belongs_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_closes_in_on_the_change_from_either_side() {
        let (low, high) = halve_range((0.0, 1.0), 20, |x| x * x < 0.5);
        assert!(low * low < 0.5 && high * high >= 0.5 && high - low == 0.5f64.powi(20));
        let (low, high) = halve_range((1.0, 0.0), 20, |x| x * x >= 0.5);
        assert!(low * low >= 0.5 && high * high < 0.5);
    }
}
