//! Is one protocol less easily distracted than another? The same items under both: the paired
//! differences of what each shows.
//!
//! A protocol of noisy verdicts flips more often than another without any distraction. So of each
//! protocol only those flips count that are beyond its flips by a neutral rewrite.

use super::asks::{Asks, Seen, View};
use super::distractors::{Flips, Shown, flipped_in, is_flip};
use super::finding_name::FindingName;
use super::probing::{Findings, Probed, findings_of_each};
use super::rows::Rows;

/// Two protocols and a rewrite by its number.
#[derive(Clone, Copy)]
struct Case<'a> {
    two: [View<'a>; 2],
    rewrite: usize,
}

/// For every two protocols and every rewrite, the flips of the first less those of the second, over
/// items where both have some.
pub(super) fn probe_protocol_differences(asks: &Asks<'_>) -> Probed {
    let cases = every_two(&asks.views(), asks.rewrite_count(0));
    findings_of_each(&cases, Case::paired_differences, Case::findings)
}

fn every_two<'a>(views: &[View<'a>], rewrites: usize) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    for (at, first) in views.iter().enumerate() {
        let others = views[at + 1..].iter();
        // Two criteria are no two protocols: they differ in what is asked for.
        for second in others.filter(|other| other.asked.criterion == first.asked.criterion) {
            let two = [*first, *second];
            cases.extend((0..rewrites).map(|rewrite| Case { two, rewrite }));
        }
    }
    cases
}

impl<'a> Case<'a> {
    fn asks(self) -> &'a Asks<'a> {
        self.two[0].asks
    }

    fn paired_differences(self) -> Seen<Rows<f64>> {
        let states = [self.rewrite, self.asks().data().neutral()].map(Shown::Rewritten);
        let seen = self.two[0].over(|item| self.difference_on(item, states))?;
        Ok(seen.or_failed())
    }

    /// Returns the difference on an item; None where a protocol has no preference that could flip.
    fn difference_on(self, item: u32, states: [Shown; 2]) -> Seen<Option<f64>> {
        let flips = self.two.map(|view| flipped_in(view, item, states));
        let [first, second] = flips;
        let both = first?.zip(second?);
        Ok(both.map(|(first, second)| beyond_neutral(first) - beyond_neutral(second)))
    }

    fn findings(self, rows: Rows<f64>) -> Findings {
        let rewrite = self.asks().rewrite_name(0, self.rewrite);
        let name = FindingName::ProtocolDifference { rewrite };
        let protocols = self.protocols();
        let make = self.asks().maker(&protocols);
        Ok(vec![make.tested_double_difference(name, &rows)?])
    }

    fn protocols(self) -> String {
        let [first, second] = self.two.map(|view| &view.asked.protocol);
        format!("{first} against {second}")
    }
}

fn beyond_neutral([dressed, neutral]: Flips<2>) -> f64 {
    is_flip(&dressed) - is_flip(&neutral)
}
