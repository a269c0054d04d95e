//! `batch run`: waves to a provider's own batch API, and back. Gemini's was tried against this
//! server alone.

use super::*;
use evenhand_testing::server::{Act, Provider};
use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};

const KEY: &str = "sk-a-key-that-nobody-may-see-123";
const CREATE: &str = "POST /v1/batches ";
const APIS: [&str; 3] = ["openai", "anthropic", "gemini"];

/// The beginnings of the requests that hand a file in, make a batch, look at it and fetch results.
fn lines(api: &str) -> [&'static str; 4] {
    match api {
        "openai" => [
            "POST /v1/files ",
            CREATE,
            "GET /v1/batches/",
            "GET /v1/files/",
        ],
        "anthropic" => [
            "-",
            "POST /v1/messages/batches ",
            "GET /v1/messages/batches/",
            "GET /v1/messages/batches/",
        ],
        _ => [
            "POST /upload/v1beta/files",
            "POST /v1beta/models/",
            "GET /v1beta/batches/",
            "GET /download/v1beta/files/",
        ],
    }
}

fn provider() -> Provider {
    Provider::start(BatchOptions {
        seed: 7,
        ..BatchOptions::default()
    })
    .unwrap()
}

fn flags(desk: &Desk, api: &str, provider: &Provider) -> String {
    let judge = match api {
        "gemini" => {
            judge_of_gemini(desk, &provider.google_url());
            "g --config judges.toml".into()
        }
        _ => format!("{api}:a@{}", provider.url()),
    };
    format!("--data data --protocol pairwise/prepair/swap --judge {judge}")
}

/// A server of ours is Gemini's where the configuration says so.
fn judge_of_gemini(desk: &Desk, address: &str) {
    let judge = "[judges.g]\nspec = 'openai:a'\nprovider = 'gemini'\n";
    desk.write("judges.toml", format!("{judge}endpoints = ['{address}']\n"));
}

fn start(desk: &Desk, arguments: &str) -> Child {
    let mut command = desk.command(arguments);
    KEYS.iter().for_each(|key| {
        command.env(key, KEY);
    });
    command.spawn().unwrap()
}

fn run(desk: &Desk, arguments: &str) -> Ran {
    Ran::of(start(desk, arguments).wait_with_output().unwrap())
}

fn run_waves(desk: &Desk, flags: &str) -> Ran {
    run(
        desk,
        &format!("batch run {flags} --run batch --poll 0.02 --format json"),
    )
}

/// How often each request was in a batch that was made.
fn times_asked(provider: &Provider) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for line in provider.batches().iter().flat_map(|lines| lines.lines()) {
        let line: Value = serde_json::from_str(line).unwrap();
        let id = line["custom_id"].as_str().unwrap().to_string();
        *times.entry(id).or_insert(0) += 1;
    }
    times
}

fn assert_asked_once(provider: &Provider) {
    let times = times_asked(provider);
    assert!(times.len() > 9, "{times:?}");
    assert!(times.values().all(|times| *times == 1), "{times:?}");
}

/// The judgments of a live run, as if its server were the provider.
fn live(desk: &Desk, api: &str, provider: &Provider) -> String {
    let server = Server::start(Script::default()).unwrap();
    let flags = flags(desk, api, provider).replace(&provider.url(), &server.url());
    if api == "gemini" {
        judge_of_gemini(desk, &server.url());
    }
    let ran = run(desk, &format!("judge {flags} --run live --format json"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let address = match api {
        "gemini" => {
            judge_of_gemini(desk, &provider.google_url());
            provider.google_url()
        }
        _ => provider.url(),
    };
    ran.stdout.replace(&server.url(), &address)
}

/// The judgments of the waves, which ask nothing more.
fn judged(desk: &Desk, flags: &str) -> String {
    let ran = done(desk, &format!("judge {flags} --run batch --format json"));
    ran.says(": 0 calls made now");
    ran.stdout
}

/// Whether any file of the run holds the key.
fn holds_key(dir: &std::path::Path) -> bool {
    std::fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds_key(&path);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes())
    })
}

