//! The logistic function: what a lead in log-odds means.

/// The chance that a system which is ahead by `lead` log-odds wins, 1 / (1 + exp(-lead)); exact for
/// leads of either sign.
pub(crate) fn win_chance(lead: f64) -> f64 {
    1.0 / (1.0 + (-lead).exp())
}

/// The logarithm of [`win_chance`], without its loss of digits or underflow.
pub(crate) fn log_win_chance(lead: f64) -> f64 {
    lead.min(0.0) - (-lead.abs()).exp().ln_1p()
}

/// 1 / (1 + exp(-x)).
pub fn sigmoid(x: f64) -> f64 {
    win_chance(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_by_hand() {
        let lead = 3f64.ln();
        assert!(
            (win_chance(lead) - 0.75).abs() < 1e-15 && (win_chance(-lead) - 0.25).abs() < 1e-15
        );
        assert!(
            (log_win_chance(lead) - 0.75f64.ln()).abs() < 1e-15
                && (log_win_chance(-lead) - 0.25f64.ln()).abs() < 1e-15
        );
        assert_eq!(
            (
                win_chance(1e9),
                win_chance(-1e9),
                log_win_chance(1e9),
                log_win_chance(-1e9)
            ),
            (1.0, 0.0, 0.0, -1e9)
        );
    }
}
