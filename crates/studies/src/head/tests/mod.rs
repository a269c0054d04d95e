use super::*;
use evenhand_stats::sigmoid;

mod simulated;

/// Numbers from 0 to 1, drawn from a seed.
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move || f64::from(rng.next_u32()) / f64::from(u32::MAX)
}

fn features(plain: [f64; 7], states: [Vec<f32>; 2]) -> Arc<HeadFeatures> {
    Arc::new(HeadFeatures {
        plain: plain.to_vec(),
        states: states.to_vec(),
    })
}

fn data(systems: u32, pairs: Vec<HeadPair>) -> HeadData {
    HeadData {
        model: "m".into(),
        systems: (0..systems).map(|system| format!("s{system}")).collect(),
        pairs,
        ..HeadData::default()
    }
}

/// Pairs of which the state at the second depth decides, strongly or not at all; all else is noise.
fn planted(pairs: u32, systems: u32, strength: f64, seed: u64) -> HeadData {
    let mut next = uniform(seed);
    let mut made = Vec::new();
    for question in 0..pairs {
        let mut response = || {
            let mut noise = || (2.0 * next() - 1.0) as f32;
            let states = [(); 2].map(|()| (0..6).map(|_| noise()).collect::<Vec<f32>>());
            features([(); 7].map(|()| f64::from(noise())), states)
        };
        let both = [response(), response()];
        let [a, b] = [0, 1].map(|at: usize| f64::from(both[at].states[1][3]));
        let first = next() < sigmoid(strength * (a - b));
        let one = question % systems;
        let other = (one + 1 + question / systems % (systems - 1)) % systems;
        made.push(HeadPair {
            question,
            systems: [one, other],
            first,
            features: both,
        });
    }
    data(systems, made)
}

fn fit(data: &HeadData) -> FittedHead {
    fit_head(data, &Bootstrap::default()).unwrap()
}

fn value(known: &Known) -> f64 {
    known.value.unwrap_or(f64::NAN)
}

#[test]
fn what_is_planted_in_a_state_is_found_at_its_depth() {
    let data = planted(240, 20, 12.0, 1);
    let FittedHead { weights, report } = fit(&data);
    assert_eq!((weights.depth, report.depth), (Some(50), Some(50)));
    let right = value(&report.unseen_questions.head);
    assert!(right > 0.8, "{report:?}");
    assert!(value(&report.unseen_systems.head) > 0.7, "{report:?}");
    assert!(report.unseen_systems.head.ci.is_some(), "{report:?}");
    assert_eq!(report.recommended, "head", "{}", report.answer);
    assert!(
        report.answer.contains("Judge with the head."),
        "{}",
        report.answer
    );
    // The scores of responses say the same as differences do.
    let scores = data.pairs.iter().map(|pair| {
        let of =
            |features: &HeadFeatures| weights.score(&features.plain, &features.states[1]).unwrap();
        (of(&pair.features[0]) - of(&pair.features[1]) > 0.0) == pair.first
    });
    assert!(scores.filter(|right| *right).count() > 192);
    // More labels make better heads, and the curve is of the sizes that there are.
    let sizes: Vec<u64> = report.curve.iter().map(|point| point.labels).collect();
    assert_eq!(sizes, [10, 25, 50, 100]);
    assert!(value(&report.curve[3].accuracy) > value(&report.curve[0].accuracy));
    let elsewhere = |at: usize| value(&report.curve[at].unseen_systems.as_ref().unwrap().head);
    assert!(elsewhere(2) > elsewhere(0), "{report:?}");
    assert!(report.next.ci.is_some(), "{report:?}");
}

#[test]
fn where_there_is_nothing_nothing_is_recommended() {
    let report = fit(&planted(60, 6, 0.0, 2)).report;
    assert_eq!(report.recommended, NOTHING);
    let said = &report.answer;
    assert!(
        said.contains("not shown to be better") && !said.contains("Judge with"),
        "{said}"
    );
    assert!(
        report.curve.len() == 2 && report.next.value.is_none(),
        "{report:?}"
    );
    assert!(said.contains("is not known"), "{said}");
}

