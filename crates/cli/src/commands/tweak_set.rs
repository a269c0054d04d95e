//! `evenhand audit tweak-set`.

use crate::args::TweakSetArgs;
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_constraints::tweak::{Question, Tweaked, questions, tweak};
use evenhand_core::{FreeFields, Item, Message};
use evenhand_engine::{DataOptions, load, write_whole_file};
use evenhand_formats::Dataset;
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
    if set.made < args.items {
        return Err(describe_short_set(args, &set));
    }
    write_file(&args.dir, "items.jsonl", &set.items)?;
    write_file(&args.dir, "responses.jsonl", &set.responses)?;
    say(&describe_set(args, &set));
    Ok(Done::Fine)
}

fn describe_short_set(args: &TweakSetArgs, set: &TweakSet) -> Failed {
    Failed::Usage(format!(
        "{} of {} items could be made, {} not: an answer of three plain sentences or more is \
         needed, and one that can keep three constraints",
        set.made, args.items, set.dropped
    ))
}

fn describe_set(args: &TweakSetArgs, set: &TweakSet) -> String {
    let dir = args.dir.display();
    format!(
        "{} items with 4 answers each in {dir}, every one verified; {} that could not be made were \
         passed over",
        set.made, set.dropped
    )
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
    fn add(&mut self, question: &str, tweaked: &Tweaked) {
        self.made += 1;
        let id = format!("tweak-{}", self.made);
        let item = tweaked_item(&id, question, tweaked);
        self.items.push_str(&item_line(&item));
        self.add_responses(&id, tweaked);
    }

    /// Adds the answer that keeps the constraints, and those that break one, two and three.
    fn add_responses(&mut self, item: &str, tweaked: &Tweaked) {
        let answers = [&tweaked.adherent].into_iter().chain(&tweaked.broken);
        for (system, answer) in TWEAKED.iter().zip(answers) {
            let line = response_line(item, system, answer);
            self.responses.push_str(&line);
        }
    }
}

/// Returns our own questions, or those of the user's data: each item with its first response.
fn read_questions(args: &TweakSetArgs) -> Result<Vec<Question>, Failed> {
    if args.data.is_empty() {
        return Ok(questions().to_vec());
    }
    let data = load(&data_options(args)?)?;
    let mut found = Vec::new();
    for item in 0..data.items.len() {
        found.extend(read_question(&data, item)?);
    }
    Ok(found)
}

fn data_options(args: &TweakSetArgs) -> Result<DataOptions, Failed> {
    Ok(DataOptions {
        paths: args.data.clone(),
        filter: args.filter.parse()?,
        allow_missing: true,
        ..DataOptions::default()
    })
}

/// Returns an item with its first response; None where no system answered it.
fn read_question(data: &Dataset, item: usize) -> Result<Option<Question>, Failed> {
    let Some(system) = first_answering(data, item) else {
        return Ok(None);
    };
    let response = data.response(item, system);
    let response = response.map_err(|e| Failed::run(e.to_string()))?;
    Ok(response.map(|response| Question {
        question: data.items[item].instruction().into(),
        answer: response.text.to_string(),
    }))
}

fn first_answering(data: &Dataset, item: usize) -> Option<usize> {
    let mut systems = 0..data.systems.len();
    systems.find(|system| data.has_response(item, *system))
}

/// Writes a file, unless it is there with another content.
fn write_file(dir: &Path, name: &str, text: &str) -> Result<(), Failed> {
    let path = dir.join(name);
    let shown = path.display();
    std::fs::create_dir_all(dir).map_err(|e| Failed::unwritable(&shown, e))?;
    let is_file = path.symlink_metadata().is_ok_and(|there| there.is_file());
    if is_file && std::fs::read(&path).is_ok_and(|there| there != text.as_bytes()) {
        return Err(Failed::usage(format!(
            "{shown}: is there already with another content; choose another directory"
        )));
    }
    write_whole_file(&path, text.as_bytes()).map_err(|e| Failed::unwritable(&shown, e))
}

fn tweaked_item(id: &str, question: &str, tweaked: &Tweaked) -> Item {
    Item {
        id: id.into(),
        messages: vec![Message::user(tweaked.instruction.clone())],
        reference: None,
        category: None,
        turn: None,
        fields: FreeFields::new(),
        question: Some(question.into()),
        constraints: Some(tweaked.to_json()),
        criteria: Vec::new(),
    }
}
