//! Between which bounds the probability of each answer lies.

use super::tokens::{SeenTokens, Token};

/// Lower and upper bounds, in the order of the options.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bounds {
    low: Vec<f64>,
    high: Vec<f64>,
}

/// A walk along the tokens of a reply from the place where an answer is due.
struct Walk<'a> {
    options: &'a [String],
    seen: &'a [SeenTokens],
    bounds: Bounds,
}

/// Where a walk has come to.
#[derive(Clone)]
struct State {
    /// The text written since the place.
    written: Vec<u8>,
    /// The last answer that was reached.
    reached: Option<usize>,
    /// The probability of coming here.
    mass: f64,
}

impl Bounds {
    /// Measures the bounds over what is seen from the place on. None where no token that is named
    /// there begins an answer.
    pub(super) fn new(options: &[String], seen: &[SeenTokens]) -> Option<Bounds> {
        let begins_answer = |token: &Token| {
            let text = token.text.trim_ascii_start();
            !text.is_empty()
                && options
                    .iter()
                    .any(|option| option.as_bytes().starts_with(text))
        };
        if !seen
            .first()?
            .named
            .iter()
            .any(|token| token.p > 0.0 && begins_answer(token))
        {
            return None;
        }
        let mut walk = Walk {
            options,
            seen,
            bounds: Bounds {
                low: vec![0.0; options.len()],
                high: vec![0.0; options.len()],
            },
        };
        let start = State {
            written: Vec::new(),
            reached: None,
            mass: 1.0,
        };
        walk.share_out(0, &start);
        Some(walk.bounds)
    }

    /// Returns the least and the most of each answer: none can have what others are certain to
    /// have.
    pub(super) fn intervals(&self) -> Vec<(f64, f64)> {
        let certain: f64 = self.low.iter().sum();
        self.low
            .iter()
            .zip(&self.high)
            .map(|(low, high)| (*low, high.min(1.0 - (certain - low)).max(*low)))
            .collect()
    }

    fn add_certain(&mut self, answer: Option<usize>, mass: f64) {
        self.add_possible(answer, mass, mass);
    }

    fn add_possible(&mut self, answer: Option<usize>, least: f64, most: f64) {
        if let Some(at) = answer {
            self.low[at] += least;
            self.high[at] += most;
        }
    }
}

impl Walk<'_> {
    /// Shares out the mass of a state whose next place is seen.
    fn share_out(&mut self, at: usize, state: &State) {
        let Some(seen) = self.seen.get(at) else {
            return;
        };
        let numbered = seen.named.iter().enumerate();
        for (number, token) in numbered.filter(|(_, token)| token.p > 0.0) {
            self.follow_token(at, state, token, number == seen.written);
        }
        self.share_out_unnamed(seen, state);
    }

    /// Shares out the mass of a token that is named. One without text ends the reply.
    fn follow_token(&mut self, at: usize, before: &State, token: &Token, is_written: bool) {
        let written = [&before.written[..], &token.text].concat();
        let text = written.trim_ascii_start();
        let complete = self
            .options
            .iter()
            .position(|option| option.as_bytes() == text);
        let longer = if token.text.is_empty() {
            Vec::new()
        } else {
            self.longer_answers(&written)
        };
        let state = State {
            reached: complete.or(before.reached),
            mass: before.mass * token.p,
            written,
        };
        if longer.is_empty() {
            self.bounds.add_certain(state.reached, state.mass);
        } else if is_written && self.seen.get(at + 1).is_some_and(SeenTokens::tells) {
            self.share_out(at + 1, &state);
        } else {
            self.share_out_unseen(&self.seen[at], before, &state, &longer);
        }
    }

    /// Returns the answers that go on from what was written.
    fn longer_answers(&self, written: &[u8]) -> Vec<usize> {
        let text = written.trim_ascii_start();
        let is_longer =
            |option: &String| option.len() > text.len() && option.as_bytes().starts_with(text);
        (0..self.options.len())
            .filter(|at| is_longer(&self.options[*at]))
            .collect()
    }

    /// Shares out a token whose continuation was not seen: all of it may be each of the answers
    /// that it may become.
    fn share_out_unseen(
        &mut self,
        seen: &SeenTokens,
        before: &State,
        state: &State,
        longer: &[usize],
    ) {
        let written = &state.written;
        let white = &written[..written.len() - written.trim_ascii_start().len()];
        // Completed, after the white space that was written, by one token that is named. White
        // space alone is the beginning of more than that.
        let is_named_whole = |answer: usize| {
            let whole = [white, self.options[answer].as_bytes()].concat();
            let rest = whole.strip_prefix(&before.written[..]);
            white.len() < written.len() && rest.is_some_and(|rest| is_named(seen, rest))
        };
        let mut open = longer.to_vec();
        open.retain(|at| !is_named_whole(*at));
        if open.is_empty() {
            return self.bounds.add_certain(state.reached, state.mass);
        }
        for answer in open {
            self.bounds.add_possible(Some(answer), 0.0, state.mass);
        }
        self.bounds.add_possible(state.reached, 0.0, state.mass);
    }

    /// Shares out the tokens that are not named: so much of them leads to an answer, and the rest
    /// stays with the one that was reached.
    fn share_out_unnamed(&mut self, seen: &SeenTokens, state: &State) {
        let mut all: Vec<Vec<u8>> = Vec::new();
        for answer in self.longer_answers(&state.written) {
            let tokens = self.leading_tokens(seen, &state.written, answer);
            let most = state.mass * most_of(seen, tokens.len());
            self.bounds.add_possible(Some(answer), 0.0, most);
            all.extend(tokens);
        }
        all.sort();
        all.dedup();
        let least = state.mass * (seen.left - most_of(seen, all.len()));
        let most = state.mass * seen.left;
        self.bounds.add_possible(state.reached, least, most);
    }

    /// Returns the tokens, none of them named, that lead on to an answer: its beginnings, and at
    /// the place those after a space too.
    fn leading_tokens(&self, seen: &SeenTokens, written: &[u8], answer: usize) -> Vec<Vec<u8>> {
        let option = self.options[answer].as_bytes();
        let mut leading = if written.is_empty() {
            [
                vec![b" ".to_vec()],
                beginnings(seen, b"", option),
                beginnings(seen, b" ", option),
            ]
            .concat()
        } else {
            let reached = written.trim_ascii_start().len().min(option.len());
            beginnings(seen, b"", &option[reached..])
        };
        leading.retain(|piece| !is_named(seen, piece));
        leading
    }
}

/// Returns the most that so many tokens which are not named may have together.
fn most_of(seen: &SeenTokens, tokens: usize) -> f64 {
    (tokens as f64 * seen.most_unnamed).min(seen.left)
}

/// Returns the beginnings of a text after a space or nothing; where the whole is named, its pieces
/// do not lead to it.
fn beginnings(seen: &SeenTokens, space: &[u8], text: &[u8]) -> Vec<Vec<u8>> {
    let shortest = if is_named(seen, &[space, text].concat()) {
        text.len()
    } else {
        1
    };
    (shortest..=text.len())
        .map(|end| [space, &text[..end]].concat())
        .collect()
}

fn is_named(seen: &SeenTokens, text: &[u8]) -> bool {
    seen.named.iter().any(|token| token.text == text)
}
