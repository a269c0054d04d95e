use super::*;
use proptest::prelude::*;

fn trajectory(texts: &[String]) -> Trajectory {
    let steps = texts.iter().zip(1..);
    let steps = steps.map(|(text, number)| Step::new(number, StepKind::Call, text.clone()));
    Trajectory {
        steps: steps.collect(),
        length: texts.len() as u32 + 1,
        ..Trajectory::default()
    }
}

/// Returns what a cut trajectory costs, by the plainest count.
fn cost_of(trajectory: &Trajectory, text: &str) -> u64 {
    let mut cost = if trajectory.left_out.is_some() { 30 } else { 0 };
    for step in &trajectory.steps {
        cost += 30 + approximate_tokens(&step.text);
    }
    if text.is_empty() && trajectory.left_out.is_some() {
        cost
    } else {
        cost + 30 + approximate_tokens(text)
    }
}

/// Returns whether a piece is of its step.
fn is_piece_of(step: &Step, whole: &str) -> bool {
    match step.piece {
        Piece::Whole => step.text == whole,
        Piece::Beginning => whole.starts_with(&step.text),
        Piece::End => whole.ends_with(&step.text),
    }
}

fn words(count: usize) -> String {
    "word ".repeat(count)
}

#[test]
fn what_fits_stays_as_it_is() {
    let whole = trajectory(&[words(10), words(20)]);
    let cut = cut_middle(whole.clone(), "done".into(), 200);
    assert_eq!(cut, (whole, "done".to_owned()));
}

#[test]
fn the_middle_is_left_out_and_counted() {
    let steps: Vec<String> = (0..10).map(|_| words(70)).collect();
    let (cut, text) = cut_middle(trajectory(&steps), words(50), 400);
    let numbers: Vec<_> = cut
        .steps
        .iter()
        .map(|step| (step.number, step.piece))
        .collect();
    assert_eq!(
        numbers,
        [(1, Piece::Whole), (2, Piece::Beginning), (10, Piece::Whole),]
    );
    assert_eq!((text, cut.final_piece), (words(50), Piece::Whole));
    let gap = cut.left_out.unwrap();
    assert_eq!((gap.after, gap.steps), (2, 7));
    let kept: u64 = cut
        .steps
        .iter()
        .map(|step| approximate_tokens(&step.text))
        .sum();
    assert_eq!(gap.tokens, 10 * approximate_tokens(&words(70)) - kept);
}

#[test]
fn a_final_message_that_is_too_long_is_cut_itself() {
    let (cut, text) = cut_middle(trajectory(&["call".into()]), words(1000), 400);
    assert_eq!(cut.final_piece, Piece::End);
    assert_eq!(cut.steps[1].number, 2);
    assert_eq!(cut.steps[1].piece, Piece::Beginning);
    assert_eq!(cut.left_out.unwrap().after, 2);
    assert!(words(1000).ends_with(&text));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn head_and_tail_stay_within_the_budget_and_the_gap_is_exact(
        texts in proptest::collection::vec("[a-z0-9 .{}\n\u{4e00}]{0,400}", 0..12),
        last in "[a-z \n.]{0,900}",
        budget in 200_u64..900,
    ) {
        let whole = trajectory(&texts);
        let mut all = texts.clone();
        all.push(last.clone());
        let total: u64 = all.iter().map(|text| approximate_tokens(text)).sum();
        let (cut, text) = cut_middle(whole.clone(), last.clone(), budget);
        let Some(gap) = cut.left_out else {
            prop_assert!(cost_of(&cut, &text) <= budget);
            prop_assert_eq!((cut, text), (whole, last));
            return Ok(());
        };
        prop_assert!(total + 30 * all.len() as u64 > budget);
        prop_assert!(cost_of(&cut, &text) <= budget, "{} > {}", cost_of(&cut, &text), budget);
        let kept: u64 = cut.steps.iter().map(|step| approximate_tokens(&step.text)).sum();
        prop_assert_eq!(gap.tokens, total - kept - approximate_tokens(&text));
        prop_assert!(last.ends_with(&text));
        for step in &cut.steps {
            prop_assert!(is_piece_of(step, &all[step.number as usize - 1]));
        }
        // The head is whole up to its last step, the tail from its first on.
        let (head, tail) = cut.steps.split_at(gap.after);
        prop_assert!(head.iter().zip(1..).all(|(step, number)| step.number == number));
        let from = all.len() as u32 - tail.len() as u32;
        prop_assert!(tail.iter().zip(from..).all(|(step, number)| step.number == number));
        prop_assert!(!head.is_empty() || !tail.is_empty() || !text.is_empty());
    }
}
