//! Gathers what a report's file holds.

use super::columns::{Embedded, EmbeddedResponse, PlacedJudgment};
use super::hide::{cut_folders, private_addresses, replace_all};
use super::prompts::{PromptMessage, PromptPart, name_texts};
use super::sample::choose_rows;
use super::write_page;
use crate::run::{describe_call, describe_looks, text_of_item, text_of_response};
use crate::{Cell, ItemText, OpenRun, Overview, Row, Sample};
use evenhand_store::{KeptCall, StoreError};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

/// The most judgments that a file holds: with short texts it then opens within two seconds. Beyond
/// that it holds those of evenly spaced items.
pub const MOST_JUDGMENTS: usize = 20_000;

/// The most bytes of texts that a file holds, before they are compressed.
const MOST_BYTES: usize = 48 << 20;

/// A report that is to be written into one file.
#[derive(Debug)]
pub struct FileReport {
    data: Embedded,
    /// Texts that are written nowhere.
    hidden: BTreeSet<String>,
    /// Folders of this machine, which are not written into the overview.
    folders: BTreeSet<String>,
}

impl FileReport {
    /// Makes a report without judgments.
    pub fn of_overview(overview: Overview) -> FileReport {
        let data = Embedded {
            overview,
            ..Embedded::default()
        };
        FileReport {
            data,
            hidden: BTreeSet::new(),
            folders: BTreeSet::new(),
        }
    }

