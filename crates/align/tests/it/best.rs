//! The best alignment against exhaustive searches: the reference's own, and a slow obvious twin.
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and these tests read files"
)]

use crate::common::{Twin, combinations, exhaustive, found, recorded_pairs};
use evenhand_align::{
    Aligned, Cut, Cuts, MAX_PIECES, MAX_SEGMENTS, Segmentation, Similarity, align_by_similarity,
    align_by_tokens, find_cuts,
};
use proptest::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// The choice that the crate makes must be the twin's, its score to the last bit.
fn assert_same(found: Option<Aligned>, twin: Option<crate::common::Choice>, cuts: [&Cuts; 2]) {
    let place = |cuts: &Cuts, index: &usize| cuts.places()[*index];
    let expected = twin.map(|(score, a, b)| {
        let places = |cuts: &Cuts, chosen: &[usize]| {
            chosen
                .iter()
                .map(|index| place(cuts, index))
                .collect::<Vec<Cut>>()
        };
        (score.to_bits(), places(cuts[0], &a), places(cuts[1], &b))
    });
    let found = found.map(|found| (found.score.to_bits(), found.alignment.a, found.alignment.b));
    assert_eq!(found, expected);
}

fn check(a: &str, b: &str, segmentation: Segmentation, k: usize) {
    let cuts = [a, b].map(|text| find_cuts(text, segmentation));
    let twin = Twin::new((a, &cuts[0]), (b, &cuts[1])).best(k);
    assert_same(
        align_by_tokens((a, &cuts[0]), (b, &cuts[1]), k),
        twin,
        [&cuts[0], &cuts[1]],
    );
}

/// Places and scores of shared/reference/portia_naive.py on 480 pairs, k = 2 and 3, recorded by
/// tests/cases/record_portia.py.
#[test]
fn recorded_pairs_are_cut_as_the_reference_cuts_them() {
    let Some(pairs) = recorded_pairs() else {
        return;
    };
    let answers = pairs.iter().map(|pair| {
        (
            (
                pair.systems[0].as_str(),
                pair.systems[1].as_str(),
                pair.question,
            ),
            pair,
        )
    });
    let answers: HashMap<_, _> = answers.collect();
    let rows = include_str!("../cases/portia_naive.csv").lines().skip(1);
    let mut checked = 0;
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let [system_a, system_b, question, k, score, a, b] = fields[..] else {
            panic!("{row}")
        };
        let pair = answers[&(system_a, system_b, question.parse().unwrap())];
        let found = found(&pair.a, &pair.b, Segmentation::Plain, k.parse().unwrap());
        let chars = |cuts: &[Cut]| {
            cuts.iter()
                .map(|cut| cut.char.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let found = found.map(|found| {
            (
                found.score,
                chars(&found.alignment.a),
                chars(&found.alignment.b),
            )
        });
        let expected =
            (!score.is_empty()).then(|| (score.parse().unwrap(), a.to_string(), b.to_string()));
        assert_eq!(found, expected, "{row}");
        checked += 1;
    }
    assert_eq!(checked, 960);
}

/// Every k that a twin can search: what is quick, on every twentieth pair; all that it can do in
/// minutes where EVENHAND_SLOW=1 is set.
#[test]
fn recorded_pairs_are_cut_as_the_twin_cuts_them() {
    let slow = std::env::var_os("EVENHAND_SLOW").is_some_and(|value| value == "1");
    let (most, step) = if slow { (3e7, 1) } else { (3e3, 20) };
    let mut checked = 0;
    for pair in recorded_pairs().into_iter().flatten().step_by(step) {
        for segmentation in [Segmentation::Plain, Segmentation::Full] {
            let cuts = [&pair.a, &pair.b].map(|text| find_cuts(text, segmentation));
            let ks: Vec<usize> = (2..=8)
                .filter(|&k| combinations(&cuts[0], &cuts[1], k) < most)
                .collect();
            if !slow && combinations(&cuts[0], &cuts[1], 2) > 300.0 {
                continue;
            }
            let twin = Twin::new((&pair.a, &cuts[0]), (&pair.b, &cuts[1]));
            for k in ks {
                let found = align_by_tokens((&pair.a, &cuts[0]), (&pair.b, &cuts[1]), k);
                assert_same(found, twin.best(k), [&cuts[0], &cuts[1]]);
                checked += 1;
            }
        }
    }
    eprintln!("{checked} alignments compared");
}

/// Beyond [`MAX_PIECES`] some of the places are looked at, and the result says how many.
#[test]
fn long_answers_are_coarsened_and_say_so() {
    let long: String = (0..MAX_PIECES + 40)
        .map(|i| format!("Word{i} is here. "))
        .collect();
    let exact = found(
        &"So it is. ".repeat(MAX_PIECES),
        "It is. So it is here.",
        Segmentation::Plain,
        2,
    )
    .unwrap();
    let coarse = found(&long, "Word7 is here. So it is.", Segmentation::Plain, 2).unwrap();
    assert_eq!(
        (exact.searched, coarse.searched),
        ([None, None], [Some(MAX_PIECES - 1), None])
    );
    let segments = coarse.alignment.segments(&long, "Word7 is here. So it is.");
    assert_eq!(
        segments.iter().map(|segment| segment.0).collect::<String>(),
        long
    );
}

#[test]
fn what_cannot_be_split_is_not() {
    let found = |a: &str, b: &str, k| found(a, b, Segmentation::Plain, k);
    assert_eq!(found("One. Two.", "One.", 2), None, "too short");
    assert_eq!(
        found("One. Two. ", "three! four! ", 2),
        None,
        "nothing in common"
    );
    assert_eq!(found("One. Two. ", "One. Two. ", 1), None);
    let long = "One. ".repeat(99);
    assert_eq!(found(&long, &long, MAX_SEGMENTS + 1), None);
    assert_eq!(found("One. Two.", "One. Two.", 2).unwrap().score, 2.0);
}

/// Short texts of few words: many equal sums.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![8 => "[abc]", 1 => "[A-D]é?", 1 => "、|。|\\?|1\\.|`"];
    let sentence = (
        prop::collection::vec(word, 0..4),
        prop_oneof![6 => Just(". "), 1 => Just("\n"), 1 => Just(" ")],
    );
    let sentences = prop::collection::vec(sentence, 0..9);
    sentences.prop_map(|sentences| {
        sentences
            .into_iter()
            .map(|(words, end)| words.join(" ") + end)
            .collect()
    })
}

