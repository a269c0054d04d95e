//! Two texts read side by side, each blind to the other, and a question that sees both.
//!
//! Both stand behind the same beginning, from the same position on. What names them stands behind
//! each, and the question behind both. Which cells of the memory hold them decides the last bits of
//! the sums over it. So a text is read behind the beginning alone, whatever it is compared with,
//! and a copy of what was read is put into fresh cells for each pair, in the order of the request.
//! A reply is then the same whether a text was read for this pair or for an earlier one.

use super::answers::Answers;
use super::halt::{Halt, invalid, no_numbers};
use super::llama::{Placed, Token};
use super::prompt::Prompter;
use super::stack::Stack;
use evenhand_core::{Reply, Request, Usage};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts that were read are kept up to so many bytes, for all workers together. Where the texts of
/// an item have more, those that were not used for the longest time are read again.
const KEPT_BYTES: usize = 256 << 20;

/// Where what was read is put: the two texts, and the names of each.
const TEXTS: [i32; 2] = [1, 2];
const NAMES: [[i32; 2]; 2] = [[3, 4], [5, 6]];
/// Where the question is read, once with each way of naming.
const READINGS: [i32; 2] = [7, 8];

/// How many sequences a context needs for it, the one of the stack among them.
pub(super) const SEQUENCES: u32 = 9;

/// The tokens of a comparison.
pub(super) struct Beside {
    beginning: Vec<Token>,
    texts: [Vec<Token>; 2],
    names: [Vec<Token>; 2],
    question: Vec<Token>,
    answers: Answers,
}

/// What was read of a text: its cells, and those of each name behind it.
#[derive(Debug)]
struct Read {
    text: Vec<u8>,
    names: [Vec<u8>; 2],
}

/// The texts of which is known what was read, by all that decides it.
#[derive(Debug, Default)]
pub(super) struct Forest(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// By the tokens of beginning, text and names: when it was used last, and what was read.
    read: BTreeMap<Vec<Token>, (u64, Arc<Read>)>,
    bytes: usize,
    uses: u64,
}

impl Beside {
    /// Tokenises a comparison.
    pub(super) fn new(
        prompter: &Prompter,
        request: &Request,
        texts: &[String; 2],
        names: &[String; 2],
        question: &str,
        answers: &[String],
    ) -> Result<Beside, Halt> {
        let vocabulary = &prompter.vocabulary;
        let (beginning, question) = prompter.tokenize_around(&request.messages, question)?;
        let texts = texts.each_ref().map(|text| vocabulary.tokenize_line(text));
        if texts.iter().any(Vec::is_empty) || question.is_empty() {
            return Err(invalid(
                "an empty text cannot be read side by side with another",
            ));
        }
        let answers = Answers::new(answers, vocabulary)?;
        if answers.depth() > 0 {
            return Err(invalid(
                "this model spells an answer in several tokens, so that responses cannot be read \
                 side by side; use swap:average",
            ));
        }
        Ok(Beside {
            beginning,
            texts,
            names: names.each_ref().map(|name| vocabulary.tokenize_line(name)),
            question,
            answers,
        })
    }

    /// Returns all tokens that the comparison reads, those first that others share.
    pub(super) fn all_tokens(&self) -> Vec<Token> {
        let [first, second] = &self.texts;
        let names = self.names.concat();
        let parts = [&self.beginning, first, second, &names, &names];
        let mut all: Vec<Token> = parts.into_iter().flatten().copied().collect();
        all.extend(&self.question);
        all.extend(&self.question);
        all
    }

