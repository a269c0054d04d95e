//! Reading a verdict from a reply: from the probabilities of the answers where the model gives
//! them, else from its text.

use crate::asked::{Unread, read_letter, read_number, read_order, read_scores};
use crate::extraction::{
    NoVerdict, Notation, Stated, after_thinking, extract, opens_with_thinking,
};
use crate::form::{LETTERS, letters};
use crate::prompts::Prompts;
use crate::verdicts::compared;
use crate::{Form, Scale};
use evenhand_core::{Failure, FailureKind, Finish, Grade, Reply, Source, Verdict};
use std::borrow::Cow;

/// Changes when the same reply may be read differently: part of a run's manifest.
pub(crate) const VERSION: u32 = 3;

/// The verdict that a reply expresses about so many responses.
pub(crate) fn read(
    form: Form,
    count: usize,
    reply: &Reply,
    prompts: &Prompts,
) -> Result<Verdict, Failure> {
    let options = form.options();
    if let Some((p, outside)) = reply
        .answers
        .as_deref()
        .and_then(|p| renormalise(p, options.len()))
    {
        return Ok(verdict(form, p, outside, Source::Probabilities));
    }
    if reply.finish == Finish::Refusal {
        return Err(Failure::new(FailureKind::Refused, excerpt(&reply.text)));
    }
    let text = &own_text(&reply.text).ok_or_else(|| still_thinking(&reply.text))?;
    let read = match (prompts.notation(), form) {
        (Some(notation), _) => return stated(form, notation, reply),
        (None, Form::PairwiseScore(scale)) => scores(scale, &marked(text, prompts.marker())),
        (None, Form::Listwise(_)) => order(count, &marked(text, prompts.marker())),
        (None, _) => choice(form, &options, &marked(text, prompts.marker())),
    };
    read.map_err(|why| no_verdict(reply, &expected(form, count, &options), &why.to_string()))
}

/// The reply behind its thinking; None while it thinks. Where the thinking only closes, since the
/// server's template opened it or since somebody's words are repeated, nothing opens the reply: a
/// verdict is read at its end alone.
fn own_text(text: &str) -> Option<Cow<'_, str>> {
    let own = after_thinking(text).ok()?;
    let opened = own.len() == text.len() || opens_with_thinking(text);
    Some(if opened {
        Cow::Borrowed(own)
    } else {
        Cow::Owned(format!("...\n{}", own.trim()))
    })
}

/// The text with the mark that a prompt pack has verdicts begin with, in whatever language, as a
/// word that the readers know.
fn marked<'a>(text: &'a str, marker: &str) -> Cow<'a, str> {
    let known = ["Verdict:", "Score:", "Scores:", "Order:"].contains(&marker) || marker.is_empty();
    if known || !text.contains(marker) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.replace(marker, "Verdict:"))
    }
}

/// What the prompt asks for.
fn expected(form: Form, count: usize, options: &[String]) -> String {
    match form {
        Form::PairwiseScore(scale) => {
            format!("two scores from {} to {}", scale.ends()[0], scale.ends()[1])
        }
        Form::Listwise(_) => format!(
            "each of the letters {} once, joined by > or =",
            letters(count)
        ),
        _ => format!("one of {}", options.join(", ")),
    }
}

fn still_thinking(text: &str) -> Failure {
    let detail = format!(
        "the judge was still thinking when its tokens ran out, before a verdict: {}",
        excerpt(text)
    );
    Failure::new(FailureKind::Truncated, detail)
}

/// The verdict that the second stage read; None where it read none.
pub(crate) fn read_second_stage(
    form: Form,
    count: usize,
    options: &[String],
    reply: &Reply,
) -> Option<Verdict> {
    if let Form::Listwise(_) = form {
        let places = places(bare(&reply.text), count)?;
        return Some(Verdict::Listwise {
            places,
            source: Source::SecondStage,
        });
    }
    let found = reply
        .answers
        .as_deref()
        .and_then(|p| renormalise(p, options.len()))
        .map(|(p, _)| likeliest(&p));
    let at = found
        .or_else(|| position(bare(&reply.text), options))
        .filter(|at| *at + 1 < options.len())?;
    let form = if matches!(form, Form::PairwiseScore(_)) {
        Form::PairwiseTie
    } else {
        form
    };
    Some(verdict(
        form,
        one_hot(at, options.len() - 1),
        0.0,
        Source::SecondStage,
    ))
}

/// A letter or a number, as the form asks for it.
fn choice(form: Form, options: &[String], text: &str) -> Result<Verdict, Unread> {
    let letters = options
        .iter()
        .all(|option| option.starts_with(|c: char| c.is_ascii_uppercase()));
    let at = match position(bare(text), options) {
        Some(at) => at,
        None if letters => read_letter(text, options)?,
        None => read_number(text, options)?,
    };
    Ok(verdict(form, one_hot(at, options.len()), 0.0, Source::Text))
}

/// Two numbers on the scale.
fn scores(scale: Scale, text: &str) -> Result<Verdict, Unread> {
    let scores = two_scores(bare(text), scale).map_or_else(|| read_scores(text, scale), Ok)?;
    Ok(compared(scores, Grade::Scores(scores), 0.0, Source::Text))
}

