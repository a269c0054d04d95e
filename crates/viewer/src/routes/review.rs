//! The addresses of people who judge.

use super::{Shared, ask};
use crate::answer::{Answer, Failure};
use crate::patient::PATIENCE;
use crate::review::{NextQuery, Review, Seat};
use crate::shelf::Shelf;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, RawPathParams, RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tokio::time::timeout;

/// Bytes of what a page sends, at most.
const MOST_BYTES: usize = 64 << 10;

/// Returns what is asked and said below `review/`.
pub(super) fn routes() -> Router<Arc<Shelf>> {
    of_pairs(Seat::Owner)
        .route("/summary", get(summary))
        .route("/disagreements", get(disagreements))
}

/// Returns what somebody may ask and say who sees the review alone.
pub(super) fn blind(seat: Seat) -> Router<Arc<Shelf>> {
    of_pairs(seat).fallback(super::closed)
}

/// Which pair is next, and what is said of it.
fn of_pairs(seat: Seat) -> Router<Arc<Shelf>> {
    let next = move |State(shelf): Shared, address: RawPathParams, RawQuery(query)| async move {
        let query = NextQuery::parse(&query.unwrap_or_default(), seat);
        review(shelf, &address, move |review| review.next(&query)).await
    };
    let label = move |State(shelf): Shared, address: RawPathParams, Sent(body)| async move {
        let work = move |review: &mut Review<'_>| review.label(&read(&body)?, seat);
        review(shelf, &address, work).await
    };
    let undo = move |State(shelf): Shared, address: RawPathParams, Sent(body)| async move {
        let work = move |review: &mut Review<'_>| review.undo(&read(&body)?, seat);
        review(shelf, &address, work).await
    };
    Router::new()
        .route("/next", get(next))
        .route("/label", post(label))
        .route("/undo", post(undo))
        .layer(DefaultBodyLimit::max(MOST_BYTES))
}

async fn summary(State(shelf): Shared, address: RawPathParams) -> Answer {
    review(shelf, &address, |review| review.summary()).await
}

async fn disagreements(State(shelf): Shared, address: RawPathParams) -> Answer {
    review(shelf, &address, |review| review.disagreements()).await
}

/// Asks what was said of the run that the address names.
async fn review(
    shelf: Arc<Shelf>,
    address: &RawPathParams,
    work: impl FnOnce(&mut Review<'_>) -> Answer + Send + 'static,
) -> Answer {
    ask(shelf, address, |run| run.review(work)).await
}

/// What a page sends, which is little and comes at once.
struct Sent(Bytes);

impl<S: Send + Sync> FromRequest<S> for Sent {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Sent, Response> {
        match timeout(PATIENCE, Bytes::from_request(request, state)).await {
            Ok(Ok(body)) => Ok(Sent(body)),
            Ok(Err(error)) => Err(error.into_response()),
            Err(_) => Err(StatusCode::REQUEST_TIMEOUT.into_response()),
        }
    }
}

/// Reads what was sent.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    let read = serde_json::from_slice(body);
    read.map_err(|error| Failure::Bad(format!("what was sent cannot be read: {error}")))
}
