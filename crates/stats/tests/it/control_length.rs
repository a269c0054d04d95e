//! Length control and difficulties: what is said where there is no answer, and items without a
//! verdict.

use crate::common::close;
use evenhand_stats::control::{
    ControlError, JointPreferences, LengthWeights, Preferences, fit_difficulty, fit_length_control,
    length_controlled_win_rate, length_feature,
};
use evenhand_stats::{Error, Undefined};

#[test]
fn length_control_says_what_it_cannot_do() {
    let preferred = [Some(1.0), Some(0.0), None, Some(0.25)];
    let run = |length: &[f64], difficulty| {
        fit_length_control(
            &Preferences {
                preferred: &preferred,
                length,
                difficulty,
            },
            0.95,
        )
    };
    assert_eq!(
        run(&[0.0; 4], None).unwrap_err(),
        ControlError::Collinear {
            covariate: 0,
            by: vec![]
        }
    );
    assert_eq!(
        run(&[0.5; 4], None).unwrap_err(),
        ControlError::Collinear {
            covariate: 1,
            by: vec![0]
        }
    );
    assert!(matches!(
        run(&[0.5; 3], None).unwrap_err(),
        ControlError::Length { .. }
    ));
    assert_eq!(
        run(&[1.0, -1.0, 0.0, 0.25], Some(&[f64::NAN; 4]))
            .unwrap_err()
            .to_string()
            .get(..19),
        Some("row 0: covariate 2 ")
    );
    let all = fit_length_control(
        &Preferences {
            preferred: &[Some(1.0); 4],
            length: &[0.1, 0.2, -0.3, 0.4],
            difficulty: None,
        },
        0.95,
    );
    assert_eq!(all.unwrap_err(), ControlError::Separated { covariate: 1 });
    assert_eq!(
        length_feature(&[3.0, 4.0], &[1.0, 2.0]),
        Err(ControlError::Constant { rows: 2 })
    );
    let none = length_controlled_win_rate(
        &LengthWeights {
            model: 0.0,
            length: 0.0,
            difficulty: 0.0,
        },
        &[],
    );
    assert_eq!(
        none,
        Err(ControlError::Input(Error::Undefined(Undefined::NoData)))
    );
}

#[test]
fn a_missing_preference_still_counts_in_the_mean() {
    // The same three judged items; a fourth of another difficulty moves the mean only.
    let difficulty = [0.0, 1.0, -1.0, 0.5, 3.0];
    let preferred = [Some(0.7), Some(0.6), Some(0.2), Some(0.5), None];
    let length = [0.3, -0.2, 0.1, 0.4, 0.0];
    let short = Preferences {
        preferred: &preferred[..4],
        length: &length[..4],
        difficulty: Some(&difficulty[..4]),
    };
    let (short, whole) = (
        fit_length_control(&short, 0.95).unwrap(),
        Preferences {
            preferred: &preferred,
            length: &length,
            difficulty: Some(&difficulty),
        },
    );
    let whole = fit_length_control(&whole, 0.95).unwrap();
    assert_eq!((short.weights, short.items), (whole.weights, whole.items));
    let expected = length_controlled_win_rate(&whole.weights, &difficulty).unwrap();
    assert!(whole.win_rate == expected && (expected - short.win_rate).abs() > 0.01);
    // tanh of (1, -1, 0) over their sample deviation 1.
    let feature = length_feature(&[5.0, 2.0, 1.0], &[4.0, 3.0, 1.0]).unwrap();
    assert!(close(&feature, &[1f64.tanh(), -(1f64.tanh()), 0.0], 1e-15));
}

#[test]
fn an_unjudged_instruction_has_no_difficulty() {
    let data = JointPreferences {
        models: 2,
        items: 3,
        model: &[0, 0, 1, 1],
        item: &[0, 2, 0, 2],
        preferred: &[1.0, 0.0, 0.9, 0.4],
        length: &[0.0; 4],
    };
    let found = fit_difficulty(&data, 1.0).unwrap();
    let [Some(first), None, Some(last)] = found.difficulty[..] else {
        panic!("{found:?}")
    };
    assert!(found.fit.converged && first > 0.0 && (first + last).abs() < 1e-12);
    assert!(matches!(
        fit_difficulty(&data, 0.0),
        Err(ControlError::Input(Error::Value { field: "ridge", .. }))
    ));
    let outside = fit_difficulty(&JointPreferences { items: 2, ..data }, 1.0);
    assert!(matches!(
        outside,
        Err(ControlError::Input(Error::Value {
            row: 1,
            field: "item",
            ..
        }))
    ));
}
