//! The verdict on a request: a function of its messages and the seed alone.

use crate::draw::{Draw, digest};
use crate::script::Script;
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

/// What a request asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Role and text of each message, the system's first.
    turns: Vec<(String, String)>,
    pub(crate) model: String,
    /// How many likely tokens are wanted at each place, if log-probabilities are.
    pub(crate) top: Option<usize>,
    limit: Option<u64>,
}

impl Asked {
    /// Reads a body in OpenAI's or in Anthropic's shape; the error says what is wrong with it.
    pub(crate) fn read(body: &[u8]) -> Result<Asked, String> {
        serde_json::from_slice(body)
            .map_err(|e| format!("the body is not JSON: {e}"))
            .and_then(|body| Asked::of(&body))
    }

    pub(crate) fn of(body: &Value) -> Result<Asked, String> {
        let messages = body
            .get("messages")
            .and_then(Value::as_array)
            .ok_or("messages: expected an array")?;
        let system = body
            .get("system")
            .map(|system| ("system".to_string(), text(system)));
        let said = messages.iter().map(|message| {
            (
                word(message, "role"),
                message.get("content").map(text).unwrap_or_default(),
            )
        });
        let number = |name: &str| body.get(name).and_then(Value::as_u64);
        let wants = body
            .get("logprobs")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        Ok(Asked {
            turns: system.into_iter().chain(said).collect(),
            model: word(body, "model"),
            top: wants.then(|| number("top_logprobs").unwrap_or(0) as usize),
            limit: number("max_completion_tokens").or(number("max_tokens")),
        })
    }

    /// A digest of the messages: the same for both shapes.
    pub(crate) fn digest(&self) -> u64 {
        let joined: String = self
            .turns
            .iter()
            .map(|(role, text)| format!("{role}\0{text}\0"))
            .collect();
        digest(joined.as_bytes())
    }

    /// Words of the prompt.
    pub(crate) fn words(&self) -> usize {
        self.turns
            .iter()
            .map(|(_, text)| text.split_whitespace().count())
            .sum()
    }

    /// The texts of the messages.
    fn prompt(&self) -> String {
        self.turns
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    fn says(&self, marker: &str) -> bool {
        self.turns
            .iter()
            .any(|(role, text)| role != "assistant" && text.contains(marker))
    }
}

fn word(value: &Value, name: &str) -> String {
    value
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .into()
}

/// The text of a content that is a string or a list of parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| word(part, "text")).collect(),
        _ => String::new(),
    }
}

/// A token of a reply, with the most likely tokens at its place, itself included, most likely
/// first.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) logprob: f64,
    pub(crate) likely: Vec<(String, f64)>,
}

/// A reply to a request.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) tokens: Vec<Token>,
    /// True where the request's limit of tokens cut it.
    pub(crate) cut: bool,
}

impl Verdict {
    pub(crate) fn text(&self) -> String {
        self.tokens
            .iter()
            .map(|token| token.text.as_str())
            .collect()
    }

    /// The verdict on these messages.
    pub(crate) fn of(asked: &Asked, script: &Script) -> Verdict {
        if let Some(judge) = &script.judge {
            let tokens = pieces(&judge.reply(&asked.prompt()))
                .into_iter()
                .map(certain)
                .collect();
            return Verdict { tokens, cut: false }.within(asked.limit);
        }
        let draw = Draw::new(script.seed, asked.digest());
        let p = probabilities(draw, script.answers.len());
        let best = p
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1))
            .map_or(0, |(index, _)| index);
        let answer = script.answers.get(best).cloned().unwrap_or_default();
        let text = if asked.says(&script.marker) {
            closing(&analysis(draw), &script.marker, &answer)
        } else {
            answer
        };
        let mut tokens: Vec<Token> = pieces(&text).into_iter().map(certain).collect();
        if let Some(last) = tokens.last_mut() {
            weigh(last, &script.answers, &p);
        }
        Verdict { tokens, cut: false }.within(asked.limit)
    }

    /// An analysis without a verdict, cut by a limit that the request did not set.
    pub(crate) fn unfinished(asked: &Asked, script: &Script) -> Verdict {
        let text = analysis(Draw::new(script.seed, asked.digest()));
        Verdict {
            tokens: pieces(&text).into_iter().map(certain).collect(),
            cut: true,
        }
    }

    fn within(mut self, limit: Option<u64>) -> Verdict {
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        self.cut = self.tokens.len() > limit;
        self.tokens.truncate(limit);
        self
    }
}

/// The probability of each answer: uniform on the simplex (exponential weights), or almost all for
/// one.
fn probabilities(draw: Draw, answers: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..answers as u64)
        .map(|n| -draw.uniform("answer", n).ln())
        .collect();
    let total: f64 = weights.iter().sum();
    let highest = weights.iter().copied().fold(0.0, f64::max);
    let sure = draw.bits("sure", 0).is_multiple_of(SURE);
    weights
        .iter()
        .map(|weight| {
            if sure && *weight < highest {
                1e-9
            } else {
                weight / total
            }
        })
        .collect()
}

