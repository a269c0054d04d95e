use super::*;
use crate::bradley_terry;
use crate::testing::tally_of;

fn leader(tally: &Tally) -> Result<JudgmentDrop, InferenceError> {
    drop_leader(tally, &bradley_terry(tally).scores.estimates)
}

#[test]
fn two_systems_by_hand() {
    // 10 won, 7 lost: without 4 wins, and no fewer, the other is ahead.
    let found = leader(&tally_of(2, &[(0, 1, 10.0, 0.0, 7.0)])).unwrap();
    assert_eq!(
        (
            found.above,
            found.below,
            found.leader,
            found.removed,
            found.verified
        ),
        (0, 1, Some(1), 4.0, true)
    );
    assert_eq!(
        found.cells,
        [Dropped {
            a: 0,
            b: 1,
            outcome: PairOutcome::Win,
            weight: 4.0
        }]
    );
    assert!((found.share - 4.0 / 17.0).abs() < 1e-15);
    // From the other side.
    let found = leader(&tally_of(2, &[(1, 0, 10.0, 0.0, 7.0)])).unwrap();
    assert_eq!(
        found.cells,
        [Dropped {
            a: 0,
            b: 1,
            outcome: PairOutcome::Loss,
            weight: 4.0
        }]
    );
}

#[test]
fn a_rival_leads_by_what_is_left_alone() {
    // Without all that speaks for 1, system 0 beat 1 and 2 and lost to nobody; nothing says where 1
    // stands beside 2 and 3, so only 0 has a rank.
    let tally = tally_of(
        4,
        &[
            (0, 1, 1.0, 0.0, 2.0),
            (0, 2, 1.0, 0.0, 0.0),
            (1, 2, 1.0, 0.0, 0.0),
            (2, 3, 6.0, 1.0, 4.0),
            (0, 3, 0.0, 0.0, 1.0),
        ],
    );
    let found = leader(&tally).unwrap();
    assert_eq!((found.above, found.below, found.leader), (1, 0, Some(0)));
    assert!(found.verified, "{found:?}");
}

#[test]
fn what_is_undefined_is_said() {
    assert_eq!(leader(&tally_of(1, &[])), Err(Undefined::OneSystem.into()));
    assert_eq!(leader(&tally_of(3, &[])), Err(Undefined::NoData.into()));
    assert_eq!(
        leader(&tally_of(2, &[(0, 1, 2.0, 0.0, 2.0)])),
        Err(Undefined::NoRank.into())
    );
    let beaten = tally_of(3, &[(0, 1, 2.0, 0.0, 1.0), (2, 0, 1.0, 0.0, 0.0)]);
    assert_eq!(leader(&beaten), Err(InferenceError::Infinite { system: 2 }));
    let strengths = bradley_terry(&beaten).scores.estimates;
    let order = |above, below| drop_order(&beaten, &strengths, above, below);
    assert_eq!(
        order(1, 0),
        Err(InferenceError::NotAhead { above: 1, below: 0 })
    );
    assert_eq!(order(2, 0), Err(InferenceError::Infinite { system: 2 }));
    assert!(order(0, 1).unwrap().verified);
}
