//! Asking, in a protocol that is re-executed.

use crate::fence::{fence_text, find_width};
use crate::judges::{DecidingJudge, Judges, SecondStage};
use crate::structured::Shape;
use crate::template_marks::break_marks;
use evenhand_core::{
    About, CallError, CallErrorKind, CallResult, Embeddings, Failure, FailureKind, Finish,
    JudgedCriterion, Look, Message, Outcome, Reply, Request, RequestKey, Role, Stage, Task,
    Verdict,
};
use std::cell::RefCell;
use std::sync::Arc;

/// A reply is missing. Only [`Ask`] can say so.
#[derive(Debug)]
pub struct Pending(());

/// Why a protocol stopped before its verdict.
#[derive(Debug)]
pub enum Stop {
    /// A reply is missing; the protocol is run again when it is there.
    Pending(Pending),
    /// The judgment failed.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure)
    }
}

/// A protocol's verdict, or why it stopped before it.
pub type VerdictOrStop = Result<Verdict, Stop>;

/// The parts of a request that are a protocol's own to decide.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The conversation.
    pub messages: Vec<Message>,
    /// The task. Its temperature is set by [`Ask`]: [`Judges::temperature`](crate::Judges), or that
    /// of samples.
    pub task: Task,
    /// The item and responses that it is about, for simulated judges.
    pub about: About,
}

/// A call that is to be made.
#[derive(Debug)]
pub struct Missing {
    /// Its content address.
    pub key: RequestKey,
    /// [`Request::canonical`], as it is stored.
    pub body: String,
    /// The request.
    pub request: Request,
    /// How many replies its pass had asked for before it.
    pub(crate) place: usize,
    /// Whether its reply is held to a shape.
    pub(crate) is_held: bool,
}

impl Missing {
    /// Makes a call that no protocol asks for.
    pub fn new(request: Request) -> Missing {
        let body = request.canonical();
        Missing {
            key: RequestKey::of(&body),
            body,
            request,
            place: 0,
            is_held: false,
        }
    }
}

/// The call that a pass met first of those that were missing.
///
/// Up to it the next pass is the same one over again, since it learns nothing else: so the call is
/// known by its place, and its prompt need not be rendered to find the reply.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    key: RequestKey,
    place: usize,
    is_held: bool,
}

impl Awaited {
    /// Returns the first of the calls that a pass found missing.
    pub fn first_of(missing: &[Missing]) -> Option<Awaited> {
        missing.first().map(|first| Awaited {
            key: first.key,
            place: first.place,
            is_held: first.is_held,
        })
    }
}

/// One pass over a protocol: where replies come from, and what the pass gathers.
pub(crate) struct Gathered<'a> {
    pub(crate) judges: &'a Judges,
    pub(crate) transcript: &'a dyn Fn(&RequestKey) -> Option<CallResult>,
    awaited: Option<Awaited>,
    pub(crate) asked: RefCell<Vec<RequestKey>>,
    pub(crate) missing: RefCell<Vec<Missing>>,
    pub(crate) cut_short: RefCell<Vec<RequestKey>>,
    pub(crate) looks: RefCell<Vec<Look>>,
    pub(crate) at_fault: RefCell<Vec<(FailureKind, RequestKey)>>,
}

impl<'a> Gathered<'a> {
    pub(crate) fn new(
        judges: &'a Judges,
        transcript: &'a dyn Fn(&RequestKey) -> Option<CallResult>,
        awaited: Option<Awaited>,
    ) -> Gathered<'a> {
        Gathered {
            judges,
            transcript,
            awaited,
            asked: RefCell::default(),
            missing: RefCell::default(),
            cut_short: RefCell::default(),
            looks: RefCell::default(),
            at_fault: RefCell::default(),
        }
    }
}

/// The only way for a protocol to learn anything from a model.
///
/// Asks that belong together are one round: hand several asks to [`all`], [`both`] or
/// [`settled`] before the first `?`. Two asks with a `?` between them take two rounds.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    gathered: &'a Gathered<'a>,
    judge: usize,
    sample: u32,
    /// Which sample of the trial this is, from 0, whichever repetition of the trial it is.
    within: u32,
    temperature: f64,
}

