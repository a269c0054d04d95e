//! The publications that methods come from; `papers.bib` has their facts.

use evenhand_core::named;

named! {
    /// A publication; its name is its key in `papers.bib`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Paper {
        /// The paper of PRePair.
        PrePair = "jeong2025comparative",
        /// The paper of RealRank: benchers, the three settings, tau_u.
        RealRank = "gao2025reevaluating",
        /// The paper of distracted evaluation.
        Distracted = "tripathi2025pairwise",
        /// The paper of PORTIA.
        Portia = "li2024split",
        /// LLMBar: rules, self-generated metrics, Swap+CoT.
        LlmBar = "zeng2024evaluating",
        /// MT-Bench and Chatbot Arena's judges.
        MtBench = "zheng2023judging",
        /// FairEval: MEC, BPC, human in the loop.
        FairEval = "wang2024large",
        /// G-Eval: scores weighted by token probabilities.
        GEval = "liu2023geval",
        /// AlpacaEval.
        AlpacaEval = "li2023alpacaeval",
        /// Length-controlled AlpacaEval.
        LengthControl = "dubois2024length",
        /// Style control: covariates of responses in the model of a ranking.
        StyleControl = "li2024does",
        /// Arena-Hard.
        ArenaHard = "li2024crowdsourced",
        /// Prometheus 2.
        Prometheus = "kim2024prometheus",
        /// Chain of thought.
        ChainOfThought = "wei2022chain",
        /// Self-consistency.
        SelfConsistency = "wang2023selfconsistency",
        /// Trust or Escalate.
        TrustOrEscalate = "jung2024trust",
        /// Means and modes of the distribution of judgments.
        JudgmentDistribution = "wang2025improving",
        /// GPTScore.
        GptScore = "fu2023gptscore",
        /// Self-preference by perplexity.
        Perplexity = "wataoka2024self",
        /// Reward models of preferences.
        RewardModels = "ouyang2022training",
        /// Sentence embeddings.
        SentenceBert = "reimers2019sentence",
        /// The model of Bradley and Terry.
        BradleyTerry = "bradley1952rank",
        /// Its ties, as Rao and Kupper have them.
        RaoKupper = "rao1967ties",
        /// Its ties, as Davidson has them.
        Davidson = "davidson1970extending",
        /// Elo's ratings.
        Elo = "elo1978rating",
        /// Newman's iteration.
        Newman = "newman2023efficient",
        /// PageRank.
        PageRank = "page1999pagerank",
        /// Rankings by an eigenvector.
        Landau = "landau1895relativen",
        /// The same, and why it works.
        Wei = "wei1952algebraic",
        /// The bootstrap.
        Bootstrap = "efron1979bootstrap",
        /// The book on the bootstrap.
        BootstrapBook = "efron1993introduction",
        /// Its corrected intervals.
        Bca = "efron1987better",
        /// The bootstrap of clusters.
        ClusterBootstrap = "field2007bootstrapping",
        /// Robust covariances.
        RobustCovariance = "liang1986longitudinal",
        /// Robust covariances of clusters, in practice.
        ClusterRobust = "cameron2015practitioner",
        /// Joint tests by resampling.
        JointTests = "westfall1993resampling",
        /// Joint tests step by step.
        StepDown = "romano2005exact",
        /// Holm's adjustment.
        Holm = "holm1979simple",
        /// The false discovery rate.
        FalseDiscoveries = "benjamini1995controlling",
        /// Prediction-powered inference.
        PredictionPowered = "angelopoulos2023prediction",
        /// The same, tuned.
        PredictionPoweredTuned = "angelopoulos2023ppi",
        /// Rates corrected by sensitivity and specificity.
        RoganGladen = "rogan1978estimating",
        /// Intervals of such rates.
        LangReiczigel = "lang2014confidence",
        /// Such rates, of judges.
        CorrectedJudges = "lee2025correctly",
        /// Intervals of shares in samples of clusters.
        KornGraubard = "korn1998confidence",
        /// Agreement beyond chance.
        Kappa = "cohen1960coefficient",
        /// How few data carry a result.
        DroppedData = "broderick2020automatic",
        /// Tests by betting.
        Betting = "waudbysmith2024estimating",
        /// Confidence sequences.
        ConfidenceSequences = "howard2021time",
        /// Weighted sampling for audits.
        WeightedSampling = "shekhar2023risk",
        /// Swim tournaments.
        Swim = "xu2025investigating",
        /// IFEval.
        IfEval = "zhou2023instruction",
        /// PandaLM.
        PandaLm = "wang2024pandalm",
        /// JudgeBench.
        JudgeBench = "tan2025judgebench",
        /// RewardBench.
        RewardBench = "lambert2024rewardbench",
        /// RewardBench 2.
        RewardBench2 = "malik2025rewardbench",
        /// Auto-J.
        AutoJ = "li2024generative",
        /// AlpacaFarm.
        AlpacaFarm = "dubois2023alpacafarm",
        /// WildBench.
        WildBench = "lin2024wildbench",
        /// Chatbot Arena.
        ChatbotArena = "chiang2024chatbot",
    }
}
