//! Compares the looks of a judgment that is not kept yet.

use super::entry::LookFlags;
use evenhand_core::{Look, are_flipped, are_split};

impl LookFlags {
    /// Compares the looks of one judgment, as the store does where it keeps one.
    pub fn of(looks: &[Look]) -> LookFlags {
        LookFlags {
            flipped: are_flipped(looks),
            split: are_split(looks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Verdict, VerdictSource};

    fn look(stage: &'static str, swapped: bool, preference: [f64; 3]) -> Look {
        Look {
            judge: 0,
            stage: stage.into(),
            sample: 0,
            swapped,
            outcome: Ok(Verdict::pair(preference, 0.0, VerdictSource::Text)),
            criterion: None,
        }
    }

    const FIRST: [f64; 3] = [1.0, 0.0, 0.0];
    const TIE: [f64; 3] = [0.0, 1.0, 0.0];
    const SECOND: [f64; 3] = [0.0, 0.0, 1.0];

    #[test]
    fn orders_that_prefer_different_systems_are_flipped() {
        for (forward, swapped, expected) in [
            (FIRST, SECOND, true),
            (FIRST, FIRST, false),
            (FIRST, TIE, false),
        ] {
            let looks = [look("", false, forward), look("", true, swapped)];
            let flags = LookFlags::of(&looks);
            assert_eq!(
                flags,
                LookFlags {
                    flipped: expected,
                    split: false
                }
            );
        }
    }

    #[test]
    fn samples_of_one_order_or_members_that_disagree_are_split() {
        let samples = [look("", false, FIRST), look("", false, TIE)];
        assert!(LookFlags::of(&samples).split);
        let members = [look("member", false, FIRST), look("member", true, SECOND)];
        assert!(LookFlags::of(&members).split);
        let steps = [look("first", false, FIRST), look("second", false, SECOND)];
        assert!(!LookFlags::of(&steps).split);
        let terms = [look("term", false, FIRST), look("term", false, SECOND)];
        assert_eq!(LookFlags::of(&terms), LookFlags::default());
    }
}
