//! API keys: sent in one header, and found nowhere else, whatever a server does with them.

use crate::common::served::*;
use crate::common::{Desk, Ran};
use evenhand_testing::server::{Script, Seen, Server};
use std::path::{Path, PathBuf};

const KEY: &str = "sk-evenhand/9f8e7d6c5b4a+not-to-be-found";

/// How the key is given: the judge, its settings, and the variable that holds the key.
const WAYS: [(&str, &str, Option<&str>); 4] = [
    ("openai:m", "", Some("OPENAI_API_KEY")),
    ("openai:m", "key-env = 'MY_KEY'", Some("MY_KEY")),
    ("openai:m", "key-file = 'secret/key'", None),
    ("anthropic:m", "", Some("ANTHROPIC_API_KEY")),
];

/// A desk with a judge whose key is given in this way.
fn desk(server: &Server, spec: &str, settings: &str) -> Desk {
    let desk = Desk::new(3, &SYSTEMS);
    desk.write("secret/key", format!("{KEY}\n"));
    // Anthropic's addresses go without the version.
    let url = server.url();
    let url = if spec.starts_with("anthropic") {
        url.trim_end_matches("/v1")
    } else {
        &url
    };
    configure_as(&desk, spec, &[url], settings);
    desk
}

fn run(desk: &Desk, arguments: &str, variable: Option<&str>) -> Ran {
    let mut command = desk.command(arguments);
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
        command.env_remove(name);
    }
    command.envs(variable.map(|name| (name, KEY)));
    Ran::of(command.output().unwrap())
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Neither the key, nor its longer half, nor the key as JSON may write it.
fn holds_key(bytes: &[u8]) -> bool {
    let forms = [
        KEY.to_string(),
        KEY.replace('/', "\\/"),
        KEY[..KEY.len() / 2].to_string(),
        KEY[KEY.len() / 2..].to_string(),
    ];
    forms.iter().any(|form| {
        bytes
            .windows(form.len())
            .any(|window| window == form.as_bytes())
    })
}

/// That the key is nowhere on the desk but in its own file, and in nothing that was printed.
fn assert_hidden(desk: &Desk, ran: &Ran) {
    assert!(!holds_key(ran.stdout.as_bytes()), "{}", ran.stdout);
    assert!(!holds_key(ran.stderr.as_bytes()), "{}", ran.stderr);
    let all = files(&desk.path("."));
    let found: Vec<&PathBuf> = all
        .iter()
        .filter(|file| holds_key(&std::fs::read(file).unwrap()))
        .collect();
    assert!(
        found.len() == 1 && found[0].ends_with("secret/key"),
        "{found:?}"
    );
}

/// Every request had the key, in this header's line, once.
fn assert_sent(requests: &[Seen], header: &str) {
    assert!(!requests.is_empty());
    for seen in requests {
        let lines: Vec<&str> = seen
            .head
            .lines()
            .filter(|line| holds_key(line.as_bytes()))
            .collect();
        assert!(
            lines.len() == 1 && lines[0].to_lowercase().starts_with(header),
            "{}",
            seen.head
        );
        assert!(!holds_key(seen.body.as_bytes()), "{}", seen.body);
    }
}

fn header(spec: &str) -> &'static str {
    if spec.starts_with("anthropic") {
        "x-api-key: "
    } else {
        "authorization: bearer "
    }
}

#[test]
fn a_key_that_a_server_refuses_and_echoes_is_found_nowhere() {
    for (spec, settings, variable) in WAYS {
        let server = start(Script {
            require_key: Some("another".into()),
            keep: 100,
            ..quick()
        });
        let desk = desk(&server, spec, settings);
        for command in ["rank", "judge"] {
            let ran = run(
                &desk,
                &format!("{command} {MINE} --run run --format json"),
                variable,
            );
            ran.ends(1, "Incorrect API key provided: [key].");
            assert!(std::fs::read(desk.path("run/run.sqlite")).is_ok_and(|file| !file.is_empty()));
            assert_hidden(&desk, &ran);
        }
        assert_sent(&server.requests(), header(spec));
    }
}

