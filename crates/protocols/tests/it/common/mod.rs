//! A scripted judge, and running a protocol against it to the end.

use evenhand_core::{
    CallResult, Item, Message, Outcome, Reply, Request, RequestKey, Response, Task, View, Wanted,
};
use evenhand_protocols::{Judges, Pass, Protocol, run};
use std::collections::HashMap;

pub(crate) fn item(instruction: &str) -> Item {
    Item {
        id: "1".into(),
        messages: vec![Message::user(instruction)],
        ..Item::default()
    }
}

pub(crate) fn responses(texts: &[&str]) -> Vec<Response> {
    texts
        .iter()
        .enumerate()
        .map(|(at, text)| Response::new(format!("s{at}"), *text))
        .collect()
}

pub(crate) fn reply(text: impl Into<String>) -> Reply {
    Reply {
        text: text.into(),
        ..Reply::default()
    }
}

/// What a run came to.
pub(crate) struct Played {
    pub(crate) outcome: Outcome,
    /// Every request that was made, once, round by round.
    pub(crate) rounds: Vec<Vec<Request>>,
    /// The calls that the outcome rests on.
    pub(crate) calls: Vec<RequestKey>,
    pub(crate) transcript: HashMap<RequestKey, CallResult>,
}

impl Played {
    pub(crate) fn requests(&self) -> impl Iterator<Item = &Request> {
        self.rounds.iter().flatten()
    }
}

/// Runs a protocol to its end; every missing reply of a round is delivered before the next.
pub(crate) fn play(
    protocol: &Protocol,
    view: &View,
    judges: &Judges,
    script: &dyn Fn(&Request) -> CallResult,
) -> Played {
    let mut transcript: HashMap<RequestKey, CallResult> = HashMap::new();
    let mut rounds = Vec::new();
    loop {
        assert!(rounds.len() < 20, "{protocol} does not end");
        match run(protocol, view, judges, 0, &|key| {
            transcript.get(key).cloned()
        }) {
            Pass::Done(done) => {
                return Played {
                    outcome: done.outcome,
                    rounds,
                    calls: done.calls,
                    transcript,
                };
            }
            Pass::Pending(missing) => {
                assert!(
                    !missing.is_empty(),
                    "{protocol}: pending, and nothing is missing"
                );
                transcript.extend(
                    missing
                        .iter()
                        .map(|missing| (missing.key, script(&missing.request))),
                );
                rounds.push(distinct(
                    missing
                        .into_iter()
                        .map(|missing| (missing.key, missing.request)),
                ));
            }
        }
    }
}

fn distinct(requests: impl Iterator<Item = (RequestKey, Request)>) -> Vec<Request> {
    let mut seen = std::collections::HashSet::new();
    requests
        .filter(|(key, _)| seen.insert(*key))
        .map(|(_, request)| request)
        .collect()
}

/// The verdict that favours a slot by this draw from [0, n): as the request wants it, after the
/// marker where there is one.
pub(crate) fn verdict(request: &Request, draw: u64) -> String {
    let (options, after) = match &request.task {
        Task::Generate {
            answers: Some(answers),
            ..
        } => (answers.options.clone(), answers.after.clone()),
        Task::SideBySide { answers, .. } => (answers.to_vec(), String::new()),
        _ => (Vec::new(), String::new()),
    };
    let marked = |after: &str, verdict: String| {
        if after.is_empty() {
            verdict
        } else {
            format!("{after} {verdict}")
        }
    };
    match &request.about.wanted {
        Wanted::Text => "It says what it says.".into(),
        Wanted::Extraction if options.is_empty() => order(request.about.responses.len(), draw),
        Wanted::Extraction => options[draw as usize % (options.len() - 1)].clone(),
        Wanted::Scores { low, high, after } => {
            let span = (high - low) as u64 + 1;
            marked(
                after,
                format!(
                    "{} {}",
                    low + (draw % span) as f64,
                    low + (draw / span % span) as f64
                ),
            )
        }
        Wanted::Order { after } => marked(after, order(request.about.responses.len(), draw)),
        _ => marked(&after, options[draw as usize % options.len()].clone()),
    }
}

/// The letters, begun at one of them and read in one of two directions.
fn order(count: usize, draw: u64) -> String {
    let mut letters: Vec<char> = ('A'..='Z').take(count).collect();
    letters.rotate_left(draw as usize % count);
    if draw / count as u64 % 2 == 1 {
        letters.reverse();
    }
    letters
        .iter()
        .map(char::to_string)
        .collect::<Vec<_>>()
        .join(" > ")
}

/// The same with a sentence before it, where the reply holds reasoning.
pub(crate) fn reasoned(request: &Request, reasons: &str, draw: u64) -> String {
    let marker = match (&request.task, &request.about.wanted) {
        (_, Wanted::Scores { after, .. } | Wanted::Order { after }) => after,
        (
            Task::Generate {
                answers: Some(answers),
                ..
            },
            _,
        ) => &answers.after,
        _ => return verdict(request, draw),
    };
    if marker.is_empty() {
        verdict(request, draw)
    } else {
        format!("{reasons}\n{}", verdict(request, draw))
    }
}

/// FNV-1a: the same on every machine.
pub(crate) fn hash(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

/// All that a judge reads of a request.
pub(crate) fn shown(request: &Request) -> String {
    if let Task::Embed { pieces } = &request.task {
        return pieces.join("\u{1}");
    }
    if let Task::SideBySide { texts, .. } = &request.task {
        return texts.join("\u{1}");
    }
    request
        .messages
        .iter()
        .map(|message| message.content.as_str())
        .collect::<Vec<_>>()
        .join("\u{1}")
}
