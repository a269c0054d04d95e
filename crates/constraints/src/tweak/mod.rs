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

use crate::format::words as count_words;
use crate::python::split;
use crate::sentences::sentences;
use crate::{Constraint, Constraints, Id};
use choose::{Size, constraint, three_types};
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
    /// The constraints in IFEval's form.
    pub fn to_json(&self) -> serde_json::Value {
        Constraints::new(self.constraints.clone()).to_json()
    }
}

/// An item of this question and this plain answer, which should have three sentences or more and no
/// markup.
///
/// The draws are a function of `seed` and `stream` (the number of the item) alone. `None` where the
/// answer has fewer than three sentences, or where in 32 draws of constraints no item passed the
/// check; the caller counts these.
pub fn tweak(question: &str, answer: &str, seed: u64, stream: u64) -> Option<Tweaked> {
    let mut draw = Draw::new(seed, stream);
    let plain: Vec<String> = sentences(answer)
        .into_iter()
        .map(|sentence| split(sentence).collect::<Vec<_>>().join(" "))
        .collect();
    if plain.len() < 3 {
        return None;
    }
    (0..ATTEMPTS).find_map(|_| attempt(question.trim(), &plain, &mut draw))
}

fn attempt(question: &str, plain: &[String], draw: &mut Draw) -> Option<Tweaked> {
    let draft = Draft {
        question,
        sentences: plain.to_vec(),
        title: TITLES[draw.below(TITLES.len())],
        postscript: POSTSCRIPTS[draw.below(POSTSCRIPTS.len())],
    };
    let constraints = three_constraints(&draft, draw)?;
    let order: [usize; 3] = draw.some(&[0, 1, 2], 3).try_into().ok()?;
    let adherent = checked(&draft, &constraints, &[])?;
    let broken = [
        checked(&draft, &constraints, &order[..1])?,
        checked(&draft, &constraints, &order[..2])?,
        checked(&draft, &constraints, &order)?,
    ];
    let instruction = instruction(question, &constraints);
    Some(Tweaked {
        constraints,
        instruction,
        adherent,
        broken,
        order,
    })
}

/// The constraints of three types. Those of length come last, since they depend on what the others
/// add, and are put in their places.
fn three_constraints(draft: &Draft<'_>, draw: &mut Draw) -> Option<Vec<Constraint>> {
    let types = three_types(draw);
    let plain_words = count_words(&draft.sentences.join(" "));
    let mut size = Size {
        question: draft.question,
        plain: draft.sentences.len(),
        plain_words,
        sentences: 0,
        words: 0,
    };
    let mut made: Vec<(usize, Constraint)> = Vec::new();
    let is_length = |id: Id| matches!(id, Id::Sentences | Id::Words);
    for late in [false, true] {
        let text = draft.write(
            &made
                .iter()
                .map(|(_, constraint)| (constraint, true))
                .collect::<Vec<_>>(),
        );
        (size.sentences, size.words) = (sentences(&text).len(), count_words(&text));
        for (at, id) in types
            .iter()
            .enumerate()
            .filter(|(_, id)| is_length(**id) == late)
        {
            made.push((at, constraint(*id, &size, draw)?));
        }
    }
    made.sort_by_key(|(at, _)| *at);
    Some(made.into_iter().map(|(_, constraint)| constraint).collect())
}

/// The answer that breaks these, if the check agrees.
fn checked(draft: &Draft<'_>, constraints: &[Constraint], breaks: &[usize]) -> Option<String> {
    let asked: Vec<_> = constraints
        .iter()
        .enumerate()
        .map(|(at, constraint)| (constraint, !breaks.contains(&at)))
        .collect();
    let text = draft.write(&asked);
    let as_asked = |(constraint, follow): &(&Constraint, bool)| match follow {
        true => constraint.followed(&text),
        false => !constraint.followed_loosely(&text),
    };
    asked.iter().all(as_asked).then_some(text)
}

fn instruction(question: &str, constraints: &[Constraint]) -> String {
    let format: String = constraints
        .iter()
        .map(|constraint| format!("\n- {}", constraint.describe()))
        .collect();
    format!("Question: {question}\nFormat:{format}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_draws_give_an_item() {
        let mut passed = 0;
        for (stream, question) in questions().iter().enumerate() {
            let plain: Vec<String> = sentences(&question.answer)
                .into_iter()
                .map(str::to_owned)
                .collect();
            let mut draw = Draw::new(7, stream as u64);
            passed += (0..10)
                .filter(|_| attempt(&question.question, &plain, &mut draw).is_some())
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
