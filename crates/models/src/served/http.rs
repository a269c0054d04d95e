//! One attempt at a call: a request over HTTP and the whole of its reply, or a fault.

use super::codec::{LARGEST_BODY, read_wait};
use super::fault::{Fault, FaultKind};
use super::key::Key;
use super::plain_http::PlainHttp;
use super::provider::{Provider, is_loopback};
use crate::ModelError;
use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url, redirect};
use std::time::{Duration, SystemTime};

/// Connections for one judge.
#[derive(Debug)]
pub(crate) struct Http {
    /// For this machine's own addresses without encryption.
    plain: PlainHttp,
    /// For this machine's own addresses: past any proxy.
    here: Client,
    /// For all others, by the proxy that the environment names.
    away: Client,
}

/// A server's answer.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Http {
    /// Makes connections that send these headers, the key in the one it belongs in. Nothing follows
    /// a redirection: it could carry the key to another server.
    pub(crate) fn new(
        headers: HeaderMap,
        secure: bool,
        timeout: Duration,
    ) -> Result<Http, ModelError> {
        // The first provider that was installed stays: it is always this one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let make_client = |uses_proxy: bool| {
            let mut builder = Client::builder()
                .default_headers(headers.clone())
                .redirect(redirect::Policy::none())
                .http1_only()
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(usize::MAX)
                .connect_timeout(timeout.min(CONNECT));
            if !secure {
                // Without TLS no certificates are read, and a machine that has none can still ask
                // its own server.
                builder = builder.tls_certs_only([]);
            }
            if !uses_proxy {
                builder = builder.no_proxy();
            }
            builder.build().map_err(|error| {
                let causes = join_causes(&error);
                ModelError::Open(format!("the HTTP client cannot be set up: {causes}"))
            })
        };
        Ok(Http {
            plain: PlainHttp::new(headers.clone(), timeout),
            here: make_client(false)?,
            away: make_client(true)?,
        })
    }

    /// Sends a body and reads the whole reply, however long that takes.
    ///
    /// No more than [`LARGEST_BODY`] bytes are read: what is longer is not a reply, and is not kept
    /// in memory.
    pub(crate) async fn post(&self, url: &Url, body: Bytes) -> Result<Received, Fault> {
        let mut whole = Vec::new();
        let content = Some(("application/json", body));
        let (status, headers) = self
            .exchange(HeaderMap::new(), Method::POST, url, content, &mut |chunk| {
                if whole.len() + chunk.len() > LARGEST_BODY {
                    let message = format!("the reply is longer than {LARGEST_BODY} bytes");
                    return Err(Fault::new(FaultKind::Malformed, message));
                }
                whole.extend_from_slice(chunk);
                Ok(())
            })
            .await?;
        Ok(Received {
            status,
            headers,
            body: whole,
        })
    }

    /// Sends a request with these headers beside those of every one, its content and what that is,
    /// and hands on the body of the reply as it comes.
    pub(crate) async fn exchange(
        &self,
        headers: HeaderMap,
        method: Method,
        url: &Url,
        content: Option<(&str, Bytes)>,
        take: &mut impl FnMut(&[u8]) -> Result<(), Fault>,
    ) -> Result<(u16, HeaderMap), Fault> {
        let client = match (is_loopback(url), url.scheme()) {
            (true, "http") => {
                return self
                    .plain
                    .exchange(headers, method, url, content, take)
                    .await;
            }
            (true, _) => &self.here,
            (false, _) => &self.away,
        };
        let mut request = client.request(method, url.clone()).headers(headers);
        if let Some((kind, body)) = content {
            request = request.header(CONTENT_TYPE, kind).body(body);
        }
        let mut response = request.send().await.map_err(to_fault)?;
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        while let Some(chunk) = response.chunk().await.map_err(to_fault)? {
            take(&chunk)?;
        }
        Ok((status, headers))
    }
}

/// The longest that a connection may take to be made: the system repeats an attempt without an
/// answer after 1, 3 and 7 s.
pub(crate) const CONNECT: Duration = Duration::from_secs(8);

/// How long a connection is kept that no call needs.
pub(crate) const IDLE: Duration = Duration::from_secs(90);

/// How long an answer's headers ask to wait before the next attempt.
pub(crate) fn wait_of(headers: &HeaderMap) -> Option<Duration> {
    let readable = headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    read_wait(readable, SystemTime::now())
}

/// Makes the headers of every call; the key's is marked, so that nothing prints it.
pub(crate) fn make_headers(
    provider: &Provider,
    key: Option<&Key>,
) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in provider.api.headers() {
        let (header, value) = make_header(name, value)?;
        headers.insert(header, value);
    }
    if let Some(key) = key {
        let value = format!("{}{}", provider.key_header.prefix(), key.expose());
        let (header, mut value) = make_header(provider.key_header.name(), &value)?;
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}

