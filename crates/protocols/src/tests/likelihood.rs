//! The likelihood form.

use super::*;

#[test]
fn likelihood_is_the_difference_per_token_in_two_calls_of_one_round() {
    let (outcome, calls, rounds) = play("likelihood", &["red"], |request| {
        let logprob = if request.messages[0].content.is_empty() {
            -12.0
        } else {
            -6.0
        };
        Ok(Reply {
            likelihood: Some(Likelihood {
                logprob,
                tokens: 4,
                apart: 0.0,
            }),
            ..reply("")
        })
    });
    assert_eq!((calls, rounds), (2, 1));
    assert!(
        matches!(outcome, Ok(Verdict::Pointwise { score: 1.5, .. })),
        "(-6 + 12) / 4 = 1.5: {outcome:?}"
    );
}

#[test]
fn the_unconditional_call_does_not_depend_on_the_item() {
    let protocol = Protocol::parse("likelihood").unwrap();
    let responses = responses(&["red"]);
    let keys = |instruction: &str| {
        let item = Item {
            id: instruction.into(),
            messages: vec![Message::user(instruction)],
            ..Item::default()
        };
        match run(
            &protocol,
            &View::alone(&item, &responses),
            &Judges::one("j"),
            0,
            &|_| None,
        ) {
            Pass::Pending(missing) => missing
                .into_iter()
                .map(|missing| missing.key)
                .collect::<Vec<_>>(),
            done => panic!("{done:?}"),
        }
    };
    let (a, b) = (keys("Name a colour."), keys("Name a town."));
    assert_ne!(a[0], b[0]);
    assert_eq!(a[1], b[1]);
}

/// A judge that holds a token likely, -1, where the conversation has its letter, else -3.
fn by_letters(request: &Request) -> CallResult {
    let Task::Score {
        continuation,
        apart,
        ..
    } = &request.task
    else {
        panic!("{:?}", request.task)
    };
    let known = request
        .messages
        .iter()
        .map(|message| message.content.as_str())
        .collect::<String>()
        .to_lowercase();
    let mut likelihood = Likelihood::default();
    for (at, letter) in continuation.char_indices() {
        let likely = known.contains(letter.to_ascii_lowercase());
        likelihood.add(
            if likely { -1.0 } else { -3.0 },
            1,
            at..at + letter.len_utf8(),
            apart,
        );
    }
    Ok(Reply {
        likelihood: Some(likelihood),
        ..reply("")
    })
}

#[test]
fn novel_gives_nothing_for_what_repeats_the_instruction() {
    let score = |name: &str, text: &str| match play(name, &[text], by_letters) {
        (Ok(Verdict::Pointwise { score, .. }), 2, 1) => score,
        other => panic!("{other:?}"),
    };
    let asked = item().messages[0].content.clone();
    assert!(score("likelihood", &asked) > 1.9);
    let shuffled = asked.split(' ').rev().collect::<Vec<_>>().join(" ");
    for echo in [
        asked.clone(),
        asked.to_uppercase(),
        format!("** {asked} {asked} **"),
        shuffled,
    ] {
        assert_eq!(
            (
                score("likelihood:novel", &echo),
                score("likelihood:novel,sum", &echo)
            ),
            (0.0, 0.0),
            "{echo}"
        );
    }
    // What is its own counts as in `likelihood`, over all tokens.
    assert_eq!(
        score("likelihood:novel", "moon"),
        score("likelihood", "moon")
    );
    let both = format!("{asked} zq moon");
    let own = score("likelihood:novel,sum", &both);
    assert!(
        (score("likelihood:novel", &both) - own / both.chars().count() as f64).abs() < 1e-12
            && own > 0.0
    );
}

#[test]
fn surprisal_counts_by_its_share_and_against_where_no_fluent_text_has_it() {
    // Every token is as probable with the instruction as without it, and so has no gain.
    let score = |name: &str, nats: f64| {
        let judge = |_: &Request| {
            let likelihood = Likelihood {
                logprob: -8.0 * nats,
                tokens: 8,
                apart: 0.0,
            };
            Ok(Reply {
                likelihood: Some(likelihood),
                ..reply("")
            })
        };
        match play(name, &["zq zq"], judge) {
            (Ok(Verdict::Pointwise { score, .. }), 2, 1) => score,
            other => panic!("{other:?}"),
        }
    };
    for name in ["likelihood:surprisal=0.1", "likelihood:novel,surprisal=0.1"] {
        assert_eq!(
            [1.0, 2.5, 5.0, 9.0].map(|nats| score(name, nats)),
            [0.1, 0.25, 0.0, -0.4],
            "{name}"
        );
    }
    assert_eq!(score("likelihood:novel", 2.0), 0.0);
}
