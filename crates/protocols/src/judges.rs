//! Who answers a protocol's calls.

use crate::cut_short::CutShort;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Who answers a protocol's calls, by identity.
#[derive(Clone, Debug, PartialEq)]
pub struct Judges {
    /// The judge, or the members of a panel in the order in which they were named. Never empty.
    pub panel: Vec<Arc<str>>,
    /// Who reads a verdict from a text in which the strict reader finds none.
    pub second_stage: Option<SecondStage>,
    /// Who embeds responses, where the protocol asks for embeddings; None: each judge itself.
    pub embedder: Option<Arc<str>>,
    /// Whether a server answers for any of the panel, so that probabilities may be lacking or known
    /// within bounds only.
    pub served: bool,
    /// Whether a reply that ends at its token limit too early is asked for again, and with what
    /// room.
    pub cut_short: CutShort,
    /// Those of all these whose servers may read marks of chat templates in a text as tokens: such
    /// marks are broken up in what they are shown.
    pub reads_marks: Vec<Arc<str>>,
    /// Whether marks are left as they are all the same.
    pub raw_marks: bool,
    /// Those of all these whose servers hold a reply to a JSON schema, as far as this protocol's
    /// replies are to be held: a verdict with its reasoning, or one that no probabilities come
    /// with.
    pub holding: Vec<HoldingJudge>,
    /// Those of the panel that answer with probabilities and write no text.
    pub deciding: Vec<DecidingJudge>,
    /// The temperature at which judges write, 0 or more; 0 is greedy. Samples of a method that
    /// draws several are written at 1 where this is 0. Verdicts read by a second stage are always
    /// greedy.
    pub temperature: f64,
    /// Whether a panel that asks one after the other asks all, however sure the first are: so that
    /// the most calls can be counted.
    pub asks_all: bool,
}

/// A judge whose server holds replies to a JSON schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldingJudge {
    /// Its identity.
    pub judge: Arc<str>,
    /// Whether the server gives the probabilities of answers too, with a reply that is held and
    /// with one that is not. A bare verdict is then asked for as it is: its probabilities say more
    /// than its text.
    pub measures: bool,
}

/// A judge that answers questions about a state with probabilities, and writes no text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecidingJudge {
    /// Its identity.
    pub judge: Arc<str>,
    /// The least probability that must lie on the answers of a question; with less there is no
    /// verdict.
    pub least_label_mass: f64,
    /// Whether both looks at a pair ask about one state, in which the responses have an order of
    /// their own, and so share a call; else each look shows them in its order.
    pub shares_state: bool,
}

/// Who reads verdicts that the strict reader cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecondStage {
    /// The judge that wrote the text.
    Same,
    /// Another model.
    By(Arc<str>),
}

impl Judges {
    /// Returns one judge alone.
    pub fn one(judge: impl Into<Arc<str>>) -> Judges {
        Judges {
            panel: vec![judge.into()],
            second_stage: None,
            embedder: None,
            served: false,
            cut_short: CutShort::Final,
            reads_marks: Vec::new(),
            raw_marks: false,
            holding: Vec::new(),
            deciding: Vec::new(),
            temperature: 0.0,
            asks_all: false,
        }
    }

    /// Returns whether marks of chat templates are broken up in what this one is shown.
    pub fn breaks_marks_for(&self, judge: &str) -> bool {
        !self.raw_marks && self.reads_marks.iter().any(|one| **one == *judge)
    }
}
