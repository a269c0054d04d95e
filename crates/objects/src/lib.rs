//! Files at addresses of object storage: `s3://`, `gs://`, `az://` and `file://`, read and written
//! by blocking calls, as local files are.
//!
//! An address is a path like any other to whoever passes it on; [`is_address`] tells it. Keys and
//! endpoints come from the environment (`AWS_*`, `GOOGLE_*`, `AZURE_*`), as the providers' own
//! tools name them, and are written nowhere.

mod address;
mod lists;
mod stores;

pub use address::{is_address, local_path, path_from};

pub use stores::set_environment;

use address::Address;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, WriteMultipart};
use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use stores::{run_again, store_of};

/// The size of a part of an object that is sent in parts, and the size above which it is.
const PART: usize = 16 << 20;

/// Parts that are sent at once.
const PARTS_AT_ONCE: usize = 4;

/// Returns a file with an object's contents. The object is copied the first time, to a file
/// without a name that is gone with the process; what it holds is what was there then.
///
/// The file may share its position with others that were opened of the same address: whoever reads
/// it rewinds it first, or opens it anew by its descriptor.
///
/// # Errors
/// An address that is none, an object that is not there or cannot be read, no room for the copy.
pub fn copy_of(address: &Path) -> io::Result<Arc<File>> {
    static COPIES: OnceLock<Mutex<HashMap<PathBuf, Copy>>> = OnceLock::new();
    let copies = COPIES.get_or_init(Mutex::default);
    // Each address has a lock of its own, so that several are copied at once and none twice.
    let copy = {
        let mut copies = copies.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(copies.entry(address.to_path_buf()).or_default())
    };
    let mut copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = &*copy {
        return Ok(Arc::clone(file));
    }
    let file = Arc::new(download(&Address::parse(address)?)?);
    *copy = Some(Arc::clone(&file));
    Ok(file)
}

/// The copy of one address, once there is one.
type Copy = Arc<Mutex<Option<Arc<File>>>>;

fn download(address: &Address) -> io::Result<File> {
    let store = store_of(address)?;
    let key = address.key.clone();
    let mut file = tempfile::tempfile().map_err(|error| {
        // That the folder is not there is not that the object is not.
        let place = std::env::temp_dir();
        io::Error::other(format!(
            "no copy of it can be kept in {}: {error}; TMPDIR names another place",
            place.display()
        ))
    })?;
    let out = Arc::new(file.try_clone()?);
    run_again(|| {
        let (store, key, out) = (Arc::clone(&store), key.clone(), Arc::clone(&out));
        async move {
            let mut out = &*out;
            out.set_len(0)?;
            out.rewind()?;
            let found = store.get(&key).await.map_err(told)?;
            let size = found.meta.size;
            let mut body = found.into_stream();
            let mut written = 0;
            while let Some(bytes) = body.next().await {
                let bytes = bytes.map_err(told)?;
                written += bytes.len() as u64;
                out.write_all(&bytes)?;
            }
            match written == size {
                true => Ok(()),
                false => Err(io::Error::other(format!("{written} of {size} bytes came"))),
            }
        }
    })?;
    file.rewind()?;
    Ok(file)
}

/// What is found at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// An object.
    Object,
    /// Objects whose keys begin with the address and a `/`, as the files of a directory: their
    /// addresses, in the order of their names. Those further below are left out.
    Folder(Vec<PathBuf>),
}

/// Returns what is at an address: an object, or else the objects below it. An address that ends
/// with `/` is a folder.
///
/// # Errors
/// An address that is none, storage that cannot be read; neither an object nor any below
/// ([`io::ErrorKind::NotFound`]).
// Deep: what is asked of the storage is a future in a closure, made anew for each attempt.
pub fn look_at(address: &Path) -> io::Result<Found> {
    let parsed = Address::parse(address)?;
    let store = store_of(&parsed)?;
    let text = address.to_string_lossy();
    let key = parsed.key.clone();
    let is_folder = text.ends_with('/') || key.as_ref().is_empty();
    let names = run_again(|| {
        let (store, key) = (Arc::clone(&store), key.clone());
        async move {
            if !is_folder {
                match store.head(&key).await {
                    Ok(_) => return Ok(None),
                    Err(object_store::Error::NotFound { .. }) => {}
                    Err(error) => return Err(told(error)),
                }
            }
            let prefix = (!key.as_ref().is_empty()).then_some(&key);
            let listed = store.list_with_delimiter(prefix).await.map_err(told)?;
            let places = listed.objects.iter().map(|one| &one.location);
            let names = places.filter_map(|place| place.filename().map(String::from));
            Ok(Some(names.collect::<Vec<_>>()))
        }
    })?;
    let Some(mut names) = names else {
        return Ok(Found::Object);
    };
    if names.is_empty() {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "no object has this address, and none is directly below it",
        ));
    }
    names.sort();
    let folder = text.trim_end_matches('/');
    let below = names.iter().map(|name| format!("{folder}/{name}").into());
    Ok(Found::Folder(below.collect()))
}

