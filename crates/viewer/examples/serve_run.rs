//! Serves a run until the standard input ends, to measure: `serve_run DIR`.
#![allow(clippy::print_stdout, reason = "an example may print")]

use evenhand_viewer::{ViewOptions, serve};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn main() -> Result<(), evenhand_viewer::ViewError> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        asked.store(true, Ordering::Relaxed);
    });
    let dir = std::env::args().nth(1).unwrap_or_else(|| "runs".into());
    serve(ViewOptions::new(dir), &stop, |ready| {
        println!("{}", ready.url)
    })
}
