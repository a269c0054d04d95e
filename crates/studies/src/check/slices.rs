//! Checks by slice, the items with one value of a field, and whether slices differ.

use super::{CheckReport, CheckedResponse, Checks, SystemChecked, checked_system};
use crate::figure::indicator;
use evenhand_constraints::Checked;
use evenhand_engine::EngineError;
use evenhand_ranking::{
    FEW_ITEMS, InteractionReport, ItemSlices, SliceTest, SliceUnit, slice_values,
};
use evenhand_stats::interaction::{mean_residuals, score_residuals};
use evenhand_stats::{Bootstrap, ItemScore};
use serde::Serialize;

/// The systems on the items with one value of a field.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckSlice {
    /// The value; blank for items without one.
    pub value: String,
    /// Its items with constraints.
    pub n_items: u64,
    /// Whether they are too few for intervals to be trusted.
    pub too_small: bool,
    /// Each system, in the order of the data.
    pub systems: Vec<SystemChecked>,
}

impl Checks<'_> {
    /// Adds the figures of each slice, and whether slices differ; `checked` is by system.
    pub(super) fn add_slices(
        &self,
        report: &mut CheckReport,
        (field, slices): &(&str, ItemSlices),
        checked: &[Vec<CheckedResponse<'_>>],
        plan: &Bootstrap,
    ) -> Result<(), EngineError> {
        let of_items: Vec<String> = self
            .data
            .items
            .iter()
            .map(|item| slices.of_item(item))
            .collect();
        let all = self.constrained().map(|at| of_items[at].clone());
        let values = slice_values(field, all)?;
        for value in &values {
            let is_in = |item: usize| of_items[item] == *value;
            report.slices.push(self.slice(value, is_in, checked, plan)?);
        }
        let test = SliceTest {
            field,
            values: &values,
            names: &self.names(),
            unit: SliceUnit::ShareKept,
            differs: "How often constraints are kept differs",
            plan,
        };
        report.interaction = Some(self.test_slices(&test, &of_items, checked));
        Ok(())
    }

    /// The places of the items with constraints.
    fn constrained(&self) -> impl Iterator<Item = usize> {
        let items = self.constraints.iter().enumerate();
        items.filter_map(|(at, constraints)| (!constraints.list().is_empty()).then_some(at))
    }

    fn names(&self) -> Vec<String> {
        self.data.systems.iter().map(ToString::to_string).collect()
    }

    fn slice(
        &self,
        value: &str,
        is_in: impl Fn(usize) -> bool,
        checked: &[Vec<CheckedResponse<'_>>],
        plan: &Bootstrap,
    ) -> Result<CheckSlice, EngineError> {
        let n_items = self.constrained().filter(|at| is_in(*at)).count();
        let systems = self
            .data
            .systems
            .iter()
            .zip(checked)
            .map(|(name, responses)| {
                let own = responses.iter().filter(|response| is_in(response.item));
                checked_system(name, &own.collect::<Vec<_>>(), plan)
            });
        Ok(CheckSlice {
            value: value.into(),
            n_items: n_items as u64,
            too_small: n_items < FEW_ITEMS,
            systems: systems.collect::<Result<_, _>>()?,
        })
    }

    /// Tests the share of responses that keep all constraints.
    fn test_slices(
        &self,
        test: &SliceTest<'_>,
        of_items: &[String],
        checked: &[Vec<CheckedResponse<'_>>],
    ) -> InteractionReport {
        let items: Vec<usize> = self.constrained().collect();
        let rows = (0_u16..).zip(checked).flat_map(|(system, responses)| {
            let row = |response: &CheckedResponse<'_>| ItemScore {
                item: items.partition_point(|at| *at < response.item) as u32,
                system,
                score: indicator(Checked::all_strict(&response.found)),
            };
            responses.iter().map(row).collect::<Vec<_>>()
        });
        let rows: Vec<ItemScore> = rows.collect();
        let number =
            |at: &usize| test.values.partition_point(|known| known < &of_items[*at]) as u32;
        let slices: Vec<u32> = items.iter().map(number).collect();
        // What one system keeps is compared with nobody else's.
        let residuals = match checked.len() {
            1 => mean_residuals(1, &rows),
            systems => score_residuals(systems, &rows),
        };
        test.of_residuals(residuals, &slices)
    }
}
