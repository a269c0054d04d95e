//! A verdict that nobody gave: one of those that a form allows, for studies of what failures do
//! (Gao et al. 2025, appendix C). No protocol ever takes one.

use crate::Form;
use crate::probabilities::make_choice;
use crate::verdicts::compare_scores;
use evenhand_core::{Grade, Verdict, VerdictSource};

/// Returns a verdict on `count` responses with every answer of the form as likely as any other;
/// `draw_below` draws a number from 0 up to its argument, exclusively. None for likelihoods, which
/// are no answers, and for checklists, whose answers are the item's.
pub fn draw_verdict(
    form: Form,
    count: usize,
    draw_below: &mut dyn FnMut(usize) -> usize,
) -> Option<Verdict> {
    match form {
        Form::Likelihood(_) | Form::Reward => None,
        // An order without ties, by Fisher and Yates's shuffle.
        Form::Listwise(_) => {
            let mut places: Vec<f64> = (1..=count).map(|place| place as f64).collect();
            for last in (1..count).rev() {
                places.swap(last, draw_below(last + 1));
            }
            Some(Verdict::Listwise {
                places,
                source: VerdictSource::Text,
            })
        }
        Form::PairwiseScore(scale) => {
            let values: Vec<f64> = scale.values().collect();
            let mut draw = || values.get(draw_below(values.len())).copied();
            let scores = [draw()?, draw()?];
            let grade = Grade::Scores(scores);
            Some(compare_scores(scores, grade, 0.0, VerdictSource::Text))
        }
        _ => {
            let options = form.options().len();
            // A checklist decides by criteria of the item's own, and has no answers of the form.
            let at = (options > 0).then(|| draw_below(options))?;
            Some(make_choice(form, at, options, VerdictSource::Text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(form: &str, count: usize, numbers: &[usize]) -> Option<Verdict> {
        let mut numbers = numbers.iter();
        let mut draw = |limit: usize| *numbers.next().unwrap() % limit;
        draw_verdict(Form::parse(form).unwrap(), count, &mut draw)
    }

    #[test]
    fn every_form_draws_an_answer_of_its_own() {
        let side = |form, at| draws(form, 2, &[at, at]).unwrap().preference();
        assert_eq!(side("pairwise", 0), Some([1.0, 0.0, 0.0]));
        assert_eq!(side("pairwise", 1), Some([0.0, 0.0, 1.0]));
        assert_eq!(side("pairwise-tie", 2), Some([0.0, 1.0, 0.0]));
        assert_eq!(side("pairwise-5point", 3), Some([0.0, 0.0, 1.0]));
        assert_eq!(side("pairwise-score:1-10", 4), Some([0.0, 1.0, 0.0]));
        let score = draws("pointwise:0-9", 1, &[7]);
        assert!(
            matches!(score, Some(Verdict::Pointwise { score: 7.0, .. })),
            "{score:?}"
        );
        assert_eq!(draws("likelihood", 1, &[0]), None);
    }

    #[test]
    fn an_order_has_every_place_once() {
        let Some(Verdict::Listwise { mut places, .. }) = draws("listwise:4", 4, &[2, 0, 1]) else {
            panic!("expected an order");
        };
        places.sort_by(f64::total_cmp);
        assert_eq!(places, [1.0, 2.0, 3.0, 4.0]);
    }
}
