use super::*;
use evenhand_core::Message;
use proptest::prelude::*;

fn weights(depth: Option<u8>) -> HeadWeights {
    let states = if depth.is_some() { 3 } else { 0 };
    let count = HEAD_FEATURES.len() + states;
    let numbers = |shift: f64| (0..count).map(|at| at as f64 / 4.0 + shift).collect();
    HeadWeights {
        depth,
        means: numbers(-1.0),
        scales: numbers(0.5),
        weights: numbers(-0.25),
    }
}

fn labels() -> HeadLabels {
    HeadLabels {
        pairs: 25,
        questions: vec![question_digest(&item("What is rain?"))],
        systems: vec!["a".into(), "b".into()],
    }
}

fn item(text: &str) -> Item {
    Item {
        messages: vec![Message::user(text)],
        ..Item::default()
    }
}

/// A folder with a model in `models/` and a head in `heads/`.
fn written(depth: Option<u8>) -> (tempfile::TempDir, PathBuf, HeadFile) {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["models", "heads"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
    }
    let model = dir.path().join("models/m.gguf");
    fs::write(&model, "weights of a model").unwrap();
    let file = dir.path().join("heads/head.json");
    let worth = HeadReport {
        penalty: 1.0,
        ..HeadReport::default()
    };
    let head = HeadFile::new(&weights(depth), &model, &file, labels(), worth).unwrap();
    head.write(&file).unwrap();
    (dir, file, head)
}

#[test]
fn a_head_comes_back_as_it_was_and_finds_its_model() {
    for depth in [None, Some(50)] {
        let (dir, file, head) = written(depth);
        assert_eq!(head.model.path, "../models/m.gguf");
        let found = HeadFile::read(&file).unwrap();
        assert_eq!((&found, found.weights()), (&head, weights(depth)));
        assert_eq!(found.name(), head.name());
        let model = found.find_model(&file).unwrap();
        assert!(model.ends_with("models/m.gguf"), "{}", model.display());
        // Beside the head it is found too.
        let moved = dir.path().join("heads/m.gguf");
        fs::rename(dir.path().join("models/m.gguf"), &moved).unwrap();
        assert_eq!(found.find_model(&file).unwrap(), moved);
        // A second write takes the place of a head.
        head.write(&file).unwrap();
    }
}

#[test]
fn another_model_in_its_place_is_refused() {
    let (dir, file, head) = written(Some(25));
    // Of the same length, and of another.
    for text in ["weights of a modeL", "short"] {
        fs::write(dir.path().join("models/m.gguf"), text).unwrap();
        let error = head.find_model(&file).unwrap_err().to_string();
        assert!(
            error.contains("m.gguf is another model") && error.contains(&head.model.digest),
            "{error}"
        );
    }
    fs::remove_file(dir.path().join("models/m.gguf")).unwrap();
    let error = head.find_model(&file).unwrap_err().to_string();
    assert!(!error.contains("is another model"), "{error}");
}

#[test]
fn systems_and_questions_of_the_labels_are_known() {
    let (_dir, _, head) = written(None);
    assert_eq!(head.known_systems(["c", "b", "B"]), ["b"]);
    assert!(head.knows_question(&item("What is rain?")));
    assert!(!head.knows_question(&item("What is snow?")));
}

#[test]
fn a_question_is_known_by_its_words_whatever_its_id_case_and_spaces() {
    let known = question_digest(&item("What is rain?"));
    let mut other = item("  what is\n\tRAIN?  ");
    other.id = "other".into();
    other.question = Some("name".into());
    assert_eq!(question_digest(&other), known);
    // Another turn makes another question, a document of the system among them, and so does another
    // word.
    other.messages.insert(0, Message::system("A document."));
    for text in ["What is rain", "Whatis rain?", "What is the rain?"] {
        assert_ne!(question_digest(&item(text)), known, "{text}");
    }
    assert_ne!(question_digest(&other), known);
    // Without any text the name counts.
    let mut silent = item(" ");
    silent.id = "q1".into();
    let by_name = question_digest(&silent);
    silent.messages.push(Message::system("What is rain?"));
    assert_eq!(question_digest(&silent), known);
    let mut unnamed = item("");
    unnamed.id = "q2".into();
    assert_ne!(question_digest(&unnamed), by_name);
}

