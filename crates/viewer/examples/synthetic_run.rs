//! Writes a run of synthetic judgments, to see how the viewer does on a large one:
//! `synthetic_run DIR ITEMS SYSTEMS`. 1000 items and 32 systems are 992,000 judgments.
#![allow(clippy::print_stdout, reason = "an example may print")]

use evenhand_core::{
    Item, Judgment, Message, Reply, Request, Response, Task, Trial, Usage, Verdict, VerdictSource,
};
use evenhand_store::{Call, Manifest, Store, StoreError};
use std::path::Path;
use std::sync::Arc;

const WORDS: [&str; 16] = [
    "tide", "harbour", "careful", "answer", "because", "measure", "clearly", "example", "first",
    "moon", "steady", "reason", "compare", "weather", "number", "line",
];

fn main() -> Result<(), StoreError> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().unwrap_or_else(|| "synthetic".into());
    let mut count = |or: u64| arguments.next().and_then(|n| n.parse().ok()).unwrap_or(or);
    let (items, systems) = (count(1000), count(32));
    let mut writer = Writer {
        store: Store::open(Path::new(&dir), &Manifest::default())?,
        judge: "synthetic".into(),
        trial: 0,
    };
    for item in 0..items {
        writer.write_item(item, systems)?;
    }
    println!("{dir}: {} judgments", writer.trial);
    writer.store.commit()
}

struct Writer {
    store: Store,
    judge: Arc<str>,
    trial: u64,
}

impl Writer {
    fn write_item(&mut self, number: u64, systems: u64) -> Result<(), StoreError> {
        let item = Item {
            id: format!("item-{number}"),
            messages: vec![Message::user(write_text(number, 40))],
            category: Some(format!("category-{}", number % 12)),
            ..Item::default()
        };
        let responses: Vec<Response> = (0..systems).map(|system| answer(number, system)).collect();
        self.store.put_texts(&item, &responses)?;
        for a in 0..systems {
            for b in a + 1..systems {
                self.judge(&item, number, &responses, [a, b])?;
                self.judge(&item, number, &responses, [b, a])?;
            }
        }
        Ok(())
    }

    fn judge(
        &mut self,
        item: &Item,
        number: u64,
        responses: &[Response],
        slots: [u64; 2],
    ) -> Result<(), StoreError> {
        let shown = slots.map(|slot| responses[slot as usize].clone());
        let request = self.request(item, &shown);
        let (key, draw) = (request.key(), mix(self.trial));
        let reply = Reply {
            text: format!(
                "{} [[{}]]",
                write_text(draw, 20),
                ["A", "B"][(draw % 2) as usize]
            ),
            usage: Usage {
                prompt_tokens: 400,
                completion_tokens: 40,
                ..Usage::default()
            },
            ..Reply::default()
        };
        self.store.put(&Call {
            key: &key,
            judge: &self.judge,
            request: &request.canonical(),
            about: &request.about,
            result: &Ok(reply),
            raw: None,
            batch: false,
        })?;
        let judgment = Judgment {
            trial: Trial {
                index: self.trial,
                item: number as u32,
                systems: slots.map(|slot| slot as u32).to_vec(),
                replicate: 0,
            },
            outcome: Ok(verdict(draw)),
            calls: vec![key],
            looks: Vec::new(),
        };
        self.trial += 1;
        self.store.put_judgment(&judgment, &item.id, &shown)
    }

    fn request(&self, item: &Item, shown: &[Response; 2]) -> Request {
        let [a, b] = shown;
        let prompt = format!(
            "Which response is better? {}\n\n[A]\n{}\n\n[B]\n{}",
            item.instruction(),
            a.text,
            b.text
        );
        Request::new(
            self.judge.clone(),
            vec![Message::user(prompt)],
            Task::write(64),
        )
    }
}

fn answer(item: u64, system: u64) -> Response {
    Response::new(
        format!("system-{system}"),
        write_text(mix(item * 1000 + system), 80),
    )
}

fn verdict(draw: u64) -> Verdict {
    let first = (draw >> 8) as f64 % 1000.0 / 1000.0;
    Verdict::pair([first, 0.0, 1.0 - first], 0.0, VerdictSource::Text)
}

fn write_text(seed: u64, words: u64) -> String {
    let word = |at: u64| WORDS[(mix(seed ^ at << 32) % WORDS.len() as u64) as usize];
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// A number that looks drawn (SplitMix64).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
