//! How probes look at many cases: all of them, before any waits for an answer.

use super::asks::{Asks, Seen};
use super::finding::Finding;
use evenhand_engine::EngineError;

/// Figures in the order in which they are shown.
pub(super) type Findings = Result<Vec<Finding>, EngineError>;

/// The findings of a probe; pending while something that it asks for has not been answered.
pub(super) type Probed = Seen<Findings>;

/// Looks at every case, and gives the values if all were seen. A case that is pending does not keep
/// the later ones from being looked at, so that one round asks for what all of them lack.
pub(super) fn look_at_all<C, T>(
    cases: impl IntoIterator<Item = C>,
    look: impl FnMut(C) -> Seen<T>,
) -> Seen<Vec<T>> {
    // Collected twice: collecting results at once would stop at the first that is pending.
    let seen: Vec<Seen<T>> = cases.into_iter().map(look).collect();
    seen.into_iter().collect()
}

/// Looks at every case, and then computes the findings of each.
pub(super) fn findings_of_each<C: Copy, T>(
    cases: &[C],
    look: impl FnMut(C) -> Seen<T>,
    mut findings: impl FnMut(C, T) -> Findings,
) -> Probed {
    let seen = look_at_all(cases.iter().copied(), look)?;
    let of_cases = cases.iter().zip(seen);
    Ok(concatenated(
        of_cases.map(|(case, seen)| findings(*case, seen)),
    ))
}

/// Returns all findings in their order, or the first error.
pub(super) fn concatenated(findings: impl Iterator<Item = Findings>) -> Findings {
    Ok(findings.collect::<Result<Vec<_>, _>>()?.concat())
}

impl Asks<'_> {
    /// Returns in how many ways the responses of a material were rewritten.
    pub(super) fn rewrite_count(&self, material: usize) -> usize {
        self.material(material).rewrites.len()
    }

    pub(super) fn rewrite_name(&self, material: usize, rewrite: usize) -> String {
        self.material(material).rewrites[rewrite].name.clone()
    }
}
