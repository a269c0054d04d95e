//! The publications that methods come from; `papers.bib` has their facts.

use strum::{IntoStaticStr, VariantArray};

/// A publication; its name is its key in `papers.bib`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
pub enum Paper {
    /// The paper of PRePair.
    #[strum(serialize = "jeong2025comparative")]
    PrePair,
    /// The paper of RealRank: benchers, the three settings, tau_u.
    #[strum(serialize = "gao2025reevaluating")]
    RealRank,
    /// The paper of distracted evaluation.
    #[strum(serialize = "tripathi2025pairwise")]
    Distracted,
    /// The paper of PORTIA.
    #[strum(serialize = "li2024split")]
    Portia,
    /// LLMBar: rules, self-generated metrics, Swap+CoT.
    #[strum(serialize = "zeng2024evaluating")]
    LlmBar,
    /// MT-Bench and Chatbot Arena's judges.
    #[strum(serialize = "zheng2023judging")]
    MtBench,
    /// FairEval: MEC, BPC, human in the loop.
    #[strum(serialize = "wang2024large")]
    FairEval,
    /// G-Eval: scores weighted by token probabilities.
    #[strum(serialize = "liu2023geval")]
    GEval,
    /// AlpacaEval.
    #[strum(serialize = "li2023alpacaeval")]
    AlpacaEval,
    /// Length-controlled AlpacaEval.
    #[strum(serialize = "dubois2024length")]
    LengthControl,
    /// Style control: covariates of responses in the model of a ranking.
    #[strum(serialize = "li2024does")]
    StyleControl,
    /// Arena-Hard.
    #[strum(serialize = "li2024crowdsourced")]
    ArenaHard,
    /// Prometheus 2.
    #[strum(serialize = "kim2024prometheus")]
    Prometheus,
    /// Chain of thought.
    #[strum(serialize = "wei2022chain")]
    ChainOfThought,
    /// Self-consistency.
    #[strum(serialize = "wang2023selfconsistency")]
    SelfConsistency,
    /// Trust or Escalate.
    #[strum(serialize = "jung2024trust")]
    TrustOrEscalate,
    /// Means and modes of the distribution of judgments.
    #[strum(serialize = "wang2025improving")]
    JudgmentDistribution,
    /// GPTScore.
    #[strum(serialize = "fu2023gptscore")]
    GptScore,
    /// Self-preference by perplexity.
    #[strum(serialize = "wataoka2024self")]
    Perplexity,
    /// Reward models of preferences.
    #[strum(serialize = "ouyang2022training")]
    RewardModels,
    /// Sentence embeddings.
    #[strum(serialize = "reimers2019sentence")]
    SentenceBert,
    /// The model of Bradley and Terry.
    #[strum(serialize = "bradley1952rank")]
    BradleyTerry,
    /// Its ties, as Rao and Kupper have them.
    #[strum(serialize = "rao1967ties")]
    RaoKupper,
    /// Its ties, as Davidson has them.
    #[strum(serialize = "davidson1970extending")]
    Davidson,
    /// Elo's ratings.
    #[strum(serialize = "elo1978rating")]
    Elo,
    /// Newman's iteration.
    #[strum(serialize = "newman2023efficient")]
    Newman,
    /// PageRank.
    #[strum(serialize = "page1999pagerank")]
    PageRank,
    /// Rankings by an eigenvector.
    #[strum(serialize = "landau1895relativen")]
    Landau,
    /// The same, and why it works.
    #[strum(serialize = "wei1952algebraic")]
    Wei,
    /// The bootstrap.
    #[strum(serialize = "efron1979bootstrap")]
    Bootstrap,
    /// The book on the bootstrap.
    #[strum(serialize = "efron1993introduction")]
    BootstrapBook,
    /// Its corrected intervals.
    #[strum(serialize = "efron1987better")]
    Bca,
    /// The bootstrap of clusters.
    #[strum(serialize = "field2007bootstrapping")]
    ClusterBootstrap,
    /// Robust covariances.
    #[strum(serialize = "liang1986longitudinal")]
    RobustCovariance,
    /// Robust covariances of clusters, in practice.
    #[strum(serialize = "cameron2015practitioner")]
    ClusterRobust,
    /// Joint tests by resampling.
    #[strum(serialize = "westfall1993resampling")]
    JointTests,
    /// Joint tests step by step.
    #[strum(serialize = "romano2005exact")]
    StepDown,
    /// Holm's adjustment.
    #[strum(serialize = "holm1979simple")]
    Holm,
    /// The false discovery rate.
    #[strum(serialize = "benjamini1995controlling")]
    FalseDiscoveries,
    /// Prediction-powered inference.
    #[strum(serialize = "angelopoulos2023prediction")]
    PredictionPowered,
    /// The same, tuned.
    #[strum(serialize = "angelopoulos2023ppi")]
    PredictionPoweredTuned,
    /// Rates corrected by sensitivity and specificity.
    #[strum(serialize = "rogan1978estimating")]
    RoganGladen,
    /// Intervals of such rates.
    #[strum(serialize = "lang2014confidence")]
    LangReiczigel,
    /// Such rates, of judges.
    #[strum(serialize = "lee2025correctly")]
    CorrectedJudges,
    /// Intervals of shares in samples of clusters.
    #[strum(serialize = "korn1998confidence")]
    KornGraubard,
    /// Agreement beyond chance.
    #[strum(serialize = "cohen1960coefficient")]
    Kappa,
    /// The alpha of several people's labels.
    #[strum(serialize = "krippendorff2004content")]
    Alpha,
    /// How few data carry a result.
    #[strum(serialize = "broderick2020automatic")]
    DroppedData,
    /// Tests by betting.
    #[strum(serialize = "waudbysmith2024estimating")]
    Betting,
    /// Confidence sequences.
    #[strum(serialize = "howard2021time")]
    ConfidenceSequences,
    /// Weighted sampling for audits.
    #[strum(serialize = "shekhar2023risk")]
    WeightedSampling,
    /// Swim tournaments.
    #[strum(serialize = "xu2025investigating")]
    Swim,
    /// IFEval.
    #[strum(serialize = "zhou2023instruction")]
    IfEval,
    /// PandaLM.
    #[strum(serialize = "wang2024pandalm")]
    PandaLm,
    /// JudgeBench.
    #[strum(serialize = "tan2025judgebench")]
    JudgeBench,
    /// RewardBench.
    #[strum(serialize = "lambert2024rewardbench")]
    RewardBench,
    /// RewardBench 2.
    #[strum(serialize = "malik2025rewardbench")]
    RewardBench2,
    /// Auto-J.
    #[strum(serialize = "li2024generative")]
    AutoJ,
    /// AlpacaFarm.
    #[strum(serialize = "dubois2023alpacafarm")]
    AlpacaFarm,
    /// WildBench.
    #[strum(serialize = "lin2024wildbench")]
    WildBench,
    /// Chatbot Arena.
    #[strum(serialize = "chiang2024chatbot")]
    ChatbotArena,
}

impl Paper {
    /// Returns the name that settings and files use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
