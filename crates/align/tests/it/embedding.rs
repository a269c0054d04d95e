//! The best alignment by embeddings against the definition, searched exhaustively.

use crate::common::{Choice, exhaustive};
use evenhand_align::{Aligned, Cuts, EmbeddingSimilarity, MAX_PIECES, Segmentation, Similarity};
use evenhand_align::{align_by_embedding, find_cuts, pieces_to_embed};
use proptest::prelude::*;

/// An answer of pieces with these vectors; piece t has 3 + t % 3 characters.
fn answer(vectors: &[Vec<f32>]) -> (String, Cuts) {
    let text: String = (0..vectors.len())
        .map(|at| format!("{}. ", "x".repeat(1 + at % 3)))
        .collect();
    let cuts = find_cuts(&text, Segmentation::Plain);
    assert_eq!(pieces_to_embed(&text, &cuts).len(), vectors.len());
    (text, cuts)
}

fn found(a: &[Vec<f32>], b: &[Vec<f32>], k: usize) -> Option<Aligned> {
    align_by_embedding((&answer(a).1, a), (&answer(b).1, b), k)
}

/// The score and the numbers of the places that were chosen.
fn choice(found: &Aligned, cuts: [&Cuts; 2]) -> Choice {
    let places = |chosen: &[evenhand_align::Cut], cuts: &Cuts| {
        chosen
            .iter()
            .map(|cut| cuts.places().iter().position(|place| place == cut).unwrap())
            .collect()
    };
    (
        found.score,
        places(&found.alignment.a, cuts[0]),
        places(&found.alignment.b, cuts[1]),
    )
}

fn weighted(vectors: &[Vec<f32>]) -> Vec<Vec<f64>> {
    let length = |at: usize| (3 + at % 3) as f64;
    let scaled = |(at, vector): (usize, &Vec<f32>)| {
        vector
            .iter()
            .map(|value| f64::from(*value) * length(at))
            .collect()
    };
    vectors.iter().enumerate().map(scaled).collect()
}