/// An object of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Its name within the folder.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
}

/// Lists the objects of a folder, in the order of their names; none is no error. Those further
/// below are left out. A list may lag behind what was written and removed.
///
/// # Errors
/// An address that is none, a bucket that is not there, storage that cannot be read.
pub fn list(folder: &Path) -> io::Result<Vec<Listed>> {
    let parsed = Address::parse(folder)?;
    let store = store_of(&parsed)?;
    run_again(|| {
        let (store, key) = (Arc::clone(&store), parsed.key.clone());
        async move {
            let prefix = (!key.as_ref().is_empty()).then_some(&key);
            let listed = store.list_with_delimiter(prefix).await;
            let mut objects: Vec<Listed> = listed
                .map_err(told_at_write)?
                .objects
                .iter()
                .filter_map(|one| {
                    let name = one.location.filename()?.to_string();
                    let size = one.size;
                    Some(Listed { name, size })
                })
                .collect();
            objects.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(objects)
        }
    })
}

/// Objects that are read or removed at once.
const OBJECTS_AT_ONCE: usize = 16;

/// Reads objects whole, several at once; None for each that is not there.
///
/// # Errors
/// An address that is none, storage that cannot be read.
pub fn read_each(addresses: &[PathBuf]) -> io::Result<Vec<Option<Vec<u8>>>> {
    of_each(addresses, |store, key| async move {
        let found = match store.get(&key).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            found => found.map_err(told)?,
        };
        let size = found.meta.size;
        let bytes = found.bytes().await.map_err(told)?;
        match bytes.len() as u64 == size {
            true => Ok(Some(bytes.into())),
            false => Err(io::Error::other(format!(
                "{} of {size} bytes came",
                bytes.len()
            ))),
        }
    })
}

/// Removes objects, several at once. Those that are not there are no error.
///
/// # Errors
/// An address that is none, storage that refuses or cannot be reached.
pub fn remove_each(addresses: &[PathBuf]) -> io::Result<()> {
    let removed = of_each(addresses, |store, key| async move {
        match store.delete(&key).await {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            removed => removed.map_err(told),
        }
    });
    removed.map(|_| ())
}

/// Does the same with each of these objects, several at once.
fn of_each<T: Send + 'static, R>(
    addresses: &[PathBuf],
    request: fn(Arc<dyn ObjectStore>, Key) -> R,
) -> io::Result<Vec<T>>
where
    R: Future<Output = io::Result<T>> + Send + 'static,
{
    let parsed = addresses.iter().map(|address| {
        let address = Address::parse(address)?;
        Ok((store_of(&address)?, address.key))
    });
    let objects: Vec<(Arc<dyn ObjectStore>, Key)> = parsed.collect::<io::Result<_>>()?;
    run_again(|| {
        let requests = objects.clone().into_iter();
        let requests = requests.map(move |(store, key)| request(store, key));
        let answers = futures_util::stream::iter(requests).buffered(OBJECTS_AT_ONCE);
        answers.try_collect()
    })
}

/// Returns an address without a `/` at its end, if it can be the address of a folder.
///
/// # Errors
/// An address that is none; what is said does not repeat it.
pub fn check_folder(address: &Path) -> io::Result<PathBuf> {
    Address::parse(address)?;
    let text = address.to_string_lossy();
    Ok(text.trim_end_matches('/').into())
}

