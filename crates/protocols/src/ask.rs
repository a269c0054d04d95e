//! Asking, in a protocol that is re-executed.

use crate::fence::{fence, width};
use crate::marks::broken_up;
use crate::{CutShort, Protocol};
use evenhand_core::{
    About, CallError, CallErrorKind, CallResult, Embeddings, Failure, FailureKind, Finish, Look,
    Message, Outcome,
};
use evenhand_core::{Reply, Request, RequestKey, Stage, Task, Verdict, View};
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

/// What a protocol wants to ask: everything of a request that is its own to decide.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The conversation.
    pub messages: Vec<Message>,
    /// What is wanted.
    pub task: Task,
    /// What it is about (for simulated judges).
    pub about: About,
}

/// A call that is to be made.
#[derive(Debug)]
pub struct Missing {
    /// Its content address.
    pub key: RequestKey,
    /// [`Request::canonical`]: what is stored.
    pub body: String,
    /// The request.
    pub request: Request,
}

/// Who answers a protocol's calls, by identity.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// What becomes of a reply that ends at its token limit before it says what was asked for.
    pub cut_short: CutShort,
    /// Those of all these whose servers may read marks of chat templates in a text as tokens: such
    /// marks are broken up in what they are shown.
    pub reads_marks: Vec<Arc<str>>,
    /// Whether marks are left as they are all the same.
    pub raw_marks: bool,
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
    /// One judge alone.
    pub fn one(judge: impl Into<Arc<str>>) -> Judges {
        let panel = vec![judge.into()];
        let (second_stage, embedder, reads_marks) = (None, None, Vec::new());
        Judges {
            panel,
            second_stage,
            embedder,
            served: false,
            cut_short: CutShort::Final,
            reads_marks,
            raw_marks: false,
        }
    }

    /// Whether marks of chat templates are broken up in what this one is shown.
    pub fn breaks_marks_for(&self, judge: &str) -> bool {
        !self.raw_marks && self.reads_marks.iter().any(|one| **one == *judge)
    }
}

/// What one pass over a protocol gathers.
struct Run<'a> {
    judges: &'a Judges,
    transcript: &'a dyn Fn(&RequestKey) -> Option<CallResult>,
    asked: RefCell<Vec<RequestKey>>,
    missing: RefCell<Vec<Missing>>,
    cut_short: RefCell<Vec<RequestKey>>,
    looks: RefCell<Vec<Look>>,
    at_fault: RefCell<Vec<(FailureKind, RequestKey)>>,
}

/// The only way for a protocol to learn anything from a model.
///
/// What is asked together is asked in one round: hand several asks to [`all`], [`both`] or
/// [`settled`] before the first `?`. Two asks with a `?` between them take two rounds.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    run: &'a Run<'a>,
    judge: usize,
    sample: u32,
    temperature: f64,
}

/// The temperature of samples of evidence (Wang et al. 2023, section 5.2).
const SAMPLING_TEMPERATURE: f64 = 1.0;