/// Returns texts between marks that none of them can hold, as [`Ask::show_between_marks`] does for
/// a judge of which it is known whether marks of chat templates are broken up for it.
pub fn show_between_marks(texts: &[(&str, &str)], breaks_marks: bool) -> Vec<String> {
    let width = find_width(texts.iter().map(|(_, text)| *text));
    texts
        .iter()
        .map(|(label, text)| match breaks_marks {
            true => fence_text(label, &break_marks(text), width),
            false => fence_text(label, text, width),
        })
        .collect()
}

/// The temperature of samples of evidence where the judges' own is 0, at which all would be alike
/// (Wang et al. 2024, section 5.2).
const SAMPLING_TEMPERATURE: f64 = 1.0;

impl<'a> Ask<'a> {
    /// Asks the first judge, at the judges' temperature; `replicate` keeps repetitions of a trial
    /// apart.
    pub(crate) fn new(gathered: &'a Gathered<'a>, replicate: u32) -> Ask<'a> {
        Ask {
            gathered,
            judge: 0,
            sample: replicate,
            within: 0,
            temperature: gathered.judges.temperature,
        }
    }

    /// Asks the judge, and returns its reply.
    ///
    /// # Errors
    /// [`Stop::Pending`] if the reply is not there yet, [`Stop::Failed`] if the call gave none.
    pub fn one(&self, prompt: Prompt) -> Result<Reply, Stop> {
        self.ask_other(self.judge(), prompt)
    }

    /// Asks like [`Ask::one`]. Where the reply was cut short at its limit of tokens before it
    /// `says_enough`, asks again with more room, if the user wants that.
    ///
    /// # Errors
    /// As [`Ask::one`].
    pub fn whole(
        &self,
        prompt: Prompt,
        says_enough: impl Fn(&Reply) -> bool,
    ) -> Result<Reply, Stop> {
        let request = self.request(self.judge(), prompt);
        let (reply, request) = self.look_up(request, false)?;
        if reply.finish != Finish::Length || says_enough(&reply) {
            return Ok(reply);
        }
        self.ask_with_more_room(&request, reply)
    }

    /// Asks like [`Ask::whole`], for a reply of this shape where the judge's server holds replies
    /// to one; returns with the reply the shape to which it was held. The prompt is made only where
    /// it is needed to know the call.
    pub(crate) fn whole_in_shape(
        &self,
        prompt: impl Fn() -> Result<Prompt, Stop>,
        shape: Option<Shape>,
        says_enough: impl Fn(&Reply, Option<Shape>) -> bool,
    ) -> Result<(Reply, Option<Shape>), Stop> {
        let make_request = || {
            let (prompt, shape) = self.hold(prompt()?, shape);
            Ok::<_, Stop>((self.request(self.judge(), prompt), shape))
        };
        let (reply, shape, request) = match self.find_awaited() {
            Some((reply, is_held)) => (reply, shape.filter(|_| is_held), None),
            None => {
                let (request, shape) = make_request()?;
                let (reply, request) = self.look_up(request, shape.is_some())?;
                (reply, shape, Some(request))
            }
        };
        if reply.finish != Finish::Length || says_enough(&reply, shape) {
            return Ok((reply, shape));
        }
        let request = request.map_or_else(|| Ok(make_request()?.0), Ok::<_, Stop>)?;
        Ok((self.ask_with_more_room(&request, reply)?, shape))
    }

    /// Returns the reply that the last pass stopped for, if it is asked for now and there, and
    /// whether it was held to a shape.
    fn find_awaited(&self) -> Option<(Reply, bool)> {
        let awaited = self.gathered.awaited?;
        if self.gathered.asked.borrow().len() != awaited.place {
            return None;
        }
        let reply = (self.gathered.transcript)(&awaited.key)?.ok()?;
        self.gathered.asked.borrow_mut().push(awaited.key);
        Some((reply, awaited.is_held))
    }

    /// Asks again for a reply that was cut short, with the first limit of tokens that the judge's
    /// context has room for. The reply stands where the user wants no other, and where there is no
    /// room for more: it says what happened, and a refused retry takes nothing from it.
    fn ask_with_more_room(&self, request: &Request, reply: Reply) -> Result<Reply, Stop> {
        let rooms = self.gathered.judges.cut_short.list_limits(request, &reply);
        if !rooms.is_empty() {
            self.gathered.cut_short.borrow_mut().push(request.key());
        }
        for room in rooms {
            let mut request = request.clone();
            if let Task::Generate { decoding, .. } = &mut request.task {
                decoding.max_tokens = room;
            }
            match self.look_up(request, false) {
                Err(Stop::Failed(failure)) if failure.kind == FailureKind::TooLong => {}
                asked_again => return asked_again.map(|(reply, _)| reply),
            }
        }
        Ok(reply)
    }

    /// Returns the prompt that asks for a reply of this shape, and the shape, where this judge's
    /// server holds replies to one; else the prompt as it is.
    ///
    /// A bare answer whose probabilities the server gives is left free: they say more than one that
    /// is held, and are those of the judge's own words.
    pub(crate) fn hold(&self, mut prompt: Prompt, shape: Option<Shape>) -> (Prompt, Option<Shape>) {
        let judges = &self.gathered.judges.holding;
        let holding = judges.iter().find(|one| one.judge == *self.judge());
        let (Some(shape), Some(holding)) = (shape, holding) else {
            return (prompt, None);
        };
        let schema = shape.schema();
        let (Task::Generate { decoding, answers }, Some(last)) =
            (&mut prompt.task, prompt.messages.last_mut())
        else {
            return (prompt, None);
        };
        let is_measured = holding.measures && answers.is_some() && !shape.reasons;
        if is_measured || last.role != Role::User {
            return (prompt, None);
        }
        last.content = format!("{}\n\n{}", last.content, shape.instruction());
        decoding.max_tokens += shape.tokens();
        decoding.schema = schema;
        (prompt, Some(shape))
    }

    /// Asks the model that reads verdicts; None where there is no second stage.
    ///
    /// `prompt` is given whether marks of chat templates are broken up for that model.
    pub(crate) fn second_stage(
        &self,
        prompt: impl FnOnce(bool) -> Result<Prompt, Stop>,
    ) -> Option<Result<Reply, Stop>> {
        let reader = match self.gathered.judges.second_stage.as_ref()? {
            SecondStage::Same => self.judge(),
            SecondStage::By(judge) => judge,
        };
        // Reading is no judging: it is greedy whatever the judges' temperature.
        let greedy = Ask {
            temperature: 0.0,
            ..self.once()
        };
        let prompt = prompt(self.gathered.judges.breaks_marks_for(reader));
        Some(prompt.and_then(|prompt| greedy.ask_other(reader, prompt)))
    }

    /// Asks for an embedding of each of these texts, none of which is empty: of the embedder, where
    /// there is one, else of the judge. Samples share it.
    ///
    /// # Errors
    /// As [`Ask::one`]; also a reply with another number of embeddings.
    pub fn embed(&self, pieces: Vec<String>) -> Result<Embeddings, Stop> {
        let count = pieces.len();
        let judges = self.gathered.judges;
        let embedder = judges.embedder.as_ref().unwrap_or(self.judge());
        let prompt = Prompt {
            messages: Vec::new(),
            task: Task::Embed { pieces },
            about: About::default(),
        };
        let reply = self.once().ask_other(embedder, prompt)?;
        match reply.embeddings {
            Some(embeddings) if embeddings.vectors().len() == count => Ok(embeddings),
            _ => {
                let why = format!("{embedder} gave no {count} embeddings");
                Err(Failure::new(FailureKind::ModelError, why).into())
            }
        }
    }

    fn judge(&self) -> &'a Arc<str> {
        &self.gathered.judges.panel[self.judge]
    }

    fn ask_other(&self, judge: &Arc<str>, prompt: Prompt) -> Result<Reply, Stop> {
        let (reply, _) = self.look_up(self.request(judge, prompt), false)?;
        Ok(reply)
    }

    fn request(&self, judge: &Arc<str>, prompt: Prompt) -> Request {
        let mut task = prompt.task;
        if let Task::Generate { decoding, .. } = &mut task {
            decoding.temperature = self.temperature;
        }
        Request {
            judge: judge.clone(),
            messages: prompt.messages,
            task,
            sample: self.sample,
            about: prompt.about,
        }
    }

    /// Looks a request up in the transcript, and notes it as missing where it is not there.
    /// `is_held` says whether the reply to it is held to a shape.
    fn look_up(&self, request: Request, is_held: bool) -> Result<(Reply, Request), Stop> {
        let body = request.canonical();
        let key = RequestKey::of(&body);
        let place = self.gathered.asked.borrow().len();
        self.gathered.asked.borrow_mut().push(key);
        match (self.gathered.transcript)(&key) {
            Some(Ok(reply)) => Ok((reply, request)),
            Some(Err(error)) => {
                let failure = failure_of(error);
                self.blame(failure.kind, key);
                Err(Stop::Failed(failure))
            }
            // The protocol runs again once there is a reply.
            None => {
                self.gathered.missing.borrow_mut().push(Missing {
                    key,
                    body,
                    request,
                    place,
                    is_held,
                });
                Err(Stop::Pending(Pending(())))
            }
        }
    }

    /// Returns the call that was asked last.
    pub(crate) fn last_call(&self) -> Option<RequestKey> {
        self.gathered.asked.borrow().last().copied()
    }

    /// Keeps that the reply to this call was no use.
    pub(crate) fn blame(&self, kind: FailureKind, key: RequestKey) {
        self.gathered.at_fault.borrow_mut().push((kind, key));
    }

    /// Returns an `Ask` for sample number `sample`, from 0, of `k`: what it asks is asked anew for
    /// each sample, at temperature 1 where the judges' own is 0 (Wang et al. 2024, section 5.2).
    #[must_use]
    pub fn sample(self, sample: u32, k: u32) -> Self {
        Ask {
            sample: self.sample * k + sample,
            within: sample,
            temperature: match self.gathered.judges.temperature {
                0.0 => SAMPLING_TEMPERATURE,
                own => own,
            },
            ..self
        }
    }

    /// Returns an `Ask` whose calls all samples share, at the judges' temperature.
    #[must_use]
    pub fn once(self) -> Self {
        Ask {
            sample: 0,
            temperature: self.gathered.judges.temperature,
            ..self
        }
    }

    /// Returns an `Ask` of the `judge`-th member of the panel.
    #[must_use]
    pub(crate) fn member(self, judge: usize) -> Self {
        Ask { judge, ..self }
    }

    /// Returns how many judges there are.
    pub(crate) fn members(&self) -> usize {
        self.gathered.judges.panel.len()
    }

    /// Returns whether every member is asked, however sure the ones before are.
    pub(crate) fn asks_all(&self) -> bool {
        self.gathered.judges.asks_all
    }

    /// Returns whether marks of chat templates are broken up in what this judge is shown.
    pub fn breaks_marks(&self) -> bool {
        self.gathered.judges.breaks_marks_for(self.judge())
    }

    /// Returns texts between marks that none of them can hold, each as (label, text), so that a
    /// response cannot pose as the prompt around it. All texts of a prompt must come from one call.
    pub fn show_between_marks(&self, texts: &[(&str, &str)]) -> Vec<String> {
        show_between_marks(texts, self.breaks_marks())
    }

    /// Returns how this judge is asked, where it answers with probabilities and writes no text.
    pub(crate) fn deciding(&self) -> Option<&'a DecidingJudge> {
        let mut deciding = self.gathered.judges.deciding.iter();
        deciding.find(|one| one.judge == *self.judge())
    }

    /// Keeps what one look came to, beside the verdict of the trial. `outcome` is in the slots of
    /// the trial; `swapped` says whether they were shown in reverse.
    pub fn note(&self, stage: impl Into<Stage>, sample: u32, swapped: bool, outcome: Outcome) {
        self.keep_look(Look {
            judge: self.judge as u32,
            stage: stage.into(),
            sample,
            swapped,
            outcome,
            criterion: None,
        });
    }

    /// Keeps what came of one criterion of a checklist.
    pub(crate) fn note_criterion(&self, criterion: &JudgedCriterion, outcome: Outcome) {
        self.keep_look(Look {
            judge: self.judge as u32,
            stage: Stage::from("criterion"),
            sample: self.within,
            swapped: false,
            outcome,
            criterion: Some(Box::new(criterion.clone())),
        });
    }

    fn keep_look(&self, look: Look) {
        self.gathered.looks.borrow_mut().push(look);
    }
}

