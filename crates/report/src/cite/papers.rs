//! The publications that methods come from; `papers.bib` has their facts.

/// A publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paper {
    /// The paper of PRePair.
    PrePair,
    /// The paper of RealRank: benchers, the three settings, tau_u.
    RealRank,
    /// The paper of distracted evaluation.
    Distracted,
    /// The paper of PORTIA.
    Portia,
    /// LLMBar: rules, self-generated metrics, Swap+CoT.
    LlmBar,
    /// MT-Bench and Chatbot Arena's judges.
    MtBench,
    /// FairEval: MEC, BPC, human in the loop.
    FairEval,
    /// G-Eval: scores weighted by token probabilities.
    GEval,
    /// AlpacaEval.
    AlpacaEval,
    /// Length-controlled AlpacaEval.
    LengthControl,
    /// Style control: covariates of responses in the model of a ranking.
    StyleControl,
    /// Arena-Hard.
    ArenaHard,
    /// Prometheus 2.
    Prometheus,
    /// Chain of thought.
    ChainOfThought,
    /// Self-consistency.
    SelfConsistency,
    /// Trust or Escalate.
    TrustOrEscalate,
    /// Means and modes of the distribution of judgments.
    JudgmentDistribution,
    /// GPTScore.
    GptScore,
    /// Self-preference by perplexity.
    Perplexity,
    /// Reward models of preferences.
    RewardModels,
    /// Sentence embeddings.
    SentenceBert,
    /// The model of Bradley and Terry.
    BradleyTerry,
    /// Its ties, as Rao and Kupper have them.
    RaoKupper,
    /// Its ties, as Davidson has them.
    Davidson,
    /// Elo's ratings.
    Elo,
    /// Newman's iteration.
    Newman,
    /// PageRank.
    PageRank,
    /// Rankings by an eigenvector.
    Landau,
    /// The same, and why it works.
    Wei,
    /// The bootstrap.
    Bootstrap,
    /// The book on the bootstrap.
    BootstrapBook,
    /// Its corrected intervals.
    Bca,
    /// The bootstrap of clusters.
    ClusterBootstrap,
    /// Robust covariances.
    RobustCovariance,
    /// Robust covariances of clusters, in practice.
    ClusterRobust,
    /// Joint tests by resampling.
    JointTests,
    /// Joint tests step by step.
    StepDown,
    /// Holm's adjustment.
    Holm,
    /// The false discovery rate.
    FalseDiscoveries,
    /// Prediction-powered inference.
    PredictionPowered,
    /// The same, tuned.
    PredictionPoweredTuned,
    /// Rates corrected by sensitivity and specificity.
    RoganGladen,
    /// Intervals of such rates.
    LangReiczigel,
    /// Such rates, of judges.
    CorrectedJudges,
    /// Intervals of shares in samples of clusters.
    KornGraubard,
    /// Agreement beyond chance.
    Kappa,
    /// How few data carry a result.
    DroppedData,
    /// Tests by betting.
    Betting,
    /// Confidence sequences.
    ConfidenceSequences,
    /// Weighted sampling for audits.
    WeightedSampling,
    /// Swim tournaments.
    Swim,
    /// IFEval.
    IfEval,
    /// PandaLM.
    PandaLm,
    /// JudgeBench.
    JudgeBench,
    /// RewardBench.
    RewardBench,
    /// RewardBench 2.
    RewardBench2,
    /// Auto-J.
    AutoJ,
    /// AlpacaFarm.
    AlpacaFarm,
    /// WildBench.
    WildBench,
    /// Chatbot Arena.
    ChatbotArena,
}

