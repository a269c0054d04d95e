//! The tokens of a reply, and those that a server names beside them.

use serde_json::Value;

/// A token that a server names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// Its text; a token may be part of a character.
    pub(super) text: Vec<u8>,
    /// Its probability, from 0 to 1.
    pub(super) p: f64,
}

/// What is known at one place of a reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    /// The tokens that are named, the written one among them.
    pub(super) named: Vec<Token>,
    /// Which of them was written.
    pub(super) written: usize,
    /// The most that any token has which is not named.
    pub(super) most_unnamed: f64,
    /// What all of them have together.
    pub(super) left: f64,
}

impl Seen {
    /// Reads an entry of `logprobs.content`.
    pub(super) fn read(entry: &Value) -> Seen {
        let top = entry.get("top_logprobs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        Seen::new(token(entry), top.iter().map(token).collect())
    }

    /// Whether anything is named: the end of a turn may be given without a probability.
    pub(super) fn tells(&self) -> bool {
        self.named.iter().any(|token| token.p > 0.0)
    }

    /// What a token that was written and the likeliest ones tell.
    pub(super) fn new(token: Token, mut named: Vec<Token>) -> Seen {
        let top = named.len();
        let written = named.iter().position(|other| other.text == token.text).unwrap_or(top);
        if written == top {
            named.push(token);
        }
        let left = (1.0 - named.iter().map(|token| token.p).sum::<f64>()).clamp(0.0, 1.0);
        Seen { most_unnamed: least(&named, written).min(left), left, named, written }
    }
}

/// The least mass of a token that is named for being likely. The written one may be named for being written, and some servers
/// leave out another for it: it says nothing of the rest, unless it is the likeliest.
fn least(named: &[Token], written: usize) -> f64 {
    let likeliest = named.iter().map(|token| token.p).fold(0.0, f64::max);
    let tells = |(at, token): &(usize, &Token)| token.p > 0.0 && (*at != written || token.p == likeliest);
    named.iter().enumerate().filter(tells).map(|(_, token)| token.p).fold(1.0, f64::min)
}

/// The texts of the tokens of a reply.
pub(super) fn texts(written: &[Value]) -> Vec<Vec<u8>> {
    written.iter().map(text).collect()
}

fn token(entry: &Value) -> Token {
    Token { text: text(entry), p: probability(entry.get("logprob").and_then(Value::as_f64)) }
}

/// What OpenAI's API and its followers say of a token that has next to no mass.
const NO_MASS: f64 = -9999.0;

fn probability(logprob: Option<f64>) -> f64 {
    match logprob {
        Some(logprob) if logprob > NO_MASS => logprob.min(0.0).exp(),
        _ => 0.0,
    }
}

/// A token's bytes, or else its name: a part of a character has no name of its own.
fn text(entry: &Value) -> Vec<u8> {
    let bytes = entry.get("bytes").and_then(Value::as_array);
    let bytes = bytes.and_then(|bytes| bytes.iter().map(|b| b.as_u64().and_then(|b| u8::try_from(b).ok())).collect());
    let name = || entry.get("token").and_then(Value::as_str).unwrap_or("").as_bytes().to_vec();
    bytes.filter(|bytes: &Vec<u8>| !bytes.is_empty()).unwrap_or_else(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn log_probabilities_that_are_none_have_no_mass() {
        let p = |logprob: Value| token(&json!({"token": "A", "logprob": logprob})).p;
        assert_eq!([p(json!(-9999.0)), p(json!(-1e30)), p(Value::Null), p(json!("x"))], [0.0; 4]);
        assert_eq!([p(json!(0)), p(json!(0.001))], [1.0; 2]);
        assert!((p(json!(-std::f64::consts::LN_2)) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn bytes_go_before_the_name_of_a_token() {
        assert_eq!(text(&json!({"token": "\\xe2", "bytes": [226]})), [226]);
        assert_eq!(text(&json!({"token": "é", "bytes": null})), "é".as_bytes());
        assert_eq!(text(&json!({"token": "A", "bytes": []})), b"A");
        assert_eq!(text(&json!({"token": "A", "bytes": [300]})), b"A");
        assert_eq!(text(&json!(7)), b"");
    }

    fn named(text: &str, p: f64) -> Token {
        Token { text: text.into(), p }
    }

    #[test]
    fn what_is_not_named_is_bounded_by_what_is() {
        let seen = Seen::new(named("A", 0.6), vec![named("A", 0.6), named("B", 0.1)]);
        assert_eq!((seen.written, seen.most_unnamed), (0, 0.1));
        assert!((seen.left - 0.3).abs() < 1e-12);
        let beyond = Seen::new(named("C", 0.01), vec![named("A", 0.6), named("B", 0.1)]);
        assert_eq!((beyond.written, beyond.most_unnamed, beyond.named.len()), (2, 0.1, 3), "C is named for being written");
        let alone = Seen::new(named("A", 0.7), Vec::new());
        assert!((alone.most_unnamed - 0.3).abs() < 1e-12, "never more than what is left");
    }
}