/// A similarity given by a table of few values, some of which round differently in different
/// orders.
#[derive(Clone, Debug)]
struct Table {
    n: usize,
    m: usize,
    values: Vec<f64>,
}

impl Similarity for Table {
    fn pieces(&self) -> (usize, usize) {
        (self.n, self.m)
    }

    fn similarity(&self, a: Range<usize>, b: Range<usize>) -> f64 {
        self.values[(a.start * 31 + a.end * 17 + b.start * 7 + b.end) % self.values.len()]
    }
}

fn table() -> impl Strategy<Value = Table> {
    let value = prop::sample::select(vec![
        0.0,
        0.1,
        0.2,
        0.3,
        1.0 / 3.0,
        2.0 / 3.0,
        0.7,
        0.1 + 0.2,
        1.0,
        -0.4,
    ]);
    (2..8usize, 2..8usize, prop::collection::vec(value, 1..40)).prop_map(|(n, m, values)| Table {
        n,
        m,
        values,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn few_words_are_cut_as_the_twin_cuts_them(a in text(), b in text(), k in 2..6usize) {
        check(&a, &b, Segmentation::Plain, k);
        check(&a, &b, Segmentation::Full, k);
    }

    /// Sums that differ in their last bit only, and sums that rounding makes equal.
    #[test]
    fn any_similarity_is_maximised_as_the_twin_does(table in table(), k in 2..6usize) {
        let text = |n: usize| "x. ".repeat(n);
        let cuts = [find_cuts(&text(table.n), Segmentation::Plain), find_cuts(&text(table.m), Segmentation::Plain)];
        let twin = exhaustive((table.n, table.m), k, |a, b| table.similarity(a[0]..a[1], b[0]..b[1]));
        assert_same(align_by_similarity(&cuts[0], &cuts[1], &table, k), twin, [&cuts[0], &cuts[1]]);
    }
}
