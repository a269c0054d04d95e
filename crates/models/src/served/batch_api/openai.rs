//! OpenAI's batch API, which gateways such as LiteLLM's speak too: a file of lines, and a batch of
//! it.

use super::{
    ANSWER, BatchApi, BatchFault, BatchLook, BatchStage, FILE, PAGES, check_id, count_of, id_of,
    text_of,
};
use crate::Target;
use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};

/// The field of a batch's metadata that holds its mark.
const MARK: &str = "evenhand";

/// The code of a batch that the provider has no room for.
const NO_ROOM: &str = "token_limit_exceeded";

pub(super) fn upload(api: &BatchApi, name: &str, lines: &[u8]) -> Result<String, BatchFault> {
    // No line of JSON begins with two dashes, so that the boundary cannot be within the file.
    let boundary = "evenhand-part";
    let head = format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
         --{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         content-type: application/jsonl\r\n\r\n"
    );
    let tail = format!("\r\n--{boundary}--\r\n");
    let body = [head.as_bytes(), lines, tail.as_bytes()].concat();
    let kind = format!("multipart/form-data; boundary={boundary}");
    let content = Some((kind.as_str(), Bytes::from(body)));
    id_of(&api.ask(Method::POST, &api.url("/files"), content, FILE)?)
}

pub(super) fn create(
    api: &BatchApi,
    file: &str,
    target: Target,
    mark: &str,
) -> Result<String, BatchFault> {
    let body = json!({
        "input_file_id": file,
        "endpoint": target.address(),
        "completion_window": "24h",
        "metadata": { MARK: mark },
    });
    let content = Some(("application/json", Bytes::from(body.to_string())));
    id_of(&api.ask(Method::POST, &api.url("/batches"), content, ANSWER)?)
}

pub(super) fn find(
    api: &BatchApi,
    mark: &str,
    others: &[String],
) -> Result<Option<String>, BatchFault> {
    let mut after: Option<String> = None;
    for _ in 0..PAGES {
        let mut url = api.url("/batches");
        url.query_pairs_mut().append_pair("limit", "100");
        if let Some(after) = &after {
            url.query_pairs_mut().append_pair("after", after);
        }
        let page = api.ask(Method::GET, &url, None, ANSWER)?;
        let batches = page.get("data").and_then(Value::as_array);
        let batches = batches.map_or(&[][..], Vec::as_slice);
        for batch in batches {
            let its_mark = batch.pointer("/metadata/evenhand").and_then(Value::as_str);
            if its_mark == Some(mark) && !others.iter().any(|id| id == text_of(batch, "id")) {
                return id_of(batch).map(Some);
            }
        }
        match batches.last() {
            Some(last) if page.get("has_more") == Some(&Value::Bool(true)) => {
                after = Some(id_of(last)?);
            }
            _ => break,
        }
    }
    Ok(None)
}

pub(super) fn look(api: &BatchApi, id: &str) -> Result<BatchLook, BatchFault> {
    let url = api.url(&format!("/batches/{}", check_id(id)?));
    let batch = api.ask(Method::GET, &url, None, ANSWER)?;
    let count = |name: &str| count_of(&batch, name);
    let mut outputs = Vec::new();
    for field in ["output_file_id", "error_file_id"] {
        let file = text_of(&batch, field);
        if !file.is_empty() {
            outputs.push(api.url(&format!("/files/{}/content", check_id(file)?)));
        }
    }
    let errors = batch.pointer("/errors/data").and_then(Value::as_array);
    let errors = errors.map_or(&[][..], Vec::as_slice);
    let word = text_of(&batch, "status");
    let stage = match word {
        "completed" | "expired" | "cancelled" => BatchStage::Ended,
        "failed" if !outputs.is_empty() => BatchStage::Ended,
        "failed" => {
            let said: Vec<&str> = errors
                .iter()
                .map(|error| text_of(error, "message"))
                .collect();
            let said = api.words(&said.join("; "));
            match errors.iter().any(|error| text_of(error, "code") == NO_ROOM) {
                true => BatchStage::NoRoom(said),
                false => BatchStage::Refused(said),
            }
        }
        _ => BatchStage::UnderWay,
    };
    Ok(BatchLook {
        stage,
        word: api.words(word),
        done: count("completed").saturating_add(count("failed")),
        total: count("total"),
        outputs,
    })
}
