//! Several verdicts on the same responses, as one.

use evenhand_core::{Grade, Side, Source, Verdict};

/// The mean of verdicts of one form on the same slots: of probabilities, of scores, of places. Two
/// scores for a pair are averaged first and compared then (Wang et al. 2023, equation 2). None
/// where there is none.
pub(crate) fn mean(verdicts: &[Verdict]) -> Option<Verdict> {
    let source = common_source(verdicts)?;
    match verdicts.first()? {
        Verdict::Pointwise { .. } => Some(pointwise(verdicts, source)),
        Verdict::Pairwise { .. } => Some(pairwise(verdicts, source)),
        Verdict::Listwise { places, .. } => {
            let slot = |at: usize| {
                average(verdicts, |verdict| {
                    places_of(verdict).get(at).copied().unwrap_or(f64::NAN)
                })
            };
            Some(Verdict::Listwise {
                places: (0..places.len()).map(slot).collect(),
                source,
            })
        }
    }
}

/// A tie, in place of verdicts that contradict one another.
pub(crate) fn tie(verdicts: &[Verdict]) -> Option<Verdict> {
    let source = common_source(verdicts)?;
    Some(Verdict::pair(
        [0.0, 1.0, 0.0],
        average(verdicts, Verdict::outside),
        source,
    ))
}

/// Returns the side that most verdicts prefer; sides with equally many share it. Where they come from
/// (their source, what lay outside) is that of their mean. None where there is none.
pub(crate) fn majority(verdicts: &[Verdict]) -> Option<Verdict> {
    let mean = mean(verdicts)?;
    let votes = [Side::First, Side::Tie, Side::Second].map(|side| count_side(verdicts, side));
    let most = votes.iter().copied().max().unwrap_or(0);
    let winners = votes.iter().filter(|count| **count == most).count() as f64;
    let shares = votes.map(|count| if count == most { 1.0 / winners } else { 0.0 });
    Some(Verdict::pair(shares, mean.outside(), mean.source()))
}

/// Returns how many verdicts prefer a side.
pub(crate) fn count_side(verdicts: &[Verdict], side: Side) -> usize {
    let preferring = verdicts
        .iter()
        .filter(|verdict| verdict.side() == Some(side));
    preferring.count()
}

fn common_source(verdicts: &[Verdict]) -> Option<Source> {
    let first = verdicts.first()?.source();
    Some(
        if verdicts.iter().all(|verdict| verdict.source() == first) {
            first
        } else {
            Source::Mixed
        },
    )
}

fn average(verdicts: &[Verdict], value: impl Fn(&Verdict) -> f64) -> f64 {
    verdicts.iter().map(value).sum::<f64>() / verdicts.len() as f64
}

fn pointwise(verdicts: &[Verdict], source: Source) -> Verdict {
    let score = average(verdicts, |verdict| {
        if let Verdict::Pointwise { score, .. } = verdict {
            *score
        } else {
            f64::NAN
        }
    });
    let distributions: Vec<&[f64]> = verdicts.iter().map(distribution_of).collect();
    Verdict::Pointwise {
        score,
        distribution: columns(&distributions),
        outside: average(verdicts, Verdict::outside),
        source,
    }
}

fn pairwise(verdicts: &[Verdict], source: Source) -> Verdict {
    let p = |at: usize| {
        average(verdicts, |verdict| {
            verdict.preference().map_or(f64::NAN, |p| p[at])
        })
    };
    let outside = average(verdicts, Verdict::outside);
    match grade(verdicts) {
        Some(grade @ Grade::Scores(scores)) => compared(scores, grade, outside, source),
        grade => Verdict::Pairwise {
            first: p(0),
            tie: p(1),
            second: p(2),
            outside,
            source,
            grade,
        },
    }
}

/// The verdict that two scores make.
pub(crate) fn compared([a, b]: [f64; 2], grade: Grade, outside: f64, source: Source) -> Verdict {
    let one = |yes: bool| f64::from(u8::from(yes));
    Verdict::Pairwise {
        first: one(a > b),
        tie: one(a == b),
        second: one(b > a),
        outside,
        source,
        grade: Some(grade),
    }
}

fn grade(verdicts: &[Verdict]) -> Option<Grade> {
    let grades: Option<Vec<&Grade>> = verdicts.iter().map(grade_of).collect();
    let grades = grades?;
    let steps: Vec<&[f64]> = grades
        .iter()
        .map(|grade| {
            if let Grade::Steps(p) = grade {
                &p[..]
            } else {
                &[][..]
            }
        })
        .collect();
    let scores: Vec<&[f64]> = grades
        .iter()
        .map(|grade| {
            if let Grade::Scores(s) = grade {
                &s[..]
            } else {
                &[][..]
            }
        })
        .collect();
    match (columns(&steps), &columns(&scores)[..]) {
        (steps, _) if !steps.is_empty() => Some(Grade::Steps(steps)),
        (_, [first, second]) => Some(Grade::Scores([*first, *second])),
        _ => None,
    }
}

fn grade_of(verdict: &Verdict) -> Option<&Grade> {
    if let Verdict::Pairwise { grade, .. } = verdict {
        grade.as_ref()
    } else {
        None
    }
}

fn distribution_of(verdict: &Verdict) -> &[f64] {
    if let Verdict::Pointwise { distribution, .. } = verdict {
        distribution
    } else {
        &[]
    }
}

fn places_of(verdict: &Verdict) -> &[f64] {
    if let Verdict::Listwise { places, .. } = verdict {
        places
    } else {
        &[]
    }
}

/// The mean of rows, column by column; empty where they are not equally long.
fn columns(rows: &[&[f64]]) -> Vec<f64> {
    let width = rows.first().map_or(0, |row| row.len());
    if rows.iter().any(|row| row.len() != width) {
        return Vec::new();
    }
    (0..width)
        .map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(a: f64, b: f64) -> Verdict {
        compared([a, b], Grade::Scores([a, b]), 0.0, Source::Text)
    }

    #[test]
    fn scores_are_averaged_before_they_are_compared() {
        // One clear win for the second, two narrow ones for the first: 7, 7, 4 against 6, 6, 9.
        let mean = mean(&[scores(7.0, 6.0), scores(7.0, 6.0), scores(4.0, 9.0)]).unwrap();
        assert_eq!(mean.preference(), Some([0.0, 0.0, 1.0]));
        assert!(matches!(
            mean,
            Verdict::Pairwise {
                grade: Some(Grade::Scores([6.0, 7.0])),
                ..
            }
        ));
    }

    #[test]
    fn probabilities_are_averaged_and_mixed_sources_are_said() {
        let a = Verdict::pair([1.0, 0.0, 0.0], 0.2, Source::Probabilities);
        let b = Verdict::pair([0.0, 0.5, 0.5], 0.0, Source::Text);
        let mean = mean(&[a, b]).unwrap();
        assert_eq!(mean, Verdict::pair([0.5, 0.25, 0.25], 0.1, Source::Mixed));
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!(mean(&[]), None);
        assert_eq!(tie(&[]), None);
    }

    #[test]
    fn places_are_averaged() {
        let list = |places: [f64; 3]| Verdict::Listwise {
            places: places.to_vec(),
            source: Source::Text,
        };
        assert_eq!(
            mean(&[list([1.0, 2.0, 3.0]), list([2.0, 1.0, 3.0])]),
            Some(list([1.5, 1.5, 3.0]))
        );
    }
}
