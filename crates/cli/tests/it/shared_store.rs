//! `--store`: replies that several runs share, by segments in a directory or in object storage, or
//! by PostgreSQL.
//!
//! The tests of PostgreSQL need a server: `scripts/test-postgres` starts one. Without
//! EVENHAND_TEST_POSTGRES, which names it, they say that they skip.

use crate::common::served::*;
use crate::common::{Desk, Ran, assert_holds};
use evenhand_testing::objects::{ObjectFaults, ObjectServer};
use evenhand_testing::server::{Script, Server};
use std::process::Child;
use std::time::Duration;

const ITEMS: usize = 30;
const CALLS: u64 = (ITEMS * CALLS_OF_ITEM) as u64;
const PROCESSES: usize = 8;
/// Calls that a process has under way.
const AT_ONCE: u64 = 4;
const SIMULATED: &str = "--data data --judge simulated:gap=0.2 --no-reuse";

fn slow_server(latency: u64) -> Server {
    start(Script {
        latency: Duration::from_millis(latency),
        keep: 0,
        ..quick()
    })
}

/// The address of a PostgreSQL for tests, with a database of its own; None where there is none.
fn postgres(database: &str) -> Option<String> {
    let Ok(server) = std::env::var("EVENHAND_TEST_POSTGRES") else {
        eprintln!("SKIPPED: no PostgreSQL to test with; run scripts/test-postgres");
        return None;
    };
    Some(format!("{server}/{database}"))
}

/// A bucket on loopback that fails as such storage does, and what a process must know to find it.
fn bucket() -> (ObjectServer, Vec<(&'static str, String)>) {
    let bucket = ObjectServer::start().unwrap();
    bucket.set_faults(ObjectFaults {
        unavailable: 23,
        dropped: 29,
        cut: 19,
        silent: 0,
        list_lags: 1,
        refused: false,
        captive: false,
    });
    let environment = bucket.environment().to_vec();
    (bucket, environment)
}

/// Returns the counts of the last line on stderr: calls made now, reused, and given to the store.
fn counts(ran: &Ran) -> [u64; 3] {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let line = ran
        .stderr
        .lines()
        .find(|line| line.starts_with("run kept in"))
        .unwrap();
    let before = |words: &str| -> u64 {
        let number = line
            .split_once(words)
            .and_then(|(before, _)| before.rsplit(' ').next());
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    };
    [" calls made now", " reused from other runs", " given to "].map(before)
}

fn rank(run: &str, store: &str) -> String {
    format!("rank {MINE} --run {run} --no-reuse --store {store} --ci none --format json")
}

fn ranking(ran: &Ran) -> String {
    serde_json::to_string_pretty(&ran.json()["ranking"]).unwrap()
}

#[test]
fn a_second_run_asks_nothing_and_stands_on_its_own() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let run = |run: &str| {
        desk.done(&format!(
            "rank {SIMULATED} --run {run} --store team --format json"
        ))
    };
    let first = run("first");
    assert_eq!(counts(&first), [CALLS, 0, CALLS]);
    let second = run("second");
    assert_eq!(counts(&second), [0, CALLS, 0]);
    second.says(&format!("(team {CALLS})"));
    assert_eq!(ranking(&first), ranking(&second));
    // What it was taken from may go.
    std::fs::remove_dir_all(desk.path("team")).unwrap();
    let again = desk.done(&format!("rank {SIMULATED} --run second --format json"));
    assert_eq!(counts(&again), [0, 0, 0]);
    assert_eq!(ranking(&again), ranking(&first));
    let spent = "SELECT count(*) FROM calls JOIN sessions ON sessions.id = calls.session \
                 WHERE reused = 0";
    let spent = format!("SELECT CAST(({spent}) AS TEXT)");
    assert_eq!(rows(&desk, "second", &spent), ["0"]);
}

