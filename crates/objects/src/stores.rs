//! The stores of this process, one a bucket, and the thread that runs their requests.

use crate::address::{Address, Provider};
use crate::told;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, Handle};

/// How long a connection may take to be made, and a body to go on: a request that stands still is
/// tried again.
const STILL: Duration = Duration::from_secs(20);

/// How long a request is tried again.
const TRIED: Duration = Duration::from_secs(120);

/// Returns the store of an address's bucket: made the first time, with what the environment says
/// then.
pub(crate) fn store_of(address: &Address) -> io::Result<Arc<dyn ObjectStore>> {
    static STORES: OnceLock<Mutex<HashMap<String, Arc<dyn ObjectStore>>>> = OnceLock::new();
    let stores = STORES.get_or_init(Mutex::default).lock();
    let mut stores = stores.unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = stores.get(&address.bucket) {
        return Ok(Arc::clone(store));
    }
    // The first provider of cryptography that was installed stays: it is always this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let retry = RetryConfig {
        retry_timeout: TRIED,
        ..RetryConfig::default()
    };
    let client = ClientOptions::new()
        .with_timeout_disabled()
        .with_connect_timeout(STILL)
        .with_read_timeout(STILL)
        .with_allow_http(is_here());
    let url = &address.bucket;
    let store: Arc<dyn ObjectStore> = match address.provider {
        Provider::Amazon => {
            let builder = AmazonS3Builder::from_env().with_url(url).with_retry(retry);
            Arc::new(builder.with_client_options(client).build().map_err(told)?)
        }
        Provider::Google => {
            let builder = GoogleCloudStorageBuilder::from_env();
            let builder = builder.with_url(url).with_retry(retry);
            Arc::new(builder.with_client_options(client).build().map_err(told)?)
        }
        Provider::Azure => {
            let builder = MicrosoftAzureBuilder::from_env();
            let builder = builder.with_url(url).with_retry(retry);
            Arc::new(builder.with_client_options(client).build().map_err(told)?)
        }
    };
    stores.insert(url.clone(), Arc::clone(&store));
    Ok(store)
}

/// Whether requests may go without TLS: to this machine's own storage, or where the environment
/// says so.
fn is_here() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let endpoints = ["AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AZURE_STORAGE_ENDPOINT"];
    let is_loopback = |endpoint: String| {
        ["http://127.0.0.1", "http://localhost", "http://[::1]"]
            .iter()
            .any(|here| {
                let rest = endpoint.strip_prefix(here);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
            })
    };
    let allows = ["AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP", "GOOGLE_ALLOW_HTTP"];
    endpoints.map(variable).into_iter().any(is_loopback)
        || allows.map(variable).iter().any(|allow| allow == "true")
}

/// Runs a request to its end on the thread of requests, from wherever it is called: also from
/// within another runtime.
pub(crate) fn run<T: Send + 'static>(
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
    for attempt in 1..ATTEMPTS {
        match run(request()) {
            Err(error) if error.kind() == io::ErrorKind::Other => {
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
