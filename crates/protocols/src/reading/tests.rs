//! Replies and the verdicts that are read from them.

use super::notations::make_stated_verdict;
use super::*;
use crate::extraction::Stated;
use crate::{JudgedProtocol, ProtocolOptions};
use evenhand_core::VerdictSource;

fn reply(text: &str, finish: Finish, answers: Option<Vec<f64>>) -> Reply {
    Reply {
        text: text.into(),
        finish,
        answers,
        ..Reply::default()
    }
}

fn read(form: &str, reply: &Reply) -> Result<Verdict, Failure> {
    let protocol = JudgedProtocol::parse(form, &ProtocolOptions::default()).unwrap();
    protocol.prompts.reader(3).read_verdict(reply)
}

fn first_of(text: &str) -> Result<f64, FailureKind> {
    match read("pairwise", &reply(text, Finish::Stop, None)) {
        Ok(Verdict::Pairwise { first, .. }) => Ok(first),
        Ok(other) => panic!("{other:?}"),
        Err(failure) => Err(failure.kind),
    }
}

fn of_text(form: &str, text: &str) -> Option<Verdict> {
    read(form, &reply(text, Finish::Stop, None)).ok()
}

#[test]
fn texts_that_are_a_verdict() {
    for text in [
        "A",
        " A\n",
        "A.",
        "**A**",
        "[[A]]",
        "Answer A",
        "(A)",
        "\"A\"",
        "a",
        "Verdict：A",
    ] {
        assert_eq!(first_of(text), Ok(1.0), "{text}");
    }
    for text in [
        "Because it is right.\nVerdict: B",
        "x\n**Verdict: B**",
        "x\nVerdict: **B**.",
    ] {
        assert_eq!(first_of(text), Ok(0.0), "{text}");
    }
}

#[test]
fn texts_that_are_none() {
    for text in [
        "",
        "A or B",
        "AB",
        "C",
        "Both are good",
        "Verdict: A\nNo.\nverdict: Answer B\n",
        "Verdict: A and B",
        "Apples",
        "é",
    ] {
        assert_eq!(first_of(text), Err(FailureKind::Unparsed), "{text}");
    }
}

#[test]
fn a_reply_cut_short_is_truncated_and_a_refusal_is_refused() {
    let kind = |finish| {
        read("pairwise", &reply("I think", finish, None))
            .unwrap_err()
            .kind
    };
    assert_eq!(kind(Finish::Length), FailureKind::Truncated);
    assert_eq!(kind(Finish::Refusal), FailureKind::Refused);
}

#[test]
fn probabilities_are_renormalised_and_what_lay_outside_is_said() {
    let verdict = read(
        "pairwise-tie",
        &reply("A", Finish::Length, Some(vec![0.1, 0.2, 0.1])),
    )
    .unwrap();
    let Verdict::Pairwise {
        first,
        tie,
        second,
        outside,
        source,
        grade: None,
    } = verdict
    else {
        panic!("{verdict:?}")
    };
    assert_eq!((first, second, tie), (0.25, 0.5, 0.25));
    assert!((outside - 0.6).abs() < 1e-12);
    assert_eq!(source, VerdictSource::Probabilities);
}

#[test]
fn a_pointwise_score_is_weighted_by_probability() {
    let form = "pointwise:1-3";
    let verdict = read(form, &reply("2", Finish::Length, Some(vec![0.2, 0.2, 0.4]))).unwrap();
    let Verdict::Pointwise {
        score,
        distribution,
        ..
    } = verdict
    else {
        panic!("{verdict:?}")
    };
    assert!(
        (score - 2.25).abs() < 1e-12,
        "(1*0.2 + 2*0.2 + 3*0.4) / 0.8 = 2.25, got {score}"
    );
    assert_eq!(distribution.len(), 3);
    let text = read(form, &reply("Fine.\nScore: 3", Finish::Stop, None)).unwrap();
    assert!(matches!(text, Verdict::Pointwise { score: 3.0, .. }));
    assert!(
        read(form, &reply("Score: 4", Finish::Stop, None)).is_err(),
        "outside the scale"
    );
}

/// Every form that is decided by answers, with how many it has.
const ANSWERED: [(&str, usize); 7] = [
    ("pairwise", 2),
    ("pairwise-tie", 3),
    ("pairwise-5point", 5),
    ("pairwise-likert", 7),
    ("pointwise:1-10", 10),
    ("pointwise:1-7,mode", 7),
    ("checklist:each", 2),
];

