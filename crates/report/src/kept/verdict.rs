//! Verdicts in words, by the names of the systems.

use evenhand_core::{Grade, Look, Stage, Verdict};

/// Returns what a verdict says of these systems, and where it was read.
pub(super) fn describe_verdict(verdict: &Verdict, names: &[&str]) -> String {
    let figures = match verdict {
        Verdict::Pointwise {
            score,
            distribution,
            ..
        } => {
            let score = format!("score {}", format_score(*score));
            if distribution.is_empty() {
                score
            } else {
                let shares = list(distribution.iter().copied().map(format_share));
                format!("{score}; from the lowest point of the scale up: {shares}")
            }
        }
        Verdict::Pairwise {
            first,
            tie,
            second,
            grade,
            ..
        } => {
            let [first, tie, second] = [*first, *tie, *second].map(format_share);
            let [a, b] = [0, 1].map(|slot| names.get(slot).copied().unwrap_or("?"));
            let shares = format!("{a} {first}, tie {tie}, {b} {second}");
            match grade {
                None => shares,
                Some(Grade::Scores([a, b])) => {
                    let (a, b) = (format_score(*a), format_score(*b));
                    format!("{shares}; scores {a} and {b}")
                }
                Some(grade) => format!("{shares}; strength {}", format_score(grade.strength())),
            }
        }
        Verdict::Listwise { places, .. } => {
            let mut order: Vec<(f64, &str)> =
                places.iter().copied().zip(names.iter().copied()).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let order = order.into_iter();
            list(order.map(|(place, name)| format!("{} {name}", format_score(place))))
        }
    };
    let mut said = format!("{figures} (by {})", verdict.source().name());
    if verdict.outside() >= 0.0005 {
        let outside = format_share(verdict.outside());
        said += &format!("; {outside} on none of the answers");
    }
    said
}

/// Returns what a look is of, and what it saw; `number` counts from 1.
pub(super) fn describe_look(number: usize, look: &Look, names: &[&str]) -> String {
    let mut what = format!("look {number}");
    if look.judge > 0 || look.stage == Stage::Member {
        what += &format!(", judge {}", look.judge + 1);
    }
    if let Stage::Step(step) = &look.stage {
        what += &format!(", {step}");
    }
    if look.sample > 0 {
        what += &format!(", sample {}", look.sample + 1);
    }
    if look.swapped {
        what += ", shown the other way round";
    }
    let criterion = look.criterion.as_ref();
    let saw = match (&look.outcome, criterion) {
        // How far the criterion is met, from 0 to 1.
        (Ok(Verdict::Pointwise { score, .. }), Some(_)) => format!("met {}", format_share(*score)),
        (Ok(other), Some(_)) => describe_verdict(other, &[]),
        (Ok(verdict), None) => describe_verdict(verdict, names),
        (Err(failure), _) => format!("no verdict ({}): {}", failure.kind, failure.detail),
    };
    match criterion {
        Some(judged) => format!("{what}: {saw}: {}", judged.criterion.text),
        None => format!("{what}: {saw}"),
    }
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns a probability as a table has it.
pub(super) fn format_share(share: f64) -> String {
    format!("{share:.3}")
}

/// Returns a score with at most three decimals.
pub(super) fn format_score(score: f64) -> String {
    let text = format!("{score:.3}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::VerdictSource::{Probabilities, Text};
    use evenhand_core::{Criterion, Failure, FailureKind, JudgedCriterion};

    const NAMES: [&str; 3] = ["ant", "bee", "cat"];

    #[test]
    fn verdicts_speak_of_systems() {
        let graded = Verdict::Pairwise {
            first: 0.7,
            tie: 0.0,
            second: 0.3,
            outside: 0.25,
            source: Text,
            grade: Some(Grade::Scores([8.0, 6.5])),
        };
        let scored = Verdict::Pointwise {
            score: 1.25,
            distribution: vec![0.75, 0.25],
            outside: 0.0,
            source: Probabilities,
        };
        let listed = Verdict::Listwise {
            places: vec![2.5, 1.0, 2.5],
            source: Text,
        };
        for (verdict, said) in [
            (
                graded,
                "ant 0.700, tie 0.000, bee 0.300; scores 8 and 6.5 (by text); 0.250 on none of \
                 the answers",
            ),
            (
                scored,
                "score 1.25; from the lowest point of the scale up: 0.750, 0.250 (by \
                 probabilities)",
            ),
            (listed, "1 bee, 2.5 ant, 2.5 cat (by text)"),
        ] {
            assert_eq!(describe_verdict(&verdict, &NAMES), said);
        }
    }

    #[test]
    fn looks_say_what_they_are_of() {
        let mut look = Look {
            judge: 1,
            stage: Stage::from("semantic"),
            sample: 2,
            swapped: true,
            outcome: Err(Failure::new(FailureKind::Unparsed, "no A and no B")),
            criterion: None,
        };
        assert_eq!(
            describe_look(3, &look, &NAMES),
            "look 3, judge 2, semantic, sample 3, shown the other way round: no verdict \
             (unparsed): no A and no B"
        );
        look = Look {
            judge: 0,
            stage: Stage::Only,
            sample: 0,
            swapped: false,
            outcome: Ok(Verdict::Pointwise {
                score: 1.0,
                distribution: Vec::new(),
                outside: 0.0,
                source: Text,
            }),
            criterion: Some(Box::new(JudgedCriterion {
                number: 1,
                criterion: Criterion::new("names a colour"),
                model_written: false,
            })),
        };
        let said = describe_look(1, &look, &NAMES);
        assert_eq!(said, "look 1: met 1.000: names a colour");
    }
}
