//! Questions about a state in the two formats that servers speak: System One's map of questions
//! (`/v1/systemone`) and OpenAI's list (`/v1/decisions`).
//!
//! Several requests about one state share a body: each is a question of its own, and gets its own
//! probabilities back. What was paid is split among them so that the sum is what was paid.

use super::json::{Json, count, malformed, text};
use super::{Dialect, invalid};
use crate::Api;
use crate::served::fault::Fault;
use evenhand_core::{
    CallError, Finish, Question, QuestionAnswers, Reply, Request, StateField, Task, Usage,
};
use serde_json::{Map, Value, json};

/// By how much probabilities that were rounded may sum to more than 1.
const ROUNDING: f64 = 1e-6;

/// A request as a question about a state.
fn question_of(request: &Request) -> Option<(&[StateField], &Question)> {
    match &request.task {
        Task::Decide { state, question } => Some((state, question)),
        _ => None,
    }
}

/// Makes the body that asks these questions, which are about one state.
pub(super) fn encode(
    dialect: &Dialect,
    requests: &[&Request],
) -> Result<Map<String, Value>, CallError> {
    let asked: Option<Vec<_>> = requests.iter().map(|one| question_of(one)).collect();
    let (Some(asked), true) = (asked, dialect.api.decides()) else {
        let model = &dialect.model;
        return Err(invalid(match dialect.api.decides() {
            true => format!(
                "{model} answers questions with probabilities and writes no text: it can judge, \
                 and can neither read verdicts, nor rewrite, nor embed"
            ),
            false => format!("{model} is asked by chat, and this is a question about a state"),
        }));
    };
    let Some((state, _)) = asked.first() else {
        return Err(invalid("there is no question"));
    };
    if asked.iter().any(|(other, _)| other != state) {
        return Err(invalid("these questions are about different states"));
    }
    let fields = state
        .iter()
        .map(|field| (field.name.clone(), field.text.as_str().into()));
    let state: Map<String, Value> = fields.collect();
    let questions = asked.iter().enumerate();
    let mut body = Map::new();
    body.insert("model".into(), dialect.model.as_str().into());
    if dialect.api == Api::Decisions {
        let questions = questions.map(|(at, (_, question))| encode_listed(at, question));
        // The format takes a text: the object as JSON, in which no text can pose as another field.
        let input = serde_json::to_string_pretty(&state).unwrap_or_default();
        body.insert("input".into(), input.into());
        body.insert("questions".into(), questions.collect());
    } else {
        let questions = questions.map(|(at, (_, question))| (name_of(at), encode_mapped(question)));
        body.insert("state".into(), state.into());
        body.insert("questions".into(), Value::Object(questions.collect()));
    }
    Ok(body)
}

/// The name of a question in its body.
fn name_of(at: usize) -> String {
    format!("q{}", at + 1)
}

fn encode_mapped(question: &Question) -> Value {
    let instructions = &question.instructions;
    match &question.answers {
        QuestionAnswers::Choice { options } => {
            let criteria = options.iter().map(|name| (name.clone(), Value::Null));
            let criteria: Map<String, Value> = criteria.collect();
            json!({"type": "choice", "instructions": instructions, "criteria": criteria})
        }
        QuestionAnswers::Score { levels } => {
            json!({"type": "score", "instructions": instructions, "criteria": levels})
        }
        QuestionAnswers::YesNo => json!({"type": "noul", "instructions": instructions}),
    }
}

fn encode_listed(at: usize, question: &Question) -> Value {
    let (name, instructions) = (name_of(at), &question.instructions);
    match &question.answers {
        QuestionAnswers::Choice { options } => {
            let choices = options.iter().map(|value| json!({ "value": value }));
            let choices: Vec<Value> = choices.collect();
            json!({"type": "choice", "name": name, "instructions": instructions,
                "choices": choices})
        }
        QuestionAnswers::Score { levels } => {
            let levels = levels.iter().map(|label| json!({ "label": label }));
            let levels: Vec<Value> = levels.collect();
            json!({"type": "score", "name": name, "instructions": instructions, "levels": levels})
        }
        QuestionAnswers::YesNo => {
            json!({"type": "predicate", "name": name, "instructions": instructions})
        }
    }
}

