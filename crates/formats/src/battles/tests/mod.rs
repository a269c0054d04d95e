//! Tests of the readers as a whole.

#[cfg(feature = "parquet")]
mod many_files;
mod messages;
#[cfg(feature = "parquet")]
mod one_table;
#[cfg(feature = "parquet")]
mod parquet;
mod text;
mod texts;
mod twins;

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Cursor, Write};

fn source(name: &str, bytes: impl AsRef<[u8]>) -> BattleSource {
    BattleSource::new(name, Cursor::new(bytes.as_ref().to_vec()))
}

fn options(threads: usize, chunk_bytes: usize) -> Options {
    Options {
        threads,
        chunk_bytes,
        ..Options::default()
    }
}

fn rows(name: &str, bytes: impl AsRef<[u8]>) -> Result<Rows, String> {
    read_rows(&mut [source(name, bytes)], &Options::default()).map_err(|error| error.to_string())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
