//! Addresses of machines that are nobody's business outside.

use crate::Overview;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Returns the addresses in a run's settings and judges that lead to this machine or to one of a
/// private network.
pub(super) fn private_addresses(overview: &Overview) -> BTreeSet<String> {
    let texts = overview.manifest.values().chain(&overview.judges);
    let mut found = BTreeSet::new();
    for text in texts {
        for (at, _) in text.match_indices("://") {
            let Some((before, behind)) = text.split_at_checked(at) else {
                continue;
            };
            let Some(scheme) = ["https", "http"].iter().find(|end| before.ends_with(**end)) else {
                continue;
            };
            let ends = |c: char| c.is_whitespace() || c.is_control() || "\"',;<>\\".contains(c);
            let behind = behind.split(ends).next().unwrap_or_default();
            if is_private(behind.trim_start_matches("://")) {
                found.insert(format!("{scheme}{behind}"));
            }
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
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
        Err(_) => {
            let ending = host.rsplit_once('.').map(|(_, ending)| ending);
            matches!(
                ending,
                None | Some("local" | "internal" | "lan" | "localhost" | "home")
            )
        }
    }
}

/// Replaces these texts, wherever they stand.
pub(super) fn replace_all(mut bytes: Vec<u8>, texts: &BTreeSet<String>) -> Vec<u8> {
    // The longest first: an address may begin another.
    let mut texts: Vec<&String> = texts.iter().collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in texts {
        let mut replaced = Vec::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Some(at) = memchr::memmem::find(rest, text.as_bytes()) {
            replaced.extend_from_slice(&rest[..at]);
            replaced.extend_from_slice("(an address)".as_bytes());
            rest = &rest[at + text.len()..];
        }
        replaced.extend_from_slice(rest);
        bytes = replaced;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_private_machines_are_found_and_others_stay() {
        let mut overview = Overview::of_file();
        let judges = "openai:m@http://127.0.0.1:18777/v1,https://10.1.2.3\nopenai:n@https://api.x.ai/v1 \
                      reward:r@http://gpu-7:8000 openai:o@http://[fd00::1]:80/v1 \
                      openai:p@https://8.8.8.8/v1 openai:q@http://judge.local/v1";
        overview.manifest.insert("judge".into(), judges.into());
        let found = private_addresses(&overview);
        let expected = [
            "http://127.0.0.1:18777/v1",
            "http://[fd00::1]:80/v1",
            "http://gpu-7:8000",
            "http://judge.local/v1",
            "https://10.1.2.3",
        ];
        assert_eq!(found, expected.map(String::from).into());
        let text = replace_all(judges.as_bytes().to_vec(), &found);
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("https://api.x.ai/v1") && text.contains("https://8.8.8.8/v1"));
        assert_eq!(text.matches("(an address)").count(), 5, "{text}");
    }
}
