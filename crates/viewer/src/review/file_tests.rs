use super::*;
use evenhand_core::Side;
use std::fs;

fn label(key: &str) -> Label {
    Label {
        item: format!("q{{{key}é\""),
        a: "x".into(),
        b: "y".into(),
        preferred: Some(Side::First),
        annotator: "ann".into(),
        both_bad: false,
        comment: Some("c\n".into()),
        left: None,
        queue: None,
        adjudicated: false,
        blind: false,
        key: key.into(),
    }
}

fn line(key: &str) -> String {
    serde_json::to_string(&label(key)).unwrap() + "\n"
}

fn keys(file: &LabelFile) -> Vec<&str> {
    file.labels().map(|label| &*label.key).collect()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("labels.jsonl");
    (dir, path)
}

/// Wherever a write of ours is cut off, what was whole stays, and not a byte is lost.
#[test]
fn a_line_of_ours_that_was_cut_off_is_put_beside() {
    let (whole, cut) = (line("one"), line("two"));
    for at in 0..cut.len() {
        let (_dir, path) = folder();
        let text = [whole.as_bytes(), &cut.as_bytes()[..at]].concat();
        fs::write(&path, &text).unwrap();
        let opened = LabelFile::open(&path);
        let (kept, torn) = (
            fs::read(&path).unwrap(),
            fs::read(path.with_extension("torn")),
        );
        let torn = torn.unwrap_or_default();
        let begins = at == 0 || at >= BEGINNING.len();
        assert_eq!(opened.is_ok(), begins, "cut at {at}");
        if !begins {
            assert_eq!((kept, torn), (text, Vec::new()), "cut at {at}");
        } else if at == 0 || at == cut.len() - 1 {
            // Nothing of it, or all but its end, is whole.
            let told = keys(opened.as_ref().unwrap()).len();
            assert_eq!((told, torn.len()), (1 + usize::from(at > 0), 0));
        } else {
            assert_eq!(kept, whole.as_bytes());
            assert_eq!(torn, [&cut.as_bytes()[..at], b"\n"].concat());
        }
    }
}

/// What is no file of labels is refused, and stays as it is to the byte.
#[test]
fn a_file_of_somebody_else_is_left_alone() {
    let slip = r#"{"item":"q1","a":"a","b":"b","preferred":"b","annotator":"y",}"#;
    let mut others: Vec<Vec<u8>> = [
        r#"[{"id": 1, "important": "the only copy"}]"#,
        r#"{"item":"q0","a":"a""#,
        r#"{"item":"#,
        "sk-secret",
        "{",
        "[]",
        "null",
        "0",
        "\u{feff}",
        slip,
        "ssh-ed25519 AAAA me\n",
        "#!/bin/sh\nrm -rf x\n",
        "item,a,b,preferred\nq,x,y,a",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into();
    others.extend([
        vec![0],
        vec![0xff; 300],
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
    ]);
    // The same behind a label of ours; what begins as ours do is then a torn line.
    let behind = others.clone();
    for text in behind.into_iter().filter(|text| {
        let torn = text.starts_with(BEGINNING) && text != slip.as_bytes();
        !torn
    }) {
        others.push([line("one").into_bytes(), text].concat());
    }
    for text in others {
        let (dir, path) = folder();
        fs::write(&path, &text).unwrap();
        let shown = String::from_utf8_lossy(&text).into_owned();
        assert!(LabelFile::open(&path).is_err(), "{shown}");
        assert_eq!(fs::read(&path).unwrap(), text, "{shown}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "{shown}");
    }
}

/// Ours and somebody else's changes in any order: what was acknowledged is in the file of the name
/// or was taken back by somebody else, and what they added stays.
#[test]
fn what_somebody_else_does_is_read_or_refused() {
    for seed in 0..60_u64 {
        let (_dir, path) = folder();
        let mut file = LabelFile::open(&path).unwrap();
        let mut twin: Vec<String> = Vec::new();
        let mut draw = seed;
        for step in 0..40 {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let key = format!("k{step}");
            match (draw >> 33) % 6 {
                // What the server does: look, then write.
                0 | 1 => {
                    if file.renew().is_ok() {
                        file.append(label(&key)).unwrap();
                        twin.push(key);
                    }
                }
                2 => {
                    if file.renew().is_ok() && !twin.is_empty() {
                        let gone = twin.remove((draw >> 40) as usize % twin.len());
                        assert!(file.retain(|label| label.key != gone).unwrap());
                    }
                }
                // What others do.
                3 => {
                    let mut how = OpenOptions::new();
                    let mut other = how.append(true).open(&path).unwrap();
                    other.write_all(line(&key).as_bytes()).unwrap();
                    twin.push(key);
                }
                4 => {
                    let copy = path.with_extension("copy");
                    fs::copy(&path, &copy).unwrap();
                    fs::rename(copy, &path).unwrap();
                }
                _ => {
                    let away = path.with_extension("away");
                    fs::rename(&path, &away).unwrap();
                    assert!(file.renew().is_err());
                    assert!(!path.exists(), "none is made where one was taken away");
                    fs::rename(away, &path).unwrap();
                }
            }
        }
        file.renew().unwrap();
        let again = LabelFile::open(&path).unwrap();
        assert_eq!(keys(&file), twin, "seed {seed}");
        assert_eq!(keys(&again), twin, "seed {seed}");
    }
}

#[test]
fn what_is_added_between_looking_and_writing_stays() {
    let (_dir, path) = folder();
    let mut file = LabelFile::open(&path).unwrap();
    file.append(label("mine")).unwrap();
    let mut how = OpenOptions::new();
    let mut other = how.append(true).open(&path).unwrap();
    other.write_all(line("theirs").as_bytes()).unwrap();
    file.append(label("late")).unwrap();
    file.renew().unwrap();
    assert_eq!(keys(&file), ["mine", "theirs", "late"]);
    other.write_all(line("again").as_bytes()).unwrap();
    assert!(matches!(
        file.retain(|label| label.key != "mine"),
        Err(Unsaved::Changed(_))
    ));
    // A line of theirs that is under way is none yet.
    other.write_all(b"{\"item\":\"q").unwrap();
    assert!(file.renew().unwrap_err().contains("not whole"));
    fs::rename(&path, path.with_extension("away")).unwrap();
    assert!(matches!(
        file.append(label("nowhere")),
        Err(Unsaved::Changed(_))
    ));
}

#[cfg(unix)]
#[test]
fn who_may_read_the_labels_stays_so_when_one_is_taken_back() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, path) = folder();
    let mut file = LabelFile::open(&path).unwrap();
    file.append(label("one")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    file.renew().unwrap();
    file.retain(|_| false).unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
