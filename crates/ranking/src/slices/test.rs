//! Tests whether slices differ, and says so.

use super::evidence::SliceEvidence;
use super::{FEW_ITEMS, InteractionReport, SliceDeviation, SliceUnit};
use crate::{RankingRow, Report};
use evenhand_core::p_value_text;
use evenhand_stats::interaction::{
    Residual, SliceInteraction, clustered_slice_interaction, slice_interaction,
};
use evenhand_stats::{Bootstrap, Error};
use std::collections::BTreeMap;

/// How the test is named.
const METHOD: &str = "studentised max-t over systems and slices, by permutation of items between \
                      slices and by random signs, of which the larger p-value counts";

/// How a test is made where several items ask one question.
const METHOD_BY_QUESTION: &str = "studentised max-t over systems and slices, by permutation of \
                                  questions between slices and by random signs, of which the \
                                  larger p-value counts";

/// How a test is made where the effect of covariates is taken out.
const METHOD_CONTROLLED: &str = "studentised max-t over systems and slices, of what a fit of all \
                                 strengths and covariates leaves, by permutation of items between \
                                 slices and by random signs, of which the larger p-value counts";

/// How a test is made where what counts once is in several slices.
const METHOD_BY_CLUSTER: &str = "studentised max-t over systems and slices, by changing the signs \
                                 of whole groups at random, as a group is in several slices";

/// How many deviations the sentence names.
const NAMED: usize = 3;

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
    /// What counts once, in the plural: `items`, or `questions` where several items ask one.
    pub units: &'a str,
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
            method: match self.units {
                "questions" => METHOD_BY_QUESTION,
                _ => METHOD,
            },
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
        report.summary = self.summary(&report);
        report
    }

    /// Says whether slices differ beyond chance at the level of the plan.
    fn summary(&self, report: &InteractionReport) -> String {
        summarise(report, self, 1.0 - self.plan.level)
    }
}

/// Tests the slices of a ranking and adds what is found; `values` are the slices in the order of
/// their numbers, `found` is the judgments of all slices, and `units` what counts once.
pub(crate) fn test_slices(
    report: &mut Report,
    field: &str,
    values: &[String],
    found: Result<SliceEvidence, String>,
    units: &str,
    plan: &Bootstrap,
) {
    let evidence = found.as_ref().ok();
    let test = SliceTest {
        field,
        values,
        names: evidence.map_or(&[][..], |evidence| evidence.systems.as_slice()),
        unit: match evidence.is_some_and(SliceEvidence::is_of_scores) {
            true => SliceUnit::Points,
            false => SliceUnit::ShareWon,
        },
        differs: match leads_differ(report) {
            true => "The ranking differs",
            false => "Scores differ",
        },
        units,
        plan,
    };
    let is_shared = evidence.is_some_and(SliceEvidence::is_shared);
    let tested = found.as_ref().map_err(String::clone);
    let tested = tested.and_then(|evidence| {
        if evidence.systems.len() < 2 {
            return Err("there is only one system".into());
        }
        let residuals = evidence.residuals(plan.threads)?;
        let (slices, clusters) = (&evidence.slices, &evidence.clusters);
        let tested = match is_shared {
            true => clustered_slice_interaction(&residuals, slices, clusters, FEW_ITEMS, plan),
            false => slice_interaction(&residuals, slices, FEW_ITEMS, plan),
        };
        tested.map_err(|error| error.to_string())
    });
    let mut interaction = test.report(tested);
    let is_controlled = evidence.is_some_and(SliceEvidence::is_controlled);
    interaction.method = match (is_shared, is_controlled) {
        (true, _) => METHOD_BY_CLUSTER,
        (false, true) => METHOD_CONTROLLED,
        (false, false) => interaction.method,
    };
    interaction.summary = test.summary(&interaction);
    if is_controlled && interaction.note.is_none() {
        interaction.summary += " What is controlled for is taken out of this test, too.";
    }
    let rank = |row: &SliceDeviation| {
        let mut ranked = report.ranking.iter();
        ranked.position(|ranked| ranked.system == row.system)
    };
    interaction.deviations.sort_by_cached_key(rank);
    report.interaction = Some(interaction);
}

