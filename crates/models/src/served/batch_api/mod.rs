//! Providers' batch APIs: a file of requests is handed in, looked after, and its results fetched.
//!
//! What is sent and read is each API's own, in `openai`, `anthropic` and `gemini`; here is how it
//! goes over HTTP: to the judge's own server with its own key, without following a redirection.

mod anthropic;
mod gemini;
mod openai;

use super::address::call_url;
use super::codec::LARGEST_BODY;
use super::fault::{Fault, FaultKind};
use super::http::{Http, wait_of};
use super::key::Key;
use super::resolve::Service;
use super::spec::ServedSpec;
use crate::identity::refuse_judge;
use crate::{Api, ModelError, Target};
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONNECTION, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use serde_json::Value;
use std::io::Write;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How long a small answer is waited for, and a file.
const ANSWER: Duration = Duration::from_secs(60);
const FILE: Duration = Duration::from_secs(900);
/// The most bytes of results that are taken, and of one line of them.
const LARGEST_RESULTS: u64 = 4 << 30;
const LONGEST_LINE: usize = 32 << 20;
/// The longest message of a server, and the longest id, that is kept.
const LONGEST_MESSAGE: usize = 400;
const LONGEST_ID: usize = 512;
/// Pages of a list of batches that are looked through.
const PAGES: usize = 20;

/// The batch API of one judge's server.
#[derive(Debug)]
pub struct BatchApi {
    shown: String,
    model: String,
    wire: Wire,
    base: Url,
    http: Http,
    key: Key,
    runtime: Runtime,
}

/// Whose batch API it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    OpenAi,
    Anthropic,
    Gemini,
}

/// Why a request to a batch API came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchFault {
    /// What it means for the next attempt.
    pub kind: BatchFaultKind,
    /// What happened, in words; no key is in them.
    pub why: String,
    /// How long the server asks to wait.
    pub wait: Option<Duration>,
}

/// What a fault means for the next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchFaultKind {
    /// The server has no room yet, and took nothing.
    Busy,
    /// Nothing reached the server.
    Unsent,
    /// The server may have done what it was asked, or not.
    Unknown,
    /// Another attempt would meet the same.
    Final,
}

/// The state of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchLook {
    /// How far it is.
    pub stage: BatchStage,
    /// The provider's word for that.
    pub word: String,
    /// Requests that have ended, in any way.
    pub done: u64,
    /// Requests in all, as the provider counts them.
    pub total: u64,
    /// Where its results are.
    outputs: Vec<Url>,
}

/// How far a batch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchStage {
    /// It is worked on, or waits.
    UnderWay,
    /// It has ended, and what it has for results can be fetched.
    Ended,
    /// It was not begun, since too much is in the queue already; the provider's words.
    NoRoom(String),
    /// It was refused as a whole; the provider's words.
    Refused(String),
}

const NO_BATCHES: &str = "it writes no text, and no provider takes batches of questions about a \
                          state or of rewards; ask it live";

