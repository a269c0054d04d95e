//! Why the engine stopped.

use crate::ask::outlook::FIRST;
use crate::ask::tally::FailureRow;
use evenhand_core::Refusal;
use evenhand_formats::records::DataError;
use evenhand_models::ModelError;
use evenhand_protocols::ProtocolError;
use evenhand_shared_store::SharedStoreError;
use evenhand_store::StoreError;
use std::fmt;
use std::path::PathBuf;

/// Why the engine stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The data cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A setting, or an input, was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The protocol could not be built.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The judge cannot be used, or failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The judge failed in the midst of a run.
    #[error("{error}; {left}")]
    BrokenOff {
        /// How it failed.
        error: ModelError,
        /// The trials that have no verdict.
        left: TrialsLeft,
    },
    /// The run directory cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store of replies that a team shares cannot be used.
    #[error(transparent)]
    Shared(#[from] SharedStoreError),
    /// The statistics were given something that they refuse.
    #[error(transparent)]
    Stats(#[from] evenhand_stats::Error),
    /// A file of recorded judgments cannot be read, which is told in words that need no others.
    #[error(transparent)]
    Judgments(DataError),
    /// An inference was given something that it refuses.
    #[error(transparent)]
    Inference(#[from] evenhand_stats::inference::InferenceError),
    /// An adaptive design was given something that it refuses.
    #[error(transparent)]
    Adaptive(#[from] evenhand_stats::adaptive::AdaptiveError),
    /// A response that was read cannot be read again.
    #[error("a response cannot be read back: {0}")]
    Text(#[from] std::io::Error),
    /// Asked to stop.
    #[error("stopped after {judged} judged trials; the same command goes on from here")]
    Stopped {
        /// Trials judged so far.
        judged: u64,
    },
    /// A limit of the user's was reached.
    #[error(
        "stopped at {limit} after {judged} judged trials; the same command with a higher limit \
         goes on from here"
    )]
    Limit {
        /// The limit, as it was given.
        limit: String,
        /// Trials judged so far.
        judged: u64,
    },
    /// The first trials all failed in one way, as did others from all over the plan where no answer
    /// came; the rest is not asked.
    #[error("{} all ended as `{}`, so the others are not asked", describe_tried(first), first.kind)]
    Hopeless {
        /// The first of these failures.
        first: Box<FailureRow>,
        /// The run that holds the replies.
        run: PathBuf,
    },
    /// A protocol waits for a reply that nobody was asked for, or a model left requests unanswered.
    #[error(
        "{trials} trials wait for replies that never came; this is a fault of evenhand or of the \
         judge's driver"
    )]
    Stuck {
        /// How many.
        trials: usize,
    },
    /// A model delivered a reply to a request that it was not given.
    #[error(
        "the judge answered a request that it was not asked; this is a fault of the judge's driver"
    )]
    Unasked,
}

/// Names the trials that a run was given up after.
fn describe_tried(failed: &FailureRow) -> String {
    match failed.count.saturating_sub(FIRST) {
        0 => format!("the first {} trials", failed.count),
        others => format!("the first {FIRST} trials, and {others} from all over the plan,"),
    }
}

/// The trials of a run that have no verdict when it breaks off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrialsLeft {
    /// Trials in all.
    pub trials: u64,
    /// Trials without a judgment: they were never asked, or no reply came.
    pub unanswered: u64,
    /// Trials whose judgment is a failure.
    pub failed: u64,
    /// Of these, those that the next run asks again.
    pub failed_for_now: u64,
}

impl fmt::Display for TrialsLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TrialsLeft {
            trials,
            unanswered,
            failed,
            failed_for_now,
        } = self;
        let all = unanswered + failed;
        write!(f, "{all} of {trials} trials have no verdict: ")?;
        match failed {
            0 => f.write_str("no reply came")?,
            _ => write!(f, "for {unanswered} no reply came, and {failed} failed")?,
        }
        match unanswered + failed_for_now {
            again if again == all => f.write_str("; the same command asks for all of them"),
            again => write!(f, "; the same command asks for {again} of them"),
        }
    }
}

impl EngineError {
    /// Returns the error with the systems' names in place of their numbers: whoever ranks systems
    /// knows them, the statistics do not.
    pub fn with_names(self, names: &[String]) -> EngineError {
        match self {
            EngineError::Inference(error) => Refusal::of_input(error.with_names(names)).into(),
            other => other,
        }
    }

    /// Whether the user can fix it: bad usage or bad input.
    pub fn is_usage(&self) -> bool {
        use EngineError::*;
        match self {
            Data(_)
            | Judgments(_)
            | Stats(_)
            | Inference(_)
            | Adaptive(_)
            | Refused(_)
            | Protocol(_)
            | Model(ModelError::Open(_)) => true,
            // A run's own files are at fault, and not how it was named or what it is used for.
            Store(StoreError::Database(_) | StoreError::Corrupt(_) | StoreError::Gone { .. }) => {
                false
            }
            Store(_) => true,
            // A server that is not there says nothing of how it was named.
            Shared(error) => !matches!(
                error,
                SharedStoreError::Server { .. } | SharedStoreError::Silent { .. }
            ),
            _ => false,
        }
    }
}
