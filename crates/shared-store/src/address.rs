//! Where a shared store is.

use crate::SharedStoreError;
use postgres::Config;
use postgres::config::{Host, SslMode};
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

/// Where a shared store is. It is shown without a password.
#[derive(Clone)]
pub struct StoreAddress {
    pub(crate) place: Place,
    name: String,
}

#[derive(Clone)]
pub(crate) enum Place {
    Segments(PathBuf),
    Postgres(Box<Config>),
}

impl StoreAddress {
    /// Reads an address: a directory, `file:DIR`, a folder of object storage (`s3://BUCKET/FOLDER`,
    /// `gs://`, `az://`), or `postgres://USER@HOST/DATABASE`.
    ///
    /// `variable` looks up variables of the environment: a password that the address lacks is
    /// `PGPASSWORD`'s, a user `PGUSER`'s, and else the system's.
    ///
    /// # Errors
    /// An address that cannot be read, or whose kind is not known. It is not repeated, since it may
    /// hold a password.
    pub fn parse(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<StoreAddress, SharedStoreError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return read_postgres(text, variable);
        }
        let bad = |why: &str| Err(SharedStoreError::Address(why.into()));
        if evenhand_objects::is_address(text.as_ref()) {
            let folder = evenhand_objects::check_folder(text.as_ref());
            let folder = folder.map_err(|error| SharedStoreError::Address(error.to_string()))?;
            return Ok(StoreAddress {
                name: folder.display().to_string(),
                place: Place::Segments(folder),
            });
        }
        let path = text.strip_prefix("file://").or(text.strip_prefix("file:"));
        match (path, text.split_once("://")) {
            (None, Some(_)) => bad(
                "it is not an address of a known kind; expected a directory, \
                 s3://BUCKET/FOLDER (gs://, az://), or postgres://USER@HOST/DATABASE",
            ),
            (None, None) if text.starts_with("postgres") || text.contains("password=") => bad(
                "it looks like an address of PostgreSQL; expected postgres://USER@HOST/DATABASE \
                 (a directory of such a name: file:DIR)",
            ),
            _ => match path.unwrap_or(text) {
                "" => bad("it is empty; expected a directory, or postgres://USER@HOST/DATABASE"),
                dir => Ok(StoreAddress {
                    place: Place::Segments(dir.into()),
                    name: dir.into(),
                }),
            },
        }
    }

    /// Returns its name for people and for a run's notes: a directory, or a server and its
    /// database, without who logs in and how.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the directory of a store of segments, or the address of its folder.
    pub fn segments(&self) -> Option<&std::path::Path> {
        match &self.place {
            Place::Segments(dir) => Some(dir),
            Place::Postgres(_) => None,
        }
    }
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoreAddress").field(&self.name).finish()
    }
}

fn read_postgres(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<StoreAddress, SharedStoreError> {
    // What the library says of an address may repeat a part of it.
    let mut config: Config = text.parse().map_err(|_| {
        SharedStoreError::Address(
            "it cannot be read; expected postgres://USER@HOST:PORT/DATABASE, where signs like @ \
             and / in a name or password are written %40 and %2F"
                .into(),
        )
    })?;
    if config.get_hosts().is_empty() {
        let why = "it names no host; expected postgres://USER@HOST/DATABASE";
        return Err(SharedStoreError::Address(why.into()));
    }
    if config.get_user().is_none()
        && let Some(user) = variable("PGUSER").or_else(|| variable("USER"))
    {
        config.user(&user);
    }
    if config.get_password().is_none()
        && let Some(password) = variable("PGPASSWORD").filter(|word| !word.is_empty())
    {
        config.password(password);
    }
    if let Some(password) = config.get_password() {
        evenhand_secrets::know(&String::from_utf8_lossy(password));
    }
    let here = config.get_hosts().iter().all(is_here);
    // `prefer` would send what is asked in the clear where a server offers no TLS.
    if here {
        config.ssl_mode(SslMode::Disable);
    } else if config.get_ssl_mode() == SslMode::Prefer {
        config.ssl_mode(SslMode::Require);
    }
    let hosts: Vec<String> = config.get_hosts().iter().map(show_host).collect();
    let ports = match config.get_ports() {
        [] => String::new(),
        ports => format!(
            ":{}",
            ports
                .iter()
                .map(u16::to_string)
                .collect::<Vec<_>>()
                .join(",")
        ),
    };
    let database = config
        .get_dbname()
        .or(config.get_user())
        .unwrap_or_default();
    let name = format!("postgres://{}{ports}/{database}", hosts.join(","));
    Ok(StoreAddress {
        place: Place::Postgres(Box::new(config)),
        name,
    })
}

/// Whether a host is this machine, so that nothing crosses a network.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name
                    .parse::<IpAddr>()
                    .is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn show_host(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<StoreAddress, SharedStoreError> {
        let variable = |name: &str| (name == "PGPASSWORD").then(|| "from-outside".to_string());
        StoreAddress::parse(text, variable)
    }

    fn config(text: &str) -> Config {
        match parse(text).unwrap().place {
            Place::Postgres(config) => *config,
            Place::Segments(_) => Config::new(),
        }
    }

    #[test]
    fn a_name_holds_no_password_and_an_error_does_not_repeat_the_address() {
        let address = parse("postgres://me:s3cret-w@db.example:5433/team?sslmode=require").unwrap();
        assert_eq!(address.name(), "postgres://db.example:5433/team");
        assert!(!format!("{address:?}").contains("s3cret"));
        for bad in [
            "postgres://me:s3cret-w@db:port/x",
            "mysql://me:s3cret-w@db/x",
            "s3://me:s3cret-w@bucket/x",
        ] {
            let said = parse(bad).unwrap_err().to_string();
            assert!(!said.contains("s3cret"), "{said}");
        }
    }

    #[test]
    fn a_password_comes_from_the_environment_and_the_address_comes_first() {
        assert_eq!(
            config("postgres://me@localhost/x").get_password(),
            Some("from-outside".as_bytes())
        );
        assert_eq!(
            config("postgres://me:own@localhost/x").get_password(),
            Some("own".as_bytes())
        );
    }

    #[test]
    fn another_machine_is_asked_over_tls_unless_the_address_says_otherwise() {
        let mode = |text| config(text).get_ssl_mode();
        assert_eq!(mode("postgres://me@127.0.0.1/x"), SslMode::Disable);
        assert_eq!(mode("postgres://me@db.example/x"), SslMode::Require);
        assert_eq!(
            mode("postgres://me@localhost,db.example/x"),
            SslMode::Require
        );
        assert_eq!(mode("postgres://me@db/x?sslmode=disable"), SslMode::Disable);
    }

    #[test]
    fn a_path_is_a_directory() {
        for text in ["team/replies", "file:team/replies", "file://team/replies"] {
            let address = parse(text).unwrap();
            assert_eq!(
                address.segments().unwrap(),
                std::path::Path::new("team/replies")
            );
        }
        assert!(parse("").is_err());
    }

    #[test]
    fn a_folder_of_object_storage_is_one_with_and_without_its_last_stroke() {
        for text in [
            "s3://bucket/team",
            "s3://bucket/team/",
            "gs://bucket",
            "az://box/a/b/",
        ] {
            let address = parse(text).unwrap();
            assert_eq!(address.name(), text.trim_end_matches('/'));
            assert_eq!(address.segments().unwrap().to_str(), Some(address.name()));
        }
        assert!(parse("s3://").is_err() && parse("s3://b/../c").is_err());
    }
}
