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
    let views = asks.views().into_iter();
    let cases: Vec<Case<'_>> = views.flat_map(|view| cases_of(view, material)).collect();
    findings_of_each(&cases, Case::rightness, Case::findings)
}

/// Returns every comparison under one protocol, by how much is broken and then by rewrite.
fn cases_of(view: View<'_>, material: usize) -> impl Iterator<Item = Case<'_>> {
    let rewrites = 0..view.asks.rewrite_count(material);
    (1..TWEAKED.len() as u32).flat_map(move |broken| {
        rewrites.clone().map(move |rewrite| Case {
            view,
            material,
            broken,
            rewrite,
        })
    })
}

impl Case<'_> {
    fn rightness(self) -> Seen<Rows<Rightness>> {
        let asks = self.view.asks;
        asks.over(self.material, |item| self.rightness_on(item))
    }

    fn rightness_on(self, item: u32) -> Seen<Rightness> {
        // Both are asked for before either is missed.
        let plain = self.opinion_on(item, self.broken);
        let rewritten = self.opinion_on(item, self.rewritten());
        Ok(Rightness {
            plain: plain?,
            rewritten: rewritten?,
        })
    }

    /// Returns the system that stands for the broken answers as rewritten.
    fn rewritten(self) -> u32 {
        let material = self.view.asks.material(self.material);
        material.rewritten(self.broken, self.rewrite)
    }

    /// Returns what the judge says of the answer that keeps all constraints, against that of
    /// another system.
    fn opinion_on(self, item: u32, other: u32) -> Seen<Opinion> {
        self.view
            .compares(Duel::new(self.material, item, [0, other]), 0)
    }

    fn findings(self, seen: Rows<Rightness>) -> Findings {
        let [plain_name, rewritten_name, lost_name] = self.names();
        let make = self.view.maker();
        let plain = seen.map(|seen| is_right(&seen.plain));
        let rewritten = seen.map(|seen| is_right(&seen.rewritten));
        let weighed = [
            seen.map(|seen| seen.plain.share),
            seen.map(|seen| seen.rewritten.share),
        ];
        // Scores are compared, and have no probability of being the higher one.
        let is_pair = self.view.asked.kind == Kind::Pairs;
        let mut found = Vec::new();
        for (name, verdicts, weighed) in [
            (plain_name, &plain, &weighed[0]),
            (rewritten_name, &rewritten, &weighed[1]),
        ] {
            let weighed = if is_pair { weighed } else { verdicts };
            found.extend(make.share_and_weighed(name, verdicts, weighed)?);
        }
        found.push(make.tested_difference(lost_name, &plain.less(&rewritten))?);
        Ok(found)
    }

    /// Returns the names of the accuracy against plain answers, of that against rewritten ones, and
    /// of what is lost.
    fn names(self) -> [FindingName; 3] {
        let broken = self.broken;
        let rewrite = self.view.asks.rewrite_name(self.material, self.rewrite);
        [
            FindingName::BrokenAccuracy { broken },
            FindingName::RewrittenAccuracy {
                broken,
                rewrite: rewrite.clone(),
            },
            FindingName::AccuracyLost { broken, rewrite },
        ]
    }
}

/// Whether the answer that keeps all constraints is preferred. An equal verdict is not the right
/// one: the paper counts what is ranked above.
fn is_right(opinion: &Opinion) -> f64 {
    indicator(opinion.side == Side::First)
}
