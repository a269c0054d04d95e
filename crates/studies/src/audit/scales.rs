//! Does a score mean the same on another scale, and how is the scale used? PORTIA, appendix D, and
//! Tripathi et al. 2025, A.6.
//!
//! The same responses are scored from 0 to 1, 10 and 100, in ten steps each; scores are put on [0,
//! 1]. A judge whose scores keep their meaning has the same mean on each.

use super::asks::{Asks, Duel, Seen, Stop};
use super::duels::duel;
use super::finding::{About, Finding};
use super::rows::Rows;
use crate::Figure;
use evenhand_engine::EngineError;

/// The three protocols, and the largest score of each.
pub(super) const PROTOCOLS: [(&str, f64); 3] = [
    ("pointwise:0..1:0.1/direct/single/criteria", 1.0),
    ("pointwise:0-10/direct/single/criteria", 10.0),
    ("pointwise:0..100:10/direct/single/criteria", 100.0),
];
const STEPS: usize = 10;

pub(super) fn scales(asks: &Asks<'_>) -> Seen<Result<Vec<Finding>, EngineError>> {
    Ok(findings(asks, &asks.over(0, |item| scored(asks, item))?))
}

/// The scores of a response on the three scales, from 0 to 1.
fn scored(asks: &Asks<'_>, item: u32) -> Seen<[f64; 3]> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let score = |(protocol, most): (&str, f64)| {
        asks.score(protocol, Duel { b: duel.a, ..duel }, 0)
            .map(|score| score / most)
    };
    let [one, ten, hundred] = PROTOCOLS.map(score);
    Ok([one?, ten?, hundred?])
}

fn findings(asks: &Asks<'_>, seen: &Rows<[f64; 3]>) -> Result<Vec<Finding>, EngineError> {
    let mut found = Vec::new();
    for (scale, name) in [
        (0, "0 to 1 against 0 to 10"),
        (2, "0 to 100 against 0 to 10"),
    ] {
        let estimand = "the mean score on one scale less that on the other, both from 0 to 1";
        let differences = seen.map(|scores| (scores[scale] - scores[1]).clamp(-1.0, 1.0));
        found.push(
            About {
                probe: "scale",
                name,
                protocol: "",
                estimand,
            }
            .difference(&differences, asks.level)?,
        );
    }
    let same = seen.map(|scores| {
        f64::from(u8::from(
            scores.iter().all(|s| (s - scores[1]).abs() < 1e-9),
        ))
    });
    let about = About {
        probe: "scale",
        name: "same on all three",
        protocol: "",
        estimand: "how often the three scores are the same, from 0 to 1",
    };
    found.push(about.share(&same, None, asks.level)?);
    for (scale, (protocol, _)) in PROTOCOLS.iter().enumerate() {
        found.extend(usage(
            protocol,
            &seen.map(|scores| scores[scale]),
            asks.level,
        )?);
    }
    Ok(found)
}

/// How a scale is used.
fn usage(protocol: &str, scores: &Rows<f64>, level: f64) -> Result<Vec<Finding>, EngineError> {
    let about = |name, estimand| About {
        probe: "scale",
        name,
        protocol,
        estimand,
    };
    let yes = |of: &dyn Fn(f64) -> bool| scores.map(|score| f64::from(u8::from(of(*score))));
    let step = |score: f64| (score * STEPS as f64).round() as usize;
    let ends = yes(&|score| step(score) == 0 || step(score) == STEPS);
    let middle = yes(&|score| step(score) == STEPS / 2);
    let counts = scores
        .values()
        .fold([0u32; STEPS + 1], |mut counts, score| {
            counts[step(*score).min(STEPS)] += 1;
            counts
        });
    let most = counts
        .iter()
        .position(|count| Some(count) == counts.iter().max())
        .unwrap_or(0);
    let alike = yes(&|score| step(score) == most);
    Ok(vec![
        about("ends", "how often the score is one of the scale's ends")
            .share(&ends, None, level)?,
        about("middle", "how often it is the middle of the scale").share(&middle, None, level)?,
        about("most frequent", "how often it is the most frequent score")
            .share(&alike, None, level)?,
        about("entropy", "entropy of the scores in bits, of at most 3.46")
            .number(entropy(&counts), scores),
    ])
}

fn entropy(counts: &[u32]) -> Figure {
    let all = f64::from(counts.iter().sum::<u32>());
    if all == 0.0 {
        return Figure::undefined("there are no scores");
    }
    let bits = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / all)
        .map(|p| -p * p.log2())
        .sum();
    Figure {
        value: Some(bits),
        ci: None,
        note: None,
    }
}
