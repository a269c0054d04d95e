//! The next pair for an annotator.

use super::label::{Choice, Slot};
use super::queue::{PairRow, Queue, names_of};
use super::seat::Seat;
use super::sides::Drawn;
use super::votes::{PairNumber, Votes, number_pair};
use super::{Review, sent};
use crate::answer::{Answer, Failure, Json};
use evenhand_core::{Message, Trajectory};
use evenhand_pages::{ItemText, ResponseText};
use serde::Serialize;
use std::collections::HashSet;
use std::sync::Arc;

/// Who asks for a pair, and from which queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NextQuery {
    pub(crate) annotator: String,
    pub(crate) queue: Option<String>,
    /// Whose address it was asked at.
    pub(crate) seat: Seat,
}

impl NextQuery {
    /// Reads the query of an address; what else stands in it is passed over.
    pub(crate) fn parse(query: &str, seat: Seat) -> NextQuery {
        let mut read = NextQuery {
            annotator: String::new(),
            queue: None,
            seat,
        };
        for (field, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*field {
                "annotator" => read.annotator = value.into_owned(),
                "queue" => read.queue = Some(value.into_owned()),
                _ => {}
            }
        }
        read
    }
}

/// What an annotator is given, and how far they are.
#[derive(Serialize)]
struct Next {
    task: Option<Task>,
    queue: &'static str,
    /// Pairs of the queue that the annotator judged.
    done: usize,
    /// Others of them that the annotator skipped.
    skipped: usize,
    left: usize,
    /// None at the address that shows the review alone, where a name is all that is known of who
    /// asks.
    last: Option<Last>,
}

/// A pair without its systems.
#[derive(Serialize)]
struct Task {
    id: String,
    draw: String,
    item: ItemText,
    left: Side,
    right: Side,
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<Vec<Said>>,
}

/// A response without its system.
#[derive(Serialize)]
struct Side {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<Message>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trajectory: Option<Arc<Trajectory>>,
}

/// What another annotator said, in terms of what is seen now.
#[derive(Serialize)]
struct Said {
    annotator: String,
    choice: Choice,
    comment: Option<String>,
}

/// What an annotator said or skipped last.
#[derive(Serialize)]
struct Last {
    key: String,
    id: Option<String>,
    choice: Choice,
    comment: Option<String>,
}

impl Review<'_> {
    /// Returns the first pair of the queue of which the annotator has said nothing.
    pub(crate) fn next(&self, query: &NextQuery) -> Answer {
        sent::check_annotator(&query.annotator)?;
        let queue = query
            .seat
            .queue(query.queue.as_deref(), self.options.sample)?;
        let votes = Votes::of(self.book);
        let rows = self.queues.list(queue, self.run.index(), &votes);
        let index = self.run.index();
        // What was said of pairs that are not asked does not count. A pair that is decided leaves
        // its queue, and counts there.
        let asked: HashSet<PairNumber> = match queue {
            Queue::Adjudicate => self.queues.random.iter().map(|row| row.pair).collect(),
            _ => rows.iter().map(|row| row.pair).collect(),
        };
        // The pairs of which the annotator has said something, each once. Who decides between
        // others may be one of them.
        let (mut done, mut skipped) = (HashSet::new(), HashSet::new());
        for label in self.book.of(&query.annotator) {
            if queue != Queue::Adjudicate || label.queue.as_deref() == Some(queue.name()) {
                let pair = number_pair([&label.item, &label.a, &label.b], index);
                let pair = pair.filter(|pair| asked.contains(pair));
                match label.preferred {
                    Some(_) => done.extend(pair),
                    None => skipped.extend(pair),
                }
            }
        }
        skipped.retain(|pair| !done.contains(pair));
        let open = rows
            .iter()
            .filter(|row| !done.contains(&row.pair) && !skipped.contains(&row.pair));
        let task = open.clone().next();
        let task = task.map(|row| self.task(*row, query, queue, &votes));
        let last = self.book.last_of(&query.annotator);
        let last = last.filter(|_| !query.seat.is_blind()).map(|label| {
            let pair = number_pair([&label.item, &label.a, &label.b], index);
            let row = pair.and_then(|[item, a, b]| index.find_pair(item, [a, b], 0));
            Last {
                key: label.key.clone(),
                id: row.map(|row| index.row_id(row).to_string()),
                choice: label.seen(),
                comment: label.comment.clone(),
            }
        });
        Json::of(&Next {
            task: task.transpose()?,
            queue: queue.name(),
            done: done.len(),
            skipped: skipped.len(),
            left: open.count(),
            last,
        })
    }

    fn task(
        &self,
        row: PairRow,
        query: &NextQuery,
        queue: Queue,
        votes: &Votes<'_>,
    ) -> Result<Task, Failure> {
        let index = self.run.index();
        let drawn = self.draw(&query.annotator, row.pair);
        let left = drawn.left();
        let right = match left {
            Slot::A => Slot::B,
            Slot::B => Slot::A,
        };
        let id = index.row_id(row.row);
        let Some(detail) = self.run.judgment(id)? else {
            return Err(Failure::Missing(format!("there is no pair {id}")));
        };
        let responses = <[ResponseText; 2]>::try_from(detail.responses);
        let Ok([mut first, mut second]) = responses else {
            return Err(Failure::Missing("these are no two responses".into()));
        };
        let texts = [&detail.item.text, &first.text, &second.text];
        if texts.iter().all(|text| text.is_empty()) {
            return Err(Failure::Missing(NO_TEXTS.into()));
        }
        let [_, a, _] = drawn.pair;
        if (first.system == a) != (left == Slot::A) {
            std::mem::swap(&mut first, &mut second);
        }
        // The owner who decides sees what the others said, in terms of the sides as they are now.
        let sees_said = queue == Queue::Adjudicate && !query.seat.is_blind();
        let said = sees_said.then(|| {
            let labels = votes.find(drawn.pair).map(|votes| &votes.labels);
            let said = labels.into_iter().flatten().map(|label| Said {
                annotator: label.annotator.clone(),
                choice: label.choice(if label.a == a { left } else { right }),
                comment: label.comment.clone(),
            });
            said.collect()
        });
        Ok(Task {
            id: id.to_string(),
            draw: drawn.mark(),
            item: detail.item,
            left: Side::of(first),
            right: Side::of(second),
            said,
        })
    }

    pub(super) fn draw<'a>(&'a self, annotator: &'a str, pair: PairNumber) -> Drawn<'a> {
        Drawn {
            seed: self.options.seed,
            annotator,
            pair: names_of(self.run.index(), pair),
        }
    }
}

const NO_TEXTS: &str = "this run keeps no texts, so there is nothing to look at; runs of this \
                        version keep them: run the same command again";

impl Side {
    fn of(response: ResponseText) -> Side {
        Side {
            text: response.text,
            turns: response.turns,
            trajectory: response.trajectory,
        }
    }
}
