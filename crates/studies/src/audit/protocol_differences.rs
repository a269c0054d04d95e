//! Is one protocol less easily distracted than another? The same items under both: the paired
//! differences of what each shows.
//!
//! A protocol of noisy verdicts flips more often than another without any distraction. So of each
//! protocol only those flips count that are beyond its flips by a neutral rewrite.

use super::asks::{Asked, Asks, Seen};
use super::distractors::{Shown, flipped_in};
use super::finding::Finding;
use super::finding_name::FindingName;
use super::probing::{Probed, findings_of_each};
use super::rows::Rows;
use evenhand_engine::EngineError;

/// Two protocols and a rewrite by its number.
type Case<'a> = ([&'a Asked; 2], usize);

/// For every two protocols and every rewrite, the flips of the first less those of the second, over
/// items where both have some.
pub(super) fn probe_protocol_differences(asks: &Asks<'_>, protocols: &[Asked]) -> Probed {
    findings_of_each(
        &every_two(protocols, asks.rewrite_count(0)),
        |(two, rewrite)| paired_differences(asks, two, rewrite),
        |(two, rewrite), rows| Ok(vec![difference_finding(asks, two, rewrite, &rows)?]),
    )
}

fn every_two(protocols: &[Asked], rewrites: usize) -> Vec<Case<'_>> {
    let mut cases = Vec::new();
    for (at, first) in protocols.iter().enumerate() {
        for second in &protocols[at + 1..] {
            cases.extend((0..rewrites).map(|rewrite| ([first, second], rewrite)));
        }
    }
    cases
}

fn difference_finding(
    asks: &Asks<'_>,
    [first, second]: [&Asked; 2],
    rewrite: usize,
    rows: &Rows<f64>,
) -> Result<Finding, EngineError> {
    let protocols = format!("{} against {}", first.protocol, second.protocol);
    let name = FindingName::ProtocolDifference {
        rewrite: asks.rewrite_name(0, rewrite),
    };
    Ok(name
        .under(&protocols)
        .tested_double_difference(rows, asks.level)?)
}

fn paired_differences(asks: &Asks<'_>, two: [&Asked; 2], rewrite: usize) -> Seen<Rows<f64>> {
    let states = [rewrite, asks.materials[0].neutral()].map(Shown::Rewritten);
    let seen = asks.over(0, |item| {
        let [first, second] = two.map(|asked| flipped_in(asks, asked, item, states));
        let beyond = |[flip, neutral]: [f64; 2]| flip - neutral;
        Ok(first?
            .zip(second?)
            .map(|(first, second)| beyond(first) - beyond(second)))
    })?;
    Ok(seen.or_failed())
}
