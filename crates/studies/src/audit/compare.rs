//! Is one protocol less easily distracted than another? The same items under both: the paired
//! differences of what each shows.
//!
//! A protocol of noisy verdicts flips more often than another without any distraction. So of each
//! protocol only those flips count that are beyond its flips by a neutral rewrite.

use super::asks::{Asked, Asks, Seen};
use super::distract::{State, flipped};
use super::finding::{About, Finding};
use super::rows::Rows;
use evenhand_engine::EngineError;

/// For every two protocols and every rewrite, the flips of the first less those of the second, over
/// items where both have some.
pub(super) fn compare(
    asks: &Asks<'_>,
    protocols: &[Asked],
) -> Seen<Result<Vec<Finding>, EngineError>> {
    let rewrites = asks
        .materials
        .first()
        .map_or(0, |material| material.rewrites.len());
    let mut found = Vec::new();
    for (at, first) in protocols.iter().enumerate() {
        for (second, rewrite) in protocols[at + 1..]
            .iter()
            .flat_map(|second| (0..rewrites).map(move |rewrite| (second, rewrite)))
        {
            found.push((
                first,
                second,
                rewrite,
                paired(asks, [first, second], rewrite)?,
            ));
        }
    }
    Ok(found
        .iter()
        .map(|(first, second, rewrite, rows)| {
            let name = format!(
                "{}: flips beyond neutral",
                asks.materials[0].rewrites[*rewrite].name
            );
            let protocol = format!("{} against {}", first.protocol, second.protocol);
            let estimand = "flips beyond neutral under the first protocol less those under the \
                            second, on the same items";
            let about = About {
                probe: "protocols",
                name: &name,
                protocol: &protocol,
                estimand,
            };
            Ok(about.difference_of_two(rows, asks.level)?)
        })
        .collect())
}

fn paired(asks: &Asks<'_>, two: [&Asked; 2], rewrite: usize) -> Seen<Rows<f64>> {
    let states = [rewrite, asks.materials[0].neutral()].map(State::Rewritten);
    let seen = asks.over(0, |item| {
        let [first, second] = two.map(|asked| flipped(asks, asked, item, states));
        let beyond = |[flip, neutral]: [f64; 2]| flip - neutral;
        Ok(first?
            .zip(second?)
            .map(|(first, second)| beyond(first) - beyond(second)))
    })?;
    Ok(seen.or_failed())
}
