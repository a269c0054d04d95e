//! The findings of an audit by the value of a field, such as category or language.
//!
//! Every slice is tested against a judge without the defect, as the whole is; and the p-values of
//! all slices are corrected together (Holm 1979), so that a sound judge is accused in any of them
//! with a chance of 1 - level at most, however many slices there are.

use super::asks::{Asks, World};
use super::criteria::name_criteria;
use super::finding::{Finding, correct_slices};
use super::{AuditOptions, run_probes};
use evenhand_engine::EngineError;
use evenhand_stats::Error;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The findings by the value of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditSlices {
    /// The field.
    pub field: String,
    /// How many findings were tested in all slices.
    pub tested: u64,
    /// Each value.
    pub parts: Vec<AuditSlice>,
}

/// The findings on the items of one value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditSlice {
    /// The value; blank for items without one.
    pub value: String,
    /// Its items.
    pub items: u64,
    /// Questions that they ask.
    pub questions: u64,
    /// The figures; adjusted p-values are corrected over all slices.
    pub findings: Vec<Finding>,
}

impl AuditSlices {
    /// Corrects the p-values of all slices together.
    pub(super) fn new(
        field: &str,
        mut parts: Vec<AuditSlice>,
        level: f64,
    ) -> Result<AuditSlices, Error> {
        let findings = parts.iter_mut().flat_map(|part| &mut part.findings);
        let tested = correct_slices(findings.collect(), level)?;
        Ok(AuditSlices {
            field: field.into(),
            tested,
            parts,
        })
    }
}

/// Looks at what was answered once more, slice by slice; None where no field is asked for.
pub(super) fn slice_findings(
    world: &World,
    options: &AuditOptions,
) -> Result<Option<AuditSlices>, EngineError> {
    let Some((field, slices)) = &options.by else {
        return Ok(None);
    };
    let data = &world.what.materials[0];
    let mut by_value: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for (number, item) in (0..).zip(&data.items) {
        by_value
            .entry(slices.of_item(item))
            .or_default()
            .insert(number);
    }
    let mut parts = Vec::new();
    for (value, items) in by_value {
        let asks = Asks {
            world,
            options,
            wanted: RefCell::default(),
            slice: Some(&items),
        };
        // A slice asks nothing that the whole did not.
        let found = run_probes(&asks).map_err(|_| EngineError::Stuck { trials: 1 })?;
        let mut findings = found?.findings;
        name_criteria(&mut findings, &options.criteria);
        let questions: BTreeSet<u32> = items
            .iter()
            .map(|item| data.questions[*item as usize])
            .collect();
        parts.push(AuditSlice {
            value,
            items: items.len() as u64,
            questions: questions.len() as u64,
            findings,
        });
    }
    Ok(Some(AuditSlices::new(field, parts, options.level)?))
}
