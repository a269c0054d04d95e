//! Presets: methods by the names under which they were published.

/// A named protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its parts: form/reasoning/calibration/rubric.
    pub protocol: &'static str,
    /// Where it comes from, and how this one differs.
    pub source: &'static str,
}

/// All presets.
pub const PRESETS: [Preset; 19] = [
    name_preset("prepair", "pairwise/prepair/swap", "PRePair, section 4"),
    name_preset(
        "prepair-star",
        "pairwise/prepair-star/swap",
        "PRePair's ablation PREPAIR*, which keeps the answers in view here",
    ),
    name_preset(
        "prepair-mt-bench",
        "pairwise-tie/prepair/swap/criteria",
        "PRePair on MT-Bench, with the answers in view in the last prompt",
    ),
    name_preset(
        "prepair-analyses-only",
        "pairwise/prepair+analyses-only/swap",
        "PRePair with the analyses in the place of the answers in the last prompt; \
         examples/papers/prepair/analyses-alone is figures 8 and 12 as a prompt pack",
    ),
    name_preset(
        "prometheus",
        "pairwise/cot/swap",
        "PRePair's table 5: feedback first, then the verdict; examples/papers/prepair/prometheus \
         is its notation as a prompt pack, for pointwise:1-5/cot and pairwise/prepair too",
    ),
    name_preset(
        "portia",
        "pairwise-tie/cot/portia:3/criteria",
        "PORTIA, relation-based form, k = 3; an explanation first (table 12)",
    ),
    name_preset(
        "portia-score",
        "pairwise-score/direct/portia:3/criteria",
        "PORTIA, score-based form; scores before any explanation (table 13)",
    ),
    name_preset(
        "portia-likert",
        "pairwise-likert/direct/portia:3/criteria",
        "PORTIA, likert-based form; a number before any explanation (table 14)",
    ),
    name_preset(
        "mec",
        "pairwise-score/cot/mec:3/criteria",
        "Wang et al. 2024, multiple evidence calibration",
    ),
    name_preset(
        "mec+bpc",
        "pairwise-score/cot/mec+bpc:3/criteria",
        "Wang et al. 2024, with balanced positions",
    ),
    name_preset(
        "alpaca-eval",
        "pairwise/direct/single/none",
        "AlpacaEval 2: weighted by token probabilities, order drawn",
    ),
    name_preset(
        "arena-hard",
        "pairwise-5point/cot+reference/swap/criteria",
        "Arena-Hard: own answer first, then one of five outcomes; it weighs its steps 3,1,1",
    ),
    name_preset(
        "mt-bench",
        "pairwise-tie/cot/swap:tie/criteria",
        "MT-Bench pairs: a win only where both orders say so",
    ),
    name_preset(
        "mt-bench-single",
        "pointwise:1-10/cot/single/criteria",
        "MT-Bench single-answer grading",
    ),
    name_preset(
        "g-eval",
        "pointwise:1-5/cot/single/criteria",
        "G-Eval: a score weighted by token probabilities",
    ),
    name_preset("llmbar", "pairwise/direct/swap", "LLMBar, with rules"),
    name_preset(
        "llmbar-metrics-reference",
        "pairwise/direct+metrics+reference/swap",
        "LLMBar, Metrics+Reference",
    ),
    name_preset(
        "llmbar-swap-cot",
        "pairwise/cot/swap-cot",
        "LLMBar, Swap+CoT",
    ),
    name_preset(
        "realrank",
        "pointwise:0-9/direct/single",
        "RealRank's pointwise type, weighted by token probabilities",
    ),
];

const fn name_preset(name: &'static str, protocol: &'static str, source: &'static str) -> Preset {
    Preset {
        name,
        protocol,
        source,
    }
}

/// Returns the protocol that a preset's name stands for; any other text as it is.
pub(crate) fn expand_preset(name: &str) -> &str {
    PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .map_or(name, |preset| preset.protocol)
}
