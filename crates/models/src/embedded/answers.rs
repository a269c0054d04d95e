//! How probable each of some answers is where one is due.

use super::halt::{Halt, invalid, no_numbers};
use super::llama::Token;
use super::softmax::{exponential, log_sum_exp};
use super::stack::Stack;
use super::vocabulary::Vocabulary;
use std::collections::BTreeMap;

/// The answers' spellings as a tree of tokens.
#[derive(Debug, Default)]
pub(super) struct Answers {
    root: Node,
    count: usize,
}

#[derive(Debug, Default)]
struct Node {
    next: BTreeMap<Token, Node>,
    /// The answer that is complete here.
    answer: Option<usize>,
}

/// An answer is a word or a number.
const LONGEST: usize = 32;

impl Answers {
    /// Makes the tree of all spellings of these answers. A spelling that two of them share belongs
    /// to the first.
    pub(super) fn new(options: &[String], vocabulary: &Vocabulary) -> Result<Answers, Halt> {
        let mut root = Node::default();
        for (answer, option) in options.iter().enumerate() {
            let spellings = vocabulary.spell_answer(option);
            if option.is_empty() || spellings.iter().any(|spelling| spelling.len() > LONGEST) {
                return Err(invalid(format!(
                    "the answer {option:?} cannot be asked for: answers have 1 to {LONGEST} tokens"
                )));
            }
            for spelling in spellings {
                root.insert(&spelling, answer);
            }
        }
        Ok(Answers {
            root,
            count: options.len(),
        })
    }

    /// Returns how many tokens have to be read beyond the place where the answer is due.
    pub(super) fn depth(&self) -> usize {
        self.root.depth().saturating_sub(1)
    }

    /// Returns the probability of each answer after what is on the stack, which is left as it was.
    /// `logits` are those at its top.
    ///
    /// An answer's probability is the sum over its spellings of the product of their tokens'
    /// probabilities; where a spelling is the beginning of another answer's ("1" of "10"), what
    /// goes on to the other is the other's.
    pub(super) fn measure_all(&self, logits: &[f32], stack: &mut Stack) -> Result<Vec<f64>, Halt> {
        let mut found = vec![0.0; self.count];
        self.root.measure(1.0, logits, stack, &mut found)?;
        Ok(found)
    }
}

impl Node {
    fn insert(&mut self, spelling: &[Token], answer: usize) {
        match spelling {
            [] => self.answer = self.answer.or(Some(answer)),
            [first, rest @ ..] => self.next.entry(*first).or_default().insert(rest, answer),
        }
    }

    fn depth(&self) -> usize {
        self.next
            .values()
            .map(|node| 1 + node.depth())
            .max()
            .unwrap_or(0)
    }

    /// Adds up what lies beyond this node, which is reached with probability `reached`; returns all
    /// of it.
    fn measure(
        &self,
        reached: f64,
        logits: &[f32],
        stack: &mut Stack,
        found: &mut [f64],
    ) -> Result<f64, Halt> {
        let whole = log_sum_exp(logits);
        if !whole.is_finite() {
            return Err(no_numbers());
        }
        let mut all = 0.0;
        for (token, node) in &self.next {
            let probability = reached * share_of(*token, logits, whole);
            let mut beyond = 0.0;
            if !node.next.is_empty() {
                let length = stack.len();
                let logits = stack.push_token(*token)?.to_vec();
                beyond = node.measure(probability, &logits, stack, found)?;
                stack.cut_to(length)?;
            }
            all += match node.answer {
                // It has what does not go on to longer ones.
                Some(answer) => {
                    found[answer] += (probability - beyond).max(0.0);
                    probability
                }
                None => beyond,
            };
        }
        Ok(all)
    }
}

/// Returns the probability of a token, where `whole` is the logarithm of all exponentials' sum.
fn share_of(token: Token, logits: &[f32], whole: f64) -> f64 {
    let logit = logits.get(token as usize).copied().map(f64::from);
    // A token that the logits do not have cannot be written.
    let logit = logit.unwrap_or(f64::NEG_INFINITY);
    exponential((logit - whole).min(0.0))
}