    /// Makes the report of a run: its overview, and its judgments with all their texts. A run with
    /// more than [`MOST_JUDGMENTS`], or with texts of more than 48 MiB, is sampled: the file holds
    /// the judgments of evenly spaced items, and says so.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn of_run(run: &OpenRun) -> Result<FileReport, StoreError> {
        let mut most = MOST_JUDGMENTS;
        loop {
            let gathered = Gatherer::gather(run, most)?;
            if gathered.bytes <= MOST_BYTES || most < 2 {
                return Ok(gathered.finish());
            }
            most = most.min(run.index().judgments()) / 2;
        }
    }

    /// Returns what the pages begin with.
    pub fn overview(&self) -> &Overview {
        &self.data.overview
    }

    /// Returns what the pages begin with, so that a command can put its own report there.
    pub fn overview_mut(&mut self) -> &mut Overview {
        &mut self.data.overview
    }

    /// Leaves out the addresses that only their own network knows, wherever they stand but in what
    /// was judged and what a judge wrote.
    pub fn hide_addresses(&mut self) {
        self.hidden = private_addresses(&self.data.overview);
    }

    /// Leaves out the folder of this machine that a run or a file lies in, wherever the overview
    /// names it: whoever reads the page needs the name alone.
    pub fn hide_folder(&mut self, place: &Path) {
        let folder = place.parent().filter(|folder| folder.parent().is_some());
        if let Some(folder) = folder.filter(|folder| folder.is_absolute()) {
            self.folders.insert(folder.display().to_string());
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Where `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        if self.hidden.is_empty() && self.folders.is_empty() {
            return write_page(&serde_json::to_vec(&self.data)?, out);
        }
        let mut data = serde_json::to_value(&self.data)?;
        if let Some(overview) = data.get_mut("overview") {
            cut_folders(overview, &self.folders);
        }
        for part in ["/overview", "/judgments", "/calls/error"] {
            if let Some(part) = data.pointer_mut(part) {
                let text = replace_all(serde_json::to_vec(part)?, &self.hidden);
                *part = serde_json::from_slice(&text)?;
            }
        }
        write_page(&serde_json::to_vec(&data)?, out)
    }
}

/// The judgments of a run on their way into a file.
struct Gatherer<'a> {
    run: &'a OpenRun,
    data: Embedded,
    systems: FxHashMap<String, usize>,
    judges: FxHashMap<String, usize>,
    items: FxHashMap<String, KnownItem>,
    calls: FxHashMap<i64, usize>,
    /// Bytes of texts.
    bytes: usize,
}

/// An item with the responses to it, by their places in the lists of the file.
#[derive(Clone, Debug)]
struct KnownItem {
    place: usize,
    responses: std::ops::Range<usize>,
}

impl<'a> Gatherer<'a> {
    fn gather(run: &'a OpenRun, most: usize) -> Result<Gatherer<'a>, StoreError> {
        let mut overview = run.overview();
        overview.live = false;
        let mut gatherer = Gatherer {
            run,
            systems: number(&overview.systems),
            judges: number(&overview.judges),
            data: Embedded {
                overview,
                ..Embedded::default()
            },
            items: FxHashMap::default(),
            calls: FxHashMap::default(),
            bytes: 0,
        };
        let rows = choose_rows(run.index(), most);
        // Items stand in the order of the data, whatever the order of the rows.
        let index = run.index();
        let items: BTreeSet<u32> = rows.iter().map(|row| index.facts(*row).item).collect();
        for item in items {
            gatherer.place_item(index.items().get(item))?;
        }
        for row in rows {
            let row = run.row_without_texts(row);
            for cell in [&row.ab, &row.ba].into_iter().flatten() {
                gatherer.add(&row, cell)?;
            }
            if gatherer.bytes > MOST_BYTES {
                break;
            }
        }
        Ok(gatherer)
    }

    fn add(&mut self, row: &Row, cell: &Cell) -> Result<(), StoreError> {
        let Some(kept) = self.run.reader().judgment(cell.trial)? else {
            return Ok(());
        };
        let item = self.place_item(&kept.item)?;
        let calls = kept.calls.iter().map(|call| self.place_call(call, &item));
        let calls = calls.collect();
        let known = |system: &String| self.systems.get(system).copied();
        let systems: Vec<usize> = kept.systems.iter().filter_map(known).collect();
        // A response that is not kept has an empty text.
        let responses = &self.data.responses[item.responses.clone()];
        let text_of = |system: &usize| {
            let found = responses.iter().find(|response| response.system == *system);
            found.map_or("", |response| &*response.text)
        };
        let shown: Vec<&str> = systems.iter().map(text_of).collect();
        let placed = PlacedJudgment {
            row,
            cell,
            item: item.place,
            cost: self.run.cost_of(cell.trial),
            detail: kept.detail,
            looks: describe_looks(kept.looks, self.run.protocol(), &shown),
            systems,
            calls,
        };
        self.data.judgments.push(placed);
        Ok(())
    }

    fn place_item(&mut self, id: &str) -> Result<KnownItem, StoreError> {
        if let Some(known) = self.items.get(id) {
            return Ok(known.clone());
        }
        let text = self.run.reader().item(id)?.map(text_of_item);
        let text = text.unwrap_or_else(|| {
            // A run that keeps no texts knows the category alone.
            let index = self.run.index();
            let item = index.items().find(id);
            let category = item.and_then(|item| index.category_of(item));
            ItemText {
                id: id.into(),
                category: category.map(|category| index.categories().get(category).into()),
                ..ItemText::default()
            }
        });
        self.bytes += text.text.len();
        let known = KnownItem {
            place: self.data.items.len(),
            responses: self.place_responses(id)?,
        };
        self.data.items.push(text);
        self.items.insert(id.into(), known.clone());
        Ok(known)
    }

    /// Adds the responses to the item that comes next.
    fn place_responses(&mut self, item: &str) -> Result<std::ops::Range<usize>, StoreError> {
        let start = self.data.responses.len();
        for response in self.run.reader().responses(item)? {
            let text = text_of_response(&response);
            if let Some(system) = self.systems.get(&text.system) {
                let turns = text.turns.iter().flatten();
                let turns: usize = turns.map(|turn| turn.content.len()).sum();
                let steps = text.trajectory.iter().flat_map(|all| &all.steps);
                let steps: usize = steps.map(|step| step.text.len()).sum();
                self.bytes += text.text.len() + turns + steps;
                self.data.responses.push(EmbeddedResponse {
                    item: self.data.items.len(),
                    system: *system,
                    text: text.text,
                    turns: text.turns,
                    trajectory: text.trajectory,
                });
            }
        }
        Ok(start..self.data.responses.len())
    }

    fn place_call(&mut self, call: &KeptCall, item: &KnownItem) -> usize {
        if let Some(place) = self.calls.get(&call.id) {
            return *place;
        }
        let detail = describe_call(call);
        let instruction = self.data.items[item.place].text.as_str();
        let mut named = vec![(instruction, PromptPart::Item(item.place))];
        for place in item.responses.clone() {
            let text = self.data.responses[place].text.as_str();
            named.push((text, PromptPart::Response(place)));
        }
        let messages = name_texts(&detail.messages, &named);
        self.bytes += messages.iter().map(PromptMessage::bytes).sum::<usize>();
        if let Some(reply) = &detail.reply {
            self.bytes += reply.text.len() + reply.reasoning.as_ref().map_or(0, String::len);
        }
        let judge = self.judges.get(&call.judge).copied().unwrap_or_default();
        let prompt = self.data.prompts.len();
        self.data.prompts.push(messages);
        let place = self.data.calls.push(detail, judge, prompt);
        self.calls.insert(call.id, place);
        place
    }

    fn finish(mut self) -> FileReport {
        let (kept, of) = (self.data.judgments.len(), self.run.index().judgments());
        self.data.overview.sample = (kept < of).then(|| Sample {
            kept,
            of,
            how: format!(
                "This file holds {kept} of {of} judgments: those of evenly spaced items. \
                 `evenhand view` shows all."
            ),
        });
        FileReport {
            data: self.data,
            hidden: BTreeSet::new(),
            folders: BTreeSet::new(),
        }
    }
}

fn number(names: &[String]) -> FxHashMap<String, usize> {
    let numbered = names.iter().cloned().enumerate();
    numbered.map(|(number, name)| (name, number)).collect()
}