/// Reads the replies to the questions of one body, in their order.
pub(super) fn decode(
    dialect: &Dialect,
    requests: &[&Request],
    value: &Json,
) -> Result<Vec<Reply>, Fault> {
    let answers = value.get("answers").ok_or_else(|| {
        malformed("the reply has no field `answers`: is the address that of a decision API?")
    })?;
    let shares = split_usage(read_usage(value), requests.len());
    let mut replies = Vec::with_capacity(requests.len());
    for ((at, request), usage) in requests.iter().enumerate().zip(shares) {
        let name = name_of(at);
        let answer = match dialect.api {
            Api::Decisions => answers.pointer(&format!("/{at}")),
            _ => answers.get(&name),
        };
        let answer = answer.ok_or_else(|| malformed(format!("{name} has no answer")))?;
        let answered = text(answer, "/name").unwrap_or(&name);
        if dialect.api == Api::Decisions && *answered != name {
            let why = format!("the answer to {name} is called {answered}: they are not in order");
            return Err(malformed(why));
        }
        let Some((_, question)) = question_of(request) else {
            return Err(malformed(format!("{name} is no question")));
        };
        let diagnostics = value.get("diagnostics").and_then(|all| all.get(&name));
        let reply = read_answer(dialect, question, answer, diagnostics)
            .map_err(|why| malformed(format!("the answer to {name} cannot be used: {why}")))?;
        replies.push(Reply { usage, ..reply });
    }
    Ok(replies)
}

fn read_answer(
    dialect: &Dialect,
    question: &Question,
    answer: &Json,
    diagnostics: Option<&Json>,
) -> Result<Reply, String> {
    if text(answer, "/type") == Some("refusal") {
        return Ok(Reply {
            finish: Finish::Refusal,
            ..Reply::default()
        });
    }
    let probabilities = read_probabilities(question, answer)?;
    let number = |value: Option<&Json>, name: &str| match value.and_then(|all| all.get(name)) {
        None | Some(Json::Null) => Ok(None),
        Some(found) => match found.as_f64() {
            Some(number) => Ok(Some(number)),
            None => Err(format!("its {name} is not a number")),
        },
    };
    // vLLM says it beside the answers; SGLang within, under one of two names.
    let stated = number(diagnostics, "label_mass")?
        .or(number(Some(answer), "x_label_mass")?)
        .or(number(Some(answer), "label_mass")?);
    let most = probabilities.iter().copied().fold(0.0, f64::max);
    if let (QuestionAnswers::Choice { options }, Some(choice)) =
        (&question.answers, text(answer, "/choice"))
    {
        let chosen = options.iter().zip(&probabilities);
        let chosen = chosen.filter(|(name, _)| *name == choice);
        if !chosen.map(|(_, p)| *p).any(|p| p >= most - ROUNDING) {
            return Err(format!(
                "it chooses `{choice}`, which is not the most probable answer"
            ));
        }
    }
    // What was given to the answers is no more than what lay on them.
    let sum: f64 = probabilities.iter().sum();
    let given = (sum < 1.0 - 1e-3).then_some(sum);
    let by_confidence = number(Some(answer), "confidence")?
        .filter(|_| dialect.confidence_has_mass && most > 0.0)
        .map(|confidence| confidence / most);
    let label_mass = stated.or(by_confidence);
    let label_mass = match (label_mass, given) {
        (Some(mass), Some(given)) => Some(mass.min(given)),
        (mass, given) => mass.or(given),
    };
    if let Some(mass) = label_mass.filter(|mass| !(0.0..=1.0 + ROUNDING).contains(mass)) {
        return Err(format!("its label mass is {mass}: expected 0 to 1"));
    }
    let argmax = diagnostics.and_then(|all| all.get("argmax_is_label"));
    Ok(Reply {
        answers: Some(probabilities),
        label_mass: label_mass.map(|mass| mass.min(1.0)),
        argmax_is_label: match argmax {
            Some(Json::Bool(it_is)) => Some(*it_is),
            _ => None,
        },
        ..Reply::default()
    })
}