fn make_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ModelError> {
    let bad = || ModelError::Open(format!("the header {name} cannot be sent"));
    let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
    let value = HeaderValue::from_str(value).map_err(|_| bad())?;
    Ok((header, value))
}

fn to_fault(error: reqwest::Error) -> Fault {
    let kind = if is_untrusted(&error) {
        FaultKind::Untrusted
    } else if error.is_connect() {
        FaultKind::Unreachable
    } else if error.is_timeout() {
        FaultKind::Timeout
    } else {
        FaultKind::Connection
    };
    Fault::new(kind, join_causes(&error.without_url()))
}

/// Whether the server's certificate is the cause: another attempt meets the same one.
fn is_untrusted(error: &dyn std::error::Error) -> bool {
    let mut causes = std::iter::successors(error.source(), |error| error.source());
    causes.any(|cause| {
        let tls: Option<&rustls::Error> = innermost(cause).downcast_ref();
        matches!(tls, Some(rustls::Error::InvalidCertificate(_)))
    })
}

/// Returns what an I/O error holds, which is not among its sources.
fn innermost<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> &'a (dyn std::error::Error + 'static) {
    match error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref)
    {
        Some(within) => innermost(within),
        None => error,
    }
}

/// Returns an error with what caused it.
pub(crate) fn join_causes(error: &dyn std::error::Error) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::Arc;

    /// A certificate that it signed itself, for judge.invalid, until 2126.
    const CERTIFICATE: &str = "\
        3082016130820113a0030201020214197148f460fc1cca4a221833ebe4d851c28eaa67300506032b65703018311630140603\
        5504030c0d6a756467652e696e76616c69643020170d3236313132333135353831315a180f32313236313033303135353831\
        315a30183116301406035504030c0d6a756467652e696e76616c6964302a300506032b65700321008b878deb06b5f9c9a464\
        6138bc85d6f91b8b40fe5859b42e62a917233bd573ffa36d306b301d0603551d0e0416041445aa0a24876449936c8d6069b1\
        11c5c817c353c7301f0603551d2304183016801445aa0a24876449936c8d6069b111c5c817c353c7300f0603551d130101ff\
        040530030101ff30180603551d110411300f820d6a756467652e696e76616c6964300506032b65700341002fbb1046ba70e4\
        f70339708a92ed1730fe541f9b673d8865759fa8fe7ca083f1206b48660a23dbcb141583707bc57df1d37da2459980bc950f\
        7419d6117c8901";
    const PRIVATE: &str = "302e020100300506032b657004220420e348b44ff33715119cfc33fb6c92704095947d1f5310488248db1911e48cb4bb";

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    }

    /// Meets one connection with the certificate, and gives its address.
    fn tls_server() -> Url {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let private = rustls::pki_types::PrivatePkcs8KeyDer::from(bytes(PRIVATE)).into();
        let config = config
            .with_no_client_auth()
            .with_single_cert(vec![bytes(CERTIFICATE).into()], private)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}/v1", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let mut connection = rustls::ServerConnection::new(Arc::new(config)).unwrap();
            let (mut socket, _) = listener.accept().unwrap();
            let mut stream = rustls::Stream::new(&mut connection, &mut socket);
            // The client goes away in the handshake.
            let _ = stream.read(&mut [0; 64]);
        });
        Url::parse(&url).unwrap()
    }

    /// Replies to one request that it saw, whatever it is.
    fn plain_server() -> (Url, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("http://{}/v1", listener.local_addr().unwrap())).unwrap();
        let seen = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let mut head = [0; 4096];
            let length = socket.read(&mut head).unwrap();
            socket
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
                .unwrap();
            String::from_utf8_lossy(&head[..length]).into_owned()
        });
        (url, seen)
    }

    fn post(http: &Http, url: &Url) -> Result<Received, Fault> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(http.post(url, Bytes::from_static(b"{}")))
    }

    #[test]
    fn a_certificate_that_nobody_vouches_for_is_no_lost_connection() {
        let http = Http::new(HeaderMap::new(), false, Duration::from_secs(20)).unwrap();
        let fault = post(&http, &tls_server()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Untrusted, "{}", fault.message);
        assert!(
            fault.message.contains("invalid peer certificate"),
            "{}",
            fault.message
        );
    }

    #[test]
    fn a_port_where_nobody_listens_is_no_connection() {
        let http = Http::new(HeaderMap::new(), false, Duration::from_secs(20)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let url = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
        assert_eq!(post(&http, &url).unwrap_err().kind, FaultKind::Unreachable);
    }

    #[test]
    fn a_server_on_this_machine_is_asked_itself() {
        let (url, seen) = plain_server();
        let http = Http::new(HeaderMap::new(), false, Duration::from_secs(20)).unwrap();
        assert_eq!(post(&http, &url).unwrap().status, 200);
        assert!(seen.join().unwrap().starts_with("POST /v1 HTTP/1.1"));
    }
}
