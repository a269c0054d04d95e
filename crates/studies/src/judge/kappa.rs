//! Cohen's kappa over clusters of pairs, whichever response of a pair is called a.

use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{Bootstrap, Confusion, Error, preference_kappa};
use std::collections::BTreeMap;

/// How often which two sides met, row by row: first, tie, second, as sides are numbered.
type SideTable = [f64; 9];

/// The sides that met in each cluster.
#[derive(Default)]
pub(crate) struct KappaTables(BTreeMap<u32, SideTable>);

impl KappaTables {
    pub(crate) fn add(&mut self, cluster: u32, sides: impl IntoIterator<Item = (Side, Side)>) {
        let table = self.0.entry(cluster).or_default();
        for (row, column) in sides {
            table[3 * row as usize + column as usize] += 1.0;
        }
    }

    /// Returns kappa over all clusters, and its interval.
    pub(crate) fn figure(self, plan: &Bootstrap) -> Result<Figure, Error> {
        let tables: Vec<SideTable> = self.0.into_values().collect();
        Figure::resampled(tables.len(), &plan.expanded(tables.len()), |weights| {
            let mut counts = vec![0.0; 9];
            for (table, weight) in tables.iter().zip(weights) {
                for (count, more) in counts.iter_mut().zip(table) {
                    *count += weight * more;
                }
            }
            Ok(preference_kappa(&Confusion::new(3, counts)?)?.value)
        })
    }
}
