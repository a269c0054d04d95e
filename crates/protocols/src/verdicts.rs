//! Several verdicts on the same responses, as one.

use evenhand_core::{Grade, Side, Verdict, VerdictSource, average as average_looks};

/// Returns the mean of verdicts of one form on the same slots: of probabilities, of scores, of
/// places. Two scores for a pair are averaged first and compared then (Wang et al. 2024, equation
/// 2). None where there is no verdict.
pub(crate) fn mean(verdicts: &[Verdict]) -> Option<Verdict> {
    let source = common_source(verdicts)?;
    Some(match verdicts.first()? {
        Verdict::Pointwise { .. } => Verdict::Pointwise {
            score: average(verdicts, |verdict| match verdict {
                Verdict::Pointwise { score, .. } => *score,
                _ => f64::NAN,
            }),
            distribution: average_columns(verdicts, |verdict| match verdict {
                Verdict::Pointwise { distribution, .. } => distribution,
                _ => &[],
            }),
            outside: average(verdicts, Verdict::outside),
            source,
        },
        Verdict::Pairwise { .. } => average_preferences(verdicts, source),
        Verdict::Listwise { places, .. } => {
            let place_of = |verdict: &Verdict, slot: usize| match verdict {
                Verdict::Listwise { places, .. } => places.get(slot).copied().unwrap_or(f64::NAN),
                _ => f64::NAN,
            };
            let slots = 0..places.len();
            let places = slots.map(|slot| average(verdicts, |verdict| place_of(verdict, slot)));
            Verdict::Listwise {
                places: places.collect(),
                source,
            }
        }
    })
}

const TIE: [f64; 3] = [0.0, 1.0, 0.0];

/// Returns a tie, in place of verdicts that contradict one another. None where there is no verdict.
pub(crate) fn tie(verdicts: &[Verdict]) -> Option<Verdict> {
    let source = common_source(verdicts)?;
    let outside = average(verdicts, Verdict::outside);
    Some(Verdict::pair(TIE, outside, source))
}

/// Returns the side that most verdicts prefer; sides with equally many share it. Where they come
/// from (their source, what lay outside) is that of their mean. None where there is no verdict.
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

/// Returns the source of all verdicts, or that they are mixed. Words that were read in several ways
/// are as sure as the least sure of them, prose; so are probabilities of which some go against
/// their text.
fn common_source(verdicts: &[Verdict]) -> Option<VerdictSource> {
    let first = verdicts.first()?.source();
    let mut sources = verdicts.iter().map(Verdict::source);
    Some(if sources.clone().all(|source| source == first) {
        first
    } else if sources.clone().all(VerdictSource::is_measured) {
        VerdictSource::AgainstText
    } else if !sources.clone().all(VerdictSource::is_words) {
        VerdictSource::Mixed
    } else if sources.any(|source| source == VerdictSource::Prose) {
        VerdictSource::Prose
    } else {
        VerdictSource::Text
    })
}

fn average(verdicts: &[Verdict], value: impl Fn(&Verdict) -> f64) -> f64 {
    verdicts.iter().map(value).sum::<f64>() / verdicts.len() as f64
}

fn average_preferences(verdicts: &[Verdict], source: VerdictSource) -> Verdict {
    let outside = average(verdicts, Verdict::outside);
    let grade = average_grades(verdicts);
    if let Some(Grade::Scores(scores)) = grade {
        let scores = settle_rounding(scores);
        return compare_scores(scores, Grade::Scores(scores), outside, source);
    }
    let looks = verdicts
        .iter()
        .map(|verdict| verdict.preference().unwrap_or([f64::NAN; 3]));
    let [first, tie, second] = average_looks(looks).unwrap_or([f64::NAN; 3]);
    Verdict::Pairwise {
        first,
        tie,
        second,
        outside,
        source,
        grade,
    }
}

/// Returns two mean scores, equal where their exact means are. Means of thirds are rounded, and
/// what is left of 28 : 28 after six samples must not decide, nor show as a strength.
fn settle_rounding([a, b]: [f64; 2]) -> [f64; 2] {
    match Side::of_scores([a, b]) {
        Side::Tie => [(a + b) / 2.0; 2],
        _ => [a, b],
    }
}

/// Returns the verdict that two scores make: the higher one is better.
pub(crate) fn compare_scores(
    scores: [f64; 2],
    grade: Grade,
    outside: f64,
    source: VerdictSource,
) -> Verdict {
    let [first, tie, second] = Side::of_scores(scores).certain();
    Verdict::Pairwise {
        first,
        tie,
        second,
        outside,
        source,
        grade: Some(grade),
    }
}

/// Returns the mean of the grades; None unless all verdicts have one, and of one kind.
fn average_grades(verdicts: &[Verdict]) -> Option<Grade> {
    let mut grades: Vec<&Grade> = Vec::new();
    for verdict in verdicts {
        match verdict {
            Verdict::Pairwise {
                grade: Some(grade), ..
            } => grades.push(grade),
            _ => return None,
        }
    }
    let steps = average_columns(&grades, |grade| match grade {
        Grade::Steps(p) => p,
        _ => &[],
    });
    if !steps.is_empty() {
        return Some(Grade::Steps(steps));
    }
    let scores = average_columns(&grades, |grade| match grade {
        Grade::Scores(scores) => scores,
        _ => &[],
    });
    match scores[..] {
        [first, second] => Some(Grade::Scores([first, second])),
        _ => None,
    }
}

/// Returns the mean of rows, column by column; empty where they are not equally long.
fn average_columns<T>(rows: &[T], row_of: impl Fn(&T) -> &[f64]) -> Vec<f64> {
    let width = rows.first().map_or(0, |row| row_of(row).len());
    if rows.iter().any(|row| row_of(row).len() != width) {
        return Vec::new();
    }
    let columns = 0..width;
    columns
        .map(|at| rows.iter().map(|row| row_of(row)[at]).sum::<f64>() / rows.len() as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(a: f64, b: f64) -> Verdict {
        compare_scores([a, b], Grade::Scores([a, b]), 0.0, VerdictSource::Text)
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
        let a = Verdict::pair([1.0, 0.0, 0.0], 0.2, VerdictSource::Probabilities);
        let b = Verdict::pair([0.0, 0.5, 0.5], 0.0, VerdictSource::Text);
        let mean = mean(&[a, b]).unwrap();
        assert_eq!(
            mean,
            Verdict::pair([0.5, 0.25, 0.25], 0.1, VerdictSource::Mixed)
        );
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
            source: VerdictSource::Text,
        };
        assert_eq!(
            mean(&[list([1.0, 2.0, 3.0]), list([2.0, 1.0, 3.0])]),
            Some(list([1.5, 1.5, 3.0]))
        );
    }
}
