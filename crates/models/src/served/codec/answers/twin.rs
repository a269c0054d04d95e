//! A slow twin: the whole distribution of a small model, whose true probabilities lie within the
//! bounds from its likeliest tokens.

use super::bounds::Bounds;
use super::to_figures;
use super::tokens::{SeenTokens, Token};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

/// A model: after each text a distribution over the vocabulary, drawn when it is first asked for.
struct Model {
    vocabulary: Vec<&'static str>,
    options: Vec<String>,
    random: ChaCha8Rng,
    drawn: BTreeMap<String, Vec<f64>>,
}

/// A text, and the texts that a tokenizer with this vocabulary would not have begun in this way.
#[derive(Clone, Default)]
struct State {
    text: String,
    forbidden: BTreeSet<String>,
}

impl Model {
    fn unit(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The distribution after a text. Masses are of very different sizes, as real ones are.
    fn after(&mut self, state: &State) -> Vec<f64> {
        if !self.drawn.contains_key(&state.text) {
            let weights: Vec<f64> = (0..self.vocabulary.len())
                .map(|_| (self.unit() * 9.0 - 9.0).exp())
                .collect();
            self.drawn.insert(state.text.clone(), weights);
        }
        let allowed = |token: &&str| !state.forbidden.contains(&format!("{}{token}", state.text));
        let weights = self.drawn[&state.text].iter().zip(&self.vocabulary);
        let weights: Vec<f64> = weights
            .map(|(weight, token)| if allowed(token) { *weight } else { 0.0 })
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    fn then(&self, state: &State, token: &str) -> State {
        let text = format!("{}{token}", state.text);
        let mut forbidden = state.forbidden.clone();
        for option in &self.options {
            for whole in [option.clone(), format!(" {option}")] {
                let at_once = whole
                    .strip_prefix(&state.text)
                    .is_some_and(|rest| self.vocabulary.contains(&rest));
                if at_once && whole.len() > text.len() && whole.starts_with(&text) {
                    forbidden.insert(whole);
                }
            }
        }
        State { text, forbidden }
    }

    /// The mass of each answer's being the last one reached: every path of tokens, one by one.
    fn truth(&mut self, state: &State, reached: Option<usize>, mass: f64, found: &mut [f64]) {
        let text = state.text.trim_start().to_owned();
        let reached = self
            .options
            .iter()
            .position(|option| *option == text)
            .or(reached);
        let goes_on = state.text.len() <= 1 + text.len()
            && self
                .options
                .iter()
                .any(|option| option.starts_with(&text) && option.len() > text.len());
        if !goes_on {
            return reached.into_iter().for_each(|at| found[at] += mass);
        }
        for (at, p) in self
            .after(state)
            .into_iter()
            .enumerate()
            .filter(|(_, p)| *p > 0.0)
        {
            let next = self.then(state, self.vocabulary[at]);
            self.truth(&next, reached, mass * p, found);
        }
    }

    /// A reply of so many tokens, with the k likeliest at each place. It begins with no space: that
    /// would not be the place.
    fn reply(&mut self, k: usize, tokens: usize) -> Vec<SeenTokens> {
        let mut state = State::default();
        let mut seen = Vec::new();
        for number in 0..tokens {
            let p = self.after(&state);
            let unit = self.unit();
            let written = self.draw(&p, unit, number == 0);
            let token = |at: usize| Token {
                text: self.vocabulary[at].into(),
                p: p[at],
            };
            let mut order: Vec<usize> = (0..p.len()).collect();
            order.sort_by(|a, b| p[*b].total_cmp(&p[*a]));
            seen.push(SeenTokens::new(
                token(written),
                order.into_iter().take(k).map(token).collect(),
            ));
            state = self.then(&state, self.vocabulary[written]);
        }
        seen
    }

    fn draw(&self, p: &[f64], unit: f64, first: bool) -> usize {
        let mut left = unit;
        let drawn = p.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        let drawn = drawn.unwrap_or(0);
        if first && self.vocabulary[drawn] == " " {
            0
        } else {
            drawn
        }
    }
}

/// Texts that an answer may be made of, alone, after a space, and with what ends it.
const TEXTS: [&str; 16] = [
    "0", "1", "2", "10", " 1", " 10", "100", "00", " 2", "A", " A", "AB", "B", " ", ".", "1.",
];
const ANSWERS: [&[&str]; 6] = [
    &["1", "2", "10"],
    &["A", "B"],
    &["A", "AB", "ABA"],
    &["1", "100", "10"],
    &["1", "0", "100"],
    &["10", "2", "B"],
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn the_truth_lies_within_the_bounds_from_the_likeliest_tokens(
        vocabulary in prop::sample::subsequence(TEXTS.to_vec(), 2..TEXTS.len()),
        options in prop::sample::select(ANSWERS.to_vec()),
        k in 1_usize..20,
        tokens in 1_usize..5,
        seed in any::<u64>(),
    ) {
        prop_assume!(vocabulary[0] != " ");
        let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
        let random = ChaCha8Rng::seed_from_u64(seed);
        let mut model = Model { vocabulary, options: options.clone(), random, drawn: BTreeMap::new() };
        let mut truth = vec![0.0; options.len()];
        model.truth(&State::default(), None, 1.0, &mut truth);
        let seen = model.reply(k, tokens);
        if let Some(bounds) = Bounds::new(&options, &seen) {
            let within = to_figures(bounds.clone()).within;
            for ((low, high), truth) in bounds.intervals().into_iter().zip(&truth) {
                prop_assert!(low - 1e-9 <= *truth && *truth <= high + 1e-9, "{truth} outside {low} \
                    to {high}");
                prop_assert!((truth - (low + high) / 2.0).abs() <= within + 1e-9);
            }
        }
    }

    #[test]
    fn the_bounds_are_exact_where_every_token_is_named_and_nothing_goes_on_unseen(
        vocabulary in prop::sample::subsequence(vec!["A", " A", "B", " B", ".", "x"], 2..6),
        seed in any::<u64>(),
    ) {
        let options = vec!["A".to_owned(), "B".to_owned()];
        let mut model = Model { vocabulary, options: options.clone(), random: ChaCha8Rng::seed_from_u64(seed), drawn: BTreeMap::new() };
        let mut truth = vec![0.0; 2];
        model.truth(&State::default(), None, 1.0, &mut truth);
        if let Some(bounds) = Bounds::new(&options, &model.reply(20, 1)) {
            for ((low, high), truth) in bounds.intervals().into_iter().zip(&truth) {
                prop_assert!((low - truth).abs() < 1e-9 && (high - truth).abs() < 1e-9);
            }
        }
    }
}