/// Each question has two pairs that are the same to the last bit, and a label by chance: whoever
/// holds out pairs in place of questions is nearly always right.
#[test]
fn nothing_of_a_question_leaks_into_what_is_tried_on_it() {
    let mut shares = Vec::new();
    for seed in 0..4 {
        let mut data = planted(40, 6, 0.0, 10 + seed);
        let copies: Vec<HeadPair> = data.pairs.clone();
        data.pairs.extend(copies);
        let rows: Vec<Row> = data.pairs.iter().map(Row::new).collect();
        let splits = question_splits(&rows, cross::OUTER, seed);
        let tried = try_heads(&rows, &splits, seed).unwrap();
        assert_eq!(tried.len(), 80);
        let right: Vec<f64> = tried.iter().map(|one| one.head).collect();
        shares.push(mean_value(&right).unwrap());
        let right: Vec<f64> = tried.iter().map(|one| one.ready).collect();
        shares.push(mean_value(&right).unwrap());
    }
    let mean = mean_value(&shares).unwrap();
    assert!((0.33..=0.66).contains(&mean), "{shares:?}");
}

/// The states say which system wrote a response, and the stronger system always wins: that is known
/// of the systems that were labelled, and nothing of others.
#[test]
fn nothing_of_a_system_leaks_into_what_is_tried_on_it() {
    let systems = 8;
    let mut pairs = Vec::new();
    for round in 0..3 {
        for one in 0..systems {
            for other in one + 1..systems {
                let shown = |system: u32| {
                    let own = (0..systems).map(|at| if at == system { 1.0 } else { 0.0 });
                    let own: Vec<f32> = own.collect();
                    features([0.0; 7], [own.clone(), own])
                };
                // In either order.
                let is_swapped = (one + other + round) % 2 == 1;
                let both = if is_swapped {
                    [other, one]
                } else {
                    [one, other]
                };
                pairs.push(HeadPair {
                    question: pairs.len() as u32,
                    systems: both,
                    first: both[0] > both[1],
                    features: both.map(shown),
                });
            }
        }
    }
    let report = fit(&data(systems, pairs)).report;
    assert!(value(&report.unseen_questions.head) > 0.9, "{report:?}");
    assert!(report.unseen_systems.pairs > 40, "{report:?}");
    assert_eq!(report.unseen_systems.head.value, Some(0.5), "{report:?}");
    let of_10 = report.curve[0].unseen_systems.as_ref().unwrap();
    assert_eq!(of_10.pairs, report.unseen_systems.pairs);
    assert_eq!(of_10.head.value, Some(0.5), "{report:?}");
    assert_ne!(report.recommended, "head");
}

#[test]
fn the_order_of_the_responses_changes_nothing() {
    let data = planted(60, 6, 6.0, 3);
    let mut swapped = data.clone();
    for pair in &mut swapped.pairs {
        pair.features.reverse();
        pair.systems.reverse();
        pair.first = !pair.first;
    }
    let (one, other) = (fit(&data), fit(&swapped));
    assert_eq!(one.weights.depth, other.weights.depth);
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7);
    assert!(close(&one.weights.weights, &other.weights.weights));
    let head = |found: &FittedHead| {
        [&found.report.unseen_questions, &found.report.unseen_systems].map(|w| value(&w.head))
    };
    assert_eq!(head(&one), head(&other));
}

#[test]
fn the_same_seed_gives_the_same_head() {
    let data = planted(40, 6, 3.0, 4);
    assert_eq!(fit(&data), fit(&data));
}

#[test]
fn of_two_systems_nothing_is_known_of_others() {
    let report = fit(&planted(40, 2, 3.0, 5)).report;
    assert_eq!(
        (
            report.unseen_systems.pairs,
            report.unseen_systems.head.value
        ),
        (0, None)
    );
    assert!(
        report.answer.contains("Nothing is known about systems"),
        "{}",
        report.answer
    );
    assert_ne!(report.recommended, "head");
}

