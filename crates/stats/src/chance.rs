//! The logistic function: what a lead in log-odds means.

/// The chance that a system which is ahead by `lead` log-odds wins, 1 / (1 + exp(-lead)); exact for
/// leads of either sign.
pub(crate) fn chance(lead: f64) -> f64 {
    1.0 / (1.0 + (-lead).exp())
}

/// The logarithm of [`chance`], without its loss of digits or underflow.
pub(crate) fn log_chance(lead: f64) -> f64 {
    lead.min(0.0) - (-lead.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_by_hand() {
        let lead = 3f64.ln();
        assert!((chance(lead) - 0.75).abs() < 1e-15 && (chance(-lead) - 0.25).abs() < 1e-15);
        assert!(
            (log_chance(lead) - 0.75f64.ln()).abs() < 1e-15
                && (log_chance(-lead) - 0.25f64.ln()).abs() < 1e-15
        );
        assert_eq!(
            (chance(1e9), chance(-1e9), log_chance(1e9), log_chance(-1e9)),
            (1.0, 0.0, 0.0, -1e9)
        );
    }
}
