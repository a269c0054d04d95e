//! The verdict on a request: a function of its messages and the seed alone.

use super::draw::{Draw, digest};
use super::script::Script;
use serde_json::Value;

/// The share of the probability that goes to tokens which are no verdict.
const ELSEWHERE: f64 = 0.05;

/// Tokens that a model might write instead of a verdict.
const OTHERS: [&str; 6] = ["The", "**", "Answer", "I", "Both", "\n"];

/// Of so many verdicts one is so sure that the other answers are not among the most likely tokens.
const SURE: u64 = 10;

const ANALYSES: [&str; 4] = [
    "The first answer keeps to the instruction. The second adds what was not asked for.",
    "Both answers address the task, and one of them is more exact.",
    "One answer is fluent but misses a constraint; the other meets it.",
    "The answers agree on the facts and differ in how clearly they say them.",
];

/// A request as a judge reads it.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    /// Role and text of each message, the system's first.
    turns: Vec<(String, String)>,
    pub(super) model: String,
    /// How many likely tokens are wanted at each place, if log-probabilities are.
    pub(super) top: Option<usize>,
    limit: Option<u64>,
    /// The JSON schema that the reply is to keep to.
    schema: Option<Value>,
}

impl Asked {
    /// Reads a body in OpenAI's or in Anthropic's shape; the error says what is wrong with it.
    pub(super) fn parse(body: &[u8]) -> Result<Asked, String> {
        serde_json::from_slice(body)
            .map_err(|e| format!("the body is not JSON: {e}"))
            .and_then(|body| Asked::from_json(&body))
    }

    pub(super) fn from_json(body: &Value) -> Result<Asked, String> {
        let messages = body.get("messages").and_then(Value::as_array);
        let messages = messages.ok_or("messages: expected an array")?;
        // Anthropic's API takes the system's message beside the others.
        let system = body.get("system");
        let mut turns: Vec<(String, String)> = system
            .iter()
            .map(|system| ("system".into(), join_text(system)))
            .collect();
        turns.extend(messages.iter().map(|message| {
            let content = message.get("content").map(join_text);
            (text_field(message, "role"), content.unwrap_or_default())
        }));
        let number = |name: &str| body.get(name).and_then(Value::as_u64);
        let wants_logprobs = body.get("logprobs").and_then(Value::as_bool) == Some(true);
        Ok(Asked {
            turns,
            model: text_field(body, "model"),
            top: wants_logprobs.then(|| number("top_logprobs").unwrap_or(0) as usize),
            limit: number("max_completion_tokens").or(number("max_tokens")),
            schema: body.pointer("/response_format/json_schema/schema").cloned(),
        })
    }

    /// Returns a digest of the messages: the same for both shapes.
    pub(super) fn digest(&self) -> u64 {
        let turns = self
            .turns
            .iter()
            .map(|(role, text)| format!("{role}\0{text}\0"));
        digest(turns.collect::<String>().as_bytes())
    }

    /// Counts the words of the prompt.
    pub(super) fn count_words(&self) -> usize {
        let texts = self.turns.iter().map(|(_, text)| text);
        texts.map(|text| text.split_whitespace().count()).sum()
    }
}

fn text_field(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str);
    text.unwrap_or_default().into()
}

/// Joins the text of a content that is a string or a list of parts.
fn join_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| text_field(part, "text")).collect(),
        _ => String::new(),
    }
}

/// A token of a reply, with the most likely tokens at its place, itself included, most likely
/// first.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) logprob: f64,
    pub(super) likely: Vec<(String, f64)>,
}

/// A reply to a request.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) tokens: Vec<Token>,
    /// True where the request's limit of tokens cut it.
    pub(super) cut: bool,
}

impl Verdict {
    pub(super) fn text(&self) -> String {
        let tokens = self.tokens.iter();
        tokens.map(|token| token.text.as_str()).collect()
    }

    /// Gives the verdict on these messages.
    pub(super) fn give(asked: &Asked, script: &Script) -> Verdict {
        let mut tokens = match &script.judge {
            Some(judge) => {
                let texts = asked.turns.iter().map(|(_, text)| text.as_str());
                certain_tokens(&judge.reply(&texts.collect::<Vec<_>>().join("\n\n")))
            }
            None => draw_tokens(asked, script),
        };
        let limit = asked.limit.map_or(usize::MAX, |limit| limit as usize);
        let cut = tokens.len() > limit;
        tokens.truncate(limit);
        Verdict { tokens, cut }
    }