/// A run that was made without the store, or was killed before it gave all, gives the rest.
#[test]
fn a_run_that_goes_on_gives_what_the_store_lacks() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    desk.done(&format!("rank {SIMULATED} --run first"));
    let given = desk.done(&format!("rank {SIMULATED} --run first --store team"));
    assert_eq!(counts(&given), [0, 0, CALLS]);
    let second = desk.done(&format!("rank {SIMULATED} --run second --store team"));
    assert_eq!(counts(&second), [0, CALLS, 0]);
}

#[test]
fn limits_count_what_was_taken_as_not_spent() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    desk.done(&format!(
        "rank {SIMULATED} --run first --items 20 --store team"
    ));
    let more = desk.done(&format!(
        "rank {SIMULATED} --run more --store team --max-calls {}",
        10 * CALLS_OF_ITEM
    ));
    assert_eq!(
        counts(&more)[..2],
        [10 * CALLS_OF_ITEM as u64, 20 * CALLS_OF_ITEM as u64]
    );
}

#[test]
fn prepair_and_audits_and_judgments_take_part() {
    let desk = Desk::new(8, &SYSTEMS[..3]);
    for command in [
        "rank --protocol prepair --data data --judge simulated:gap=0.2",
        "judge --protocol pairwise/cot/swap --data data --judge simulated:gap=0.2",
    ] {
        let run = |name: &str| {
            counts(&desk.done(&format!("{command} --no-reuse --run {name} --store team")))
        };
        let name = command.split_whitespace().next().unwrap();
        let [made, _, given] = run(&format!("{name}-first"));
        assert!(made > 0 && made == given, "{made} {given}");
        assert_eq!(run(&format!("{name}-second")), [0, made, 0]);
    }
    let audit = |name: &str| {
        desk.done(&format!(
            "audit --data data --judge simulated:gap=0.2,log={name}.log --probes position \
             --no-reuse --run {name} --store team"
        ));
        desk.lines(&format!("{name}.log")).len()
    };
    // The log is part of the judge's name, so that only the first asks.
    assert!(audit("one") > 0);
}

#[test]
fn entries_without_the_team_s_signature_are_refused() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    desk.done(&format!("rank {SIMULATED} --run stranger --store team"));
    let signed = |run: &str| {
        let arguments = format!("rank {SIMULATED} --run {run} --store team");
        let mut command = desk.command(&arguments);
        Ran::of(
            command
                .env("EVENHAND_STORE_KEY", "the key of our team")
                .output()
                .unwrap(),
        )
    };
    let ours = signed("ours");
    assert_eq!(counts(&ours), [CALLS, 0, CALLS]);
    ours.says("not signed with this key");
    ours.says("its entries refused");
    assert_eq!(counts(&signed("again")), [0, CALLS, 0]);
    // By a file, too.
    desk.write("key", "the key of our team\n");
    let by_file = desk.done(&format!(
        "rank {SIMULATED} --run third --store team --store-key-file key"
    ));
    assert_eq!(counts(&by_file), [0, CALLS, 0]);
    for run in ["ours", "again", "third"] {
        let all = crate::common::snapshot(&desk.path(run));
        let key = b"the key of our team";
        assert!(
            all.values()
                .all(|bytes| !bytes.windows(key.len()).any(|part| part == key))
        );
    }
}

#[test]
fn addresses_that_cannot_be_used_are_refused_before_anything_is_asked() {
    let desk = Desk::new(2, &SYSTEMS);
    for (store, code, part) in [
        ("s3://me:s3cret-w@bucket/x", 2, "a bucket has no user"),
        (
            "redis://me:s3cret-w@host",
            2,
            "not an address of a known kind",
        ),
        (
            "postgres://me:s3cret-w@127.0.0.1:1/x",
            1,
            "postgres://127.0.0.1:1/x",
        ),
        // Places where nothing can be written.
        ("/proc", 2, "nothing can be written there"),
        ("data/items.jsonl", 2, "data/items.jsonl"),
    ] {
        let ran = desk.run(&format!("rank {SIMULATED} --run run --store {store}"));
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        ran.says(part);
        assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
        assert!(!desk.path("run").exists());
    }
}

