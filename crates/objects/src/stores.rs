//! The stores of this process, one a bucket, and the thread that runs their requests.

use crate::address::{Address, Provider};
use crate::lists::CheckedLists;
use crate::told;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle};

/// How long a connection may take to be made, and a body to go on: a request that stands still is
/// tried again.
const STILL: Duration = Duration::from_secs(20);

/// How long a request is tried again.
const TRIED: Duration = Duration::from_secs(60);

/// The stores of this process, by their buckets.
static STORES: OnceLock<Mutex<HashMap<String, Arc<dyn ObjectStore>>>> = OnceLock::new();

/// Returns the store of an address's bucket: made the first time, with what the environment says
/// then.
pub(crate) fn store_of(address: &Address) -> io::Result<Arc<dyn ObjectStore>> {
    let stores = STORES.get_or_init(Mutex::default).lock();
    let mut stores = stores.unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = stores.get(&address.bucket) {
        return Ok(Arc::clone(store));
    }
    let store = make_store(address, &[])?;
    stores.insert(address.bucket.clone(), Arc::clone(&store));
    Ok(store)
}

/// Takes these variables for a bucket of S3 (`s3://BUCKET`), before those of the environment and
/// for all of this process.
///
/// # Errors
/// An address that is none, and variables that the client cannot take.
pub fn set_environment(address: &Path, variables: &[(&str, String)]) -> io::Result<()> {
    let address = Address::parse(address)?;
    let store = make_store(&address, variables)?;
    let stores = STORES.get_or_init(Mutex::default).lock();
    let mut stores = stores.unwrap_or_else(PoisonError::into_inner);
    stores.insert(address.bucket, store);
    Ok(())
}

/// Makes the store of an address's bucket, with these variables before the environment's.
fn make_store(address: &Address, ours: &[(&str, String)]) -> io::Result<Arc<dyn ObjectStore>> {
    let variable = |name: &str| {
        let own = ours.iter().find(|(other, _)| *other == name);
        let own = own.map(|(_, value)| value.clone());
        own.unwrap_or_else(|| std::env::var(name).unwrap_or_default())
    };
    // The first provider of cryptography that was installed stays: it is always this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    check_environment(address.provider, variable)?;
    let retry = RetryConfig {
        // As often as there is time.
        max_retries: 1000,
        retry_timeout: TRIED,
        ..RetryConfig::default()
    };
    let (is_here, allows_http) = is_here(address.provider, variable);
    let mut client = ClientOptions::new()
        .with_timeout_disabled()
        .with_connect_timeout(STILL)
        .with_read_timeout(STILL)
        .with_allow_http(is_here || allows_http);
    if is_here {
        // Past any proxy that the environment names: a proxy of one's own that is asked for nothing
        // is how the client is told so.
        client = client
            .with_proxy_url("http://127.0.0.1:9")
            .with_proxy_excludes("127.0.0.1,localhost,::1");
    }
    let url = &address.bucket;
    let store: Arc<dyn ObjectStore> = match address.provider {
        Provider::Amazon => {
            let mut builder = AmazonS3Builder::from_env();
            for (name, value) in ours {
                if evenhand_secrets::is_secret(name) {
                    evenhand_secrets::know(value);
                }
                let key = name.to_ascii_lowercase().parse().map_err(told)?;
                builder = builder.with_config(key, value);
            }
            // Not all that speaks S3's protocol removes many objects by one request.
            let builder = builder.with_url(url).with_disable_bulk_delete(true);
            let builder = builder.with_retry(retry).with_http_connector(CheckedLists);
            Arc::new(builder.with_client_options(client).build().map_err(told)?)
        }
        Provider::Google => {
            let builder = GoogleCloudStorageBuilder::from_env();
            let builder = builder.with_url(url).with_retry(retry);
            let builder = builder.with_http_connector(CheckedLists);
            Arc::new(builder.with_client_options(client).build().map_err(told)?)
        }
        Provider::Azure => {
            let builder = MicrosoftAzureBuilder::from_env();
            let builder = builder.with_url(url).with_retry(retry);
            let builder = builder.with_http_connector(CheckedLists);
            Arc::new(builder.with_client_options(client).build().map_err(told)?)
        }
    };
    Ok(store)
}

