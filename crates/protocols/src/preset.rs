//! Presets: methods by the names under which they were published.

/// A named protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is made of: form/reasoning/calibration/rubric.
    pub protocol: &'static str,
    /// Where it comes from, and what differs here.
    pub source: &'static str,
}

/// All presets.
pub const PRESETS: [Preset; 17] = [
    preset("prepair", "pairwise/prepair/swap", "PRePair, section 4"),
    preset(
        "prepair-star",
        "pairwise/prepair-star/swap",
        "PRePair's ablation PREPAIR*, which keeps the answers in view here",
    ),
    preset(
        "prepair-mt-bench",
        "pairwise-tie/prepair/swap/criteria",
        "PRePair on MT-Bench (figure 12)",
    ),
    preset(
        "portia",
        "pairwise-tie/direct/portia:3/criteria",
        "PORTIA, relation-based form, k = 3",
    ),
    preset(
        "portia-score",
        "pairwise-score/direct/portia:3/criteria",
        "PORTIA, score-based form",
    ),
    preset(
        "portia-likert",
        "pairwise-likert/direct/portia:3/criteria",
        "PORTIA, likert-based form (table 14)",
    ),
    preset(
        "mec",
        "pairwise-score/cot/mec:3/criteria",
        "Wang et al. 2023, multiple evidence calibration",
    ),
    preset(
        "mec+bpc",
        "pairwise-score/cot/mec+bpc:3/criteria",
        "Wang et al. 2023, with balanced positions",
    ),
    preset(
        "alpaca-eval",
        "pairwise/direct/single/none",
        "AlpacaEval 2: weighted by token probabilities, order drawn",
    ),
    preset(
        "arena-hard",
        "pairwise-5point/cot+reference/swap/criteria",
        "Arena-Hard: own answer first, then one of five outcomes; take strength 3,1,1",
    ),
    preset(
        "mt-bench",
        "pairwise-tie/cot/swap:tie/criteria",
        "MT-Bench pairs: a win only where both orders say so",
    ),
    preset(
        "mt-bench-single",
        "pointwise:1-10/cot/single/criteria",
        "MT-Bench single-answer grading",
    ),
    preset(
        "g-eval",
        "pointwise:1-5/cot/single/criteria",
        "G-Eval: a score weighted by token probabilities",
    ),
    preset("llmbar", "pairwise/direct/swap", "LLMBar, with rules"),
    preset(
        "llmbar-metrics-reference",
        "pairwise/direct+metrics+reference/swap",
        "LLMBar, Metrics+Reference",
    ),
    preset(
        "llmbar-swap-cot",
        "pairwise/cot/swap-cot",
        "LLMBar, Swap+CoT",
    ),
    preset(
        "realrank",
        "pointwise:0-9/direct/single",
        "RealRank's pointwise type, weighted by token probabilities",
    ),
];

const fn preset(name: &'static str, protocol: &'static str, source: &'static str) -> Preset {
    Preset {
        name,
        protocol,
        source,
    }
}

/// What a preset's name stands for; any other text as it is.
pub(crate) fn expand(name: &str) -> &str {
    PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .map_or(name, |preset| preset.protocol)
}