/// A judge's reply that holds the key, in a run that ends well and in one that is killed: the store
/// has `[key]` in its place.
#[test]
fn a_key_that_a_server_echoes_in_a_reply_is_kept_as_a_mark() {
    for (spec, settings, variable) in WAYS {
        let answers = vec![format!("your key is {KEY}")];
        let server = start(Script {
            answers,
            logprobs: false,
            require_key: Some(KEY.into()),
            keep: 1000,
            ..quick()
        });
        let desk = desk(&server, spec, settings);
        let ran = run(
            &desk,
            &format!("judge {MINE} --run run --keep-going --format json"),
            variable,
        );
        assert_eq!(
            ran.code,
            Some(1),
            "no reply holds a verdict: {}",
            ran.stderr
        );
        assert_sent(&server.requests(), header(spec));
        assert_hidden(&desk, &ran);
        for of in ["reply", "raw"] {
            let kept = rows(&desk, "run", &format!("SELECT {of} FROM calls"));
            assert_eq!(kept.len(), 3 * CALLS_OF_ITEM);
            assert!(
                kept.iter().all(|text| text.contains("your key is [key]")),
                "{of}: {}",
                kept[0]
            );
        }
    }
}

/// What is written and shown on the way: the run directory's name, batch files, the estimate.
#[test]
fn a_key_is_in_no_batch_file_and_no_estimate() {
    for (spec, settings, variable) in WAYS {
        let server = start(quick());
        let desk = desk(&server, spec, settings);
        for command in ["batch export --out batches", "estimate"] {
            let ran = run(&desk, &format!("{command} {MINE}"), variable);
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            assert_hidden(&desk, &ran);
        }
        assert_eq!(server.stats().requests, 0);
    }
}

#[test]
fn a_key_in_the_configuration_file_is_refused_and_not_repeated() {
    let server = start(quick());
    let desk = desk(&server, "openai:m", "key-file = 'secret/key'");
    desk.write(
        "key.toml",
        format!("[judges.mine]\nspec = 'openai:m'\nkey = '{KEY}'\n"),
    );
    let ran = run(
        &desk,
        "judge --config key.toml --judge mine --data data --run run",
        None,
    );
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("unknown field `key`") && !holds_key(ran.stderr.as_bytes()),
        "{}",
        ran.stderr
    );
    for secret in [KEY, "a9f8e7d6c5b4a"] {
        let ran = run(
            &desk,
            &format!(
                "judge --data data --run run --judge openai:m@http://user:{secret}@127.0.0.1:1/v1"
            ),
            None,
        );
        assert_eq!(ran.code, Some(2));
        assert!(!ran.stderr.contains("9f8e7d6c5b4a"), "{}", ran.stderr);
    }
}

/// A run whose judge would be asked with these keys in the environment.
fn with_keys(desk: &Desk, arguments: &str, variables: &[(&str, &str)]) -> Ran {
    let mut command = desk.command(arguments);
    for name in [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "EVENHAND_API_KEY",
        "VLLM_API_KEY",
    ] {
        command.env_remove(name);
    }
    Ran::of(command.envs(variables.iter().copied()).output().unwrap())
}

/// No address here is ever reached: what is wrong is said before anything is sent (192.0.2.0/24 is
/// nobody's).
#[test]
fn a_providers_key_is_not_for_another_host() {
    let desk = Desk::new(2, &SYSTEMS);
    let keys = [
        ("OPENAI_API_KEY", KEY),
        ("ANTHROPIC_API_KEY", KEY),
        ("VLLM_API_KEY", KEY),
    ];
    for api in ["openai", "anthropic"] {
        let ran = with_keys(
            &desk,
            &format!("rank --data data --run run{api} --judge {api}:m@https://192.0.2.1/v1"),
            &keys,
        );
        assert_ne!(ran.code, Some(0));
        ran.says("no API key; set the environment variable EVENHAND_API_KEY");
    }
    for (number, provider) in ["openai", "anthropic", "deepseek"].into_iter().enumerate() {
        configure_as(
            &desk,
            "openai:m",
            &["https://192.0.2.1/v1"],
            &format!("provider = '{provider}'"),
        );
        let keys = [
            ("OPENAI_API_KEY", KEY),
            ("ANTHROPIC_API_KEY", KEY),
            ("DEEPSEEK_API_KEY", KEY),
        ];
        let ran = with_keys(&desk, &format!("rank {MINE} --run own{number}"), &keys);
        assert_ne!(ran.code, Some(0));
        ran.says(&format!(
            "is the key of {provider}, and 192.0.2.1 is not one of its hosts"
        ));
    }
}