/// Reports as they may come out at the rim, and what is recommended by them.
#[test]
fn a_head_is_recommended_where_it_beats_the_ready_score_and_a_coin_on_other_systems() {
    let between = |low: f64, high: f64| Known {
        value: Some((low + high) / 2.0),
        ci: Some([low, high]),
        note: None,
    };
    let worth = |head: &Known, difference: &Known| HeadWorth {
        pairs: 100,
        head: head.clone(),
        ready: between(0.45, 0.55),
        difference: difference.clone(),
    };
    let (good, poor) = (between(0.6, 0.8), between(0.45, 0.65));
    let (ahead, level) = (between(0.1, 0.3), between(-0.1, 0.3));
    let unknown = Known::not("few systems");
    for (others, difference, recommended, why) in [
        (
            &good,
            &ahead,
            "head",
            "It is better: by 20.0 points (10.0 to 30.0). Judge with the head.",
        ),
        (
            &good,
            &level,
            "longer",
            "It is not shown to be better: the difference is 10.0 points",
        ),
        (
            &poor,
            &ahead,
            NOTHING,
            "but it is not shown to be better than a coin. Nothing here is shown to be right more \
             often than a coin: neither the head nor a score that needs no labels. The best of \
             these scores on all labels is longer, but what is chosen by labels looks better on \
             them than it is. It was right no more often than a coin",
        ),
        (
            &unknown,
            &ahead,
            "longer",
            "It is better there: by 20.0 points (10.0 to 30.0). Nothing is",
        ),
        (
            &unknown,
            &level,
            "longer",
            "Nothing is known about systems that were not labelled, and a head judges only those",
        ),
    ] {
        let report = HeadReport {
            unseen_systems: worth(others, difference),
            unseen_questions: worth(&good, difference),
            ..HeadReport::default()
        };
        let (said, found) = answer(&report, "longer");
        assert_eq!(found, recommended, "{said}");
        assert!(said.contains(why), "{said}");
        let warns = said.contains("That is not shown to be better than a coin.")
            || said.contains("Nothing here is shown");
        assert_eq!(warns, recommended != "head", "{said}");
    }
}

/// A score that is right on 60 % of 100 pairs, 49 to 71 %, is no more than 10 points above a coin:
/// (11 * (1 + 0.84 / 1.96) / 10)^2 times as many are needed.
#[test]
fn how_many_labels_would_tell_follows_from_the_interval() {
    let ready = |value: f64, low: f64| Known {
        value: Some(value),
        ci: Some([low, 2.0 * value - low]),
        note: None,
    };
    assert_eq!(
        labels_to_tell(&ready(0.6, 0.49), 100),
        " If 60.0 % is its true share, about 250 labels would show it."
    );
    assert!(labels_to_tell(&ready(0.5, 0.4), 100).contains("not expected to help"));
    assert_eq!(labels_to_tell(&Known::not("why"), 100), "");
}

#[test]
fn few_labels_are_refused_before_anything_is_read() {
    assert!(check_label_counts(20, 10).is_ok());
    let why = check_label_counts(3, 3).unwrap_err().to_string();
    assert!(
        why.contains("3 labelled pairs with a winner, on 3 questions"),
        "{why}"
    );
    assert!(check_label_counts(20, 9).is_err());
}

