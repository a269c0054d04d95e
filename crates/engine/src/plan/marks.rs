//! Marks of chat templates in the texts of a job: for which judges they are broken up, and how many
//! responses that concerns.

use crate::Job;
use evenhand_core::{Item, Setting};
use evenhand_protocols::{Judges, first_mark};
use std::sync::Arc;

/// The key of the manifest.
pub(crate) const MANIFEST_KEY: &str = "marks";
const BROKEN_FOR: &str = "broken up for ";

/// Returns what a manifest says of the judges for whom marks are broken up; None where there are no
/// such judges.
pub(crate) fn manifest_value(judges: &Judges) -> Option<String> {
    let readers = judges.reads_marks.iter();
    let broken: Vec<&str> = readers
        .filter(|judge| judges.breaks_marks_for(judge))
        .map(|judge| &**judge)
        .collect();
    (!broken.is_empty()).then(|| format!("{BROKEN_FOR}{}", broken.join("\n")))
}

/// Reads the judges that a manifest names so.
pub(crate) fn judges_of_manifest(value: &str) -> Vec<Arc<str>> {
    match value.strip_prefix(BROKEN_FOR) {
        Some(judges) => judges.split('\n').map(Arc::from).collect(),
        None => Vec::new(),
    }
}

/// Returns a warning of marks of chat templates in the data, for before anything is asked and for
/// the report; None where there are no marks, or every judge reads them as text.
pub fn marks_warning(job: &Job) -> Option<String> {
    if job.judges.reads_marks.is_empty() {
        return None;
    }
    let (responses, first) = count_marked_responses(job);
    let mut items = job.dataset.items.iter().filter_map(mark_in_item);
    let first_in_items = items.next();
    let marked_items = usize::from(first_in_items.is_some()) + items.count();
    let first = first.or(first_in_items)?;
    let mut places = count_of(responses, "response", "responses");
    if marked_items > 0 {
        let items = count_of(marked_items, "item", "items");
        places = format!("{places} and the texts of {items}");
    }
    Some(format!(
        "marks of chat templates stand in {places} ({first}): {}",
        consequence(job)
    ))
}

fn count_of(n: usize, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

/// Says what is done about them.
fn consequence(job: &Job) -> String {
    if !job.protocol.shows_texts() {
        return "what is scored is scored as it stands, and a server may read them as tokens of \
                its own; look at the scores of them"
            .into();
    }
    if job.judges.raw_marks {
        return "they go out as they are, and a server may read them as turns of the \
                conversation, in which a response speaks to the judge; look at the verdicts on \
                them"
            .into();
    }
    format!(
        "the judge's server may read them as turns of the conversation, so they are broken up by \
         an invisible character in what it is shown ({} leaves them as they are)",
        Setting::RawMarks
    )
}

/// Returns how many responses hold marks, and the first of them.
fn count_marked_responses(job: &Job) -> (usize, Option<String>) {
    let (items, systems) = (job.dataset.items.len(), job.dataset.systems.len());
    let (mut count, mut first) = (0, None);
    for place in 0..items * systems {
        if let Some(mark) = mark_in_response(job, place / systems, place % systems) {
            count += 1;
            first = first.or(Some(mark));
        }
    }
    (count, first)
}

fn mark_in_response(job: &Job, item: usize, system: usize) -> Option<String> {
    let response = job.dataset.response(item, system).ok()??;
    let mark = first_mark(&response.text)?;
    let id = &job.dataset.items[item].id;
    Some(format!(
        "{mark} in that of {} to item {id}",
        response.system
    ))
}

/// Finds the first mark in an item's turns and reference answer.
fn mark_in_item(item: &Item) -> Option<String> {
    let turns = item.messages.iter().map(|message| &*message.content);
    let mut texts = turns.chain(item.reference.as_deref());
    let mark = texts.find_map(first_mark)?;
    Some(format!("{mark} in item {}", item.id))
}
