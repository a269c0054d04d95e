//! The same item and systems in other runs.

use super::ServedRun;
use crate::answer::Failure;
use evenhand_pages::{Detail, Filter, OtherRun, Row};

/// Judgments of one other run that are listed.
const MOST_LISTED: usize = 4;

impl ServedRun {
    /// Finds judgments of the same item and systems, in either order.
    pub(crate) fn same_as(&self, detail: &Detail) -> Result<Vec<OtherRun>, Failure> {
        let filter = Filter {
            item: Some(detail.row.item.clone()),
            system: Some(detail.row.a.clone()),
            limit: None,
            ..Filter::default()
        };
        self.with(|state| {
            // Systems or an item that this run does not have were not judged in it.
            let Ok(selected) = state.run.index().select(&filter, None) else {
                return Ok(Vec::new());
            };
            let rows = selected.rows.iter();
            let rows = rows.map(|row| state.run.row_without_texts(*row));
            let same = rows.filter(|row| systems_of(row) == systems_of(&detail.row));
            let cells = same.flat_map(|row| [row.ab, row.ba]).flatten();
            let listed = cells.take(MOST_LISTED).map(|cell| OtherRun {
                run: self.name.clone(),
                trial: cell.trial,
                outcome: cell,
            });
            Ok(listed.collect())
        })
    }
}

/// Returns the systems of a row, in an order that does not depend on their sides.
fn systems_of(row: &Row) -> Vec<&str> {
    let mut systems: Vec<&str> = match &row.systems {
        Some(listed) => listed.iter().map(|name| &**name).collect(),
        None => std::iter::once(&*row.a).chain(row.b.as_deref()).collect(),
    };
    systems.sort_unstable();
    systems
}
