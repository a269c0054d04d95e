//! How fast files of battles are read: `battles_speed [ROWS] [SYSTEMS] [csv|jsonl|FILE] [THREADS]
//! [counts|rows]`.
//!
//! Without a file it writes one of its own under the temporary directory: uneven pairs, 20 % ties.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program, not the library"
)]

use evenhand_formats::battles::{BattleSource, Options, read_counts, read_rows};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let argument =
        |at: usize, usual: &str| std::env::args().nth(at).unwrap_or_else(|| usual.to_owned());
    let (rows, systems): (u64, u64) = (
        argument(1, "10000000").parse()?,
        argument(2, "129").parse()?,
    );
    let given = PathBuf::from(argument(3, "csv"));
    let threads = argument(4, "2").parse()?;
    let path = if given.exists() {
        given
    } else {
        generate(&given, rows, systems.max(2))?
    };
    report(&path, threads, &argument(5, "counts"))
}

fn generate(kind: &Path, rows: u64, systems: u64) -> Result<PathBuf, Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!(
        "evenhand-battles-{rows}-{systems}.{}",
        kind.display()
    ));
    if path.exists() {
        return Ok(path);
    }
    let json = kind.as_os_str() == "jsonl";
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    if !json {
        file.write_all(b"question_id,model_a,model_b,winner\n")?;
    }
    let mut state = 1;
    for row in 0..rows {
        let (a, b, winner) = battle(&mut state, systems);
        if json {
            let (a, b) = (
                format!("vendor/model-{a:03}-chat"),
                format!("vendor/model-{b:03}-chat"),
            );
            writeln!(
                file,
                r#"{{"question_id":{},"model_a":"{a}","model_b":"{b}","winner":"{winner}"}}"#,
                row / 3
            )?;
        } else {
            writeln!(
                file,
                "{},vendor/model-{a:03}-chat,vendor/model-{b:03}-chat,{winner}",
                row / 3
            )?;
        }
    }
    file.flush()?;
    Ok(path)
}

/// The smaller of two draws makes the pairs uneven.
fn battle(state: &mut u64, systems: u64) -> (u64, u64, &'static str) {
    let a = (draw(state) % systems).min(draw(state) % systems);
    let b = (a + 1 + draw(state) % (systems - 1)) % systems;
    let winner = match draw(state) % 10 {
        0 => "tie",
        1 => "tie (bothbad)",
        2..=5 => "model_a",
        _ => "model_b",
    };
    (a, b, winner)
}

/// A step of a 64-bit linear congruential generator; its upper bits.
fn draw(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn report(path: &Path, threads: usize, what: &str) -> Result<(), Box<dyn Error>> {
    let megabytes = fs::metadata(path)?.len() as f64 / 1e6;
    let mut sources = [BattleSource::new(
        path.display().to_string(),
        File::open(path)?,
    )];
    let options = Options {
        threads,
        ..Options::default()
    };
    let before = processor_seconds();
    let start = Instant::now();
    let rows = match what {
        "rows" => read_rows(&mut sources, &options)?.a.len() as u64,
        _ => read_counts(&mut sources, &options)?.rows,
    };
    let wall = start.elapsed().as_secs_f64();
    println!(
        "{} {what}: {rows} rows, {megabytes:.0} MB, {threads} threads: {wall:.3} s wall, {:.2} s \
         CPU, {:.0} MB/s, peak {} MB",
        path.display(),
        processor_seconds() - before,
        megabytes / wall,
        peak_megabytes()
    );
    Ok(())
}

/// User and system seconds of this process so far; 0 where the system does not say (other than
/// Linux).
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |at| {
        stat.rsplit(')')
            .next()?
            .split_whitespace()
            .nth(at)?
            .parse::<f64>()
            .ok()
    };
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

/// The most memory that was resident; 0 where the system does not say.
fn peak_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}
