//! `evenhand audit tweak-set`.

use crate::args::TweakSetArgs;
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_constraints::tweak::{Question, Tweaked, questions, tweak};
use evenhand_core::{Item, Message};
use evenhand_engine::{DataOptions, load};
use evenhand_formats::records::{item_line, response_line};
use evenhand_studies::audit::TWEAKED;
use std::path::Path;

/// Draws of one question before it is given up for the round.
const MOST_ROUNDS: usize = 1000;

/// Writes questions with constraints, an answer that keeps them, and answers that break one, two
/// and three.
pub(crate) fn tweak_set(args: &TweakSetArgs) -> Result<Done, Failed> {
    let from = questions_of(args)?;
    let (mut items, mut responses, mut made, mut dropped) = (String::new(), String::new(), 0, 0);
    // Every question once in a round; no question is drawn in the same way twice.
    for (stream, question) in (0..MOST_ROUNDS).flat_map(|_| &from).enumerate() {
        if made == args.items {
            break;
        }
        match tweak(
            &question.question,
            &question.answer,
            args.seed,
            stream as u64,
        ) {
            Some(tweaked) => {
                made += 1;
                add(
                    &mut items,
                    &mut responses,
                    (made, &question.question),
                    &tweaked,
                );
            }
            None if made == 0 && dropped >= 10 * from.len() => break,
            None => dropped += 1,
        }
    }
    if made < args.items {
        let why = "an answer of three plain sentences or more is needed, and one that can keep \
                   three constraints";
        return Err(Failed::Usage(format!(
            "{made} of {} items could be made, {dropped} not: {why}",
            args.items
        )));
    }
    write(&args.dir, "items.jsonl", &items)?;
    write(&args.dir, "responses.jsonl", &responses)?;
    say(&format!(
        "{made} items with 4 answers each in {}, every one verified; {dropped} that could not be \
         made were passed over",
        args.dir.display()
    ));
    Ok(Done::Fine)
}

/// Our own, or the first response to each item of the user's data.
fn questions_of(args: &TweakSetArgs) -> Result<Vec<Question>, Failed> {
    if args.data.is_empty() {
        return Ok(questions().to_vec());
    }
    let filter = args.filter.parse()?;
    let paths = args.data.clone();
    let data = load(&DataOptions {
        paths,
        filter,
        allow_missing: true,
        ..DataOptions::default()
    })?;
    let mut found = Vec::new();
    for (at, item) in data.items.iter().enumerate() {
        let Some(system) = (0..data.systems.len()).find(|system| data.has_response(at, *system))
        else {
            continue;
        };
        let response = data
            .response(at, system)
            .map_err(|e| Failed::Run(e.to_string()))?;
        found.extend(response.map(|response| Question {
            question: item.instruction().into(),
            answer: response.text.to_string(),
        }));
    }
    Ok(found)
}

fn add(
    items: &mut String,
    responses: &mut String,
    (number, question): (usize, &str),
    tweaked: &Tweaked,
) {
    let id = format!("tweak-{number}");
    let item = Item {
        id: id.clone(),
        messages: vec![Message::user(tweaked.instruction.clone())],
        reference: None,
        category: None,
        question: Some(question.into()),
        constraints: Some(tweaked.to_json()),
    };
    items.push_str(&item_line(&item));
    let answers = [&tweaked.adherent].into_iter().chain(&tweaked.broken);
    TWEAKED
        .iter()
        .zip(answers)
        .for_each(|(system, answer)| responses.push_str(&response_line(&id, system, answer)));
}

fn write(dir: &Path, name: &str, text: &str) -> Result<(), Failed> {
    let path = dir.join(name);
    let unwritable =
        |e: std::io::Error| Failed::Usage(format!("{}: cannot be written: {e}", path.display()));
    std::fs::create_dir_all(dir).map_err(unwritable)?;
    if std::fs::read(&path).is_ok_and(|there| there != text.as_bytes()) {
        return Err(Failed::Usage(format!(
            "{}: is there already with another content; choose another directory",
            path.display()
        )));
    }
    std::fs::write(&path, text).map_err(unwritable)
}