impl BatchApi {
    /// Opens the batch API of a judge's server, and reads its key.
    pub(super) fn open(
        spec: &ServedSpec,
        service: &Service,
        api: Api,
    ) -> Result<BatchApi, ModelError> {
        let shown = spec.display_name();
        if !api.writes() {
            return Err(refuse_judge(&shown, NO_BATCHES));
        }
        let [base] = service.addresses.as_slice() else {
            let why = "a batch goes to one server, and this judge has several; name one address";
            return Err(refuse_judge(&shown, why));
        };
        let wire = match (api, service.provider.name.as_str()) {
            (Api::Anthropic, _) => Wire::Anthropic,
            (_, "gemini") => Wire::Gemini,
            _ => Wire::OpenAi,
        };
        let (key, mut headers) = spec.key_and_headers(service)?;
        // Between two looks a kept connection would be closed by the other side.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        if wire == Wire::Gemini
            && let Some(key) = headers.remove(AUTHORIZATION)
        {
            // Its address for chat takes the key as a token, its own paths do not.
            let bare = key.as_bytes().strip_prefix(b"Bearer ").unwrap_or_default();
            if let Ok(mut bare) = HeaderValue::from_bytes(bare) {
                bare.set_sensitive(true);
                headers.insert("x-goog-api-key", bare);
            }
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime =
            runtime.map_err(|e| ModelError::Serve(format!("no thread for the network: {e}")))?;
        Ok(BatchApi {
            http: Http::new(headers, base.scheme() == "https", ANSWER)?,
            base: base.clone(),
            shown,
            model: spec.model.clone(),
            wire,
            key,
            runtime,
        })
    }

    /// Returns the judge's name for people.
    pub fn judge(&self) -> &str {
        &self.shown
    }

    /// Hands in a file of requests, where the API wants that before the batch is made; returns the
    /// file's id.
    ///
    /// # Errors
    /// What the network and the server may do.
    pub fn upload(&self, name: &str, lines: &[u8]) -> Result<Option<String>, BatchFault> {
        match self.wire {
            Wire::Anthropic => Ok(None),
            Wire::Gemini => gemini::upload(self, name, lines).map(Some),
            Wire::OpenAi => openai::upload(self, name, lines).map(Some),
        }
    }

    /// Makes a batch of a file that was handed in or of its lines, under a mark by which it can be
    /// found again; returns its id.
    ///
    /// # Errors
    /// What the network and the server may do.
    pub fn create(
        &self,
        upload: Option<&str>,
        target: Target,
        lines: &[u8],
        mark: &str,
    ) -> Result<String, BatchFault> {
        match (self.wire, upload) {
            (Wire::Anthropic, _) => anthropic::create(self, lines),
            (Wire::Gemini, Some(file)) => gemini::create(self, file, mark),
            (Wire::OpenAi, Some(file)) => openai::create(self, file, target, mark),
            (_, None) => Err(final_fault("no file was handed in")),
        }
    }

    /// Returns the id of the latest batch, where the API has no marks and batches are told by what
    /// was there before.
    ///
    /// # Errors
    /// What the network and the server may do.
    pub fn latest(&self) -> Result<Option<String>, BatchFault> {
        match self.wire {
            Wire::Anthropic => anthropic::latest(self),
            Wire::OpenAi | Wire::Gemini => Ok(None),
        }
    }

    /// Finds a batch whose id never came: by its mark, or where the API has none, as one of as many
    /// requests that is newer than `latest` and none of `others`.
    ///
    /// # Errors
    /// What the network and the server may do.
    pub fn find(
        &self,
        mark: &str,
        requests: u64,
        latest: Option<&str>,
        others: &[String],
    ) -> Result<Option<String>, BatchFault> {
        match self.wire {
            Wire::Anthropic => anthropic::find(self, requests, latest, others),
            Wire::Gemini => gemini::find(self, mark, others),
            Wire::OpenAi => openai::find(self, mark, others),
        }
    }

    /// Looks how far a batch is.
    ///
    /// # Errors
    /// What the network and the server may do.
    pub fn look(&self, id: &str) -> Result<BatchLook, BatchFault> {
        match self.wire {
            Wire::Anthropic => anthropic::look(self, id),
            Wire::Gemini => gemini::look(self, id),
            Wire::OpenAi => openai::look(self, id),
        }
    }

    /// Asks for the end of a batch; what is finished can be fetched once it has ended.
    ///
    /// # Errors
    /// What the network and the server may do.
    pub fn cancel(&self, id: &str) -> Result<(), BatchFault> {
        let url = match self.wire {
            Wire::Anthropic => self.url(&format!("/v1/messages/batches/{}/cancel", check_id(id)?)),
            Wire::Gemini => gemini::cancel_url(self, id)?,
            Wire::OpenAi => self.url(&format!("/batches/{}/cancel", check_id(id)?)),
        };
        let empty = Some(("application/json", Bytes::from_static(b"{}")));
        self.ask(Method::POST, &url, empty, ANSWER).map(|_| ())
    }

    /// Writes the results of a batch that has ended, line by line and without the key.
    ///
    /// # Errors
    /// What the network and the server may do, and a file that cannot be written.
    pub fn fetch(&self, look: &BatchLook, out: &mut dyn Write) -> Result<(), BatchFault> {
        for url in &look.outputs {
            self.fetch_lines(url, out)?;
        }
        Ok(())
    }

    fn fetch_lines(&self, url: &Url, out: &mut dyn Write) -> Result<(), BatchFault> {
        let (mut line, mut total) = (Vec::new(), 0);
        let mut take = |chunk: &[u8]| {
            total += chunk.len() as u64;
            let mut rest = chunk;
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let (head, tail) = rest.split_at(end + 1);
                line.extend_from_slice(head);
                self.write_line(std::mem::take(&mut line), out)?;
                rest = tail;
            }
            line.extend_from_slice(rest);
            if line.len() > LONGEST_LINE || total > LARGEST_RESULTS {
                let why = "the results are longer than any batch's: they are not taken";
                return Err(Fault::new(FaultKind::Malformed, why));
            }
            Ok(())
        };
        let exchange = self
            .http
            .exchange(HeaderMap::new(), Method::GET, url, None, &mut take);
        let sent = self
            .runtime
            .block_on(async { tokio::time::timeout(FILE, exchange).await });
        let (status, headers) = match sent {
            Ok(Ok(received)) => received,
            Ok(Err(fault)) => return Err(self.fault_of(&fault)),
            Err(_) => return Err(unknown(format!("no whole file in {} s", FILE.as_secs()))),
        };
        if status == 200 {
            if !line.is_empty() {
                line.push(b'\n');
                self.write_line(line, out)
                    .map_err(|fault| self.fault_of(&fault))?;
            }
            return Ok(());
        }
        Err(self.refusal(status, &headers, &line))
    }