/// Two groups of pairs by hand: what systems add is counted beside what questions add, less what
/// single pairs add to both.
#[test]
fn variances_over_questions_and_systems_add_up_and_pairs_count_once() {
    let pairs = (0..5u32).flat_map(|a| (a + 1..5).map(move |b| [a, b]));
    let dyads = pairs.map(|systems| Dyad {
        systems,
        value: f64::from(u8::from(systems[0] == 0)),
    });
    let dyads: Vec<Dyad> = dyads.collect();
    let reach = |over: f64| Known {
        value: Some(0.4),
        ci: Some([0.4 - over, 0.4 + over]),
        note: None,
    };
    // Student's quantile of 3 degrees of freedom times 0.4, by the jackknife.
    let of_systems = 3.182_446_3 * 0.4 * (1.0 + 5.0 / 3.0_f64).sqrt();
    for (questions, of_pairs) in [(0.3, 0.3), (0.3, 0.1), (0.3, 9.0)] {
        let found = with_systems(reach(questions), reach(of_pairs), &dyads, 5.0, 0.95).unwrap();
        let beyond: f64 = of_systems * of_systems - of_pairs * of_pairs;
        let expected = (questions * questions + beyond.max(0.0)).sqrt();
        let [low, high] = found.ci.unwrap();
        assert!((high - 0.4 - expected).abs() < 1e-6, "{found:?}");
        assert!((low + high - 0.8).abs() < 1e-9, "{found:?}");
    }
    // Four systems say nothing of others.
    let four: Vec<Dyad> = dyads
        .iter()
        .filter(|dyad| !dyad.systems.contains(&4))
        .copied()
        .collect();
    let found = with_systems(reach(0.3), reach(0.3), &four, 4.0, 0.95).unwrap();
    assert!(found.ci.is_none() && found.note.is_some() && found.value == Some(0.4));
}

/// Where all pairs come out alike, an interval reaches as far as so many systems as clusters allow.
#[test]
fn systems_that_come_out_alike_leave_room_for_others() {
    let ends_of = |systems: u32, value: f64, least: f64| {
        let pairs = (0..systems).flat_map(|a| (a + 1..systems).map(move |b| [a, b]));
        let dyads: Vec<Dyad> = pairs.map(|systems| Dyad { systems, value }).collect();
        let found = Known {
            value: Some(value),
            ci: Some([value - 0.01, (value + 0.01).min(1.0)]),
            note: None,
        };
        let found = as_wide_as_systems(found, &dyads, least, 0.95).unwrap();
        found.ci.unwrap()
    };
    // Clopper and Pearson's end of n right of n.
    let exact = |n: f64| 0.025_f64.powf(1.0 / n);
    for systems in [5, 6, 8, 12, 40] {
        let [low, high] = ends_of(systems, 1.0, 0.0);
        assert_eq!(high, 1.0);
        assert!(low <= exact(f64::from(systems)) + 1e-9, "{systems}: {low}");
        let [low, high] = ends_of(systems, 0.0, -1.0);
        assert!(low < -1.0 / f64::from(systems) && high > 1.0 / f64::from(systems));
        // Two systems more, one that moves all the way up and one down, are the least.
        let [low, _] = ends_of(systems, 0.3, -1.0);
        assert!(low < 0.3 - 1.0 / f64::from(systems), "{systems}: {low}");
    }
    assert!(ends_of(5, 1.0, 0.0)[0] < COIN && ends_of(6, 1.0, 0.0)[0] > COIN);
}

#[test]
fn too_few_labels_are_refused() {
    let error = fit_head(&planted(19, 4, 1.0, 6), &Bootstrap::default()).unwrap_err();
    assert!(error.to_string().contains("19 labelled pairs"), "{error}");
    let mut few = planted(30, 4, 1.0, 7);
    for pair in &mut few.pairs {
        pair.question %= 9;
    }
    let error = fit_head(&few, &Bootstrap::default()).unwrap_err();
    assert!(error.to_string().contains("on 9 questions"), "{error}");
}

#[test]
fn a_curve_that_is_a_line_goes_on_as_one() {
    let rows: Vec<Row> = planted(100, 4, 1.0, 8).pairs.iter().map(Row::new).collect();
    let line = |size: usize| 0.8 - 0.9 / (size as f64).sqrt();
    let curve = [10, 25, 50].map(|size| {
        let tried = (0..rows.len()).map(|row| Tried {
            row,
            head: line(size),
            ready: 0.5,
        });
        (size, tried.collect::<Vec<Tried>>())
    });
    let gain = gain_of_more(&rows, &curve, 0.95).unwrap();
    let expected = line(150) - line(100);
    assert!((value(&gain) - expected).abs() < 1e-9, "{gain:?}");
    let [low, high] = gain.ci.unwrap();
    assert!(high - low < 1e-9, "{gain:?}");
    assert!(
        gain_of_more(&rows, &curve[..2], 0.95)
            .unwrap()
            .value
            .is_none()
    );
}
