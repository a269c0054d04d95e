//! Items whose answers are known to follow or to break their constraints: the IFEval-TweakSet of
//! Tripathi et al. ("Pairwise or Pointwise? Evaluating Feedback Protocols for Bias in LLM-Based
//! Evaluation", section 3.3 and appendix A.2), by construction in place of a language model.
//!
//! There, 400 prompts were simplified to a question and three constraints that do not conflict, in
//! random order, and a model wrote an answer that follows all and three that break one, two and
//! three of them. Here the answers are written from a plain answer by rules, and every one is
//! checked: what cannot be made so is not made.

mod choose;
mod conflicts;
mod draw;
mod questions;
mod words;
mod write;

pub use conflicts::{MADE, conflicts};
pub use questions::{Question, questions};

use crate::format_marks::count_words;
use crate::python::split_words;
use crate::sentences::split_sentences;
use crate::{Constraint, Constraints, Id};
use choose::{Size, choose_types, make_constraint};
use draw::Draw;
use words::{POSTSCRIPTS, TITLES};
use write::Draft;

/// How often other constraints are drawn where an answer cannot be made.
const ATTEMPTS: usize = 32;

/// An item with an answer that follows its three constraints, and three that break more and more of
/// them.
#[derive(Clone, Debug, PartialEq)]
pub struct Tweaked {
    /// Three constraints, in the order asked; no two conflict.
    pub constraints: Vec<Constraint>,
    /// The question, and the constraints as a list.
    pub instruction: String,
    /// Follows all three strictly.
    pub adherent: String,
    /// Severity 1, 2 and 3: breaks (even loosely) one, two and all three; what one breaks the next
    /// breaks too. What an answer does not break it follows strictly.
    pub broken: [String; 3],
    /// The position in `constraints` of the one that severity 1 breaks, of that which severity 2
    /// adds, and of the last.
    pub order: [usize; 3],
}

impl Tweaked {
    /// Returns the constraints in IFEval's form.
    pub fn to_json(&self) -> serde_json::Value {
        Constraints::new(self.constraints.clone()).to_json()
    }
}

/// Makes an item of this question and this plain answer, which should have three sentences or more
/// and no markup.
///
/// The draws are a function of `seed` and `stream` (the number of the item) alone. `None` where the
/// answer has fewer than three sentences, or where in 32 draws of constraints no item passed the
/// check; the caller counts these.
pub fn tweak(question: &str, answer: &str, seed: u64, stream: u64) -> Option<Tweaked> {
    let mut draw = Draw::new(seed, stream);
    // The words of each sentence with single spaces between them.
    let sentences = split_sentences(answer).into_iter();
    let plain: Vec<String> = sentences
        .map(|sentence| split_words(sentence).collect::<Vec<_>>().join(" "))
        .collect();
    if plain.len() < 3 {
        return None;
    }
    (0..ATTEMPTS).find_map(|_| try_item(question.trim(), &plain, &mut draw))
}

fn try_item(question: &str, plain: &[String], draw: &mut Draw) -> Option<Tweaked> {
    let draft = Draft {
        question,
        sentences: plain.to_vec(),
        title: TITLES[draw.number_below(TITLES.len())],
        postscript: POSTSCRIPTS[draw.number_below(POSTSCRIPTS.len())],
    };
    let constraints = choose_constraints(&draft, draw)?;
    let order: [usize; 3] = draw.pick_some(&[0, 1, 2], 3).try_into().ok()?;
    let adherent = write_checked(&draft, &constraints, &[])?;
    let broken = [
        write_checked(&draft, &constraints, &order[..1])?,
        write_checked(&draft, &constraints, &order[..2])?,
        write_checked(&draft, &constraints, &order)?,
    ];
    let mut instruction = format!("Question: {question}\nFormat:");
    for constraint in &constraints {
        instruction.push_str(&format!("\n- {}", constraint.describe()));
    }
    Some(Tweaked {
        constraints,
        instruction,
        adherent,
        broken,
        order,
    })
}

/// Chooses the constraints of three types. Those of length come last, since they depend on what the
/// others add, and are put in their places.
fn choose_constraints(draft: &Draft<'_>, draw: &mut Draw) -> Option<Vec<Constraint>> {
    let types = choose_types(draw);
    let mut made: Vec<(usize, Constraint)> = Vec::new();
    // Length is measured on the text that the other constraints make.
    for is_late in [false, true] {
        let size = measure_draft(draft, &made);
        for (at, id) in types.iter().enumerate() {
            if matches!(id, Id::Sentences | Id::Words) == is_late {
                made.push((at, make_constraint(*id, &size, draw)?));
            }
        }
    }
    made.sort_by_key(|(at, _)| *at);
    Some(made.into_iter().map(|(_, constraint)| constraint).collect())
}

/// Measures the plain answer, and the text that follows these constraints.
fn measure_draft<'a>(draft: &Draft<'a>, made: &[(usize, Constraint)]) -> Size<'a> {
    let asked: Vec<_> = made
        .iter()
        .map(|(_, constraint)| (constraint, true))
        .collect();
    let text = draft.write_text(&asked);
    Size {
        question: draft.question,
        plain: draft.sentences.len(),
        plain_words: count_words(&draft.sentences.join(" ")),
        sentences: split_sentences(&text).len(),
        words: count_words(&text),
    }
}

/// Writes the answer that breaks these, if the check agrees.
fn write_checked(
    draft: &Draft<'_>,
    constraints: &[Constraint],
    breaks: &[usize],
) -> Option<String> {
    let constraints = constraints.iter().enumerate();
    let asked: Vec<_> = constraints
        .map(|(at, constraint)| (constraint, !breaks.contains(&at)))
        .collect();
    let text = draft.write_text(&asked);
    // It follows a constraint strictly, or breaks it even loosely.
    let is_as_asked = asked.into_iter().all(|(constraint, follow)| match follow {
        true => constraint.is_followed_by(&text),
        false => !constraint.is_followed_loosely_by(&text),
    });
    is_as_asked.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_draws_give_an_item() {
        let mut passed = 0;
        for (stream, question) in questions().iter().enumerate() {
            let plain: Vec<String> = split_sentences(&question.answer)
                .into_iter()
                .map(str::to_owned)
                .collect();
            let mut draw = Draw::new(7, stream as u64);
            passed += (0..10)
                .filter(|_| try_item(&question.question, &plain, &mut draw).is_some())
                .count();
        }
        let all = 10 * questions().len();
        println!("{passed} of {all} draws");
        assert!(10 * passed > 9 * all, "{passed} of {all} draws");
    }

    #[test]
    fn an_answer_that_cannot_be_made_to_fit_is_not_made() {
        // Every sentence asks to be quoted, and has brackets, asterisks, a title, commas and a
        // postscript already.
        let odd = "\"*a*, [b] <<c>> P.S. P.P.S AMAZING SECTION 1 BASICALLY.\"".repeat(3);
        assert!(tweak("Why?", &odd, 0, 0).is_none_or(|item| {
            Constraints::new(item.constraints)
                .check(&item.adherent)
                .all_strict()
        }));
    }
}
