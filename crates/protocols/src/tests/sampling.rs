//! At which temperature judges write, and what the last prompt of an analysed comparison shows.

use super::*;

/// Plays a protocol to its end and returns every request, in the order of the rounds.
fn requests(name: &str, judges: &Judges) -> Vec<Request> {
    let (protocol, item, responses) = (
        Protocol::parse(name).unwrap(),
        item(),
        responses(&["Blue, as the sky is.", "Green. As grass is. It grows."]),
    );
    let view = View::alone(&item, &responses);
    let mut transcript: BTreeMap<RequestKey, CallResult> = BTreeMap::new();
    let mut asked = Vec::new();
    while let Pass::Pending(missing) = run(&protocol, &view, judges, 0, &|key| {
        transcript.get(key).cloned()
    }) {
        for one in missing {
            let text = if asked.len() < 2 {
                "Of note: a hue."
            } else {
                "A"
            };
            transcript.insert(one.key, Ok(reply(text)));
            asked.push(one.request);
        }
    }
    asked
}

fn temperatures(name: &str, judges: &Judges) -> Vec<f64> {
    let asked = requests(name, judges).into_iter();
    asked
        .map(|request| match request.task {
            Task::Generate { decoding, .. } => decoding.temperature,
            _ => f64::NAN,
        })
        .collect()
}

#[test]
fn judges_write_at_their_temperature_and_samples_at_1_where_it_is_0() {
    let (greedy, warm) = (
        Judges::one("judge"),
        Judges {
            temperature: 0.7,
            ..Judges::one("judge")
        },
    );
    assert_eq!(temperatures("pairwise/prepair/single", &greedy), [0.0; 3]);
    assert_eq!(temperatures("pairwise/prepair/single", &warm), [0.7; 3]);
    assert_eq!(temperatures("pairwise/cot/mec:2", &greedy), [1.0; 2]);
    assert_eq!(temperatures("pairwise/cot/mec:2", &warm), [0.7; 2]);
}

/// PRePair, figures 8 and 12: the last prompt has the analyses, and not the answers.
#[test]
fn analyses_only_hides_the_responses_from_the_verdict_and_from_nothing_else() {
    let shown = |name: &str| -> Vec<String> {
        let asked = requests(name, &Judges::one("judge")).into_iter();
        asked
            .map(|request| {
                request
                    .messages
                    .into_iter()
                    .map(|one| one.content)
                    .collect()
            })
            .collect()
    };
    let [first, second, verdict] = &shown("pairwise/prepair+analyses-only/single")[..] else {
        panic!("two analyses and a verdict");
    };
    assert!(first.contains("Blue, as") && second.contains("Green. As"));
    assert!(
        !verdict.contains("Blue, as") && !verdict.contains("Green. As"),
        "{verdict}"
    );
    assert!(verdict.contains("Of note: a hue.") && verdict.contains("Name a colour."));
    assert!(verdict.contains("are not shown"), "{verdict}");
    let both = shown("pairwise/prepair/single");
    assert_eq!(
        &both[..2],
        [first.clone(), second.clone()],
        "the analyses are shared"
    );
    assert!(both[2].contains("Blue, as") && !both[2].contains("are not shown"));
}