/// Returns the failure of what makes no sense, however often it is asked.
pub(crate) fn invalid(why: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Invalid, why)
}

fn failure_of(error: CallError) -> Failure {
    let kind = match error.kind {
        CallErrorKind::TooLong => FailureKind::TooLong,
        CallErrorKind::Invalid => FailureKind::Invalid,
        CallErrorKind::Refused => FailureKind::Refused,
        CallErrorKind::Drifted => FailureKind::Drifted,
        CallErrorKind::Model => FailureKind::ModelError,
    };
    Failure::new(kind, error.message)
}

/// Asks independent things together, and returns every reply, in order.
///
/// # Errors
/// Pending wins over a failure beside it, since the replies that are under way would otherwise be
/// lost to this trial; else the first failure stands.
pub fn all<T>(asks: impl IntoIterator<Item = Result<T, Stop>>) -> Result<Vec<T>, Stop> {
    let (mut replies, mut stop) = (Vec::new(), None);
    for ask in asks {
        match (ask, &stop) {
            (Ok(reply), _) => replies.push(reply),
            (Err(pending @ Stop::Pending(_)), _) => stop = Some(pending),
            (Err(failed), None) => stop = Some(failed),
            (Err(_), Some(_)) => {}
        }
    }
    stop.map_or(Ok(replies), Err)
}

