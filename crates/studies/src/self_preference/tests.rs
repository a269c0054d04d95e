use super::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn whose_system_is_whose_is_known_by_name_or_told() {
    let (judges, systems) = (names(&["x", "y", "z"]), names(&["a", "y", "x"]));
    let own = |given: &[[&str; 2]]| {
        let given: Vec<[String; 2]> = given.iter().map(|pair| pair.map(String::from)).collect();
        own_systems(&judges, &systems, &given)
    };
    assert_eq!(own(&[]).unwrap(), [Some(2), Some(1), None]);
    assert_eq!(own(&[["z", "a"]]).unwrap(), [None, None, Some(0)]);
    assert!(
        own(&[["w", "a"]])
            .unwrap_err()
            .reason
            .contains("there are x, y, z")
    );
    assert!(
        own(&[["z", "b"]])
            .unwrap_err()
            .reason
            .contains("there are a, y, x")
    );
    let strangers = own_systems(&judges, &names(&["a", "b"]), &[]).unwrap_err();
    assert!(
        strangers.reason.contains("say whose system is whose"),
        "{strangers}"
    );
}

#[test]
fn scores_become_comparisons_within_an_item() {
    use evenhand_formats::judgments::RecordedScore;
    let score = |item, system, score| RecordedScore {
        item,
        system,
        score,
    };
    let recorded = RecordedJudgments {
        systems: names(&["b", "a"]),
        scores: vec![
            score(0, 0, 3.0),
            score(0, 1, 2.0),
            score(1, 0, 1.0),
            score(1, 1, 1.0),
            score(2, 0, 9.0),
        ],
        are_scores: true,
        ..RecordedJudgments::default()
    };
    let numbers = BTreeMap::from([("a", 0), ("b", 1), ("c", 2)]);
    let said = points_of(&recorded, &numbers).unwrap();
    assert_eq!(
        (said.points(1, 0), said.points(0, 1)),
        ([1.5, 0.5], [0.5, 1.5])
    );
    assert_eq!((said.total(), said.points(2, 0)), (2.0, [0.0; 2]));
    assert_eq!(share(&said, 1, |_| true), Some(0.75));
    assert_eq!(share(&said, 1, |other| other == 2), None);
}