    /// Writes a line without the key, however it is spelled.
    fn write_line(&self, line: Vec<u8>, out: &mut dyn Write) -> Result<(), Fault> {
        // An escaped letter may hide the key from a search.
        let plain = match serde_json::from_slice::<Value>(&line) {
            Ok(value) if line.contains(&b'\\') => format!("{value}\n").into_bytes(),
            _ => line,
        };
        out.write_all(&self.key.hide_in_bytes(plain)).map_err(|e| {
            Fault::new(
                FaultKind::Malformed,
                format!("the file cannot be written: {e}"),
            )
        })
    }

    fn url(&self, path: &str) -> Url {
        call_url(&self.base, path)
    }

    /// Sends a request and reads its answer as JSON.
    fn ask(
        &self,
        method: Method,
        url: &Url,
        content: Option<(&str, Bytes)>,
        time: Duration,
    ) -> Result<Value, BatchFault> {
        let (_, body) = self.send(HeaderMap::new(), method, url, content, time)?;
        serde_json::from_slice(&body).map_err(|e| unknown(format!("the answer is not JSON: {e}")))
    }

    /// Sends a request with these headers beside those of every one; returns the headers and the
    /// bytes of its answer.
    fn send(
        &self,
        headers: HeaderMap,
        method: Method,
        url: &Url,
        content: Option<(&str, Bytes)>,
        time: Duration,
    ) -> Result<(HeaderMap, Vec<u8>), BatchFault> {
        let mut body = Vec::new();
        let mut take = |chunk: &[u8]| {
            if body.len() + chunk.len() > LARGEST_BODY {
                let why = format!("the answer is longer than {LARGEST_BODY} bytes");
                return Err(Fault::new(FaultKind::Malformed, why));
            }
            body.extend_from_slice(chunk);
            Ok(())
        };
        let exchange = self.http.exchange(headers, method, url, content, &mut take);
        let sent = self
            .runtime
            .block_on(async { tokio::time::timeout(time, exchange).await });
        let (status, headers) = match sent {
            Ok(Ok(received)) => received,
            Ok(Err(fault)) => return Err(self.fault_of(&fault)),
            Err(_) => return Err(unknown(format!("no answer in {} s", time.as_secs()))),
        };
        if !(200..300).contains(&status) {
            return Err(self.refusal(status, &headers, &body));
        }
        Ok((headers, body))
    }

