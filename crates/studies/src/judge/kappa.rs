//! Cohen's kappa over clusters of pairs, whichever response of a pair is called a.

use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{Confusion, Error, preference_kappa, preference_kappa_interval};
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
    pub(crate) fn figure(self, level: f64) -> Result<Figure, Error> {
        let mut all = vec![0.0; 9];
        for table in self.0.values() {
            for (count, more) in all.iter_mut().zip(table) {
                *count += more;
            }
        }
        let value = preference_kappa(&Confusion::new(3, all)?).map(|kappa| kappa.value);
        let clusters = self
            .0
            .values()
            .map(|table| Confusion::new(3, table.to_vec()));
        let clusters: Vec<Confusion> = clusters.collect::<Result<_, _>>()?;
        Figure::new(value, preference_kappa_interval(&clusters, level))
    }
}
