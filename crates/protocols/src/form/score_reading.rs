//! How the probabilities of a scale's values become one score.

/// How the probabilities of a scale's values become one score. What is asked is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreReading {
    /// The mean weighted by probability (Liu et al. 2023, G-Eval): hardly ever the same for two
    /// responses.
    #[default]
    Mean,
    /// The most probable value, as greedy decoding states it; of equally probable ones the worst.
    /// Two responses often have the same. Wang et al. 2025 compare it with the mean
    /// ("Improving LLM-as-a-Judge Inference with the Judgment Distribution").
    Mode,
}

impl ScoreReading {
    /// Reads `mean` or `mode`.
    pub fn parse(name: &str) -> Option<ScoreReading> {
        match name {
            "mean" => Some(ScoreReading::Mean),
            "mode" => Some(ScoreReading::Mode),
            _ => None,
        }
    }

    /// Returns what a form's name says of it behind the scale: nothing of the usual one.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            ScoreReading::Mean => "",
            ScoreReading::Mode => ",mode",
        }
    }
}
