//! Whether a run is worth its calls, from what became of its first judgments.

use crate::{FailureRow, Tally};
use evenhand_core::{FailureKind, Item, Judgment, Response};

/// So many judgments, the first in plan order, decide.
pub(crate) const FIRST: u64 = 20;

/// Ways to fail that asking another trial does not change, where they are the judge's or its
/// set-up's.
const LASTING: [FailureKind; 4] = [
    FailureKind::Unparsed,
    FailureKind::Truncated,
    FailureKind::ModelError,
    FailureKind::OffLabel,
];

/// The first judgments in plan order: where all of them fail in one lasting way, so will the rest.
pub(crate) struct Outlook {
    first: Tally,
    seen: u64,
    pub(super) hopeless: Option<FailureRow>,
    keeps_going: bool,
}

impl Outlook {
    /// `keeps_going` where the run goes on whatever becomes of its first judgments.
    pub(crate) fn new(keeps_going: bool) -> Outlook {
        Outlook {
            first: Tally::default(),
            seen: 0,
            hopeless: None,
            keeps_going,
        }
    }

    /// Counts the next judgment in plan order, if it is one of the first.
    pub(crate) fn add(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        if self.seen < FIRST {
            self.seen += 1;
            self.first.add(judgment, item, responses);
            if self.seen == FIRST && !self.keeps_going {
                self.hopeless = lasting_failure(&self.first);
            }
        }
    }

    /// Whether the first judgments are not there yet, and decide.
    pub(crate) fn is_open(&self) -> bool {
        self.seen < FIRST && !self.keeps_going
    }
}

/// The one failure of judgments without any verdict, if it is one that lasts.
fn lasting_failure(first: &Tally) -> Option<FailureRow> {
    if first.coverage().verdicts > 0 {
        return None;
    }
    let [row] = <[FailureRow; 1]>::try_from(first.failures()).ok()?;
    let is_lasting = LASTING.iter().any(|lasting| lasting.name() == row.kind);
    is_lasting.then_some(row)
}
