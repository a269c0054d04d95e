//! Figures worked by hand.

use super::*;
use serde_json::json;

/// A choice whose tokens are these: what was written, and what is named with which probability.
fn choice(places: &[(&str, &[(&str, f64)])]) -> Json<'static> {
    let entry = |(written, named): &(&str, &[(&str, f64)])| {
        let of = |(token, p): &(&str, f64)| json!({"token": token, "logprob": p.ln(), "bytes": token.as_bytes()});
        let mut entry = named
            .iter()
            .find(|(token, _)| token == written)
            .map_or(json!({"token": written}), of);
        entry["top_logprobs"] = named.iter().map(of).collect();
        entry
    };
    json!({"logprobs": {"content": places.iter().map(entry).collect::<Vec<_>>()}}).into()
}

fn options(options: &[&str], after: &str) -> AnswerOptions {
    AnswerOptions {
        options: options.iter().map(|option| option.to_string()).collect(),
        after: after.into(),
    }
}

fn measured(answers: &[&str], places: &[(&str, &[(&str, f64)])]) -> Option<(Vec<f64>, f64)> {
    let text: String = places.iter().map(|(written, _)| *written).collect();
    let Measured {
        answers, within, ..
    } = measure_answers(&options(answers, ""), &choice(places), &text)?;
    Some((answers?, within))
}

#[track_caller]
fn check(answers: &[&str], places: &[(&str, &[(&str, f64)])], expected: &[f64], within: f64) {
    let (found, found_within) = measured(answers, places).unwrap();
    let close = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(
        close && (found_within - within).abs() < 1e-9,
        "{found:?} within {found_within}"
    );
}

#[test]
fn the_example_of_the_documentation() {
    check(
        &["A", "B"],
        &[("A", &[("A", 0.6), (" B", 0.2), ("The", 0.15)])],
        &[0.625, 0.225],
        0.025,
    );
}

#[test]
fn named_spellings_are_added_and_all_mass_seen_is_exact() {
    check(
        &["A", "B"],
        &[(
            "A",
            &[("A", 0.5), (" A", 0.25), ("B", 0.125), (" B", 0.125)],
        )],
        &[0.75, 0.25],
        0.0,
    );
}

#[test]
fn an_answer_that_is_not_named_has_at_most_the_least_that_is_for_each_token_that_leads_to_it() {
    // Left is 0.1 and each other token has at most 0.02: A gains up to 2 of them (" A", " "), B up
    // to 3 ("B", " B", " ").
    let named = [("A", 0.84), ("C", 0.02), ("D", 0.04)];
    check(&["A", "B"], &[("A", &named)], &[0.86, 0.03], 0.03);
}

#[test]
fn a_token_that_may_go_on_is_followed_exactly_along_the_reply() {
    // 0.8 · 0.25 goes on to 10, the rest of 0.8 stays 1.
    let places: [(&str, &[(&str, f64)]); 2] = [
        ("1", &[("1", 0.8), ("2", 0.2)]),
        ("<end>", &[("<end>", 0.75), ("0", 0.25)]),
    ];
    check(&["1", "2", "10"], &places, &[0.6, 0.2, 0.2], 0.0);
    let written: [(&str, &[(&str, f64)]); 3] = [places[0], ("0", places[1].1), ("", &[("", 1.0)])];
    check(&["1", "2", "10"], &written, &[0.6, 0.2, 0.2], 0.0);
}

#[test]
fn a_token_that_may_go_on_unseen_bounds_each_answer_it_may_become() {
    // 1 and 10: 0 to 0.8 each; all is named, so that nothing else is open.
    check(
        &["1", "2", "10"],
        &[("1", &[("1", 0.8), ("2", 0.2)])],
        &[0.4, 0.2, 0.4],
        0.4,
    );
    // 2 was written: what 1 would have gone on to is as open.
    check(
        &["1", "2", "10"],
        &[("2", &[("1", 0.2), ("2", 0.8)])],
        &[0.1, 0.8, 0.1],
        0.1,
    );
}

#[test]
fn an_answer_that_is_named_whole_is_not_spelled_by_its_pieces() {
    check(
        &["1", "2", "10"],
        &[("1", &[("1", 0.8), ("2", 0.1), ("10", 0.1)])],
        &[0.8, 0.1, 0.1],
        0.0,
    );
}

#[test]
fn an_end_without_a_probability_tells_nothing_of_what_goes_on() {
    let end: (&str, &[(&str, f64)]) = ("", &[("", 0.0)]);
    check(
        &["1", "2", "10"],
        &[("1", &[("1", 0.8), ("2", 0.2)]), end],
        &[0.4, 0.2, 0.4],
        0.4,
    );
    check(
        &["1", "2", "10"],
        &[("1", &[("1", 0.8), ("2", 0.1), ("10", 0.1)]), end],
        &[0.8, 0.1, 0.1],
        0.0,
    );
}

