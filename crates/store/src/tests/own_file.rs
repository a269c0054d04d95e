#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what sets it up"
)]

use super::*;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

/// What may stand under a name of ours in a directory from elsewhere, and what has to be left as it
/// is: a file outside, or none.
fn traps(outside: &Path, at: &Path) -> Vec<&'static str> {
    let _ = fs::remove_file(at);
    let _ = fs::remove_dir(at);
    fs::write(outside.join("precious"), "precious").unwrap();
    let _ = fs::remove_file(outside.join("absent"));
    vec![
        "link",
        "dangling",
        "device",
        "relative",
        "second name",
        "directory",
        "socket",
    ]
}

fn set(kind: &str, outside: &Path, at: &Path) -> Option<UnixListener> {
    match kind {
        "link" => symlink(outside.join("precious"), at).unwrap(),
        "dangling" => symlink(outside.join("absent"), at).unwrap(),
        "device" => symlink("/dev/zero", at).unwrap(),
        "relative" => symlink("../outside/precious", at).unwrap(),
        "second name" => fs::hard_link(outside.join("precious"), at).unwrap(),
        "directory" => fs::create_dir(at).unwrap(),
        _ => return Some(UnixListener::bind(at).unwrap()),
    }
    None
}

/// However it is opened, nothing outside is read, written or made.
#[test]
fn what_is_no_file_of_ours_is_not_opened() {
    let dir = tempfile::tempdir().unwrap();
    let (outside, run) = (dir.path().join("outside"), dir.path().join("run"));
    fs::create_dir(&outside).unwrap();
    fs::create_dir(&run).unwrap();
    let at = run.join("labels.jsonl");
    let mut ways = [OpenOptions::new(), OpenOptions::new(), OpenOptions::new()];
    ways[0].read(true);
    ways[1].create(true).append(true);
    ways[2].read(true).write(true);
    for kind in traps(&outside, &at) {
        for way in &ways {
            traps(&outside, &at);
            let _socket = set(kind, &outside, &at);
            assert!(open_own_file(&at, way).is_err(), "{kind}");
            assert!(!outside.join("absent").exists(), "{kind}");
            let kept = fs::read(outside.join("precious")).unwrap();
            assert_eq!(kept, b"precious", "{kind}");
        }
    }
    traps(&outside, &at);
    assert!(open_own_file(&at, &ways[0]).is_err(), "there is none");
    open_own_file(&at, &ways[1])
        .unwrap()
        .write_all(b"ours")
        .unwrap();
    assert_eq!(fs::read(&at).unwrap(), b"ours");
    open_own_file(&at, &ways[2]).unwrap();
}

/// A file that is written whole takes the place of a second name, and of nothing else that is odd.
#[test]
fn a_new_file_follows_no_link() {
    let dir = tempfile::tempdir().unwrap();
    let (outside, run) = (dir.path().join("outside"), dir.path().join("run"));
    fs::create_dir(&outside).unwrap();
    fs::create_dir(&run).unwrap();
    for is_run in [false, true] {
        if is_run {
            fs::write(run.join("run.sqlite"), "").unwrap();
        }
        let at = run.join("report.html");
        for kind in traps(&outside, &at) {
            traps(&outside, &at);
            let _socket = set(kind, &outside, &at);
            let written = write_whole_file(&at, b"new");
            assert_eq!(written.is_ok(), kind == "second name", "{kind}");
            assert!(!outside.join("absent").exists(), "{kind}");
            let kept = fs::read(outside.join("precious")).unwrap();
            assert_eq!(kept, b"precious", "{kind}");
        }
        traps(&outside, &at);
        for text in ["one", "two"] {
            write_whole_file(&at, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&at).unwrap(), text);
        }
        let left = fs::read_dir(&run).unwrap().count();
        assert_eq!(left, 1 + usize::from(is_run), "nothing is left beside");
    }
    // A folder within a run is a way out of it where it is a link.
    fs::create_dir(run.join("own")).unwrap();
    symlink("../outside", run.join("figures")).unwrap();
    assert!(write_whole_file(&run.join("figures/a.svg"), b"new").is_err());
    assert!(write_whole_file(&run.join("own/../figures/a.svg"), b"new").is_err());
    write_whole_file(&run.join("own/a.svg"), b"new").unwrap();
    assert!(!outside.join("a.svg").exists());
}

#[test]
fn what_is_begun_and_not_finished_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().join("board.json");
    fs::write(&at, "old").unwrap();
    let mut file = NewFile::begin(&at).unwrap();
    file.write_all(b"half").unwrap();
    drop(file);
    assert_eq!(fs::read_to_string(&at).unwrap(), "old");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn the_systems_own_names_are_written_to() {
    write_whole_file(Path::new("/dev/null"), b"gone").unwrap();
    let kept = tempfile::NamedTempFile::new().unwrap();
    let name = std::os::fd::AsRawFd::as_raw_fd(kept.as_file());
    write_whole_file(Path::new(&format!("/dev/fd/{name}")), b"kept").unwrap();
    assert_eq!(fs::read_to_string(kept.path()).unwrap(), "kept");
}
