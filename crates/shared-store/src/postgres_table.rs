//! A shared store as a table of PostgreSQL.

use crate::SharedStoreError;
use crate::seal::{Sealed, Signer};
use evenhand_core::RequestKey;
use postgres::config::SslMode;
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, Row};
use rustls_platform_verifier::ConfigVerifierExt;
use std::time::Duration;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The longest that a connection, and that a statement, may take.
const CONNECT: Duration = Duration::from_secs(8);
const STATEMENT: &str = "SET statement_timeout = '8s'";
/// Keys of one look-up.
const KEYS: usize = 1000;

/// Several signers may each have an entry of a key: who writes without the key of a team cannot
/// take the place of what it wrote.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS evenhand_replies (
    key bytea NOT NULL,
    signer bytea NOT NULL,
    seal bytea NOT NULL,
    body bytea NOT NULL,
    kept timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (key, signer))";
const IS_THERE: &str = "SELECT to_regclass('evenhand_replies') IS NOT NULL";
const FIND: &str = "SELECT key, seal, body FROM evenhand_replies WHERE key = ANY($1)";
const HAVE: &str = "SELECT key FROM evenhand_replies WHERE key = ANY($1) AND signer = $2";
const PUT: &str = "INSERT INTO evenhand_replies (key, signer, seal, body) \
    SELECT key, $2, seal, body FROM unnest($1::bytea[], $3::bytea[], $4::bytea[]) \
    AS new (key, seal, body) ON CONFLICT DO NOTHING";

/// A table, by a connection that is made again once where it was lost.
pub(crate) struct Table {
    config: Config,
    name: String,
    client: Client,
}

impl Table {
    /// Connects, and makes the table where there is none.
    pub(crate) fn open(config: &Config, name: &str) -> Result<Table, SharedStoreError> {
        let mut client = connect(config, name)?;
        let mut is_there =
            || -> Result<bool, postgres::Error> { client.query_one(IS_THERE, &[])?.try_get(0) };
        if !is_there().map_err(|e| refuse(name, &e))? {
            let made = client.batch_execute(TABLE);
            // Of several that make it at once, one does.
            let mut is_there = || client.query_one(IS_THERE, &[])?.try_get(0);
            match (made, is_there()) {
                (_, Ok(true)) => {}
                (Err(error), _) | (_, Err(error)) => return Err(refuse(name, &error)),
                (Ok(()), Ok(false)) => {}
            }
        }
        Ok(Table {
            config: config.clone(),
            name: name.to_string(),
            client,
        })
    }

    /// Keeps entries that are not there.
    pub(crate) fn put(
        &mut self,
        entries: &[Sealed],
        signer: &Signer,
    ) -> Result<(), SharedStoreError> {
        // In one order for all writers, so that no two wait for each other.
        let mut entries: Vec<&Sealed> = entries.iter().collect();
        entries.sort_by_key(|entry| entry.key);
        let keys: Vec<&[u8]> = entries.iter().map(|entry| &entry.key.0[..]).collect();
        let seals: Vec<&[u8]> = entries.iter().map(|entry| &entry.seal[..]).collect();
        let bodies: Vec<&[u8]> = entries.iter().map(|entry| &entry.body[..]).collect();
        let name = signer.name();
        self.ask(PUT, &[&keys, &name, &seals, &bodies]).map(drop)
    }

    /// Finds entries whose seals fit. Returns them, and how many were met that did not fit.
    pub(crate) fn find(
        &mut self,
        keys: &[RequestKey],
        signer: &Signer,
    ) -> Result<(Vec<Sealed>, u64), SharedStoreError> {
        let (mut found, mut unfit) = (Vec::new(), 0);
        for keys in keys.chunks(KEYS) {
            let keys: Vec<&[u8]> = keys.iter().map(|key| &key.0[..]).collect();
            for row in self.ask(FIND, &[&keys])? {
                match read_entry(&row).filter(|entry| signer.fits(entry)) {
                    Some(entry) => found.push(entry),
                    None => unfit += 1,
                }
            }
        }
        Ok((found, unfit))
    }

    /// Returns those of the keys under which this signer has no entry.
    pub(crate) fn lacking(
        &mut self,
        keys: &[RequestKey],
        signer: &Signer,
    ) -> Result<Vec<RequestKey>, SharedStoreError> {
        let name = signer.name();
        let mut lacking = Vec::new();
        for keys in keys.chunks(KEYS) {
            let bytes: Vec<&[u8]> = keys.iter().map(|key| &key.0[..]).collect();
            let rows = self.ask(HAVE, &[&bytes, &name])?;
            let have: std::collections::HashSet<&[u8]> =
                rows.iter().filter_map(|row| row.try_get(0).ok()).collect();
            lacking.extend(keys.iter().filter(|key| !have.contains(&key.0[..])));
        }
        Ok(lacking)
    }

    /// Runs a statement, a second time over a new connection where the first was lost.
    fn ask(
        &mut self,
        statement: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, SharedStoreError> {
        if !self.client.is_closed() {
            match self.client.query(statement, values) {
                Ok(rows) => return Ok(rows),
                Err(error) if !self.client.is_closed() => {
                    return Err(refuse(&self.name, &error));
                }
                Err(_) => {}
            }
        }
        self.client = connect(&self.config, &self.name)?;
        let rows = self.client.query(statement, values);
        rows.map_err(|e| refuse(&self.name, &e))
    }
}

fn connect(config: &Config, name: &str) -> Result<Client, SharedStoreError> {
    let mut config = config.clone();
    config.connect_timeout(CONNECT).tcp_user_timeout(CONNECT);
    config.application_name("evenhand");
    let connected = if config.get_ssl_mode() == SslMode::Disable {
        config.connect(NoTls)
    } else {
        // The first provider that was installed stays: it is always this one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tls = rustls::ClientConfig::with_platform_verifier().map_err(|e| {
            SharedStoreError::Server {
                name: name.into(),
                why: format!("the system's certificates cannot be read: {e}"),
            }
        })?;
        config.connect(MakeRustlsConnect::new(tls))
    };
    let mut client = connected.map_err(|e| refuse(name, &e))?;
    let set = client.batch_execute(STATEMENT);
    set.map_err(|e| refuse(name, &e))?;
    Ok(client)
}

fn read_entry(row: &Row) -> Option<Sealed> {
    let bytes = |column: usize| row.try_get::<_, &[u8]>(column).ok();
    Some(Sealed {
        key: RequestKey(bytes(0)?.try_into().ok()?),
        seal: bytes(1)?.try_into().ok()?,
        body: bytes(2)?.to_vec(),
    })
}

/// Returns an error with what caused it, and without secrets, whoever repeats them.
fn refuse(name: &str, error: &postgres::Error) -> SharedStoreError {
    let mut why = match error.as_db_error() {
        Some(said) => said.message().to_string(),
        None => error.to_string(),
    };
    let mut cause = std::error::Error::source(error).filter(|_| error.as_db_error().is_none());
    while let Some(next) = cause {
        let text = next.to_string();
        if !why.contains(&text) {
            why = format!("{why}: {text}");
        }
        cause = next.source();
    }
    let why = evenhand_secrets::strike(&why).into_owned();
    SharedStoreError::Server {
        name: name.into(),
        why,
    }
}
