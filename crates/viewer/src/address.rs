//! Where is listened, and which hosts a request may name.

use crate::ViewError;
use axum::http::uri::Authority;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

/// Listens on the host's address, or on this machine alone.
pub(crate) fn listen(host: Option<&str>, port: u16) -> Result<TcpListener, ViewError> {
    match host {
        Some(host) => bind(host, port),
        // A machine may be without the old addresses.
        None => bind("127.0.0.1", port).or_else(|error| bind("::1", port).map_err(|_| error)),
    }
}

fn bind(host: &str, port: u16) -> Result<TcpListener, ViewError> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let bound = TcpListener::bind((bare, port));
    bound.map_err(|why| ViewError::Bind {
        address: match bare.parse::<IpAddr>() {
            Ok(ip) => SocketAddr::new(ip, port).to_string(),
            Err(_) => format!("{bare}:{port}"),
        },
        why,
    })
}

/// The hosts that a request may name: a page of another host must not reach us, whatever address
/// its name is made to stand for.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    bound: SocketAddr,
    /// The name that was listened on.
    name: Option<String>,
}

impl Hosts {
    pub(crate) fn new(bound: SocketAddr, host: Option<&str>) -> Hosts {
        let is_name = |host: &&str| host.parse::<IpAddr>().is_err() && !host.starts_with('[');
        Hosts {
            bound,
            name: host.filter(is_name).map(str::to_ascii_lowercase),
        }
    }

    /// Returns host and port as they stand in the address of the pages.
    pub(crate) fn shown(&self) -> String {
        let port = self.bound.port();
        if let Some(name) = &self.name {
            return format!("{name}:{port}");
        }
        // An address that this machine reaches itself by.
        let ip = match self.bound.ip() {
            IpAddr::V4(v4) if v4.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(v6) if v6.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        SocketAddr::new(ip, port).to_string()
    }

    /// Whether a request may name this host and port.
    pub(crate) fn admit(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        let bound = self.bound.ip();
        if host.contains('@') || authority.port_u16().unwrap_or(80) != self.bound.port() {
            return false;
        }
        let name = authority.host().to_ascii_lowercase();
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            // Where all addresses of the machine are listened on, any of them will do: nobody can
            // make an address stand for another.
            Ok(ip) => ip.is_loopback() || ip == bound || bound.is_unspecified(),
            Err(_) => name == "localhost" || self.name.as_ref() == Some(&name),
        }
    }

    /// Whether a page of this origin may send what changes something.
    pub(crate) fn admit_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix("http://");
        host.is_some_and(|host| self.admit(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(bound: &str, host: Option<&str>) -> Hosts {
        Hosts::new(bound.parse().unwrap(), host)
    }

    #[test]
    fn this_machine_by_its_own_names_and_the_right_port() {
        let hosts = hosts("127.0.0.1:8080", None);
        for good in [
            "127.0.0.1:8080",
            "localhost:8080",
            "LOCALHOST:8080",
            "[::1]:8080",
        ] {
            assert!(hosts.admit(good), "{good}");
        }
        for bad in [
            "",
            "127.0.0.1",
            "127.0.0.1:8081",
            "evil.example:8080",
            "10.0.0.1:8080",
            "localhost.evil.example:8080",
            "x@127.0.0.1:8080",
            "127.0.0.1:8080:1",
            "[::1:8080",
        ] {
            assert!(!hosts.admit(bad), "{bad}");
        }
        assert!(hosts.admit_origin("http://127.0.0.1:8080"));
        for bad in [
            "null",
            "https://127.0.0.1:8080",
            "http://evil.example:8080",
            "127.0.0.1:8080",
        ] {
            assert!(!hosts.admit_origin(bad), "{bad}");
        }
    }

    #[test]
    fn a_host_that_was_asked_for_is_known_by_its_name_and_address() {
        let named = hosts("10.1.2.3:80", Some("Box.Local"));
        assert!(named.admit("box.local") && named.admit("box.local:80") && named.admit("10.1.2.3"));
        assert!(!named.admit("10.1.2.4") && !named.admit("other.local"));
        assert_eq!(named.shown(), "box.local:80");
        let every = hosts("0.0.0.0:9000", Some("0.0.0.0"));
        assert!(every.admit("10.1.2.4:9000") && !every.admit("evil.example:9000"));
        assert_eq!(every.shown(), "127.0.0.1:9000");
        assert_eq!(hosts("[::]:9000", Some("[::]")).shown(), "[::1]:9000");
    }
}
