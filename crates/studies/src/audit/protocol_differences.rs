//! Is one protocol less easily distracted than another? The same items under both: the paired
//! differences of what each shows.
//!
//! A protocol of noisy verdicts flips more often than another without any distraction. So of each
//! protocol only those flips count that are beyond its flips by a neutral rewrite.

use super::asks::{Asks, Probed, Seen, View, findings_of_each};
use super::distractors::{Shown, flipped_in, flips_beyond};
use super::finding_name::FindingName;
use super::rows::Rows;

/// For every two protocols and every rewrite, the flips of the first less those of the second, over
/// pairs where both have some.
pub(super) fn probe_protocol_differences(asks: &Asks<'_>) -> Probed {
    let views = asks.views();
    let mut cases = Vec::new();
    for (at, first) in views.iter().enumerate() {
        for second in &views[at + 1..] {
            // Two criteria are no two protocols: they differ in what is asked for.
            if first.asked.criterion == second.asked.criterion {
                let rewrites = 0..asks.data().rewrites.len();
                cases.extend(rewrites.map(|rewrite| ([*first, *second], rewrite)));
            }
        }
    }
    findings_of_each(
        &cases,
        |(two, rewrite)| paired_differences(asks, two, rewrite),
        |(two, rewrite), rows| {
            let rewrite = asks.data().rewrites[rewrite].name.clone();
            let name = FindingName::ProtocolDifference { rewrite };
            let [first, second] = two.map(|view| &view.asked.protocol);
            let protocols = format!("{first} against {second}");
            let make = asks.maker(&protocols);
            Ok(vec![make.tested_double_difference(name, &rows)?])
        },
    )
}

fn paired_differences(asks: &Asks<'_>, two: [View<'_>; 2], rewrite: usize) -> Seen<Rows<f64>> {
    let states = [rewrite, asks.data().neutral()].map(Shown::Rewritten);
    let seen = two[0].over_pairs(|duel| {
        // Both are asked for before either is missed.
        let [first, second] = two.map(|view| flipped_in(view, duel, states));
        // None where a protocol has no preference that could flip.
        let both = first?.zip(second?);
        Ok(both.map(|(first, second)| flips_beyond(&first) - flips_beyond(&second)))
    })?;
    Ok(seen.known())
}
