//! The addresses of the pages and of their data, below the token.

mod review;

use crate::answer::{Answer, Failure, Json};
use crate::review::{SaidOfPair, Seat};
use crate::served::ServedRun;
use crate::shelf::Shelf;
use axum::Router;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use evenhand_pages::Detail;
use evenhand_pages::assets::{PAGE, PageMode, SCRIPT, STYLE, page_in_mode};
use serde::Serialize;
use std::sync::Arc;
use tokio::task::spawn_blocking;

type Shared = State<Arc<Shelf>>;

/// Returns the pages and their data.
pub(crate) fn routes(shelf: Arc<Shelf>) -> Router {
    // A folder's page asks for the list alone.
    let start = match shelf.is_folder() {
        true => page(&page_in_mode(PageMode::Folder)),
        false => page(PAGE),
    };
    start
        .route("/api/runs", get(runs))
        .nest("/api", data())
        .nest("/run/{name}/api", data())
        .with_state(shelf)
}

/// Returns what people who judge see, and nothing else: no ranking, no system, no other run.
pub(crate) fn review_alone(shelf: Arc<Shelf>, seat: Seat) -> Router {
    let mode = match seat {
        Seat::Adjudicator => PageMode::Adjudication,
        Seat::Annotator | Seat::Owner => PageMode::Review,
    };
    page(&page_in_mode(mode))
        .nest("/api/review", review::blind(seat))
        .fallback(closed)
        .with_state(shelf)
}

async fn closed() -> Answer {
    let why =
        "this address shows the review alone; the first address of this server shows the rest";
    Err(Failure::Closed(why.into()))
}

/// Returns a page with its script and style.
fn page(text: &str) -> Router<Arc<Shelf>> {
    let text = text.to_owned();
    Router::new()
        .route("/", get(|| async { Html(text) }))
        .route(
            "/app.js",
            get(|| asset("text/javascript; charset=utf-8", SCRIPT)),
        )
        .route("/app.css", get(|| asset("text/css; charset=utf-8", STYLE)))
}

/// Returns the data of one run: of the one that is served, or of one of a folder.
fn data() -> Router<Arc<Shelf>> {
    Router::new()
        .route("/overview", get(overview))
        .route("/version", get(version))
        .route("/rows", get(rows))
        .route("/judgment/{trial}", get(judgment))
        .nest("/review", review::routes())
}

async fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

async fn runs(State(shelf): Shared) -> Answer {
    answer(move || shelf.list()).await
}

async fn overview(State(shelf): Shared, address: RawPathParams) -> Answer {
    ask(shelf, &address, ServedRun::overview).await
}

async fn version(State(shelf): Shared, address: RawPathParams) -> Answer {
    ask(shelf, &address, ServedRun::version).await
}

async fn rows(State(shelf): Shared, address: RawPathParams, RawQuery(query): RawQuery) -> Answer {
    let query = query.unwrap_or_default();
    ask(shelf, &address, move |run| run.rows(&query)).await
}

async fn judgment(State(shelf): Shared, address: RawPathParams) -> Answer {
    let trial = part(&address, "trial").unwrap_or_default();
    let Ok(trial) = trial.parse() else {
        let why = format!("{trial:?} is not a trial; expected a whole number");
        return Err(Failure::Missing(why));
    };
    ask(shelf.clone(), &address, move |run| {
        let mut detail = run.judgment(trial)?;
        for other in shelf.others(run) {
            // A run that cannot be read takes nothing from this one.
            detail
                .others
                .extend(other.same_as(&detail).unwrap_or_default());
        }
        Json::of(&SeenDetail {
            said: run.said_of(&detail.row),
            detail,
        })
    })
    .await
}

/// A judgment, with what each person said of its pair.
#[derive(Serialize)]
struct SeenDetail {
    #[serde(flatten)]
    detail: Detail,
    said: Vec<SaidOfPair>,
}

fn part<'a>(address: &'a RawPathParams, name: &str) -> Option<&'a str> {
    let mut parts = address.iter();
    parts
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}

/// Asks the run that the address names.
async fn ask(
    shelf: Arc<Shelf>,
    address: &RawPathParams,
    question: impl FnOnce(&ServedRun) -> Answer + Send + 'static,
) -> Answer {
    let name = part(address, "name").map(str::to_owned);
    answer(move || question(&*shelf.run(name.as_deref())?)).await
}

/// Answers on a thread that may wait.
async fn answer(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Failure::Broken(format!("the question failed: {error}"))))
}
