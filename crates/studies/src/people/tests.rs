use super::*;
use evenhand_core::Side::{self, First, Second, Tie};

/// A unit of an item of its own with these labels; annotators are numbered from 0.
fn unit(item: u32, labels: &[(u32, Side)]) -> LabelledUnit {
    let mut unit = LabelledUnit {
        item,
        cluster: item,
        ..LabelledUnit::default()
    };
    for &(annotator, side) in labels {
        unit.add(UnitLabel { annotator, side });
    }
    unit
}

fn people(units: Vec<LabelledUnit>, annotators: usize) -> PeopleLabels {
    PeopleLabels {
        units,
        annotators: (0..annotators).map(|n| format!("p{n}")).collect(),
        ..PeopleLabels::default()
    }
}

fn measure(people: &PeopleLabels) -> PeopleReport {
    let plan = Bootstrap {
        rounds: 200,
        ..Bootstrap::default()
    };
    measure_people(people, &plan).unwrap()
}

fn value(figure: &CountedFigure) -> f64 {
    (figure.figure.value.unwrap() * 1e12).round() / 1e12
}

/// Three units: all three say first; two first and one second; a tie and a first. One label of p3
/// alone, and p0 says the first pair again, once the same and once otherwise.
fn small() -> PeopleLabels {
    people(
        vec![
            unit(
                0,
                &[(0, First), (1, First), (2, First), (0, First), (0, Tie)],
            ),
            unit(1, &[(0, First), (1, First), (2, Second)]),
            unit(2, &[(0, Tie), (1, First)]),
            unit(3, &[(3, Second)]),
        ],
        4,
    )
}

#[test]
fn shares_by_hand() {
    let report = measure(&small());
    let all = &report.all;
    assert_eq!((all.units, all.compared, report.labels), (4, 3, 11));
    // Pairs of labels: 3 of 3, 1 of 3, 0 of 1; without the tie the last unit has none.
    assert_eq!(
        (value(&all.agreement), all.agreement.n),
        (0.571428571429, 7)
    );
    assert_eq!(
        (
            value(&all.agreement_without_ties),
            all.agreement_without_ties.n
        ),
        (0.666666666667, 6)
    );
    assert_eq!(
        (value(&all.unanimous), all.unanimous.n),
        (0.333333333333, 3)
    );
    assert_eq!((value(&all.ties), all.ties.n), (0.111111111111, 9));
    assert_eq!(
        (value(&report.self_agreement), report.self_agreement.n),
        (0.5, 2)
    );
    // The most frequent label: 3 of 3, 2 of 3, 1 of 2.
    assert_eq!(
        (value(&all.ceiling_in_sample), all.ceiling_in_sample.n),
        (0.75, 8)
    );
    // By the others: 3 of 3; the two that say first see one of each and are right half the time,
    // the third is wrong; 0 of 2.
    assert_eq!(
        (
            value(&all.ceiling_leave_one_out),
            all.ceiling_leave_one_out.n
        ),
        (0.5, 8)
    );
    assert_eq!(
        report.units_by_annotators,
        BTreeMap::from([(1, 1), (2, 1), (3, 2)])
    );
}

/// n = 8 labels: 6 first, 1 tie, 1 second; both ways 16: 7, 2 and 7. Within units 2 (0 + 4/2 + 2/1)
/// = 8 of 16 disagree (ordered pairs over m - 1), by chance (256 - 49 - 4 - 49) / 15 = 154/15.
#[test]
fn alpha_by_hand() {
    let report = measure(&small());
    let expected = 1.0 - 8.0 / (154.0 / 15.0);
    assert!((report.all.alpha_nominal.figure.value.unwrap() - expected).abs() < 1e-12);
    assert_eq!(report.all.alpha_nominal.n, 3);
    assert!(report.all.alpha_ordinal.figure.value.is_some());
}

