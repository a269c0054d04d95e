//! Whether a run is worth its calls, from what became of its first trials.

use crate::{FailureRow, Tally};
use evenhand_core::{FailureKind, Item, Judgment, Response};

/// So many trials, the first of the plan, decide.
pub(crate) const FIRST: u64 = 20;

/// Where the judge answered none of them, it may be these prompts that it does not answer: then so
/// many trials decide, the others from all over the plan. Calls without an answer cost nothing.
/// Where nine in ten prompts have none, one run in 20 million ends so by chance.
pub(crate) const WIDELY: u64 = 160;

/// Ways to fail that asking another trial does not change, where they are the judge's or its
/// set-up's.
const LASTING: [FailureKind; 4] = [
    FailureKind::Unparsed,
    FailureKind::Truncated,
    FailureKind::ModelError,
    FailureKind::OffLabel,
];

/// The first trials to end: where all of them fail in one lasting way, so will the rest.
pub(crate) struct Outlook {
    ended: Tally,
    /// How many must have ended before it is decided; None once it is.
    decides_at: Option<u64>,
    pub(super) hopeless: Option<FailureRow>,
}

impl Outlook {
    /// `keeps_going` where the run goes on whatever becomes of its first trials.
    pub(crate) fn new(keeps_going: bool) -> Outlook {
        Outlook {
            ended: Tally::default(),
            decides_at: (!keeps_going).then_some(FIRST),
            hopeless: None,
        }
    }

    /// Counts a trial that ended, if it is one of the first; `others_wait` where trials that were
    /// begun have not ended.
    pub(crate) fn add(
        &mut self,
        judgment: &Judgment,
        item: &Item,
        responses: &[Response],
        others_wait: bool,
    ) {
        let Some(enough) = self.decides_at else {
            return;
        };
        self.ended.add(judgment, item, responses);
        if self.ended.coverage().trials < enough {
            return;
        }
        match lasting_failure(&self.ended) {
            // Calls that fail come back sooner than those that are answered.
            Some(row) if is_unanswered(&row) && others_wait => {}
            Some(row) if is_unanswered(&row) && enough < WIDELY => self.decides_at = Some(WIDELY),
            hopeless => (self.hopeless, self.decides_at) = (hopeless, None),
        }
    }

    /// Whether it is still to be decided.
    pub(crate) fn is_open(&self) -> bool {
        self.decides_at.is_some()
    }

    /// Whether it takes more trials than the first, from all over the plan.
    pub(crate) fn looks_widely(&self) -> bool {
        self.decides_at == Some(WIDELY)
    }
}

fn is_unanswered(row: &FailureRow) -> bool {
    row.kind == FailureKind::ModelError.name()
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
