//! Rows as the pages read them.

use super::OpenRun;
use crate::{Filter, FilterError, RunIndex, Selected, TextHits, side_name};
use evenhand_store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

/// Rows on a page, where the query does not say.
const PAGE: usize = 100;

/// Characters of the beginning of an instruction.
const EXCERPT: usize = 160;

/// Some of the rows that pass a filter.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RowPage {
    /// Rows that pass.
    pub total: usize,
    /// Rows of the run at that moment.
    pub of: usize,
    /// Rows before those of the page.
    pub offset: usize,
    /// The rows of the page.
    pub rows: Vec<Row>,
    /// What a text search left out; None where it left out nothing.
    pub searched: Option<String>,
}

/// Both orders of a pair, a single response, or a list, by the names that the pages use.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// Its lowest trial.
    pub id: u64,
    /// The item's id.
    pub item: String,
    /// The item's category.
    pub category: Option<String>,
    /// The system that stands earlier in the data.
    pub a: String,
    /// The other of a pair.
    pub b: Option<String>,
    /// All systems of a list, in slot order.
    pub systems: Option<Vec<String>>,
    /// Which repetition it is, from 0.
    pub replicate: u32,
    /// The judgment that shows `a` first.
    pub ab: Option<Cell>,
    /// The judgment that shows `b` first.
    pub ba: Option<Cell>,
    /// How it ended: `a`, `b`, `tie` or `none`.
    pub outcome: &'static str,
    /// The mean probability that `a` is better, a tie counting half.
    pub p: Option<f64>,
    /// The mean score of a single response.
    pub score: Option<f64>,
    /// The two orders prefer different systems.
    pub flipped: bool,
    /// Votes or samples disagree.
    pub split: bool,
    /// What people said: `a`, `b` or `tie`.
    pub people: Option<&'static str>,
    /// How far from a toss-up, from 0 to 1.
    pub confidence: Option<f64>,
    /// USD of its calls.
    pub cost: Option<f64>,
    /// Tokens of its calls.
    pub tokens: u64,
    /// The beginning of the instruction.
    pub excerpt: Option<String>,
}

/// One judgment of a row.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Cell {
    /// Its trial.
    pub trial: u64,
    /// The probabilities of the first slot, a tie and the second.
    pub p: Option<[f64; 3]>,
    /// The score.
    pub score: Option<f64>,
    /// The places of a list, in slot order.
    pub places: Option<Vec<f64>>,
    /// Why there is no verdict.
    pub failure: Option<&'static str>,
}

/// Why rows cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// The filter asks for what there is not.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OpenRun {
    /// Returns the rows of a filter's page, a hundred where it has no limit.
    ///
    /// # Errors
    /// Names that the run does not have, and a store that cannot be read.
    pub fn rows(&self, filter: &Filter) -> Result<RowPage, RowsError> {
        let hits = self.search_for(filter)?;
        self.rows_with(filter, hits.as_ref())
    }

    /// Returns the rows of a filter's page, whose text stands in these places.
    ///
    /// # Errors
    /// Names that the run does not have, and a store that cannot be read.
    pub fn rows_with(
        &self,
        filter: &Filter,
        hits: Option<&TextHits>,
    ) -> Result<RowPage, RowsError> {
        let mut filter = filter.clone();
        filter.limit.get_or_insert(PAGE);
        let selected = self.index.select(&filter, hits)?;
        let rows = selected.rows.iter().map(|row| self.row(*row));
        Ok(RowPage {
            total: selected.total,
            of: self.index.row_count(),
            offset: filter.offset,
            rows: rows.collect::<Result<_, _>>()?,
            searched: None,
        })
    }

    /// Finds the rows that pass a filter, its text included.
    ///
    /// # Errors
    /// Names that the run does not have, and a store that cannot be read.
    pub fn select(&self, filter: &Filter) -> Result<Selected, RowsError> {
        let hits = self.search_for(filter)?;
        Ok(self.index.select(filter, hits.as_ref())?)
    }

    fn search_for(&self, filter: &Filter) -> Result<Option<TextHits>, StoreError> {
        let text = filter.text.as_deref();
        text.map(|text| self.search(text)).transpose()
    }

    /// Returns a row with the beginning of its instruction.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn row(&self, row: u32) -> Result<Row, StoreError> {
        let mut found = self.row_without_texts(row);
        let text = self.reader.item_text(&found.item)?;
        found.excerpt = text.map(|text| cut_excerpt(&text));
        Ok(found)
    }

    /// Returns what is in memory of a row: all but the beginning of its instruction.
    pub fn row_without_texts(&self, row: u32) -> Row {
        let index = &self.index;
        let facts = index.facts(row);
        let cells = index.cells(row);
        let [ab, ba] = cells.judgments.map(|at| at.map(|at| cell_of(index, at)));
        let category = index.category_of(facts.item);
        Row {
            id: index.row_id(row),
            item: index.items().get(facts.item).to_owned(),
            category: category.map(|category| index.categories().get(category).to_owned()),
            a: index.systems().get(facts.a).to_owned(),
            b: facts.b.map(|b| index.systems().get(b).to_owned()),
            systems: cells.columns.list(cells.any()).map(|list| {
                let names = list
                    .systems
                    .iter()
                    .map(|system| index.systems().get(*system));
                names.map(str::to_owned).collect()
            }),
            replicate: cells.columns.replicate[cells.any() as usize],
            ab,
            ba,
            outcome: facts.outcome.map_or("none", side_name),
            p: facts.p,
            score: facts.score,
            flipped: facts.flipped,
            split: facts.split,
            people: index.people_of(row).map(side_name),
            confidence: facts.confidence(),
            cost: facts.cost,
            tokens: facts.tokens,
            excerpt: None,
        }
    }

    /// Returns USD of a trial's calls; None where that is not known.
    pub(crate) fn cost_of(&self, trial: u64) -> Option<f64> {
        let judgment = self.index.find_trial(trial)?;
        self.index.columns.cost(judgment)
    }
}

/// Returns a judgment as a cell of its row.
pub(crate) fn cell_of(index: &RunIndex, judgment: u32) -> Cell {
    let columns = &index.columns;
    let list = columns.list(judgment);
    Cell {
        trial: index.trial_of(judgment),
        p: columns.chances(judgment),
        score: columns.score(judgment),
        places: list.and_then(|list| list.places.clone()),
        failure: columns.failure(judgment).map(|kind| kind.name()),
    }
}

/// Returns the beginning of a text, with line breaks and runs of white space as one space.
fn cut_excerpt(text: &str) -> String {
    // Four bytes a character at most, and as many again for white space that falls away.
    let start = &text[..floor_char_boundary(text, 8 * EXCERPT)];
    let words = start.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(EXCERPT) {
        Some((end, _)) => words[..end].to_owned(),
        None => words,
    }
}

/// Returns the last place up to this one at which a text can be cut.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut places = (0..=at.min(text.len())).rev();
    places
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut_excerpt("  a\n\tb  "), "a b");
        assert_eq!(
            cut_excerpt(&"\u{1f9ea}".repeat(2000)).chars().count(),
            EXCERPT
        );
        assert_eq!(floor_char_boundary("a\u{e9}", 2), 1);
    }
}