impl Ask<'_> {
    /// Asks the judge, and returns its reply.
    ///
    /// # Errors
    /// [`Stop::Pending`] if the reply is not there yet, [`Stop::Failed`] if the call gave none.
    pub fn one(&self, prompt: Prompt) -> Result<Reply, Stop> {
        self.reply(self.request(&self.run.judges.panel[self.judge], prompt))
            .map(|(reply, _)| reply)
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
        let (reply, request) =
            self.reply(self.request(&self.run.judges.panel[self.judge], prompt))?;
        let short = reply.finish == Finish::Length && !says_enough(&reply);
        let rooms = if short {
            self.run.judges.cut_short.rooms(&request, &reply)
        } else {
            Vec::new()
        };
        if !rooms.is_empty() {
            self.run.cut_short.borrow_mut().push(request.key());
        }
        self.in_first_that_fits(rooms, &request)
            .unwrap_or(Ok(reply))
    }

    /// Asks with the first of these limits of tokens that the judge's context has room for; None
    /// where there are no limits.
    fn in_first_that_fits(
        &self,
        rooms: Vec<u32>,
        request: &Request,
    ) -> Option<Result<Reply, Stop>> {
        let mut last = None;
        for room in rooms {
            match self.reply(with_room(request, room)) {
                Err(Stop::Failed(failure)) if failure.kind == FailureKind::TooLong => {
                    last = Some(Err(failure.into()))
                }
                reply => return Some(reply.map(|(reply, _)| reply)),
            }
        }
        last
    }

    /// Asks the model that reads verdicts; None where there is no second stage.
    ///
    /// `prompt` is given whether marks of chat templates are broken up for that model.
    pub(crate) fn second_stage(
        &self,
        prompt: impl FnOnce(bool) -> Result<Prompt, Stop>,
    ) -> Option<Result<Reply, Stop>> {
        let judge = match self.run.judges.second_stage.as_ref()? {
            SecondStage::Same => &self.run.judges.panel[self.judge],
            SecondStage::By(judge) => judge,
        };
        let once = self.once();
        let breaks_marks = self.run.judges.breaks_marks_for(judge);
        Some(prompt(breaks_marks).and_then(|prompt| {
            once.reply(once.request(judge, prompt))
                .map(|(reply, _)| reply)
        }))
    }

    /// Asks for an embedding of each of these texts, none of which is empty: of the embedder, where
    /// there is one, else of the judge. Samples share it.
    ///
    /// # Errors
    /// As [`Ask::one`]; also a reply with another number of embeddings.
    pub fn embed(&self, pieces: Vec<String>) -> Result<Embeddings, Stop> {
        let judge = self
            .run
            .judges
            .embedder
            .as_ref()
            .unwrap_or(&self.run.judges.panel[self.judge]);
        let count = pieces.len();
        let prompt = Prompt {
            messages: Vec::new(),
            task: Task::Embed { pieces },
            about: About::default(),
        };
        let once = self.once();
        let (reply, _) = once.reply(once.request(judge, prompt))?;
        let embeddings = reply
            .embeddings
            .filter(|embeddings| embeddings.vectors().len() == count);
        embeddings.ok_or_else(|| {
            Failure::new(
                FailureKind::ModelError,
                format!("{judge} gave no {count} embeddings"),
            )
            .into()
        })
    }

    fn request(&self, judge: &Arc<str>, prompt: Prompt) -> Request {
        let Prompt {
            messages,
            mut task,
            about,
        } = prompt;
        if let Task::Generate { decoding, .. } = &mut task {
            decoding.temperature = self.temperature;
        }
        Request {
            judge: judge.clone(),
            messages,
            task,
            sample: self.sample,
            about,
        }
    }

    fn reply(&self, request: Request) -> Result<(Reply, Request), Stop> {
        let body = request.canonical();
        let key = RequestKey::of(&body);
        self.run.asked.borrow_mut().push(key);
        match (self.run.transcript)(&key) {
            Some(Ok(reply)) => Ok((reply, request)),
            Some(Err(error)) => {
                let failure = failure_of(error);
                self.blame(failure.kind, key);
                Err(Stop::Failed(failure))
            }
            None => {
                self.run
                    .missing
                    .borrow_mut()
                    .push(Missing { key, body, request });
                Err(Stop::Pending(Pending(())))
            }
        }
    }

    /// The call that was asked last.
    pub(crate) fn last(&self) -> Option<RequestKey> {
        self.run.asked.borrow().last().copied()
    }

    /// Keeps that the reply to this call was no use.
    pub(crate) fn blame(&self, kind: FailureKind, key: RequestKey) {
        self.run.at_fault.borrow_mut().push((kind, key));
    }

    /// Returns an `Ask` for sample number `sample`, from 0, of `k`: what it asks is asked anew for
    /// each sample, at temperature 1 (Wang et al. 2023, section 5.2).
    #[must_use]
    pub fn sample(self, sample: u32, k: u32) -> Self {
        Ask {
            sample: self.sample * k + sample,
            temperature: SAMPLING_TEMPERATURE,
            ..self
        }
    }

    /// Returns an `Ask` whose calls all samples share, at temperature 0.
    #[must_use]
    pub fn once(self) -> Self {
        Ask {
            sample: 0,
            temperature: 0.0,
            ..self
        }
    }

    /// Returns an `Ask` of the `judge`-th member of the panel.
    #[must_use]
    pub(crate) fn member(self, judge: usize) -> Self {
        Ask { judge, ..self }
    }

    /// Whether marks of chat templates are broken up in what this judge is shown.
    pub(crate) fn breaks_marks(&self) -> bool {
        self.run
            .judges
            .breaks_marks_for(&self.run.judges.panel[self.judge])
    }

    /// Returns texts between marks that none of them can hold, each as (label, text), so that a
    /// response cannot pose as the prompt around it. All texts of a prompt must come from one call.
    pub fn show_between_marks(&self, texts: &[(&str, &str)]) -> Vec<String> {
        let width = width(texts.iter().map(|(_, text)| *text));
        let show = |(label, text): &(&str, &str)| {
            if self.breaks_marks() {
                fence(label, &broken_up(text), width)
            } else {
                fence(label, text, width)
            }
        };
        texts.iter().map(show).collect()
    }

    /// How many judges there are.
    pub(crate) fn members(&self) -> usize {
        self.run.judges.panel.len()
    }

    /// Keeps what one look came to, beside the verdict of the trial. `outcome` is in the slots of
    /// the trial; `swapped` says whether they were shown in reverse.
    pub fn note(&self, stage: impl Into<Stage>, sample: u32, swapped: bool, outcome: Outcome) {
        let look = Look {
            judge: self.judge as u32,
            stage: stage.into(),
            sample,
            swapped,
            outcome,
        };
        self.run.looks.borrow_mut().push(look);
    }
}

