//! Which publications a method rests on, and what each is used for: the one place that says so.
//!
//! What is an enum is matched without a default, so that a new method does not compile before it is
//! said here; what is known by name alone is held to its list by a test.

use super::Paper;
use evenhand_engine::Design;
use evenhand_formats::judgments::JudgmentFormat;
use evenhand_formats::records::Format;
use evenhand_protocols::{AnswerReading, Baseline, Form, GainUnit, Panel, Protocol, Reasoning};
use evenhand_ranking::{Adjust, Aggregation, Intervals};
use evenhand_stats::tournament::Tournament;
use evenhand_studies::audit::Probe;
use serde_json::Value;

/// A publication, and what it is used for.
pub type Use = (Paper, &'static str);

/// Returns what a protocol rests on: its form, reasoning, calibration and rubric. Which method was
/// published under a preset's name is said by [`of_preset`]: other protocols have the same parts.
///
/// # Arguments
/// * `by_probabilities`: Whether verdicts were read from the probabilities of the answers; false
///   where that is not known.
pub fn of_protocol(protocol: &Protocol, by_probabilities: bool) -> Vec<Use> {
    let Protocol::Judged(judged) = protocol else {
        // A calibrated panel is fitted, and what is written elsewhere is not ours to cite.
        return Vec::new();
    };
    let (form, name) = (protocol.form(), protocol.to_string());
    let calibration = protocol.calibration_name().unwrap_or_default();
    let mut uses = of_form(form, calibration.starts_with("portia"));
    if by_probabilities {
        uses.extend(of_probabilities(form));
    }
    uses.extend(of_reasoning(judged.reasoning()));
    uses.extend(of_calibration(&calibration).unwrap_or_default());
    uses.extend(match form {
        // No verdict is asked for, or the criteria are those of the item.
        Form::Likelihood(_) | Form::Reward | Form::Checklist(_) => Vec::new(),
        Form::Pointwise(..)
        | Form::Pairwise(_)
        | Form::PairwiseTie(_)
        | Form::Pairwise5Point(_)
        | Form::PairwiseScore(_)
        | Form::PairwiseLikert(_)
        | Form::Listwise(_) => of_rubric(name.split('/').nth(3).unwrap_or("rules")),
    });
    uses.extend(of_panel(protocol.panel()));
    uses
}

/// Returns what verdicts from the probabilities of a form's answers rest on.
fn of_probabilities(form: Form) -> Vec<Use> {
    match (form, form.reading()) {
        (_, None) => Vec::new(),
        (Form::Pointwise(..), Some(AnswerReading::Mean)) => vec![(
            Paper::GEval,
            "scores weighted by the probabilities of their tokens",
        )],
        (_, Some(AnswerReading::Mean)) => vec![(
            Paper::JudgmentDistribution,
            "verdicts as means over the probabilities of the answers",
        )],
        (_, Some(AnswerReading::Mode)) => vec![(
            Paper::JudgmentDistribution,
            "verdicts by the most probable answer, beside the mean",
        )],
    }
}

/// Returns what a form of verdicts rests on; PORTIA has three forms of pairs of its own.
fn of_form(form: Form, is_portia: bool) -> Vec<Use> {
    match form {
        Form::Pointwise(..) => Vec::new(),
        Form::Pairwise(_) => vec![(Paper::RealRank, "the base form of pairs")],
        Form::PairwiseTie(_) if is_portia => {
            vec![(Paper::Portia, "the relation-based form of pairs")]
        }
        Form::PairwiseTie(_) => vec![(Paper::MtBench, "a tie as a verdict on a pair")],
        Form::Pairwise5Point(_) => vec![
            (Paper::RealRank, "five outcomes of a pair"),
            (Paper::ArenaHard, "five outcomes of a pair"),
        ],
        Form::PairwiseScore(_) if is_portia => {
            vec![(Paper::Portia, "the score-based form of pairs")]
        }
        Form::PairwiseScore(_) => vec![(Paper::FairEval, "two scores for a pair")],
        Form::PairwiseLikert(_) if is_portia => {
            vec![(Paper::Portia, "the likert-based form of pairs")]
        }
        Form::PairwiseLikert(_) => Vec::new(),
        Form::Listwise(_) | Form::Checklist(_) => Vec::new(),
        Form::Likelihood(variant) => {
            let mut uses = vec![match variant.baseline {
                Baseline::Nothing => (Paper::GptScore, "the likelihood of a response"),
                Baseline::Null | Baseline::Novel | Baseline::Others(_) | Baseline::Inverse => (
                    Paper::GptScore,
                    "the likelihood of a response, which is set against another here",
                ),
            }];
            match variant.unit {
                GainUnit::PerToken | GainUnit::Sum => {}
                GainUnit::Surprisal(_) => uses.push((
                    Paper::Perplexity,
                    "why a share of the surprisal is taken back",
                )),
            }
            uses
        }
        Form::Reward => vec![(Paper::RewardModels, "rewards that order responses")],
    }
}

/// Returns what comes before a verdict rests on.
fn of_reasoning(reasoning: Reasoning) -> Vec<Use> {
    let mut uses = of_reasoning_kind(reasoning.kind.name).unwrap_or_default();
    if reasoning.metrics {
        uses.push((Paper::LlmBar, "criteria that the judge writes first"));
    }
    if reasoning.reference {
        uses.push((Paper::MtBench, "a reference answer beside the responses"));
    }
    if reasoning.analyses_only {
        uses.push((Paper::PrePair, "analyses in the place of the responses"));
    }
    uses
}

/// Returns what a kind of reasoning rests on; None for a name that is none.
fn of_reasoning_kind(name: &str) -> Option<Vec<Use>> {
    Some(match name {
        "direct" => Vec::new(),
        "cot" => vec![(Paper::ChainOfThought, "an explanation before the verdict")],
        "pros-cons" => vec![(Paper::PrePair, "merits and faults before the verdict")],
        "prepair" => vec![(
            Paper::PrePair,
            "each response analysed by itself before the pair",
        )],
        "prepair-star" => vec![(
            Paper::PrePair,
            "both responses analysed together (PREPAIR*)",
        )],
        _ => return None,
    })
}

/// Returns what a calibration rests on, by its name with options; None for a name that is none.
fn of_calibration(name: &str) -> Option<Vec<Use>> {
    let (method, options) = name.split_once(':').unwrap_or((name, ""));
    let has = |option: &str| options.split(',').any(|word| word == option);
    Some(match method {
        "single" | "order-free" => Vec::new(),
        "swap" if has("tie") => {
            vec![(Paper::MtBench, "a win only where both orders say so")]
        }
        "swap" => Vec::new(),
        "swap-cot" => vec![(
            Paper::LlmBar,
            "orders that disagree are thought over (Swap+CoT)",
        )],
        "mec" => vec![(Paper::FairEval, "several samples of the evidence (MEC)")],
        "mec+bpc" => vec![
            (Paper::FairEval, "several samples of the evidence (MEC)"),
            (Paper::FairEval, "both positions balanced (BPC)"),
        ],
        "self-consistency" => {
            let mut uses = vec![(
                Paper::SelfConsistency,
                "the side that most samples of the reasoning come to",
            )];
            if options.contains(',') {
                uses.push((
                    Paper::TrustOrEscalate,
                    "no verdict where too few samples agree",
                ));
            }
            uses
        }
        "portia" => {
            let mut uses = vec![(Paper::Portia, "responses split, aligned and merged")];
            if has("embedding") {
                uses.push((Paper::SentenceBert, "similarity by embeddings of sentences"));
            }
            uses
        }
        _ => return None,
    })
}

/// Returns what a rubric rests on; one of a prompt pack rests on nothing that is known here.
fn of_rubric(name: &str) -> Vec<Use> {
    match name {
        "rules" => vec![
            (Paper::LlmBar, "the rules of what is better"),
            (Paper::PrePair, "the rules of what is better"),
        ],
        "criteria" => vec![(Paper::MtBench, "the criteria of what is better")],
        "overall" | "instruction-following" => {
            vec![(Paper::Distracted, "the criterion of what is better")]
        }
        _ => Vec::new(),
    }
}

/// Returns the publication of a preset's method, for whoever asked for it by this name; None for a
/// name that is none.
pub fn of_preset(name: &str) -> Option<Vec<Use>> {
    let paper = match name {
        "prepair" | "prepair-star" | "prepair-mt-bench" | "prepair-analyses-only" => Paper::PrePair,
        "prometheus" => Paper::Prometheus,
        "portia" | "portia-score" | "portia-likert" => Paper::Portia,
        "mec" | "mec+bpc" => Paper::FairEval,
        "alpaca-eval" => Paper::AlpacaEval,
        "arena-hard" => Paper::ArenaHard,
        "mt-bench" | "mt-bench-single" => Paper::MtBench,
        "g-eval" => Paper::GEval,
        "llmbar" | "llmbar-metrics-reference" | "llmbar-swap-cot" => Paper::LlmBar,
        "realrank" => Paper::RealRank,
        _ => return None,
    };
    Some(vec![(paper, "a protocol with the parts of this method")])
}

/// Returns what the rule of a panel rests on.
fn of_panel(panel: Panel) -> Vec<Use> {
    match panel {
        Panel::Mean | Panel::Majority => Vec::new(),
        Panel::Escalate(_) => vec![(
            Paper::TrustOrEscalate,
            "the next judge is asked where one is not sure",
        )],
    }
}

/// Returns what an aggregation rests on.
pub fn of_aggregation(aggregation: Aggregation) -> Vec<Use> {
    let model = (Paper::BradleyTerry, "strengths from comparisons");
    match aggregation {
        Aggregation::BradleyTerry => vec![model],
        Aggregation::RaoKupper => vec![model, (Paper::RaoKupper, "ties in that model")],
        Aggregation::Davidson => vec![model, (Paper::Davidson, "ties in that model")],
        Aggregation::Elo => vec![(Paper::Elo, "ratings, comparison by comparison")],
        Aggregation::Eigenvector => vec![
            (Paper::Landau, "scores as an eigenvector"),
            (Paper::Wei, "scores as an eigenvector"),
        ],
        Aggregation::Newman => vec![(Paper::Newman, "strengths and ties by an iteration")],
        Aggregation::PageRank => vec![(Paper::PageRank, "scores as shares of a walk")],
        Aggregation::WinRatio
        | Aggregation::AverageWinRate
        | Aggregation::Counting
        | Aggregation::Mean
        | Aggregation::Median
        | Aggregation::TrimmedMean => Vec::new(),
    }
}

/// Returns what intervals rest on.
pub fn of_intervals(intervals: Intervals) -> Vec<Use> {
    let robust = [
        (
            Paper::RobustCovariance,
            "a covariance that allows verdicts of an item to depend",
        ),
        (Paper::ClusterRobust, "that covariance with few clusters"),
    ];
    let clusters = [
        (Paper::Bootstrap, "intervals from resamples"),
        (
            Paper::ClusterBootstrap,
            "items are resampled with all their verdicts",
        ),
    ];
    match intervals {
        Intervals::Bootstrap => clusters.to_vec(),
        Intervals::Bca => {
            let corrected = [
                (Paper::Bca, "resamples corrected for bias and skewness"),
                (Paper::BootstrapBook, "the acceleration of that correction"),
            ];
            [clusters, corrected].concat()
        }
        Intervals::Sandwich => robust.to_vec(),
        Intervals::PredictionPowered => vec![
            (
                Paper::PredictionPowered,
                "people's labels correct a judge's verdicts",
            ),
            (Paper::PredictionPoweredTuned, "how much the judge is used"),
        ],
        Intervals::LengthControl => {
            let mut uses = vec![(Paper::LengthControl, "win rates at equal lengths")];
            uses.extend(robust);
            uses
        }
        Intervals::None => Vec::new(),
    }
}

/// Returns what an adjustment of p-values rests on.
pub fn of_adjustment(adjust: Adjust) -> Vec<Use> {
    match adjust {
        Adjust::Joint => vec![
            (
                Paper::JointTests,
                "who is apart, and ranks that hold together",
            ),
            (
                Paper::StepDown,
                "who is apart, and ranks that hold together",
            ),
        ],
        Adjust::Holm => vec![(Paper::Holm, "p-values of many comparisons")],
        Adjust::BenjaminiHochberg => {
            vec![(Paper::FalseDiscoveries, "p-values of many comparisons")]
        }
        Adjust::None => Vec::new(),
    }
}

/// Returns what a design rests on.
pub fn of_design(design: &Design) -> Vec<Use> {
    match design {
        Design::AllPairs | Design::Reference(_) | Design::Sample(_) | Design::Labelled => {
            Vec::new()
        }
        Design::Adaptive => vec![
            (Paper::Betting, "tests that hold whenever a run stops"),
            (
                Paper::ConfidenceSequences,
                "intervals that hold whenever a run stops",
            ),
            (
                Paper::WeightedSampling,
                "items that should tell most come first",
            ),
            (Paper::Holm, "p-values of many comparisons"),
        ],
        Design::Tournament(Tournament::Swiss { .. }) => Vec::new(),
        Design::Tournament(Tournament::Swim) => vec![(Paper::Swim, "who meets whom")],
    }
}

/// Returns what a probe of an audit rests on; None where that has yet to be said here.
pub fn of_probe(probe: Probe) -> Option<Vec<Use>> {
    Some(match probe {
        Probe::Position => vec![(Paper::Portia, "consistency in both orders, by length")],
        Probe::Distractors => vec![(Paper::Distracted, "rewrites that must not matter")],
        Probe::Protocols => vec![(Paper::Distracted, "flips under one protocol and another")],
        Probe::Transitivity => vec![(Paper::Distracted, "circles of preferences")],
        Probe::ChoiceSet => vec![(Paper::Distracted, "a third response in a list")],
        Probe::Scale => vec![
            (Paper::Portia, "scores on scales of several widths"),
            (Paper::Distracted, "the shares of scores"),
        ],
        Probe::Severity => vec![
            (Paper::Distracted, "broken constraints, plain and rewritten"),
            (Paper::IfEval, "constraints that can be verified"),
        ],
        Probe::Leaderboard => vec![(Paper::Distracted, "a ranking whose lowest are rewritten")],
        Probe::People | Probe::Null | Probe::Reading | Probe::Failures => Vec::new(),
        _ => return None,
    })
}

/// Returns where data of a format come from.
pub fn of_data(format: Format) -> Vec<Use> {
    let data = |paper| vec![(paper, "the data")];
    match format {
        Format::AlpacaEvalOutputs => data(Paper::AlpacaEval),
        Format::ArenaHardQuestions | Format::ArenaHardAnswers => data(Paper::ArenaHard),
        Format::MtBenchQuestions | Format::MtBenchAnswers => data(Paper::MtBench),
        Format::LlmBar => data(Paper::LlmBar),
        Format::JudgeBench => data(Paper::JudgeBench),
        Format::PreferencePairs => vec![
            (
                Paper::RewardBench,
                "the data, where they are of its first edition",
            ),
            (
                Paper::RewardBench2,
                "the data, where they are of its second edition",
            ),
        ],
        Format::IfEval => data(Paper::IfEval),
        Format::PandaLm => data(Paper::PandaLm),
        Format::CrossAnnotations => data(Paper::AlpacaFarm),
        Format::AutoJ => data(Paper::AutoJ),
        Format::Votes => vec![
            (
                Paper::MtBench,
                "the data, where the votes are on its answers",
            ),
            (
                Paper::ChatbotArena,
                "the data, where the votes are the arena's",
            ),
        ],
        Format::WildBench => data(Paper::WildBench),
        Format::Items
        | Format::Responses
        | Format::Labels
        | Format::Ratings
        | Format::InspectSamples
        | Format::Promptfoo
        | Format::HealthBench => Vec::new(),
    }
}

/// Returns where judgments of a format come from.
pub fn of_judgments(format: JudgmentFormat) -> Vec<Use> {
    let judgments = |paper| vec![(paper, "the judgments")];
    match format {
        JudgmentFormat::AlpacaEval | JudgmentFormat::AlpacaEvalPreferences => {
            judgments(Paper::AlpacaEval)
        }
        JudgmentFormat::ArenaHard => judgments(Paper::ArenaHard),
        JudgmentFormat::MtBenchPairs | JudgmentFormat::MtBenchScores => judgments(Paper::MtBench),
        JudgmentFormat::PandaLmPairs | JudgmentFormat::PandaLmVerdicts => judgments(Paper::PandaLm),
        JudgmentFormat::LlmBar => judgments(Paper::LlmBar),
        JudgmentFormat::JudgeBench => judgments(Paper::JudgeBench),
        JudgmentFormat::ScorePairs => judgments(Paper::FairEval),
        JudgmentFormat::AutoJPairs | JudgmentFormat::AutoJVerdicts => judgments(Paper::AutoJ),
        JudgmentFormat::Judgments
        | JudgmentFormat::Labels
        | JudgmentFormat::Scores
        | JudgmentFormat::Battles => Vec::new(),
    }
}

/// Returns what a judge corrected by people's labels rests on.
pub fn of_corrected_rates() -> Vec<Use> {
    vec![
        (
            Paper::RoganGladen,
            "pass rates corrected for what the judge gets wrong",
        ),
        (Paper::LangReiczigel, "their intervals"),
        (Paper::CorrectedJudges, "the same of judges"),
    ]
}

/// Returns what a search for the judgments that carry a leader rests on.
pub fn of_dropped_judgments() -> Vec<Use> {
    vec![(
        Paper::DroppedData,
        "the fewest judgments that carry the leader",
    )]
}

/// Returns what a judge held against people's labels rests on.
pub fn of_agreement() -> Vec<Use> {
    vec![
        (
            Paper::RealRank,
            "a judge against people, pair by pair and system by system",
        ),
        (Paper::Kappa, "agreement beyond chance"),
        (Paper::KornGraubard, "intervals of shares over items"),
    ]
}

/// Returns what people's agreement among themselves rests on.
pub fn of_people() -> Vec<Use> {
    vec![
        (Paper::Alpha, "agreement of people beyond chance"),
        (Paper::Kappa, "one person against the others, beyond chance"),
        (Paper::KornGraubard, "intervals of shares over items"),
    ]
}

/// Returns what the p-values of differences between judges rest on, where a report has any that are
/// corrected for their number, however deep in it they are.
pub fn of_corrected_differences(report: &Value) -> Vec<Use> {
    fn has_any(value: &Value) -> bool {
        match value {
            Value::Object(fields) => fields
                .iter()
                .any(|(name, value)| (name == "p_holm" && !value.is_null()) || has_any(value)),
            Value::Array(values) => values.iter().any(has_any),
            _ => false,
        }
    }
    match has_any(report) {
        true => vec![(Paper::Holm, "p-values of many comparisons")],
        false => Vec::new(),
    }
}

/// Returns what the tests of an audit rest on.
///
/// # Arguments
/// * `has_slices`: Whether findings were made by the value of a field too.
pub fn of_audits(has_slices: bool) -> Vec<Use> {
    let mut uses = vec![
        (Paper::KornGraubard, "intervals of shares over items"),
        (Paper::FalseDiscoveries, "p-values of many findings"),
    ];
    if has_slices {
        uses.push((Paper::Holm, "p-values of the findings of slices"));
    }
    uses
}

/// Returns what a ranking that controls for covariates of the responses rests on.
pub fn of_style_control() -> Vec<Use> {
    vec![(
        Paper::StyleControl,
        "covariates of the responses in the model",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_protocols::{METHODS, PRESETS, Pack, REASONINGS};

    #[test]
    fn everything_that_is_known_by_name_is_said() {
        for kind in REASONINGS {
            assert!(of_reasoning_kind(kind.name).is_some(), "{}", kind.name);
        }
        for (names, _) in METHODS.iter().flat_map(|method| method.names) {
            for name in names.split(", ") {
                assert!(of_calibration(name).is_some(), "{name}");
            }
        }
        for preset in PRESETS {
            assert!(of_preset(preset.name).is_some(), "{}", preset.name);
        }
        for probe in Probe::ALL {
            assert!(of_probe(*probe).is_some(), "{}", probe.name());
        }
        let known = [
            "criteria",
            "instruction-following",
            "none",
            "overall",
            "rules",
            "rules-strict",
        ];
        assert!(
            Pack::default().rubrics().eq(known),
            "say what a new rubric rests on"
        );
    }

    #[test]
    fn what_names_a_source_where_it_is_defined_rests_on_one_here() {
        for kind in REASONINGS {
            let uses = of_reasoning_kind(kind.name).unwrap();
            assert_eq!(uses.is_empty(), kind.source.is_empty(), "{}", kind.name);
        }
        for method in METHODS.iter().filter(|method| !method.source.is_empty()) {
            let mut names = method.names.iter().flat_map(|(names, _)| names.split(", "));
            assert!(
                names.any(|name| of_calibration(name).is_some_and(|uses| !uses.is_empty())),
                "{method:?}"
            );
        }
    }

    /// The papers of a protocol.
    fn papers(name: &str, by_probabilities: bool) -> Vec<Paper> {
        let uses = of_protocol(&Protocol::parse(name).unwrap(), by_probabilities);
        uses.into_iter().map(|(paper, _)| paper).collect()
    }

    #[test]
    fn a_protocol_rests_on_the_papers_of_its_parts() {
        for (name, paper) in [
            ("pairwise/prepair+metrics+reference/swap", Paper::MtBench),
            ("pairwise-likert/prepair+metrics/portia:3", Paper::Portia),
            ("pairwise-tie/direct/swap", Paper::MtBench),
            ("pairwise-score/direct/swap", Paper::FairEval),
            ("mec+bpc", Paper::FairEval),
            ("likelihood:given", Paper::GptScore),
            (
                "pairwise/cot/self-consistency:5,0.8",
                Paper::TrustOrEscalate,
            ),
        ] {
            let found = papers(name, false);
            assert!(found.contains(&paper), "{name}: {found:?}");
        }
        for (name, paper) in [
            ("pairwise/cot/self-consistency:5", Paper::TrustOrEscalate),
            ("pairwise-tie/direct/swap", Paper::Portia),
            ("mec", Paper::Portia),
            // The parts of a preset alone are not its method.
            ("pairwise/cot/swap", Paper::Prometheus),
        ] {
            let found = papers(name, false);
            assert!(!found.contains(&paper), "{name}: {found:?}");
        }
        assert_eq!(
            of_preset("prometheus").map(|uses| uses[0].0),
            Some(Paper::Prometheus)
        );
    }

    #[test]
    fn what_asks_for_no_verdict_rests_on_no_rubric() {
        assert_eq!(papers("reward", false), [Paper::RewardModels]);
        assert_eq!(papers("likelihood:given", false), [Paper::GptScore]);
        assert!(papers("pairwise/direct/swap", false).contains(&Paper::LlmBar));
    }

    #[test]
    fn probabilities_have_a_paper_where_they_were_read() {
        for (name, paper) in [
            ("pairwise/direct/swap", Paper::JudgmentDistribution),
            ("pointwise/direct/single", Paper::GEval),
        ] {
            assert!(papers(name, true).contains(&paper), "{name}");
            assert!(!papers(name, false).contains(&paper), "{name}");
        }
    }

    #[test]
    fn findings_and_slices_of_an_audit_are_adjusted_in_their_own_ways() {
        let papers = |has_slices| -> Vec<Paper> {
            let uses = of_audits(has_slices).into_iter();
            uses.map(|(paper, _)| paper).collect()
        };
        assert_eq!(
            papers(false),
            [Paper::KornGraubard, Paper::FalseDiscoveries]
        );
        assert!(papers(true).contains(&Paper::Holm));
    }
}
