//! A provider's batch runner: a file of requests in, a file of results out.

use crate::draw::{Draw, digest};
use crate::embeddings::embed_json;
use crate::http::Route;
use crate::reply::{error_body, verdict_body};
use crate::script::Script;
use crate::verdict::{Asked, Verdict};
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
    let lines = input.lines().filter(|line| !line.trim().is_empty());
    let mut output: Vec<String> = lines.flat_map(|line| answer_line(line, options)).collect();
    output.extend((0..options.unknown).map(|n| unknown_line(n, options)));
    output.extend((0..options.junk).map(cut_line));
    shuffle(output, Draw::new(options.seed, 0))
}

/// Returns the beginning of a line, as a file that was cut off ends with it.
fn cut_line(number: usize) -> String {
    format!("{{\"id\": \"batch_req_{number}\", \"custom_id\"")
}

/// Sorts by a draw for each place.
fn shuffle(lines: Vec<String>, draw: Draw) -> Vec<String> {
    let mut keyed = (0..).zip(lines).collect::<Vec<_>>();
    keyed.sort_by_cached_key(|(number, _)| draw.bits("place", *number));
    keyed.into_iter().map(|(_, line)| line).collect()
}

/// The outcome of a request: a response or an error, the other one null.
struct Outcome {
    response: Value,
    error: Value,
}

impl Outcome {
    fn respond(draw: Draw, status: u16, body: Value) -> Outcome {
        let id = format!("req_{:016x}", draw.bits("request", 0));
        Outcome {
            response: json!({"status_code": status, "request_id": id, "body": body}),
            error: Value::Null,
        }
    }

    fn refuse(draw: Draw, status: u16, code: &str, message: &str) -> Outcome {
        let body = error_body(Route::Chat, status, code, message);
        Outcome::respond(draw, status, body)
    }

    fn expire() -> Outcome {
        Outcome {
            response: Value::Null,
            error: json!({"code": "batch_expired", "message": "This request could not be executed in \
                                                        time."}),
        }
    }

    fn line(self, id: &Value, draw: Draw) -> String {
        let name = format!("batch_req_{:016x}", draw.bits("id", 0));
        json!({"id": name, "custom_id": id, "response": self.response, "error": self.error})
            .to_string()
    }
}

fn answer_line(line: &str, options: &BatchOptions) -> Vec<String> {
    let request: Value = serde_json::from_str(line).unwrap_or(Value::Null);
    let id = request.get("custom_id").cloned().unwrap_or(Value::Null);
    let draw = draw_for(&id, options);
    let copies = count_copies(draw, options);
    vec![draw_outcome(&request, draw, options).line(&id, draw); copies]
}

/// Returns the draws of the line with this id.
fn draw_for(id: &Value, options: &BatchOptions) -> Draw {
    Draw::new(options.seed, digest(id.to_string().as_bytes()))
}

/// Draws how often a line is answered: now and then not at all, or twice.
fn count_copies(draw: Draw, options: &BatchOptions) -> usize {
    if draw.uniform("missing", 0) < options.missing {
        0
    } else if draw.uniform("duplicate", 0) < options.duplicates {
        2
    } else {
        1
    }
}

fn draw_outcome(request: &Value, draw: Draw, options: &BatchOptions) -> Outcome {
    if draw.uniform("failed", 0) >= options.failed {
        return answer_request(request, draw, options);
    }
    match draw.bits("kind of failure", 0) % 3 {
        0 => Outcome::refuse(draw, 500, "server_error", "The server had an error."),
        1 => Outcome::refuse(draw, 400, "invalid_value", "Unsupported value."),
        _ => Outcome::expire(),
    }
}

fn answer_request(request: &Value, draw: Draw, options: &BatchOptions) -> Outcome {
    let route = find_route(request);
    match make_body(request, route, &options.script) {
        Ok(body) => Outcome::respond(draw, 200, body),
        Err(reason) => {
            let body = error_body(route, 400, "invalid_request", &reason);
            Outcome::respond(draw, 400, body)
        }
    }
}

fn find_route(request: &Value) -> Route {
    match request.get("url").and_then(Value::as_str) {
        Some("/v1/messages") => Route::Messages,
        Some("/v1/embeddings") => Route::Embeddings,
        _ => Route::Chat,
    }
}

fn make_body(request: &Value, route: Route, script: &Script) -> Result<Value, String> {
    let body = request.get("body").ok_or("body: missing")?;
    if route == Route::Embeddings {
        return embed_json(body);
    }
    let asked = Asked::from_json(body)?;
    let verdict = Verdict::give(&asked, script);
    Ok(verdict_body(route, &asked, &verdict, script.logprobs))
}

fn unknown_line(number: usize, options: &BatchOptions) -> String {
    let id = json!(format!("nobody-asked-{number}"));
    let draw = draw_for(&id, options);
    let body = json!({"model": "judge", "messages": [{"role": "user", "content": id}]});
    answer_request(&json!({"body": body}), draw, options).line(&id, draw)
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

    #[test]
    fn a_line_that_is_no_request_fails_alone() {
        let lines = run_batch(
            "nonsense\n\n{\"custom_id\": \"x\"}\n",
            &BatchOptions::default(),
        );
        let mut found: Vec<_> = parsed(&lines)
            .iter()
            .map(|line| {
                (
                    line["custom_id"].to_string(),
                    line["response"]["status_code"].clone(),
                )
            })
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(
            found,
            [
                ("\"x\"".to_string(), json!(400)),
                ("null".to_string(), json!(400))
            ]
        );
    }
}
