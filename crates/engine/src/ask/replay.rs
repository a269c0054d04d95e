//! Trials over replies that cost nothing: counted, foreseen or shown.
//!
//! The driver does the same over replies that come when they come; here each is had at once.

use crate::{EngineError, Job};
use evenhand_core::{CallResult, RequestKey, Trial};
use evenhand_protocols::{Done, Judges, Missing, Pass, run};

/// Rounds after which a protocol that still wants more is at fault.
const MOST_ROUNDS: usize = 64;

/// Who answers a replayed trial.
pub(crate) trait Answers {
    /// Returns the reply to a call that was answered before.
    fn known_reply(&self, key: &RequestKey) -> Option<CallResult>;

    /// Answers a call that is missing, so that it is known from now on. `round` counts from 1; a
    /// call of a later round depends on replies of earlier ones.
    fn answer_call(&mut self, missing: Missing, round: usize) -> Result<(), EngineError>;
}

/// Runs a trial's protocol from the top, again as often as it lacks replies, to its end.
///
/// # Errors
/// What answering and reading the responses may meet; [`EngineError::Stuck`] for a protocol that
/// never ends.
pub(crate) fn replay(
    job: &Job,
    trial: &Trial,
    answers: &mut impl Answers,
) -> Result<Done, EngineError> {
    replay_by(job, &job.judges, trial, answers)
}

/// Runs a trial's protocol as [`replay`] does, by these judges in the place of the job's.
pub(crate) fn replay_by(
    job: &Job,
    judges: &Judges,
    trial: &Trial,
    answers: &mut impl Answers,
) -> Result<Done, EngineError> {
    let responses = job.responses(trial)?;
    let view = job.view(trial, &responses)?;
    let pass = |answers: &_| {
        let known = |key: &RequestKey| Answers::known_reply(answers, key);
        match run(&job.protocol, &view, judges, trial.replicate, &known) {
            Pass::Done(done) => Ok(done),
            Pass::Pending(missing) => Err(missing),
        }
    };
    rerun(answers, pass, |answers, missing, round| {
        if round > MOST_ROUNDS {
            return Err(EngineError::Stuck { trials: 1 });
        }
        for call in missing {
            answers.answer_call(call, round)?;
        }
        Ok(())
    })
}

/// Runs `pass` over what is known, again from the top as often as it lacks something; `answer`
/// adds what it lacks to what is known, and is told the round, from 1.
///
/// This is the whole of re-execution (docs/design/re-executed-protocols.md) where answers come at
/// once: a trial's over replies, and an audit's over verdicts.
///
/// # Errors
/// Those of `answer`, which must give up where no answer brings an end nearer.
pub fn rerun<Known, Done, Lacking>(
    known: &mut Known,
    pass: impl Fn(&Known) -> Result<Done, Lacking>,
    mut answer: impl FnMut(&mut Known, Lacking, usize) -> Result<(), EngineError>,
) -> Result<Done, EngineError> {
    let mut round = 1;
    loop {
        match pass(known) {
            Ok(done) => return Ok(done),
            Err(lacking) => answer(known, lacking, round)?,
        }
        round += 1;
    }
}
