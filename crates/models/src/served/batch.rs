//! Lines of batch files: OpenAI's format, which vLLM's offline runner takes too, and that of
//! Anthropic's message batches.

use super::attempt::{call_error, is_raw_kept};
use super::codec::{Dialect, decode};
use super::spec::ServedSpec;
use crate::identity::failed;
use crate::{Answer, ModelError};
use evenhand_core::{Request, RequestKey};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The longest message of a server that is kept.
const LONGEST_MESSAGE: usize = 300;

/// The longest id that is kept.
const LONGEST_ID: usize = 128;

const NO_RESULT: &str = "expected `response` with `status_code` and `body`, or `error`, or \
                         Anthropic's `result`";

/// The result of one request of a batch file.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchLine {
    /// The id that the request was given.
    pub custom_id: String,
    result: LineResult,
}

#[derive(Clone, Debug, PartialEq)]
enum LineResult {
    /// A server's answer: its status and body.
    Answer(u16, Value),
    /// The batch runner's own error.
    Error(String),
}

impl BatchLine {
    /// Reads a line of results.
    ///
    /// # Errors
    ///
    /// A sentence that says what the line lacks: it is not JSON, or has no id or no result.
    pub fn read(line: &[u8]) -> Result<BatchLine, String> {
        let value = serde_json::from_slice(line).map_err(|e| format!("not valid JSON: {e}"))?;
        BatchLine::of_value(&value)
    }

    /// Reads a row of a table of results, with the fields of a line as columns. An engine that
    /// keeps no objects in its columns has these as JSON texts.
    ///
    /// # Errors
    ///
    /// As [`BatchLine::read`].
    pub fn of_row(mut row: Value) -> Result<BatchLine, String> {
        for path in ["/response", "/response/body", "/error", "/result"] {
            if let Some(field) = row.pointer_mut(path)
                && let Some(text) = field.as_str()
                && let Ok(object) = serde_json::from_str::<Value>(text)
                && object.is_object()
            {
                *field = object;
            }
        }
        BatchLine::of_value(&row)
    }

    fn of_value(value: &Value) -> Result<BatchLine, String> {
        let id = value.get("custom_id").and_then(Value::as_str);
        let id = id.ok_or("expected `custom_id`, a text")?;
        Ok(BatchLine {
            custom_id: id.chars().take(LONGEST_ID).collect(),
            result: read_result(value).ok_or(NO_RESULT)?,
        })
    }

    /// Returns the key of the request, or None if the line is about none of ours.
    pub fn key(&self) -> Option<RequestKey> {
        let id = &self.custom_id;
        // Only small letters: another spelling of a key is another's id, not ours.
        let is_hex_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if id.len() != 64 || !id.bytes().all(is_hex_digit) {
            return None;
        }
        let mut key = [0; 32];
        for (at, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(id.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(RequestKey(key))
    }
}

fn read_result(line: &Value) -> Option<LineResult> {
    if let Some(result) = line.get("result") {
        return read_anthropic_result(result);
    }
    let error = find_field(line, "error");
    if let Some(response) = find_field(line, "response")
        && let Some(status) = response.get("status_code").and_then(Value::as_u64)
        // vLLM's runner puts what the server said beside a response without a body.
        && let Some(body) = find_field(response, "body").or(error)
    {
        let status = u16::try_from(status).ok()?;
        return Some(LineResult::Answer(status, body.clone()));
    }
    let error = error?;
    let message = error.get("message").and_then(Value::as_str);
    let text = message.map_or_else(|| error.to_string(), String::from);
    let text = text.chars().take(LONGEST_MESSAGE).collect();
    Some(LineResult::Error(text))
}

/// Returns a field that is there and not null.
fn find_field<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|field| !field.is_null())
}

fn read_anthropic_result(result: &Value) -> Option<LineResult> {
    match result.get("type")?.as_str()? {
        "succeeded" => Some(LineResult::Answer(200, result.get("message")?.clone())),
        "errored" => {
            let error = result.get("error")?;
            let kind = error.pointer("/error/type").or_else(|| error.get("type"));
            let status = match kind.and_then(Value::as_str) {
                Some("invalid_request_error") => 400,
                _ => 500,
            };
            // As the live API would have sent it.
            let body = match error.get("error") {
                Some(_) => error.clone(),
                None => json!({ "error": error }),
            };
            Some(LineResult::Answer(status, body))
        }
        other => Some(LineResult::Error(format!(
            "the request was not answered: {other}"
        ))),
    }
}

/// Reads results as the judges' codecs do.
#[derive(Debug, Default)]
pub struct BatchReader {
    dialects: HashMap<Arc<str>, Dialect>,
}

