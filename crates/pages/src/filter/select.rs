//! Finds the rows that pass a filter.

use super::resolve::Resolved;
use super::{FailureFilter, Filter, FilterError, PeopleFilter, sort};
use crate::index::Cells;
use crate::{RowFacts, RunIndex};
use evenhand_core::Side;
use rustc_hash::FxHashSet;

/// The rows that pass, page by page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    /// Rows that pass.
    pub total: usize,
    /// Those of the page, in its order.
    pub rows: Vec<u32>,
}

/// Where a text stands: in an item, in a system's response to an item, or in a judgment's calls.
#[derive(Clone, Debug, Default)]
pub struct TextHits {
    /// Items.
    pub items: FxHashSet<u32>,
    /// Items and systems.
    pub responses: FxHashSet<(u32, u32)>,
    /// Judgments.
    pub judgments: FxHashSet<u32>,
}

impl TextHits {
    fn hold(&self, cells: Cells<'_>, item: u32) -> bool {
        self.items.contains(&item)
            || shown_systems(cells).any(|system| self.responses.contains(&(item, system)))
            || cells
                .each()
                .any(|judgment| self.judgments.contains(&judgment))
    }
}

fn shown_systems(cells: Cells<'_>) -> impl Iterator<Item = u32> {
    let list = cells.columns.list(cells.any());
    let listed = list
        .into_iter()
        .flat_map(|list| list.systems.iter().copied());
    cells.systems().into_iter().chain(listed)
}

impl RunIndex {
    /// Finds the rows that pass a filter: those of its page, and how many pass in all. A page
    /// without a limit holds all. `hits` says where the filter's text stands; without them it is
    /// not looked at.
    ///
    /// # Errors
    /// Names that the run does not have.
    pub fn select(
        &self,
        filter: &Filter,
        hits: Option<&TextHits>,
    ) -> Result<Selected, FilterError> {
        let names = Resolved::of(filter, self)?;
        let test = RowTest {
            index: self,
            filter,
            names,
            hits: hits.filter(|_| filter.text.is_some()),
        };
        let rows = (0..self.row_count() as u32).filter(|row| test.passes(*row));
        let rows: Vec<u32> = rows.collect();
        Ok(Selected {
            total: rows.len(),
            rows: sort::page(self, rows, filter),
        })
    }
}

struct RowTest<'a> {
    index: &'a RunIndex,
    filter: &'a Filter,
    names: Resolved,
    hits: Option<&'a TextHits>,
}

impl RowTest<'_> {
    /// Names and failures are tested first: they need no more than a few columns of the row.
    fn passes(&self, row: u32) -> bool {
        let cells = self.index.cells(row);
        let (filter, names) = (self.filter, &self.names);
        let item = cells.columns.item[cells.any() as usize];
        let is_named = is_wanted(names.item, || item)
            && is_wanted(names.pair, || cells.systems())
            && names
                .system
                .is_none_or(|system| shown_systems(cells).any(|shown| shown == system))
            && is_wanted(names.category.map(Some), || self.index.category_of(item));
        if !is_named {
            return false;
        }
        let has_failure = match filter.failure {
            None => true,
            Some(FailureFilter::Any) => cells.has_failure(),
            Some(FailureFilter::Kind(kind)) => cells
                .each()
                .any(|at| cells.columns.failure(at) == Some(kind)),
        };
        if !has_failure {
            return false;
        }
        let needs_facts = filter.flipped.is_some()
            || filter.split.is_some()
            || filter.people.is_some()
            || filter.preferred.is_some()
            || names.winner.is_some()
            || filter.confidence.is_some()
            || filter.cost.is_some()
            || self.hits.is_some();
        if !needs_facts {
            return true;
        }
        let facts = cells.facts();
        is_wanted(filter.preferred, || facts.preferred)
            && is_wanted(filter.flipped, || facts.flipped)
            && is_wanted(filter.split, || facts.split)
            && is_wanted(names.winner.map(Some), || winner_of(&facts))
            && filter
                .confidence
                .is_none_or(|range| range.holds(facts.confidence()))
            && filter.cost.is_none_or(|range| range.holds(facts.cost))
            && self.passes_people(row, &facts)
            && self.hits.is_none_or(|hits| hits.hold(cells, facts.item))
    }

    fn passes_people(&self, row: u32, facts: &RowFacts) -> bool {
        let Some(wanted) = self.filter.people else {
            return true;
        };
        let Some(label) = self.index.people_of(row) else {
            return false;
        };
        match wanted {
            PeopleFilter::Any => true,
            PeopleFilter::Agree => Some(label) == facts.preferred,
            PeopleFilter::Disagree => Some(label) != facts.preferred,
        }
    }
}

/// Whether nothing is wanted, or just this.
fn is_wanted<T: PartialEq>(wanted: Option<T>, found: impl FnOnce() -> T) -> bool {
    wanted.is_none_or(|wanted| wanted == found())
}

/// Returns the system that a row prefers.
fn winner_of(facts: &RowFacts) -> Option<u32> {
    match facts.preferred? {
        Side::First => Some(facts.a),
        Side::Second => facts.b,
        Side::Tie => None,
    }
}