    /// Gives an analysis without a verdict, cut by a limit that the request did not set.
    pub(super) fn unfinished(asked: &Asked, script: &Script) -> Verdict {
        let text = draw_analysis(Draw::new(script.seed, asked.digest()));
        Verdict {
            tokens: certain_tokens(&text),
            cut: true,
        }
    }
}

/// Draws a verdict, alone or after an analysis, as the script says.
fn draw_tokens(asked: &Asked, script: &Script) -> Vec<Token> {
    let draw = Draw::new(script.seed, asked.digest());
    let p = draw_probabilities(draw, script.answers.len());
    // The last of equals.
    let likeliest = p.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    let answer = likeliest.and_then(|(place, _)| script.answers.get(place));
    let answer = answer.map_or("", String::as_str);
    let marker = &script.marker;
    let is_marked = |(role, text): &(String, String)| role != "assistant" && text.contains(marker);
    let written = match asked.schema.as_ref().filter(|_| script.schemas) {
        Some(schema) => write_by_schema(schema, answer, draw).to_string(),
        None if asked.turns.iter().any(is_marked) => {
            format!("{}\n{marker} {answer}", draw_analysis(draw))
        }
        None => answer.to_owned(),
    };
    // So that the verdict is one token with what stands about it, as it may be in reality.
    let written = written.replace("\"verdict\":", "\"verdict\": ");
    let mut tokens = certain_tokens(&written);
    if let Some(last) = tokens.last_mut() {
        add_alternatives(last, answer, &script.answers, &p);
    }
    tokens
}

/// Makes a value of a schema: of a list of texts the answer, or else one that is drawn; an analysis
/// where any text will do; each field of an object.
fn write_by_schema(schema: &Value, answer: &str, draw: Draw) -> Value {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let own = values.iter().find(|value| *value == answer);
        let drawn = || draw.pick("value", 0, values);
        return own.or_else(drawn).cloned().unwrap_or_default();
    }
    match schema.get("properties").and_then(Value::as_object) {
        Some(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), write_by_schema(field, answer, draw)))
            .collect(),
        None => draw_analysis(draw).into(),
    }
}

/// Draws the probability of each answer: uniform on the simplex (exponential weights), or almost
/// all for one.
fn draw_probabilities(draw: Draw, answers: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..answers as u64)
        .map(|n| -draw.uniform("answer", n).ln())
        .collect();
    let total: f64 = weights.iter().sum();
    let mut p: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
    if draw.bits("sure", 0).is_multiple_of(SURE) {
        // Almost nothing for all answers but that of the highest weight.
        let highest = weights.iter().copied().fold(0.0, f64::max);
        for (p, weight) in p.iter_mut().zip(&weights) {
            if *weight < highest {
                *p = 1e-9;
            }
        }
    }
    p
}

fn draw_analysis(draw: Draw) -> String {
    let analysis = draw.pick("analysis", 0, &ANALYSES);
    analysis.copied().unwrap_or_default().into()
}

/// Cuts a text into words, each with the white space before it: together they are the text again.
fn cut_words(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut after_word = false;
    for letter in text.chars() {
        match pieces.last_mut() {
            Some(piece) if !(after_word && letter.is_whitespace()) => piece.push(letter),
            _ => pieces.push(letter.into()),
        }
        after_word = !letter.is_whitespace();
    }
    pieces
}

fn certain_tokens(text: &str) -> Vec<Token> {
    let words = cut_words(text).into_iter();
    words
        .map(|text| Token {
            likely: vec![(text.clone(), -0.01), ("…".into(), -5.0)],
            text,
            logprob: -0.01,
        })
        .collect()
}

