//! Writes `responses.jsonl` of the quickstart data: our own answers, and those of a small model under four settings.
//!
//! Usage: `quickstart_answers MODEL.gguf examples/quickstart` (or `make quickstart-data`).

use evenhand_core::formats::{Input, Record, read, response_line};
use evenhand_core::{About, Decoding, Item, Message, Request, Task};
use evenhand_models::Model;
use evenhand_models::embedded::{Embedded, Options};
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

const SYSTEMS: [System; 4] = [
    System { name: "smollm2-greedy", system_prompt: None, temperature: 0.0, offset: 0 },
    System { name: "smollm2-warm", system_prompt: None, temperature: 1.0, offset: 0 },
    System {
        name: "smollm2-terse",
        system_prompt: Some("Answer in one short sentence. Never write more than that."),
        temperature: 0.0,
        offset: 0,
    },
    // The categories take turns over seven items, so that four further on is always another one.
    System { name: "smollm2-offtopic", system_prompt: None, temperature: 0.0, offset: 4 },
];

/// Long enough for the instructions, short enough for a demonstration on a laptop.
const MOST_TOKENS: u32 = 160;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, folder] = &arguments[..] else { return Err("usage: quickstart_answers MODEL.gguf FOLDER".into()) };
    // One thread: decoding token by token gains little from a second one, and loses much when the machine is shared.
    let options = Options { threads: Some(1), ..Options::default() };
    let (mut model, folder) = (Embedded::open(model, &options)?, Path::new(folder));
    let items = items(&folder.join("items.jsonl"))?;
    let mut out = File::create(folder.join("responses.jsonl"))?;
    out.write_all(&std::fs::read(folder.join("careful.jsonl"))?)?;
    for system in &SYSTEMS {
        for (at, item) in items.iter().enumerate() {
            let asked = &items[(at + system.offset) % items.len()];
            let text = answer(&mut model, system, asked)?;
            writeln!(out, "{}", response_line(&item.id, system.name, &text).trim_end())?;
        }
        eprintln!("{}: {} answers", system.name, items.len());
    }
    Ok(())
}

fn items(path: &Path) -> Result<Vec<Item>, Box<dyn Error>> {
    let mut items = Vec::new();
    let name = path.display().to_string();
    read(BufReader::new(File::open(path)?), &Input::new(&name), &mut |record, _| {
        if let Record::Item(item) = record {
            items.push(item);
        }
        Ok(())
    })?;
    Ok(items)
}

fn answer(model: &mut Embedded, system: &System, item: &Item) -> Result<String, Box<dyn Error>> {
    let mut messages: Vec<Message> = system.system_prompt.map(Message::system).into_iter().collect();
    messages.extend(item.messages.iter().cloned());
    let decoding = Decoding { max_tokens: MOST_TOKENS, temperature: system.temperature, seed: 1 };
    let task = Task::Generate { decoding, answers: None };
    let judge = Arc::from(model.identity());
    let reply = model.answer_one(&Request { judge, messages, task, sample: 0, about: About::default() });
    Ok(reply.map_err(|e| e.message)?.text.trim().to_string())
}