/// Reads the probability of each answer, in the question's order.
fn read_probabilities(question: &Question, answer: &Json) -> Result<Vec<f64>, String> {
    let given = answer.get("probabilities");
    // A map by names, or a list of objects with `value`.
    let of = |name: &str, at: usize| -> Result<f64, String> {
        let found = match given {
            Some(map @ Json::Object(_)) => map.get(name),
            Some(Json::List(list)) => list.iter().find_map(|one| {
                let value = one.get("value")?;
                let is_it = value.as_str() == Some(name) || value.as_u64() == Some(at as u64);
                one.get("probability").filter(|_| is_it)
            }),
            _ => None,
        };
        found
            .and_then(Json::as_f64)
            .ok_or_else(|| format!("it gives no probability of `{name}`"))
    };
    let probabilities = match &question.answers {
        QuestionAnswers::Choice { options } => options
            .iter()
            .map(|name| of(name, usize::MAX))
            .collect::<Result<Vec<f64>, String>>()?,
        // By the number of a level, from 0.
        QuestionAnswers::Score { levels } => (0..levels.len())
            .map(|at| of(&at.to_string(), at))
            .collect::<Result<Vec<f64>, String>>()?,
        QuestionAnswers::YesNo => {
            let yes = answer.get("noul").or_else(|| answer.get("probability"));
            let yes = yes
                .and_then(Json::as_f64)
                .ok_or("it gives no probability of yes")?;
            vec![yes, 1.0 - yes]
        }
    };
    let sum: f64 = probabilities.iter().sum();
    let is_possible = |p: &f64| (0.0..=1.0 + ROUNDING).contains(p);
    if !probabilities.iter().all(is_possible) || sum > 1.0 + ROUNDING || sum <= 0.0 {
        return Err(format!("{probabilities:?} are no probabilities"));
    }
    Ok(probabilities)
}

fn read_usage(value: &Json) -> Usage {
    let usage = value.get("usage").unwrap_or(&Json::Null);
    let named = |one: &str, other: &str| match count(usage, one) {
        0 => count(usage, other),
        tokens => tokens,
    };
    let prompt_tokens = named("/input_tokens", "/prompt_tokens");
    let completion_tokens = named("/output_tokens", "/completion_tokens");
    let cached = named("/input_tokens_details/cached_tokens", "/cached_tokens");
    let thought = count(usage, "/output_tokens_details/reasoning_tokens");
    Usage {
        prompt_tokens,
        completion_tokens,
        cached_tokens: cached.min(prompt_tokens),
        reasoning_tokens: thought.min(completion_tokens),
    }
    .capped()
}

/// Splits the tokens of a call among its questions: each has as many as the others or one more, and
/// together they have all.
fn split_usage(whole: Usage, parts: usize) -> impl Iterator<Item = Usage> {
    let parts = parts.max(1) as u64;
    (0..parts).map(move |at| {
        let share = |tokens: u64| tokens / parts + u64::from(at < tokens % parts);
        let (prompt_tokens, completion_tokens) =
            (share(whole.prompt_tokens), share(whole.completion_tokens));
        Usage {
            prompt_tokens,
            completion_tokens,
            cached_tokens: share(whole.cached_tokens).min(prompt_tokens),
            reasoning_tokens: share(whole.reasoning_tokens).min(completion_tokens),
        }
    })
}