#[test]
fn no_key_is_sent_to_another_host_over_plain_http() {
    let desk = Desk::new(2, &SYSTEMS);
    configure_as(
        &desk,
        "openai:m",
        &["http://192.0.2.1/v1"],
        "key-env = 'MY_KEY'",
    );
    let keys = [("EVENHAND_API_KEY", KEY), ("MY_KEY", KEY)];
    for (number, judge) in [
        "openai:m@http://192.0.2.1/v1",
        "anthropic:m@http://192.0.2.1",
        "mine",
    ]
    .into_iter()
    .enumerate()
    {
        let arguments =
            format!("rank --config judge.toml --data data --judge {judge} --run run{number}");
        let ran = with_keys(&desk, &arguments, &keys);
        assert_ne!(ran.code, Some(0));
        ran.says("would go to 192.0.2.1 over plain http");
    }
}

#[test]
fn a_file_that_came_with_data_says_not_where_keys_go() {
    let server = start(Script {
        require_key: Some(KEY.into()),
        keep: 1000,
        ..quick()
    });
    let desk = desk(&server, "openai:m", "");
    let judge = format!("openai:m@{}", server.url());
    desk.write(
        "data/panel.toml",
        format!("members = [{{ judge = '{judge}', protocol = 'pairwise', weight = 1.0 }}]\n"),
    );
    let rank =
        "rank --data data/items.jsonl data/responses.jsonl --judge panel:data/panel.toml --run run";
    let ran = run(&desk, rank, Some("OPENAI_API_KEY"));
    assert_eq!(
        (ran.code, server.stats().requests),
        (Some(2), 0),
        "{}",
        ran.stderr
    );
    ran.says("names an address");
    ran.says("--trust data/panel.toml");
    let ran = run(
        &desk,
        &format!("{rank} --trust data/panel.toml"),
        Some("OPENAI_API_KEY"),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_sent(&server.requests(), "authorization: bearer ");
}

#[test]
fn a_study_that_came_with_data_names_no_key_and_stays_under_runs() {
    let desk = Desk::new(3, &SYSTEMS);
    let ratings = SYSTEMS
        .iter()
        .enumerate()
        .map(|(at, system)| format!("{system},{at}\n"))
        .collect::<String>();
    desk.write("ratings.csv", format!("system,rating\n{ratings}"));
    let study = |name: &str, judge: &str| {
        format!(
            "name = '{name}'\ntypes = ['pairwise']\n[ratings]\nfile = \
             'ratings.csv'\n[inputs.d]\ndata = ['data']\n[judges.j]\n{judge}\n"
        )
    };
    for judge in [
        "spec = 'openai:m'\nkey-env = 'AWS_SECRET_ACCESS_KEY'",
        "spec = 'openai:m'\nkey-file = 'secret/key'",
        "spec = 'openai:m'\nendpoints = ['http://127.0.0.1:1/v1']",
        "spec = 'openai:m@http://127.0.0.1:1/v1'",
    ] {
        desk.write("study.toml", study("s", judge));
        let ran = desk.refused("meta study study.toml", "study.toml: judge `j` names ");
        ran.says("--trust");
    }
    for name in ["../../escaped", "a/b", "/tmp/x"] {
        desk.write("study.toml", study(name, "spec = 'simulated'"));
        desk.refused("meta study study.toml", "it names a directory under runs/");
    }
    assert!(!desk.path("runs").exists());
}

/// Nothing listens at the proxy: whoever asks it gets nowhere.
#[test]
fn a_proxy_is_not_for_this_machine() {
    let server = start(quick());
    let desk = desk(&server, "openai:m", "longest-pause = 0.5");
    let proxy = "http://127.0.0.1:9";
    for variable in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        let ran = with_keys(
            &desk,
            &format!("judge {MINE} --run run-{variable}"),
            &[(variable, proxy), ("OPENAI_API_KEY", KEY)],
        );
        assert_eq!(ran.code, Some(0), "{variable}: {}", ran.stderr);
    }
}

#[test]
fn a_secret_in_the_wrong_place_is_refused_and_not_repeated() {
    let server = start(quick());
    for settings in [
        format!("key-env = '{KEY}'"),
        format!("dialect = {{ extra = {{ api_key = '{KEY}' }} }}"),
        format!("dialect = {{ extra = {{ user = '{KEY}' }} }}"),
    ] {
        let desk = desk(&server, "openai:m", &settings);
        let ran = run(&desk, &format!("judge {MINE} --run run"), None);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(
            !holds_key(ran.stderr.as_bytes()) && !desk.path("run").exists(),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(server.stats().requests, 0);
}