#[test]
fn what_comes_to_nothing_on_the_way_to_a_longer_answer_stays_with_the_shorter() {
    let places: [(&str, &[(&str, f64)]); 3] = [
        ("1", &[("1", 1.0)]),
        ("0", &[("0", 1.0)]),
        (".", &[(".", 0.5), ("0", 0.5)]),
    ];
    check(&["1", "100"], &places, &[0.5, 0.5], 0.0);
}

#[test]
fn a_named_space_may_become_any_answer() {
    check(
        &["A", "B"],
        &[("A", &[("A", 0.7), ("B", 0.2), (" ", 0.1)])],
        &[0.75, 0.25],
        0.05,
    );
}

#[test]
fn answers_of_several_tokens_are_followed() {
    let places: [(&str, &[(&str, f64)]); 2] = [
        ("NO", &[("NO", 0.9), ("A", 0.1)]),
        ("NE", &[("NE", 0.5), ("PE", 0.5)]),
    ];
    check(&["A", "NONE"], &places, &[0.1, 0.45], 0.0);
}

#[test]
fn what_is_no_mass_is_none_and_too_much_is_no_answer() {
    check(
        &["A", "B"],
        &[("A", &[("A", 1.0), ("B", 0.0)])],
        &[1.0, 0.0],
        0.0,
    );
    let found = measure_answers(
        &options(&["A", "B"], ""),
        &choice(&[("A", &[("A", 1.0), ("B", 1.0)])]),
        "A",
    );
    assert_eq!(
        found,
        Some(Measured {
            answers: None,
            within: 0.0,
            impossible: true
        })
    );
}

#[test]
fn no_figures_where_nothing_named_begins_an_answer() {
    assert_eq!(
        measured(&["A", "B"], &[("Well", &[("Well", 0.6), (" ", 0.4)])]),
        None
    );
    assert_eq!(
        measured(&["A", "B"], &[("Apple", &[("Apple", 1.0)])]),
        None,
        "it only looks like A"
    );
    assert_eq!(measured(&["A", "B"], &[]), None);
    assert_eq!(measured(&[], &[("A", &[("A", 1.0)])]), None);
}

#[test]
fn the_figures_are_those_of_the_place_after_the_marker() {
    let sure: &[(&str, f64)] = &[(" B", 0.75), (" A", 0.25)];
    let places: [(&str, &[(&str, f64)]); 5] = [
        ("A", &[("A", 1.0)]),
        (".", &[(".", 1.0)]),
        ("Verdict", &[]),
        (":", &[]),
        (" B", sure),
    ];
    let found = measure_answers(
        &options(&["A", "B"], "Verdict:"),
        &choice(&places),
        "A.Verdict: B",
    )
    .unwrap();
    assert_eq!(found.within, 0.0);
    let answers = found.answers.unwrap();
    assert!(
        (answers[0] - 0.25).abs() < 1e-12 && (answers[1] - 0.75).abs() < 1e-12,
        "{answers:?}"
    );
    assert_eq!(
        measure_answers(
            &options(&["A", "B"], "Score:"),
            &choice(&places),
            "A.Verdict: B"
        ),
        None
    );
}

#[test]
fn many_empty_tokens_do_not_exhaust_the_stack() {
    let places = vec![("", &[("", 1.0)][..]); 20_000];
    assert_eq!(measured(&["A", "B"], &places), None);
    let begun: Vec<(&str, &[(&str, f64)])> = [("1", &[("1", 1.0)][..])]
        .into_iter()
        .chain(places)
        .collect();
    check(&["1", "10"], &begun, &[1.0, 0.0], 0.0);
}

#[test]
fn what_is_more_than_an_answer_is_measured_at_each_word_that_may_be_one() {
    let places: [(&str, &[(&str, f64)]); 6] = [
        ("Verdict", &[("Verdict", 1.0)]),
        (":", &[(":", 1.0)]),
        (" A", &[(" A", 0.75), (" B", 0.25)]),
        (" careful look:", &[(" careful look:", 1.0)]),
        (" ", &[(" ", 1.0)]),
        ("B", &[("B", 0.875), ("A", 0.125)]),
    ];
    let text: String = places.iter().map(|(written, _)| *written).collect();
    for (after, firsts) in [("Verdict:", 0), ("", 0), ("look:", 1)] {
        let answers = options(&["A", "B"], after);
        let due = Due::find(&answers, &text);
        assert_eq!(due.is_bare(&answers), after == "look:", "{after}");
        let found = due.measure_places(&answers, &choice(&places));
        let expected = [(10, vec![0.75, 0.25]), (text.len(), vec![0.125, 0.875])];
        let exact = |p: f64| (p * 1e9).round() / 1e9;
        let found: Vec<_> = found
            .into_iter()
            .map(|at| (at.end, at.answers.into_iter().map(exact).collect()))
            .collect();
        assert_eq!(found, expected[firsts..], "{after}");
    }
    for bare in ["", " **B**\n", "[[A]]", "(B)."] {
        let answers = options(&["A", "B"], "");
        assert!(Due::find(&answers, bare).is_bare(&answers), "{bare}");
    }
    // A mark that was never reached leaves nothing to measure.
    let answers = options(&["A", "B"], "Score:");
    assert!(Due::find(&answers, &text).is_bare(&answers));
}