    /// Answers the question, by the mean of both ways of naming the texts.
    pub(super) fn answer(
        &self,
        stack: &mut Stack,
        forest: &Forest,
        options: &[String],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Reply, Halt> {
        let measured = self.measure(stack, forest, is_stopped);
        // Whatever came of it: what is read next is to find the cells as if nothing had been.
        stack.forget_copies();
        let [one, mut other] = measured?;
        // In the other reading what is said of the first name is said of the second text.
        other.swap(0, 1);
        let answers = mean_of(&one, &other);
        let likeliest = (1..answers.len()).fold(0, |most, at| {
            if answers[at] > answers[most] {
                at
            } else {
                most
            }
        });
        Ok(Reply {
            text: options.get(likeliest).cloned().unwrap_or_default(),
            answers: Some(answers),
            usage: Usage::of_prompt(self.all_tokens().len() as u64),
            ..Reply::default()
        })
    }

    /// Returns the probability of each answer, once with each way of naming the texts.
    fn measure(
        &self,
        stack: &mut Stack,
        forest: &Forest,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<[Vec<f64>; 2], Halt> {
        stack.stand_at(&self.beginning, is_stopped)?;
        let first = self.read_text(0, stack, forest, is_stopped)?;
        let second = self.read_text(1, stack, forest, is_stopped)?;
        let read = [first, second];
        for (sequence, read) in TEXTS.into_iter().zip(&read) {
            stack.put(sequence, &read.text)?;
        }
        for (sequences, read) in NAMES.into_iter().zip(&read) {
            for (sequence, name) in sequences.into_iter().zip(&read.names) {
                stack.put(sequence, name)?;
            }
        }
        let mut placed = Vec::with_capacity(2 * self.question.len());
        for (naming, reading) in READINGS.into_iter().enumerate() {
            // The first text has the first name, and then the second.
            let named = [NAMES[0][naming], NAMES[1][1 - naming]];
            let ends = [0, 1].map(|text: usize| {
                let name = if text == 0 { naming } else { 1 - naming };
                self.texts[text].len() + self.names[name].len()
            });
            stack.join(reading, &[TEXTS[0], TEXTS[1], named[0], named[1]]);
            let start = self.beginning.len() + ends[0].max(ends[1]);
            let last = self.question.len() - 1;
            let tokens = self.question.iter().enumerate();
            placed.extend(tokens.map(|(index, token)| Placed {
                token: *token,
                position: start + index,
                sequence: reading,
                wants_output: index == last,
            }));
        }
        let logits = stack.read_placed(&placed, is_stopped)?;
        let mut measured = Vec::with_capacity(2);
        for logits in &logits {
            measured.push(self.answers.measure_all(logits, stack)?);
        }
        measured.try_into().map_err(|_| no_numbers())
    }

    /// Reads a text behind the beginning, and each name behind the text, unless that is known.
    fn read_text(
        &self,
        text: usize,
        stack: &mut Stack,
        forest: &Forest,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Arc<Read>, Halt> {
        const BETWEEN: Token = -1;
        let parts = [
            &self.beginning,
            &self.texts[text],
            &self.names[0],
            &self.names[1],
        ];
        let key = parts.map(|part| part.as_slice()).join(&BETWEEN);
        if let Some(read) = forest.find(&key).filter(|_| stack.share) {
            return Ok(read);
        }
        let start = stack.len();
        stack.push_all(&self.texts[text], is_stopped)?;
        let cells = stack.copy_from(start)?;
        let end = stack.len();
        let mut names = [Vec::new(), Vec::new()];
        for (cells, name) in names.iter_mut().zip(&self.names) {
            stack.push_all(name, is_stopped)?;
            *cells = stack.copy_from(end)?;
            stack.cut_to(end)?;
        }
        stack.cut_to(start)?;
        let read = Arc::new(Read { text: cells, names });
        if stack.share {
            forest.keep(key, read.clone());
        }
        Ok(read)
    }
}

impl Read {
    fn bytes(&self) -> usize {
        self.text.len() + self.names.iter().map(Vec::len).sum::<usize>()
    }
}

impl Forest {
    /// Lets go of everything.
    pub(super) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
    }

    fn find(&self, key: &[Token]) -> Option<Arc<Read>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let uses = kept.uses;
        let (used, read) = kept.read.get_mut(key)?;
        *used = uses;
        Some(read.clone())
    }

    fn keep(&self, key: Vec<Token>, read: Arc<Read>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = &mut *kept;
        let more = read.bytes();
        if more > KEPT_BYTES {
            return;
        }
        while kept.bytes.saturating_add(more) > KEPT_BYTES {
            let oldest = kept.read.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            if let Some((_, gone)) = kept.read.remove(&oldest) {
                kept.bytes -= gone.bytes();
            }
        }
        kept.uses += 1;
        if let Some((_, before)) = kept.read.insert(key, (kept.uses, read)) {
            kept.bytes -= before.bytes();
        }
        kept.bytes += more;
    }
}

/// Returns the mean of two distributions, each counting the same however much of it lies on the
/// answers, times the mean of how much does.
fn mean_of(one: &[f64], other: &[f64]) -> Vec<f64> {
    let masses = [one, other].map(|p| p.iter().sum::<f64>());
    let mass = (masses[0] + masses[1]) / 2.0;
    let share = |p: f64, mass: f64| if mass > 0.0 { p / mass } else { 0.0 };
    let pairs = one.iter().zip(other);
    pairs
        .map(|(one, other)| (share(*one, masses[0]) + share(*other, masses[1])) / 2.0 * mass)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_naming_count_the_same() {
        let mean = mean_of(&[0.8, 0.0], &[0.1, 0.1]);
        assert!((mean[0] - 0.75 * 0.5).abs() < 1e-12 && (mean[1] - 0.25 * 0.5).abs() < 1e-12);
        assert_eq!(mean_of(&[0.0, 0.0], &[0.0, 0.0]), [0.0, 0.0]);
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_is_let_go_first() {
        let forest = Forest::default();
        let read = || {
            Arc::new(Read {
                text: vec![0; KEPT_BYTES / 3],
                names: [Vec::new(), Vec::new()],
            })
        };
        for key in 0..3 {
            forest.keep(vec![key], read());
        }
        assert!(forest.find(&[0]).is_some());
        forest.keep(vec![3], read());
        let there = [0, 1, 2, 3].map(|key| forest.find(&[key]).is_some());
        assert_eq!(there, [true, false, true, true]);
        let too_large = Read {
            text: vec![0; KEPT_BYTES + 1],
            names: [Vec::new(), Vec::new()],
        };
        forest.keep(vec![4], Arc::new(too_large));
        assert!(forest.find(&[4]).is_none());
    }
}
