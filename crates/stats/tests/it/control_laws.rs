//! Laws of style control, what it says where there is no answer, and planted values recovered.

use crate::common::{close, finite};
use evenhand_stats::control::{
    Battles, ControlError, StyleControl, StyleControlled, style_controlled,
};
use evenhand_stats::{Error, Estimate, Tally, Undefined, bradley_terry, draw_clusters};
use proptest::collection::vec;
use proptest::prelude::*;

const K: usize = 4;

/// Rows in columns.
#[derive(Clone, Debug, Default)]
struct Rows {
    a: Vec<u16>,
    b: Vec<u16>,
    won: Vec<f64>,
    weight: Vec<f64>,
    cluster: Vec<u32>,
    covariates: Vec<Vec<f64>>,
}

/// a, how far b is from it, what a won, weight, two covariates.
type Row = (u16, u16, f64, u8, i8, i8);

fn row() -> impl Strategy<Value = Row> {
    let won = prop_oneof![Just(0.0), Just(1.0), Just(0.5), Just(0.3)];
    (0..K as u16, 1..K as u16, won, 1u8..4, -9i8..9, -9i8..9)
}

/// The rows, and for each pair one tie that makes every strength finite and every covariate
/// estimable.
fn rows(random: &[Row]) -> Rows {
    let mut rows = Rows {
        covariates: vec![vec![]; 2],
        ..Rows::default()
    };
    let pairs = (0..K as u16).flat_map(|a| (1..K as u16).map(move |d| (a, d)));
    let ties = pairs.flat_map(|(a, d)| [(a, d, 0.5, 1, 7, 1), (a, d, 0.5, 1, 2, -8)]);
    for ((a, d, won, weight, x, y), cluster) in random.iter().copied().chain(ties).zip(0..) {
        rows.a.push(a);
        rows.b.push((a + d) % K as u16);
        rows.won.push(won);
        rows.weight.push(weight.into());
        rows.cluster.push(cluster);
        rows.covariates[0].push(f64::from(x) / 5.0);
        rows.covariates[1].push(f64::from(y) / 3.0);
    }
    rows
}

impl Rows {
    fn battles(&self) -> Battles<'_> {
        Battles {
            systems: K,
            a: &self.a,
            b: &self.b,
            won: &self.won,
            weight: Some(&self.weight),
            cluster: Some(&self.cluster),
            covariates: &self.covariates,
        }
    }

    fn fit(&self) -> StyleControlled {
        style_controlled(&self.battles(), &StyleControl::default()).unwrap()
    }

    fn swapped(&self) -> Rows {
        let won = self.won.iter().map(|won| 1.0 - won).collect();
        let covariates = self
            .covariates
            .iter()
            .map(|column| column.iter().map(|x| -x).collect())
            .collect();
        Rows {
            a: self.b.clone(),
            b: self.a.clone(),
            won,
            covariates,
            ..self.clone()
        }
    }

    /// Each row as often as its weight says.
    fn repeated(&self) -> Rows {
        let times: Vec<usize> = self
            .weight
            .iter()
            .enumerate()
            .flat_map(|(row, &weight)| vec![row; weight as usize])
            .collect();
        let covariates = self
            .covariates
            .iter()
            .map(|column| times.iter().map(|&row| column[row]).collect())
            .collect();
        Rows {
            a: times.iter().map(|&row| self.a[row]).collect(),
            b: times.iter().map(|&row| self.b[row]).collect(),
            won: times.iter().map(|&row| self.won[row]).collect(),
            weight: vec![1.0; times.len()],
            cluster: times.iter().map(|&row| self.cluster[row]).collect(),
            covariates,
        }
    }
}

fn same(x: &StyleControlled, y: &StyleControlled) -> bool {
    let covariance = |found: &StyleControlled| {
        found
            .uncertainty
            .as_ref()
            .map_or(vec![], |known| known.covariance.clone())
    };
    close(
        &finite(&x.scores.estimates),
        &finite(&y.scores.estimates),
        1e-9,
    ) && close(&x.coefficients, &y.coefficients, 1e-9)
        && close(&covariance(x), &covariance(y), 1e-9)
}

