//! Questions about a state, in both formats that decision servers speak: System One's map of
//! questions (`POST /v1/systemone`) and OpenAI's list (`POST /v1/decisions`), as strict about their
//! fields as vLLM's.
//!
//! Probabilities are a function of the state's texts, the question, the names of its answers and
//! the seed: not of the order of the answers, but for the share of states in which the answer that
//! stands first wins, nor of the format.

use super::draw::{Draw, digest};
use super::http::{Response, Route};
use super::script::{DecisionScript, DecisionServer};
use serde_json::{Map, Value, json};

/// What goes with a body that is no request here: a status and a reason.
type Refused = (u16, String);

/// A question, whichever format it came in.
struct Asked {
    id: String,
    kind: &'static str,
    instructions: String,
    options: Vec<String>,
}

/// The answer to a question.
struct Read {
    p: Vec<f64>,
    label_mass: f64,
    argmax_is_label: bool,
}

/// Answers a body; `turn` is how many questions were answered before, for a judge that does not say
/// the same twice.
pub(super) fn decide(
    script: &DecisionScript,
    seed: u64,
    route: Route,
    body: &[u8],
    turn: u64,
) -> Response {
    let answered = parse(body).and_then(|body| answer(script, seed, route, &body, turn));
    answered.unwrap_or_else(|(status, reason)| {
        let error = json!({"message": reason, "type": "BadRequestError", "param": null,
            "code": status});
        Response::json(status, &json!({ "error": error }))
    })
}

fn parse(body: &[u8]) -> Result<Map<String, Value>, Refused> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(body)) => Ok(body),
        _ => Err((422, "body: expected a JSON object".into())),
    }
}

