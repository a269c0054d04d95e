//! The tokens of a reply, and those that a server names beside them.

use crate::served::codec::json::Json;

/// A token that a server names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// Its text; a token may be part of a character.
    pub(super) text: Vec<u8>,
    /// Its probability, from 0 to 1.
    pub(super) p: f64,
}

/// The tokens that are known at one place of a reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SeenTokens {
    /// The tokens that are named, the written one among them.
    pub(super) named: Vec<Token>,
    /// Which of them was written.
    pub(super) written: usize,
    /// The most that any token has which is not named.
    pub(super) most_unnamed: f64,
    /// The mass that all of them have together.
    pub(super) left: f64,
}

impl SeenTokens {
    /// Reads an entry of `logprobs.content`, or None where its figures cannot be.
    pub(super) fn read(entry: &Json) -> Option<SeenTokens> {
        let top = entry.get("top_logprobs").and_then(Json::as_array);
        let top: &[Json] = top.unwrap_or_default();
        let logprob_of = |token: &Json| token.get("logprob").and_then(Json::as_f64);
        if top
            .iter()
            .chain([entry])
            .any(|token| logprob_of(token).is_some_and(is_impossible))
        {
            return None;
        }
        // Some servers name a token twice.
        let mut named: Vec<Token> = Vec::with_capacity(top.len());
        for token in top.iter().map(read_token) {
            if !named.contains(&token) {
                named.push(token);
            }
        }
        let seen = SeenTokens::new(read_token(entry), named);
        (mass_of(&seen.named) <= 1.0 + ROUNDING).then_some(seen)
    }

    /// Whether anything is named: the end of a turn may be given without a probability.
    pub(super) fn tells(&self) -> bool {
        self.named.iter().any(|token| token.p > 0.0)
    }

    /// Takes so many bytes, which belong to what stands before the answer, off the written token. A
    /// token that begins with other bytes says something else there: it is no answer, whatever it
    /// goes on with.
    pub(super) fn cut_before(&mut self, bytes: usize) {
        let Some(written) = self.named.get(self.written) else {
            return;
        };
        let Some(before) = written.text.get(..bytes).map(<[u8]>::to_vec) else {
            return;
        };
        for token in &mut self.named {
            token.text = match token.text.strip_prefix(&before[..]) {
                Some(rest) => rest.to_vec(),
                None => NO_ANSWER.to_vec(),
            };
        }
    }

    /// Ends the texts of tokens at the mark that closes a text of JSON.
    pub(super) fn cut_at_closing_quote(&mut self) {
        for token in &mut self.named {
            if let Some(end) = token.text.iter().position(|byte| *byte == b'"') {
                token.text.truncate(end);
            }
        }
    }

    /// Ends the texts of tokens that are an answer and a mark of ASCII behind it, such as `B.`, at
    /// the answer.
    pub(super) fn cut_behind_answers(&mut self, options: &[String]) {
        for token in &mut self.named {
            let ends = options.iter().filter_map(|option| {
                let behind = token.text.strip_prefix(option.as_bytes())?;
                let is_mark = behind.first()?.is_ascii_punctuation();
                is_mark.then_some(option.len())
            });
            if let Some(end) = ends.max() {
                token.text.truncate(end);
            }
        }
    }

    /// Makes what a token that was written and the likeliest ones tell.
    pub(super) fn new(token: Token, mut named: Vec<Token>) -> SeenTokens {
        let known = named.iter().position(|other| other.text == token.text);
        let written = known.unwrap_or(named.len());
        if known.is_none() {
            named.push(token);
        }
        let left = (1.0 - mass_of(&named)).clamp(0.0, 1.0);
        SeenTokens {
            most_unnamed: least_named(&named, written).min(left),
            left,
            named,
            written,
        }
    }
}

/// A text that no answer begins with: a byte that UTF-8 does not have.
const NO_ANSWER: &[u8] = &[0xFF];

fn mass_of(named: &[Token]) -> f64 {
    named.iter().map(|token| token.p).sum()
}

/// Returns the least mass of a token that is named for being likely. The written one may be named
/// for being written, and some servers leave out another for it: it says nothing of the rest,
/// unless it is the likeliest.
fn least_named(named: &[Token], written: usize) -> f64 {
    let likeliest = named.iter().map(|token| token.p).fold(0.0, f64::max);
    let numbered = named.iter().enumerate();
    let telling =
        numbered.filter(|(at, token)| token.p > 0.0 && (*at != written || token.p == likeliest));
    telling.map(|(_, token)| token.p).fold(1.0, f64::min)
}

