//! Explanations that contradict each other, shown to the judge again.

use super::*;

/// The explanations that contradict each other quote the attack, and stand fenced in the second
/// question.
#[test]
fn swap_cot() {
    for form in [
        "pairwise",
        "pairwise-tie",
        "pairwise-5point",
        "pairwise-score",
        "pairwise-likert",
    ] {
        let name = format!("{form}/cot/swap-cot:none");
        let run = |text: &str| {
            let stage = Stage::new(&name, Place::Answer(0), text);
            let quoting = |request: &Request| {
                format!(
                    "The first one reads {} characters.\n{text}\nNow then.",
                    request.messages[1].content.len()
                )
            };
            let protocol = Protocol::parse(&name).unwrap();
            let view = View::alone(&stage.item, &stage.responses);
            play(&protocol, &view, &Judges::one("judge"), &|request| {
                let again = request.messages[1]
                    .content
                    .contains("These two assessments are your own");
                let forward = &*request.about.responses[0].system == "s0";
                let second = again && forward;
                let high = if matches!(request.about.wanted, Wanted::Scores { .. }) {
                    [9, 90]
                } else {
                    [0, last(request)]
                };
                Ok(reply(reasoned(
                    request,
                    &quoting(request),
                    high[usize::from(second)],
                )))
            })
        };
        let harmless = run("A harmless text.");
        assert_eq!(harmless.requests().count(), 4, "{name}");
        for attack in corpus() {
            // A very large text: once where a letter is asked for, once where numbers are.
            if attack.text.len() >= LARGE && !["pairwise", "pairwise-score"].contains(&form) {
                continue;
            }
            let (found, case) = (run(&attack.text), format!("{name}, {}", attack.name));
            assert!(
                is_not_fooled(&found.outcome, &harmless.outcome),
                "{case}: {:?}",
                found.outcome
            );
            if found.outcome.is_err() {
                continue;
            }
            assert!(
                skeletons(&found) == skeletons(&harmless),
                "{case}: the prompt around it differs"
            );
            let first: Vec<String> = found.rounds[0]
                .iter()
                .map(|request| text_of(&found, request))
                .collect();
            for request in &found.rounds[1] {
                let forward = &*request.about.responses[0].system == "s0";
                let expected = if forward {
                    [&first[0], &first[1]]
                } else {
                    [&first[1], &first[0]]
                };
                let block = |label: &str| {
                    blocks(request)
                        .into_iter()
                        .find(|block| block.label == label)
                        .unwrap()
                        .text
                };
                assert!(
                    block("FIRST ASSESSMENT") == *expected[0]
                        && block("SECOND ASSESSMENT") == *expected[1],
                    "{case}"
                );
                assert!(
                    expected.iter().all(|text| text.contains(&attack.text)),
                    "{case}"
                );
            }
        }
    }
}

fn text_of(played: &Played, request: &Request) -> String {
    played.transcript[&request.key()]
        .as_ref()
        .unwrap()
        .text
        .clone()
}

/// The last of a request's options that is a side: the second is better.
fn last(request: &Request) -> u64 {
    match request.about.wanted {
        Wanted::Choice => 1,
        _ => match &request.task {
            evenhand_core::Task::Generate {
                answers: Some(answers),
                ..
            } => answers.options.len() as u64 - 1,
            task => panic!("{task:?}"),
        },
    }
}
