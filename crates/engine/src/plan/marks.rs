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
    let broken = readers.filter(|judge| judges.breaks_marks_for(judge));
    let broken: Vec<&str> = broken.map(AsRef::as_ref).collect();
    (!broken.is_empty()).then(|| format!("{BROKEN_FOR}{}", broken.join("\n")))
}

/// Reads the judges that a manifest names so.
pub(crate) fn judges_of_manifest(value: &str) -> Vec<Arc<str>> {
    let Some(judges) = value.strip_prefix(BROKEN_FOR) else {
        return Vec::new();
    };
    judges.split('\n').map(Arc::from).collect()
}

/// Returns a warning of marks of chat templates in the data, for before anything is asked and for
/// the report; None where there are no marks, or every judge reads them as text.
pub fn marks_warning(job: &Job) -> Option<String> {
    if job.judges.reads_marks.is_empty() {
        return None;
    }
    let responses = count_marked_responses(job);
    let items = count_marked_items(job);
    let places = describe_places(responses.count, items.count);
    let first = responses.first.or(items.first)?;
    let consequence = consequence(job);
    Some(format!(
        "marks of chat templates stand in {places} ({first}): {consequence}"
    ))
}

/// Texts that hold marks, and the first of them in words.
#[derive(Default)]
struct MarkedTexts {
    count: usize,
    first: Option<String>,
}

impl MarkedTexts {
    fn add(&mut self, mark: String) {
        self.count += 1;
        self.first.get_or_insert(mark);
    }
}

/// Items are mentioned where any is marked; responses always, since it is they who gain by a mark.
fn describe_places(responses: usize, items: usize) -> String {
    let places = count_of(responses, "response", "responses");
    if items == 0 {
        return places;
    }
    format!(
        "{places} and the texts of {}",
        count_of(items, "item", "items")
    )
}

fn count_of(n: usize, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

/// Says what is done about them.
fn consequence(job: &Job) -> String {
    if !job.protocol.shows_texts() {
        return SCORED_AS_THEY_STAND.into();
    }
    if job.judges.raw_marks {
        return SENT_AS_THEY_ARE.into();
    }
    describe_broken_marks()
}

fn describe_broken_marks() -> String {
    let raw = Setting::RawMarks;
    format!(
        "the judge's server may read them as turns of the conversation, so they are broken up by \
         an invisible character in what it is shown ({raw} leaves them as they are)"
    )
}

const SCORED_AS_THEY_STAND: &str = "what is scored is scored as it stands, and a server may read \
                                    them as tokens of its own; look at the scores of them";
const SENT_AS_THEY_ARE: &str = "they go out as they are, and a server may read them as turns of \
                                the conversation, in which a response speaks to the judge; look at \
                                the verdicts on them";

fn count_marked_responses(job: &Job) -> MarkedTexts {
    let (items, systems) = (job.dataset.items.len(), job.dataset.systems.len());
    let mut marked = MarkedTexts::default();
    for place in 0..items * systems {
        if let Some(mark) = mark_in_response(job, place / systems, place % systems) {
            marked.add(mark);
        }
    }
    marked
}

fn count_marked_items(job: &Job) -> MarkedTexts {
    let mut marked = MarkedTexts::default();
    for mark in job.dataset.items.iter().filter_map(mark_in_item) {
        marked.add(mark);
    }
    marked
}

fn mark_in_response(job: &Job, item: usize, system: usize) -> Option<String> {
    let response = job.dataset.response(item, system).ok()??;
    let mark = response.texts().find_map(first_mark)?;
    let (system, id) = (&response.system, &job.dataset.items[item].id);
    Some(format!("{mark} in that of {system} to item {id}"))
}

/// Finds the first mark in an item's turns and reference answer.
fn mark_in_item(item: &Item) -> Option<String> {
    let mark = first_mark_of(item)?;
    Some(format!("{mark} in item {}", item.id))
}

fn first_mark_of(item: &Item) -> Option<&str> {
    let turns = item.messages.iter().map(|message| &*message.content);
    let mut texts = turns.chain(item.reference.as_deref());
    texts.find_map(first_mark)
}
