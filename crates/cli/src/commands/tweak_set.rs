//! `evenhand audit tweak-set`.

use crate::commands::audit::TweakSetArgs;
use crate::commands::report::make_folder;
use crate::progress::SPEAKING;
use crate::{Done, Failed};
use evenhand_constraints::tweak::{Question, Tweaked, questions, tweak};
use evenhand_core::{FreeFields, Item, Message};
use evenhand_engine::{DataOptions, load, write_whole_file};
use evenhand_formats::records::{item_line, response_line};
use evenhand_studies::audit::TWEAKED;
use std::path::Path;

/// Draws of one question before it is given up for the round.
const MOST_ROUNDS: usize = 1000;

/// Writes questions with constraints, an answer that keeps them, and answers that break one, two
/// and three.
pub(crate) fn tweak_set(args: &TweakSetArgs) -> Result<Done, Failed> {
    let questions = read_questions(args)?;
    let set = draw_set(args, &questions);
    let (made, dropped, dir) = (set.made, set.dropped, args.dir.display());
    if made < args.items {
        return Err(Failed::Usage(format!(
            "{made} of {} items could be made, {dropped} not: an answer of three plain sentences \
             or more is needed, and one that can keep three constraints",
            args.items
        )));
    }
    write_file(&args.dir, "items.jsonl", &set.items)?;
    write_file(&args.dir, "responses.jsonl", &set.responses)?;
    SPEAKING.say(&format!(
        "{made} items with 4 answers each in {dir}, every one verified; {dropped} could not be \
         made and were skipped"
    ));
    Ok(Done::Fine)
}

/// The two files of a tweak set while it grows.
#[derive(Default)]
struct TweakSet {
    items: String,
    responses: String,
    made: usize,
    dropped: usize,
}

/// Draws as many items as are asked for, or as many as can be made of the questions.
fn draw_set(args: &TweakSetArgs, from: &[Question]) -> TweakSet {
    let mut set = TweakSet::default();
    // Every question once in a round; no question is drawn in the same way twice.
    let draws = (0..MOST_ROUNDS).flat_map(|_| from);
    for (stream, question) in draws.enumerate() {
        if set.made == args.items {
            break;
        }
        let Question { question, answer } = question;
        match tweak(question, answer, args.seed, stream as u64) {
            Some(tweaked) => set.add(question, &tweaked),
            // After ten rounds without an item there will be none.
            None if set.made == 0 && set.dropped >= 10 * from.len() => break,
            None => set.dropped += 1,
        }
    }
    set
}

impl TweakSet {
    /// Adds an item with the answer that keeps its constraints, and those that break one, two and
    /// three.
    fn add(&mut self, question: &str, tweaked: &Tweaked) {
        self.made += 1;
        let item = Item {
            id: format!("tweak-{}", self.made),
            messages: vec![Message::user(tweaked.instruction.clone())],
            reference: None,
            category: None,
            turn: None,
            fields: FreeFields::new(),
            question: Some(question.into()),
            constraints: Some(tweaked.to_json()),
            criteria: Vec::new(),
        };
        self.items.push_str(&item_line(&item));
        let answers = [&tweaked.adherent].into_iter().chain(&tweaked.broken);
        for (system, answer) in TWEAKED.iter().zip(answers) {
            let line = response_line(&item.id, system, answer);
            self.responses.push_str(&line);
        }
    }
}

/// Returns our own questions, or those of the user's data: each item with its first response, where
/// a system answered it.
fn read_questions(args: &TweakSetArgs) -> Result<Vec<Question>, Failed> {
    if args.data.is_empty() {
        return Ok(questions().to_vec());
    }
    let data = load(&DataOptions {
        paths: args.data.clone(),
        filter: args.filter.parse()?,
        allow_missing: true,
        ..DataOptions::default()
    })?;
    let mut found = Vec::new();
    for (at, item) in data.items.iter().enumerate() {
        let mut systems = 0..data.systems.len();
        let Some(system) = systems.find(|system| data.has_response(at, *system)) else {
            continue;
        };
        let response = data
            .response(at, system)
            .map_err(|e| Failed::run(e.to_string()))?;
        found.extend(response.map(|response| Question {
            question: item.instruction().into(),
            answer: response.text.to_string(),
        }));
    }
    Ok(found)
}

/// Writes a file, unless it is there with another content.
fn write_file(dir: &Path, name: &str, text: &str) -> Result<(), Failed> {
    let path = dir.join(name);
    let shown = path.display();
    make_folder(dir)?;
    let is_file = path.symlink_metadata().is_ok_and(|there| there.is_file());
    if is_file && std::fs::read(&path).is_ok_and(|there| there != text.as_bytes()) {
        return Err(Failed::usage(format!(
            "{shown}: already exists with other content; choose another directory"
        )));
    }
    write_whole_file(&path, text.as_bytes()).map_err(|e| Failed::unwritable(&shown, e))
}
