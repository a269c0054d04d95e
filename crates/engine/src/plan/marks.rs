//! Marks of chat templates in the texts of a job: for which judges they are broken up, and how many
//! responses that concerns.

use crate::Job;
use evenhand_core::Setting;
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
    let dataset = &job.dataset;
    let mut responses = MarkedTexts::default();
    let mut items = MarkedTexts::default();
    for (at, item) in dataset.items.iter().enumerate() {
        for system in 0..dataset.systems.len() {
            let Ok(Some(response)) = dataset.response(at, system) else {
                continue;
            };
            if let Some(mark) = response.texts().find_map(first_mark) {
                let system = &response.system;
                responses.add(|| format!("{mark} in that of {system} to item {}", item.id));
            }
        }
        let turns = item.messages.iter().map(|message| &*message.content);
        let mut texts = turns.chain(item.reference.as_deref());
        if let Some(mark) = texts.find_map(first_mark) {
            items.add(|| format!("{mark} in item {}", item.id));
        }
    }

    // Responses are mentioned even where none is marked, since it is they who gain by a mark.
    let mut places = count_of(responses.count, "response", "responses");
    if items.count > 0 {
        let items = count_of(items.count, "item", "items");
        places += &format!(" and the texts of {items}");
    }
    let first = responses.first.or(items.first)?;
    let consequence = if !job.protocol.shows_texts() {
        SCORED_AS_THEY_STAND.into()
    } else if job.judges.raw_marks {
        SENT_AS_THEY_ARE.into()
    } else {
        let raw = Setting::RawMarks;
        format!(
            "the judge's server may read them as turns of the conversation, so they are broken up \
             by an invisible character in what it is shown ({raw} leaves them as they are)"
        )
    };
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
    fn add(&mut self, mark: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(mark);
    }
}

fn count_of(n: usize, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

const SCORED_AS_THEY_STAND: &str = "scored texts are sent as they are, and a server may read the \
                                    marks as special tokens; look at their scores";
const SENT_AS_THEY_ARE: &str = "they are sent as they are, and a server may read them as turns of \
                                the conversation, in which a response speaks to the judge; look at \
                                the verdicts on them";
