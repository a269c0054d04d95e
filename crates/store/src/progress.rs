//! How much of its plan a run has judged, and whether a process is at it.

use crate::connect::is_locked;
use crate::{JudgmentCounts, Reader, Store, StoreError};
use rusqlite::OptionalExtension;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunProgress {
    /// Trials that were planned; None where that is not known: a run of an earlier version that was
    /// not finished, a design that chooses as it goes and has not ended, and audits and studies,
    /// which keep calls alone.
    pub planned: Option<u64>,
    /// Trials that were judged, with a verdict or a failure.
    pub judgments: u64,
    /// Of these, those that came to a verdict.
    pub verdicts: u64,
    /// What can be said of the run as a whole.
    pub state: RunState,
}

/// What can be said of a run as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum RunState {
    /// A process holds the run's lock: judgments may still come in.
    Running,
    /// All that was planned is judged.
    Complete,
    /// Judgments are missing that the command's answer did not need: a migration that decided what
    /// it asks about.
    Decided,
    /// Judgments are missing, and no process is at work: it was stopped, killed, or met a limit.
    Stopped,
    /// No judgment came to a verdict.
    Failed,
    /// The run is of an earlier version, which kept no plan.
    #[default]
    Unknown,
}

impl RunState {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl RunProgress {
    /// Returns how many planned trials are not judged; None where the plan is not known.
    pub fn missing(&self) -> Option<u64> {
        let planned = self.planned?;
        Some(planned.saturating_sub(self.judgments))
    }

    /// Whether the run came to an end with verdicts: its result is one to show others. One of an
    /// earlier version, of which that is not known, is taken to have.
    pub fn is_done(&self) -> bool {
        match self.state {
            RunState::Complete | RunState::Decided | RunState::Unknown => true,
            RunState::Running | RunState::Stopped | RunState::Failed => false,
        }
    }

    /// Whether it is known that the run has judged less than was planned: trials are missing, or a
    /// design that chooses as it goes has not ended.
    pub fn is_unfinished(&self) -> bool {
        let open = matches!(self.state, RunState::Running | RunState::Stopped);
        self.missing().map_or(open, |missing| missing > 0)
    }
}

impl Store {
    /// Keeps how many trials are to be judged, in place of what an earlier session planned; None
    /// where that turns out at the end. A shared store ([`Store::open_shared`]) keeps none.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn put_plan(&mut self, trials: Option<u64>) -> Result<(), StoreError> {
        if !self.keeps_judgments() {
            return Ok(());
        }
        self.begin()?;
        let trials = trials.map(|trials| i64::try_from(trials).unwrap_or(i64::MAX));
        let sql = "INSERT OR REPLACE INTO plan (id, trials) VALUES (0, ?1)";
        self.db.prepare_cached(sql)?.execute([trials])?;
        self.commit()
    }
}

impl Reader {
    /// Returns how far the run has come. Of a run of an earlier version the plan is that of its
    /// report, which is made at the end alone.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn progress(&self) -> Result<RunProgress, StoreError> {
        // Looked at first: a run that ends meanwhile is then taken for one that is under way, never
        // for one that was stopped.
        let running = self.is_running();
        self.progress_of(self.judgment_counts()?, running)
    }

    /// Returns how far a run has come whose judgments were counted; `running` says whether a
    /// process holds its lock ([`Reader::is_running`]).
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn progress_of(
        &self,
        counts: JudgmentCounts,
        running: bool,
    ) -> Result<RunProgress, StoreError> {
        let sql = "SELECT trials FROM plan";
        let kept = self.db.query_row(sql, [], |row| row.get(0)).optional()?;
        let kept: Option<Option<i64>> = kept;
        let planned = match kept {
            Some(trials) => trials.map(|trials| trials.max(0) as u64),
            None => self.reported_trials()?,
        };
        // A later session may have planned less than an earlier one judged.
        let planned = planned.map(|planned| planned.max(counts.judgments));
        let state = if running {
            RunState::Running
        } else if counts.judgments > 0 && counts.verdicts == 0 {
            RunState::Failed
        } else if let Some(planned) = planned {
            match counts.judgments < planned {
                true if self.is_decided(counts.judgments)? => RunState::Decided,
                true => RunState::Stopped,
                false => RunState::Complete,
            }
        } else if kept.is_none() && counts.judgments > 0 {
            RunState::Unknown
        } else if kept.is_none() && !self.is_unfinished()? {
            // Audits and studies keep calls, and a report at their end.
            RunState::Complete
        } else {
            RunState::Stopped
        };
        Ok(RunProgress {
            planned,
            judgments: counts.judgments,
            verdicts: counts.verdicts,
            state,
        })
    }

    /// Whether a process holds the run's lock.
    pub fn is_running(&self) -> bool {
        is_locked(self.dir())
    }

    /// Whether a migration ended with so many judgments because it needed no more. One that went on
    /// after it, to judge all, and was stopped, has more.
    fn is_decided(&self, judgments: u64) -> Result<bool, StoreError> {
        let sql = "SELECT CASE WHEN json_valid(report) AND report ->> '$.ended.why' = 'decided' \
                   THEN report ->> '$.judgments_asked' END \
                   FROM results WHERE command = 'migrate' ORDER BY id DESC LIMIT 1";
        let asked = self.db.query_row(sql, [], |row| row.get(0)).optional()?;
        let asked: Option<Option<i64>> = asked;
        Ok(asked
            .flatten()
            .is_some_and(|asked| u64::try_from(asked) == Ok(judgments)))
    }

    /// The trials that a report of this run counts, where it counts all that are kept.
    fn reported_trials(&self) -> Result<Option<u64>, StoreError> {
        let sql = "SELECT max(CASE WHEN json_valid(report) THEN report ->> '$.coverage.trials' \
                   END) FROM results";
        let trials: Option<i64> = self.db.query_row(sql, [], |row| row.get(0)).unwrap_or(None);
        let trials = trials.map(|trials| trials.max(0) as u64);
        let judged = self.count_judgments()?;
        Ok(trials.filter(|trials| *trials == judged && judged > 0))
    }
}

#[cfg(test)]
#[path = "tests/progress.rs"]
mod tests;