    /// Returns what an answer with an error means.
    fn refusal(&self, status: u16, headers: &HeaderMap, body: &[u8]) -> BatchFault {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        let message = value
            .pointer("/error/message")
            .or_else(|| value.get("message"))
            .and_then(Value::as_str);
        let said = message.map_or_else(String::new, |text| format!(": {}", self.words(text)));
        let kind = match status {
            429 => BatchFaultKind::Busy,
            408 | 409 | 500.. => BatchFaultKind::Unknown,
            _ => BatchFaultKind::Final,
        };
        let hint = match status {
            404 | 405 => " (a server without a batch API answers like this)",
            300..400 => " (redirections are not followed: they could carry the key elsewhere)",
            _ => "",
        };
        BatchFault {
            kind,
            why: format!("HTTP {status}{said}{hint}"),
            wait: wait_of(headers),
        }
    }

    fn fault_of(&self, fault: &Fault) -> BatchFault {
        BatchFault {
            kind: match fault.kind {
                FaultKind::Unreachable => BatchFaultKind::Unsent,
                FaultKind::Untrusted | FaultKind::Malformed => BatchFaultKind::Final,
                _ => BatchFaultKind::Unknown,
            },
            why: self.key.hide(&fault.message).into_owned(),
            wait: fault.retry_after,
        }
    }

    /// Returns a server's words, short and without the key.
    fn words(&self, text: &str) -> String {
        self.key.hide(text).chars().take(LONGEST_MESSAGE).collect()
    }
}

/// Returns one of a batch's counts of requests; 0 where it does not say.
fn count_of(batch: &Value, name: &str) -> u64 {
    let counts = batch.get("request_counts");
    counts
        .and_then(|counts| counts.get(name)?.as_u64())
        .unwrap_or(0)
}

/// Refuses an id that would be more than one step of an address.
fn check_id(id: &str) -> Result<&str, BatchFault> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-=:".contains(&byte);
    let is_plain = id.len() <= LONGEST_ID && id.bytes().all(plain);
    if is_plain && id.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(id);
    }
    Err(final_fault(
        "the server named a batch or a file by an id that is none: expected letters, digits and \
         `._-=:`",
    ))
}

/// Returns the id that an answer names.
fn id_of(answer: &Value) -> Result<String, BatchFault> {
    let id = answer.get("id").and_then(Value::as_str);
    let id = id.ok_or_else(|| unknown("the answer names no id".into()))?;
    check_id(id).map(String::from)
}

fn text_of<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or("")
}

fn final_fault(why: &str) -> BatchFault {
    BatchFault {
        kind: BatchFaultKind::Final,
        why: why.into(),
        wait: None,
    }
}

fn unknown(why: String) -> BatchFault {
    BatchFault {
        kind: BatchFaultKind::Unknown,
        why,
        wait: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_step_of_an_address() {
        for id in [
            "batch_68a",
            "msgbatch_01H",
            "file-abc",
            "bGl0ZWxsbQ==",
            "a:b.c",
        ] {
            assert_eq!(check_id(id), Ok(id));
        }
        let long = "a".repeat(LONGEST_ID + 1);
        for id in [
            "", ".", "..", "../files", "a/b", "a?b", "a#b", "a%2fb", "é", &long,
        ] {
            let kind = check_id(id).map_err(|fault| fault.kind);
            assert_eq!(kind, Err(BatchFaultKind::Final), "{id}");
        }
    }
}
