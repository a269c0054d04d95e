//! Files at addresses of object storage, against a bucket on loopback that fails as such storage
//! does: data, boards and reports, waves of requests and their replies.

use crate::common::{Desk, Ran, answer, item};
use evenhand_testing::objects::{ObjectFaults, ObjectServer};
use evenhand_testing::server::{BatchOptions, Script, Server, run_batch};
use parquet::file::reader::SerializedFileReader;
use parquet::record::RowAccessor;
use parquet::record::reader::RowIter;
use serde_json::{Value, json};

/// One request in three or four goes wrong in some way.
const FAULTS: ObjectFaults = ObjectFaults {
    unavailable: 7,
    dropped: 9,
    cut: 5,
    silent: 0,
    list_lags: 0,
    refused: false,
    captive: false,
};

fn ran(desk: &Desk, bucket: &ObjectServer, arguments: &str) -> Ran {
    let mut command = desk.command(arguments);
    command.envs(bucket.environment());
    // This machine's own storage is asked past any proxy.
    command
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:9")));
    let ran = Ran::of(command.output().unwrap());
    assert!(!ran.stdout.contains("storage-secret"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("storage-secret"), "{}", ran.stderr);
    ran
}

fn done(desk: &Desk, bucket: &ObjectServer, arguments: &str) -> Ran {
    let ran = ran(desk, bucket, arguments);
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    ran
}

/// A bucket that holds these files of a desk under their own names.
fn bucket_of(desk: &Desk, files: &[&str]) -> ObjectServer {
    let bucket = ObjectServer::start().unwrap();
    for file in files {
        bucket.put(&format!("b/{file}"), desk.read(file).as_bytes());
    }
    bucket
}

#[test]
fn a_run_from_a_bucket_is_a_run_from_files() {
    let desk = Desk::new(6, &["ant", "bee", "cat"]);
    let bucket = bucket_of(&desk, &["data/items.jsonl", "data/responses.jsonl"]);
    bucket.put("b/data/README.md", b"not data");
    bucket.put("b/data/below/items.jsonl", b"not read");
    bucket.set_faults(FAULTS);
    let flags = "--judge simulated:gap=0.7 --protocol pairwise --format json";
    let local = desk.done(&format!("judge --data data {flags} --run local"));
    let remote = done(
        &desk,
        &bucket,
        &format!("judge --data s3://b/data {flags} --run remote"),
    );
    assert!(local.stdout.lines().count() == 36 && local.stdout == remote.stdout);

    desk.done("report local --out local.html");
    done(&desk, &bucket, "report local --out s3://b/pages/local.html");
    let page = bucket.get("b/pages/local.html").unwrap();
    assert!(page == desk.read("local.html").as_bytes());

    let files = ["data/items.jsonl", "data/responses.jsonl"].map(|file| format!("s3://b/{file}"));
    let several = done(
        &desk,
        &bucket,
        &format!(
            "judge --data {} --data {} {flags} --run several",
            files[0], files[1]
        ),
    );
    assert!(several.stdout == local.stdout);
}

#[test]
fn a_board_from_a_bucket_is_a_board_from_files() {
    let desk = Desk::empty();
    let battles = |from: usize| {
        let rows = (from..from + 40).map(|at| {
            let winner = if at % 3 == 0 { "model_b" } else { "model_a" };
            let names = ["ant", "bee", "cat"];
            format!("{},{},{winner}\n", names[at % 3], names[(at + 1) % 3])
        });
        format!("model_a,model_b,winner\n{}", rows.collect::<String>())
    };
    desk.write("battles/1.csv", battles(0));
    desk.write("battles/2.csv", battles(40));
    let bucket = bucket_of(&desk, &["battles/1.csv", "battles/2.csv"]);
    bucket.set_faults(FAULTS);
    let local = desk.done("leaderboard battles --format json");
    let remote = done(&desk, &bucket, "leaderboard s3://b/battles --format json");
    assert_eq!(local.timeless(), remote.timeless());
    let place = format!("file://{}", desk.path("battles").display());
    let by_url = desk.done(&format!("leaderboard {place} --format json"));
    assert_eq!(by_url.timeless(), local.timeless());
    let named = done(
        &desk,
        &bucket,
        "leaderboard s3://b/battles/[12].csv --format json",
    );
    assert_eq!(named.timeless(), local.timeless());
    // The same object twice counts twice unless it is refused.
    let twice = "leaderboard s3://b/battles/1.csv s3://b/battles/1.csv";
    let twice = ran(&desk, &bucket, twice);
    twice.ends(2, "it is given twice");
}

#[test]
fn what_is_not_there_or_cannot_be_is_said() {
    let desk = Desk::new(2, &["ant", "bee"]);
    let bucket = bucket_of(&desk, &["data/items.jsonl"]);
    for (arguments, says) in [
        (
            "leaderboard s3://b/none",
            "s3://b/none: cannot be read: no object has this address, and none is directly below",
        ),
        ("leaderboard s3://", "expected a bucket after s3://"),
        ("report x --out s3://b", "x"),
        (
            "judge --data data --judge simulated --run s3://b/run",
            "a run is a directory on this machine",
        ),
    ] {
        let ran = ran(&desk, &bucket, arguments);
        assert!(
            ran.code != Some(0) && ran.stderr.contains(says),
            "{arguments}: {ran:?}"
        );
    }
    assert!(!desk.path("s3:").exists());
}

const PLAN: &str =
    "--data data --protocol prepair --judge openai:m@http://127.0.0.1:9/v1 --run batch";

/// Exports the present wave below an address, and returns its files as JSON lines.
fn export(desk: &Desk, bucket: &ObjectServer, wave: usize, format: &str) -> Vec<String> {
    let arguments = format!(
        "batch export {PLAN} --out s3://b/w{wave} --file-format {format} --max-lines 7 \
         --format json"
    );
    let exported = done(desk, bucket, &arguments).json();
    let files = exported["files"].as_array().unwrap().iter();
    let read = files.map(|file| {
        let name = file.as_str().unwrap().trim_start_matches("s3://");
        let contents = bucket.get(name).unwrap();
        if format == "jsonl" {
            return String::from_utf8(contents).unwrap();
        }
        let file = SerializedFileReader::new(bytes::Bytes::from(contents)).unwrap();
        let rows = RowIter::from_file_into(Box::new(file)).map(|row| {
            let row = row.unwrap();
            let [id, method, url, body] = [0, 1, 2, 3].map(|at| row.get_string(at).unwrap());
            let body: Value = serde_json::from_str(body).unwrap();
            let line = json!({"custom_id": id, "method": method, "url": url, "body": body});
            format!("{line}\n")
        });
        rows.collect()
    });
    read.collect()
}

/// All waves through a bucket with faults, in one layout or the other: the judgments of a live run.
#[test]
fn waves_go_through_a_bucket_that_fails() {
    let desk = Desk::new(3, &["ant", "bee", "cat"]);
    let server = Server::start(Script::default()).unwrap();
    let live = PLAN
        .replace("http://127.0.0.1:9/v1", &server.url())
        .replace("batch", "live");
    let live = desk.done(&format!("judge {live} --format json")).stdout;
    for format in ["jsonl", "parquet"] {
        let bucket = ObjectServer::start().unwrap();
        bucket.set_faults(FAULTS);
        let _ = std::fs::remove_dir_all(desk.path("batch"));
        let mut waves = 0;
        loop {
            let files = export(&desk, &bucket, waves, format);
            if files.is_empty() {
                break;
            }
            waves += 1;
            for (number, file) in files.iter().enumerate() {
                let replies = run_batch(file, &BatchOptions::default()).join("\n");
                bucket.put(
                    &format!("b/replies{waves}/{number}.jsonl"),
                    replies.as_bytes(),
                );
            }
            // The list does not show the last object yet: what is there is taken, and the rest
            // when it is seen.
            for list_lags in [1, 0] {
                bucket.set_faults(ObjectFaults {
                    list_lags,
                    ..FAULTS
                });
                let import =
                    format!("batch import s3://b/replies{waves} --run batch --format json");
                let imported = ran(&desk, &bucket, &import);
                if files.len() > 1 || list_lags == 0 {
                    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
                    let left = imported.json()["left"].as_u64().unwrap();
                    assert_eq!(left > 0, list_lags == 1, "{left}");
                }
            }
        }
        assert_eq!(waves, 2, "{format}");
        let judged = desk.done(&format!("judge {PLAN} --format json"));
        assert!(
            judged.stdout == live,
            "{format}: {}\nlive: {live}",
            judged.stdout
        );
    }
}

/// Objects above the size of a part are sent in parts, and those that must be new in one piece; no
/// upload is left under way.
#[test]
fn large_files_are_sent_in_parts() {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..2).map(item).collect::<String>());
    let text = |system: &str| format!("{system} {}", "word ".repeat(1_700_000));
    let responses = ["ant", "bee"].map(|system| {
        let texts = (0..2).map(|at| answer(at, system, &text(system)));
        texts.collect::<String>()
    });
    desk.write("data/responses.jsonl", responses.concat());
    let bucket = ObjectServer::start().unwrap();
    // An answer that is lost as an upload begins leaves that upload under way: none is cut here.
    bucket.set_faults(ObjectFaults { cut: 0, ..FAULTS });

    let review = |place: &str, run: &str| {
        let judge = "judge --data data --protocol pairwise/direct/swap --judge simulated:gap=0";
        let file = format!("--for-review {place} --review-below 1");
        done(&desk, &bucket, &format!("{judge} {file} --run {run}"));
    };
    review("review.jsonl", "here");
    review("s3://b/review.jsonl", "away");
    let sent = bucket.get("b/review.jsonl").unwrap();
    assert!(sent.len() > 16 << 20 && sent == desk.read("review.jsonl").as_bytes());
    let parts = sent.len().div_ceil(16 << 20);
    assert!(bucket.parts() >= parts, "{} of {parts}", bucket.parts());

    let plan = "--data data --protocol pairwise/direct/swap --judge openai:m@http://127.0.0.1:9/v1";
    let export = |out: &str, run: &str| {
        let export = format!("batch export {plan} --run {run} --out {out} --format json");
        done(&desk, &bucket, &export).json()
    };
    let local = export("out", "one");
    let remote = export("s3://b/out", "two");
    assert_eq!(local["requests"], json!(4));
    let files = |exported: &Value| exported["files"].as_array().unwrap().len();
    assert_eq!([files(&local), files(&remote)], [1, 1]);
    let sent = bucket.get("b/out/batch-001.jsonl").unwrap();
    assert!(sent.len() > 3 * (16 << 20) && sent == desk.read("out/batch-001.jsonl").as_bytes());
    assert_eq!(bucket.names().1, 0, "no upload is left under way");
}
