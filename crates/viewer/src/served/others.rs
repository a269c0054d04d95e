//! The same item and systems in other runs.

use super::{ServedRun, Sources, State};
use crate::answer::Failure;
use evenhand_pages::{Detail, Filter, OtherRun, Row};

/// Judgments of one other run that are listed.
const MOST_LISTED: usize = 4;

impl ServedRun {
    /// Finds judgments of the same item and systems, in either order.
    pub(crate) fn same_as(
        &self,
        sources: &Sources,
        detail: &Detail,
    ) -> Result<Vec<OtherRun>, Failure> {
        self.with(sources, |state| state.same_as(detail, &self.name))
    }
}

impl State {
    fn same_as(&self, detail: &Detail, run: &str) -> Result<Vec<OtherRun>, Failure> {
        // Systems or an item that this run does not have were not judged in it.
        let Ok(selected) = self.run.index().select(&filter_of(&detail.row), None) else {
            return Ok(Vec::new());
        };
        let rows = selected
            .rows
            .iter()
            .map(|row| self.run.row_without_texts(*row));
        let same = rows.filter(|row| is_same(row, &detail.row));
        let cells = same.flat_map(|row| [row.ab, row.ba]).flatten();
        let listed = cells.take(MOST_LISTED).map(|cell| OtherRun {
            run: run.into(),
            trial: cell.trial,
            outcome: cell,
        });
        Ok(listed.collect())
    }
}

fn filter_of(row: &Row) -> Filter {
    Filter {
        item: Some(row.item.clone()),
        system: Some(row.a.clone()),
        limit: None,
        ..Filter::default()
    }
}

/// Whether both rows are of the same systems.
fn is_same(one: &Row, other: &Row) -> bool {
    systems_of(one) == systems_of(other)
}

fn systems_of(row: &Row) -> Vec<&str> {
    let pair = || std::iter::once(&*row.a).chain(row.b.as_deref()).collect();
    let listed = row.systems.as_ref();
    let mut systems: Vec<&str> =
        listed.map_or_else(pair, |systems| systems.iter().map(|name| &**name).collect());
    systems.sort_unstable();
    systems
}
