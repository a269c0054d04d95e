//! The server, from its start to its end.

use crate::address::{Hosts, listen};
use crate::door::{Door, Entrance};
use crate::patient::{PATIENCE, Patient};
use crate::review::Seat;
use crate::routes::{review_alone, routes};
use crate::shelf::Shelf;
use crate::token::Token;
use crate::{ViewError, ViewOptions};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Questions that are answered at the same time.
const THREADS: usize = 16;
/// How often it is looked whether to stop.
const TICK: Duration = Duration::from_millis(50);
/// Answers on their way have so long when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// Clients that are connected at the same time; others wait until one leaves.
const MOST_CONNECTIONS: usize = 512;

/// A server that listens.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The address of the pages, which only its user should know.
    pub url: String,
    /// The addresses that show the review and nothing else; None where nobody judges one run.
    pub review: Option<ReviewUrls>,
    /// What is listened on.
    pub address: SocketAddr,
}

/// The addresses that show pairs of a run and nothing else.
#[derive(Clone, Debug)]
pub struct ReviewUrls {
    /// For those who judge the pairs.
    pub annotators: String,
    /// For who decides the pairs on which they disagree.
    pub adjudicator: String,
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
    let hosts = Hosts::new(address, host.as_deref());
    let url_of = |token: &Token| format!("http://{}/{}/", hosts.shown(), token.as_str());
    let token = Token::draw()?;
    let url = url_of(&token);
    let mut entrances = vec![Entrance {
        token,
        pages: routes(shelf.clone()),
    }];
    let mut review = None;
    if shelf.reviews_one_run() {
        let mut open = |seat| {
            let token = Token::draw()?;
            let url = url_of(&token);
            let pages = review_alone(shelf.clone(), seat);
            entrances.push(Entrance { token, pages });
            Ok::<String, ViewError>(url)
        };
        review = Some(ReviewUrls {
            annotators: open(Seat::Annotator)?,
            adjudicator: open(Seat::Adjudicator)?,
        });
    }
    let door = Door { hosts, entrances };
    let runtime = Builder::new_current_thread()
        .max_blocking_threads(THREADS)
        .enable_all()
        .build()
        .map_err(ViewError::Server)?;
    // The pages come at once; the run is read meanwhile.
    runtime.spawn_blocking(move || shelf.open_first());
    on_ready(&Ready {
        url,
        review,
        address,
    });
    let served = runtime.block_on(answer_until(listener, door.into_router(), stop));
    runtime.shutdown_timeout(GRACE);
    served.map_err(ViewError::Server)
}

/// Answers until it is to stop; then no more are let in, and those on their way have a while.
async fn answer_until(
    listener: std::net::TcpListener,
    router: Router,
    stop: &AtomicBool,
) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let (end, ended) = watch::channel(());
    let mut connections = JoinSet::new();
    let stopped = async {
        while !stop.load(Ordering::Relaxed) {
            sleep(TICK).await;
        }
    };
    tokio::pin!(stopped);
    loop {
        let next = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = &mut stopped => break,
            next = next => next,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, _)) => {
                let (router, ended) = (router.clone(), ended.clone());
                connections.spawn(async move {
                    answer_one(stream, router, ended).await;
                    drop(place);
                });
            }
            // One that hung up at once; or too many files are open, which passes.
            Err(_) => sleep(TICK).await,
        }
    }
    drop(end);
    let last = async { while connections.join_next().await.is_some() {} };
    // Whoever is still busy then is left.
    let _ = timeout(GRACE, last).await;
    Ok(())
}

/// Answers one client, who must be neither slow to ask nor slow to read.
async fn answer_one(stream: TcpStream, router: Router, mut ended: watch::Receiver<()>) {
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(
            TokioIo::new(Patient::new(stream)),
            TowerToHyperService::new(router),
        );
    tokio::pin!(served);
    // A client that went away is no fault of ours.
    tokio::select! {
        _ = &mut served => return,
        _ = ended.changed() => served.as_mut().graceful_shutdown(),
    }
    let _ = served.await;
}
