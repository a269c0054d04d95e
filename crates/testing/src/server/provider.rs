//! A provider with batch APIs on 127.0.0.1, OpenAI's, Anthropic's and Google's, for tests. Its
//! lines are answered as the live server's are.

use super::batch::{BatchOptions, run_batch};
use super::{Seen, lock};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What goes wrong with one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// It is answered with this status, and nothing is done.
    Status(u16),
    /// It is done, and its answer is lost.
    Lose,
    /// It is not answered, and nothing is done.
    Stall,
    /// It is done and not answered.
    DoAndStall,
    /// It is redirected to this address.
    Redirect(String),
    /// It is answered with this text.
    Say(String),
    /// It is answered with this line among the headers, and nothing is done.
    Head(String),
    /// The batch that it makes has results for so many requests, and then expires.
    Expire(usize),
    /// The batch that it makes fails as a whole, with this code.
    Fail(String),
    /// The batch that it makes is worked on without end.
    Hold,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wire {
    OpenAi,
    Anthropic,
    Google,
}

struct Batch {
    id: String,
    request: Value,
    lines: String,
    wire: Wire,
    act: Option<Act>,
    canceled: bool,
}

#[derive(Default)]
struct Books {
    /// What goes wrong next, by the beginning of the request's line.
    acts: VecDeque<(String, Act)>,
    files: Vec<String>,
    batches: Vec<Batch>,
    seen: Vec<Seen>,
}

