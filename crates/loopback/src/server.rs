//! Threads, the listener, and what all connections share.

use crate::connection::serve;
use crate::ledger::{Admission, Ledger};
use crate::live::Live;
use crate::script::Script;
use crate::{Seen, Stats};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::watch;

/// What all connections share.
pub(crate) struct Shared {
    live: Mutex<Arc<Live>>,
    ledger: Mutex<Ledger>,
    kept: Mutex<Vec<Seen>>,
    start: Instant,
    gone: watch::Sender<bool>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn new(script: Script) -> Shared {
        let ledger = Ledger::new(script.bin);
        let live = Mutex::new(Arc::new(Live::new(script)));
        Shared {
            live,
            ledger: Mutex::new(ledger),
            kept: Mutex::default(),
            start: Instant::now(),
            gone: watch::Sender::new(false),
        }
    }

    /// The script as it is now.
    pub(crate) fn live(&self) -> Arc<Live> {
        Arc::clone(&locked(&self.live))
    }

    pub(crate) fn books(&self) -> MutexGuard<'_, Ledger> {
        locked(&self.ledger)
    }

    pub(crate) fn admit(&self, script: &Script, key: Option<&str>, digest: u64) -> Admission {
        let at = self.start.elapsed();
        self.books().admit(script, key, digest, at)
    }

    /// A good reply to this body is about to be written.
    pub(crate) fn replied(&self, digest: u64) {
        let mut books = self.books();
        books.leave();
        books.reply(digest);
    }

    /// Keeps a request, if fewer than `most` are kept.
    pub(crate) fn keep(&self, most: usize, head: &[u8], body: &[u8]) {
        if most == 0 {
            return;
        }
        let mut kept = locked(&self.kept);
        if kept.len() < most {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            kept.push(Seen {
                head: text(head),
                body: text(body),
            });
        }
    }

    /// Closes the listener and every connection.
    pub(crate) fn die(&self) {
        self.gone.send_replace(true);
    }
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
    /// Starts a server in threads of its own. It never listens on anything but 127.0.0.1. Fails if
    /// the port is taken.
    pub fn start(script: Script) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, script.port))?;
        listener.set_nonblocking(true)?;
        let (address, threads) = (listener.local_addr()?, script.threads.max(1));
        let mut server = Server {
            shared: Arc::new(Shared::new(script)),
            address,
            threads: Vec::new(),
        };
        for _ in 1..threads {
            server.spawn(listener.try_clone()?)?;
        }
        server.spawn(listener)?;
        Ok(server)
    }

    fn spawn(&mut self, listener: TcpListener) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let shared = Arc::clone(&self.shared);
        let work = move || runtime.block_on(run(listener, shared));
        self.threads.push(
            std::thread::Builder::new()
                .name("loopback".into())
                .spawn(work)?,
        );
        Ok(())
    }

    /// The base address of both APIs, `http://127.0.0.1:PORT/v1`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The counts so far.
    pub fn stats(&self) -> Stats {
        self.shared.books().stats.clone()
    }

    /// The first `Script::keep` requests, in the order of their arrival.
    pub fn requests(&self) -> Vec<Seen> {
        locked(&self.shared.kept).clone()
    }

    /// Another script from the next request on; what is fixed at the start stays as it was.
    pub fn set_script(&self, script: Script) {
        *locked(&self.shared.live) = Arc::new(Live::new(script));
    }

    /// Closes every connection, refuses new ones, and gives the counts.
    pub fn stop(mut self) -> Stats {
        self.halt();
        self.stats()
    }

    fn halt(&mut self) {
        self.shared.die();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.halt();
    }
}

/// Accepts until the server is gone; when this returns, the runtime drops every task and so closes
/// every connection.
async fn run(listener: TcpListener, shared: Arc<Shared>) {
    let mut gone = shared.gone.subscribe();
    if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
        tokio::spawn(accept(listener, Arc::clone(&shared)));
        let _ = gone.wait_for(|gone| *gone).await;
    }
}

async fn accept(listener: tokio::net::TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                shared.books().stats.connections += 1;
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
            // Out of file descriptors, most likely: some will be free again.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    }
}
