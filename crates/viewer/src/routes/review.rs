//! The addresses of people who judge.

use super::{Shared, ask};
use crate::answer::{Answer, Failure};
use crate::patient::PATIENCE;
use crate::review::{NextQuery, Review, SentLabel, SentUndo};
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
    Router::new()
        .route("/next", get(next))
        .route("/summary", get(summary))
        .route("/disagreements", get(disagreements))
        .route("/label", post(label))
        .route("/undo", post(undo))
        .layer(DefaultBodyLimit::max(MOST_BYTES))
}

/// Returns what somebody may ask and say who sees the review alone, from its own sample.
pub(super) fn blind() -> Router<Arc<Shelf>> {
    Router::new()
        .route("/next", get(next_of_sample))
        .route("/label", post(label_of_sample))
        .route("/undo", post(undo_of_sample))
        .fallback(super::closed)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
}

async fn next_of_sample(
    State(shelf): Shared,
    address: RawPathParams,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = NextQuery::parse(&query.unwrap_or_default()).of_sample();
    review(shelf, &address, move |review| review.next(&query)).await
}

async fn label_of_sample(State(shelf): Shared, address: RawPathParams, Sent(body): Sent) -> Answer {
    review(shelf, &address, move |review| {
        review.label(&read::<SentLabel>(&body)?.of_sample())
    })
    .await
}

async fn undo_of_sample(State(shelf): Shared, address: RawPathParams, Sent(body): Sent) -> Answer {
    review(shelf, &address, move |review| {
        review.undo(&read::<SentUndo>(&body)?.of_sample())
    })
    .await
}

async fn next(State(shelf): Shared, address: RawPathParams, RawQuery(query): RawQuery) -> Answer {
    let query = NextQuery::parse(&query.unwrap_or_default());
    review(shelf, &address, move |review| review.next(&query)).await
}

async fn summary(State(shelf): Shared, address: RawPathParams) -> Answer {
    review(shelf, &address, |review| review.summary()).await
}

async fn disagreements(State(shelf): Shared, address: RawPathParams) -> Answer {
    review(shelf, &address, |review| review.disagreements()).await
}

async fn label(State(shelf): Shared, address: RawPathParams, Sent(body): Sent) -> Answer {
    review(shelf, &address, move |review| review.label(&read(&body)?)).await
}

async fn undo(State(shelf): Shared, address: RawPathParams, Sent(body): Sent) -> Answer {
    review(shelf, &address, move |review| review.undo(&read(&body)?)).await
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