#[test]
fn probabilities_that_decide_nothing_are_a_failure_whatever_the_text_says() {
    for (form, options) in ANSWERED {
        let zeros = vec![0.0; options];
        let with = |value: f64| [&zeros[1..], &[value]].concat();
        for (answers, why) in [
            (zeros.clone(), "no answer any probability"),
            (with(-0.0), "no answer any probability"),
            (with(f64::NAN), "no probabilities"),
            (with(f64::INFINITY), "no probabilities"),
            (with(-0.5), "no probabilities"),
            (vec![1.0; options + 1], "probabilities for"),
            (vec![], "gave 0 probabilities"),
        ] {
            // The text is one that would be read by itself.
            for text in ["", "A", "1", "yes"] {
                let failure = read(form, &reply(text, Finish::Stop, Some(answers.clone())));
                let failure = failure.expect_err(&format!("{form}: {answers:?} {text:?}"));
                assert_eq!(failure.kind, FailureKind::Unparsed, "{form}: {failure:?}");
                assert!(failure.detail.contains(why), "{form}: {failure:?}");
            }
        }
        // The least mass there can be is some.
        let least = read(form, &reply("", Finish::Stop, Some(with(5e-324)))).unwrap();
        assert_eq!(least.outside(), 1.0, "{form}");
    }
    let refused = reply("I will not.", Finish::Refusal, Some(vec![0.0, 0.0]));
    assert_eq!(
        read("pairwise", &refused).unwrap_err().kind,
        FailureKind::Refused
    );
}

#[test]
fn five_steps_and_seven_have_a_strength() {
    let verdict = of_text("pairwise-5point", "Well.\nVerdict: 2").unwrap();
    let Verdict::Pairwise {
        grade: Some(grade), ..
    } = &verdict
    else {
        panic!("{verdict:?}")
    };
    assert_eq!(verdict.preference(), Some([1.0, 0.0, 0.0]));
    assert_eq!(grade.strength(), 0.5);
    let p = vec![0.1, 0.0, 0.1, 0.2, 0.2, 0.2, 0.2];
    let verdict = read("pairwise-likert", &reply("5", Finish::Length, Some(p))).unwrap();
    let [first, tie, second] = verdict.preference().unwrap();
    assert!(
        (first - 0.2).abs() < 1e-12 && (tie - 0.2).abs() < 1e-12 && (second - 0.6).abs() < 1e-12,
        "{verdict:?}"
    );
    assert_eq!(of_text("pairwise-5point", "6"), None);
}

#[test]
fn a_likert_value_in_portias_words_is_larger_the_better_the_first_is() {
    let side = |score| {
        make_stated_verdict(
            Form::PairwiseLikert(AnswerReading::Mean),
            Stated::Score(score),
        )
        .and_then(|verdict| verdict.side())
    };
    use evenhand_core::Side::{First, Second, Tie};
    assert_eq!(
        [7.0, 5.0, 4.0, 3.0, 1.0].map(side),
        [
            Some(First),
            Some(First),
            Some(Tie),
            Some(Second),
            Some(Second)
        ]
    );
    assert_eq!([0.0, 8.0, 4.5].map(side), [None; 3]);
}

#[test]
fn two_scores_are_compared() {
    for (text, p) in [
        ("8 6", [1.0, 0.0, 0.0]),
        ("6, 8", [0.0, 0.0, 1.0]),
        ("**7 / 7**", [0.0, 1.0, 0.0]),
        ("8 6\nThe first is longer.", [1.0, 0.0, 0.0]),
        ("Fine.\nScores: 7.5 9", [0.0, 0.0, 1.0]),
    ] {
        assert_eq!(
            of_text("pairwise-score", text).and_then(|verdict| verdict.preference()),
            Some(p),
            "{text}"
        );
    }
    for text in [
        "8",
        "8 6 5",
        "11 3",
        "A 8",
        "0 5",
        "eight six",
        "NaN 3",
        "inf 3",
    ] {
        assert_eq!(of_text("pairwise-score", text), None, "{text}");
    }
}

#[test]
fn orders_name_every_letter_once() {
    let places = |text| match of_text("listwise", text) {
        Some(Verdict::Listwise { places, .. }) => Some(places),
        _ => None,
    };
    assert_eq!(places("B > A > C"), Some(vec![2.0, 1.0, 3.0]));
    assert_eq!(places("Thus.\nOrder: C > A = B"), Some(vec![2.5, 2.5, 1.0]));
    assert_eq!(places("A=B=C"), Some(vec![2.0, 2.0, 2.0]));
    for text in [
        "A > B",
        "A > B > B",
        "A > B > D",
        "A > B > C > A",
        "A B C",
        "a > b > c",
        "",
    ] {
        assert_eq!(places(text), None, "{text}");
    }
}

#[test]
fn the_second_stage_may_find_nothing() {
    let options = ["A", "B", "NONE"].map(String::from);
    let read = |text| {
        read_second_stage(
            Form::Pairwise(AnswerReading::Mean),
            2,
            &options,
            &reply(text, Finish::Stop, None),
        )
    };
    assert_eq!(
        read("B"),
        Some(Verdict::pair(
            [0.0, 0.0, 1.0],
            0.0,
            VerdictSource::SecondStage
        ))
    );
    assert_eq!(read("NONE"), None);
    assert_eq!(read("who knows"), None);
    let sure = Reply {
        answers: Some(vec![0.1, 0.2, 0.7]),
        ..reply("A", Finish::Stop, None)
    };
    assert_eq!(
        read_second_stage(Form::Pairwise(AnswerReading::Mean), 2, &options, &sure),
        None
    );
    let nothing = Reply {
        answers: Some(vec![0.0; 3]),
        ..reply("A", Finish::Stop, None)
    };
    assert_eq!(
        read_second_stage(Form::Pairwise(AnswerReading::Mean), 2, &options, &nothing),
        None
    );
}