fn answer(
    script: &DecisionScript,
    seed: u64,
    route: Route,
    body: &Map<String, Value>,
    turn: u64,
) -> Result<Response, Refused> {
    match (script.server, route) {
        (DecisionServer::Both, _) | (DecisionServer::OnlySystemOne, Route::SystemOne) => {}
        (DecisionServer::OnlyDecisions, Route::Decisions) => {}
        (DecisionServer::ChatModel, _) => {
            return Err((501, "This model is not a decision model".into()));
        }
        (DecisionServer::UnreadArchitecture, Route::SystemOne) => {
            let why = "The model does not support the structured decision API";
            return Err((501, why.into()));
        }
        (DecisionServer::UnreadArchitecture, _) => {
            return Err((501, "The model does not support the Decisions API".into()));
        }
        _ => return Err((404, "Not Found".into())),
    }
    let is_listed = route == Route::Decisions;
    let (state, asked) = match is_listed {
        true => read_listed(body)?,
        false => read_mapped(body)?,
    };
    let model = body.get("model").and_then(Value::as_str);
    let model = model.ok_or((422, "model: Field required".to_string()))?;
    let reads: Vec<Read> = (turn..)
        .zip(&asked)
        .map(|(turn, question)| read(script, seed, &state, question, turn))
        .collect();
    // The state counts once, as where it is cached for the questions after the first.
    let words = |text: &str| text.split_whitespace().count();
    let of_state: usize = state.values().map(|text| words(&text_of(text))).sum();
    let of_questions: usize = asked
        .iter()
        .map(|one| words(&one.instructions) + words(&one.options.join(" ")))
        .sum();
    let input = of_state + of_questions;
    let answers = asked.iter().zip(&reads);
    if is_listed {
        let answers: Vec<Value> = answers.map(|(one, read)| list_answer(one, read)).collect();
        return Ok(Response::json(
            200,
            &json!({"model": model, "answers": answers, "usage": {
                "input_tokens": input, "input_tokens_details":
                    {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": asked.len(), "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": input + asked.len()}}),
        ));
    }
    let mut mapped = Map::new();
    let mut diagnostics = Map::new();
    for (one, read) in answers {
        mapped.insert(one.id.clone(), map_answer(one, read));
        diagnostics.insert(
            one.id.clone(),
            json!({"label_mass": read.label_mass, "argmax_is_label": read.argmax_is_label}),
        );
    }
    Ok(Response::json(
        200,
        &json!({"id": "decision-loopback", "object": "structured_decision",
            "created": 1_700_000_000, "model": model, "answers": mapped,
            "usage": {"input_tokens": input, "output_tokens": asked.len()},
            "diagnostics": diagnostics, "joint": null}),
    ))
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), String::from)
}

/// Reads a state that came as a text: an object as JSON is what a model reads of an object too.
fn state_of_text(text: &str) -> Map<String, Value> {
    match serde_json::from_str(text) {
        Ok(Value::Object(state)) => state,
        _ => Map::from_iter([("state".to_string(), Value::from(text))]),
    }
}

/// Refuses a field that the format does not have.
fn check_fields(of: &str, object: &Map<String, Value>, known: &[&str]) -> Result<(), Refused> {
    match object.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err((422, format!("{of}.{name}: Extra inputs are not permitted"))),
        None => Ok(()),
    }
}

type StateAndQuestions = (Map<String, Value>, Vec<Asked>);

fn read_mapped(body: &Map<String, Value>) -> Result<StateAndQuestions, Refused> {
    let known = [
        "model",
        "state",
        "questions",
        "instructions",
        "images",
        "audio",
        "videos",
        "chat_template_kwargs",
        "joint",
        "cache_salt",
        "priority",
        "request_id",
    ];
    check_fields("body", body, &known)?;
    let state = match body.get("state") {
        Some(Value::Object(state)) => state.clone(),
        Some(other) => state_of_text(&text_of(other)),
        None => return Err((422, "state: Field required".into())),
    };
    let questions = body.get("questions").and_then(Value::as_object);
    let questions = questions.ok_or((422, "questions: expected an object".to_string()))?;
    let mut asked = Vec::new();
    for (id, question) in questions {
        let fault = |why: &str| (400, format!("question '{id}': {why}"));
        let fields = question
            .as_object()
            .ok_or_else(|| fault("expected an object"))?;
        if check_fields(id, fields, &["type", "instructions", "criteria"]).is_err() {
            return Err(fault("unknown field(s)"));
        }
        let criteria = fields.get("criteria");
        let (kind, options) = match (fields.get("type").and_then(Value::as_str), criteria) {
            (Some("choice"), Some(Value::Object(criteria))) => {
                ("choice", criteria.keys().cloned().collect())
            }
            (Some("score"), Some(Value::Array(levels))) if (2..=10).contains(&levels.len()) => {
                ("score", levels.iter().map(text_of).collect())
            }
            (Some("noul"), None) => ("noul", vec!["yes".to_string(), "no".into()]),
            _ => return Err(fault("its type and criteria do not go together")),
        };
        asked.push(make_question(id.clone(), kind, fields, options, 400)?);
    }
    Ok((state, asked))
}

fn read_listed(body: &Map<String, Value>) -> Result<StateAndQuestions, Refused> {
    let known = [
        "model",
        "input",
        "questions",
        "safety_identifier",
        "joint",
        "cache_salt",
    ];
    check_fields("body", body, &known)?;
    let input = match body.get("input") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(messages)) => messages
            .iter()
            .map(|message| match message.get("content") {
                Some(Value::Array(parts)) => parts
                    .iter()
                    .filter_map(|part| part.get("text"))
                    .map(text_of)
                    .collect(),
                content => content.map(text_of).unwrap_or_default(),
            })
            .collect::<Vec<String>>()
            .join("\n\n"),
        _ => return Err((422, "input: Field required".into())),
    };
    let state = state_of_text(&input);
    let questions = body.get("questions").and_then(Value::as_array);
    let questions = questions.ok_or((422, "questions: expected a list".to_string()))?;
    let mut asked = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        let place = format!("questions.{at}");
        let fields = question.as_object();
        let fields = fields.ok_or_else(|| (422, format!("{place}: expected an object")))?;
        let named = |list: &str, name: &str| -> Vec<String> {
            let list = fields.get(list).and_then(Value::as_array);
            let names = list.into_iter().flatten().filter_map(|one| one.get(name));
            names.map(text_of).collect()
        };
        let (kind, options, more) = match fields.get("type").and_then(Value::as_str) {
            Some("choice") => ("choice", named("choices", "value"), "choices"),
            Some("score") => ("score", named("levels", "label"), "levels"),
            Some("predicate") => ("noul", vec!["yes".to_string(), "no".into()], "type"),
            _ => {
                return Err((
                    422,
                    format!("{place}.type: Input tag is none of those known"),
                ));
            }
        };
        check_fields(&place, fields, &["type", "name", "instructions", more])?;
        let most = if kind == "score" { 10 } else { 255 };
        if !(2..=most).contains(&options.len()) {
            return Err((422, format!("{place}.{more}: expected 2 to {most}")));
        }
        let name = fields
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        asked.push(make_question(name.to_string(), kind, fields, options, 422)?);
    }
    Ok((state, asked))
}

