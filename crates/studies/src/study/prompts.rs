//! The same labelled pairs with several packs of prompts: how far a judge's accuracy depends on the
//! words in which it is asked.

use super::totals::MergedTotal;
use crate::judge::{
    JudgedPairs, PairedDifference, Repeats, Settings, compare_repeats, correct_together,
    differences_from_first,
};
use evenhand_engine::EngineError;

/// The accuracy of one judge by one evaluation type, with several packs of prompts.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptVariation {
    /// The total that it is over.
    pub total: String,
    /// The judge.
    pub judge: String,
    /// The evaluation type.
    pub protocol: String,
    /// The names of the prompts; the first are the study's own: the built-in ones, or its pack's.
    pub prompts: Vec<String>,
    /// The accuracy with each of them, their mean and how far they vary.
    pub accuracies: Repeats,
    /// Differences of the first from each of the others, on the same pairs.
    pub differences: Vec<PairedDifference>,
}

/// Returns the accuracies with several packs, over every total; all p-values of a total are
/// corrected together. `own` is what the study's own prompts are called.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(super) fn prompt_variations(
    totals: &[MergedTotal],
    own: &str,
    settings: &Settings,
) -> Result<Vec<PromptVariation>, EngineError> {
    let mut found: Vec<PromptVariation> = Vec::new();
    for (total, merged) in totals {
        let known = found.len();
        for first in merged.iter().filter(|one| one.prompts.is_none()) {
            let variants: Vec<JudgedPairs> = merged
                .iter()
                .filter(|one| one.judge == first.judge && one.protocol == first.protocol)
                .cloned()
                .collect();
            found.extend(compare_variants(total, own, variants, settings)?);
        }
        let of_total = found[known..].iter_mut();
        correct_together(of_total.flat_map(|one| &mut one.differences))?;
    }
    Ok(found)
}

/// Compares the variants of one evaluation type, the study's own prompts first; None where there
/// are no others.
fn compare_variants(
    total: &str,
    own: &str,
    variants: Vec<JudgedPairs>,
    settings: &Settings,
) -> Result<Option<PromptVariation>, EngineError> {
    let differences = differences_from_first(&variants, settings)?;
    let prompts = variants.iter().map(|one| one.prompts.as_deref());
    let prompts = prompts.map(|prompts| prompts.unwrap_or(own).to_string());
    let prompts = prompts.collect();
    let first = variants
        .first()
        .map(|one| (one.judge.clone(), one.protocol.clone()));
    let accuracies = compare_repeats(variants, settings)?;
    let Some(((judge, protocol), accuracies)) = first.zip(accuracies) else {
        return Ok(None);
    };
    Ok(Some(PromptVariation {
        total: total.to_string(),
        judge,
        protocol,
        prompts,
        accuracies,
        differences,
    }))
}