/// Writes an object whole: what was there is replaced at once, and what breaks off leaves it as it
/// was.
///
/// # Errors
/// An address that is none, storage that refuses or cannot be reached.
pub fn write(address: &Path, contents: &[u8]) -> io::Result<()> {
    let address = address_to_write(address)?;
    let store = store_of(&address)?;
    let contents = Bytes::copy_from_slice(contents);
    run_again(|| {
        let (store, key, contents) = (Arc::clone(&store), address.key.clone(), contents.clone());
        async move {
            if contents.len() < PART {
                let sent = store.put(&key, contents.into()).await;
                return sent.map(|_| ()).map_err(told_at_write);
            }
            let upload = store.put_multipart(&key).await.map_err(told_at_write)?;
            let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
            for start in (0..contents.len()).step_by(PART) {
                if let Err(error) = upload.wait_for_capacity(PARTS_AT_ONCE).await {
                    // Parts of an object that does not come to its end cost money at some
                    // providers: they are removed.
                    let _ = upload.abort().await;
                    return Err(told(error));
                }
                upload.put(contents.slice(start..contents.len().min(start + PART)));
            }
            upload.finish().await.map(|_| ()).map_err(told)
        }
    })
}

/// Writes an object where there is none of this address, in one piece; false where there is one,
/// which stays as it is.
///
/// # Errors
/// As [`write`].
pub fn write_new(address: &Path, contents: Vec<u8>) -> io::Result<bool> {
    let address = address_to_write(address)?;
    let store = store_of(&address)?;
    let contents = Bytes::from(contents);
    // Where an answer was lost, what is found there may be ours.
    let mut is_first = true;
    run_again(|| {
        let (store, key, contents) = (Arc::clone(&store), address.key.clone(), contents.clone());
        let is_others = std::mem::replace(&mut is_first, false);
        async move {
            let options = PutOptions::from(PutMode::Create);
            match store.put_opts(&key, contents.clone().into(), options).await {
                Ok(_) => Ok(true),
                Err(object_store::Error::AlreadyExists { .. }) if is_others => Ok(false),
                Err(object_store::Error::AlreadyExists { .. }) => {
                    let there = store.get(&key).await.map_err(told)?.bytes().await;
                    Ok(there.map_err(told)? == contents)
                }
                Err(error) => Err(told_at_write(error)),
            }
        }
    })
}

/// Returns the address of an object that is to be written.
fn address_to_write(path: &Path) -> io::Result<Address> {
    let address = Address::parse(path)?;
    let is_folder = path.to_string_lossy().ends_with('/') || address.key.as_ref().is_empty();
    match is_folder {
        false => Ok(address),
        true => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the address is a folder; expected a name after it",
        )),
    }
}

/// Says of what is not found where an object is written that it is the bucket.
fn told_at_write(error: object_store::Error) -> io::Error {
    match error {
        object_store::Error::NotFound { .. } => {
            io::Error::new(io::ErrorKind::NotFound, "there is no such bucket")
        }
        error => told(error),
    }
}

/// The longest reason of a provider that is told.
const LONGEST: usize = 300;

/// Returns what storage said, in a sentence that says what to do where that is known.
fn told(error: object_store::Error) -> io::Error {
    use object_store::Error as Storage;
    let kind = match &error {
        Storage::NotFound { .. } => {
            return io::Error::new(io::ErrorKind::NotFound, "no object has this address");
        }
        Storage::PermissionDenied { .. } | Storage::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    let mut causes = vec![error.to_string()];
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        // Most causes are in the sentence of what they caused.
        if !causes.iter().any(|before| before.contains(&text)) {
            causes.push(text);
        }
        source = cause.source();
    }
    // Before it is cut: a server may repeat what it was sent.
    let text = evenhand_secrets::strike(&causes.join(": ")).into_owned();
    let mut text = text.replace(['\n', '\r'], " ");
    if text.chars().count() > LONGEST {
        text = text.chars().take(LONGEST).chain(['…']).collect();
    }
    if text.contains("URL scheme is not allowed") {
        text += "; another machine is asked without TLS only where AWS_ALLOW_HTTP=true (AZURE_.., \
                 GOOGLE_..) is set";
    }
    let is_without_keys = kind == io::ErrorKind::PermissionDenied || text.contains("169.254.169");
    if is_without_keys {
        text += "; keys are taken from the environment (AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY, GOOGLE_APPLICATION_CREDENTIALS, \
                 AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY; for a public bucket \
                 AWS_SKIP_SIGNATURE=true)";
    }
    io::Error::new(kind, text)
}
