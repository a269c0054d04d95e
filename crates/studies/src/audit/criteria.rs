//! Several criteria in one audit: the same figures and tests under each, side by side. Tripathi et
//! al. 2025, tables 4 and 5, ask by overall quality and by instruction following.
//!
//! A criterion is a rubric. Every protocol that names none is asked under each of them, and so are
//! the lists of the probe `choice-set`. p-values are adjusted over the findings of all criteria
//! together, so that a second criterion accuses no more judges without a defect.

use super::finding::Finding;
use evenhand_core::in_order;

/// The rubric of a protocol whose name has only three parts.
pub const UNNAMED: &str = "rules";

/// Parts of a protocol's name before its rubric.
const PARTS: usize = 3;

/// One figure under every criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct CriteriaRow<'a> {
    /// The protocol without its criterion.
    pub protocol: String,
    /// The findings, in the order of the criteria; None where a criterion has none.
    pub findings: Vec<Option<&'a Finding>>,
}

/// Returns the protocol of lists, under each criterion or by the rules.
pub(super) fn list_protocols(form: &str, criteria: &[String]) -> Vec<String> {
    let mut rubrics = in_order(criteria.iter().cloned());
    if rubrics.is_empty() {
        rubrics.push(UNNAMED.into());
    }
    rubrics
        .into_iter()
        .map(|rubric| format!("{form}/{rubric}"))
        .collect()
}

/// Returns the rubric that a protocol's name has.
pub(super) fn rubric_in(protocol: &str) -> Option<&str> {
    protocol.split('/').nth(PARTS)
}

/// Splits the rubric off a protocol's name, or off the first of two that are compared.
fn split_rubric(protocol: &str) -> (String, &str) {
    let first = protocol.split(" against ").next().unwrap_or(protocol);
    let rubric = rubric_in(first).unwrap_or(UNNAMED);
    let without = protocol.replace(&format!("/{rubric}"), "");
    (without, rubric)
}

/// Writes to each finding of a protocol under which criterion it is, if it is under one of these.
pub(super) fn name_criteria(findings: &mut [Finding], criteria: &[String]) {
    for finding in findings {
        // A figure of several protocols, such as that of the three scales, has none.
        if !finding.protocol.is_empty() {
            let (_, rubric) = split_rubric(&finding.protocol);
            let known = criteria.iter().find(|criterion| *criterion == rubric);
            finding.criterion = known.cloned();
        }
    }
}

/// Returns the figures that are there under one or more of the criteria, each in a row; no rows for
/// fewer than two criteria.
pub fn compare_criteria<'a>(findings: &'a [Finding], criteria: &[String]) -> Vec<CriteriaRow<'a>> {
    let mut rows: Vec<CriteriaRow<'_>> = Vec::new();
    if criteria.len() < 2 {
        return rows;
    }
    for finding in findings {
        if finding.criterion.is_none() {
            continue;
        }
        let (protocol, criterion) = split_rubric(&finding.protocol);
        let is_of_figure = |row: &CriteriaRow<'_>| {
            let same = |known: &Finding| {
                known.name == finding.name && known.name.topic() == finding.name.topic()
            };
            row.protocol == protocol && row.first().is_none_or(same)
        };
        let at = rows.iter().position(is_of_figure).unwrap_or(rows.len());
        if at == rows.len() {
            rows.push(CriteriaRow {
                protocol,
                findings: vec![None; criteria.len()],
            });
        }
        if let Some(place) = criteria.iter().position(|known| known == criterion) {
            rows[at].findings[place] = Some(finding);
        }
    }
    rows
}

impl CriteriaRow<'_> {
    /// Returns the first of its findings.
    pub fn first(&self) -> Option<&Finding> {
        self.findings.iter().flatten().next().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rubric_is_the_fourth_part() {
        let split = |name| {
            let (without, rubric) = split_rubric(name);
            (without, rubric.to_string())
        };
        assert_eq!(
            split("pairwise/direct/swap/overall"),
            ("pairwise/direct/swap".into(), "overall".into())
        );
        assert_eq!(
            split("pairwise/direct/swap"),
            ("pairwise/direct/swap".into(), "rules".into())
        );
        assert_eq!(
            split("a/b/c/x against d/e/f/x"),
            ("a/b/c against d/e/f".into(), "x".into())
        );
        assert_eq!(list_protocols("l/d/s", &[]), ["l/d/s/rules"]);
    }
}
