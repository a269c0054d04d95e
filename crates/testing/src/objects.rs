//! A bucket on loopback: as much of S3's protocol as files take (objects whole, by range and in
//! parts, lists), with the faults that such storage has.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// What goes wrong, by the number of a request, from 0; each in so many requests, 0 for never.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectFaults {
    /// Answered with 503.
    pub unavailable: usize,
    /// The connection is closed before an answer, the request not carried out.
    pub dropped: usize,
    /// The connection is closed in the middle of an answer with a body.
    pub cut: usize,
    /// The one request of this number is carried out and never answered, while its connection stays
    /// open; 0 for none.
    pub silent: usize,
    /// Objects written last that lists do not show.
    pub list_lags: usize,
    /// Everything is refused with 403, which nobody tries again; the answer repeats the secret key.
    pub refused: bool,
    /// Everything is answered with 200 and the page of a network that wants a login.
    pub captive: bool,
}

/// A server with buckets in memory. It stops with the process.
pub struct ObjectServer {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    faults: Mutex<ObjectFaults>,
    requests: AtomicUsize,
    state: Mutex<State>,
}

/// Objects by `BUCKET/KEY`, those under way by their upload.
#[derive(Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    /// The names of the objects in the order in which they were written.
    order: Vec<String>,
    uploads: HashMap<String, BTreeMap<usize, Vec<u8>>>,
    parts: usize,
}

impl ObjectServer {
    /// Starts a server on a free port of loopback.
    ///
    /// # Errors
    /// No port is free.
    pub fn start() -> io::Result<ObjectServer> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&of_thread);
                thread::spawn(move || serve(&shared, &stream));
            }
        });
        Ok(ObjectServer { port, shared })
    }

    /// The variables of the environment with which a client finds this server.
    pub fn environment(&self) -> [(&'static str, String); 4] {
        [
            (
                "AWS_ENDPOINT_URL",
                format!("http://127.0.0.1:{}", self.port),
            ),
            ("AWS_ACCESS_KEY_ID", "access".into()),
            ("AWS_SECRET_ACCESS_KEY", "storage-secret".into()),
            ("AWS_REGION", "us-east-1".into()),
        ]
    }

    /// Sets what goes wrong from now on.
    pub fn set_faults(&self, faults: ObjectFaults) {
        *lock(&self.shared.faults) = faults;
    }

    /// Puts an object at `BUCKET/KEY`.
    pub fn put(&self, name: &str, contents: &[u8]) {
        lock(&self.shared.state).put(name, contents.to_vec());
    }

    /// Returns the object at `BUCKET/KEY`.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        lock(&self.shared.state).objects.get(name).cloned()
    }

    /// The names of all objects, and how many uploads in parts are under way.
    pub fn names(&self) -> (Vec<String>, usize) {
        let state = lock(&self.shared.state);
        (state.objects.keys().cloned().collect(), state.uploads.len())
    }

    /// How many parts of objects came.
    pub fn parts(&self) -> usize {
        lock(&self.shared.state).parts
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn put(&mut self, name: &str, contents: Vec<u8>) {
        self.objects.insert(name.into(), contents);
        self.order.retain(|other| other != name);
        self.order.push(name.into());
    }
}

