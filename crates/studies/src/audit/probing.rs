//! How probes look at many cases: all of them, before any waits for an answer.

use super::asks::{Asks, Seen};
use super::finding::Finding;
use evenhand_engine::EngineError;

/// What a probe found; pending while something that it asks for has not been answered.
pub(super) type Probed = Seen<Result<Vec<Finding>, EngineError>>;

/// Looks at every case, and gives the values if all were seen. A case that is pending does not keep
/// the later ones from being looked at, so that one round asks for what all of them lack.
pub(super) fn look_at_all<C, T>(
    cases: impl IntoIterator<Item = C>,
    look: impl FnMut(C) -> Seen<T>,
) -> Seen<Vec<T>> {
    let seen: Vec<Seen<T>> = cases.into_iter().map(look).collect();
    seen.into_iter().collect()
}

/// Looks at every case, and then computes the findings of each.
pub(super) fn findings_of_each<C: Copy, T>(
    cases: &[C],
    look: impl FnMut(C) -> Seen<T>,
    mut findings: impl FnMut(C, T) -> Result<Vec<Finding>, EngineError>,
) -> Probed {
    let seen = look_at_all(cases.iter().copied(), look)?;
    Ok(concatenated(
        cases
            .iter()
            .zip(seen)
            .map(|(case, seen)| findings(*case, seen)),
    ))
}

/// Returns all findings in their order, or the first error.
pub(super) fn concatenated(
    findings: impl Iterator<Item = Result<Vec<Finding>, EngineError>>,
) -> Result<Vec<Finding>, EngineError> {
    Ok(findings.collect::<Result<Vec<_>, _>>()?.concat())
}

impl Asks<'_> {
    /// Returns in how many ways the responses of a material were rewritten.
    pub(super) fn rewrite_count(&self, material: usize) -> usize {
        self.materials
            .get(material)
            .map_or(0, |material| material.rewrites.len())
    }

    pub(super) fn rewrite_name(&self, material: usize, rewrite: usize) -> String {
        self.materials[material].rewrites[rewrite].name.clone()
    }
}