impl Paper {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Paper> {
        [
            Paper::PrePair,
            Paper::RealRank,
            Paper::Distracted,
            Paper::Portia,
            Paper::LlmBar,
            Paper::MtBench,
            Paper::FairEval,
            Paper::GEval,
            Paper::AlpacaEval,
            Paper::LengthControl,
            Paper::StyleControl,
            Paper::ArenaHard,
            Paper::Prometheus,
            Paper::ChainOfThought,
            Paper::SelfConsistency,
            Paper::TrustOrEscalate,
            Paper::JudgmentDistribution,
            Paper::GptScore,
            Paper::Perplexity,
            Paper::RewardModels,
            Paper::SentenceBert,
            Paper::BradleyTerry,
            Paper::RaoKupper,
            Paper::Davidson,
            Paper::Elo,
            Paper::Newman,
            Paper::PageRank,
            Paper::Landau,
            Paper::Wei,
            Paper::Bootstrap,
            Paper::BootstrapBook,
            Paper::Bca,
            Paper::ClusterBootstrap,
            Paper::RobustCovariance,
            Paper::ClusterRobust,
            Paper::JointTests,
            Paper::StepDown,
            Paper::Holm,
            Paper::FalseDiscoveries,
            Paper::PredictionPowered,
            Paper::PredictionPoweredTuned,
            Paper::RoganGladen,
            Paper::LangReiczigel,
            Paper::CorrectedJudges,
            Paper::KornGraubard,
            Paper::Kappa,
            Paper::DroppedData,
            Paper::Betting,
            Paper::ConfidenceSequences,
            Paper::WeightedSampling,
            Paper::Swim,
            Paper::IfEval,
            Paper::PandaLm,
            Paper::JudgeBench,
            Paper::RewardBench,
            Paper::RewardBench2,
            Paper::AutoJ,
            Paper::AlpacaFarm,
            Paper::WildBench,
            Paper::ChatbotArena,
        ]
        .into_iter()
    }

    /// Returns the name under which it is cited: its key in `papers.bib`.
    pub fn key(self) -> &'static str {
        match self {
            Paper::PrePair => "jeong2025comparative",
            Paper::RealRank => "gao2025reevaluating",
            Paper::Distracted => "tripathi2025pairwise",
            Paper::Portia => "li2024split",
            Paper::LlmBar => "zeng2024evaluating",
            Paper::MtBench => "zheng2023judging",
            Paper::FairEval => "wang2024large",
            Paper::GEval => "liu2023geval",
            Paper::AlpacaEval => "li2023alpacaeval",
            Paper::LengthControl => "dubois2024length",
            Paper::StyleControl => "li2024does",
            Paper::ArenaHard => "li2024crowdsourced",
            Paper::Prometheus => "kim2024prometheus",
            Paper::ChainOfThought => "wei2022chain",
            Paper::SelfConsistency => "wang2023selfconsistency",
            Paper::TrustOrEscalate => "jung2024trust",
            Paper::JudgmentDistribution => "wang2025improving",
            Paper::GptScore => "fu2023gptscore",
            Paper::Perplexity => "wataoka2024self",
            Paper::RewardModels => "ouyang2022training",
            Paper::SentenceBert => "reimers2019sentence",
            Paper::BradleyTerry => "bradley1952rank",
            Paper::RaoKupper => "rao1967ties",
            Paper::Davidson => "davidson1970extending",
            Paper::Elo => "elo1978rating",
            Paper::Newman => "newman2023efficient",
            Paper::PageRank => "page1999pagerank",
            Paper::Landau => "landau1895relativen",
            Paper::Wei => "wei1952algebraic",
            Paper::Bootstrap => "efron1979bootstrap",
            Paper::BootstrapBook => "efron1993introduction",
            Paper::Bca => "efron1987better",
            Paper::ClusterBootstrap => "field2007bootstrapping",
            Paper::RobustCovariance => "liang1986longitudinal",
            Paper::ClusterRobust => "cameron2015practitioner",
            Paper::JointTests => "westfall1993resampling",
            Paper::StepDown => "romano2005exact",
            Paper::Holm => "holm1979simple",
            Paper::FalseDiscoveries => "benjamini1995controlling",
            Paper::PredictionPowered => "angelopoulos2023prediction",
            Paper::PredictionPoweredTuned => "angelopoulos2023ppi",
            Paper::RoganGladen => "rogan1978estimating",
            Paper::LangReiczigel => "lang2014confidence",
            Paper::CorrectedJudges => "lee2025correctly",
            Paper::KornGraubard => "korn1998confidence",
            Paper::Kappa => "cohen1960coefficient",
            Paper::DroppedData => "broderick2020automatic",
            Paper::Betting => "waudbysmith2024estimating",
            Paper::ConfidenceSequences => "howard2021time",
            Paper::WeightedSampling => "shekhar2023risk",
            Paper::Swim => "xu2025investigating",
            Paper::IfEval => "zhou2023instruction",
            Paper::PandaLm => "wang2024pandalm",
            Paper::JudgeBench => "tan2025judgebench",
            Paper::RewardBench => "lambert2024rewardbench",
            Paper::RewardBench2 => "malik2025rewardbench",
            Paper::AutoJ => "li2024generative",
            Paper::AlpacaFarm => "dubois2023alpacafarm",
            Paper::WildBench => "lin2024wildbench",
            Paper::ChatbotArena => "chiang2024chatbot",
        }
    }
}
