//! Marks of chat templates in the texts of a job: for whom they are broken up, and how many
//! responses that concerns.

use crate::Job;
use evenhand_core::Item;
use evenhand_protocols::{Judges, first_mark};
use std::sync::Arc;

/// The manifest's name for it.
pub(crate) const SETTING: &str = "marks";
const BROKEN_FOR: &str = "broken up for ";

/// What a manifest says of the judges for whom marks are broken up; None where there are none.
pub(crate) fn setting(judges: &Judges) -> Option<String> {
    let broken: Vec<&str> = judges
        .reads_marks
        .iter()
        .filter(|judge| judges.breaks_marks_for(judge))
        .map(|one| &**one)
        .collect();
    (!broken.is_empty()).then(|| format!("{BROKEN_FOR}{}", broken.join("\n")))
}

/// The judges that a manifest names so.
pub(crate) fn broken_for(setting: &str) -> Vec<Arc<str>> {
    setting
        .strip_prefix(BROKEN_FOR)
        .into_iter()
        .flat_map(|judges| judges.split('\n'))
        .map(Arc::from)
        .collect()
}

/// What the user must know of marks of chat templates in the data, before anything is asked and in
/// the report; None where there are none, or every judge reads them as text.
pub fn marks_warning(job: &Job) -> Option<String> {
    let judges = &job.judges;
    if judges.reads_marks.is_empty() {
        return None;
    }
    let (responses, first) = in_responses(job);
    let items = job
        .dataset
        .items
        .iter()
        .filter(|item| marked(item).is_some())
        .count();
    let first = first.or_else(|| job.dataset.items.iter().find_map(marked))?;
    let many = |n: usize, one: &str, more: &str| {
        if n == 1 {
            format!("1 {one}")
        } else {
            format!("{n} {more}")
        }
    };
    let where_found = match items {
        0 => many(responses, "response", "responses"),
        _ => format!(
            "{} and the texts of {}",
            many(responses, "response", "responses"),
            many(items, "item", "items")
        ),
    };
    Some(format!(
        "marks of chat templates stand in {where_found} ({first}): {}",
        becomes(job)
    ))
}

/// What is done about them.
fn becomes(job: &Job) -> &'static str {
    match (job.judges.raw_marks, job.protocol.shows_texts()) {
        (false, true) => {
            "the judge's server may read them as turns of the conversation, so they are broken up \
             by an invisible character in what it is \
             shown (--raw-marks leaves them as they are)"
        }
        (true, true) => {
            "they go out as they are, and a server may read them as turns of the conversation, in \
             which a response speaks to the judge; \
             look at the verdicts on them"
        }
        (_, false) => {
            "what is scored is scored as it stands, and a server may read them as tokens of its \
             own; look at the scores of them"
        }
    }
}

/// How many responses hold marks, and the first of them.
fn in_responses(job: &Job) -> (usize, Option<String>) {
    let (items, systems) = (&job.dataset.items, job.dataset.systems.len());
    let all = (0..items.len()).flat_map(|item| (0..systems).map(move |system| (item, system)));
    let mut found = all.filter_map(|(item, system)| {
        let response = job.dataset.response(item, system).ok()??;
        let mark = first_mark(&response.text)?;
        Some(format!(
            "{mark} in that of {} to item {}",
            response.system, items[item].id
        ))
    });
    match found.next() {
        Some(first) => (1 + found.count(), Some(first)),
        None => (0, None),
    }
}

/// The first mark in an item's turns and reference answer.
fn marked(item: &Item) -> Option<String> {
    let texts = item
        .messages
        .iter()
        .map(|message| &*message.content)
        .chain(item.reference.as_deref());
    texts
        .filter_map(first_mark)
        .next()
        .map(|mark| format!("{mark} in item {}", item.id))
}
