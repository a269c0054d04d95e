//! What is an address, and what its parts are.

use object_store::path::Path as Key;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The providers whose storage is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    Amazon,
    Google,
    Azure,
}

/// What stands before `://`, and whose storage that is.
const SCHEMES: [(&str, Provider); 6] = [
    ("s3", Provider::Amazon),
    ("s3a", Provider::Amazon),
    ("gs", Provider::Google),
    ("az", Provider::Azure),
    ("abfs", Provider::Azure),
    ("abfss", Provider::Azure),
];

/// An address in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) provider: Provider,
    /// The address without its key: `s3://BUCKET`.
    pub(crate) bucket: String,
    /// Empty for the bucket itself.
    pub(crate) key: Key,
}

/// Whether a path is an address of object storage.
pub fn is_address(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|text| text.split_once("://"));
    scheme.is_some_and(|(scheme, _)| SCHEMES.iter().any(|(name, _)| *name == scheme))
}

/// Returns the path that `file://PATH` names; any other path as it is.
pub fn local_path(path: &Path) -> PathBuf {
    let local = path.to_str().and_then(|text| text.strip_prefix("file://"));
    local.map_or_else(|| path.to_path_buf(), PathBuf::from)
}

/// Returns a path as it is meant from a directory: joined to it, without the folders that `..`
/// leaves again, but for addresses, those of files (`file://`) among them.
pub fn path_from(base: &Path, path: &Path) -> PathBuf {
    let is_whole = is_address(path)
        || path
            .to_str()
            .is_some_and(|text| text.starts_with("file://"));
    match is_whole {
        true => path.to_path_buf(),
        false => tidy_path(&base.join(path)),
    }
}

/// Returns a path without the folders that it only enters and leaves. A link stays: what is above
/// it is elsewhere.
fn tidy_path(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        let leaves = part == Component::ParentDir
            && matches!(tidied.components().next_back(), Some(Component::Normal(_)))
            && tidied.symlink_metadata().is_ok_and(|found| found.is_dir());
        if leaves {
            tidied.pop();
        } else {
            tidied.push(part);
        }
    }
    if tidied.as_os_str().is_empty() && !path.as_os_str().is_empty() {
        tidied.push(".");
    }
    tidied
}

impl Address {
    pub(crate) fn parse(path: &Path) -> io::Result<Address> {
        let refuse = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let text = path
            .to_str()
            .ok_or_else(|| refuse("the address is not in UTF-8".into()))?;
        let (scheme, rest) = text.split_once("://").unwrap_or((text, ""));
        let known = SCHEMES.iter().find(|(name, _)| *name == scheme);
        let Some((_, provider)) = known else {
            return Err(refuse("expected s3://, gs://, az:// or abfs://".into()));
        };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(refuse(format!("expected a bucket after {scheme}://")));
        }
        // Not repeated: it may hold a password. Azure's address may name the account behind an `@`.
        let is_odd = bucket.contains(':') || (*provider != Provider::Azure && bucket.contains('@'));
        if is_odd {
            let why = "a bucket has no user, password or port; keys come from the environment";
            return Err(refuse(why.into()));
        }
        // The client has no such keys, and to leave a part out would name another object.
        let parts = key.strip_suffix('/').unwrap_or(key).split('/');
        if !key.is_empty() && parts.clone().any(str::is_empty) {
            let why = format!(
                "the key {key} has an empty part (`//`, or `/` at its beginning), and no object of \
                 such a key is read or written; expected names with one `/` between them"
            );
            return Err(refuse(why));
        }
        let key = Key::parse(key).map_err(|error| refuse(error.to_string()))?;
        Ok(Address {
            provider: *provider,
            bucket: format!("{scheme}://{bucket}"),
            key,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_an_empty_part_is_refused_and_said_to_be() {
        for bad in ["s3://b/a//c", "s3://b//a", "s3://b/a//"] {
            let why = Address::parse(Path::new(bad)).unwrap_err().to_string();
            assert!(why.contains("has an empty part"), "{bad}: {why}");
        }
    }

    #[test]
    fn addresses_have_a_bucket_and_a_key() {
        let parse = |text: &str| Address::parse(Path::new(text));
        let address = parse("s3://bucket/a b/c#1?.jsonl").unwrap();
        assert_eq!(address.bucket, "s3://bucket");
        assert_eq!(address.key.as_ref(), "a b/c#1?.jsonl");
        assert_eq!(parse("gs://bucket").unwrap().key.as_ref(), "");
        assert_eq!(parse("gs://bucket/dir/").unwrap().key.as_ref(), "dir");
        for bad in [
            "s3://",
            "s3:///key",
            "http://bucket/key",
            "x",
            "s3://b/a//c",
            "s3://b/../c",
            "s3://user:word@b/c",
            "s3://b:80/c",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn other_paths_are_no_addresses() {
        for path in [
            "s3",
            "s3:/bucket",
            "a/s3://b",
            "S3://b",
            "file:///x",
            "https://b/k",
            "",
        ] {
            assert!(!is_address(Path::new(path)), "{path}");
        }
        assert!(is_address(Path::new(
            "abfss://c@account.dfs.core.windows.net/k"
        )));
        assert_eq!(local_path(Path::new("file:///x/y")), Path::new("/x/y"));
        assert_eq!(local_path(Path::new("x/y")), Path::new("x/y"));
        for (path, whole) in [
            ("x", "d/x"),
            ("s3://b/x", "s3://b/x"),
            ("file:///x", "file:///x"),
        ] {
            assert_eq!(path_from(Path::new("d"), Path::new(path)), Path::new(whole));
        }
    }

    #[test]
    fn folders_that_are_only_passed_through_are_left_out_but_links_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path();
        std::fs::create_dir_all(base.join("a/b")).unwrap();
        let from = |folder: &str, path: &str| path_from(&base.join(folder), Path::new(path));
        assert_eq!(from("a/b", "../../data"), base.join("data"));
        assert_eq!(from("a", "b/../c"), base.join("a/c"));
        // A folder that is not there may become a link.
        assert_eq!(from("a", "none/../c"), base.join("a/none/../c"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(base.join("a/b"), base.join("link")).unwrap();
            assert_eq!(from("link", "../c"), base.join("link/../c"));
        }
        assert_eq!(
            path_from(Path::new(""), Path::new("../x")),
            Path::new("../x")
        );
    }
}