/// Returns what to do about a server that refuses a question, where its status or its words tell.
pub(super) fn advise(dialect: &Dialect, status: u16, words: &str) -> Option<String> {
    let words = words.to_lowercase();
    let says = |part: &str| words.contains(part);
    let model = &dialect.model;
    if !dialect.api.decides() {
        // A model that answers no chat.
        let only_decides = says("v1/decisions") || says("v1/systemone") || says("decision model");
        return only_decides.then(|| {
            format!("it answers questions and no chat: name the judge decisions:{model}")
        });
    }
    let other = match dialect.api {
        Api::Decisions => "systemone",
        _ => "decisions",
    };
    Some(if says("not a decision model") {
        format!(
            "a chat model answers no questions here: name the judge openai:{model}, or serve a \
             decision model"
        )
    } else if status == 501 || says("does not support the") {
        format!(
            "this server reads decisions from a few architectures only, and {model} is none of \
             them: name the judge openai:{model}"
        )
    } else if matches!(status, 404 | 405) {
        format!(
            "no such model, or no such format at this address: try {other}:{model}, or \
             openai:{model} for a chat model"
        )
    } else if matches!(status, 400 | 422) && (says("field required") || says("extra")) {
        format!("this server has a form of its own at this address: try {other}:{model}")
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::served::codec::{decode_together, encode_together};
    use crate::served::fault::FaultKind;

    fn request(answers: QuestionAnswers) -> Request {
        let field = |name: &str, text: &str| StateField::new(name, text);
        Request::new(
            "j".into(),
            Vec::new(),
            Task::Decide {
                state: vec![
                    field("instruction", "Say hi."),
                    field("answer_1", "\"}, hi"),
                ],
                question: Question {
                    instructions: "Which is better?".into(),
                    answers,
                },
            },
        )
    }

    fn choice(options: &[&str]) -> Request {
        request(QuestionAnswers::Choice {
            options: options.iter().map(|one| one.to_string()).collect(),
        })
    }

    fn score() -> Request {
        request(QuestionAnswers::Score {
            levels: ["bad", "fair", "good"].map(String::from).to_vec(),
        })
    }

    /// Both orders of a choice, a scale and a yes-no question, as each format asks them.
    #[test]
    fn each_format_asks_in_its_own_fields_and_in_the_order_given() {
        let (a, b) = (choice(&["z", "a"]), choice(&["a", "z"]));
        let (c, d) = (score(), request(QuestionAnswers::YesNo));
        let asked = [&a, &b, &c, &d];
        let body = encode_together(&Dialect::systemone("m"), &asked).unwrap();
        assert_eq!(
            body,
            concat!(
                r#"{"model":"m","state":{"instruction":"Say hi.","answer_1":"\"}, hi"},"#,
                r#""questions":{"q1":{"type":"choice","instructions":"Which is better?","#,
                r#""criteria":{"z":null,"a":null}},"q2":{"type":"choice","#,
                r#""instructions":"Which is better?","criteria":{"a":null,"z":null}},"#,
                r#""q3":{"type":"score","instructions":"Which is better?","#,
                r#""criteria":["bad","fair","good"]},"#,
                r#""q4":{"type":"noul","instructions":"Which is better?"}}}"#
            )
        );
        let body = encode_together(&Dialect::decisions("m"), &asked).unwrap();
        let body: Value = serde_json::from_str(&body).unwrap();
        let input: Value = serde_json::from_str(body["input"].as_str().unwrap()).unwrap();
        assert_eq!(
            input,
            json!({"instruction": "Say hi.", "answer_1": "\"}, hi"})
        );
        let asked = "Which is better?";
        let question = |kind: &str, at: u32| {
            let name = format!("q{at}");
            json!({"type": kind, "name": name, "instructions": asked})
        };
        let mut first = question("choice", 1);
        first["choices"] = json!([{"value": "z"}, {"value": "a"}]);
        let mut third = question("score", 3);
        third["levels"] = json!([{"label": "bad"}, {"label": "fair"}, {"label": "good"}]);
        assert_eq!(body["questions"][0], first);
        assert_eq!(body["questions"][2], third);
        assert_eq!(body["questions"][3], question("predicate", 4));
    }

    #[test]
    fn each_question_gets_its_own_probabilities_and_the_sum_is_what_was_paid() {
        let (a, b, c) = (choice(&["z", "a"]), choice(&["a", "z"]), score());
        let d = request(QuestionAnswers::YesNo);
        let asked = [&a, &b, &c, &d];
        let mapped = json!({"answers": {
            "q1": {"type": "choice", "choice": "a", "confidence": 0.5,
                "probabilities": {"a": 0.7, "z": 0.3}},
            "q2": {"type": "choice", "choice": "a", "confidence": 0.5,
                "probabilities": {"a": 0.6, "z": 0.4}},
            "q3": {"type": "score", "score": 1.3, "legend": {},
                "probabilities": {"0": 0.1, "1": 0.5, "2": 0.4}, "x_label_mass": 0.75},
            "q4": {"type": "noul", "noul": 0.125}},
            "usage": {"input_tokens": 103, "output_tokens": 2},
            "diagnostics": {"q1": {"label_mass": 0.9, "argmax_is_label": true},
                "q2": {"label_mass": 0.02, "argmax_is_label": false}}});
        let body = mapped.to_string();
        let replies = decode_together(&Dialect::systemone("m"), &asked, 200, None, body.as_bytes());
        let replies = replies.unwrap();
        let answers: Vec<&[f64]> = replies
            .iter()
            .map(|reply| reply.answers.as_deref().unwrap())
            .collect();
        assert_eq!(
            answers,
            [
                &[0.3, 0.7][..],
                &[0.6, 0.4],
                &[0.1, 0.5, 0.4],
                &[0.125, 0.875]
            ]
        );
        let masses: Vec<Option<f64>> = replies.iter().map(|reply| reply.label_mass).collect();
        assert_eq!(masses, [Some(0.9), Some(0.02), Some(0.75), None]);
        let argmax: Vec<_> = replies.iter().map(|reply| reply.argmax_is_label).collect();
        assert_eq!(argmax, [Some(true), Some(false), None, None]);
        let tokens: Vec<u64> = replies.iter().map(|one| one.usage.prompt_tokens).collect();
        assert_eq!(tokens, [26, 26, 26, 25]);
        let written: u64 = replies.iter().map(|one| one.usage.completion_tokens).sum();
        assert_eq!(written, 2);

        let listed = json!({"model": "m", "answers": [
            {"type": "choice", "name": "q1", "choice": "a", "confidence": 0.35,
                "probabilities": [{"value": "z", "probability": 0.3},
                    {"value": "a", "probability": 0.7}]},
            {"type": "refusal", "name": "q2"},
            {"type": "score", "name": null, "score": 1.3, "probabilities": [
                {"value": 0, "label": "bad", "probability": 0.1},
                {"value": 1, "label": "fair", "probability": 0.5},
                {"value": 2, "label": "good", "probability": 0.4}]},
            {"type": "predicate", "name": "q4", "probability": 0.125}],
            "usage": {"input_tokens": 8, "input_tokens_details": {"cached_tokens": 4},
                "output_tokens": 0, "total_tokens": 8}});
        let read = |dialect: &Dialect| {
            decode_together(dialect, &asked, 200, None, listed.to_string().as_bytes()).unwrap()
        };
        let replies = read(&Dialect::decisions("m"));
        assert_eq!(replies[0].answers, Some(vec![0.3, 0.7]));
        assert_eq!(replies[0].label_mass, None);
        assert_eq!(replies[1].finish, Finish::Refusal);
        assert_eq!(replies[2].answers, Some(vec![0.1, 0.5, 0.4]));
        assert_eq!(replies[3].answers, Some(vec![0.125, 0.875]));
        let cached: u64 = replies.iter().map(|one| one.usage.cached_tokens).sum();
        assert_eq!(cached, 4);
        // As vLLM means it, the confidence holds the mass.
        let by_confidence = Dialect {
            confidence_has_mass: true,
            ..Dialect::decisions("m")
        };
        assert_eq!(read(&by_confidence)[0].label_mass, Some(0.5));
    }

    #[test]
    fn what_is_no_answer_is_malformed_and_never_a_verdict() {
        let asked = choice(&["x", "y"]);
        for answers in [
            json!({}),
            json!({"q1": {}}),
            json!({"q1": {"probabilities": {"x": 1.0}}}),
            json!({"q1": {"probabilities": {"x": 0.9, "y": 0.9}}}),
            json!({"q1": {"probabilities": {"x": -0.1, "y": 0.9}}}),
            json!({"q1": {"probabilities": {"x": 0.0, "y": 0.0}}}),
            json!({"q1": {"probabilities": [0.5, 0.5]}}),
            json!({"q1": {"probabilities": {"x": 0.5, "y": 0.5}, "x_label_mass": 7.0}}),
            json!(3),
        ] {
            let body = json!({ "answers": answers }).to_string();
            let read = decode_together(
                &Dialect::systemone("m"),
                &[&asked],
                200,
                None,
                body.as_bytes(),
            );
            assert_eq!(read.unwrap_err().kind, FaultKind::Malformed, "{body}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let asked = choice(&["x", "y"]);
        let says = |dialect: Dialect, status: u16, message: &str| {
            let body = json!({"error": {"message": message}}).to_string();
            let fault = decode_together(&dialect, &[&asked], status, None, body.as_bytes());
            let fault = fault.unwrap_err();
            (fault.kind, fault.message)
        };
        for (dialect, status, message, kind, advice) in [
            (
                Dialect::systemone("m"),
                501,
                "This model is not a decision model",
                FaultKind::NotFound,
                "name the judge openai:m",
            ),
            (
                Dialect::decisions("m"),
                501,
                "The model does not support the Decisions API",
                FaultKind::NotFound,
                "a few architectures only",
            ),
            (
                Dialect::systemone("m"),
                404,
                "Not Found",
                FaultKind::NotFound,
                "try decisions:m",
            ),
            (
                Dialect::decisions("m"),
                422,
                "questions.0.id: Field required",
                FaultKind::NotFound,
                "try systemone:m",
            ),
            (
                Dialect::openai("m"),
                404,
                "This model is only supported in v1/decisions",
                FaultKind::NotFound,
                "decisions:m",
            ),
        ] {
            let (found, said) = says(dialect, status, message);
            assert_eq!(found, kind, "{said}");
            assert!(said.contains(message) && said.contains(advice), "{said}");
        }
    }
}
