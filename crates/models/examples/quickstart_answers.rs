//! Writes `responses.jsonl` of the quickstart data: our own answers, and those of a small model
//! under four settings.
//!
//! Usage: `quickstart_answers MODEL.gguf examples/quickstart` (or `make quickstart-data`).

use evenhand_core::{Decoding, Item, Message, Request, RequestKey, Task};
use evenhand_formats::records::{Input, Record, read_records, response_line};
use evenhand_models::embedded::{Embedded, Options};
use evenhand_models::{Answer, Model, Work};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;
use std::sync::Arc;

/// A system: a name and how it is asked.
struct System {
    name: &'static str,
    /// None: the model's default system prompt.
    system_prompt: Option<&'static str>,
    temperature: f64,
    /// It is asked the instruction so many items further on.
    offset: usize,
}

/// All are sampled above temperature 1: the likeliest words of the very model that judges by
/// likelihood in the demonstration would be the best there are, to its mind.
const SYSTEMS: [System; 4] = [
    System {
        name: "smollm2-warm",
        system_prompt: None,
        temperature: 1.2,
        offset: 0,
    },
    System {
        name: "smollm2-hot",
        system_prompt: None,
        temperature: 1.5,
        offset: 0,
    },
    System {
        name: "smollm2-terse",
        system_prompt: Some("Answer in one short sentence. Never write more than that."),
        temperature: 1.2,
        offset: 0,
    },
    // The categories take turns over seven items, so that four further on is always another one.
    System {
        name: "smollm2-offtopic",
        system_prompt: None,
        temperature: 1.2,
        offset: 4,
    },
];

/// Long enough for the instructions, short enough for a demonstration on a laptop.
const MOST_TOKENS: u32 = 120;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, folder] = &arguments[..] else {
        return Err("usage: quickstart_answers MODEL.gguf FOLDER".into());
    };
    let (mut model, folder) = (
        Embedded::open(model, &Options::default())?,
        Path::new(folder),
    );
    let items = items(&folder.join("items.jsonl"))?;
    let judge: Arc<str> = model.identity().into();
    let asked = |system: &System, at: usize| {
        request(&judge, system, &items[(at + system.offset) % items.len()])
    };
    let all = || {
        SYSTEMS
            .iter()
            .flat_map(|system| (0..items.len()).map(move |at| (system, at)))
    };
    let open = all()
        .map(|(system, at)| asked(system, at))
        .map(|request| (request.key(), Arc::new(request)))
        .collect();
    let mut answers = Answers {
        open,
        ..Answers::default()
    };
    model.serve(&mut answers)?;
    let mut out = File::create(folder.join("responses.jsonl"))?;
    out.write_all(&std::fs::read(folder.join("careful.jsonl"))?)?;
    for (system, at) in all() {
        let text = answers
            .done
            .get(&asked(system, at).key())
            .ok_or("an answer is missing")?;
        writeln!(
            out,
            "{}",
            response_line(&items[at].id, system.name, text).trim_end()
        )?;
    }
    Ok(())
}

fn items(path: &Path) -> Result<Vec<Item>, Box<dyn Error>> {
    let mut items = Vec::new();
    let name = path.display().to_string();
    read_records(
        BufReader::new(File::open(path)?),
        &Input::new(&name),
        &mut |record, _| {
            if let Record::Item(item) = record {
                items.push(item);
            }
            Ok(())
        },
    )?;
    Ok(items)
}

fn request(judge: &Arc<str>, system: &System, item: &Item) -> Request {
    let mut messages: Vec<Message> = system
        .system_prompt
        .map(Message::system)
        .into_iter()
        .collect();
    messages.extend(item.messages.iter().cloned());
    let decoding = Decoding {
        max_tokens: MOST_TOKENS,
        temperature: system.temperature,
        seed: 1,
        schema: None,
    };
    Request::new(
        judge.clone(),
        messages,
        Task::Generate {
            decoding,
            answers: None,
        },
    )
}

/// What is still to be asked, and what was answered.
#[derive(Default)]
struct Answers {
    open: BTreeMap<RequestKey, Arc<Request>>,
    done: BTreeMap<RequestKey, String>,
}

impl Work for Answers {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        self.open.pop_first()
    }

    fn deliver(&mut self, key: RequestKey, Answer { result, .. }: Answer) {
        match result {
            Ok(reply) => drop(self.done.insert(key, reply.text.trim().to_string())),
            Err(error) => eprintln!("{}", error.message),
        }
    }

    fn is_stopped(&self) -> bool {
        false
    }
}