/// Reads the texts of the tokens of a reply.
pub(super) fn read_texts(written: &[Json]) -> Vec<Vec<u8>> {
    written.iter().map(read_text).collect()
}

fn read_token(entry: &Json) -> Token {
    Token {
        text: read_text(entry),
        p: to_probability(entry.get("logprob").and_then(Json::as_f64)),
    }
}

/// By how much a log-probability may be above 0, or masses above 1, for having been rounded.
const ROUNDING: f64 = 0.01;

/// Whether a token has more than all of the mass.
pub(in crate::served::codec) fn is_impossible(logprob: f64) -> bool {
    logprob > ROUNDING
}

/// The log-probability that OpenAI's API and its followers give a token of next to no mass.
const NO_MASS: f64 = -9999.0;

fn to_probability(logprob: Option<f64>) -> f64 {
    match logprob {
        Some(logprob) if logprob > NO_MASS => logprob.min(0.0).exp(),
        _ => 0.0,
    }
}

/// Reads a token's bytes, or else its name: a part of a character has no name of its own.
fn read_text(entry: &Json) -> Vec<u8> {
    let bytes = entry.get("bytes").and_then(Json::as_array);
    let bytes = bytes.into_iter().flatten();
    let bytes: Option<Vec<u8>> = bytes
        .map(|byte| u8::try_from(byte.as_u64()?).ok())
        .collect();
    if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
        return bytes;
    }
    let name = entry.get("token").and_then(Json::as_str);
    name.unwrap_or("").as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn log_probabilities_that_are_none_have_no_mass() {
        let p = |logprob: Value| read_token(&json!({"token": "A", "logprob": logprob}).into()).p;
        assert_eq!(
            [
                p(json!(-9999.0)),
                p(json!(-1e30)),
                p(Value::Null),
                p(json!("x"))
            ],
            [0.0; 4]
        );
        assert_eq!([p(json!(0)), p(json!(0.001))], [1.0; 2]);
        assert!((p(json!(-std::f64::consts::LN_2)) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn figures_that_cannot_be_are_none() {
        let read = |written: f64, top: &[(&str, f64)]| {
            let top: Vec<Value> = top
                .iter()
                .map(|(token, logprob)| json!({"token": token, "logprob": logprob}))
                .collect();
            SeenTokens::read(&json!({"token": "A", "logprob": written, "top_logprobs": top}).into())
                .map(|seen| seen.named.len())
        };
        assert_eq!(read(700.0, &[]), None);
        assert_eq!(read(-0.7, &[("A", -0.7), ("B", 0.02)]), None);
        assert_eq!(
            read(-0.01, &[("A", -0.01), ("B", -0.01)]),
            None,
            "0.99 twice"
        );
        assert_eq!(
            read(-0.6, &[("B", -0.6)]),
            None,
            "0.55 for what was written, and for another"
        );
        assert_eq!(read(0.001, &[("A", 0.001)]), Some(1), "rounded");
        assert_eq!(
            read(-0.7, &[("A", -0.7), ("A", -0.7), ("B", -0.7)]),
            Some(2),
            "named twice"
        );
        assert_eq!(read(f64::NEG_INFINITY, &[]), Some(1));
    }

    #[test]
    fn bytes_go_before_the_name_of_a_token() {
        assert_eq!(
            read_text(&json!({"token": "\\xe2", "bytes": [226]}).into()),
            [226]
        );
        assert_eq!(
            read_text(&json!({"token": "é", "bytes": null}).into()),
            "é".as_bytes()
        );
        assert_eq!(read_text(&json!({"token": "A", "bytes": []}).into()), b"A");
        assert_eq!(
            read_text(&json!({"token": "A", "bytes": [300]}).into()),
            b"A"
        );
        assert_eq!(read_text(&json!(7).into()), b"");
    }

    fn named(text: &str, p: f64) -> Token {
        Token {
            text: text.into(),
            p,
        }
    }

    #[test]
    fn what_is_not_named_is_bounded_by_what_is() {
        let seen = SeenTokens::new(named("A", 0.6), vec![named("A", 0.6), named("B", 0.1)]);
        assert_eq!((seen.written, seen.most_unnamed), (0, 0.1));
        assert!((seen.left - 0.3).abs() < 1e-12);
        let beyond = SeenTokens::new(named("C", 0.01), vec![named("A", 0.6), named("B", 0.1)]);
        assert_eq!(
            (beyond.written, beyond.most_unnamed, beyond.named.len()),
            (2, 0.1, 3),
            "C is named for being written"
        );
        let alone = SeenTokens::new(named("A", 0.7), Vec::new());
        assert!(
            (alone.most_unnamed - 0.3).abs() < 1e-12,
            "never more than what is left"
        );
    }
}