fn two_scores(answer: &str, scale: Scale) -> Option<[f64; 2]> {
    let mut numbers = answer
        .split(|c: char| c.is_whitespace() || ",;/|&".contains(c))
        .filter(|part| !part.is_empty());
    let mut next = || -> Option<f64> {
        let number: f64 = bare(numbers.next()?).parse().ok()?;
        (scale.low()..=scale.high())
            .contains(&number)
            .then_some(number)
    };
    let scores = [next()?, next()?];
    numbers.next().is_none().then_some(scores)
}

/// Letters with ` > ` or ` = ` between them.
fn order(count: usize, text: &str) -> Result<Verdict, Unread> {
    let places = read_order(text, |order| places(bare(order), count))?;
    Ok(Verdict::Listwise {
        places,
        source: Source::Text,
    })
}

fn places(answer: &str, count: usize) -> Option<Vec<f64>> {
    let mut places = vec![0.0; count];
    let mut taken = 0;
    for group in answer.split('>') {
        let slots: Vec<usize> = group
            .split('=')
            .map(|letter| slot(bare(letter)))
            .collect::<Option<_>>()?;
        // Equals share the middle of their places.
        let place = taken as f64 + (slots.len() as f64 + 1.0) / 2.0;
        for slot in &slots {
            let free = places.get_mut(*slot).filter(|place| **place == 0.0)?;
            *free = place;
        }
        taken += slots.len();
    }
    (taken == count).then_some(places)
}

fn slot(letter: &str) -> Option<usize> {
    let mut letters = letter.chars();
    let slot = LETTERS.find(letters.next()?)?;
    letters.next().is_none().then_some(slot)
}

/// What the text states in a notation of the field, for prompts in others' words.
fn stated(form: Form, notation: Notation, reply: &Reply) -> Result<Verdict, Failure> {
    let found = extract(notation, &reply.text).map_err(|why| match why {
        NoVerdict::CutShort => Failure::new(FailureKind::Truncated, excerpt(&reply.text)),
        NoVerdict::Thinking => still_thinking(&reply.text),
        why => no_verdict(reply, &format!("a verdict as {notation}"), &why.to_string()),
    })?;
    of_stated(form, found).ok_or_else(|| {
        no_verdict(
            reply,
            &format!("a verdict of the form {form}"),
            "it is another kind",
        )
    })
}

fn of_stated(form: Form, stated: Stated) -> Option<Verdict> {
    let options = form.options().len();
    let at = match (form, stated) {
        (Form::Pointwise(_), Stated::Score(score)) => {
            return Some(Verdict::Pointwise {
                score,
                distribution: Vec::new(),
                outside: 0.0,
                source: Source::Text,
            });
        }
        (Form::PairwiseScore(_), Stated::Scores(a, b)) => {
            return Some(compared([a, b], Grade::Scores([a, b]), 0.0, Source::Text));
        }
        (Form::Pairwise5Point, Stated::Strength(strength)) => strength as usize,
        // PORTIA's table 14: the larger, the better the first; here the steps begin with it.
        (Form::PairwiseLikert, Stated::Score(score)) => {
            (1..=options).rev().position(|step| step as f64 == score)?
        }
        (Form::Pairwise | Form::PairwiseTie, stated) => match stated.preferred()? {
            Stated::First => 0,
            Stated::Second => 1,
            _ => 2,
        },
        _ => return None,
    };
    (at < options).then(|| verdict(form, one_hot(at, options), 0.0, Source::Text))
}

fn one_hot(at: usize, count: usize) -> Vec<f64> {
    (0..count)
        .map(|option| f64::from(u8::from(option == at)))
        .collect()
}

/// The place of the largest; of equals the first.
fn likeliest(p: &[f64]) -> usize {
    (0..p.len()).fold(0, |best, at| if p[at] > p[best] { at } else { best })
}

/// All of the probability on the most probable answer; as it was where there is none.
pub(crate) fn likeliest_alone(p: &[f64]) -> Vec<f64> {
    renormalise(p, p.len()).map_or_else(|| p.to_vec(), |(p, _)| one_hot(likeliest(&p), p.len()))
}

/// Probabilities that sum to one, and the mass that lay on none of the answers. None where nothing
/// lay on any.
fn renormalise(p: &[f64], options: usize) -> Option<(Vec<f64>, f64)> {
    let mass: f64 = p.iter().sum();
    let usable =
        p.len() == options && mass > 0.0 && mass.is_finite() && p.iter().all(|p| *p >= 0.0);
    usable.then(|| {
        (
            p.iter().map(|p| p / mass).collect(),
            (1.0 - mass).clamp(0.0, 1.0),
        )
    })
}

