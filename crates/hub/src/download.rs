//! Files by HTTP, gone on with where they broke off.

use crate::hub::endpoint;
use crate::{Fetched, HubError, Told};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_RANGE, HeaderMap, HeaderValue, RANGE};
use reqwest::{Response, StatusCode, Url};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How long a server may be silent.
const STILL: Duration = Duration::from_secs(60);
/// How often in a row a transfer may break off without a byte more.
const TRIES: u32 = 5;
/// The longest listing that is read.
const LONGEST: usize = 64 << 20;

/// Asks servers, and waits for their answers.
pub(crate) struct Client {
    runtime: Runtime,
    http: reqwest::Client,
}

/// Why a transfer ended: for good, or so that another try may go on.
enum Broken {
    ForGood(HubError),
    Passing(String),
}

impl Client {
    pub(crate) fn new() -> Result<Client, HubError> {
        // The first provider of cryptography that was installed stays: it is always this one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime =
            runtime.map_err(|error| HubError::new(format!("no thread to wait: {error}")))?;
        // Redirects, such as to a store of files, are followed; the token stays with its host.
        let http = reqwest::Client::builder()
            .connect_timeout(STILL)
            .read_timeout(STILL)
            .build();
        let http =
            http.map_err(|error| HubError::new(format!("no HTTP client: {}", told(&error))))?;
        Ok(Client { runtime, http })
    }

    /// Returns an address that stands in a page, as it is meant there.
    pub(crate) fn join(&self, page: &str, address: &str) -> Result<String, HubError> {
        let page = Url::parse(page).and_then(|page| page.join(address));
        let url = page.map_err(|error| HubError::new(format!("{}: {error}", shown(address))))?;
        Ok(url.to_string())
    }

    /// Reads a listing.
    pub(crate) fn read(&self, address: &str, accept: &str) -> Result<String, HubError> {
        self.runtime.block_on(async {
            let mut headers = headers_for(address);
            if let Ok(accept) = HeaderValue::from_str(accept) {
                headers.insert(ACCEPT, accept);
            }
            let sent = self.http.get(address).headers(headers).send().await;
            let mut answer = sent.map_err(|error| unreached(address, &error))?;
            check_status(address, &answer)?;
            let mut text = Vec::new();
            while let Some(bytes) = answer
                .chunk()
                .await
                .map_err(|error| unreached(address, &error))?
            {
                text.extend_from_slice(&bytes);
                if text.len() > LONGEST {
                    return Err(HubError::new(format!(
                        "{}: longer than {LONGEST} bytes",
                        shown(address)
                    )));
                }
            }
            String::from_utf8(text)
                .map_err(|_| HubError::new(format!("{}: not UTF-8", shown(address))))
        })
    }

    /// Fetches a file, behind what is there of it.
    pub(crate) fn fetch(
        &self,
        address: &str,
        to: &Path,
        bytes: Option<u64>,
        tell: &mut dyn FnMut(Told),
    ) -> Result<(), HubError> {
        let unwritable = |error: io::Error| HubError::new(format!("{}: {error}", to.display()));
        let mut file = open_partial(to).map_err(unwritable)?;
        // Two that write to its end would spoil it.
        if file.try_lock().is_err() {
            let why = "another process is fetching it, or its file cannot be locked";
            return Err(HubError::new(format!("{}: {why}", to.display())));
        }
        let mut tries = 0;
        loop {
            let before = file.metadata().map_err(unwritable)?.len();
            // What is longer than it should be is something else.
            if bytes.is_some_and(|bytes| before > bytes) {
                file.set_len(0).map_err(unwritable)?;
                continue;
            }
            if bytes == Some(before) {
                return Ok(());
            }
            let went = self
                .runtime
                .block_on(self.go_on(address, &mut file, before, bytes, tell));
            let now = file.metadata().map_err(unwritable)?.len();
            match went {
                Ok(()) => return Ok(()),
                Err(Broken::ForGood(error)) => {
                    if now == 0 {
                        let _ = std::fs::remove_file(to);
                    }
                    return Err(error);
                }
                Err(Broken::Passing(why)) => {
                    tries = if now > before { 0 } else { tries + 1 };
                    if tries >= TRIES {
                        return Err(HubError::new(format!(
                            "{}: {why}; the same command goes on after the {now} bytes that came",
                            shown(address)
                        )));
                    }
                    std::thread::sleep(Duration::from_millis(200 << tries));
                }
            }
        }
    }