#[test]
fn waves_by_each_api_give_the_judgments_of_a_live_run() {
    let headers = ["authorization", "x-api-key", "x-goog-api-key"];
    for (api, header) in APIS.into_iter().zip(headers) {
        let (desk, provider) = (talkative(), provider());
        let flags = flags(&desk, api, &provider);
        let ran = run_waves(&desk, &flags);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let report = ran.json();
        assert_eq!(count(&report, "waves"), 2, "{report}");
        assert_eq!(count(&report, "left"), 0, "{report}");
        assert_asked_once(&provider);
        assert_eq!(judged(&desk, &flags), live(&desk, api, &provider), "{api}");
        let heads = provider.requests();
        let has_key = |head: &str| head.to_lowercase().contains(header) && head.contains(KEY);
        assert!(heads.iter().all(|seen| has_key(&seen.head)));
        assert!(
            heads
                .iter()
                .all(|seen| api != "gemini" || !seen.head.contains("Bearer"))
        );
        assert!(!holds_key(&desk.path("batch")) && !ran.stderr.contains(KEY));
        let again = run_waves(&desk, &flags);
        assert_eq!(count(&again.json(), "batches"), 0, "{}", again.stderr);
        assert_asked_once(&provider);
        // Where nothing is missing, no key is needed.
        desk.done(&format!("batch run {flags} --run batch"));
    }
}

/// Killed while a request is not answered, at every kind of request, and begun again.
#[test]
fn a_run_that_is_killed_goes_on_and_asks_nothing_twice() {
    for api in APIS {
        let [upload, create, look, fetch] = lines(api);
        for (line, act) in [
            (upload, Act::Stall),
            (create, Act::Stall),
            (create, Act::DoAndStall),
            (look, Act::Stall),
            (fetch, Act::Stall),
        ] {
            if line != "-" {
                kill_and_go_on(api, line, act);
            }
        }
    }
}

fn kill_and_go_on(api: &str, line: &str, act: Act) {
    let (desk, provider) = (talkative(), provider());
    let flags = flags(&desk, api, &provider);
    provider.next(line, act.clone());
    let mut child = start(&desk, &format!("batch run {flags} --run batch --poll 0.02"));
    let until = Instant::now() + Duration::from_secs(60);
    let is_seen = || {
        let seen = provider.requests();
        seen.iter().any(|one| one.head.starts_with(line))
    };
    while !is_seen() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    // What it does, it has done by then.
    std::thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = run_waves(&desk, &flags);
    assert_eq!(ran.code, Some(0), "{api} {line} {act:?}: {}", ran.stderr);
    assert_asked_once(&provider);
    assert_eq!(judged(&desk, &flags), live(&desk, api, &provider));
}

#[test]
fn faults_that_pass_are_waited_for() {
    for api in APIS {
        let (desk, provider) = (talkative(), provider());
        let flags = flags(&desk, api, &provider);
        let [upload, create, look, _] = lines(api);
        provider.next(upload, Act::Status(503));
        provider.next(create, Act::Status(429));
        provider.next(create, Act::Status(503));
        provider.next(create, Act::Lose);
        provider.next(look, Act::Status(500));
        let ran = run_waves(&desk, &flags);
        ran.ends(0, "HTTP 429");
        assert_asked_once(&provider);
        assert_eq!(judged(&desk, &flags), live(&desk, api, &provider));
    }
}

#[test]
fn what_expired_is_handed_in_again_and_what_found_no_room_waits() {
    for (api, no_room, word) in [
        ("openai", "token_limit_exceeded", "expired"),
        ("gemini", "8", "BATCH_STATE_EXPIRED"),
    ] {
        let (desk, provider) = (talkative(), provider());
        let flags = flags(&desk, api, &provider);
        let [_, create, ..] = lines(api);
        provider.next(create, Act::Fail(no_room.into()));
        provider.next(create, Act::Expire(5));
        let ran = run_waves(&desk, &flags);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let ended = format!("ended as `{word}`");
        ran.says(&ended);
        ran.says("found no room");
        assert_eq!(judged(&desk, &flags), live(&desk, api, &provider));
    }
}

#[test]
fn batches_that_come_to_nothing_are_not_made_without_end() {
    let (desk, provider) = (talkative(), provider());
    for _ in 0..9 {
        provider.next(CREATE, Act::Expire(0));
    }
    let ran = run_waves(&desk, &flags(&desk, "openai", &provider));
    ran.ends(1, "times without a result");
    assert_eq!(provider.batches().len(), 4);
}

#[test]
fn a_batch_that_is_refused_is_an_error_in_the_providers_words() {
    for (api, code) in [("openai", "invalid_json_line"), ("gemini", "3")] {
        let (desk, provider) = (talkative(), provider());
        let [_, create, ..] = lines(api);
        provider.next(create, Act::Fail(code.into()));
        let flags = flags(&desk, api, &provider);
        let ran = run_waves(&desk, &flags);
        ran.ends(1, "the provider's own words");
        assert_eq!(run_waves(&desk, &flags).code, Some(0));
    }
}

#[test]
fn a_panel_is_at_both_providers_at_once() {
    let (desk, one, two) = (talkative(), provider(), provider());
    let flags = format!(
        "--data data --protocol pairwise --panel mean --judge openai:a@{} --judge anthropic:b@{}",
        one.url(),
        two.url()
    );
    let ran = run_waves(&desk, &flags);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(count(&ran.json(), "waves"), 1);
    assert_eq!((one.batches().len(), two.batches().len()), (1, 1));
    assert!(judged(&desk, &flags).contains("\"failure\":null"));
}

