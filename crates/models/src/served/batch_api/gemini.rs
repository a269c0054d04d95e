//! Google's batch API for Gemini: a file that is handed in by the interface for files, and a batch
//! of it that is an operation.
//!
//! A line of the file is what OpenAI's batch API takes, and so is a line of the results
//! (ai.google.dev/gemini-api/docs/batch-api, and LiteLLM 1.110.2, which hands in such lines); the
//! rest is Google's own. The judge's address ends in `/openai`, which none of these paths has.

use super::{
    ANSWER, BatchApi, BatchFault, BatchLook, BatchStage, FILE, PAGES, check_id, final_fault,
    text_of, unknown,
};
use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use serde_json::{Value, json};

/// Begins Google's paths; those of files that are handed in and fetched have a word before it.
const VERSION: &str = "/v1beta";

/// The code of an operation that failed for want of room (RESOURCE_EXHAUSTED).
const NO_ROOM: u64 = 8;

/// Hands in a file in two steps: the first says how long it is and is told where it goes.
pub(super) fn upload(api: &BatchApi, name: &str, lines: &[u8]) -> Result<String, BatchFault> {
    let length = lines.len().to_string();
    let start = [
        ("x-goog-upload-protocol", "resumable"),
        ("x-goog-upload-command", "start"),
        ("x-goog-upload-header-content-length", &length),
        ("x-goog-upload-header-content-type", "application/jsonl"),
    ];
    let about = json!({"file": {"display_name": name}}).to_string();
    let content = Some(("application/json", Bytes::from(about)));
    let url = place(api, "/upload", "/files");
    let (told, _) = api.send(headers(&start), Method::POST, &url, content, ANSWER)?;
    let told = told
        .get("x-goog-upload-url")
        .and_then(|to| to.to_str().ok());
    let to = Url::parse(told.unwrap_or_default())
        .map_err(|_| unknown("the answer does not say where the file goes".into()))?;
    if to.origin() != api.base.origin() {
        let why = "the server names another server for the file; it goes to the judge's own \
                   server alone, so it is not sent";
        return Err(final_fault(why));
    }
    let finish = [
        ("x-goog-upload-offset", "0"),
        ("x-goog-upload-command", "upload, finalize"),
    ];
    let content = Some(("application/jsonl", Bytes::copy_from_slice(lines)));
    let (_, made) = api.send(headers(&finish), Method::POST, &to, content, FILE)?;
    let made: Value = serde_json::from_slice(&made)
        .map_err(|e| unknown(format!("the answer is not JSON: {e}")))?;
    let file = made.pointer("/file/name").and_then(Value::as_str);
    id_of(file, "files/")
}

pub(super) fn create(api: &BatchApi, file: &str, mark: &str) -> Result<String, BatchFault> {
    let mut url = place(api, "", "/models");
    if let Ok(mut steps) = url.path_segments_mut() {
        let model = api.model.trim_start_matches("models/");
        steps.push(&format!("{model}:batchGenerateContent"));
    }
    let file = format!("files/{}", check_id(file)?);
    let body = json!({"batch": {"display_name": mark, "input_config": {"file_name": file}}});
    let content = Some(("application/json", Bytes::from(body.to_string())));
    let made = api.ask(Method::POST, &url, content, ANSWER)?;
    id_of(made.get("name").and_then(Value::as_str), "batches/")
}

pub(super) fn find(
    api: &BatchApi,
    mark: &str,
    others: &[String],
) -> Result<Option<String>, BatchFault> {
    let mut next = String::new();
    for _ in 0..PAGES {
        let mut url = place(api, "", "/batches");
        url.query_pairs_mut().append_pair("pageSize", "100");
        if !next.is_empty() {
            url.query_pairs_mut().append_pair("pageToken", &next);
        }
        let page = api.ask(Method::GET, &url, None, ANSWER)?;
        let batches = page.get("operations").and_then(Value::as_array);
        for batch in batches.map_or(&[][..], Vec::as_slice) {
            let about = batch.get("metadata").unwrap_or(&Value::Null);
            if text_of(about, "displayName") == mark {
                let id = id_of(batch.get("name").and_then(Value::as_str), "batches/")?;
                if !others.contains(&id) {
                    return Ok(Some(id));
                }
            }
        }
        next = text_of(&page, "nextPageToken").into();
        if next.is_empty() {
            break;
        }
    }
    Ok(None)
}

pub(super) fn look(api: &BatchApi, id: &str) -> Result<BatchLook, BatchFault> {
    let url = place(api, "", &format!("/batches/{}", check_id(id)?));
    let batch = api.ask(Method::GET, &url, None, ANSWER)?;
    let about = batch.get("metadata").unwrap_or(&Value::Null);
    // Counts of 64 bits are texts in Google's JSON.
    let count = |name: &str| match about.get("batchStats").and_then(|stats| stats.get(name)) {
        Some(Value::String(digits)) => digits.parse().unwrap_or(0),
        Some(number) => number.as_u64().unwrap_or(0),
        None => 0,
    };
    let named = ["/response/responsesFile", "/metadata/output/responsesFile"];
    let named = named.iter().find_map(|at| batch.pointer(at)?.as_str());
    let mut outputs = Vec::new();
    if named.is_some() {
        let file = id_of(named, "files/")?;
        let mut url = place(api, "/download", &format!("/files/{file}:download"));
        url.set_query(Some("alt=media"));
        outputs.push(url);
    }
    let word = text_of(about, "state");
    let stage = match word.rsplit_once("STATE_").map_or(word, |(_, word)| word) {
        "SUCCEEDED" | "EXPIRED" | "CANCELLED" => BatchStage::Ended,
        "FAILED" if !outputs.is_empty() => BatchStage::Ended,
        "FAILED" => {
            let error = batch.get("error").unwrap_or(&Value::Null);
            let said = api.words(text_of(error, "message"));
            match error.get("code").and_then(Value::as_u64) {
                Some(NO_ROOM) => BatchStage::NoRoom(said),
                _ => BatchStage::Refused(said),
            }
        }
        _ => BatchStage::UnderWay,
    };
    Ok(BatchLook {
        stage,
        word: api.words(word),
        done: count("successfulRequestCount").saturating_add(count("failedRequestCount")),
        total: count("requestCount"),
        outputs,
    })
}

/// Returns the address at which a batch is canceled.
pub(super) fn cancel_url(api: &BatchApi, id: &str) -> Result<Url, BatchFault> {
    let path = format!("/batches/{}:cancel", check_id(id)?);
    Ok(place(api, "", &path))
}

/// Returns the address of a path of Google's own API beside the judge's.
fn place(api: &BatchApi, before: &str, path: &str) -> Url {
    let mut url = api.base.clone();
    let base = url.path().trim_end_matches('/');
    let base = base.strip_suffix("/openai").unwrap_or(base);
    let base = base.strip_suffix(VERSION).unwrap_or(base);
    url.set_path(&format!("{base}{before}{VERSION}{path}"));
    url
}

fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
    let value = |text: &str| HeaderValue::from_str(text).ok();
    let headers = of.iter().filter_map(|(name, text)| {
        let name = reqwest::header::HeaderName::from_static(name);
        Some((name, value(text)?))
    });
    headers.collect()
}

/// Returns the id in a name such as `batches/ID`.
fn id_of(name: Option<&str>, kind: &str) -> Result<String, BatchFault> {
    let name = name.ok_or_else(|| unknown("the answer names no id".into()))?;
    check_id(name.strip_prefix(kind).unwrap_or(name)).map(String::from)
}
