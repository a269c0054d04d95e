//! Kinds of judges, read off their identities.

/// The kinds of judges that are treated apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeKind {
    /// A model file on this machine.
    Gguf,
    /// A model file on this machine that gives a number for a whole answer, and nothing else.
    GgufReward,
    /// A judge with planted defects.
    Simulated,
    /// A model behind Anthropic's API, which never gives probabilities.
    Anthropic,
    /// A served model that gives a number for a whole answer, and nothing else.
    Reward,
    /// Any other.
    Other,
}

impl JudgeKind {
    /// Returns the kind of a judge by its identity: `gguf:...`, `gguf:...:reward`,
    /// `openai:MODEL@HOST`, `simulated`.
    pub fn of(identity: &str) -> JudgeKind {
        match identity.split(':').next() {
            Some("gguf") if identity.ends_with(":reward") => JudgeKind::GgufReward,
            Some("gguf") => JudgeKind::Gguf,
            Some("simulated") => JudgeKind::Simulated,
            Some("anthropic") => JudgeKind::Anthropic,
            Some("reward") => JudgeKind::Reward,
            _ => JudgeKind::Other,
        }
    }

    /// Returns true for a judge that runs on this machine and costs nothing.
    pub fn is_local(self) -> bool {
        matches!(
            self,
            JudgeKind::Gguf | JudgeKind::GgufReward | JudgeKind::Simulated
        )
    }
}