#[test]
fn what_is_under_way_is_canceled_and_what_is_finished_is_taken() {
    for api in APIS {
        let (desk, provider) = (talkative(), provider());
        let flags = flags(&desk, api, &provider);
        let [_, create, ..] = lines(api);
        provider.next(create, Act::Hold);
        let mut child = start(&desk, &format!("batch run {flags} --run batch --poll 0.02"));
        let until = Instant::now() + Duration::from_secs(60);
        while provider.requests().len() < 6 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let ran = run_waves(&desk, &format!("{flags} --cancel"));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let report = ran.json();
        let asked = times_asked(&provider).len() as u64;
        assert_eq!(count(&report, "replies"), asked / 2, "{report}");
        assert_eq!(count(&report, "left"), asked - asked / 2, "{report}");
        assert_eq!(run_waves(&desk, &flags).code, Some(0));
        assert_eq!(judged(&desk, &flags), live(&desk, api, &provider));
    }
}

#[test]
fn limits_are_kept_before_anything_is_sent() {
    let (desk, provider) = (talkative(), provider());
    let flags = flags(&desk, "openai", &provider);
    let ran = run_waves(&desk, &format!("{flags} --max-calls 3"));
    ran.ends(1, "max-calls");
    let simulated = run_waves(&desk, "--data data --protocol pairwise --judge simulated");
    assert_eq!(simulated.code, Some(2), "{}", simulated.stderr);
    assert!(provider.requests().is_empty());
}

#[test]
fn a_malicious_provider_does_no_harm() {
    let other = provider();
    let elsewhere = format!("{}/files/x/content", other.url());
    let moved = json!({"id": "msgbatch_0", "processing_status": "ended",
        "results_url": elsewhere, "request_counts": {}});
    let climbing = json!({"id": "batch_0", "status": "completed",
        "output_file_id": "../../etc/passwd"});
    let sent_away = format!("x-goog-upload-url: {elsewhere}");
    let of_google = |name: &str| {
        let about = json!({"state": "BATCH_STATE_SUCCEEDED", "output": {"responsesFile": name}});
        json!({"name": "batches/batch_0", "metadata": about}).to_string()
    };
    let cases = [
        ("gemini", "POST /upload/", Act::Head(sent_away)),
        (
            "gemini",
            "POST /v1beta/models/",
            Act::Say(r#"{"name":"batches/../x"}"#.into()),
        ),
        (
            "gemini",
            "GET /v1beta/batches/",
            Act::Say(of_google("files/../../../x")),
        ),
        ("openai", "POST /v1/files ", Act::Redirect(elsewhere)),
        (
            "openai",
            "POST /v1/files ",
            Act::Say(r#"{"id":"../x"}"#.into()),
        ),
        ("openai", "GET /v1/batches/", Act::Say(climbing.to_string())),
        ("openai", "GET /v1/batches/", Act::Say("x".repeat(20 << 20))),
        (
            "anthropic",
            "GET /v1/messages/batches/",
            Act::Say(moved.to_string()),
        ),
    ];
    for (api, line, act) in cases {
        let (desk, provider) = (talkative(), provider());
        provider.next(line, act);
        let ran = run_waves(&desk, &flags(&desk, api, &provider));
        ran.ends(1, "the batch API");
        assert!(!ran.stderr.contains(KEY) && !holds_key(&desk.path("batch")));
    }
    assert!(other.requests().is_empty(), "the key went elsewhere");
}

/// A key that comes back in results, spelled in another way, is not kept.
#[test]
fn a_key_in_results_is_not_kept() {
    let (desk, provider) = (talkative(), provider());
    let escaped: String = KEY
        .chars()
        .map(|c| format!("\\u{:04x}", c as u32))
        .collect();
    let body = format!(r#"{{"choices":[{{"message":{{"content":"{escaped}"}}}}]}}"#);
    let flags = flags(&desk, "openai", &provider);
    done(
        &desk,
        &format!("batch export {flags} --run other --out out"),
    );
    let asked = desk.lines("out/batch-001.jsonl");
    let id = serde_json::from_str::<Value>(&asked[0]).unwrap()["custom_id"].clone();
    let line = format!(r#"{{"custom_id":{id},"response":{{"status_code":200,"body":{body}}}}}"#);
    provider.next("GET /v1/files/", Act::Say(line));
    let ran = run_waves(&desk, &flags);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!holds_key(&desk.path("batch")) && !ran.stderr.contains(KEY));
}
