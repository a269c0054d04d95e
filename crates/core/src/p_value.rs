//! How a p-value is written for people; JSON and CSV have the number.

/// The least p-value that is written with its digits.
const LEAST: f64 = 0.001;

/// Writes a p-value, from 0 to 1, to stand in a cell or behind `p`: `0.004`, or `< 0.001`; never as
/// 0.
pub fn p_value_text(p: f64) -> String {
    match p < LEAST {
        true => format!("< {LEAST}"),
        false => format!("{p:.3}"),
    }
}

/// Writes a p-value as [`p_value_text`] does; one that is a bound, such as that of draws none of
/// which was as extreme, is `at most 0.013`, rounded up, or `< 0.001`.
pub fn p_value_or_bound_text(p: f64, is_bound: bool) -> String {
    match is_bound && p >= LEAST {
        // Upwards, or it would be no bound.
        true => format!("at most {:.3}", (p * 1e3 - 1e-9).ceil() / 1e3),
        false => p_value_text(p),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_p_value_is_written_as_0() {
        for (p, text, bound) in [
            (1.0, "1.000", "at most 1.000"),
            (0.0496, "0.050", "at most 0.050"),
            (0.001, "0.001", "at most 0.001"),
            (0.001_426_5, "0.001", "at most 0.002"),
            (1.0 / 81.0, "0.012", "at most 0.013"),
            (0.000_999, "< 0.001", "< 0.001"),
            (1e-300, "< 0.001", "< 0.001"),
            (0.0, "< 0.001", "< 0.001"),
        ] {
            assert_eq!(p_value_text(p), text);
            assert_eq!(p_value_or_bound_text(p, false), text);
            assert_eq!(p_value_or_bound_text(p, true), bound);
        }
    }
}
