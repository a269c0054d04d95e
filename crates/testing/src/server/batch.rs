//! A provider's batch runner: a file of requests in, a file of results out.

use super::draw::{Draw, digest};
use super::embeddings::embed_json;
use super::http::Route;
use super::reply::{error_body, verdict_body};
use super::script::Script;
use super::verdict::{Asked, Verdict};
use serde_json::{Value, json};

/// Faults of a batch. Every share is in 0..=1 and drawn for each line from the seed and
/// its `custom_id`.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// Verdicts: the answers, the marker, log-probabilities and the seed, as those of a live server
    /// with this script.
    pub script: Script,
    /// The seed of the order and of what goes wrong.
    pub seed: u64,
    /// The share of lines that have no output.
    pub missing: f64,
    /// The share of lines that end in an error: status 500, status 400, or an error object without
    /// a response, each as likely.
    pub failed: f64,
    /// The share of lines whose output is there twice.
    pub duplicates: f64,
    /// Additional outputs for ids that nobody asked for.
    pub unknown: usize,
    /// Additional lines that are not JSON.
    pub junk: usize,
}

/// Returns the output lines for a file in OpenAI's batch format, in an order drawn from the seed.
/// An input line that is no request gives an error line with the id that it has, or none.
pub fn run_batch(input: &str, options: &BatchOptions) -> Vec<String> {
    let mut output = Vec::new();
    for line in input.lines().filter(|line| !line.trim().is_empty()) {
        let request: Value = serde_json::from_str(line).unwrap_or(Value::Null);
        let id = request.get("custom_id").cloned().unwrap_or(Value::Null);
        let draw = draw_for(&id, options);
        let copies = if draw.uniform("missing", 0) < options.missing {
            0
        } else if draw.uniform("duplicate", 0) < options.duplicates {
            2
        } else {
            1
        };
        let (response, error) = draw_outcome(&request, draw, options);
        let line = output_line(&id, draw, &response, &error);
        output.extend(std::iter::repeat_n(line, copies));
    }
    for number in 0..options.unknown {
        let id = json!(format!("nobody-asked-{number}"));
        let draw = draw_for(&id, options);
        let body = json!({"model": "judge", "messages": [{"role": "user", "content": id}]});
        let response = answer_request(&json!({"body": body}), draw, options);
        output.push(output_line(&id, draw, &response, &Value::Null));
    }
    // As a file that was cut off ends.
    let junk = |number| format!("{{\"id\": \"batch_req_{number}\", \"custom_id\"");
    output.extend((0..options.junk).map(junk));

    let order = Draw::new(options.seed, 0);
    let mut keyed: Vec<(u64, String)> = (0..).zip(output).collect();
    keyed.sort_by_cached_key(|(number, _)| order.bits("place", *number));
    keyed.into_iter().map(|(_, line)| line).collect()
}

/// Returns the draws of the line with this id.
fn draw_for(id: &Value, options: &BatchOptions) -> Draw {
    Draw::new(options.seed, digest(id.to_string().as_bytes()))
}

fn output_line(id: &Value, draw: Draw, response: &Value, error: &Value) -> String {
    let name = format!("batch_req_{:016x}", draw.bits("id", 0));
    json!({"id": name, "custom_id": id, "response": response, "error": error}).to_string()
}

/// Draws the response and the error of a request, one of which is null.
fn draw_outcome(request: &Value, draw: Draw, options: &BatchOptions) -> (Value, Value) {
    let refuse = |status: u16, code: &str, message: &str| {
        make_response(draw, status, error_body(Route::Chat, status, code, message))
    };
    if draw.uniform("failed", 0) >= options.failed {
        return (answer_request(request, draw, options), Value::Null);
    }
    match draw.bits("kind of failure", 0) % 3 {
        0 => (
            refuse(500, "server_error", "The server had an error."),
            Value::Null,
        ),
        1 => (
            refuse(400, "invalid_value", "Unsupported value."),
            Value::Null,
        ),
        _ => {
            let message = "This request could not be executed in time.";
            (
                Value::Null,
                json!({"code": "batch_expired", "message": message}),
            )
        }
    }
}

fn answer_request(request: &Value, draw: Draw, options: &BatchOptions) -> Value {
    let route = match request.get("url").and_then(Value::as_str) {
        Some("/v1/messages") => Route::Messages,
        Some("/v1/embeddings") => Route::Embeddings,
        _ => Route::Chat,
    };
    let answer = match request.get("body") {
        None => Err("body: missing".to_owned()),
        Some(body) if route == Route::Embeddings => embed_json(body),
        Some(body) => Asked::from_json(body).map(|asked| {
            let verdict = Verdict::give(&asked, &options.script);
            verdict_body(route, &asked, &verdict, options.script.logprobs)
        }),
    };
    match answer {
        Ok(body) => make_response(draw, 200, body),
        Err(reason) => {
            let body = error_body(route, 400, "invalid_request", &reason);
            make_response(draw, 400, body)
        }
    }
}

fn make_response(draw: Draw, status: u16, body: Value) -> Value {
    let id = format!("req_{:016x}", draw.bits("request", 0));
    json!({"status_code": status, "request_id": id, "body": body})
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn input(lines: usize) -> String {
        let body = |n: usize| json!({"model": "m", "messages": [{"role": "user", "content": n.to_string()}]});
        let line = |n| json!({"custom_id": format!("r{n}"), "method": "POST", "url": "/v1/chat/completions", "body": body(n)});
        (0..lines).map(|n| line(n).to_string() + "\n").collect()
    }

    fn parsed(lines: &[String]) -> Vec<Value> {
        lines
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    #[test]
    fn a_batch_in_which_nothing_goes_wrong_is_whole_and_shuffled() {
        let run = |seed| {
            run_batch(
                &input(100),
                &BatchOptions {
                    seed,
                    ..BatchOptions::default()
                },
            )
        };
        let ids: Vec<Value> = parsed(&run(1))
            .iter()
            .map(|line| line["custom_id"].clone())
            .collect();
        let in_order: Vec<Value> = (0..100).map(|n| json!(format!("r{n}"))).collect();
        assert_ne!(ids, in_order);
        assert!(ids.len() == 100 && in_order.iter().all(|id| ids.contains(id)));
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn what_goes_wrong_has_its_share() {
        let options = BatchOptions {
            missing: 0.1,
            failed: 0.3,
            duplicates: 0.2,
            unknown: 5,
            junk: 7,
            ..BatchOptions::default()
        };
        let lines = run_batch(&input(2_000), &options);
        let parsed = parsed(&lines);
        assert_eq!(lines.len() - parsed.len(), 7);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        parsed.iter().for_each(|line| {
            *counts
                .entry(line["custom_id"].as_str().unwrap())
                .or_default() += 1
        });
        let unknown = counts.keys().filter(|id| id.starts_with("nobody")).count();
        let (distinct, twice) = (
            counts.len() - unknown,
            counts.values().filter(|count| **count == 2).count(),
        );
        let of = |status: Value| {
            parsed
                .iter()
                .filter(|line| line["response"]["status_code"] == status)
                .count()
        };
        let without = parsed
            .iter()
            .filter(|line| line["response"].is_null() && line["error"].is_object())
            .count();
        assert_eq!(unknown, 5);
        assert!((1_740..1_860).contains(&distinct), "{distinct}");
        assert!((300..420).contains(&twice), "{twice}");
        for failed in [of(json!(500)), of(json!(400)), without] {
            assert!((150..290).contains(&failed), "{failed}");
        }
        assert_eq!(
            of(json!(200)) + of(json!(500)) + of(json!(400)) + without,
            parsed.len()
        );
    }
}
