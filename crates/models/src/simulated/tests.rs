use super::*;
use evenhand_core::{About, CallErrorKind, Decoding, Message, Response};

fn systems() -> Vec<Arc<str>> {
    ["best", "middle", "worst"].map(Arc::from).to_vec()
}

fn ask(item: u32, pair: [(&str, &str); 2], options: &[&str]) -> Request {
    let responses = pair
        .map(|(system, text)| Response::new(system, text))
        .to_vec();
    let options = AnswerOptions {
        options: options.iter().map(|o| o.to_string()).collect(),
        after: String::new(),
    };
    let decoding = Decoding::greedy(8);
    Request {
        judge: "simulated".into(),
        messages: vec![Message::user(format!("{item} {pair:?}"))],
        task: Task::Generate {
            decoding,
            answers: Some(options),
        },
        sample: 0,
        about: About {
            item: item.to_string().into(),
            responses,
            ..About::default()
        },
    }
}

/// The share of 4,000 items on which the first of the pair is chosen.
fn share_of_first(spec: &str, pair: [(&str, &str); 2]) -> f64 {
    let mut judge = Simulated::new(Spec::parse(spec).unwrap(), &systems()).unwrap();
    let answers = (0..4000).map(|item| {
        let request = ask(item, pair, &["A", "B"]);
        judge.answer(&request.key(), &request).unwrap().text
    });
    answers.filter(|text| text == "A").count() as f64 / 4000.0
}

/// Within five standard errors of a share of 4,000.
fn close(measured: f64, planted: f64) {
    assert!(
        (measured - planted).abs() < 5.0 * (0.25f64 / 4000.0).sqrt(),
        "measured {measured}, planted {planted}"
    );
}

#[test]
fn planted_accuracy_and_position_bias_are_what_is_measured() {
    close(
        share_of_first("accuracy=0.8", [("best", ""), ("worst", "")]),
        0.8,
    );
    close(
        share_of_first("accuracy=0.8", [("worst", ""), ("best", "")]),
        0.2,
    );
    close(
        share_of_first("accuracy=0.8,first-slot=0.5", [("worst", ""), ("best", "")]),
        0.5 + 0.5 * 0.2,
    );
    close(
        share_of_first(
            "accuracy=0.8,first-slot=-0.5",
            [("best", ""), ("worst", "")],
        ),
        0.5 * 0.8,
    );
}

#[test]
fn without_accuracy_the_gap_is_bradley_terry() {
    close(
        share_of_first("gap=1", [("best", ""), ("middle", "")]),
        1.0 / (1.0 + (-1f64).exp()),
    );
    close(
        share_of_first("gap=1", [("best", ""), ("worst", "")]),
        1.0 / (1.0 + (-2f64).exp()),
    );
}

#[test]
fn the_other_defects_decide_with_their_probability() {
    let even = "gap=0,";
    close(
        share_of_first(
            &format!("{even}length=0.6"),
            [("best", "long text"), ("worst", "short")],
        ),
        0.6 + 0.4 * 0.5,
    );
    close(
        share_of_first(
            &format!("{even}distractor=0.6"),
            [("best", "is"), ("worst", "definitely is")],
        ),
        0.4 * 0.5,
    );
    close(
        share_of_first(
            &format!("{even}self=worst:0.4"),
            [("best", ""), ("worst", "")],
        ),
        0.6 * 0.5,
    );
    close(
        share_of_first(
            &format!("{even}intransitive=1"),
            [("best", ""), ("middle", "")],
        ),
        1.0,
    );
    close(
        share_of_first(
            &format!("{even}intransitive=1"),
            [("middle", ""), ("worst", "")],
        ),
        1.0,
    );
    close(
        share_of_first(
            &format!("{even}intransitive=1"),
            [("worst", ""), ("best", "")],
        ),
        1.0,
    );
}

#[test]
fn a_misread_text_names_another_answer_than_the_probabilities() {
    let spec = Spec::parse("accuracy=1,misread=0.3,probabilities=true").unwrap();
    let mut judge = Simulated::new(spec, &systems()).unwrap();
    let mut said = [0; 3];
    for item in 0..4000 {
        let request = ask(item, [("best", ""), ("worst", "")], &["A", "B", "tie"]);
        let reply = judge.answer(&request.key(), &request).unwrap();
        assert_eq!(
            reply.answers,
            Some(vec![1.0, 0.0, 0.0]),
            "the probabilities are what they were"
        );
        said[["A", "B", "tie"]
            .iter()
            .position(|answer| *answer == reply.text)
            .unwrap()] += 1;
    }
    [0.7, 0.15, 0.15]
        .into_iter()
        .zip(said)
        .for_each(|(planted, count)| close(f64::from(count) / 4000.0, planted));
}

