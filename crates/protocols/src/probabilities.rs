//! Verdicts made of the probabilities of the answers.

use crate::{AnswerReading, Form};
use evenhand_core::{Grade, Verdict, VerdictSource, exceeds, likeliest};

/// Probabilities of the answers that sum to one.
pub(crate) struct Shares {
    pub(crate) of_answers: Vec<f64>,
    /// The mass that lay on none of the answers, from 0 to 1.
    pub(crate) outside: f64,
}

/// Returns the probabilities of `options` answers so that they sum to one.
///
/// This is the one place where probabilities become a verdict, whoever gave them: an embedded
/// model, a server, a program, a function of Python, or a reply that was kept.
///
/// # Errors
/// Why they state no verdict: where nothing lay on any answer, no answer is the most probable, and
/// whichever were taken would be ours and not the judge's.
pub(crate) fn renormalise(p: &[f64], options: usize) -> Result<Shares, String> {
    if p.len() != options {
        return Err(format!(
            "it gave {} probabilities for {options} answers",
            p.len()
        ));
    }
    let mass: f64 = p.iter().sum();
    if !mass.is_finite() || p.iter().any(|p| *p < 0.0) {
        return Err(format!("{p:?} are no probabilities"));
    }
    if mass == 0.0 {
        return Err("it gave no answer any probability".into());
    }
    Ok(Shares {
        of_answers: p.iter().map(|p| p / mass).collect(),
        outside: (1.0 - mass).clamp(0.0, 1.0),
    })
}

/// Returns the place of the largest; of equals the first.
pub(crate) fn find_likeliest(p: &[f64]) -> usize {
    (0..p.len()).fold(0, |best, at| if p[at] > p[best] { at } else { best })
}

/// Puts all of the probability on the most probable answer. Probabilities that cannot be used stay
/// as they are.
pub(crate) fn keep_likeliest(p: &[f64]) -> Vec<f64> {
    match renormalise(p, p.len()) {
        Ok(shares) => all_on(likeliest(&shares.of_answers), p.len()),
        Err(_) => p.to_vec(),
    }
}

/// Puts all of the probability on the most probable answers, in equal shares where there are
/// several: whichever of them were taken would be ours and not the judge's. What differs by
/// rounding alone is equal.
fn share_among_likeliest(p: &[f64]) -> Vec<f64> {
    let most = p.iter().copied().fold(0.0, f64::max);
    let is_likeliest = |p: &f64| !exceeds(most, *p);
    let share = 1.0 / p.iter().filter(|p| is_likeliest(p)).count() as f64;
    let shares = p.iter().map(|p| if is_likeliest(p) { share } else { 0.0 });
    shares.collect()
}

/// Returns `count` probabilities, all of it on one.
fn all_on(at: usize, count: usize) -> Vec<f64> {
    (0..count)
        .map(|option| f64::from(u8::from(option == at)))
        .collect()
}

/// Returns the verdict that chooses one of `count` answers.
pub(crate) fn make_choice(form: Form, at: usize, count: usize, source: VerdictSource) -> Verdict {
    make_verdict(form, all_on(at, count), 0.0, source)
}

/// Returns the verdict with these probabilities of the form's answers, in their order.
pub(crate) fn make_verdict(
    form: Form,
    p: Vec<f64>,
    outside: f64,
    source: VerdictSource,
) -> Verdict {
    if let Form::Pointwise(scale, reading) = form {
        let score = match reading {
            AnswerReading::Mean => scale.values().zip(&p).map(|(value, p)| value * p).sum(),
            AnswerReading::Mode => {
                let likeliest = scale.values().nth(likeliest(&p));
                likeliest.unwrap_or(scale.low())
            }
        };
        return make_score(score, p, outside, source);
    }
    let p = match form.reading() {
        Some(AnswerReading::Mode) => share_among_likeliest(&p),
        _ => p,
    };
    match (form, &p[..]) {
        (Form::Checklist(_), [met, not_met]) => {
            make_score(*met, vec![*not_met, *met], outside, source)
        }
        (_, [first, second]) => Verdict::pair([*first, 0.0, *second], outside, source),
        (_, [first, second, tie]) => Verdict::pair([*first, *tie, *second], outside, source),
        // Steps from much better to much worse: those on either side of the middle prefer one
        // response.
        (_, steps) => {
            let (first, rest) = steps.split_at(steps.len() / 2);
            let (tie, second) = rest.split_at(rest.len().min(1));
            Verdict::Pairwise {
                first: first.iter().sum(),
                tie: tie.first().copied().unwrap_or(0.0),
                second: second.iter().sum(),
                outside,
                source,
                grade: Some(Grade::Steps(p)),
            }
        }
    }
}

fn make_score(score: f64, p: Vec<f64>, outside: f64, source: VerdictSource) -> Verdict {
    // A text states one value, which is no distribution.
    let is_measured = source.is_measured();
    Verdict::Pointwise {
        score,
        distribution: if is_measured { p } else { Vec::new() },
        outside,
        source,
    }
}