#[test]
fn the_second_stage_reads_an_order_of_all_responses() {
    let read = |text| {
        read_second_stage(
            Form::Listwise(None),
            3,
            &[],
            &reply(text, Finish::Stop, None),
        )
    };
    let order = Verdict::Listwise {
        places: vec![2.0, 1.0, 3.0],
        source: VerdictSource::SecondStage,
    };
    assert_eq!(read("B > A > C"), Some(order));
    for text in ["NONE", "B > A", "B", "B > A > C, I think", ""] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn the_mode_of_a_score_is_its_most_probable_value() {
    let score = |form: &str, answers: Option<[f64; 5]>| {
        let reply = reply("4", Finish::Stop, answers.map(Vec::from));
        match read(form, &reply) {
            Ok(Verdict::Pointwise { score, .. }) => score,
            other => panic!("{other:?}"),
        }
    };
    let p = [0.0, 0.1, 0.3, 0.4, 0.2];
    assert!((score("pointwise:1-5", Some(p)) - 3.7).abs() < 1e-12);
    assert_eq!(score("pointwise:1-5,mode", Some(p)), 4.0);
    // Of equals the worst; a text states one value in either reading.
    let even = [0.0, 0.0, 0.4, 0.4, 0.2];
    assert_eq!(score("pointwise:1-5,mode", Some(even)), 3.0);
    for form in ["pointwise:1-5", "pointwise:1-5,mode"] {
        assert_eq!(score(form, None), 4.0);
    }
}

/// RealRank's appendix A: a judge that states `2` has said that the first is a little better,
/// whatever else was probable. The soft reading sees two halves.
#[test]
fn the_hard_reading_of_a_step_is_the_one_that_is_stated() {
    let steps = |form: &str| {
        let reply = reply("2", Finish::Stop, Some(vec![0.0, 0.5, 0.0, 0.3, 0.2]));
        match read(form, &reply) {
            Ok(Verdict::Pairwise {
                first,
                second,
                grade: Some(Grade::Steps(steps)),
                ..
            }) => (first, second, steps),
            other => panic!("{other:?}"),
        }
    };
    let soft = steps("pairwise-5point");
    assert_eq!(soft, (0.5, 0.5, vec![0.0, 0.5, 0.0, 0.3, 0.2]));
    let hard = steps("pairwise-5point,mode");
    assert_eq!(hard, (1.0, 0.0, vec![0.0, 1.0, 0.0, 0.0, 0.0]));
}

/// Of every form: the hard reading is the verdict that the most probable answer states by itself,
/// and of equally probable ones each has its share.
#[test]
fn the_hard_reading_of_any_form_is_that_of_its_most_probable_answer() {
    let preference = |form: &str, reply: &Reply| {
        let verdict = read(form, reply).unwrap();
        match verdict {
            Verdict::Pointwise { score, .. } => vec![score],
            other => other.preference().unwrap().to_vec(),
        }
    };
    for form in [
        "pairwise",
        "pairwise-tie",
        "pairwise-5point",
        "pairwise-likert",
        "checklist:each",
        "pointwise:1-5",
    ] {
        let hard = format!("{form},mode");
        let options = Form::parse(form).unwrap().options();
        for (at, option) in options.iter().enumerate() {
            let rest = 0.6 / (options.len() - 1) as f64;
            let probable = (0..options.len()).map(|other| match other == at {
                true => 0.4_f64.max(rest + 0.01),
                false => rest,
            });
            let measured = reply(option, Finish::Stop, Some(probable.collect()));
            let stated = reply(option, Finish::Stop, None);
            let said = preference(form, &stated);
            assert_eq!(preference(&hard, &measured), said, "{hard} {option}");
            assert_eq!(preference(&hard, &stated), said, "{hard} {option}");
            // A mean may come to the middle value of a scale, too.
            if !form.starts_with("pointwise") {
                assert_ne!(preference(form, &measured), said, "{form} {option}");
            }
        }
    }
    // 0.1 + 0.2 and 0.3 differ in rounding alone.
    let even = |p: [f64; 3]| {
        preference(
            "pairwise-tie,mode",
            &reply("A", Finish::Stop, Some(p.into())),
        )
    };
    assert_eq!(even([0.1 + 0.2, 0.3, 0.4]), [0.0, 1.0, 0.0]);
    assert_eq!(even([0.1 + 0.2, 0.3, 0.2]), [0.5, 0.0, 0.5]);
    assert_eq!(even([0.25, 0.5, 0.5]), [0.0, 0.5, 0.5]);
}