#[test]
fn a_greedy_judge_repeats_itself() {
    let changes = |spec: &str| {
        let mut judge = Simulated::new(Spec::parse(spec).unwrap(), &systems()).unwrap();
        let changed = |item: &u32| {
            let first = ask(*item, [("best", ""), ("middle", "")], &["A", "B"]);
            let again = Request {
                sample: 1,
                ..first.clone()
            };
            let [x, y] =
                [first, again].map(|request| judge.answer(&request.key(), &request).unwrap().text);
            x != y
        };
        (0..200).filter(changed).count()
    };
    assert_eq!(changes("gap=0,greedy=true"), 0);
    assert!(changes("gap=0") > 60);
}

#[test]
fn replies_depend_on_the_request_alone() {
    let spec = Spec::parse("accuracy=0.7,invalid=0.2").unwrap();
    let mut judge = Simulated::new(spec, &systems()).unwrap();
    let requests: Vec<Request> = (0..50)
        .map(|item| ask(item, [("best", ""), ("worst", "")], &["A", "B"]))
        .collect();
    let forward: Vec<_> = requests.iter().map(|r| judge.answer(&r.key(), r)).collect();
    let mut backward: Vec<_> = requests
        .iter()
        .rev()
        .map(|r| judge.answer(&r.key(), r))
        .collect();
    backward.reverse();
    assert_eq!(forward, backward);
}

#[test]
fn pointwise_scores_follow_quality_and_are_compressed() {
    let mean = |spec: &str, system: &str| {
        let mut judge = Simulated::new(Spec::parse(spec).unwrap(), &systems()).unwrap();
        let options = ["1", "2", "3", "4", "5"];
        let score = |item: u32| {
            let mut request = ask(item, [(system, ""), (system, "")], &options);
            request.about.responses.truncate(1);
            judge
                .answer(&request.key(), &request)
                .unwrap()
                .text
                .parse::<f64>()
                .unwrap()
        };
        (0..500).map(score).sum::<f64>() / 500.0
    };
    assert!(mean("gap=1", "best") > mean("gap=1", "worst") + 0.5);
    assert!((mean("gap=1,compression=1", "best") - 3.0).abs() < 1e-9);
}

#[test]
fn a_bad_spec_names_the_part() {
    for (text, message) in [
        (
            "accuracy=2",
            "simulated judge: `accuracy=2`: expected a number from 0 to 1",
        ),
        (
            "first-slot",
            "simulated judge: `first-slot`: expected key=value",
        ),
        (
            "self=x",
            "simulated judge: `self=x`: expected self=SYSTEM:SHARE",
        ),
    ] {
        assert_eq!(Spec::parse(text).unwrap_err().to_string(), message);
    }
    assert!(
        Spec::parse("acuracy=1")
            .unwrap_err()
            .to_string()
            .contains("unknown key; expected one of accuracy, gap")
    );
}

fn embedded(pieces: &[&str]) -> CallResult {
    let pieces: Vec<String> = pieces.iter().map(ToString::to_string).collect();
    let task = Task::Embed {
        pieces: pieces.clone(),
    };
    let request = Request::new("x".into(), Vec::new(), task);
    embed_pieces(&request, &pieces)
}

#[test]
fn the_same_words_give_the_same_vector() {
    let reply = embedded(&["The cat, the dog.", "THE dog; the CAT!", "A bird?", "..."]).unwrap();
    let embeddings = reply.embeddings.unwrap();
    let vectors: Vec<&[f32]> = embeddings.vectors().collect();
    assert!(vectors[0] == vectors[1] && vectors[0] != vectors[2]);
    let sums: Vec<f32> = vectors.iter().map(|vector| vector.iter().sum()).collect();
    assert_eq!(sums, [4.0, 4.0, 2.0, 0.0]);
    // 44 bytes are 11 tokens.
    assert_eq!(reply.usage.prompt_tokens, 11);
    assert_eq!(reply.usage.completion_tokens, 0);
    assert_eq!(embedded(&[]).unwrap_err().kind, CallErrorKind::Invalid);
}
