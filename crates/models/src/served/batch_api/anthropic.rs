//! Anthropic's message batches: requests in the call that makes the batch, results at an address
//! that the batch names.

use super::{
    ANSWER, BatchApi, BatchFault, BatchLook, BatchStage, FILE, PAGES, check_id, count_of,
    final_fault, id_of, text_of,
};
use bytes::Bytes;
use reqwest::{Method, Url};
use serde_json::Value;

const BATCHES: &str = "/v1/messages/batches";

pub(super) fn create(api: &BatchApi, lines: &[u8]) -> Result<String, BatchFault> {
    let mut body = br#"{"requests":["#.to_vec();
    let lines = lines.split(|byte| *byte == b'\n');
    for (number, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        if number > 0 {
            body.push(b',');
        }
        body.extend_from_slice(line);
    }
    body.extend_from_slice(b"]}");
    let content = Some(("application/json", Bytes::from(body)));
    id_of(&api.ask(Method::POST, &api.url(BATCHES), content, FILE)?)
}

pub(super) fn latest(api: &BatchApi) -> Result<Option<String>, BatchFault> {
    let (batches, _) = list(api, None, 1)?;
    batches.first().map(id_of).transpose()
}

/// Finds a batch of as many requests that is newer than `latest`: a batch of this API bears no mark
/// of ours, and its results say whether it is ours.
pub(super) fn find(
    api: &BatchApi,
    requests: u64,
    latest: Option<&str>,
    others: &[String],
) -> Result<Option<String>, BatchFault> {
    let mut after: Option<String> = None;
    for _ in 0..PAGES {
        let (batches, has_more) = list(api, after.as_deref(), 100)?;
        for batch in &batches {
            let id = id_of(batch)?;
            if latest == Some(id.as_str()) {
                return Ok(None);
            }
            let (_, total) = counts(batch);
            if total == requests && !others.contains(&id) {
                return Ok(Some(id));
            }
        }
        match batches.last() {
            Some(last) if has_more => after = Some(id_of(last)?),
            _ => break,
        }
    }
    Ok(None)
}

/// Returns a page of batches, the newest first, and whether there are more.
fn list(
    api: &BatchApi,
    after: Option<&str>,
    limit: usize,
) -> Result<(Vec<Value>, bool), BatchFault> {
    let mut url = api.url(BATCHES);
    url.query_pairs_mut()
        .append_pair("limit", &limit.to_string());
    if let Some(after) = after {
        url.query_pairs_mut().append_pair("after_id", after);
    }
    let page = api.ask(Method::GET, &url, None, ANSWER)?;
    let batches = page.get("data").and_then(Value::as_array).cloned();
    let has_more = page.get("has_more") == Some(&Value::Bool(true));
    Ok((batches.unwrap_or_default(), has_more))
}

/// Returns how many requests of a batch have ended, and how many it has.
fn counts(batch: &Value) -> (u64, u64) {
    let count = |name: &str| count_of(batch, name);
    let ended = ["succeeded", "errored", "canceled", "expired"];
    let done = ended.into_iter().map(count).fold(0, u64::saturating_add);
    (done, done.saturating_add(count("processing")))
}

pub(super) fn look(api: &BatchApi, id: &str) -> Result<BatchLook, BatchFault> {
    let own = api.url(&format!("{BATCHES}/{}", check_id(id)?));
    let batch = api.ask(Method::GET, &own, None, ANSWER)?;
    let (done, total) = counts(&batch);
    let word = text_of(&batch, "processing_status");
    let mut outputs = Vec::new();
    let stage = match word {
        "ended" => {
            let named = text_of(&batch, "results_url");
            let is_ours = match Url::parse(named) {
                _ if named.is_empty() => true,
                Ok(url) => url.origin() == api.base.origin(),
                Err(_) => false,
            };
            if !is_ours {
                let why = "the server names another server for the results; the key goes to the \
                           judge's own server alone, so they are not fetched";
                return Err(final_fault(why));
            }
            outputs.push(api.url(&format!("{BATCHES}/{}/results", check_id(id)?)));
            BatchStage::Ended
        }
        _ => BatchStage::UnderWay,
    };
    Ok(BatchLook {
        stage,
        word: api.words(word),
        done,
        total,
        outputs,
    })
}
