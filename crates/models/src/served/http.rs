//! One attempt at a call: a request over HTTP and the whole of its reply, or a fault.

use super::codec::LARGEST_BODY;
use super::fault::{Fault, FaultKind};
use super::key::Key;
use crate::ModelError;
use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url, redirect};
use std::time::Duration;

/// Connections for one judge.
#[derive(Debug)]
pub(crate) struct Http {
    client: Client,
    timeout: Duration,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Http {
    /// Connections that send these headers, the key in the one it belongs in. Nothing follows a redirection: it could carry the
    /// key to another server.
    pub(crate) fn new(headers: HeaderMap, secure: bool, timeout: Duration) -> Result<Http, ModelError> {
        // The first provider that was installed stays: it is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .default_headers(headers)
            .redirect(redirect::Policy::none())
            .http1_only()
            .pool_max_idle_per_host(usize::MAX)
            .connect_timeout(timeout.min(CONNECT));
        // Without TLS no certificates are read, and a machine that has none can still ask its own server.
        let builder = if secure { builder } else { builder.tls_certs_only([]) };
        let client =
            builder.build().map_err(|e| ModelError::Open(format!("the HTTP client cannot be set up: {}", causes(&e))))?;
        Ok(Http { client, timeout })
    }

    /// Sends a body and reads the whole reply.
    pub(crate) async fn post(&self, url: &Url, body: Bytes) -> Result<Received, Fault> {
        let exchange = async { read(self.client.post(url.clone()).body(body).send().await.map_err(fault)?).await };
        match tokio::time::timeout(self.timeout, exchange).await {
            Ok(received) => received,
            Err(_) => Err(Fault::new(FaultKind::Timeout, format!("no whole reply within {} s", self.timeout.as_secs_f64()))),
        }
    }
}

/// The longest that a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(30);

/// The headers of every call; the key's is marked, so that nothing prints it.
pub(crate) fn headers(fixed: &[(&str, &str)], key: Option<(&str, &str, &Key)>) -> Result<HeaderMap, ModelError> {
    let bad = |what: &str| ModelError::Open(format!("the header {what} cannot be sent"));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in fixed {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad(name))?;
        headers.insert(header, HeaderValue::from_str(value).map_err(|_| bad(name))?);
    }
    if let Some((name, prefix, key)) = key {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad(name))?;
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", key.expose())).map_err(|_| bad(name))?;
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}

/// Reads no more than [`LARGEST_BODY`] bytes: what is longer is no reply, and is not kept in memory.
async fn read(mut response: Response) -> Result<Received, Fault> {
    let status = response.status().as_u16();
    let headers = std::mem::take(response.headers_mut());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(fault)? {
        if body.len() + chunk.len() > LARGEST_BODY {
            return Err(Fault::new(FaultKind::Malformed, format!("the reply is longer than {LARGEST_BODY} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Received { status, headers, body })
}

fn fault(error: reqwest::Error) -> Fault {
    let kind = if error.is_timeout() { FaultKind::Timeout } else { FaultKind::Connection };
    Fault::new(kind, causes(&error.without_url()))
}

/// An error with what caused it.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}