/// A provider that runs until it is dropped.
pub struct Provider {
    address: SocketAddr,
    books: Arc<Mutex<Books>>,
    gone: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provider")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Provider {
    /// Starts a provider that answers lines so.
    ///
    /// # Errors
    ///
    /// If no port is free.
    pub fn start(options: BatchOptions) -> io::Result<Provider> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let books = Arc::new(Mutex::new(Books::default()));
        let gone = Arc::new(AtomicBool::new(false));
        let (shared, over) = (books.clone(), gone.clone());
        let options = Arc::new(options);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let (books, over) = (shared.clone(), over.clone());
                let options = options.clone();
                std::thread::spawn(move || serve(stream, &books, &over, &options, address));
            }
        });
        Ok(Provider {
            address,
            books,
            gone,
            thread: Some(thread),
        })
    }

    /// Returns the base address of OpenAI's and Anthropic's APIs.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the base address of Gemini's API in OpenAI's form, beside which Google's own is.
    pub fn google_url(&self) -> String {
        format!("http://{}/v1beta/openai", self.address)
    }

    /// Lets this happen to the next request whose line begins so, such as `POST /v1/batches`.
    pub fn next(&self, line: &str, act: Act) {
        lock(&self.books).acts.push_back((line.into(), act));
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Seen> {
        lock(&self.books).seen.clone()
    }

    /// Returns the lines of every batch that was made.
    pub fn batches(&self) -> Vec<String> {
        let books = lock(&self.books);
        books.batches.iter().map(|one| one.lines.clone()).collect()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Serves one request, and closes the connection.
fn serve(
    stream: TcpStream,
    books: &Mutex<Books>,
    gone: &AtomicBool,
    options: &BatchOptions,
    address: SocketAddr,
) {
    let Ok((head, body)) = read_request(&stream) else {
        return;
    };
    let line = head.lines().next().unwrap_or_default().to_string();
    let act = {
        let mut books = lock(books);
        books.seen.push(Seen {
            head,
            body: body.clone(),
        });
        let acts = &mut books.acts;
        let at = acts.iter().position(|(start, _)| line.starts_with(start));
        at.and_then(|at| acts.remove(at)).map(|(_, act)| act)
    };
    let stall = || {
        while !gone.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let answer = match act {
        Some(Act::Status(status)) => {
            let error = json!({"error": {"message": "as the script says"}});
            (status, String::new(), error.to_string())
        }
        Some(Act::Say(text)) => (200, String::new(), text),
        Some(Act::Head(line)) => (200, format!("{line}\r\n"), String::new()),
        Some(Act::Redirect(place)) => (302, format!("location: {place}\r\n"), String::new()),
        Some(Act::Stall) => return stall(),
        Some(Act::Lose) => {
            act_on(&line, &body, books, options, None, address);
            return;
        }
        Some(Act::DoAndStall) => {
            act_on(&line, &body, books, options, None, address);
            return stall();
        }
        act => act_on(&line, &body, books, options, act, address),
    };
    let (status, lines, text) = answer;
    let length = text.len();
    let reply = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\nconnection: close\r\n\
         {lines}content-length: {length}\r\n\r\n{text}"
    );
    let _ = (&stream).write_all(reply.as_bytes());
}

fn read_request(stream: &TcpStream) -> io::Result<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let start = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = head.get(start..).unwrap_or_default().trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((head, String::from_utf8_lossy(&body).into_owned()))
}

/// Does what a request asks for; the status, more headers and the text of its answer.
fn act_on(
    line: &str,
    body: &str,
    books: &Mutex<Books>,
    options: &BatchOptions,
    act: Option<Act>,
    address: SocketAddr,
) -> (u16, String, String) {
    if line.contains("/v1beta/") {
        return act_as_google(line, body, &mut lock(books), options, act, address);
    }
    let (status, text) = act_as_others(line, body, books, options, act, address);
    (status, String::new(), text)
}

/// Google's own paths: `/v1beta/…`, and `/upload` and `/download` before it for files.
fn act_as_google(
    line: &str,
    body: &str,
    books: &mut Books,
    options: &BatchOptions,
    act: Option<Act>,
    address: SocketAddr,
) -> (u16, String, String) {
    let mut words = line.split(' ');
    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let said = |value: Value| (200, String::new(), value.to_string());
    let lacking = (404, String::new(), "{}".to_string());
    let of = |books: &Books, id: &str| books.batches.iter().position(|batch| batch.id == id);
    if let ("POST", "/upload/v1beta/files", "") = (method, path, query) {
        let to = format!("http://{address}{path}?upload_id=1");
        return (200, format!("x-goog-upload-url: {to}\r\n"), String::new());
    }
    if let ("POST", "/upload/v1beta/files") = (method, path) {
        books.files.push(body.trim_end().to_string());
        let name = format!("files/file-{}", books.files.len() - 1);
        return said(json!({"file": {"name": name}}));
    }
    if let ("POST", Some(_)) = (method, path.strip_suffix(":batchGenerateContent")) {
        let request: Value = serde_json::from_str(body).unwrap_or_default();
        let file = request.pointer("/batch/input_config/file_name");
        let file = file.and_then(Value::as_str).unwrap_or_default();
        let file = file
            .strip_prefix("files/file-")
            .and_then(|at| at.parse::<usize>().ok());
        let Some(lines) = file.and_then(|at| books.files.get(at).cloned()) else {
            return (
                400,
                String::new(),
                json!({"error": {"message": "no such file"}}).to_string(),
            );
        };
        let batch = Batch {
            id: format!("batch_{}", books.batches.len()),
            request,
            lines,
            wire: Wire::Google,
            act,
            canceled: false,
        };
        let made = show(&batch, options, address);
        books.batches.push(batch);
        return said(made);
    }
    if let ("GET", "/v1beta/batches") = (method, path) {
        let all = books
            .batches
            .iter()
            .rev()
            .map(|batch| show(batch, options, address));
        return said(json!({"operations": all.collect::<Vec<Value>>()}));
    }
    if let Some(rest) = path.strip_prefix("/v1beta/batches/") {
        let id = rest.strip_suffix(":cancel");
        let Some(batch) = of(books, id.unwrap_or(rest)).and_then(|at| books.batches.get_mut(at))
        else {
            return lacking;
        };
        batch.canceled |= id.is_some();
        return said(show(batch, options, address));
    }
    let file = path.strip_prefix("/download/v1beta/files/");
    let file = file.and_then(|file| file.strip_suffix(":download"));
    match file
        .and_then(|id| of(books, id))
        .and_then(|at| books.batches.get(at))
    {
        Some(batch) if query == "alt=media" => {
            (200, String::new(), results(batch, options).join("\n"))
        }
        _ => lacking,
    }
}

// Long and deep: an arm a path of the providers, with the JSON that it answers.
fn act_as_others(
    line: &str,
    body: &str,
    books: &Mutex<Books>,
    options: &BatchOptions,
    act: Option<Act>,
    address: SocketAddr,
) -> (u16, String) {
    let mut words = line.split(' ');
    let method = words.next().unwrap_or_default();
    let path = words.next().and_then(|path| path.split('?').next());
    let steps: Vec<&str> = path.unwrap_or_default().split('/').skip(2).collect();
    let mut books = lock(books);
    let number = books.batches.len();
    let lacking = (404, "{}".to_string());
    let add = |books: &mut Books, batch: Batch| {
        let made = show(&batch, options, address);
        books.batches.push(batch);
        (200, made.to_string())
    };
    match (method, steps.as_slice()) {
        ("POST", ["files"]) => {
            let lines = body.lines().filter(|line| line.starts_with('{'));
            let lines: Vec<&str> = lines.collect();
            books.files.push(lines.join("\n"));
            let id = json!({"id": format!("file-{}", books.files.len() - 1)});
            (200, id.to_string())
        }
        ("POST", ["batches"]) => {
            let request: Value = serde_json::from_str(body).unwrap_or_default();
            let file = request.get("input_file_id").and_then(Value::as_str);
            let file = file.and_then(|id| id.strip_prefix("file-")?.parse::<usize>().ok());
            let Some(lines) = file.and_then(|at| books.files.get(at).cloned()) else {
                return (
                    400,
                    json!({"error": {"message": "no such file"}}).to_string(),
                );
            };
            let batch = Batch {
                id: format!("batch_{number}"),
                request,
                lines,
                wire: Wire::OpenAi,
                act,
                canceled: false,
            };
            add(&mut books, batch)
        }
        ("POST", ["messages", "batches"]) => {
            let request: Value = serde_json::from_str(body).unwrap_or_default();
            let lines = request.get("requests").and_then(Value::as_array);
            let lines = lines.into_iter().flatten().map(Value::to_string);
            let lines: Vec<String> = lines.collect();
            let batch = Batch {
                id: format!("msgbatch_{number}"),
                request: Value::Null,
                lines: lines.join("\n"),
                wire: Wire::Anthropic,
                act,
                canceled: false,
            };
            add(&mut books, batch)
        }
        ("GET", ["batches"] | ["messages", "batches"]) => {
            let wire = match steps.len() {
                2 => Wire::Anthropic,
                _ => Wire::OpenAi,
            };
            let all = books.batches.iter().rev();
            let all: Vec<Value> = all
                .filter(|batch| batch.wire == wire)
                .map(|batch| show(batch, options, address))
                .collect();
            (200, json!({"data": all, "has_more": false}).to_string())
        }
        ("POST", ["batches", id, "cancel"] | ["messages", "batches", id, "cancel"]) => {
            let mut all = books.batches.iter_mut();
            let Some(batch) = all.find(|batch| batch.id == *id) else {
                return lacking;
            };
            batch.canceled = true;
            (200, show(batch, options, address).to_string())
        }
        ("GET", ["batches", id] | ["messages", "batches", id]) => {
            let batch = books.batches.iter().find(|batch| batch.id == *id);
            batch.map_or(lacking, |batch| {
                (200, show(batch, options, address).to_string())
            })
        }
        ("GET", ["files", id, "content"] | ["messages", "batches", id, "results"]) => {
            let batch = books.batches.iter().find(|batch| batch.id == *id);
            batch.map_or(lacking, |batch| (200, results(batch, options).join("\n")))
        }
        _ => lacking,
    }
}

/// Returns the lines of results that a batch has.
// Deep only by the braces of the JSON.
fn results(batch: &Batch, options: &BatchOptions) -> Vec<String> {
    let lines: Vec<String> = batch.lines.lines().map(String::from).collect();
    let most = match batch.act {
        Some(Act::Expire(most)) => most,
        Some(Act::Hold) if batch.canceled => lines.len() / 2,
        _ => lines.len(),
    };
    let input: Vec<String> = lines
        .into_iter()
        .take(most)
        .map(|line| match batch.wire {
            Wire::OpenAi | Wire::Google => line,
            Wire::Anthropic => {
                let line: Value = serde_json::from_str(&line).unwrap_or_default();
                let (id, body) = (line.get("custom_id"), line.get("params"));
                json!({"custom_id": id, "url": "/v1/messages", "body": body}).to_string()
            }
        })
        .collect();
    let output = run_batch(&input.join("\n"), options);
    if batch.wire != Wire::Anthropic {
        return output;
    }
    let to_anthropic = |line: &String| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let result = match line.pointer("/response/status_code") {
            Some(status) if *status == 200 => {
                json!({"type": "succeeded", "message": line.pointer("/response/body")})
            }
            _ => json!({"type": "errored", "error": {"type": "error",
                "error": {"type": "api_error", "message": "it broke"}}}),
        };
        json!({"custom_id": line.get("custom_id"), "result": result}).to_string()
    };
    output.iter().map(to_anthropic).collect()
}