fn with_room(request: &Request, room: u32) -> Request {
    let mut request = request.clone();
    if let Task::Generate { decoding, .. } = &mut request.task {
        decoding.max_tokens = room;
    }
    request
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
    all(asks.into_iter().map(|ask| match ask {
        Ok(reply) => Ok(Ok(reply)),
        Err(Stop::Failed(failure)) => Ok(Err(failure)),
        Err(pending) => Err(pending),
    }))
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
        .map_err(|_| Failure::new(FailureKind::Invalid, "two asks did not give two replies").into())
}

/// What one pass over a protocol gave.
#[derive(Debug)]
pub enum Pass {
    /// It came to an end.
    Done(Done),
    /// These replies are missing; never empty.
    Pending(Vec<Missing>),
}

/// A protocol's end.
#[derive(Debug)]
pub struct Done {
    /// The verdict or failure.
    pub outcome: Outcome,
    /// The calls that it rests on, in the order in which they were asked.
    pub calls: Vec<RequestKey>,
    /// The looks that it was made of, where there was more than one.
    pub looks: Vec<Look>,
    /// Calls whose replies were cut short, and were asked for once more.
    pub cut_short: Vec<RequestKey>,
    /// Calls whose replies were no use, and how; there may be some beside a verdict.
    pub at_fault: Vec<(FailureKind, RequestKey)>,
}

/// Runs a protocol once from the top over what the transcript holds. `replicate` keeps repetitions
/// of a trial apart.
pub fn run(
    protocol: &Protocol,
    view: &View,
    judges: &Judges,
    replicate: u32,
    transcript: &dyn Fn(&RequestKey) -> Option<CallResult>,
) -> Pass {
    let (asked, missing, cut_short, looks, at_fault) = Default::default();
    let run = Run {
        judges,
        transcript,
        asked,
        missing,
        cut_short,
        looks,
        at_fault,
    };
    let judged = protocol.judge(
        view,
        &Ask {
            run: &run,
            judge: 0,
            sample: replicate,
            temperature: 0.0,
        },
    );
    let outcome = match judged {
        Ok(verdict) => Ok(verdict),
        Err(Stop::Failed(failure)) => Err(failure),
        Err(Stop::Pending(_)) => return Pass::Pending(run.missing.into_inner()),
    };
    let mut calls = run.asked.into_inner();
    let mut seen = std::collections::HashSet::new();
    calls.retain(|key| seen.insert(*key));
    let (looks, cut_short) = (run.looks.into_inner(), run.cut_short.into_inner());
    Pass::Done(Done {
        outcome,
        calls,
        looks,
        cut_short,
        at_fault: run.at_fault.into_inner(),
    })
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