#[test]
fn heads_of_other_weights_have_other_names() {
    let (_dir, _, head) = written(Some(50));
    let mut other = head.clone();
    other.features[0].weight += 0.5;
    assert_ne!(head.name(), other.name());
    assert!(
        head.name().starts_with("head of 25 labels ("),
        "{}",
        head.name()
    );
}

#[test]
fn what_is_no_head_is_refused_and_never_overwritten() {
    let (dir, file, head) = written(Some(50));
    let text = fs::read_to_string(&file).unwrap();
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let bad = [
        (String::new(), "is not a head"),
        ("[]".into(), "is not a head"),
        ("{\"version\": 2}".into(), "is not a head"),
        (changed("\"version\": 2", "\"version\": 1"), "has version 1"),
        (
            changed("\"version\": 2", "\"version\": -1"),
            "is not a head",
        ),
        (changed("\"depth\": 50", "\"depth\": 0"), "`depth`"),
        (changed("\"depth\": 50", "\"depth\": null"), "`depth`"),
        (changed("\"depth\": 50", "\"depth\": 300"), "is not a head"),
        (changed("\"likelihood\"", "\"likelihoods\""), "`features`"),
        (
            changed("\"scale\": 0.5", "\"scale\": 0.0"),
            "likelihood has a number",
        ),
        (
            changed("\"mean\": -1.0", "\"mean\": 1e300"),
            "likelihood has a number",
        ),
        (
            changed("\"mean\": -1.0", "\"mean\": 1e999"),
            "is not a head",
        ),
        (
            changed("\"dimensions\": 3", "\"dimensions\": 4"),
            "is not a head",
        ),
        (changed("\"dimensions\": 3", "\"dimensions\": 9"), "`depth`"),
        (changed("\"penalty\": 1.0", "\"penalty\": 0.0"), "`penalty`"),
        (changed(&head.model.digest, "../../../etc/pas"), "`model`"),
        (changed("\"pairs\": 25", "\"pairs\": 0"), "`labels`"),
        (
            changed("\"version\": 2", "\"weights\": 1, \"version\": 2"),
            "is not a head",
        ),
        (" ".repeat(MOST_BYTES as usize + 1), "is longer than"),
    ];
    let other = dir.path().join("heads/other.json");
    for (text, why) in bad {
        fs::write(&other, &text).unwrap();
        let error = HeadFile::read(&other).unwrap_err().to_string();
        assert!(
            error.contains(why) && error.contains("other.json"),
            "{why}: {error}"
        );
        let error = head.write(&other).unwrap_err().to_string();
        assert!(error.contains("left unchanged"), "{error}");
        assert_eq!(fs::read_to_string(&other).unwrap(), text);
    }
    assert!(HeadFile::read(dir.path()).is_err(), "a folder");
}

proptest! {
    /// Whatever stands in a file, it is a head within its bounds or an error.
    #[test]
    fn a_changed_file_is_a_head_or_an_error(at in 0..4000usize, byte in 0u8..128) {
        let (_dir, file, _) = written(Some(50));
        let mut text = fs::read(&file).unwrap();
        let at = at % text.len();
        text[at] = byte;
        fs::write(&file, text).unwrap();
        if let Ok(head) = HeadFile::read(&file) {
            let all = head.weights();
            prop_assert!(all.scales.iter().all(|scale| *scale > 0.0 && scale.is_finite()));
            prop_assert!(all.weights.iter().all(|weight| weight.abs() <= LARGEST_NUMBER));
            prop_assert_eq!(all.means.len(), all.weights.len());
        }
    }
}