fn make_question(
    id: String,
    kind: &'static str,
    fields: &Map<String, Value>,
    options: Vec<String>,
    status: u16,
) -> Result<Asked, Refused> {
    let instructions = fields.get("instructions").and_then(Value::as_str);
    let instructions = instructions.unwrap_or_default().to_string();
    let mut distinct = options.clone();
    distinct.sort();
    distinct.dedup();
    if distinct.len() != options.len() || options.is_empty() {
        return Err((status, format!("question '{id}': duplicate option names")));
    }
    Ok(Asked {
        id,
        kind,
        instructions,
        options,
    })
}

fn read(
    script: &DecisionScript,
    seed: u64,
    state: &Map<String, Value>,
    asked: &Asked,
    turn: u64,
) -> Read {
    let mut fields: Vec<String> = state
        .iter()
        .map(|(name, text)| format!("{name}\0{}\0", text_of(text)))
        .collect();
    fields.sort();
    let by_state = Draw::new(seed, digest(fields.concat().as_bytes()));
    // Each answer is liked by its name, wherever it stands.
    let like =
        |name: &str| 2.0 * by_state.uniform(&format!("like {name} {}", asked.instructions), 0);
    let weights: Vec<f64> = asked
        .options
        .iter()
        .map(|name| (2.0 * like(name)).exp())
        .collect();
    let sum: f64 = weights.iter().sum();
    let mut p: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    let count = p.len();
    if asked.kind == "choice" && by_state.uniform("flip", 0) < script.flips {
        p = vec![0.1 / (count - 1).max(1) as f64; count];
        p[0] = 0.9;
    }
    if by_state.uniform("unstable", turn) < script.unstable {
        p.reverse();
    }
    let mut of_question = asked.options.clone();
    of_question.push(asked.instructions.clone());
    let draw = Draw::new(seed ^ 1, digest(of_question.join("\0").as_bytes()));
    let is_low = mixed(by_state, draw) < script.low_mass;
    let mass = by_state.uniform("mass", 0);
    Read {
        p,
        label_mass: if is_low { 0.3 * mass } else { 0.9 + 0.1 * mass },
        argmax_is_label: !is_low,
    }
}

/// A draw for a question about a state.
fn mixed(state: Draw, question: Draw) -> f64 {
    state.uniform("low", question.bits("low", 0))
}

fn argmax(p: &[f64]) -> usize {
    (0..p.len()).fold(0, |best, at| if p[at] > p[best] { at } else { best })
}

fn map_answer(asked: &Asked, read: &Read) -> Value {
    let top = argmax(&read.p);
    let confidence = read.p[top] * read.label_mass;
    let by_number = || (0..).map(|at: usize| at.to_string());
    match asked.kind {
        "choice" => {
            let p: Map<String, Value> = asked
                .options
                .iter()
                .cloned()
                .zip(read.p.iter().map(|p| json!(p)))
                .collect();
            json!({"type": "choice", "choice": asked.options[top], "probabilities": p,
                "confidence": confidence})
        }
        "score" => {
            let p: Map<String, Value> = by_number().zip(read.p.iter().map(|p| json!(p))).collect();
            let legend: Map<String, Value> = by_number()
                .zip(asked.options.iter().map(|name| json!(name)))
                .collect();
            json!({"type": "score", "score": expected_level(&read.p), "legend": legend,
                "probabilities": p, "confidence": confidence})
        }
        _ => json!({"type": "noul", "noul": read.p[0],
            "probabilities": {"yes": read.p[0], "no": read.p[1]}, "confidence": confidence}),
    }
}

fn list_answer(asked: &Asked, read: &Read) -> Value {
    let top = argmax(&read.p);
    let confidence = read.p[top] * read.label_mass;
    let name = Some(&asked.id).filter(|id| !id.is_empty());
    match asked.kind {
        "choice" => {
            let named = asked.options.iter().zip(&read.p);
            let p: Vec<Value> = named
                .map(|(value, p)| json!({"value": value, "probability": p}))
                .collect();
            json!({"type": "choice", "name": name, "choice": asked.options[top],
                "probabilities": p, "confidence": confidence})
        }
        "score" => {
            let named = asked.options.iter().zip(&read.p).enumerate();
            let p: Vec<Value> = named
                .map(|(at, (label, p))| json!({"value": at, "label": label, "probability": p}))
                .collect();
            json!({"type": "score", "name": name, "score": expected_level(&read.p),
                "probabilities": p, "confidence": confidence})
        }
        _ => json!({"type": "predicate", "name": name, "probability": read.p[0]}),
    }
}

fn expected_level(p: &[f64]) -> f64 {
    p.iter().enumerate().map(|(at, p)| at as f64 * p).sum()
}
