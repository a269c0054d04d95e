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
    /// What was written since the place.
    written: Vec<u8>,
    /// The last answer that was reached.
    reached: Option<usize>,
    /// The probability of coming here.
    mass: f64,
}

impl Bounds {
    /// The bounds over what is seen from the place on. None where no token that is named there
    /// begins an answer.
    pub(super) fn new(options: &[String], seen: &[SeenTokens]) -> Option<Bounds> {
        let bounds = Bounds {
            low: vec![0.0; options.len()],
            high: vec![0.0; options.len()],
        };
        let mut walk = Walk {
            options,
            seen,
            bounds,
        };
        if !walk.begins_here(seen.first()?) {
            return None;
        }
        walk.measure(
            0,
            &State {
                written: Vec::new(),
                reached: None,
                mass: 1.0,
            },
        );
        Some(walk.bounds)
    }

    /// The least and the most of each answer: none can have what others are certain to have.
    pub(super) fn intervals(&self) -> Vec<(f64, f64)> {
        let certain: f64 = self.low.iter().sum();
        let interval =
            |(low, high): (&f64, &f64)| (*low, high.min(1.0 - (certain - low)).max(*low));
        self.low.iter().zip(&self.high).map(interval).collect()
    }

    fn certain(&mut self, answer: Option<usize>, mass: f64) {
        if let Some(at) = answer {
            self.low[at] += mass;
            self.high[at] += mass;
        }
    }

    fn possible(&mut self, answer: Option<usize>, least: f64, most: f64) {
        if let Some(at) = answer {
            self.low[at] += least;
            self.high[at] += most;
        }
    }
}

impl Walk<'_> {
    fn begins_here(&self, seen: &SeenTokens) -> bool {
        let begins = |token: &Token| {
            let text = token.text.trim_ascii_start();
            token.p > 0.0
                && !text.is_empty()
                && self
                    .options
                    .iter()
                    .any(|option| option.as_bytes().starts_with(text))
        };
        seen.named.iter().any(begins)
    }

    /// Shares out the mass of a state whose next place is seen.
    fn measure(&mut self, at: usize, state: &State) {
        let Some(seen) = self.seen.get(at) else {
            return;
        };
        for (number, token) in seen
            .named
            .iter()
            .enumerate()
            .filter(|(_, token)| token.p > 0.0)
        {
            self.follow(at, state, token, number == seen.written);
        }
        self.unnamed(seen, state);
    }

    /// Shares out the mass of a token that is named. One without text ends the reply.
    fn follow(&mut self, at: usize, before: &State, token: &Token, is_written: bool) {
        let written = [&before.written[..], &token.text].concat();
        let complete = self
            .options
            .iter()
            .position(|option| option.as_bytes() == written.trim_ascii_start());
        let state = State {
            reached: complete.or(before.reached),
            mass: before.mass * token.p,
            written,
        };
        let longer = if token.text.is_empty() {
            Vec::new()
        } else {
            self.longer(&state.written)
        };
        if longer.is_empty() {
            self.bounds.certain(state.reached, state.mass);
        } else if is_written && self.seen.get(at + 1).is_some_and(SeenTokens::tells) {
            self.measure(at + 1, &state);
        } else {
            self.unseen(&self.seen[at], before, &state, &longer);
        }
    }

    /// The answers that go on from what was written.
    fn longer(&self, written: &[u8]) -> Vec<usize> {
        let text = written.trim_ascii_start();
        let goes_on =
            |option: &String| option.len() > text.len() && option.as_bytes().starts_with(text);
        (0..self.options.len())
            .filter(|at| goes_on(&self.options[*at]))
            .collect()
    }

    /// A token whose continuation was not seen: all of it may be each of the answers that it may
    /// become.
    fn unseen(&mut self, seen: &SeenTokens, before: &State, state: &State, longer: &[usize]) {
        let open =
            |answer: &&usize| !self.is_named_whole(seen, &before.written, &state.written, **answer);
        let open: Vec<usize> = longer.iter().filter(open).copied().collect();
        if open.is_empty() {
            return self.bounds.certain(state.reached, state.mass);
        }
        open.iter()
            .for_each(|answer| self.bounds.possible(Some(*answer), 0.0, state.mass));
        self.bounds.possible(state.reached, 0.0, state.mass);
    }

    /// Whether the answer, after the white space that was written, is completed by one token that
    /// is named. White space alone is the beginning of more than that.
    fn is_named_whole(
        &self,
        seen: &SeenTokens,
        before: &[u8],
        written: &[u8],
        answer: usize,
    ) -> bool {
        let white = written.len() - written.trim_ascii_start().len();
        let whole = [&written[..white], self.options[answer].as_bytes()].concat();
        let rest = whole.strip_prefix(before);
        white < written.len() && seen.named.iter().any(|token| rest == Some(&token.text))
    }

    /// The tokens that are not named: so much of them leads to an answer, and the rest stays with
    /// the one that was reached.
    fn unnamed(&mut self, seen: &SeenTokens, state: &State) {
        let most = |tokens: usize| (tokens as f64 * seen.most_unnamed).min(seen.left);
        let mut all: Vec<Vec<u8>> = Vec::new();
        for answer in self.longer(&state.written) {
            let tokens = self.leading(seen, &state.written, answer);
            self.bounds
                .possible(Some(answer), 0.0, state.mass * most(tokens.len()));
            all.extend(tokens);
        }
        all.sort();
        all.dedup();
        self.bounds.possible(
            state.reached,
            state.mass * (seen.left - most(all.len())),
            state.mass * seen.left,
        );
    }

    /// The tokens, none of them named, that lead on to an answer: its beginnings, and at the place
    /// those after a space too.
    fn leading(&self, seen: &SeenTokens, written: &[u8], answer: usize) -> Vec<Vec<u8>> {
        let option = self.options[answer].as_bytes();
        let mut leading = if written.is_empty() {
            [
                vec![b" ".to_vec()],
                pieces(seen, b"", option),
                pieces(seen, b" ", option),
            ]
            .concat()
        } else {
            pieces(
                seen,
                b"",
                &option[written.trim_ascii_start().len().min(option.len())..],
            )
        };
        leading.retain(|piece| !is_named(seen, piece));
        leading
    }
}

/// The beginnings of a text after a space or nothing; where the whole is named, its pieces do not
/// lead to it.
fn pieces(seen: &SeenTokens, space: &[u8], text: &[u8]) -> Vec<Vec<u8>> {
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
