//! Tests whether slices differ, and says so.

use super::FEW_ITEMS;
use super::data::{InteractionReport, SliceDeviation, SliceUnit};
use super::evidence::SliceEvidence;
use super::summary::{leads_differ, summarise};
use crate::Report;
use evenhand_stats::interaction::{Residual, SliceInteraction, slice_interaction};
use evenhand_stats::{Bootstrap, Error};

/// How the test is named.
const METHOD: &str = "studentised max-t over systems and slices, by permutation of items between \
                      slices and by random signs, of which the larger p-value counts";

/// What is tested: whether something differs by the slice that an item is in.
#[derive(Clone, Copy, Debug)]
pub struct SliceTest<'a> {
    /// The field.
    pub field: &'a str,
    /// Its values, in the order of their numbers.
    pub values: &'a [String],
    /// The systems or judges, in the order of their numbers.
    pub names: &'a [String],
    /// What deviations are in.
    pub unit: SliceUnit,
    /// What differs, as the subject of a sentence: `Scores differ`.
    pub differs: &'a str,
    /// The seed and number of the permutations; 1 - level is that of the test.
    pub plan: &'a Bootstrap,
}

impl SliceTest<'_> {
    /// Tests residuals; `slices` has the number of the value of each item. An item belongs to one
    /// slice.
    pub fn of_residuals(
        &self,
        residuals: Result<Vec<Residual>, Error>,
        slices: &[u32],
    ) -> InteractionReport {
        let found =
            residuals.and_then(|rows| slice_interaction(&rows, slices, FEW_ITEMS, self.plan));
        self.report(found.map_err(|error| error.to_string()))
    }

    /// Returns what was found, or why nothing was tested.
    pub(crate) fn report(&self, found: Result<SliceInteraction, String>) -> InteractionReport {
        let mut report = InteractionReport {
            field: self.field.into(),
            method: METHOD,
            unit: self.unit,
            least_items: FEW_ITEMS,
            seed: self.plan.seed,
            ..InteractionReport::default()
        };
        match found {
            Ok(found) => {
                report.permutations = self.plan.rounds;
                report.tested = found.tested;
                report.p = Some(found.p_value);
                for cell in &found.cells {
                    let name = self.names.get(usize::from(cell.system));
                    let value = self.values.get(cell.slice as usize);
                    report.deviations.push(SliceDeviation {
                        system: name.cloned().unwrap_or_default(),
                        value: value.cloned().unwrap_or_default(),
                        items: cell.items as u64,
                        deviation: cell.deviation,
                        standard_error: cell.standard_error,
                        pooled: cell.pooled,
                        p_adjusted: cell.p_value.ok(),
                        note: cell.p_value.err().map(|why| why.to_string()),
                    });
                }
            }
            Err(note) => report.note = Some(note),
        }
        report.summary = summarise(&report, self.differs, 1.0 - self.plan.level);
        report
    }
}

/// Tests the slices of a ranking and adds what is found; `values` are the slices in the order of
/// their numbers. `found` is the judgments of all slices, and how many items there are, each
/// counted once.
pub(crate) fn test_slices(
    report: &mut Report,
    field: &str,
    values: &[String],
    found: Result<(SliceEvidence, u64), String>,
    plan: &Bootstrap,
) {
    let evidence = found.as_ref().ok().map(|(evidence, _)| evidence);
    let is_of_scores = evidence.is_some_and(SliceEvidence::is_of_scores);
    let test = SliceTest {
        field,
        values,
        names: evidence.map_or(&[][..], |evidence| evidence.systems.as_slice()),
        unit: if is_of_scores {
            SliceUnit::Points
        } else {
            SliceUnit::ShareWon
        },
        differs: if leads_differ(report) {
            "The ranking differs"
        } else {
            "Scores differ"
        },
        plan,
    };
    let mut interaction = test.report(test_evidence(&found, plan));
    let rank = |row: &SliceDeviation| {
        let mut ranked = report.ranking.iter();
        ranked.position(|ranked| ranked.system == row.system)
    };
    interaction.deviations.sort_by_cached_key(rank);
    report.interaction = Some(interaction);
}

fn test_evidence(
    found: &Result<(SliceEvidence, u64), String>,
    plan: &Bootstrap,
) -> Result<SliceInteraction, String> {
    let (evidence, whole) = found.as_ref().map_err(Clone::clone)?;
    if evidence.slices.len() as u64 > *whole {
        return Err("some items are in several slices, so that slices are not independent".into());
    }
    if evidence.systems.len() < 2 {
        return Err("there is only one system".into());
    }
    let residuals = evidence.residuals().map_err(|error| error.to_string())?;
    let tested = slice_interaction(&residuals, &evidence.slices, FEW_ITEMS, plan);
    tested.map_err(|error| error.to_string())
}
