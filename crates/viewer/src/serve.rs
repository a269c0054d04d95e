//! The server, from its start to its end.

use crate::address::{Hosts, listen};
use crate::door::Door;
use crate::routes::routes;
use crate::shelf::Shelf;
use crate::token::Token;
use crate::{ViewError, ViewOptions};
use axum::Router;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

/// Questions that are answered at the same time.
const THREADS: usize = 16;
/// How often it is looked whether to stop.
const TICK: Duration = Duration::from_millis(50);
/// Answers on their way have so long when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// A server that listens.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The address of the pages, which only its user should know.
    pub url: String,
    /// What is listened on.
    pub address: SocketAddr,
}

/// Serves a run, or a folder of runs, until `stop` is true. `on_ready` is told the address as soon
/// as it can be opened.
///
/// # Errors
/// A path without a run, an address that cannot be listened on, and a server that failed.
pub fn serve(
    options: ViewOptions,
    stop: &Arc<AtomicBool>,
    on_ready: impl FnOnce(&Ready),
) -> Result<(), ViewError> {
    let (host, port) = (options.host.clone(), options.port);
    let shelf = Arc::new(Shelf::new(options)?);
    let listener = listen(host.as_deref(), port)?;
    let address = listener.local_addr().map_err(ViewError::Server)?;
    let (hosts, token) = (Hosts::new(address, host.as_deref()), Token::draw()?);
    let url = format!("http://{}/{}/", hosts.shown(), token.as_str());
    let pages = routes(shelf.clone());
    let door = Door {
        hosts,
        token,
        pages,
    };
    let runtime = build_runtime().map_err(ViewError::Server)?;
    // The pages come at once; the run is read meanwhile.
    runtime.spawn_blocking(move || shelf.open_first());
    on_ready(&Ready { url, address });
    let served = runtime.block_on(answer_until(listener, door.into_router(), stop));
    runtime.shutdown_timeout(GRACE);
    served.map_err(ViewError::Server)
}

fn build_runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread()
        .max_blocking_threads(THREADS)
        .enable_all()
        .build()
}

async fn answer_until(
    listener: std::net::TcpListener,
    router: Router,
    stop: &Arc<AtomicBool>,
) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let server = axum::serve(listener, router).with_graceful_shutdown(wait_for(stop.clone()));
    let overdue = async {
        wait_for(stop.clone()).await;
        sleep(GRACE).await;
    };
    tokio::select! {
        ended = async { server.await } => ended,
        () = overdue => Ok(()),
    }
}

async fn wait_for(stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        sleep(TICK).await;
    }
}
