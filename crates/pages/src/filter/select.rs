//! Finds the rows that pass a filter, sorts them, and cuts out a page.

use super::{FailureFilter, Filter, FilterError, PeopleFilter, Sort};
use crate::index::Cells;
use crate::names::Names;
use crate::{RowFacts, RunIndex};
use evenhand_core::{Side, did_you_mean, quote, unquote};
use rustc_hash::FxHashSet;

/// How many names an error lists.
const SHOWN: usize = 20;

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

/// The names of a filter, as numbers of a run.
struct Named {
    system: Option<u32>,
    pair: Option<[u32; 2]>,
    item: Option<u32>,
    category: Option<u32>,
    winner: Option<u32>,
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
        let systems = self.systems();
        let names = Named {
            system: find("system", filter.system.as_deref(), systems)?,
            pair: find_pair(filter.pair.as_deref(), systems)?,
            item: find("item", filter.item.as_deref(), self.items())?,
            category: find("category", filter.category.as_deref(), self.categories())?,
            winner: find("winner", filter.winner.as_deref(), systems)?,
        };
        let hits = hits.filter(|_| filter.text.is_some());
        let rows = 0..self.row_count() as u32;
        let rows: Vec<u32> = rows
            .filter(|row| self.passes(*row, filter, &names, hits))
            .collect();
        Ok(Selected {
            total: rows.len(),
            rows: self.page_of(rows, filter),
        })
    }

    /// Names and failures are tested first: they need no more than a few columns of the row.
    fn passes(&self, row: u32, filter: &Filter, names: &Named, hits: Option<&TextHits>) -> bool {
        let cells = self.cells(row);
        let item = cells.columns.item[cells.any() as usize];
        let is_named = is_wanted(names.item, || item)
            && is_wanted(names.pair, || cells.systems())
            && names
                .system
                .is_none_or(|system| shown_systems(cells).any(|shown| shown == system))
            && is_wanted(names.category.map(Some), || self.category_of(item));
        if !is_named {
            return false;
        }
        let has_failure = match filter.failure {
            None => true,
            Some(FailureFilter::Any) => cells.each().any(|at| cells.columns.failure(at).is_some()),
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
            || filter.outcome.is_some()
            || names.winner.is_some()
            || filter.confidence.is_some()
            || filter.cost.is_some()
            || hits.is_some();
        if !needs_facts {
            return true;
        }
        let facts = cells.facts();
        is_wanted(filter.outcome, || facts.outcome)
            && is_wanted(filter.flipped, || facts.flipped)
            && is_wanted(filter.split, || facts.split)
            && is_wanted(names.winner.map(Some), || match facts.outcome {
                Some(Side::First) => Some(facts.a),
                Some(Side::Second) => facts.b,
                Some(Side::Tie) | None => None,
            })
            && filter
                .confidence
                .is_none_or(|range| range.holds(facts.confidence()))
            && filter.cost.is_none_or(|range| range.holds(facts.cost))
            && filter.people.is_none_or(|wanted| {
                let label = self.people_of(row);
                match wanted {
                    PeopleFilter::Any => label.is_some(),
                    PeopleFilter::Agree => label.is_some() && label == facts.outcome,
                    PeopleFilter::Disagree => label.is_some() && label != facts.outcome,
                }
            })
            && hits.is_none_or(|hits| hits.hold(cells, facts.item))
    }

    /// Returns a page of rows that are in plan order. Only as much is sorted as the page needs.
    fn page_of(&self, rows: Vec<u32>, filter: &Filter) -> Vec<u32> {
        let limit = filter.limit.unwrap_or(rows.len());
        let end = filter.offset.saturating_add(limit).min(rows.len());
        let start = filter.offset.min(end);
        // The figures by which rows are sorted, the smaller first.
        let figure: fn(&RowFacts) -> Option<f64> = match filter.sort {
            Sort::Plan => return rows[start..end].to_vec(),
            Sort::Confidence => RowFacts::confidence,
            Sort::ConfidenceDown => |facts| facts.confidence().map(|figure| -figure),
            Sort::Cost => |facts| facts.cost,
            Sort::CostDown => |facts| facts.cost.map(|figure| -figure),
            Sort::Item => |facts| Some(f64::from(facts.item)),
        };
        // Rows without a figure come last, and equal ones in plan order.
        let rows = rows.into_iter().map(|row| {
            let figure = figure(&self.facts(row));
            (figure.unwrap_or(f64::INFINITY), row)
        });
        let mut sorted: Vec<(f64, u32)> = rows.collect();
        let compare = |(one, at): &(f64, u32), (other, after): &(f64, u32)| {
            one.total_cmp(other).then(at.cmp(after))
        };
        if end < sorted.len() {
            sorted.select_nth_unstable_by(end, compare);
            sorted.truncate(end);
        }
        sorted.sort_unstable_by(compare);
        sorted[start..].iter().map(|(_, row)| *row).collect()
    }
}

/// Whether nothing is wanted, or just this.
fn is_wanted<T: PartialEq>(wanted: Option<T>, found: impl FnOnce() -> T) -> bool {
    wanted.is_none_or(|wanted| wanted == found())
}

fn find(
    field: &'static str,
    name: Option<&str>,
    names: &Names,
) -> Result<Option<u32>, FilterError> {
    let Some(name) = name else { return Ok(None) };
    match names.find(name) {
        Some(number) => Ok(Some(number)),
        None => Err(unknown_name(field, name, names)),
    }
}

/// Finds two systems in `A~B`, whose names may hold the mark between them.
fn find_pair(pair: Option<&str>, names: &Names) -> Result<Option<[u32; 2]>, FilterError> {
    let Some(pair) = pair else { return Ok(None) };
    let mut splits = pair.match_indices('~');
    let find = |name: &str| names.find(name).or_else(|| names.find(&unquote(name)));
    let found = splits.find_map(|(at, mark)| {
        let (a, b) = (find(&pair[..at])?, find(&pair[at + mark.len()..])?);
        Some([a.min(b), a.max(b)])
    });
    match found {
        Some(pair) => Ok(Some(pair)),
        None => Err(unknown_name("pair", pair, names)),
    }
}

fn unknown_name(field: &'static str, found: &str, names: &Names) -> FilterError {
    let mut known: Vec<String> = names.iter().take(SHOWN).map(quote).collect();
    if names.len() > SHOWN {
        known.push("..".into());
    }
    // Of a pair, the half that is unknown.
    let unknown = found
        .split('~')
        .find(|half| names.iter().all(|name| name != *half));
    let meant = did_you_mean(unknown.unwrap_or(found), names.iter());
    FilterError::UnknownName {
        field,
        found: found.into(),
        known: known.join(", ") + &meant,
    }
}
