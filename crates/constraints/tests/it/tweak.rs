//! Laws of the items that are made to be followed and broken.

use evenhand_constraints::tweak::{MADE, Tweaked, conflicts, questions, tweak};
use evenhand_constraints::{Constraints, Id};
use std::collections::BTreeMap;
use std::sync::LazyLock;

const SEEDS: u64 = 20;

/// Every question with every seed.
static ITEMS: LazyLock<Vec<Option<Tweaked>>> = LazyLock::new(|| {
    let seeds = (0..SEEDS).flat_map(|seed| {
        questions()
            .iter()
            .zip(0..)
            .map(move |(question, stream)| (question, seed, stream))
    });
    seeds
        .map(|(question, seed, stream)| tweak(&question.question, &question.answer, seed, stream))
        .collect()
});

fn breaks(item: &Tweaked, severity: usize) -> [usize; 3] {
    let mut broken = [0; 3];
    item.order[..severity].iter().for_each(|at| broken[*at] = 1);
    broken
}

#[test]
fn every_set_can_be_followed_and_broken_step_by_step() {
    let mut made = 0;
    for item in ITEMS.iter().flatten() {
        let constraints = Constraints::new(item.constraints.clone());
        assert_eq!(
            Constraints::parse(&item.to_json(), "").unwrap(),
            constraints
        );
        assert!(constraints.check(&item.adherent).all_strict(), "{item:#?}");
        for severity in 1..=3 {
            let checked = constraints.check(&item.broken[severity - 1]);
            let broken = breaks(item, severity);
            assert_eq!(
                checked
                    .loose
                    .iter()
                    .map(|followed| usize::from(!followed))
                    .collect::<Vec<_>>(),
                broken,
                "{item:#?}"
            );
            assert_eq!(checked.strict, checked.loose);
        }
        made += 1;
    }
    assert_eq!(
        made,
        SEEDS as usize * questions().len(),
        "none of our own questions is dropped"
    );
}

#[test]
fn every_type_is_made_and_no_two_conflict() {
    let mut count: BTreeMap<Id, usize> = BTreeMap::new();
    for item in ITEMS.iter().flatten() {
        let ids: Vec<Id> = item
            .constraints
            .iter()
            .map(|constraint| constraint.id())
            .collect();
        assert!(
            ids.len() == 3 && (0..3).all(|a| (0..a).all(|b| !conflicts(ids[a], ids[b]))),
            "{ids:?}"
        );
        ids.into_iter()
            .for_each(|id| *count.entry(id).or_default() += 1);
    }
    println!("{count:#?}");
    assert!(
        MADE.iter().all(|id| count.get(id).is_some_and(|n| *n > 50)),
        "{count:?}"
    );
}

#[test]
fn the_instruction_asks_for_each() {
    for item in ITEMS.iter().flatten().take(200) {
        assert!(item.constraints.iter().all(|constraint| {
            item.instruction
                .contains(&format!("\n- {}", constraint.describe()))
        }));
        assert!(item.instruction.starts_with("Question: "));
    }
}

#[test]
fn an_item_is_a_function_of_seed_and_stream() {
    let question = &questions()[0];
    let make = |seed, stream| tweak(&question.question, &question.answer, seed, stream);
    assert_eq!(make(1, 2), make(1, 2));
    assert_ne!(make(1, 2), make(1, 3));
    assert_ne!(make(1, 2), make(2, 2));
    assert_eq!(
        tweak("Why?", "Because. So.", 0, 0),
        None,
        "fewer than three sentences"
    );
}

#[test]
fn questions_are_many_and_plain() {
    assert!(questions().len() >= 60);
    for question in questions() {
        let sentences = question.answer.matches(". ").count() + 1;
        assert!(
            (3..=6).contains(&sentences) && question.question.ends_with('?'),
            "{question:?}"
        );
        assert!(
            !question.answer.contains(['*', '[', '<', '"', '\n', ',']),
            "{question:?}"
        );
    }
}