/// The definition: the pieces' vectors added up, and the cosine of the two sums.
fn naive(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let sum = |vectors: &[Vec<f64>]| -> Vec<f64> {
        (0..vectors[0].len())
            .map(|at| vectors.iter().map(|vector| vector[at]).sum())
            .collect()
    };
    let dot = |u: &[f64], v: &[f64]| -> f64 { u.iter().zip(v).map(|(u, v)| u * v).sum() };
    let (u, v) = (sum(a), sum(b));
    let lengths = (dot(&u, &u) * dot(&v, &v)).sqrt();
    if lengths > 0.0 {
        (dot(&u, &v) / lengths).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

#[test]
fn like_points_to_like() {
    let (east, north, west) = (vec![1.0, 0.0], vec![0.0, 1.0], vec![-1.0, 0.0]);
    let cut = |a: &[Vec<f32>], b: &[Vec<f32>], k| {
        found(a, b, k).map(|found| choice(&found, [&answer(a).1, &answer(b).1]))
    };
    let (a, b) = (
        [east.clone(), east.clone(), north.clone()],
        [east.clone(), north.clone(), north.clone()],
    );
    assert_eq!(cut(&a, &b, 2), Some((2.0, vec![1], vec![0])));
    // 3 characters east and 4 north: the cosine with east is 3/5.
    let score = cut(
        &[east.clone(), east.clone(), north.clone()],
        &[east.clone(), east.clone(), north.clone()],
        3,
    )
    .unwrap()
    .0;
    assert_eq!(score, 3.0);
    let both = found(
        &[east.clone(), north.clone(), west.clone()],
        &[east.clone(), west.clone()],
        2,
    )
    .unwrap();
    // East | north and west: 1 + 5/√41; east and north | west: 3/5 + 1.
    assert!(
        (both.score - (1.0 + 5.0 / 41f64.sqrt())).abs() < 1e-12,
        "{}",
        both.score
    );
    assert_eq!(
        cut(&[east.clone(), east.clone()], &[west.clone(), west], 2),
        None,
        "nothing points the same way"
    );
    let zero = vec![0.0, 0.0];
    assert_eq!(
        cut(&[zero.clone(), zero], &[east.clone(), east], 2),
        None,
        "a zero vector points nowhere"
    );
}

#[test]
fn what_does_not_fit_is_not_aligned() {
    let one = |n: usize| vec![vec![1.0f32]; n];
    let (_, cuts) = answer(&one(3));
    assert!(align_by_embedding((&cuts, &one(3)), (&cuts, &one(3)), 3).is_some());
    assert_eq!(
        align_by_embedding((&cuts, &one(2)), (&cuts, &one(3)), 2),
        None,
        "a vector is missing"
    );
    assert_eq!(
        align_by_embedding(
            (&cuts, &one(3)),
            (&cuts, &[vec![1.0, 1.0], vec![1.0, 1.0], vec![1.0, 1.0]]),
            2
        ),
        None,
        "lengths"
    );
    assert_eq!(
        align_by_embedding((&cuts, &one(3)), (&cuts, &one(3)), 4),
        None,
        "too short"
    );
    assert_eq!(
        align_by_embedding((&cuts, &one(3)), (&cuts, &one(3)), 1),
        None
    );
    assert!(EmbeddingSimilarity::new(&vec![vec![1.0]; MAX_PIECES + 1], &[vec![1.0]]).is_none());
    assert!(EmbeddingSimilarity::new(&[], &[vec![1.0]]).is_none());
}

#[test]
fn long_answers_are_coarsened_and_say_so() {
    let long: String = (0..MAX_PIECES + 40)
        .map(|i| format!("Word{i} is here. "))
        .collect();
    let short = "Word7 is here. So it is.";
    let [cuts_long, cuts_short] =
        [long.as_str(), short].map(|text| find_cuts(text, Segmentation::Plain));
    let pieces = pieces_to_embed(&long, &cuts_long);
    assert_eq!(pieces.len(), MAX_PIECES);
    assert!(
        pieces
            .iter()
            .all(|piece| piece.starts_with("Word") && piece.ends_with('.'))
    );
    let vectors: Vec<[f32; 2]> = (0..MAX_PIECES)
        .map(|at| if at < 100 { [1.0, 0.0] } else { [0.0, 1.0] })
        .collect();
    let found = align_by_embedding(
        (&cuts_long, &vectors),
        (&cuts_short, &[[1.0f32, 0.0], [0.0, 1.0]]),
        2,
    )
    .unwrap();
    assert_eq!(
        (found.score, found.searched),
        (2.0, [Some(MAX_PIECES - 1), None])
    );
    // The first segment is the first hundred pieces.
    let (first, _) = found.alignment.segments(&long, short)[0];
    assert!(first.trim_end().ends_with(pieces[99]) && !first.contains(pieces[100]));
}

/// Where all choices are nearly equal, fewer places are looked at until they can be told apart.
#[test]
fn very_many_equal_choices_end() {
    let text = "It is. ".repeat(120);
    let cuts = find_cuts(&text, Segmentation::Plain);
    let vectors = vec![[0.6f32, 0.8]; 120];
    let found = align_by_embedding((&cuts, &vectors), (&cuts, &vectors), 3).unwrap();
    assert!(
        (found.score - 3.0).abs() < 1e-9 && found.searched.iter().all(Option::is_some),
        "{found:?}"
    );
}

#[test]
fn pieces_are_embedded_without_the_space_around_them() {
    let text = "  One. Two.\n\n  Three.\n";
    assert_eq!(
        pieces_to_embed(text, &find_cuts(text, Segmentation::Full)),
        ["One.", "Two.", "Three."]
    );
}

/// Few directions, some opposite and some zero: many equal sums.
fn vectors() -> impl Strategy<Value = Vec<Vec<f32>>> {
    let value = prop::sample::select(vec![0.0f32, 1.0, -1.0, 0.5, 3.0, 0.25]);
    prop::collection::vec(prop::collection::vec(value, 3), 2..8)
}

/// Any directions.
fn directions() -> impl Strategy<Value = Vec<Vec<f32>>> {
    prop::collection::vec(prop::collection::vec(-1.0f32..1.0, 7), 2..9)
}

fn check(a: &[Vec<f32>], b: &[Vec<f32>], k: usize) {
    let (weighted_a, weighted_b) = (weighted(a), weighted(b));
    let similarity = EmbeddingSimilarity::new(&weighted_a, &weighted_b).unwrap();
    let cuts = [answer(a).1, answer(b).1];
    let found = found(a, b, k).map(|found| choice(&found, [&cuts[0], &cuts[1]]));
    // To the last bit and the last cut what the exhaustive search finds in these similarities.
    let twin = exhaustive((a.len(), b.len()), k, |a, b| {
        similarity.similarity(a[0]..a[1], b[0]..b[1])
    });
    assert_eq!(
        found.as_ref().map(|found| found.0.to_bits()),
        twin.as_ref().map(|twin| twin.0.to_bits())
    );
    assert_eq!(found, twin);
    // And the similarities are those of the definition, but for rounding.
    let by_definition =
        |a: &[usize], b: &[usize]| naive(&weighted_a[a[0]..a[1]], &weighted_b[b[0]..b[1]]);
    let slow = exhaustive((a.len(), b.len()), k, |a, b| {
        let (fast, slow) = (
            similarity.similarity(a[0]..a[1], b[0]..b[1]),
            by_definition(a, b),
        );
        assert!((fast - slow).abs() < 1e-9, "{a:?} {b:?}: {fast} and {slow}");
        slow
    });
    let score = |choice: &Option<Choice>| choice.as_ref().map_or(0.0, |choice| choice.0);
    assert!(
        (score(&found) - score(&slow)).abs() < 1e-8,
        "{found:?} and {slow:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn few_directions_are_aligned_as_the_definition_says(a in vectors(), b in vectors(), k in 2..5usize) {
        check(&a, &b, k);
    }

    #[test]
    fn any_directions_are_aligned_as_the_definition_says(a in directions(), b in directions(), k in 2..5usize) {
        check(&a, &b, k);
    }
}