proptest! {
    #[test]
    fn swapping_sides_changes_nothing(random in vec(row(), 0..30)) {
        let rows = rows(&random);
        prop_assert!(same(&rows.fit(), &rows.swapped().fit()));
    }

    #[test]
    fn a_weight_is_so_many_rows_of_one_cluster(random in vec(row(), 0..30)) {
        let rows = rows(&random);
        prop_assert!(same(&rows.fit(), &rows.repeated().fit()));
    }

    #[test]
    fn without_covariates_it_is_bradley_terry(random in vec(row(), 1..12)) {
        let mut rows = rows(&random);
        rows.covariates.clear();
        // Without the ties that make everything finite.
        for column in [&mut rows.won, &mut rows.weight] {
            column.truncate(random.len());
        }
        rows.a.truncate(random.len());
        rows.b.truncate(random.len());
        rows.cluster.truncate(random.len());
        let mut tally = Tally::new(K).unwrap();
        for row in 0..random.len() {
            let (weight, won) = (rows.weight[row], rows.won[row]);
            tally.add(rows.a[row].into(), rows.b[row].into(), weight * won, 0.0, weight * (1.0 - won)).unwrap();
        }
        let plain = bradley_terry(&tally).scores;
        match style_controlled(&rows.battles(), &StyleControl::default()) {
            Ok(found) => {
                prop_assert_eq!(&found.scores.ranks, &plain.ranks);
                for (x, y) in found.scores.estimates.iter().zip(&plain.estimates) {
                    prop_assert!(x == y || (x.finite().unwrap() - y.finite().unwrap()).abs() < 1e-9);
                }
            }
            Err(_) => prop_assert!(plain.estimates.iter().all(|x| x.finite().is_none())),
        }
    }

    #[test]
    fn the_gradient_is_0_at_the_maximum(random in vec(row(), 0..30)) {
        let found = rows(&random).fit();
        let fit = found.scores.fit.unwrap();
        prop_assert!(fit.converged && fit.gradient < 1e-9, "{:?}", fit);
    }
}

/// A share of 2^32 for row `row` of a stream.
fn share(stream: u64, row: u64) -> f64 {
    f64::from(draw_clusters(stream, row, u32::MAX).next().unwrap()) / f64::from(u32::MAX)
}

/// Battles drawn from strengths 0.6, 0.2, -0.2, -0.6 and coefficients 0.5 and -0.25.
fn planted(count: u64) -> Rows {
    let mut rows = Rows {
        covariates: vec![vec![]; 2],
        ..Rows::default()
    };
    for row in 0..count {
        let (a, d) = ((row % 4) as u16, (row / 4 % 3 + 1) as u16);
        let (b, x, y) = (
            (a + d) % 4,
            2.0 * share(1, row) - 1.0,
            3.0 * share(2, row) - 1.5,
        );
        let lead = -0.4 * (f64::from(a) - f64::from(b)) + 0.5 * x - 0.25 * y;
        rows.a.push(a);
        rows.b.push(b);
        rows.won.push(f64::from(u8::from(
            share(3, row) < 1.0 / (1.0 + (-lead).exp()),
        )));
        rows.weight.push(1.0);
        rows.cluster.push((row / 3) as u32);
        rows.covariates[0].push(x);
        rows.covariates[1].push(y);
    }
    rows
}

#[test]
fn planted_values_are_recovered() {
    let found = planted(20_000).fit();
    let uncertainty = found.uncertainty.unwrap();
    let planted = [0.6, 0.2, -0.2, -0.6, 0.5, -0.25];
    let strengths = uncertainty.strengths.iter().map(|x| x.unwrap());
    let coefficients = uncertainty.coefficients.iter().map(|x| x.unwrap());
    for (interval, planted) in strengths.chain(coefficients).zip(planted) {
        // Four standard errors: a planted value is missed once in 15,000 times.
        assert!(
            (interval.value - planted).abs() < 4.0 * interval.standard_error,
            "{interval:?} {planted}"
        );
        assert!(interval.standard_error < 0.05, "{interval:?}");
    }
    assert_eq!(
        (found.rows, found.scores.ranks),
        (20_000, vec![Some(1), Some(2), Some(3), Some(4)])
    );
}

#[test]
fn threads_change_nothing() {
    let rows = planted(5000);
    let run = |threads| {
        style_controlled(
            &rows.battles(),
            &StyleControl {
                threads,
                ..StyleControl::default()
            },
        )
        .unwrap()
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(5));
}

#[test]
fn a_system_that_won_everything_disturbs_nobody() {
    let rows = planted(500);
    let alone = rows.fit();
    let mut more = rows.clone();
    for (row, other) in (0..3u16).enumerate() {
        more.a.push(4);
        more.b.push(other);
        more.won.push(1.0);
        more.weight.push(1.0);
        more.cluster.push(1000);
        more.covariates
            .iter_mut()
            .for_each(|column| column.push(row as f64));
    }
    let battles = Battles {
        systems: 5,
        ..more.battles()
    };
    let found = style_controlled(&battles, &StyleControl::default()).unwrap();
    assert_eq!(
        (found.scores.estimates[4], found.scores.ranks[4]),
        (Estimate::PlusInfinity, Some(1))
    );
    assert_eq!(found.scores.estimates[..4], alone.scores.estimates[..]);
    assert_eq!((found.systems, found.rows), (vec![0, 1, 2, 3], 500));
    assert_eq!(found.uncertainty.unwrap().strengths[4], None);
    // With a ridge it is finite, and first.
    let plan = StyleControl {
        ridge: 0.1,
        ..StyleControl::default()
    };
    let ridged = style_controlled(&battles, &plan).unwrap();
    let best = ridged.scores.estimates[4].finite().unwrap();
    assert!(
        best > 1.0 && best < 10.0 && ridged.scores.ranks[4] == Some(1),
        "{best}"
    );
    assert!(finite(&ridged.scores.estimates).iter().sum::<f64>().abs() < 1e-9);
}

