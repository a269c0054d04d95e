//! A run of 300 judgments, a server of it, and a client that may send anything.

pub(crate) mod desk;

use evenhand_core::{
    Failure, FailureKind, Item, Judgment, Message, Reply, Request, Response, Task, Trial, Usage,
    Verdict, VerdictSource,
};
use evenhand_store::{Call, Manifest, Store};
use evenhand_viewer::{ViewError, ViewOptions, serve};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

pub(crate) const SYSTEMS: [&str; 4] = ["careful", "hasty", "plain", "wordy"];

/// Pairs of systems.
const PAIRS: [[u32; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Opens a run to write in.
pub(crate) fn open_store(dir: &Path) -> Store {
    let mut manifest = Manifest::default();
    manifest.set("judge", "test");
    Store::open(dir, &manifest).unwrap()
}

/// Makes a run of 25 items, 6 pairs and both orders: 300 judgments.
pub(crate) fn make_run(dir: &Path) {
    let mut store = open_store(dir);
    put_judgments(&mut store, 0..300);
}

/// Judges these trials, and keeps their texts.
pub(crate) fn put_judgments(store: &mut Store, trials: std::ops::Range<u64>) {
    for index in trials {
        let (item, pair, swapped) = (index / 12, PAIRS[(index / 2 % 6) as usize], index % 2 == 1);
        let [a, b] = pair;
        let systems = if swapped { vec![b, a] } else { vec![a, b] };
        put_texts(store, item);
        put_judgment(store, index, item, systems);
    }
    store.commit().unwrap();
}

fn put_texts(store: &mut Store, item: u64) {
    let responses = SYSTEMS.map(|system| response(item, system));
    store.put_texts(&item_of(item), &responses).unwrap();
}

fn item_of(item: u64) -> Item {
    Item {
        id: format!("q{item}"),
        messages: vec![Message::user(format!("Name thing number {item}."))],
        category: Some(["odd", "even"][(item % 2) as usize].into()),
        ..Item::default()
    }
}

fn response(item: u64, system: &str) -> Response {
    Response::new(system, format!("Thing {item}, says {system}."))
}

fn put_judgment(store: &mut Store, index: u64, item: u64, systems: Vec<u32>) {
    let request = request(index);
    let said = if index == 7 {
        "a needle of a reply"
    } else {
        "A"
    };
    let reply = Reply {
        text: said.into(),
        usage: Usage {
            prompt_tokens: 30,
            completion_tokens: 1,
            ..Usage::default()
        },
        ..Reply::default()
    };
    let call = Call {
        key: &request.key(),
        judge: &"test".into(),
        request: &request.canonical(),
        about: &request.about,
        result: &Ok(reply),
        raw: None,
        batch: false,
    };
    store.put(&call).unwrap();
    let shown: Vec<Response> = systems
        .iter()
        .map(|system| response(item, SYSTEMS[*system as usize]))
        .collect();
    let judgment = Judgment {
        outcome: outcome(index),
        trial: Trial {
            index,
            item: item as u32,
            systems,
            replicate: 0,
        },
        calls: vec![request.key()],
        looks: Vec::new(),
    };
    store
        .put_judgment(&judgment, &format!("q{item}"), &shown)
        .unwrap();
}

/// The first slot wins every third judgment of a pair, whatever stands there; trial 9 fails.
fn outcome(index: u64) -> Result<Verdict, Failure> {
    if index == 9 {
        return Err(Failure::new(FailureKind::Unparsed, "<b>no verdict</b>"));
    }
    let swapped = index % 2 == 1;
    let by_slot = (index / 2).is_multiple_of(3);
    let first = if by_slot || !swapped { 0.9 } else { 0.1 };
    Ok(Verdict::pair(
        [first, 0.0, 1.0 - first],
        0.0,
        VerdictSource::Text,
    ))
}

fn request(index: u64) -> Request {
    Request::new(
        "test".into(),
        vec![Message::user(format!("Which is better? {index}"))],
        Task::write(1),
    )
}

/// A server on a thread of its own, which ends with it.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The path of the pages: the token between slashes.
    pub(crate) base: String,
    /// The path of the review alone, for those who judge.
    pub(crate) blind: Option<String>,
    /// The path of the pairs on which those disagree, for who decides.
    pub(crate) adjudicator: Option<String>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), ViewError>>>,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    pub(crate) fn error(&self) -> String {
        self.json()["error"].as_str().unwrap().to_owned()
    }
}

impl Server {
    pub(crate) fn of(path: &Path) -> Server {
        Server::start(ViewOptions::new(path))
    }

    pub(crate) fn start(options: ViewOptions) -> Server {
        let stop = Arc::new(AtomicBool::new(false));
        let (tell, told) = channel();
        let asked = stop.clone();
        let thread = std::thread::spawn(move || {
            serve(options, &asked, |ready| tell.send(ready.clone()).unwrap())
        });
        let ready = told.recv_timeout(Duration::from_secs(60)).unwrap();
        let base_of = |url: &String| url[url.match_indices('/').nth(2).unwrap().0..].to_owned();
        Server {
            address: ready.address,
            base: base_of(&ready.url),
            blind: ready.review.as_ref().map(|urls| base_of(&urls.annotators)),
            adjudicator: ready.review.as_ref().map(|urls| base_of(&urls.adjudicator)),
            stop,
            thread: Some(thread),
        }
    }

    /// Asks at the door of those who judge.
    pub(crate) fn get_blind(&self, path: &str) -> Answer {
        let base = self.blind.as_ref().unwrap();
        self.send("GET", &format!("{base}{path}"), &self.host(), "", "")
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", &format!("{}{path}", self.base), &self.host(), "", "")
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn origin(&self) -> String {
        format!("origin: http://{}\r\n", self.address)
    }

    /// Sends a request; each of `headers` ends in CR LF.
    pub(crate) fn send(
        &self,
        method: &str,
        target: &str,
        host: &str,
        headers: &str,
        body: &str,
    ) -> Answer {
        let length = body.len();
        self.send_raw(&format!(
            "{method} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
             content-length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    /// Sends bytes as they are, and reads until the server closes.
    pub(crate) fn send_raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        parse(&String::from_utf8(bytes).unwrap())
    }

    /// Stops the server in good order.
    pub(crate) fn end(mut self) -> Result<(), ViewError> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn parse(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default().split(' ').nth(1);
    let headers = lines.filter_map(|line| {
        let (name, value) = line.split_once(": ")?;
        Some((name.to_ascii_lowercase(), value.to_owned()))
    });
    Answer {
        status: status.map_or(0, |status| status.parse().unwrap()),
        headers: headers.collect(),
        body: body.to_owned(),
    }
}