/// Shows a batch as its API does.
fn show(batch: &Batch, options: &BatchOptions, address: SocketAddr) -> Value {
    let total = batch.lines.lines().count();
    let is_held = batch.act == Some(Act::Hold) && !batch.canceled;
    let done = if is_held {
        0
    } else {
        results(batch, options).len()
    };
    let id = &batch.id;
    if batch.wire == Wire::Anthropic {
        let url = format!("http://{address}/v1/messages/batches/{id}/results");
        let status = if is_held { "in_progress" } else { "ended" };
        return json!({"id": id, "processing_status": status, "results_url": url,
            "request_counts": {"processing": if is_held { total } else { 0 },
                "succeeded": done, "errored": 0, "canceled": 0,
                "expired": if is_held { 0 } else { total.saturating_sub(done) }}});
    }
    if batch.wire == Wire::Google {
        let (state, has_file, error) = match &batch.act {
            Some(Act::Fail(code)) => {
                let code: u64 = code.parse().unwrap_or(13);
                let error = json!({"code": code, "message": "the provider's own words"});
                ("FAILED", false, error)
            }
            Some(Act::Expire(_)) => ("EXPIRED", true, Value::Null),
            Some(Act::Hold) if batch.canceled => ("CANCELLED", true, Value::Null),
            Some(Act::Hold) => ("RUNNING", false, Value::Null),
            _ => ("SUCCEEDED", true, Value::Null),
        };
        // Counts are texts there.
        let stats = json!({"requestCount": total.to_string(),
            "successfulRequestCount": done.to_string()});
        let output = has_file.then(|| json!({"responsesFile": format!("files/{id}")}));
        return json!({"name": format!("batches/{id}"), "error": error, "metadata": {
            "displayName": batch.request.pointer("/batch/display_name"),
            "state": format!("BATCH_STATE_{state}"), "batchStats": stats, "output": output}});
    }
    let counts = json!({"total": total, "completed": done, "failed": 0});
    let (status, output, errors) = match &batch.act {
        Some(Act::Fail(code)) => {
            let error = json!({"code": code, "message": "the provider's own words"});
            ("failed", Value::Null, json!({"data": [error]}))
        }
        Some(Act::Expire(_)) => ("expired", json!(id), Value::Null),
        Some(Act::Hold) if batch.canceled => ("cancelled", json!(id), Value::Null),
        Some(Act::Hold) => ("in_progress", Value::Null, Value::Null),
        _ => ("completed", json!(id), Value::Null),
    };
    json!({"id": id, "status": status, "output_file_id": output, "error_file_id": null,
        "errors": errors, "request_counts": counts, "metadata": batch.request.get("metadata")})
}