#[test]
fn annotators_are_held_against_the_majority_of_the_others() {
    let report = measure(&small());
    let rows: Vec<(&str, usize, usize, usize)> = report
        .annotators
        .iter()
        .map(|row| {
            (
                row.annotator.as_str(),
                row.labels,
                row.units,
                row.agreement.n,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("p0", 3, 3, 2),
            ("p1", 3, 3, 2),
            ("p2", 2, 2, 2),
            ("p3", 1, 0, 0)
        ]
    );
    let agreements = report.annotators[..3]
        .iter()
        .map(|row| value(&row.agreement));
    assert_eq!(agreements.collect::<Vec<_>>(), [0.5, 0.5, 0.5]);
    let alone = &report.annotators[3];
    assert!(alone.agreement.figure.note.is_some() && alone.kappa.figure.note.is_some());
    // p2 with p0 and p1: twice first and first, twice second and first.
    let p2 = &report.annotators[2].kappa;
    assert_eq!((value(p2), p2.n), (0.0, 4));
}

#[test]
fn those_who_never_agree_have_an_alpha_below_0() {
    let units = (0..20).map(|at| match at % 2 {
        0 => unit(at, &[(0, First), (1, Second)]),
        _ => unit(at, &[(0, Second), (1, First)]),
    });
    let report = measure(&people(units.collect(), 2));
    assert_eq!(value(&report.all.agreement), 0.0);
    assert!(value(&report.all.alpha_nominal) < -0.9);
    assert_eq!(value(&report.all.ceiling_in_sample), 0.5);
    assert_eq!(value(&report.all.ceiling_leave_one_out), 0.0);
    assert_eq!(value(&report.annotators[0].kappa), -1.0);
}

#[test]
fn what_all_say_is_agreement_unless_it_is_a_tie() {
    let units = (0..5).map(|at| unit(at, &[(0, First), (1, First)]));
    let report = measure(&people(units.collect(), 2));
    assert_eq!(value(&report.all.agreement), 1.0);
    // Which system comes first says nothing, so chance is either of the two.
    assert_eq!(value(&report.all.alpha_nominal), 1.0);
    let ties = (0..5).map(|at| unit(at, &[(0, Tie), (1, Tie)]));
    let report = measure(&people(ties.collect(), 2));
    let alpha = &report.all.alpha_nominal.figure;
    assert!(alpha.value.is_none() && alpha.note.as_ref().unwrap().contains("chance"));
    assert_eq!(report.all.agreement_without_ties.n, 0);
    assert!(report.all.agreement_without_ties.figure.note.is_some());
}

#[test]
fn categories_have_figures_of_their_own() {
    let units = (0..6).map(|at| LabelledUnit {
        category: (at < 5).then(|| if at < 2 { "b" } else { "a" }.into()),
        ..unit(at, &[(0, First), (1, if at < 2 { First } else { Second })])
    });
    let report = measure(&people(units.collect(), 2));
    let parts: Vec<(&str, usize, f64)> = report
        .parts
        .iter()
        .map(|(name, part)| (name.as_str(), part.units, value(&part.agreement)))
        .collect();
    assert_eq!(parts, [("a", 3, 0.0), ("b", 2, 1.0)]);
    assert_eq!(report.all.units, 6);
}

#[test]
fn too_few_labels_are_refused_with_what_is_missing() {
    let refused = |people: PeopleLabels| people.check_compared().unwrap_err().to_string();
    assert!(refused(people(vec![], 0)).starts_with("the data hold no labels"));
    let nobody = PeopleLabels {
        unnamed: 7,
        ..PeopleLabels::default()
    };
    assert!(refused(nobody).starts_with("none of the 7 labels names its annotator"));
    let apart = people(vec![unit(0, &[(0, First)]), unit(1, &[(1, First)])], 2);
    assert!(refused(apart).starts_with("no unit has labels of two annotators"));
    let one = people(vec![unit(0, &[(0, First), (1, First)])], 2);
    assert!(refused(one).starts_with("one unit alone has labels of two annotators"));
    assert!(small().check_compared().is_ok());
}