fn refused(change: impl Fn(&mut Rows)) -> ControlError {
    let mut rows = planted(200);
    change(&mut rows);
    style_controlled(&rows.battles(), &StyleControl::default()).unwrap_err()
}

#[test]
fn columns_that_determine_each_other_are_named() {
    let twice = refused(|rows| {
        rows.covariates
            .push(rows.covariates[1].iter().map(|x| 3.0 * x).collect())
    });
    assert_eq!(
        twice,
        ControlError::Collinear {
            covariate: 2,
            by: vec![1]
        }
    );
    assert_eq!(
        twice.to_string(),
        "covariate 2 is determined by covariate 1; leave one of them out"
    );
    let nothing = refused(|rows| rows.covariates[0].fill(0.0));
    assert_eq!(
        nothing,
        ControlError::Collinear {
            covariate: 0,
            by: vec![]
        }
    );
    // A property of the systems, such as their size, cannot be told from their strengths.
    let size = |rows: &mut Rows| {
        rows.covariates[1] = rows
            .a
            .iter()
            .zip(&rows.b)
            .map(|(&a, &b)| f64::from(a) - f64::from(b))
            .collect()
    };
    assert_eq!(
        refused(size),
        ControlError::Collinear {
            covariate: 1,
            by: vec![]
        }
    );
}

#[test]
fn a_covariate_that_predicts_perfectly_is_named() {
    let perfect =
        |rows: &mut Rows| rows.covariates[1] = rows.won.iter().map(|won| won - 0.5).collect();
    assert_eq!(refused(perfect), ControlError::Separated { covariate: 1 });
    // Quasi-separation: it speaks on some rows only.
    let partly = |rows: &mut Rows| {
        rows.covariates[0] = rows
            .won
            .iter()
            .zip(0..)
            .map(|(won, row)| if row % 5 == 0 { won - 0.5 } else { 0.0 })
            .collect();
    };
    assert_eq!(refused(partly), ControlError::Separated { covariate: 0 });
}

#[test]
fn bad_rows_are_named() {
    assert_eq!(
        refused(|rows| rows.covariates[1][7] = f64::NAN).to_string(),
        "row 7: covariate 1 is NaN; expected a number between -1e30 and 1e30"
    );
    assert!(matches!(
        refused(|rows| rows.covariates[0].truncate(199)),
        ControlError::Length {
            found: 199,
            expected: 200,
            ..
        }
    ));
    assert!(matches!(
        refused(|rows| rows.won[3] = 1.5),
        ControlError::Input(Error::Value {
            row: 3,
            field: "won",
            ..
        })
    ));
    assert!(matches!(
        refused(|rows| rows.weight[3] = -1.0),
        ControlError::Input(Error::Value {
            row: 3,
            field: "weight",
            ..
        })
    ));
    assert!(matches!(
        refused(|rows| rows.a[4] = 9),
        ControlError::Input(Error::NoSuchSystem {
            row: 4,
            system: 9,
            ..
        })
    ));
    assert!(matches!(
        refused(|rows| rows.a[4] = rows.b[4]),
        ControlError::Input(Error::SelfComparison { row: 4, .. })
    ));
}

#[test]
fn too_little_is_said() {
    let undefined = |reason| ControlError::Input(Error::Undefined(reason));
    assert_eq!(
        refused(|rows| *rows = Rows::default()),
        undefined(Undefined::NoData)
    );
    assert_eq!(
        refused(|rows| rows.weight.fill(0.0)),
        undefined(Undefined::NoData)
    );
    let one_sided = |rows: &mut Rows| {
        rows.won = rows
            .a
            .iter()
            .zip(&rows.b)
            .map(|(a, b)| f64::from(u8::from(a < b)))
            .collect()
    };
    assert_eq!(refused(one_sided), undefined(Undefined::OneSided));
    let battles = Battles {
        systems: 2,
        a: &[0],
        b: &[1],
        won: &[0.5],
        weight: None,
        cluster: None,
        covariates: &[vec![1.0]],
    };
    let few = style_controlled(&battles, &StyleControl::default()).unwrap_err();
    assert_eq!(
        few,
        ControlError::TooFewRows {
            rows: 1,
            parameters: 2
        }
    );
    let one = style_controlled(
        &Battles {
            covariates: &[],
            ..battles
        },
        &StyleControl::default(),
    )
    .unwrap();
    assert_eq!(
        (one.uncertainty, finite(&one.scores.estimates)),
        (
            Err(Undefined::TooFewClusters { clusters: 1 }),
            vec![0.0, 0.0]
        )
    );
    let two = Battles {
        a: &[0, 1],
        b: &[1, 0],
        won: &[0.5, 0.5],
        covariates: &[],
        ..battles
    };
    assert_eq!(
        style_controlled(&two, &StyleControl::default())
            .unwrap()
            .uncertainty,
        Err(Undefined::NoVariance)
    );
}
