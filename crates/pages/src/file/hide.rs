//! Addresses of machines that are nobody's business outside.

use crate::Overview;
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::MAIN_SEPARATOR;

/// Returns the addresses that lead to this machine or to one of a private network, of all that is
/// known of a run beside its texts: its settings, its judges, its report.
pub(super) fn private_addresses(overview: &Overview) -> BTreeSet<String> {
    let text = serde_json::to_string(overview).unwrap_or_default();
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("://") {
        let (before, behind) = text.split_at(at);
        let Some(scheme) = ["https", "http"].iter().find(|end| before.ends_with(**end)) else {
            continue;
        };
        let ends = |c: char| c.is_whitespace() || c.is_control() || "\"',;<>()\\".contains(c);
        let behind = behind.split(ends).next().unwrap_or_default();
        if is_private(behind.trim_start_matches("://")) {
            found.insert(format!("{scheme}{}", behind.trim_end_matches(['.', ':'])));
        }
    }
    found
}

/// Returns a text without the addresses of a run's judges that only their own network knows.
pub fn without_addresses(overview: &Overview, text: Vec<u8>) -> Vec<u8> {
    replace_all(text, &private_addresses(overview))
}

/// Whether what stands behind `http://` begins with the name of a machine that only its own network
/// knows.
fn is_private(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.');
    match host.parse::<IpAddr>().map(|ip| ip.to_canonical()) {
        Ok(IpAddr::V4(ip)) => {
            // 100.64 to 100.127 are shared within a provider's or an overlay network (RFC 6598).
            let [first, second, ..] = ip.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            let is_own = ip.is_loopback() || ip.is_private() || ip.is_link_local();
            is_own || ip.is_unspecified() || is_shared
        }
        Ok(IpAddr::V6(ip)) => {
            let is_own = ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local();
            is_own || ip.is_unspecified()
        }
        Err(_) => {
            let ending = host.rsplit_once('.').map(|(_, ending)| ending);
            ending.is_none_or(|ending| PRIVATE.contains(&ending))
        }
    }
}

/// Endings of names that no public server has.
const PRIVATE: [&str; 12] = [
    "local",
    "internal",
    "lan",
    "localhost",
    "home",
    "corp",
    "intranet",
    "localdomain",
    "arpa",
    "svc",
    "test",
    "private",
];

/// Replaces these addresses, wherever they stand and the name does not go on.
pub(super) fn replace_all(mut bytes: Vec<u8>, texts: &BTreeSet<String>) -> Vec<u8> {
    // The longest first: an address may begin another.
    let mut texts: Vec<&String> = texts.iter().collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in texts {
        let mut replaced = Vec::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Some(at) = memchr::memmem::find(rest, text.as_bytes()) {
            let (before, behind) = (&rest[..at], &rest[at + text.len()..]);
            replaced.extend_from_slice(before);
            let goes_on = match behind {
                [b'.', next, ..] | [next, ..] => {
                    next.is_ascii_alphanumeric() || b"-_".contains(next)
                }
                [] => false,
            };
            let shown = if goes_on {
                text.as_bytes()
            } else {
                b"(an address)"
            };
            replaced.extend_from_slice(shown);
            rest = behind;
        }
        replaced.extend_from_slice(rest);
        bytes = replaced;
    }
    bytes
}

/// Writes paths that lie in these folders without them, in all texts of a value.
pub(super) fn cut_folders(value: &mut Value, folders: &BTreeSet<String>) {
    match value {
        Value::String(text) => {
            // The last first: a folder may lie in another, which sorts before it.
            for folder in folders.iter().rev() {
                *text = without_folder(text, &format!("{folder}{MAIN_SEPARATOR}"));
            }
        }
        Value::Array(values) => {
            for value in values {
                cut_folders(value, folders);
            }
        }
        Value::Object(members) => {
            for (_, value) in members {
                cut_folders(value, folders);
            }
        }
        _ => {}
    }
}

fn without_folder(text: &str, folder: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(folder) {
        left += before;
        // Within a longer path it is another folder.
        if before.ends_with(|c: char| c.is_alphanumeric() || "._-/".contains(c)) {
            left += folder;
        }
        rest = behind;
    }
    left + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_begin_behind_their_folders() {
        let folders = BTreeSet::from(["/home/me".into(), "/home/me/a \"b\"".into()]);
        let title = "/home/me/x.csv,\n/home/me/a \"b\"/y";
        let mut value = json!({"title": title, "others": ["x/home/me/z", 1]});
        cut_folders(&mut value, &folders);
        assert_eq!(
            value,
            json!({"title": "x.csv,\ny", "others": ["x/home/me/z", 1]})
        );
    }

    #[test]
    fn addresses_of_private_machines_are_found_and_others_stay() {
        let mut overview = Overview::of_file();
        let judges = "openai:m@http://127.0.0.1:18777/v1,https://10.1.2.3\nopenai:n@https://api.x.ai/v1 \
                      reward:r@http://gpu-7:8000 openai:o@http://[fd00::1]:80/v1 \
                      openai:p@https://8.8.8.8/v1 openai:q@http://judge.local/v1";
        overview.manifest.insert("judge".into(), judges.into());
        // What a report says, too.
        let old = "openai:s@http://[::ffff:10.0.0.5]:80 http://100.101.2.3:80 http://a.svc./v1";
        overview.report = serde_json::json!({"judge": old});
        let found = private_addresses(&overview);
        let expected = [
            "http://100.101.2.3:80",
            "http://127.0.0.1:18777/v1",
            "http://[::ffff:10.0.0.5]:80",
            "http://a.svc./v1",
            "http://[fd00::1]:80/v1",
            "http://gpu-7:8000",
            "http://judge.local/v1",
            "https://10.1.2.3",
        ];
        assert_eq!(found, expected.map(String::from).into());
        // A longer name is another one.
        let others = format!("{judges} https://10.1.2.30/k http://gpu-7:8000.example.com");
        let text = replace_all(others.into_bytes(), &found);
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("https://api.x.ai/v1") && text.contains("https://8.8.8.8/v1"));
        assert!(
            text.ends_with("https://10.1.2.30/k http://gpu-7:8000.example.com"),
            "{text}"
        );
        assert_eq!(text.matches("(an address)").count(), 5, "{text}");
    }
}
