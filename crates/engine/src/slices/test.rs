//! Tests whether slices differ, and says so.

use super::FEW_ITEMS;
use super::data::{InteractionReport, SliceDeviation};
use super::evidence::SliceEvidence;
use super::summary::summarise;
use crate::Report;
use evenhand_stats::Bootstrap;
use evenhand_stats::interaction::{SliceCell, SliceInteraction, slice_interaction};

/// How the test is named.
const METHOD: &str = "permutation of items between slices, max-t over systems and slices";

/// Tests the slices of a report and adds what is found; `values` are the slices in the order of
/// their numbers, and `whole` is how many items there are, each counted once.
pub(crate) fn test_slices(
    report: &mut Report,
    field: &str,
    values: &[String],
    found: Result<(SliceEvidence, u64), String>,
    plan: &Bootstrap,
) {
    let mut interaction = InteractionReport {
        field: field.into(),
        method: METHOD,
        least_items: FEW_ITEMS,
        seed: plan.seed,
        ..InteractionReport::default()
    };
    match found.and_then(|(evidence, whole)| test(&evidence, whole, plan)) {
        Ok((evidence, cells)) => fill(&mut interaction, report, values, &evidence, &cells, plan),
        Err(note) => interaction.note = Some(note),
    }
    interaction.summary = summarise(&interaction, report, 1.0 - plan.level);
    report.interaction = Some(interaction);
}

fn test(
    evidence: &SliceEvidence,
    whole: u64,
    plan: &Bootstrap,
) -> Result<(SliceEvidence, SliceInteraction), String> {
    if evidence.slices.len() as u64 > whole {
        return Err("some items are in several slices, so that slices are not independent".into());
    }
    if evidence.systems.len() < 2 {
        return Err("there is only one system".into());
    }
    let residuals = evidence.residuals().map_err(|error| error.to_string())?;
    let tested = slice_interaction(&residuals, &evidence.slices, FEW_ITEMS, plan);
    let tested = tested.map_err(|error| error.to_string())?;
    Ok((evidence.clone(), tested))
}

fn fill(
    interaction: &mut InteractionReport,
    report: &Report,
    values: &[String],
    evidence: &SliceEvidence,
    found: &SliceInteraction,
    plan: &Bootstrap,
) {
    interaction.unit = if evidence.is_of_scores() {
        "points"
    } else {
        "share won"
    };
    interaction.permutations = plan.rounds;
    interaction.tested = found.tested;
    interaction.p = Some(found.p_value);
    let ranked = report.ranking.iter().map(|row| row.system.as_str());
    interaction.deviations = ranked
        .flat_map(|name| deviations_of(name, values, evidence, found))
        .collect();
}

fn deviations_of(
    name: &str,
    values: &[String],
    evidence: &SliceEvidence,
    found: &SliceInteraction,
) -> Vec<SliceDeviation> {
    let is_own = |cell: &&SliceCell| evidence.systems[usize::from(cell.system)] == name;
    let cells = found.cells.iter().filter(is_own);
    cells.map(|cell| deviation_of(name, cell, values)).collect()
}

fn deviation_of(system: &str, cell: &SliceCell, values: &[String]) -> SliceDeviation {
    let value = values.get(cell.slice as usize);
    SliceDeviation {
        system: system.into(),
        value: value.cloned().unwrap_or_default(),
        deviation: cell.deviation,
        standard_error: cell.standard_error,
        pooled: cell.pooled,
        p_adjusted: cell.p_value,
    }
}
