//! Does style hide what is broken? Tripathi et al. 2025, section 3.2 and figure 3.
//!
//! Each item has three verifiable constraints, one answer that keeps all of them, and answers that
//! break one, two and three, every one verified. The judge should prefer the first; how often it
//! does is its accuracy, against plain answers and against the same rewritten.

use super::asks::{Asks, Duel, Probed, findings_of_each};
use super::finding_name::FindingName;
use super::material::TWEAKED;
use super::opinion::Opinion;
use super::rows::Rows;
use super::what::Kind;
use crate::figure::indicator;
use evenhand_core::Side;

/// The tweak set is the second material.
const TWEAKS: usize = 1;

pub(super) fn probe_severity(asks: &Asks<'_>) -> Probed {
    let material = asks.material(TWEAKS);
    let mut cases = Vec::new();
    for view in asks.views() {
        // How many constraints the other answer breaks is the number of its system too.
        for broken in 1..TWEAKED.len() as u32 {
            cases.extend((0..material.rewrites.len()).map(|rewrite| (view, broken, rewrite)));
        }
    }
    findings_of_each(
        &cases,
        |(view, broken, rewrite)| {
            let rewritten = material.rewritten(broken, rewrite);
            asks.over(TWEAKS, |item| {
                // Both are asked for before either is missed.
                let [plain, rewritten] = [broken, rewritten]
                    .map(|other| view.compares(Duel::new(TWEAKS, item, [0, other]), 0));
                Ok([plain?, rewritten?])
            })
        },
        |(view, broken, rewrite), seen: Rows<[Opinion; 2]>| {
            let make = view.maker();
            let accuracy = |name, other: usize| {
                let right = seen.map(|both| is_right(&both[other]));
                match view.asked.kind {
                    Kind::Pairs => {
                        let weighed = seen.map(|both| both[other].share);
                        make.share_and_weighed(name, &right, &weighed)
                    }
                    // Scores are compared, and have no probability of being the higher one.
                    Kind::Scores => Ok(vec![make.share(name, &right)?]),
                }
            };
            let rewrite = material.rewrites[rewrite].name.clone();
            let lost = seen.map(|[plain, rewritten]| is_right(plain) - is_right(rewritten));
            let mut found = accuracy(FindingName::BrokenAccuracy { broken }, 0)?;
            let name = FindingName::RewrittenAccuracy {
                broken,
                rewrite: rewrite.clone(),
            };
            found.extend(accuracy(name, 1)?);
            let name = FindingName::AccuracyLost { broken, rewrite };
            found.push(make.tested_difference(name, &lost)?);
            Ok(found)
        },
    )
}

/// Whether the answer that keeps all constraints is preferred. An equal verdict is not the right
/// one: the paper counts what is ranked above.
fn is_right(opinion: &Opinion) -> f64 {
    indicator(opinion.side == Side::First)
}