/// Asks independent things together, and returns every reply or failure, in order.
///
/// # Errors
/// Only pending: a failure is a value here, with which a protocol may go on.
pub fn settled<T>(
    asks: impl IntoIterator<Item = Result<T, Stop>>,
) -> Result<Vec<Result<T, Failure>>, Stop> {
    all(asks.into_iter().map(settle))
}

/// Makes a failure a value; only pending still stops.
pub(crate) fn settle<T>(ask: Result<T, Stop>) -> Result<Result<T, Failure>, Stop> {
    match ask {
        Ok(reply) => Ok(Ok(reply)),
        Err(Stop::Failed(failure)) => Ok(Err(failure)),
        Err(pending) => Err(pending),
    }
}

/// Returns what two asks of different kinds gave, or why to stop: pending before a failure.
pub(crate) fn join<A, B>(one: Result<A, Stop>, other: Result<B, Stop>) -> Result<(A, B), Stop> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(stop @ Stop::Pending(_)), _) | (_, Err(stop @ Stop::Pending(_))) => Err(stop),
        (Err(stop), _) | (_, Err(stop)) => Err(stop),
    }
}

/// Asks two independent things together, as [`settled`] does.
///
/// # Errors
/// Only pending.
pub fn both<T>(
    one: Result<T, Stop>,
    other: Result<T, Stop>,
) -> Result<[Result<T, Failure>; 2], Stop> {
    let settled = settled([one, other])?;
    settled
        .try_into()
        .map_err(|_| invalid("two asks did not give two replies").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending<T>() -> Result<T, Stop> {
        Err(Stop::Pending(Pending(())))
    }

    fn failed<T>(detail: &str) -> Result<T, Stop> {
        Err(Failure::new(FailureKind::Unparsed, detail).into())
    }

    #[test]
    fn all_gives_every_reply_in_order() {
        assert!(matches!(all([Ok(1), Ok(2)]), Ok(replies) if replies == [1, 2]));
    }

    #[test]
    fn pending_wins_over_a_failure_on_either_side() {
        assert!(matches!(
            all::<u8>([failed("x"), pending()]),
            Err(Stop::Pending(_))
        ));
        assert!(matches!(
            all::<u8>([pending(), failed("x")]),
            Err(Stop::Pending(_))
        ));
    }

    #[test]
    fn the_first_failure_stands() {
        assert!(
            matches!(all::<u8>([Ok(1), failed("x"), failed("y")]), Err(Stop::Failed(f)) if f.detail == "x")
        );
    }
}
