//! What the pages send: a label, or that one is taken back.

use super::Review;
use super::file::Unsaved;
use super::label::{Choice, Label};
use super::queue::{Queue, pair_of};
use super::seat::Seat;
use super::votes::{PairNumber, Votes, number_pair};
use crate::Sample;
use crate::answer::{Answer, Failure, Json};
use serde::Deserialize;
use serde_json::json;

/// Characters of a name, and of a comment, at most.
const LONGEST_NAME: usize = 80;
const LONGEST_COMMENT: usize = 4000;

/// A label as a page sends it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SentLabel {
    annotator: String,
    /// The row's lowest trial.
    id: String,
    /// The sides as they were shown.
    draw: String,
    choice: Choice,
    #[serde(default)]
    comment: Option<String>,
    #[serde(default)]
    queue: Option<String>,
    /// Made by the page for this one label.
    key: String,
}

/// A label that is taken back.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SentUndo {
    annotator: String,
    key: String,
}

impl Review<'_> {
    /// Keeps a label, once however often it is sent. Only the owner's page names its queue.
    pub(crate) fn label(&mut self, sent: &SentLabel, seat: Seat) -> Answer {
        check_annotator(&sent.annotator)?;
        check_key(&sent.key)?;
        let comment = sent.comment.as_deref().unwrap_or_default();
        if comment.chars().count() > LONGEST_COMMENT {
            let why = format!("comment: expected at most {LONGEST_COMMENT} characters");
            return Err(Failure::Bad(why));
        }
        let queue = seat.queue(sent.queue.as_deref(), self.options.sample)?;

        let index = self.run.index();
        let trial = sent.id.parse().ok();
        let judgment = trial.and_then(|trial| index.find_trial(trial));
        let row = judgment.and_then(|judgment| index.row_of(judgment));
        let Some(pair) = row.and_then(|row| pair_of(&index.facts(row))) else {
            let why = format!("id: there is no pair {:?}", sent.id);
            return Err(Failure::Missing(why));
        };
        if !self.queues.ask(pair) {
            let why = format!(
                "id: the pair {:?} is not one of those that are asked",
                sent.id
            );
            return Err(Failure::Missing(why));
        }
        let drawn = self.draw(&sent.annotator, pair);
        if drawn.mark() != sent.draw {
            return Err(Failure::Conflict(DRAWN_ANEW.into()));
        }
        let left = drawn.left();
        // Pairs that a filter chose, or the hardest ones, are no random sample of the judgments.
        let is_chosen = self.options.filter.is_some()
            || (self.options.items.is_some() && self.options.sample != Sample::Random);
        let [item, a, b] = drawn.pair.map(str::to_owned);
        let label = Label {
            item,
            a,
            b,
            preferred: sent.choice.prefers(left),
            annotator: sent.annotator.clone(),
            both_bad: sent.choice == Choice::BothBad,
            comment: sent.comment.clone().filter(|comment| !comment.is_empty()),
            left: Some(left),
            queue: Some(match queue {
                Queue::Random if is_chosen => "filtered".into(),
                _ => queue.name().into(),
            }),
            adjudicated: queue == Queue::Adjudicate && sent.choice != Choice::Skip,
            blind: seat.is_blind(),
            key: sent.key.clone(),
        };

        let mut is_repeated = false;
        if let Some(kept) = self.book.find(&sent.annotator, &sent.key) {
            if !kept.says_the_same(&label) {
                let why = "key: another label was saved under it; nothing was changed";
                return Err(Failure::Conflict(why.into()));
            }
            is_repeated = true;
        } else {
            self.check_open(&label, queue, pair)?;
            self.book.add(label).map_err(not_saved)?;
        }
        Json::of(&json!({ "saved": true, "repeated": is_repeated, "key": sent.key }))
    }

    /// Takes a label back, once however often it is sent. Who sees the review alone takes back
    /// what was said at that address.
    pub(crate) fn undo(&mut self, sent: &SentUndo, seat: Seat) -> Answer {
        check_annotator(&sent.annotator)?;
        check_key(&sent.key)?;
        let kept = self.book.find(&sent.annotator, &sent.key);
        if kept.is_some_and(|label| !seat.takes_back(label)) {
            return Err(Failure::Conflict(ELSEWHERE.into()));
        }
        let removed = self.book.remove(&sent.annotator, &sent.key);
        let undone = removed.map_err(not_saved)?;
        Json::of(&json!({ "undone": undone }))
    }

    /// Checks that nothing stands against a label of this pair.
    fn check_open(&self, label: &Label, queue: Queue, pair: PairNumber) -> Result<(), Failure> {
        let index = self.run.index();
        if queue == Queue::Adjudicate {
            if Votes::of(self.book).disputed(index).contains(&pair) {
                return Ok(());
            }
            return Err(Failure::Conflict(DECIDED.into()));
        }
        for mine in self.book.of(&label.annotator) {
            let is_this = number_pair([&mine.item, &mine.a, &mine.b], index) == Some(pair);
            if !mine.adjudicated && is_this {
                return Err(Failure::Conflict(LABELLED.into()));
            }
        }
        Ok(())
    }
}

const DRAWN_ANEW: &str = "the sides of this pair were drawn again since it was shown; nothing was \
                          saved, and the next pair is shown again";
const LABELLED: &str = "you have labelled this pair already; take that back first";
const ELSEWHERE: &str = "this label was not given at this address of the review; it is taken back \
                         at the address that shows everything";
const DECIDED: &str = "this pair is decided already, or its annotators agree";

/// Checks the name of an annotator.
pub(super) fn check_annotator(name: &str) -> Result<(), Failure> {
    let length = name.chars().count();
    if name.trim() == name
        && (1..=LONGEST_NAME).contains(&length)
        && !name.contains(char::is_control)
    {
        return Ok(());
    }
    let why = format!(
        "annotator: expected a name of 1 to {LONGEST_NAME} characters, without spaces around it"
    );
    Err(Failure::Bad(why))
}

fn check_key(key: &str) -> Result<(), Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (8..=64).contains(&key.len()) && key.bytes().all(plain) {
        return Ok(());
    }
    let why = "key: expected 8 to 64 letters, digits, - or _, made for this one label";
    Err(Failure::Bad(why.into()))
}

fn not_saved(why: Unsaved) -> Failure {
    match why {
        Unsaved::Changed(why) => Failure::Conflict(why),
        Unsaved::Failed(error) => Failure::Broken(format!(
            "nothing was saved: the labels cannot be written: {error}"
        )),
    }
}
