//! A judge's server on 127.0.0.1 for tests and benchmarks: scripted verdicts, faults and limits
//! behind OpenAI's `POST /v1/chat/completions` and Anthropic's `POST /v1/messages`; and OpenAI's
//! `POST /v1/embeddings`, by the words of the texts. Questions about a state are answered at `POST
//! /v1/systemone` and `POST /v1/decisions`.
//!
//! ```
//! use evenhand_testing::server::{Fault, Script, Server};
//!
//! let script = Script { faults: 0.3, fault_kinds: Fault::passing(), capacity: Some(8), ..Script::default() };
//! let server = Server::start(script)?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert_eq!(server.stop().requests, 0);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Verdicts are a function of the messages and the seed; faults of the body, the number of its
//! attempt and the seed: not of time, of the connection, or of the order in which requests arrive.

mod batch;
mod connection;
mod decisions;
mod draw;
mod embeddings;
mod fault;
mod fault_reply;
mod http;
mod ledger;
mod live_script;
mod prompt_scores;
mod provider;
mod reply;
mod rewards;
mod script;
mod stats;
mod verdict;

pub use batch::{BatchOptions, run_batch};
pub use fault::Fault;
pub use provider::{Act, Provider};
pub use script::{DecisionScript, DecisionServer, Judge, Mode, RetryAfter, Script};
pub use stats::{Bin, Stats};

use connection::serve_connection;
use ledger::Ledger;
use live_script::Live;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::runtime;
use tokio::sync::watch;

/// A request as it arrived; bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The request's line and its headers, up to the empty line.
    pub head: String,
    /// The body.
    pub body: String,
}

/// A server on 127.0.0.1 that runs until it is stopped or dropped.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    threads: Vec<JoinHandle<()>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server in threads of its own. It never listens on anything but 127.0.0.1.
    ///
    /// # Errors
    ///
    /// If the port is taken, or no thread can be started.
    pub fn start(script: Script) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, script.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let threads = script.threads.max(1);
        let mut server = Server {
            shared: Arc::new(Shared::new(script)),
            address,
            threads: Vec::new(),
        };
        for _ in 0..threads {
            let listener = listener.try_clone()?;
            let shared = Arc::clone(&server.shared);
            let runtime = runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            let work = move || runtime.block_on(run_until_gone(listener, shared));
            let thread = thread::Builder::new().name("loopback".into()).spawn(work)?;
            server.threads.push(thread);
        }
        Ok(server)
    }

    /// Returns the base address of both APIs, `http://127.0.0.1:PORT/v1`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the counts so far.
    pub fn stats(&self) -> Stats {
        self.shared.lock_books().stats.clone()
    }

    /// Returns the first `Script::keep` requests, in the order of their arrival.
    pub fn requests(&self) -> Vec<Seen> {
        lock(&self.shared.kept).clone()
    }

    /// Uses another script from the next request on; what is fixed at the start stays as it was.
    pub fn set_script(&self, script: Script) {
        *lock(&self.shared.live) = Arc::new(Live::new(script));
    }

    /// Closes every connection, refuses new ones, and returns the counts.
    pub fn stop(mut self) -> Stats {
        self.stop_threads();
        self.stats()
    }

    fn stop_threads(&mut self) {
        self.shared.close_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop_threads();
    }
}

/// Accepts until the server is gone; when this returns, the runtime drops every task and so closes
/// every connection.
async fn run_until_gone(listener: TcpListener, shared: Arc<Shared>) {
    let mut gone = shared.gone.subscribe();
    if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
        tokio::spawn(accept_all(listener, Arc::clone(&shared)));
        let _ = gone.wait_for(|gone| *gone).await;
    }
}

async fn accept_all(listener: tokio::net::TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                shared.lock_books().stats.connections += 1;
                // A reply is written at once, so that waiting for more would only delay it.
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve_connection(stream, Arc::clone(&shared)));
            }
            // Out of file descriptors, most likely: some will be free again.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// The state that all connections share.
struct Shared {
    live: Mutex<Arc<Live>>,
    ledger: Mutex<Ledger>,
    kept: Mutex<Vec<Seen>>,
    start: Instant,
    gone: watch::Sender<bool>,
}

/// Locks a mutex, whatever became of the thread that held it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn new(script: Script) -> Shared {
        Shared {
            ledger: Mutex::new(Ledger::new(script.bin)),
            live: Mutex::new(Arc::new(Live::new(script))),
            kept: Mutex::default(),
            start: Instant::now(),
            gone: watch::Sender::new(false),
        }
    }

    /// Returns the script as it is now.
    fn live_script(&self) -> Arc<Live> {
        Arc::clone(&lock(&self.live))
    }

    fn lock_books(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    /// Keeps a request, if fewer than `most` are kept.
    fn keep_request(&self, most: usize, head: &[u8], body: &[u8]) {
        if most == 0 {
            return;
        }
        let mut kept = lock(&self.kept);
        if kept.len() < most {
            kept.push(Seen {
                head: String::from_utf8_lossy(head).into_owned(),
                body: String::from_utf8_lossy(body).into_owned(),
            });
        }
    }

    /// Closes the listener and every connection.
    fn close_all(&self) {
        self.gone.send_replace(true);
    }
}
