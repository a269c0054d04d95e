//! Who is let in: requests to a host of ours, from our own pages, that know the token.

use crate::address::Hosts;
use crate::token::Token;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use evenhand_pages::assets::POLICY;
use std::convert::Infallible;
use std::sync::Arc;
use tower::ServiceExt;

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Stands before the pages.
pub(crate) struct Door {
    pub(crate) hosts: Hosts,
    pub(crate) token: Token,
    /// The pages, by paths without the token.
    pub(crate) pages: Router,
}

impl Door {
    /// Returns the whole server.
    pub(crate) fn into_router(self) -> Router {
        Router::new().fallback(pass).with_state(Arc::new(self))
    }

    fn admit(&self, request: &Request) -> Result<(), StatusCode> {
        if self.admit_host(request) && self.admit_origin(request.method(), request.headers()) {
            Ok(())
        } else {
            Err(StatusCode::FORBIDDEN)
        }
    }

    fn admit_host(&self, request: &Request) -> bool {
        let named = request.uri().authority();
        let named = named.is_none_or(|named| self.hosts.admit(named.as_str()));
        let host = only(request.headers(), header::HOST);
        named && host.is_some_and(|host| self.hosts.admit(host))
    }

    /// An origin must be ours where there is one; what changes something must come from our pages.
    fn admit_origin(&self, method: &Method, headers: &HeaderMap) -> bool {
        // Browsers that are told to send no referrer may hide the origin too; what they say of the
        // site no page can change.
        let same_site = only(headers, SITE) == Some("same-origin");
        if !headers.contains_key(header::ORIGIN) {
            return method.is_safe() || same_site;
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

async fn pass(State(door): State<Arc<Door>>, request: Request) -> Response {
    let mut response = match door.admit(&request) {
        Ok(()) => enter(&door, request).await,
        Err(status) => status.into_response(),
    };
    add_headers(response.headers_mut());
    response
}

/// Lets a request in that knows the token. What others ask for is not there.
async fn enter(door: &Door, mut request: Request) -> Response {
    let (token, rest) = split_path(request.uri());
    if !door.token.is(token) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let Some(rest) = rest else {
        return Redirect::permanent(&format!("/{}/", door.token.as_str())).into_response();
    };
    *request.uri_mut() = Uri::from(rest);
    let answered: Result<Response, Infallible> = door.pages.clone().oneshot(request).await;
    answered.unwrap_or_else(|never| match never {})
}

/// Splits an address into its first part and the rest; None where nothing follows the first.
fn split_path(address: &Uri) -> (&str, Option<PathAndQuery>) {
    let path = address.path().trim_start_matches('/');
    let Some((token, rest)) = path.split_once('/') else {
        return (path, None);
    };
    let query = address.query().map(|query| format!("?{query}"));
    let rest = format!("/{rest}{}", query.unwrap_or_default());
    (token, rest.parse().ok())
}

/// Nothing of ours is kept, framed, or loaded by a page of others, and nothing of others by ours.
fn add_headers(headers: &mut HeaderMap) {
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
}
