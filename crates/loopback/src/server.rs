//! Threads and the listener.

use crate::connection::serve_connection;
use crate::live_script::Live;
use crate::script::Script;
use crate::shared::{Shared, lock};
use crate::{Seen, Stats};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio::net::TcpStream;
use tokio::runtime;

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
        let (address, threads) = (listener.local_addr()?, script.threads.max(1));
        let mut server = Server {
            shared: Arc::new(Shared::new(script)),
            address,
            threads: Vec::new(),
        };
        for _ in 1..threads {
            server.spawn_thread(listener.try_clone()?)?;
        }
        server.spawn_thread(listener)?;
        Ok(server)
    }

    fn spawn_thread(&mut self, listener: TcpListener) -> io::Result<()> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let shared = Arc::clone(&self.shared);
        let work = move || runtime.block_on(run_until_gone(listener, shared));
        self.threads.push(name_thread().spawn(work)?);
        Ok(())
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

fn name_thread() -> thread::Builder {
    thread::Builder::new().name("loopback".into())
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

fn accept(stream: TcpStream, shared: &Arc<Shared>) {
    shared.lock_books().stats.connections += 1;
    // A reply is written at once, so that waiting for more would only delay it.
    let _ = stream.set_nodelay(true);
    tokio::spawn(serve_connection(stream, Arc::clone(shared)));
}

async fn accept_all(listener: tokio::net::TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => accept(stream, &shared),
            // Out of file descriptors, most likely: some will be free again.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    }
}