struct Asked {
    method: String,
    /// `BUCKET/KEY`, decoded.
    name: String,
    query: HashMap<String, String>,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Answer {
    fn of(status: u16, body: impl Into<Vec<u8>>) -> Answer {
        Answer {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }
}

fn serve(shared: &Shared, stream: &TcpStream) {
    let mut input = BufReader::new(stream);
    let mut output = stream;
    while let Some(asked) = read_request(&mut input) {
        let number = shared.requests.fetch_add(1, Ordering::SeqCst);
        let faults = *lock(&shared.faults);
        let hits = |every: usize, at: usize| every > 0 && number % every == at % every;
        if hits(faults.dropped, 1) {
            return;
        }
        let answer = match hits(faults.unavailable, 0) {
            _ if faults.refused => {
                let why = "<Error><Code>AccessDenied</Code><Message>no: storage-secret</Message>\
                           </Error>";
                Answer::of(403, why)
            }
            _ if faults.captive => {
                let page = "<!DOCTYPE html><html><body>Please log in</body></html>";
                Answer::of(200, page)
            }
            true => Answer::of(503, "<Error><Code>SlowDown</Code></Error>"),
            false => answer(&mut lock(&shared.state), &asked, faults.list_lags),
        };
        if faults.silent > 0 && number == faults.silent {
            // Until the client hangs up.
            while input.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
            return;
        }
        let mut head = format!("HTTP/1.1 {} x\r\n", answer.status);
        for (name, value) in &answer.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let is_head = asked.method == "HEAD";
        let has_length = answer
            .headers
            .iter()
            .any(|(name, _)| *name == "content-length");
        if !has_length {
            head += &format!("content-length: {}\r\n", answer.body.len());
        }
        head += "\r\n";
        let mut bytes = head.into_bytes();
        let is_cut = hits(faults.cut, 2) && answer.body.len() > 1 && !is_head;
        if !is_head {
            let end = if is_cut {
                answer.body.len() / 2
            } else {
                answer.body.len()
            };
            bytes.extend(&answer.body[..end]);
        }
        if output.write_all(&bytes).is_err() || is_cut {
            // What was written is read before the connection is gone.
            thread::sleep(Duration::from_millis(5));
            return;
        }
    }
}

fn read_request(input: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    input
        .read_line(&mut line)
        .ok()
        .filter(|length| *length > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or("0", String::as_str);
    let mut body = vec![0; length.parse().ok()?];
    input.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
    Some(Asked {
        method,
        name: decoded(path.trim_start_matches('/')),
        query: query.collect(),
        headers,
        body,
    })
}

/// Returns a part of an address without its percent signs.
fn decoded(text: &str) -> String {
    let (bytes, mut decoded, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// A text as XML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn answer(state: &mut State, asked: &Asked, list_lags: usize) -> Answer {
    let Asked { name, query, .. } = asked;
    let upload = query.get("uploadId");
    match (asked.method.as_str(), upload) {
        ("POST", None) if query.contains_key("uploads") => {
            let id = format!("upload-{}", state.uploads.len() + state.order.len());
            state.uploads.insert(id.clone(), BTreeMap::new());
            let (bucket, key) = name.split_once('/').unwrap_or((name, ""));
            Answer::of(
                200,
                format!(
                    "<InitiateMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{}</Key>\
                     <UploadId>{id}</UploadId></InitiateMultipartUploadResult>",
                    escaped(key)
                ),
            )
        }
        ("PUT", Some(id)) => {
            let part = query.get("partNumber").and_then(|part| part.parse().ok());
            let (Some(parts), Some(part)) = (state.uploads.get_mut(id), part) else {
                return Answer::of(404, "");
            };
            parts.insert(part, asked.body.clone());
            state.parts += 1;
            let mut answer = Answer::of(200, "");
            answer.headers.push(("etag", format!("\"part-{part}\"")));
            answer
        }
        ("POST", Some(id)) => {
            let Some(parts) = state.uploads.remove(id) else {
                return Answer::of(404, "");
            };
            state.put(name, parts.into_values().flatten().collect());
            Answer::of(
                200,
                "<CompleteMultipartUploadResult><ETag>\"whole\"</ETag>\
                 </CompleteMultipartUploadResult>",
            )
        }
        ("DELETE", Some(id)) => {
            state.uploads.remove(id);
            Answer::of(204, "")
        }
        ("PUT", None) => {
            let is_new = asked
                .headers
                .get("if-none-match")
                .is_some_and(|tag| tag == "*");
            if is_new && state.objects.contains_key(name) {
                return Answer::of(412, "<Error><Code>PreconditionFailed</Code></Error>");
            }
            state.put(name, asked.body.clone());
            let mut answer = Answer::of(200, "");
            answer.headers.push(("etag", "\"whole\"".into()));
            answer
        }
        ("DELETE", None) => {
            state.objects.remove(name);
            state.order.retain(|other| other != name);
            Answer::of(204, "")
        }
        ("GET", None) if query.contains_key("list-type") => list(state, asked, list_lags),
        ("GET" | "HEAD", None) => match state.objects.get(name) {
            None => Answer::of(404, "<Error><Code>NoSuchKey</Code></Error>"),
            Some(contents) => object(contents, asked),
        },
        _ => Answer::of(400, ""),
    }
}

fn object(contents: &[u8], asked: &Asked) -> Answer {
    let range = asked.headers.get("range").and_then(|range| {
        let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
        let to = to.parse().map_or(contents.len(), |to: usize| to + 1);
        Some(from.parse().ok()?..to.min(contents.len()))
    });
    let part = range.clone().unwrap_or(0..contents.len());
    let mut answer = Answer::of(200, &contents[part.clone()]);
    if range.is_some() {
        answer.status = 206;
        let (from, to, all) = (part.start, part.end.saturating_sub(1), contents.len());
        answer
            .headers
            .push(("content-range", format!("bytes {from}-{to}/{all}")));
    }
    answer.headers.extend([
        ("etag", format!("\"of-{}\"", contents.len())),
        ("last-modified", "Thu, 26 Nov 2026 10:00:00 GMT".into()),
        ("content-length", part.len().to_string()),
    ]);
    answer
}

fn list(state: &State, asked: &Asked, lags: usize) -> Answer {
    let field = |name: &str| asked.query.get(name).map_or("", String::as_str);
    let bucket = asked.name.trim_end_matches('/');
    let (prefix, delimiter) = (field("prefix"), field("delimiter"));
    let hidden = &state.order[state.order.len().saturating_sub(lags)..];
    let (mut objects, mut folders) = (String::new(), Vec::new());
    for (name, contents) in &state.objects {
        let key = name.strip_prefix(&format!("{bucket}/"));
        let Some(rest) = key.and_then(|key| key.strip_prefix(prefix)) else {
            continue;
        };
        if hidden.contains(name) {
            continue;
        }
        match rest.split_once(delimiter).filter(|_| !delimiter.is_empty()) {
            Some((folder, _)) => folders.push(format!("{prefix}{folder}/")),
            None => {
                objects += &format!(
                    "<Contents><Key>{}</Key><LastModified>2026-11-26T10:00:00.000Z\
                     </LastModified><ETag>\"x\"</ETag><Size>{}</Size></Contents>",
                    escaped(&format!("{prefix}{rest}")),
                    contents.len()
                );
            }
        }
    }
    folders.dedup();
    let folders = folders.iter().map(|folder| {
        let folder = escaped(folder);
        format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>")
    });
    let folders: String = folders.collect();
    Answer::of(
        200,
        format!("<ListBucketResult>{objects}{folders}</ListBucketResult>"),
    )
}
