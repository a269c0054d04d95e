//! What is answered.

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use evenhand_pages::{FilterError, RowsError};
use evenhand_store::StoreError;
use serde::Serialize;
use serde_json::json;

/// An answer in JSON, or why there is none.
pub(crate) type Answer = Result<Json, Failure>;

/// A JSON text. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Json(Bytes);

impl Json {
    pub(crate) fn of(value: &impl Serialize) -> Answer {
        let text = serde_json::to_vec(value);
        let text = text.map_err(|error| Failure::Broken(error.to_string()))?;
        Ok(Json(text.into()))
    }
}

/// Why a question has no answer, in a sentence for who asked.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// There is nothing of this name.
    Missing(String),
    /// It is not for whoever asks.
    Closed(String),
    /// The question cannot be read, or names what there is not.
    Bad(String),
    /// It does not fit what is there.
    Conflict(String),
    /// The run cannot be read, or we failed.
    Broken(String),
}

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, why) = match self {
            Failure::Missing(why) => (StatusCode::NOT_FOUND, why),
            Failure::Closed(why) => (StatusCode::FORBIDDEN, why),
            Failure::Bad(why) => (StatusCode::BAD_REQUEST, why),
            Failure::Conflict(why) => (StatusCode::CONFLICT, why),
            Failure::Broken(why) => (StatusCode::INTERNAL_SERVER_ERROR, why),
        };
        let body = json!({ "error": why }).to_string();
        (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}

impl From<FilterError> for Failure {
    fn from(error: FilterError) -> Self {
        Failure::Bad(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::Broken(error.to_string())
    }
}

impl From<RowsError> for Failure {
    fn from(error: RowsError) -> Self {
        match error {
            RowsError::Filter(error) => error.into(),
            RowsError::Store(error) => error.into(),
        }
    }
}