    /// Asks for what a file lacks, and writes it as it comes.
    async fn go_on(
        &self,
        address: &str,
        file: &mut File,
        before: u64,
        bytes: Option<u64>,
        tell: &mut dyn FnMut(Told),
    ) -> Result<(), Broken> {
        let for_good = |error: io::Error| Broken::ForGood(HubError::new(error.to_string()));
        let mut headers = headers_for(address);
        if before > 0
            && let Ok(range) = HeaderValue::from_str(&format!("bytes={before}-"))
        {
            headers.insert(RANGE, range);
        }
        let sent = self.http.get(address).headers(headers).send().await;
        let mut answer = sent.map_err(|error| match error.is_connect() {
            // A hub that cannot be reached is not waited for: another source may be there.
            true => Broken::ForGood(unreached(address, &error)),
            false => Broken::Passing(told(&error)),
        })?;
        let mut there = before;
        match answer.status() {
            StatusCode::PARTIAL_CONTENT if begins_at(&answer) == Some(before) => {}
            // The whole file, from its beginning; or a range that the file does not have, since
            // what is here is not of it.
            StatusCode::OK | StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                file.set_len(0).map_err(for_good)?;
                there = 0;
                if answer.status() != StatusCode::OK {
                    return Err(Broken::Passing("the server has no such range".into()));
                }
            }
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(Broken::Passing(format!("the server answers {status}")));
            }
            _ => {
                check_status(address, &answer).map_err(Broken::ForGood)?;
                let why = format!("{}: the server answers {}", shown(address), answer.status());
                return Err(Broken::ForGood(HubError::new(why)));
            }
        }
        let of = bytes.or_else(|| Some(there + answer.content_length()?));
        loop {
            let chunk = answer.chunk().await;
            let Some(chunk) = chunk.map_err(|error| Broken::Passing(told(&error)))? else {
                break;
            };
            file.write_all(&chunk).map_err(for_good)?;
            there += chunk.len() as u64;
            tell(Told::Progress(Fetched { bytes: there, of }));
            if of.is_some_and(|of| there > of) {
                let why = format!(
                    "{}: longer than the {} bytes that it should have",
                    shown(address),
                    of.unwrap_or(0)
                );
                return Err(Broken::ForGood(HubError::new(why)));
            }
        }
        match of {
            Some(of) if there < of => Err(Broken::Passing(format!("{there} of {of} bytes came"))),
            _ => Ok(()),
        }
    }
}

/// Opens a file that is fetched in parts, at its end, or makes it. Its name can be foreseen, so
/// that somebody else may have put a link there: it is not followed, and nothing but a regular
/// file of this name alone is written to.
pub(crate) fn open_partial(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    let is_link = || {
        path.symlink_metadata()
            .is_ok_and(|found| found.is_symlink())
    };
    let odd = |what: &str| io::Error::other(format!("it is {what}; remove it"));
    if is_link() {
        return Err(odd("a symbolic link, which is not followed"));
    }
    let file = options.open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(odd("no regular file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&found) > 1 {
        return Err(odd("a file with a second name (a hard link)"));
    }
    Ok(file)
}

/// Returns the headers of a request: the hub's token for the hub itself.
fn headers_for(address: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let token = std::env::var("HF_TOKEN").unwrap_or_default();
    let host = |text: &str| {
        let url = Url::parse(text).ok()?;
        Some((
            url.scheme().to_string(),
            url.host_str()?.to_string(),
            url.port_or_known_default(),
        ))
    };
    let is_hub = host(address).is_some() && host(address) == host(&endpoint());
    if is_hub
        && !token.trim().is_empty()
        && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {}", token.trim()))
    {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    headers
}

/// Returns an address without the name and the password that it may hold.
pub(crate) fn shown(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else {
        return "an address that is none".into();
    };
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

fn begins_at(answer: &Response) -> Option<u64> {
    let range = answer.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    let (begin, _) = range.strip_prefix("bytes ")?.split_once('-')?;
    begin.parse().ok()
}

fn check_status(address: &str, answer: &Response) -> Result<(), HubError> {
    let why = match answer.status() {
        status if status.is_success() => return Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            let has_token = std::env::var_os("HF_TOKEN").is_some_and(|token| !token.is_empty());
            let token = match has_token {
                true => "the token in HF_TOKEN does not give access",
                false => "set HF_TOKEN",
            };
            format!("it is not public, or not there; accept its terms on its page; {token}")
        }
        StatusCode::NOT_FOUND => "it is not there; check the spelling".to_string(),
        status => format!("the server answers {status}"),
    };
    Err(HubError::new(format!("{}: {why}", shown(address))))
}

fn unreached(address: &str, error: &reqwest::Error) -> HubError {
    HubError::new(format!(
        "{}: it cannot be reached: {}",
        shown(address),
        told(error)
    ))
}

/// Returns the first cause of an error, which says most; the outer ones name the address, which may
/// hold a key.
fn told(error: &reqwest::Error) -> String {
    let mut cause = std::error::Error::source(error);
    let mut first = None;
    while let Some(one) = cause {
        first = Some(one.to_string());
        cause = one.source();
    }
    match first {
        Some(text) => text,
        None if error.is_timeout() => "it took too long".into(),
        None => "the connection broke off".into(),
    }
}

/// Checks the SHA-256 of a file.
pub(crate) fn check_digest(path: &Path, expected: &str) -> Result<(), HubError> {
    let unreadable = |error: io::Error| HubError::new(format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(unreadable)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
    let found: String = hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    match found.eq_ignore_ascii_case(expected) {
        true => Ok(()),
        false => Err(HubError::new(format!(
            "what was fetched is not the model: its SHA-256 is {found}, and should be {expected}"
        ))),
    }
}
