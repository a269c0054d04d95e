//! Who is let in: requests to a host of ours, from our own pages, that know the token.

use crate::address::Hosts;
use crate::token::Token;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use evenhand_pages::assets::POLICY;
use std::convert::Infallible;
use std::sync::Arc;
use tower::ServiceExt;

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Stands before the pages.
pub(crate) struct Door {
    pub(crate) hosts: Hosts,
    pub(crate) entrances: Vec<Entrance>,
}

/// What a token opens.
pub(crate) struct Entrance {
    pub(crate) token: Token,
    /// The pages, by paths without the token.
    pub(crate) pages: Router,
}

impl Door {
    /// Returns the whole server.
    pub(crate) fn into_router(self) -> Router {
        Router::new().fallback(pass).with_state(Arc::new(self))
    }

    /// Whether a request is to a host of ours, and from our own pages.
    fn admits(&self, request: &Request) -> bool {
        let headers = request.headers();
        let named = request.uri().authority();
        let is_ours = named.is_none_or(|named| self.hosts.admit(named.as_str()))
            && only(headers, header::HOST).is_some_and(|host| self.hosts.admit(host));
        if !is_ours {
            return false;
        }
        // Browsers that are told to send no referrer may hide the origin too; what they say of the
        // site no page can change.
        let same_site = only(headers, SITE) == Some("same-origin");
        // An origin must be ours where there is one. What changes something must come from our
        // pages.
        if !headers.contains_key(header::ORIGIN) {
            return request.method().is_safe() || same_site;
        }
        only(headers, header::ORIGIN).is_some_and(|origin| {
            self.hosts.admit_origin(origin) || (origin == "null" && same_site)
        })
    }
}

/// Returns the value of a header that stands once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}

/// Answers a request. Nothing of ours is kept, framed, or loaded by a page of others, and nothing
/// of others by ours.
async fn pass(State(door): State<Arc<Door>>, request: Request) -> Response {
    let mut response = if door.admits(&request) {
        enter(&door, request).await
    } else {
        StatusCode::FORBIDDEN.into_response()
    };
    let headers = response.headers_mut();
    let policy = format!("{POLICY}; frame-ancestors 'none'");
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}

/// Lets a request in whose address begins with a token, to what that opens. What others ask for is
/// not there.
async fn enter(door: &Door, mut request: Request) -> Response {
    let address = request.uri();
    let path = address.path().trim_start_matches('/');
    let (token, rest) = match path.split_once('/') {
        Some((token, rest)) => (token, Some(rest)),
        None => (path, None),
    };
    let mut entrances = door.entrances.iter();
    let Some(entrance) = entrances.find(|entrance| entrance.token.is(token)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let query = address.query().map(|query| format!("?{query}"));
    let query = query.unwrap_or_default();
    let rest = rest.and_then(|rest| format!("/{rest}{query}").parse::<PathAndQuery>().ok());
    let Some(rest) = rest else {
        return Redirect::permanent(&format!("/{}/", entrance.token.as_str())).into_response();
    };
    *request.uri_mut() = Uri::from(rest);
    let answered: Result<Response, Infallible> = entrance.pages.clone().oneshot(request).await;
    answered.unwrap_or_else(|never| match never {})
}
