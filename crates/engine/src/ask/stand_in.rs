//! Stand-ins for replies: they say nothing, and let any protocol go on to its next round.

use evenhand_core::{AnswerOptions, Embeddings, Likelihood, Reply, Request, Task, Wanted};

/// How long an analysis, a list of criteria or a reference answer is taken to be, in words.
const WORDS: usize = 100;

/// How many criteria a judge is taken to write, of the three to five that are asked for.
const CRITERIA: usize = 5;

/// A judge that lets any protocol go on to its next round.
#[derive(Clone, Copy)]
pub(crate) enum StandIn {
    /// Takes the first slot, and so contradicts itself wherever it can.
    Torn,
    /// Takes the same response wherever it stands.
    Sure,
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
        let takes_first = self.takes_first(request);
        if let Task::Generate {
            answers: Some(AnswerOptions { options, after }),
            ..
        } = &request.task
        {
            let place = if takes_first {
                0
            } else if let Wanted::Step = wanted {
                // Of steps the outermost.
                options.len().saturating_sub(1)
            } else {
                1
            };
            return with_closing_words(after, options.get(place).map_or("", String::as_str));
        }
        match wanted {
            Wanted::Scores { low, high, after } => {
                let (first, second) = if takes_first {
                    (high, low)
                } else {
                    (low, high)
                };
                with_closing_words(after, &format!("{first} {second}"))
            }
            Wanted::Criteria { asked, after } => {
                let lines = asked.iter().map(|one| format!("\n{}. yes", one.number));
                with_closing_words(after, &lines.collect::<String>())
            }
            Wanted::NewCriteria => {
                let words = "stand-in ".repeat(WORDS / CRITERIA);
                let lines = (1..=CRITERIA).map(|number| format!("{number}. {words}{number}\n"));
                lines.collect()
            }
            // The order of the responses as a judge writes it: `B > A > C`.
            Wanted::Order { after } => {
                let responses = &request.about.responses;
                let mut slots: Vec<u8> = (0..responses.len() as u8).collect();
                if let StandIn::Sure = self {
                    slots.sort_by_key(|slot| responses[*slot as usize].text.clone());
                }
                let letters = slots.iter().map(|slot| char::from(b'A' + slot).into());
                with_closing_words(after, &letters.collect::<Vec<String>>().join(" > "))
            }
            _ => "stand-in ".repeat(WORDS),
        }
    }

    /// Whether the response in the first slot is the one that is taken.
    fn takes_first(self, request: &Request) -> bool {
        match (self, &request.about.responses[..]) {
            (StandIn::Sure, [a, b]) => a.text <= b.text,
            _ => true,
        }
    }
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