/// Says whether slices differ beyond chance at level `alpha`; `test` says what would.
fn summarise(found: &InteractionReport, test: &SliceTest<'_>, alpha: f64) -> String {
    let differs = test.differs;
    let units = test.units;
    let by = match found.method {
        METHOD_BY_CLUSTER => "signs",
        _ => "permutation and signs",
    };
    let InteractionReport { field, tested, .. } = found;
    if let Some(note) = &found.note {
        return format!("Whether there is a difference by {field} was not tested: {note}.");
    }
    let untested = untested(found, units);
    // Those that are told from chance: the largest of each p-value first.
    let is_sure = |row: &&SliceDeviation| row.p_adjusted.is_some_and(|p| p <= alpha + 1e-12);
    let mut sure: Vec<&SliceDeviation> = found.deviations.iter().filter(is_sure).collect();
    if sure.is_empty() {
        let p = found.p.map_or("-".into(), p_value_text);
        return format!(
            "No difference by {field} can be told from noise (smallest p {p} of {tested}, by {by} \
             of {units}, max-t).{untested}"
        );
    }
    sure.sort_by(|x, y| {
        let [p_of_x, p_of_y] = [x, y].map(|row| row.p_adjusted.unwrap_or(1.0));
        let sizes = y.deviation.abs().total_cmp(&x.deviation.abs());
        p_of_x.total_cmp(&p_of_y).then(sizes)
    });
    let named = sure.iter().take(NAMED).map(|row| describe(row, found.unit));
    let named: Vec<String> = named.collect();
    let named = named.join("; ");
    let more = match sure.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "{differs} by {field}: {named}{more} (by {by} of {units}, max-t over {tested} \
         tests).{untested}"
    )
}

/// Whether a slice has another leader than the whole.
fn leads_differ(report: &Report) -> bool {
    let leader = |ranking: &[RankingRow]| ranking.first().map(|row| row.system.clone());
    let whole = leader(&report.ranking);
    let mut slices = report.slices.iter().filter(|slice| !slice.too_small);
    slices.any(|slice| leader(&slice.ranking) != whole)
}

/// Says which slices are in no test, with their items; blank where there are none.
fn untested(found: &InteractionReport, units: &str) -> String {
    let mut slices: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for row in &found.deviations {
        let (items, is_tested) = slices.entry(&row.value).or_default();
        *items = row.items.max(*items);
        *is_tested |= row.p_adjusted.is_some();
    }
    slices.retain(|_, (_, is_tested)| !*is_tested);
    let named = slices.iter().take(NAMED);
    let named = named.map(|(value, (items, _))| format!("{} ({items})", name_of_value(value)));
    let named: Vec<String> = named.collect();
    let more = match slices.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match named.is_empty() {
        true => String::new(),
        false => format!(
            " Not tested, with fewer than {} {units} there or elsewhere: {}{more}.",
            found.least_items,
            named.join(", ")
        ),
    }
}

fn describe(row: &SliceDeviation, unit: SliceUnit) -> String {
    let SliceDeviation { system, value, .. } = row;
    let better = match row.deviation > 0.0 {
        true => "better",
        false => "worse",
    };
    let (size, points) = (row.deviation.abs(), 100.0 * row.deviation.abs());
    let size = match unit {
        SliceUnit::Points => format!("{size:.2}"),
        SliceUnit::ShareWon => format!("{points:.0} points of win rate"),
        SliceUnit::ShareKept => format!("{points:.0} points of responses kept"),
        SliceUnit::ShareRight => format!("{points:.0} points of accuracy"),
        SliceUnit::ShareOfPairs => format!("{points:.0} points"),
    };
    let p = row.p_adjusted.map_or("-".into(), p_value_text);
    let value = name_of_value(value);
    format!("{system} is {size} {better} on {value} than overall (p {p})")
}

/// Names a value, be it blank.
fn name_of_value(value: &str) -> &str {
    match value {
        "" => "(none)",
        value => value,
    }
}
