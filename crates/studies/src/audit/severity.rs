//! Does style hide what is broken? Tripathi et al. 2025, section 3.2 and figure 3.
//!
//! Each item has three verifiable constraints, one answer that keeps all of them, and answers that
//! break one, two and three, every one verified. The judge should prefer the first; how often it
//! does is its accuracy, against plain answers and against the same rewritten.

use super::asked::Kind;
use super::asks::{Asks, Duel, Opinion, Seen, View};
use super::finding_name::FindingName;
use super::known_systems::TWEAKED;
use super::probing::{Findings, Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_core::Side;

/// One comparison of the answer that keeps all constraints with one that breaks some.
#[derive(Clone, Copy)]
struct Case<'a> {
    view: View<'a>,
    material: usize,
    /// How many constraints the other breaks; also the number of its system.
    broken: u32,
    /// The rewrite in which it is shown too.
    rewrite: usize,
}

/// What the judge says of the answer that keeps all constraints against another.
struct Rightness {
    plain: Opinion,
    rewritten: Opinion,
}

pub(super) fn probe_severity(asks: &Asks<'_>, material: usize) -> Probed {
    let mut cases = Vec::new();
    for view in asks.views() {
        for broken in 1..TWEAKED.len() as u32 {
            for rewrite in 0..asks.rewrite_count(material) {
                cases.push(Case {
                    view,
                    material,
                    broken,
                    rewrite,
                });
            }
        }
    }
    findings_of_each(&cases, Case::rightness, Case::findings)
}

impl Case<'_> {
    /// Returns what the judge says of the answer that keeps all constraints, against the broken one
    /// and against the same rewritten.
    fn rightness(self) -> Seen<Rows<Rightness>> {
        let asks = self.view.asks;
        let rewritten = asks
            .material(self.material)
            .rewritten(self.broken, self.rewrite);
        asks.over(self.material, |item| {
            // Both are asked for before either is missed.
            let [plain, rewritten] = [self.broken, rewritten].map(|other| {
                let duel = Duel::new(self.material, item, [0, other]);
                self.view.compares(duel, 0)
            });
            Ok(Rightness {
                plain: plain?,
                rewritten: rewritten?,
            })
        })
    }

    fn findings(self, seen: Rows<Rightness>) -> Findings {
        let broken = self.broken;
        let rewrite = self.view.asks.rewrite_name(self.material, self.rewrite);
        let make = self.view.maker();
        let plain = seen.map(|seen| is_right(&seen.plain));
        let rewritten = seen.map(|seen| is_right(&seen.rewritten));
        // Scores are compared, and have no probability of being the higher one.
        let [plain_weighed, rewritten_weighed] = match self.view.asked.kind {
            Kind::Pairs => [
                seen.map(|seen| seen.plain.share),
                seen.map(|seen| seen.rewritten.share),
            ],
            Kind::Scores => [plain.clone(), rewritten.clone()],
        };
        let name = FindingName::BrokenAccuracy { broken };
        let mut found = make.share_and_weighed(name, &plain, &plain_weighed)?;
        let name = FindingName::RewrittenAccuracy {
            broken,
            rewrite: rewrite.clone(),
        };
        found.extend(make.share_and_weighed(name, &rewritten, &rewritten_weighed)?);
        let name = FindingName::AccuracyLost { broken, rewrite };
        found.push(make.tested_difference(name, &plain.less(&rewritten))?);
        Ok(found)
    }
}

/// Whether the answer that keeps all constraints is preferred. An equal verdict is not the right
/// one: the paper counts what is ranked above.
fn is_right(opinion: &Opinion) -> f64 {
    indicator(opinion.side == Side::First)
}
