//! Lists of objects, looked at before they are read.

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};
use std::io;

/// Connects as the client does, and passes no list on that is none. The client's reader takes any
/// document without objects for an empty folder, and so also the page of a proxy or of a network
/// that wants a login.
#[derive(Debug)]
pub(crate) struct CheckedLists;

#[derive(Debug)]
struct Checked(HttpClient);

impl HttpConnector for CheckedLists {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Checked(client)))
    }
}

#[async_trait]
impl HttpService for Checked {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let query = request.uri().query().unwrap_or_default();
        let asks_for_list = query
            .split('&')
            .any(|pair| pair.starts_with("list-type=") || pair == "comp=list");
        let answer = self.0.execute(request).await?;
        if !asks_for_list || !answer.status().is_success() {
            return Ok(answer);
        }
        let (parts, body) = answer.into_parts();
        let body = body.bytes().await?;
        let document = String::from_utf8_lossy(&body);
        if !is_list(&document) {
            let why = "what answers is not object storage: it sent something other than a list of \
                       objects, as a proxy or a network that wants a login does; check the \
                       endpoint and the proxy";
            let error = io::Error::other(why);
            return Err(HttpError::new(HttpErrorKind::Decode, error));
        }
        let readable = without_odd_keys(&document);
        Ok(HttpResponse::from_parts(parts, readable.into()))
    }
}

/// Whether a document is a list of objects, as S3 and Google write it (`ListBucketResult`) or Azure
/// (`EnumerationResults`): by its first element, and whether that is closed.
fn is_list(document: &str) -> bool {
    let mut rest = document.trim_start_matches('\u{feff}').trim();
    // What may stand before the first element: a declaration, comments.
    for (open, close) in [("<?", "?>"), ("<!--", "-->")] {
        while let Some(behind) = rest.strip_prefix(open) {
            let Some((_, behind)) = behind.split_once(close) else {
                return false;
            };
            rest = behind.trim_start();
        }
    }
    ["ListBucketResult", "EnumerationResults"]
        .iter()
        .any(|root| {
            let behind = rest
                .strip_prefix('<')
                .and_then(|rest| rest.strip_prefix(root));
            let Some(behind) = behind.filter(|rest| rest.starts_with(['>', ' ', '/', '\n', '\r']))
            else {
                return false;
            };
            let end = behind.trim_end_matches('>').trim_end();
            end.ends_with(&format!("</{root}")) || (end.ends_with('/') && !end.contains('<'))
        })
}

/// The elements of a list that each are an object or a folder, and the element of its key.
const ENTRIES: [(&str, &str); 4] = [
    ("Contents", "Key"),
    ("CommonPrefixes", "Prefix"),
    ("Blob", "Name"),
    ("BlobPrefix", "Name"),
];

/// Returns a list without the entries whose keys have an empty part (`a//b`), or one that is `.` or
/// `..`: the client has no such keys, and refuses a whole list for one of them, which anybody may
/// have put there.
fn without_odd_keys(document: &str) -> String {
    let is_odd = |entry: &str, name: &str| {
        let key = entry.split_once(&format!("<{name}>"));
        let key = key.and_then(|(_, rest)| rest.split_once(&format!("</{name}>")));
        key.is_some_and(|(key, _)| {
            let mut parts = key.strip_suffix('/').unwrap_or(key).split('/');
            !key.is_empty() && parts.any(|part| matches!(part, "" | "." | ".."))
        })
    };
    let mut kept = document.to_string();
    for (entry, name) in ENTRIES {
        let (open, close) = (format!("<{entry}>"), format!("</{entry}>"));
        let mut parts = kept.split(&open);
        let mut readable = parts.next().unwrap_or_default().to_string();
        for part in parts {
            match part.split_once(&close) {
                Some((inside, behind)) if is_odd(inside, name) => readable += behind,
                _ => readable += &format!("{open}{part}"),
            }
        }
        kept = readable;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{is_list, without_odd_keys};

    #[test]
    fn a_key_that_the_client_has_not_does_not_spoil_a_list() {
        let entry = |key: &str| format!("<Contents><Key>{key}</Key><Size>1</Size></Contents>");
        let folder = |key: &str| format!("<CommonPrefixes><Prefix>{key}</Prefix></CommonPrefixes>");
        let good = [entry("team/a"), folder("team/b/"), entry("team/c d")].concat();
        let odd = [
            entry("team//a"),
            folder("team//"),
            entry("/a"),
            entry("team/../a"),
        ]
        .concat();
        let list = |inside: String| format!("<ListBucketResult>{inside}</ListBucketResult>");
        assert_eq!(
            without_odd_keys(&list(format!("{odd}{good}{odd}"))),
            list(good.clone())
        );
        assert_eq!(without_odd_keys(&list(good.clone())), list(good));
        let blobs = "<Blobs><Blob><Name>a//b</Name></Blob><Blob><Name>a</Name></Blob></Blobs>";
        assert_eq!(
            without_odd_keys(blobs),
            "<Blobs><Blob><Name>a</Name></Blob></Blobs>"
        );
    }

    #[test]
    fn a_list_is_told_by_its_first_element() {
        for list in [
            "<ListBucketResult></ListBucketResult>",
            "<ListBucketResult/>",
            "\u{feff}<?xml version=\"1.0\"?>\n<!-- a -->\n<ListBucketResult xmlns=\"x\"><Name>b</Name>\
             </ListBucketResult>\n",
            "<?xml version=\"1.0\"?><EnumerationResults ContainerName=\"c\"><Blobs/>\
             </EnumerationResults>",
        ] {
            assert!(is_list(list), "{list}");
        }
        for other in [
            "",
            "{}",
            "<!DOCTYPE html><html><body>Log in</body></html>",
            "<html><ListBucketResult></ListBucketResult></html>",
            "<ListBucketResult><Contents>",
            "<ListBucketResults></ListBucketResults>",
            "<?xml version=\"1.0\"",
            "<Error><Code>AccessDenied</Code></Error>",
        ] {
            assert!(!is_list(other), "{other}");
        }
    }
}
