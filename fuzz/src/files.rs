//! Readers of files on disk: the bytes are written where the reader looks.

use evenhand_engine::PanelFile;
use evenhand_protocols::Pack;
use evenhand_store::Reader;
use evenhand_studies::study::Config;
use std::path::Path;

fn with_file(name: &str, bytes: &[u8], read: impl Fn(&Path)) {
    let dir = tempfile::tempdir().expect("a directory for the fuzzer");
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).expect("a file for the fuzzer");
    read(&path);
}

/// Files of calibrated panels.
pub fn panel(bytes: &[u8]) {
    with_file("panel.toml", bytes, |path| {
        if let Ok(panel) = PanelFile::read(path) {
            _ = (
                panel.judges(),
                panel.terms(),
                panel.weights(),
                panel.protocol(&Pack::default()),
            );
        }
    });
}

/// Databases of run directories.
pub fn run(bytes: &[u8]) {
    with_file("run.sqlite", bytes, |path| {
        let Some(dir) = path.parent() else { return };
        if let Ok(reader) = Reader::open(dir) {
            _ = (
                reader.manifest(),
                reader.totals(),
                reader.spent(),
                reader.judges(),
            );
            _ = (reader.last_used_utc(), reader.progress());
        }
    });
}

/// STUDY.toml.
pub fn study(bytes: &[u8]) {
    with_file("STUDY.toml", bytes, |path| {
        if let Ok(config) = Config::read(path) {
            _ = config.check_trust(path, &[]);
        }
    });
}