#[test]
fn segments_are_made_one_by_a_command() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    for items in [10, 20, 30] {
        desk.done(&format!(
            "rank {SIMULATED} --items {items} --run run{items} --store team"
        ));
    }
    let said = desk.done("store compact team").stdout;
    assert!(
        said.starts_with("3 segments merged into one: 600 replies"),
        "{said}"
    );
    assert!(
        desk.done("store compact team")
            .stdout
            .starts_with("nothing to merge")
    );
    let after = desk.done(&format!("rank {SIMULATED} --run after --store team"));
    assert_eq!(counts(&after), [0, CALLS, 0]);
}

#[test]
fn objects_are_made_one_by_a_command() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let (bucket, environment) = bucket();
    let done = |arguments: &str| {
        let mut command = desk.command(arguments);
        let ran = Ran::of(command.envs(environment.clone()).output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran
    };
    for items in [10, 20, 30] {
        let run = format!("--items {items} --run run{items}");
        done(&format!("rank {SIMULATED} {run} --store s3://bucket/team"));
    }
    bucket.set_faults(ObjectFaults::default());
    let said = done("store compact s3://bucket/team/").stdout;
    assert_holds(&said, " segments merged into one: 600 replies");
    assert_eq!(bucket.names().0.len(), 1);
    let after = format!("rank {SIMULATED} --run after --store s3://bucket/team");
    assert_eq!(counts(&done(&after)), [0, CALLS, 0]);
}

#[test]
fn eight_processes_share_segments() {
    share_among_eight("team", &[], || ());
}

/// With requests that fail, answers that break off, and lists that lag behind.
#[test]
fn eight_processes_share_objects() {
    let (bucket, environment) = bucket();
    share_among_eight("s3://bucket/team", &environment, || {
        // What was put last is seen in the end.
        bucket.set_faults(ObjectFaults::default());
    });
    // What each has put in small pieces is one in the end, or a few.
    let (names, uploads) = bucket.names();
    assert!(
        (1..=8 * 4).contains(&names.len()) && uploads == 0,
        "{names:?}"
    );
}

#[test]
fn eight_processes_share_a_table_of_postgres() {
    if let Some(store) = postgres("eight") {
        share_among_eight(&store, &[], || ());
    }
}