/// Returns the variables that name a provider's endpoint.
fn endpoint_variables(provider: Provider) -> &'static [&'static str] {
    match provider {
        Provider::Amazon => &["AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"],
        Provider::Azure => &["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"],
        Provider::Google => &["GOOGLE_BASE_URL"],
    }
}

/// Refuses what of the environment the client cannot take.
fn check_environment(provider: Provider, variable: impl Fn(&str) -> String) -> io::Result<()> {
    let refuse = |name: &str, expected: &str| {
        let why = format!("the variable {name} of the environment: expected {expected}");
        Err(io::Error::new(io::ErrorKind::InvalidInput, why))
    };
    for name in endpoint_variables(provider) {
        let endpoint = variable(name);
        let is_url = endpoint.starts_with("http://") || endpoint.starts_with("https://");
        if !endpoint.is_empty() && !is_url {
            return refuse(name, "an address that begins with http:// or https://");
        }
    }
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "AWS_REGION"] {
        let value = variable(name);
        if !value.chars().all(|letter| letter.is_ascii_graphic()) {
            return refuse(name, "letters, digits and signs without white space");
        }
    }
    Ok(())
}

/// Returns whether a provider's storage is on this machine, by every endpoint that the environment
/// names for it; and whether the environment allows requests without TLS elsewhere.
fn is_here(provider: Provider, variable: impl Fn(&str) -> String) -> (bool, bool) {
    let is_loopback = |endpoint: &String| {
        ["http://127.0.0.1", "http://localhost", "http://[::1]"]
            .iter()
            .any(|here| {
                // What follows the host: a port and a path, and no other host behind an `@`.
                let Some(rest) = endpoint.strip_prefix(here) else {
                    return false;
                };
                let (port, _) = rest.split_once('/').unwrap_or((rest, ""));
                let digits = port.strip_prefix(':').unwrap_or(port);
                (port.is_empty() || port.starts_with(':'))
                    && digits.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    let named = endpoint_variables(provider)
        .iter()
        .map(|name| variable(name));
    let named: Vec<String> = named.filter(|endpoint| !endpoint.is_empty()).collect();
    let allows = match provider {
        Provider::Amazon => "AWS_ALLOW_HTTP",
        Provider::Azure => "AZURE_ALLOW_HTTP",
        Provider::Google => "GOOGLE_ALLOW_HTTP",
    };
    let is_here = !named.is_empty() && named.iter().all(is_loopback);
    (is_here, variable(allows) == "true")
}

/// Runs a request to its end on the thread of requests, from wherever it is called: also from
/// within another runtime.
fn run<T: Send + 'static>(
    request: impl Future<Output = io::Result<T>> + Send + 'static,
) -> io::Result<T> {
    let (sender, result) = mpsc::channel();
    requests()?.spawn(async move {
        // Nobody waits any more where the caller is gone.
        let _ = sender.send(request.await);
    });
    let gone = |_| io::Error::other("the request broke off");
    result.recv().map_err(gone)?
}

/// How often a request that may pass is made in all. The client itself tries again what the storage
/// refuses for a while; what ends in the midst of an answer comes here.
const ATTEMPTS: u32 = 4;

/// Runs a request that may be made more than once as [`run`] does, and again after what may pass.
pub(crate) fn run_again<T: Send + 'static, R>(mut request: impl FnMut() -> R) -> io::Result<T>
where
    R: Future<Output = io::Result<T>> + Send + 'static,
{
    let began = Instant::now();
    for attempt in 1..ATTEMPTS {
        match run(request()) {
            // Not where the client has tried for as long as is to be tried.
            Err(error) if error.kind() == io::ErrorKind::Other && began.elapsed() < TRIED => {
                thread::sleep(Duration::from_millis(100 << attempt));
            }
            done => return done,
        }
    }
    run(request())
}

/// The runtime of all requests: one thread, which waits for the network most of the time.
fn requests() -> io::Result<&'static Handle> {
    static REQUESTS: OnceLock<io::Result<Handle>> = OnceLock::new();
    let started = REQUESTS.get_or_init(|| {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let name = thread::Builder::new().name("object storage".into());
        name.spawn(move || runtime.block_on(std::future::pending::<()>()))?;
        Ok(handle)
    });
    let copied = |error: &io::Error| io::Error::new(error.kind(), error.to_string());
    started.as_ref().map_err(copied)
}
