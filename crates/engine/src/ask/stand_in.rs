//! Stand-ins for replies: they say nothing, and let any protocol go on to its next round.

use evenhand_core::{AnswerOptions, Embeddings, Likelihood, Reply, Request, Task, Wanted};
use evenhand_protocols::MOST_WRITTEN_CRITERIA;
use std::cmp::Ordering;

/// How long an analysis, a list of criteria or a reference answer is taken to be, in words.
const WORDS: usize = 100;

/// How many words a criterion is taken to have.
const WORDS_OF_CRITERION: usize = 20;

/// A judge that lets any protocol go on to its next round.
#[derive(Clone, Copy)]
pub(crate) enum StandIn {
    /// Takes the first slot, and so contradicts itself wherever it can; lists as many criteria as
    /// are read.
    Torn,
    /// Takes the same response wherever it stands; lists one criterion.
    Sure {
        /// Whether it calls a text as good as itself, or takes the one in the first slot.
        ties: bool,
    },
}

/// Which of two responses is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    First,
    Second,
    Neither,
}

impl StandIn {
    pub(crate) fn reply(self, request: &Request) -> Reply {
        match &request.task {
            Task::Embed { pieces } => embeddings_reply(pieces.len()),
            _ => text_reply(&self.text(request)),
        }
    }

    /// The text of a reply to a request that is not for embeddings.
    pub(crate) fn text(self, request: &Request) -> String {
        let wanted = &request.about.wanted;
        let taken = self.taken(request);
        if let Task::Generate {
            answers: Some(AnswerOptions { options, after }),
            ..
        } = &request.task
        {
            let last = options.len().saturating_sub(1);
            let place = match (taken, wanted) {
                (Taken::First, _) => 0,
                // Of steps the outermost, or the one in the middle.
                (Taken::Second, Wanted::Step) => last,
                (Taken::Neither, Wanted::Step) => last / 2,
                (Taken::Second, _) => 1,
                // A tie where there is one.
                (Taken::Neither, _) if options.len() == 3 => last,
                (Taken::Neither, _) => 0,
            };
            return with_closing_words(after, options.get(place).map_or("", String::as_str));
        }
        if let Task::SideBySide { answers, .. } = &request.task {
            return answers[usize::from(taken == Taken::Second)].clone();
        }
        match wanted {
            Wanted::Scores { low, high, after } => {
                let (first, second) = match taken {
                    Taken::First => (high, low),
                    Taken::Second => (low, high),
                    Taken::Neither => (high, high),
                };
                with_closing_words(after, &format!("{first} {second}"))
            }
            Wanted::Criteria { asked, after } => {
                let lines = asked.iter().map(|one| format!("\n{}. yes", one.number));
                with_closing_words(after, &lines.collect::<String>())
            }
            Wanted::NewCriteria => {
                let words = "stand-in ".repeat(WORDS_OF_CRITERION);
                let most = match self {
                    StandIn::Torn => MOST_WRITTEN_CRITERIA,
                    StandIn::Sure { .. } => 1,
                };
                let lines = (1..=most).map(|number| format!("{number}. {words}{number}\n"));
                lines.collect()
            }
            // The order of the responses as a judge writes it: `B > A > C`.
            Wanted::Order { after } => {
                let responses = &request.about.responses;
                let mut slots: Vec<u8> = (0..responses.len() as u8).collect();
                if let StandIn::Sure { .. } = self {
                    slots.sort_by(|x, y| {
                        let [x, y] = [x, y].map(|slot| responses[*slot as usize].texts());
                        x.cmp(y)
                    });
                }
                let letters = slots.iter().map(|slot| char::from(b'A' + slot).into());
                with_closing_words(after, &letters.collect::<Vec<String>>().join(" > "))
            }
            _ => stand_in_words(),
        }
    }

    /// Returns which of two responses is taken.
    fn taken(self, request: &Request) -> Taken {
        match (self, &request.about.responses[..]) {
            (StandIn::Sure { ties }, [a, b]) => match a.texts().cmp(b.texts()) {
                Ordering::Equal if ties => Taken::Neither,
                Ordering::Less | Ordering::Equal => Taken::First,
                Ordering::Greater => Taken::Second,
            },
            _ => Taken::First,
        }
    }
}

/// Returns a text of no meaning.
pub(crate) fn stand_in_words() -> String {
    "stand-in ".repeat(WORDS)
}

fn with_closing_words(after: &str, verdict: &str) -> String {
    if after.is_empty() {
        verdict.to_string()
    } else {
        format!("{after} {verdict}")
    }
}

pub(crate) fn text_reply(text: &str) -> Reply {
    Reply {
        text: text.into(),
        likelihood: Some(Likelihood {
            logprob: -1.0,
            tokens: 1,
            apart: 0.0,
        }),
        ..Reply::default()
    }
}

/// A reply with an embedding for each piece: what stands at the beginning of a response is like
/// what stands at the beginning of another.
pub(crate) fn embeddings_reply(pieces: usize) -> Reply {
    let vectors: Vec<Vec<f32>> = (0..pieces)
        .map(|at| {
            let place = (at as f32 + 0.5) / pieces as f32;
            vec![1.0 - place, place]
        })
        .collect();
    Reply {
        embeddings: Embeddings::new(&vectors).ok(),
        ..Reply::default()
    }
}