/// All of eight processes come to the same ranking, and what one paid for the others find; `after`
/// is done before the last one looks.
fn share_among_eight(store: &str, environment: &[(&'static str, String)], after: impl FnOnce()) {
    let server = slow_server(100);
    let desk = Desk::new(ITEMS, &SYSTEMS);
    configure(&desk, &[&server.url()], &format!("concurrency = {AT_ONCE}"));
    let all: Vec<Child> = (0..PROCESSES)
        .map(|number| {
            let mut command = desk.command(&rank(&format!("run{number}"), store));
            command.envs(environment.to_vec()).spawn().unwrap()
        })
        .collect();
    let all: Vec<Ran> = all
        .into_iter()
        .map(|child| Ran::of(child.wait_with_output().unwrap()))
        .collect();
    let (mut made, mut given) = (0, 0);
    for ran in &all {
        let counts = counts(ran);
        assert_eq!(counts[0] + counts[1], CALLS, "{}", ran.stderr);
        made += counts[0];
        given += counts[2];
        assert_eq!(ranking(ran), ranking(&all[0]));
    }
    let stats = server.stats();
    eprintln!(
        "{store}: {CALLS} questions, {made} calls, {given} given, {} asked more than once; {} \
         times after a reply, at most {:?}",
        stats.bodies_replied_more_than_once,
        stats.asked_after_reply.len(),
        stats.asked_after_reply.iter().max()
    );
    // Probes of what the server can do come on top.
    assert!(stats.distinct_bodies >= CALLS);
    assert!(stats.requests >= made);
    // Without sharing each of the eight asks everything; how much less it is, the machine decides.
    assert!(made < 8 * CALLS, "{made} calls for {CALLS} questions");
    // No reply is lost: whoever comes later asks nothing.
    after();
    let mut ninth = desk.command(&rank("ninth", store));
    let ninth = Ran::of(ninth.envs(environment.to_vec()).output().unwrap());
    assert_eq!(counts(&ninth), [0, CALLS, 0]);
    assert_eq!(ranking(&ninth), ranking(&all[0]));
}

#[test]
fn processes_that_are_killed_take_nothing_with_them_of_segments() {
    kill_some("team", &[], || ());
}

#[test]
fn processes_that_are_killed_take_nothing_with_them_of_objects() {
    let (bucket, environment) = bucket();
    kill_some("s3://bucket/team", &environment, || {
        bucket.set_faults(ObjectFaults::default());
    });
}

#[test]
fn processes_that_are_killed_take_nothing_with_them_of_postgres() {
    if let Some(store) = postgres("kills") {
        kill_some(&store, &[], || ());
    }
}

/// Some of eight processes are killed; what they had paid for, the others find or the same command
/// gives; `after` is done before that one.
fn kill_some(store: &str, environment: &[(&'static str, String)], after: impl FnOnce()) {
    let server = slow_server(100);
    let desk = Desk::new(ITEMS, &SYSTEMS);
    configure(&desk, &[&server.url()], &format!("concurrency = {AT_ONCE}"));
    let start = |number: usize| {
        let mut command = desk.command(&rank(&format!("run{number}"), store));
        command.envs(environment.to_vec()).spawn().unwrap()
    };
    let mut all: Vec<Child> = (0..PROCESSES).map(start).collect();
    for (number, child) in all.iter_mut().enumerate().take(4) {
        wait_for_requests(&server, 100 * (number as u64 + 1));
        child.kill().unwrap();
    }
    for (number, mut child) in all.into_iter().enumerate() {
        if number < 4 {
            child.wait().unwrap();
        } else {
            counts(&Ran::of(child.wait_with_output().unwrap()));
        }
    }
    after();
    let before = server.stats().requests;
    assert!(before < 8 * CALLS, "{before}");
    for number in 0..4 {
        let ran = Ran::of(start(number).wait_with_output().unwrap());
        assert_eq!(counts(&ran)[0], 0, "{}", ran.stderr);
    }
    let mut ninth = desk.command(&rank("ninth", store));
    let ninth = Ran::of(ninth.envs(environment.to_vec()).output().unwrap());
    assert_eq!(counts(&ninth), [0, CALLS, 0]);
}

/// Storage that takes nothing more is said once, within the time for which it is tried again.
#[test]
fn a_run_goes_on_alone_when_a_bucket_goes_away() {
    let bucket = ObjectServer::start().unwrap();
    let server = slow_server(50);
    let (items, calls) = (15, 15 * CALLS_OF_ITEM as u64);
    let desk = Desk::new(items, &SYSTEMS);
    configure(&desk, &[&server.url()], &format!("concurrency = {AT_ONCE}"));
    let mut command = desk.command(&rank("run", "s3://bucket/team"));
    let child = command.envs(bucket.environment()).spawn().unwrap();
    wait_for_requests(&server, 100);
    bucket.set_faults(ObjectFaults {
        refused: true,
        ..ObjectFaults::default()
    });
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(counts(&ran)[0], calls);
    let said = ran.stderr.matches("goes on without the store").count();
    assert_eq!(said, 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("storage-secret"), "{}", ran.stderr);
    // When it is there again, the same command gives what is missing.
    bucket.set_faults(ObjectFaults::default());
    let again = |run: &str| {
        let mut command = desk.command(&rank(run, "s3://bucket/team"));
        counts(&Ran::of(
            command.envs(bucket.environment()).output().unwrap(),
        ))
    };
    assert_eq!(again("run")[0], 0);
    assert_eq!(again("second"), [0, calls, 0]);
}

/// A request that is never answered is given up after a while and sent again: of a file that is
/// read, of a segment that is put, of the list of segments. Each bucket is silent at another of its
/// requests.
#[test]
fn a_bucket_that_falls_silent_is_asked_again() {
    let rank_from_bucket = |run: &str| {
        format!(
            "rank --data s3://b/data --judge simulated:gap=0.7 --run {run} --no-reuse --format \
             json --store s3://bucket/team"
        )
    };
    let local = Desk::new(4, &SYSTEMS);
    let expected = local.done("rank --data data --judge simulated:gap=0.7 --run run --format json");
    let buckets: Vec<_> = (1..=6)
        .map(|silent| {
            let bucket = ObjectServer::start().unwrap();
            for file in ["data/items.jsonl", "data/responses.jsonl"] {
                bucket.put(&format!("b/{file}"), local.read(file).as_bytes());
            }
            bucket.set_faults(ObjectFaults {
                silent,
                ..ObjectFaults::default()
            });
            let desk = Desk::new(1, &SYSTEMS);
            let mut command = desk.command(&rank_from_bucket("first"));
            command.envs(bucket.environment());
            let child = command.spawn().unwrap();
            (bucket, desk, child)
        })
        .collect();
    for (bucket, desk, child) in buckets {
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ranking(&ran), ranking(&expected));
        assert!(
            !ran.stderr.contains("goes on without the store"),
            "{}",
            ran.stderr
        );
        // All of it is there, whole.
        let mut second = desk.command(&rank_from_bucket("second"));
        bucket.set_faults(ObjectFaults::default());
        let second = Ran::of(second.envs(bucket.environment()).output().unwrap());
        assert_eq!(counts(&second)[0], 0, "{}", second.stderr);
    }
}

/// A bucket that repeats the secret key in its error, and a network whose page stands for a list.
#[test]
fn what_a_bucket_answers_is_neither_believed_nor_repeated_unread() {
    let desk = Desk::new(2, &SYSTEMS);
    for (faults, part) in [
        (
            ObjectFaults {
                refused: true,
                ..ObjectFaults::default()
            },
            "no: [key]",
        ),
        (
            ObjectFaults {
                captive: true,
                ..ObjectFaults::default()
            },
            "what answers is not object storage",
        ),
    ] {
        let bucket = ObjectServer::start().unwrap();
        bucket.set_faults(faults);
        // Side by side, since each asks again for a while.
        let asked = [
            format!("rank {SIMULATED} --run run --store s3://bucket/team"),
            "store compact s3://bucket/team".into(),
            "rank --data s3://bucket/data/ --judge simulated".into(),
        ]
        .map(|arguments| {
            let mut command = desk.command(&arguments);
            let child = command.envs(bucket.environment()).spawn().unwrap();
            (arguments, child)
        });
        for (arguments, child) in asked {
            let ran = Ran::of(child.wait_with_output().unwrap());
            assert!(
                matches!(ran.code, Some(1 | 2)),
                "{arguments}: {}",
                ran.stderr
            );
            assert!(ran.stderr.contains(part), "{arguments}: {}", ran.stderr);
            assert!(!ran.stderr.contains("storage-secret"), "{}", ran.stderr);
            assert!(!desk.path("run").exists(), "{arguments}");
        }
    }
}

/// A server that goes away in the midst of a run is said once, and the run ends well.
#[test]
fn a_run_goes_on_alone_when_postgres_goes_away() {
    let Some(store) = postgres("away") else {
        return;
    };
    let Ok(stop) = std::env::var("EVENHAND_TEST_POSTGRES_CUT") else {
        eprintln!("SKIPPED: nothing cuts connections; run scripts/test-postgres");
        return;
    };
    let server = slow_server(200);
    let desk = Desk::new(ITEMS, &SYSTEMS);
    configure(&desk, &[&server.url()], &format!("concurrency = {AT_ONCE}"));
    let child = desk.start(&rank("run", &store));
    wait_for_requests(&server, 100);
    let cut = std::process::Command::new("sh")
        .args(["-c", &stop])
        .status()
        .unwrap();
    assert!(cut.success());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(counts(&ran)[0], CALLS);
    assert_eq!(
        ran.stderr.matches("goes on without the store").count(),
        1,
        "{}",
        ran.stderr
    );
}
