//! Stand-ins for replies: they say nothing, and let any protocol go on to its next round.

use evenhand_core::{
    AnswerOptions, AskedCriterion, Embeddings, Likelihood, Reply, Request, Task, Wanted,
};

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
        if let Task::Generate {
            answers: Some(answers),
            ..
        } = &request.task
        {
            let wanted = &request.about.wanted;
            return picked_answer(answers, wanted, self.takes_first(request));
        }
        self.free_text(request)
    }

    /// The text of a reply to a request that names no answers.
    fn free_text(self, request: &Request) -> String {
        match &request.about.wanted {
            Wanted::Scores { low, high, after } => {
                let [first, second] = if self.takes_first(request) {
                    [high, low]
                } else {
                    [low, high]
                };
                with_closing_words(after, &format!("{first} {second}"))
            }
            Wanted::Criteria { asked, after } => with_closing_words(after, &list_verdicts(asked)),
            Wanted::NewCriteria => list_criteria(),
            Wanted::Order { after } => with_closing_words(after, &self.ranked_letters(request)),
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

    fn ranked_letters(self, request: &Request) -> String {
        let responses = &request.about.responses;
        let mut slots: Vec<u8> = (0..responses.len() as u8).collect();
        if let StandIn::Sure = self {
            slots.sort_by_key(|slot| responses[*slot as usize].text.clone());
        }
        joined_letters(&slots)
    }
}

/// Verdicts on criteria as a judge lists them.
fn list_verdicts(asked: &[AskedCriterion]) -> String {
    let lines = asked.iter().map(|one| format!("\n{}. yes", one.number));
    lines.collect()
}

/// As many criteria as a judge is taken to write, and as long as they are taken to be.
fn list_criteria() -> String {
    let words = "stand-in ".repeat(WORDS / CRITERIA);
    let lines = (1..=CRITERIA).map(|number| format!("{number}. {words}{number}\n"));
    lines.collect()
}

/// The order of these slots as a judge writes it: `B > A > C`.
fn joined_letters(slots: &[u8]) -> String {
    let letters = slots.iter().map(|slot| letter_of(*slot));
    letters.collect::<Vec<String>>().join(" > ")
}

fn letter_of(slot: u8) -> String {
    char::from(b'A' + slot).into()
}

/// The answer for the first slot or the second: of steps the outermost, else the first two.
fn picked_answer(answers: &AnswerOptions, wanted: &Wanted, takes_first: bool) -> String {
    let AnswerOptions { options, after } = answers;
    let place = if takes_first {
        0
    } else {
        place_of_second(options, wanted)
    };
    let picked = options.get(place);
    with_closing_words(after, picked.map_or("", String::as_str))
}

fn place_of_second(options: &[String], wanted: &Wanted) -> usize {
    match wanted {
        Wanted::Step => options.len().saturating_sub(1),
        _ => 1,
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
    Reply {
        embeddings: Embeddings::new(&vectors_of(pieces)).ok(),
        ..Reply::default()
    }
}

fn vectors_of(pieces: usize) -> Vec<Vec<f32>> {
    (0..pieces).map(|at| vector_at(at, pieces)).collect()
}

fn vector_at(at: usize, pieces: usize) -> Vec<f32> {
    let place = (at as f32 + 0.5) / pieces as f32;
    vec![1.0 - place, place]
}