impl BatchReader {
    /// Returns the outcome of a request.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if the request's judge is not a served judge.
    pub fn read_answer(
        &mut self,
        request: &Request,
        line: &BatchLine,
    ) -> Result<Answer, ModelError> {
        let dialect = match self.dialects.entry(request.judge.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                unknown.insert(ServedSpec::from_identity(&request.judge)?.dialect()?)
            }
        };
        let (status, body) = match &line.result {
            LineResult::Answer(status, body) => (*status, body),
            LineResult::Error(message) => {
                return Ok(Answer::from(Err(failed(format!(
                    "the batch's error: {message}"
                )))));
            }
        };
        let raw = body.to_string();
        let reply = decode(dialect, request, status, None, raw.as_bytes());
        let is_kept = reply.as_ref().is_ok_and(is_raw_kept);
        Ok(Answer {
            result: reply.map_err(|fault| call_error(&fault)),
            raw: is_kept.then_some(raw),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Api, EncodedRequest, Target};
    use proptest::prelude::*;

    fn read(line: &str) -> Result<LineResult, String> {
        BatchLine::read(line.as_bytes()).map(|line| line.result)
    }

    #[test]
    fn lines_of_results() {
        assert_eq!(
            read(r#"{"custom_id":"x","response":{"status_code":200,"body":{"a":1}},"error":null}"#),
            Ok(LineResult::Answer(200, json!({"a": 1})))
        );
        assert_eq!(
            read(
                r#"{"custom_id":"x","response":null,"error":{"code":"batch_expired","message":"too late"}}"#
            ),
            Ok(LineResult::Error("too late".into()))
        );
        assert_eq!(
            read(r#"{"custom_id":"x","result":{"type":"succeeded","message":{"b":2}}}"#),
            Ok(LineResult::Answer(200, json!({"b": 2})))
        );
        assert_eq!(
            read(r#"{"custom_id":"x","result":{"type":"expired"}}"#),
            Ok(LineResult::Error(
                "the request was not answered: expired".into()
            ))
        );
        assert!(matches!(
            read(
                r#"{"custom_id":"x","result":{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"no"}}}}"#
            ),
            Ok(LineResult::Answer(400, _))
        ));
        let beside = r#"{"custom_id":"x","response":{"status_code":400,"body":null},"error":{"message":"too long"}}"#;
        assert_eq!(
            read(beside),
            Ok(LineResult::Answer(400, json!({"message": "too long"})))
        );
        for line in [
            "",
            "{",
            "[]",
            r#"{"custom_id":1}"#,
            r#"{"custom_id":"x"}"#,
            r#"{"custom_id":"x","response":{"status_code":200}}"#,
            r#"{"custom_id":"x","result":{}}"#,
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn rows_of_tables_hold_objects_or_their_texts() {
        let response = json!({"status_code": 200, "body": {"a": 1}});
        let line = json!({"custom_id": "x", "response": response, "error": null});
        let expected = BatchLine::read(line.to_string().as_bytes());
        let body = json!({"a": 1}).to_string();
        for response in [
            line["response"].clone(),
            json!({"status_code": 200, "body": body}),
            json!(line["response"].to_string()),
            json!(json!({"status_code": 200, "body": body}).to_string()),
        ] {
            let row = json!({"custom_id": "x", "response": response, "error": null});
            assert_eq!(BatchLine::of_row(row), expected);
        }
        let failed =
            json!({"custom_id": "x", "response": null, "error": "{\"message\": \"late\"}"});
        let failed = BatchLine::of_row(failed).unwrap();
        assert_eq!(failed.result, LineResult::Error("late".into()));
    }

    /// Returns a request whose result is read.
    fn request() -> Request {
        let canonical = r#"{"judge":"openai:m@http://h/v1","messages":[{"role":"user","content":"A or B?"}],"task":{"kind":"generate","decoding":{"max_tokens":8,"temperature":0.0,"seed":0},"answers":{"options":["A","B"],"after":""}},"sample":0}"#;
        serde_json::from_str(canonical).unwrap()
    }

    /// JSON as a runner might send it, with the fields that are read at any place.
    fn json_like() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,9}".prop_map(Value::from),
            "(length|stop|succeeded|errored|A|B)".prop_map(Value::from)
        ];
        let field = "(response|status_code|body|error|result|message|type|choices|content|text|logprobs|token|top_logprobs|logprob|finish_reason|usage|prompt_tokens|code)";
        leaf.prop_recursive(6, 48, 4, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                proptest::collection::vec((field, inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_line_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(BatchLine::read(&bytes).is_err() || serde_json::from_slice::<Value>(&bytes).is_ok());
        }

        #[test]
        fn any_result_is_a_reply_or_an_error_that_says_why(mut line in json_like(), status in 0u16..700, body in json_like(), id in ".{0,70}") {
            let answer = json!({"custom_id": id, "response": {"status_code": status, "body": body}});
            if let Value::Object(fields) = &mut line {
                fields.insert("custom_id".into(), id.into());
            }
            for line in [line, answer] {
                let Ok(line) = BatchLine::read(line.to_string().as_bytes()) else { continue };
                prop_assert!(line.key().is_none_or(|key| key.to_string() == line.custom_id));
                let Answer { result, raw } = BatchReader::default().read_answer(&request(), &line).unwrap();
                prop_assert_eq!(result.is_ok(), raw.is_some());
            }
        }
    }

    #[test]
    fn a_line_names_its_request() {
        let key = RequestKey([0xab; 32]);
        let encoded = EncodedRequest {
            api: Api::OpenAi,
            target: Target::Chat,
            body: r#"{"model":"m"}"#.into(),
        };
        let line = encoded.batch_line(&key);
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["url"].as_str(), Some("/v1/chat/completions"));
        assert_eq!(value["body"]["model"].as_str(), Some("m"));
        let result = format!(r#"{{"custom_id":{},"error":{{}}}}"#, value["custom_id"]);
        assert_eq!(BatchLine::read(result.as_bytes()).unwrap().key(), Some(key));
        for id in ["", "ab", &"g".repeat(64), &"é".repeat(32), &"+1".repeat(32)] {
            let line = format!(r#"{{"custom_id":"{id}","error":{{}}}}"#);
            assert_eq!(
                BatchLine::read(line.as_bytes()).unwrap().key(),
                None,
                "{id}"
            );
        }
    }
}
