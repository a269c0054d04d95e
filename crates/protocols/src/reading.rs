//! Reading a verdict from a reply: from the probabilities of the answers where the model gives them, else from its text.

use crate::Form;
use evenhand_core::{Failure, FailureKind, Finish, Reply, Source, Verdict};

/// Changes when the same reply may be read differently: part of a run's manifest.
pub(crate) const VERSION: u32 = 1;

/// The verdict that a reply expresses. `marker` introduces it at the end of a longer text.
pub(crate) fn read(form: Form, reply: &Reply, marker: &str) -> Result<Verdict, Failure> {
    let options = form.options();
    match reply.answers.as_deref().and_then(|p| renormalise(p, options.len())) {
        Some((p, outside)) => Ok(verdict(form, p, outside, Source::Probabilities)),
        None => {
            let chosen = read_text(reply, &options, marker)?;
            let p = (0..options.len()).map(|at| f64::from(u8::from(at == chosen))).collect();
            Ok(verdict(form, p, 0.0, Source::Text))
        }
    }
}

/// Probabilities that sum to one, and the mass that lay on none of the answers. None where nothing lay on any.
fn renormalise(p: &[f64], options: usize) -> Option<(Vec<f64>, f64)> {
    let mass: f64 = p.iter().sum();
    let usable = p.len() == options && mass > 0.0 && mass.is_finite() && p.iter().all(|p| *p >= 0.0);
    usable.then(|| (p.iter().map(|p| p / mass).collect(), (1.0 - mass).clamp(0.0, 1.0)))
}

fn verdict(form: Form, p: Vec<f64>, outside: f64, source: Source) -> Verdict {
    match (form, &p[..]) {
        (Form::Pointwise(scale), _) => {
            let score = scale.values().zip(&p).map(|(value, p)| f64::from(value) * p).sum();
            let distribution = if source == Source::Text { Vec::new() } else { p };
            Verdict::Pointwise { score, distribution, outside, source }
        }
        (_, [first, second, tie]) => Verdict::Pairwise { first: *first, tie: *tie, second: *second, outside, source },
        (_, _) => {
            let at = |slot: usize| p.get(slot).copied().unwrap_or(0.0);
            Verdict::Pairwise { first: at(0), tie: 0.0, second: at(1), outside, source }
        }
    }
}

/// The answer that the text gives: the whole text, or its last line after the marker. Anything else is no verdict.
fn read_text(reply: &Reply, options: &[String], marker: &str) -> Result<usize, Failure> {
    if reply.finish == Finish::Refusal {
        return Err(Failure::new(FailureKind::Refused, excerpt(&reply.text)));
    }
    let text = reply.text.trim();
    let last = text.lines().next_back().unwrap_or("");
    let after_marker = strip_marker(bare(last), marker).map(bare);
    let found = [Some(bare(text)), after_marker].into_iter().flatten().find_map(|answer| position(answer, options));
    found.ok_or_else(|| no_verdict(reply, options))
}

fn no_verdict(reply: &Reply, options: &[String]) -> Failure {
    let kind = if reply.finish == Finish::Length { FailureKind::Truncated } else { FailureKind::Unparsed };
    Failure::new(kind, format!("expected one of {} at the end, found: {}", options.join(", "), excerpt(&reply.text)))
}

fn position(answer: &str, options: &[String]) -> Option<usize> {
    let named = answer.get(..7).filter(|head| head.eq_ignore_ascii_case("answer ")).and_then(|_| answer.get(7..));
    options.iter().position(|option| option == answer || named == Some(option.as_str()))
}

/// Without the marks that judges put around an answer: white space, emphasis, quotes, brackets, a closing full stop.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "*_`\"'[](){}.".contains(c))
}

fn strip_marker<'a>(line: &'a str, marker: &str) -> Option<&'a str> {
    let head = line.get(..marker.len())?;
    head.eq_ignore_ascii_case(marker).then(|| &line[marker.len()..])
}

fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let tail: Vec<char> = text.trim().chars().rev().take(LONGEST).collect();
    let shown: String = tail.iter().rev().collect();
    if shown.is_empty() { "an empty reply".into() } else { format!("{shown:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;
    use evenhand_core::Usage;

    fn reply(text: &str, finish: Finish, answers: Option<Vec<f64>>) -> Reply {
        Reply { text: text.into(), finish, answers, likelihood: None, usage: Usage::default() }
    }

    fn first_of(text: &str) -> Result<f64, FailureKind> {
        match read(Form::Pairwise, &reply(text, Finish::Stop, None), "Verdict:") {
            Ok(Verdict::Pairwise { first, .. }) => Ok(first),
            Ok(other) => panic!("{other:?}"),
            Err(failure) => Err(failure.kind),
        }
    }

    #[test]
    fn texts_that_are_a_verdict() {
        for text in ["A", " A\n", "A.", "**A**", "[[A]]", "Answer A", "(A)", "\"A\""] {
            assert_eq!(first_of(text), Ok(1.0), "{text}");
        }
        for text in [
            "Because it is right.\nVerdict: B",
            "x\n**Verdict: B**",
            "x\nVerdict: **B**.",
            "Verdict: A\nNo.\nverdict: Answer B\n",
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
            "Verdict: A\nbut I am not sure",
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
        let kind = |finish| read(Form::Pairwise, &reply("I think", finish, None), "Verdict:").unwrap_err().kind;
        assert_eq!(kind(Finish::Length), FailureKind::Truncated);
        assert_eq!(kind(Finish::Refusal), FailureKind::Refused);
    }

    #[test]
    fn probabilities_are_renormalised_and_what_lay_outside_is_said() {
        let verdict = read(Form::PairwiseTie, &reply("A", Finish::Length, Some(vec![0.1, 0.2, 0.1])), "Verdict:").unwrap();
        let Verdict::Pairwise { first, tie, second, outside, source } = verdict else { panic!("{verdict:?}") };
        assert_eq!((first, second, tie), (0.25, 0.5, 0.25));
        assert!((outside - 0.6).abs() < 1e-12);
        assert_eq!(source, Source::Probabilities);
    }

    #[test]
    fn a_pointwise_score_is_weighted_by_probability() {
        let form = Form::Pointwise(Scale { low: 1, high: 3 });
        let verdict = read(form, &reply("2", Finish::Length, Some(vec![0.2, 0.2, 0.4])), "Score:").unwrap();
        let Verdict::Pointwise { score, distribution, .. } = verdict else { panic!("{verdict:?}") };
        assert!((score - 2.25).abs() < 1e-12, "(1*0.2 + 2*0.2 + 3*0.4) / 0.8 = 2.25, got {score}");
        assert_eq!(distribution.len(), 3);
        let text = read(form, &reply("Fine.\nScore: 3", Finish::Stop, None), "Score:").unwrap();
        assert!(matches!(text, Verdict::Pointwise { score: 3.0, .. }));
        assert!(read(form, &reply("Score: 4", Finish::Stop, None), "Score:").is_err(), "outside the scale");
    }

    #[test]
    fn useless_probabilities_fall_back_to_the_text() {
        for answers in [vec![0.0, 0.0], vec![f64::NAN, 0.5], vec![0.5], vec![-0.1, 0.5]] {
            let verdict = read(Form::Pairwise, &reply("B", Finish::Stop, Some(answers)), "Verdict:").unwrap();
            assert!(matches!(verdict, Verdict::Pairwise { second: 1.0, source: Source::Text, .. }));
        }
    }
}