/// Gives the verdict's token its alternatives. An answer that is less likely than one in 10,000 is
/// not among them, as in reality. What stands before and behind the answer in its token stays
/// there.
fn add_alternatives(token: &mut Token, answer: &str, answers: &[String], p: &[f64]) {
    let Some((lead, trail)) = token.text.rsplit_once(answer) else {
        return;
    };
    let mut likely = Vec::new();
    for (answer, p) in answers.iter().zip(p).filter(|(_, p)| **p > 1e-4) {
        likely.push((
            format!("{lead}{answer}{trail}"),
            (p * (1.0 - ELSEWHERE)).ln(),
        ));
    }
    // Tokens that are no verdict, each half as likely as the one before it.
    for (other, n) in OTHERS.iter().zip(1..) {
        let p: f64 = ELSEWHERE * 0.5f64.powi(n);
        likely.push((format!("{lead}{other}"), p.ln()));
    }
    likely.sort_by(|a, b| b.1.total_cmp(&a.1));
    let own = likely.iter().find(|(text, _)| *text == token.text);
    token.logprob = own.map_or(0.0, |(_, logprob)| *logprob);
    token.likely = likely;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(user: &str) -> Asked {
        let messages =
            json!([{"role": "system", "content": "Judge."}, {"role": "user", "content": user}]);
        Asked::from_json(&json!({"model": "m", "messages": messages})).unwrap()
    }

    #[test]
    fn both_shapes_of_a_request_get_the_same_verdict() {
        let messages = json!([{"role": "user", "content": [{"type": "text", "text": "Which?"}]}]);
        let other = Asked::from_json(
            &json!({"model": "n", "system": "Judge.", "messages": messages, "max_tokens": 9}),
        )
        .unwrap();
        assert_eq!(asked("Which?").digest(), other.digest());
        assert_ne!(asked("Which?").digest(), asked("Which one?").digest());
        assert_eq!(other.count_words(), 2);
    }

    #[test]
    fn verdicts_are_even_and_those_log_probabilities_are_of_one_distribution() {
        let verdicts: Vec<Verdict> = (0..1000)
            .map(|n| Verdict::give(&asked(&n.to_string()), &Script::default()))
            .collect();
        let first = verdicts
            .iter()
            .filter(|verdict| verdict.text() == "A")
            .count();
        assert!((430..570).contains(&first), "{first}");
        let letters = |verdict: &Verdict| {
            verdict.tokens[0]
                .likely
                .iter()
                .filter(|(text, _)| text == "A" || text == "B")
                .count()
        };
        let alone = verdicts
            .iter()
            .filter(|verdict| letters(verdict) == 1)
            .count();
        assert!((60..140).contains(&alone), "{alone}");
        for verdict in &verdicts {
            let token = &verdict.tokens[0];
            assert_eq!(
                token
                    .likely
                    .iter()
                    .find(|(text, _)| *text == token.text)
                    .map(|likely| likely.1),
                Some(token.logprob)
            );
            assert!(
                token
                    .likely
                    .iter()
                    .map(|(_, logprob)| logprob.exp())
                    .sum::<f64>()
                    <= 1.0 + 1e-9
            );
            assert!(token.likely.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        }
    }

    #[test]
    fn a_prompt_with_the_marker_gets_an_analysis_and_then_the_verdict() {
        let verdict = Verdict::give(
            &asked("Close with\nVerdict: A\nor\nVerdict: B"),
            &Script::default(),
        );
        let text = verdict.text();
        let (analysis, letter) = text.rsplit_once("\nVerdict: ").unwrap();
        assert!(analysis.len() > 20 && ["A", "B"].contains(&letter));
        assert_eq!(verdict.tokens.last().unwrap().text, format!(" {letter}"));
    }

    #[test]
    fn a_schema_is_kept_to_where_the_script_says_so() {
        let schema = json!({"type": "object", "properties": {
            "reasoning": {"type": "string"}, "verdict": {"enum": ["A", "B"]}}});
        let asked = Asked {
            schema: Some(schema),
            ..asked("Which?")
        };
        let free = Verdict::give(&asked, &Script::default()).text();
        let script = Script {
            schemas: true,
            ..Script::default()
        };
        let held = Verdict::give(&asked, &script);
        let said: Value = serde_json::from_str(&held.text()).unwrap();
        assert_eq!(said["verdict"], free.as_str());
        let last = held.tokens.last().unwrap();
        assert_eq!(last.text, format!(" \"{free}\"}}"));
        assert!(last.likely.iter().any(|(text, _)| *text == last.text));
    }
}