fn analysis(draw: Draw) -> String {
    draw.pick("analysis", 0, &ANALYSES)
        .copied()
        .unwrap_or_default()
        .into()
}

fn closing(analysis: &str, marker: &str, answer: &str) -> String {
    format!("{analysis}\n{marker} {answer}")
}

/// Words, each with the white space before it: together they are the text again.
fn pieces(text: &str) -> Vec<String> {
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

fn certain(text: String) -> Token {
    let likely = vec![(text.clone(), -0.01), ("…".into(), -5.0)];
    Token {
        text,
        logprob: -0.01,
        likely,
    }
}

/// Gives the verdict's token its alternatives. An answer that is less likely than one in 10,000 is
/// not among them, as in reality.
fn weigh(token: &mut Token, answers: &[String], p: &[f64]) {
    let lead: String = token
        .text
        .chars()
        .take_while(|letter| letter.is_whitespace())
        .collect();
    let verdicts = answers.iter().zip(p).filter(|(_, p)| **p > 1e-4);
    let verdicts =
        verdicts.map(|(answer, p)| (format!("{lead}{answer}"), (p * (1.0 - ELSEWHERE)).ln()));
    let others = OTHERS
        .iter()
        .zip(1..)
        .map(|(other, n)| (format!("{lead}{other}"), (ELSEWHERE * 0.5f64.powi(n)).ln()));
    token.likely = verdicts.chain(others).collect();
    token.likely.sort_by(|a, b| b.1.total_cmp(&a.1));
    token.logprob = token
        .likely
        .iter()
        .find(|(text, _)| *text == token.text)
        .map_or(0.0, |(_, logprob)| *logprob);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Judge;
    use serde_json::json;

    fn asked(user: &str) -> Asked {
        let messages =
            json!([{"role": "system", "content": "Judge."}, {"role": "user", "content": user}]);
        Asked::of(&json!({"model": "m", "messages": messages})).unwrap()
    }

    #[test]
    fn both_shapes_of_a_request_get_the_same_verdict() {
        let messages = json!([{"role": "user", "content": [{"type": "text", "text": "Which?"}]}]);
        let other = Asked::of(
            &json!({"model": "n", "system": "Judge.", "messages": messages, "max_tokens": 9}),
        )
        .unwrap();
        assert_eq!(asked("Which?").digest(), other.digest());
        assert_ne!(asked("Which?").digest(), asked("Which one?").digest());
        assert_eq!(other.words(), 2);
    }

    #[test]
    fn verdicts_are_even_and_those_log_probabilities_are_of_one_distribution() {
        let verdicts: Vec<Verdict> = (0..1000)
            .map(|n| Verdict::of(&asked(&n.to_string()), &Script::default()))
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
    fn a_judge_of_the_tests_own_sees_all_texts() {
        let judge = Judge::new(|prompt| format!("{} is what I saw", prompt.replace("\n\n", " ")));
        let script = Script {
            judge: Some(judge),
            ..Script::default()
        };
        assert_eq!(
            Verdict::of(&asked("Which?"), &script).text(),
            "Judge. Which? is what I saw"
        );
        assert!(
            Verdict::of(
                &Asked {
                    limit: Some(2),
                    ..asked("Which?")
                },
                &script
            )
            .cut
        );
    }

    #[test]
    fn a_prompt_with_the_marker_gets_an_analysis_and_then_the_verdict() {
        let verdict = Verdict::of(
            &asked("Close with\nVerdict: A\nor\nVerdict: B"),
            &Script::default(),
        );
        let text = verdict.text();
        let (analysis, letter) = text.rsplit_once("\nVerdict: ").unwrap();
        assert!(analysis.len() > 20 && ["A", "B"].contains(&letter));
        assert_eq!(verdict.tokens.last().unwrap().text, format!(" {letter}"));
    }

    #[test]
    fn a_limit_of_tokens_cuts() {
        let short = Asked {
            limit: Some(3),
            ..asked("Verdict:")
        };
        let verdict = Verdict::of(&short, &Script::default());
        assert!(verdict.cut);
        assert_eq!(verdict.tokens.len(), 3);
        assert!(
            !Verdict::of(
                &Asked {
                    limit: Some(1),
                    ..asked("Which?")
                },
                &Script::default()
            )
            .cut
        );
    }

    #[test]
    fn pieces_join_to_the_text() {
        assert_eq!(pieces("One  two.\nV: A"), ["One", "  two.", "\nV:", " A"]);
        assert_eq!(pieces(" a"), [" a"]);
        assert!(pieces("").is_empty());
    }
}