fn verdict(form: Form, p: Vec<f64>, outside: f64, source: Source) -> Verdict {
    match (form, &p[..]) {
        (Form::Pointwise(scale), _) => {
            let score = scale.values().zip(&p).map(|(value, p)| value * p).sum();
            let distribution = if source == Source::Probabilities {
                p
            } else {
                Vec::new()
            };
            Verdict::Pointwise {
                score,
                distribution,
                outside,
                source,
            }
        }
        (_, [first, second]) => Verdict::pair([*first, 0.0, *second], outside, source),
        (_, [first, second, tie]) => Verdict::pair([*first, *tie, *second], outside, source),
        (_, steps) => {
            let middle = steps.len() / 2;
            let sum = |steps: &[f64]| steps.iter().sum::<f64>();
            let (first, tie, second) = (
                sum(&steps[..middle]),
                steps.get(middle).copied().unwrap_or(0.0),
                sum(&steps[middle + 1..]),
            );
            Verdict::Pairwise {
                first,
                tie,
                second,
                outside,
                source,
                grade: Some(Grade::Steps(p)),
            }
        }
    }
}

fn no_verdict(reply: &Reply, expected: &str, why: &str) -> Failure {
    let kind = if reply.finish == Finish::Length {
        FailureKind::Truncated
    } else {
        FailureKind::Unparsed
    };
    Failure::new(
        kind,
        format!(
            "expected {expected}; {why}; found: {}",
            excerpt(&reply.text)
        ),
    )
}

fn position(answer: &str, options: &[String]) -> Option<usize> {
    let named = answer
        .get(..7)
        .filter(|head| head.eq_ignore_ascii_case("answer "))
        .and_then(|_| answer.get(7..));
    options
        .iter()
        .position(|option| option == answer || named == Some(option.as_str()))
}

/// Without the marks that judges put around an answer: white space, emphasis, quotes, brackets, a
/// closing full stop.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "*_`\"'[](){}.".contains(c))
}

pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let tail: Vec<char> = text.trim().chars().rev().take(LONGEST).collect();
    let shown: String = tail.iter().rev().collect();
    if shown.is_empty() {
        "an empty reply".into()
    } else {
        format!("{shown:?}")
    }
}

#[cfg(test)]
mod corpus;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JudgedProtocol, ProtocolOptions};

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
        super::read(protocol.form, 3, reply, &protocol.prompts)
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
            "A", " A\n", "A.", "**A**", "[[A]]", "Answer A", "(A)", "\"A\"",
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
            "a",
            "C",
            "Both are good",
            "Verdict: A\nNo.\nverdict: Answer B\n",
            "Verdict: A and B",
            "Apples",
            "é",
            "Verdict：A",
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
        assert_eq!(source, Source::Probabilities);
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

    #[test]
    fn useless_probabilities_fall_back_to_the_text() {
        for answers in [
            vec![0.0, 0.0],
            vec![f64::NAN, 0.5],
            vec![0.5],
            vec![-0.1, 0.5],
        ] {
            let verdict = read("pairwise", &reply("B", Finish::Stop, Some(answers))).unwrap();
            assert!(matches!(
                verdict,
                Verdict::Pairwise {
                    second: 1.0,
                    source: Source::Text,
                    ..
                }
            ));
        }
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
        assert_eq!(
            (verdict.preference(), grade.strength()),
            (Some([1.0, 0.0, 0.0]), 0.5)
        );
        let p = vec![0.1, 0.0, 0.1, 0.2, 0.2, 0.2, 0.2];
        let verdict = read("pairwise-likert", &reply("5", Finish::Length, Some(p))).unwrap();
        let [first, tie, second] = verdict.preference().unwrap();
        assert!(
            (first - 0.2).abs() < 1e-12
                && (tie - 0.2).abs() < 1e-12
                && (second - 0.6).abs() < 1e-12,
            "{verdict:?}"
        );
        assert_eq!(of_text("pairwise-5point", "6"), None);
    }

    #[test]
    fn a_likert_value_in_portias_words_is_larger_the_better_the_first_is() {
        let side = |score| {
            of_stated(Form::PairwiseLikert, Stated::Score(score)).and_then(|verdict| verdict.side())
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
            super::read_second_stage(
                Form::Pairwise,
                2,
                &options,
                &reply(text, Finish::Stop, None),
            )
        };
        assert_eq!(
            read("B"),
            Some(Verdict::pair([0.0, 0.0, 1.0], 0.0, Source::SecondStage))
        );
        assert_eq!(read("NONE"), None);
        assert_eq!(read("who knows"), None);
        let sure = Reply {
            answers: Some(vec![0.1, 0.2, 0.7]),
            ..reply("A", Finish::Stop, None)
        };
        assert_eq!(
            super::read_second_stage(Form::Pairwise, 2, &options, &sure),
            None
        );
    }

    #[test]
    fn the_second_stage_reads_an_order_of_all_responses() {
        let read = |text| {
            super::read_second_stage(
                Form::Listwise(None),
                3,
                &[],
                &reply(text, Finish::Stop, None),
            )
        };
        let order = Verdict::Listwise {
            places: vec![2.0, 1.0, 3.0],
            source: Source::SecondStage,
        };
        assert_eq!(read("B > A > C"), Some(order));
        for text in ["NONE", "B > A", "B", "B > A > C, I think", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
