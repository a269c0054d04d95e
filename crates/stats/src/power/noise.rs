//! By how much two identical systems would seem to differ in a run, as it was judged.

use super::spread::{LeadSpread, MOST_LEAD};
use crate::checks::{above_rounding, check_clusters, check_level, check_number};
use crate::data::ClusterSizes;
use crate::interaction::score_residuals;
use crate::linear::mean_of;
use crate::special::student_quantile;
use crate::{Error, ItemScore, Undefined};
use std::collections::{BTreeMap, BTreeSet};

/// So many leads are put in order together, 24 bytes each.
const TOGETHER: usize = 1 << 20;

/// One verdict on a pair of systems: the share won less the share lost, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLead {
    /// The pair; any number.
    pub pair: u32,
    /// The item; any number.
    pub item: u32,
    /// The question that it asks; any number, the same for items that are not independent.
    pub question: u32,
    /// By how much the pair's first system won.
    pub lead: f64,
}

/// How far two identical systems would seem apart.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Noise {
    /// The difference below which two identical systems stay with chance `level`, in the unit of
    /// leads or scores; above 0.
    pub difference: f64,
    /// Items of a pair of systems, on average.
    pub items: usize,
    /// Questions that these ask, on average.
    pub questions: usize,
}

impl Noise {
    /// The two-sided quantile times the standard error of the mean of `questions` values, each of
    /// which has `variance`. The quantile is Student's, with two degrees of freedom fewer than
    /// `of_one_size` says, as how many of one size the questions are ([`ClusterSizes`]), and at
    /// least one. The variance is pooled over pairs of systems, which were judged on the same items
    /// and share systems, so that more pairs tell less of it than their number says; one degree
    /// less than Student's own is for questions on which a system wins or loses all items, whose
    /// leads lie at both ends (simulated, `tests/it/noise.rs`).
    fn new(
        variance: f64,
        items: usize,
        [questions, of_one_size]: [usize; 2],
        level: f64,
    ) -> Result<Noise, Error> {
        check_clusters(questions)?;
        if variance <= 0.0 {
            return Err(Undefined::NoVariance.into());
        }
        let quantile = student_quantile(0.5 + level / 2.0, of_one_size as f64 - 2.0);
        Ok(Noise {
            difference: quantile * (variance / questions as f64).sqrt(),
            items,
            questions,
        })
    }
}

/// The noise of comparisons, from how far item means are from the mean of their pair of systems:
/// summed by question, scaled so that their mean is the mean over items, and pooled over pairs.
/// Pairs that are far apart vary less than two identical systems would, which is made up for
/// ([`LeadSpread::at`]). Orders and repeats of an item are averaged, as they were judged. `leads`
/// gives all of them, in the same order each time: of millions so many pairs are put in order
/// together as fit in little memory.
///
/// # Errors
/// A bad level; leads that are not finite; fewer than 2 questions of a pair
/// ([`Undefined::TooFewClusters`]); leads that do not vary ([`Undefined::NoVariance`]).
pub fn noise_of_leads<Leads: Iterator<Item = PairLead>>(
    leads: impl Fn() -> Leads,
    level: f64,
) -> Result<Noise, Error> {
    check_level(level)?;
    let pooled = pool(leads, TOGETHER)?;
    let found = pooled.noise(pooled.spread.at(0.0), level)?;
    // Nobody wins more than everything.
    let difference = found.difference.min(1.0);
    Ok(Noise {
        difference,
        ..found
    })
}

/// The noise of differences of scores, likewise: they may be of any size, and vary alike however
/// far apart two systems are.
///
/// # Errors
/// As [`noise_of_leads`].
pub fn noise_of_score_leads<Leads: Iterator<Item = PairLead>>(
    leads: impl Fn() -> Leads,
    level: f64,
) -> Result<Noise, Error> {
    check_level(level)?;
    pool(leads, TOGETHER)?.noise(1.0, level)
}

/// How the leads of single judgments vary within pairs of systems and between them, whichever items
/// they are on; `leads` as for [`noise_of_leads`].
///
/// # Errors
/// Leads that are not finite; fewer than 2 questions of a pair ([`Undefined::TooFewClusters`]);
/// leads that do not vary ([`Undefined::NoVariance`]).
pub fn lead_spread<Leads: Iterator<Item = PairLead>>(
    leads: impl Fn() -> Leads,
) -> Result<LeadSpread, Error> {
    Ok(pool(leads, TOGETHER)?.spread)
}

/// Leads of all pairs of systems.
struct Pooled {
    /// Of a question's sum within its pair, scaled so that it is that of the pair's mean times its
    /// questions. Large questions draw the mean to themselves, which is made up for
    /// ([`ClusterSizes::correction`]).
    variance: f64,
    spread: LeadSpread,
    /// Items of a pair, on average.
    items: usize,
    /// Questions of a pair, on average, and as how many of one size they are.
    questions: [usize; 2],
}

impl Pooled {
    /// The noise where two identical systems vary so many times as much as these pairs do.
    fn noise(&self, times: f64, level: f64) -> Result<Noise, Error> {
        Noise::new(times * self.variance, self.items, self.questions, level)
    }
}

/// Reads so many leads at a time as `together` says, or those of one pair.
fn pool<Leads: Iterator<Item = PairLead>>(
    leads: impl Fn() -> Leads,
    together: usize,
) -> Result<Pooled, Error> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for (row, lead) in leads().enumerate() {
        check_number(row, "lead", lead.lead)?;
        *counts.entry(lead.pair).or_default() += 1;
    }
    let (mut pairs, mut items, mut questions, mut of_one_size) = (0, 0, 0, 0);
    let (mut squares, mut corrected) = (0.0, 0.0);
    // Of single leads around the mean of their pair, of these means, and what chance adds to them.
    let (mut judged, mut within, mut of_means, mut by_chance) = (0, 0.0, 0.0, 0.0);
    let (mut by_odds, mut are_shares) = (0.0, false);
    let mut counts = counts.into_iter().peekable();
    while let Some((first, mut count)) = counts.next() {
        let mut last = first;
        while let Some((pair, more)) = counts.next_if(|(_, more)| count + more <= together) {
            (last, count) = (pair, count + more);
        }
        let mut part = Vec::with_capacity(count);
        part.extend(leads().filter(|row| (first..=last).contains(&row.pair)));
        part.sort_by_key(|row| (row.pair, row.question, row.item));
        for pair in part.chunk_by(|x, y| x.pair == y.pair) {
            let of_items = pair.chunk_by(|x, y| x.item == y.item);
            let means: Vec<(u32, f64)> = of_items
                .map(|item| (item[0].question, mean_of(item.iter().map(|x| x.lead))))
                .collect();
            let mean = mean_of(means.iter().map(|(_, lead)| *lead));
            let of_questions = means.chunk_by(|(x, _), (y, _)| x == y);
            let mut sizes = ClusterSizes::default();
            for own in of_questions.clone() {
                sizes.add(own.len() as f64);
            }
            let sums = of_questions.map(|own| own.iter().map(|(_, lead)| lead - mean).sum::<f64>());
            let sums: Vec<f64> = sums.collect();
            let share = sums.len() as f64 / means.len() as f64;
            let own = sums.iter().map(|sum| (share * sum).powi(2)).sum::<f64>();
            let asked = sums.len() as f64;
            squares += own;
            // Of one question nothing is left around the mean.
            if sums.len() > 1 {
                corrected += own * sizes.correction() * (asked - 1.0) / asked;
            }
            of_one_size += sizes.clusters();
            let around: f64 = pair.iter().map(|x| (x.lead - mean).powi(2)).sum();
            within += around;
            by_odds += around / (1.0 - mean.abs().min(MOST_LEAD).powi(2)).powi(2);
            are_shares |= pair.iter().any(|x| ![-1.0, 0.0, 1.0].contains(&x.lead));
            judged += pair.len();
            // Each pair counts as often as it was judged, as it does in `within`.
            let times = pair.len() as f64;
            of_means += times * mean * mean;
            by_chance += times * own / (asked * (asked - 1.0).max(1.0));
            pairs += 1;
            items += means.len();
            questions += sums.len();
        }
    }
    check_clusters(questions / pairs.max(1))?;
    let [within, of_means, by_chance, by_odds] =
        [within, of_means, by_chance, by_odds].map(|sum| sum / judged as f64);
    let by_chance = by_chance.min(of_means);
    let rounding = 1e-24 * (within + of_means);
    above_rounding(within, rounding)?;
    above_rounding(squares / questions as f64, rounding)?;
    Ok(Pooled {
        variance: corrected / (questions - pairs) as f64,
        spread: LeadSpread {
            within: within + by_chance,
            between: of_means - by_chance,
            by_odds: are_shares.then_some(by_odds),
        },
        items: items / pairs,
        questions: [questions / pairs, of_one_size / pairs],
    })
}

/// The noise of scores: twice the variance that the means of items and of systems leave, which is
/// that of the difference of two systems on an item; summed and scaled by question as
/// [`noise_of_leads`] is. `question_of` is the question that an item asks.
///
/// # Errors
/// Those of [`score_residuals`]; a bad level; too few questions or systems for anything to be left
/// ([`Undefined::TooFewClusters`]); scores that do not vary ([`Undefined::NoVariance`]).
pub fn noise_of_scores(
    systems: usize,
    rows: &[ItemScore],
    question_of: impl Fn(u32) -> u32,
    level: f64,
) -> Result<Noise, Error> {
    check_level(level)?;
    let residuals = score_residuals(systems, rows)?;
    let mut sums: BTreeMap<(u32, u16), f64> = BTreeMap::new();
    // Items of a question, over all systems.
    let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
    for cell in &residuals {
        let place = (question_of(cell.item), cell.system);
        *sums.entry(place).or_default() += cell.sum / cell.n;
        *counts.entry(place.0).or_default() += 1.0;
    }
    let questions: BTreeSet<u32> = sums.keys().map(|(question, _)| *question).collect();
    let mut sizes = ClusterSizes::default();
    for items in counts.values() {
        sizes.add(*items);
    }
    let judged: BTreeSet<u16> = sums.keys().map(|(_, system)| *system).collect();
    let of_system = residuals.len() / judged.len().max(1);
    let asked = sums.len() / judged.len().max(1);
    check_clusters(asked)?;
    let freedom = (sums.len() + 1).saturating_sub(questions.len() + judged.len());
    check_clusters(freedom + 1)?;
    let share = sums.len() as f64 / residuals.len() as f64;
    let squares = sums.values().map(|sum| (share * sum).powi(2));
    // Large questions draw the means to themselves; of one size they are G / (G - 1) all the same.
    let all = questions.len() as f64;
    let drawn = sizes.correction() * (all - 1.0) / all;
    let variance = 2.0 * drawn * squares.sum::<f64>() / freedom as f64;
    // As many of those that a system is asked as of all.
    let of_one_size = (asked * sizes.clusters()).div_ceil(questions.len());
    Noise::new(variance, of_system, [asked, of_one_size], level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_of_leads_by_hand() {
        // Item means 1, 0, -1, 0 of one pair: variance 2/3 over 4 items.
        let leads = [(0, 1.0), (0, 1.0), (1, 1.0), (1, -1.0), (2, -1.0), (3, 0.0)];
        let row = |(item, lead)| PairLead {
            pair: 7,
            item,
            question: item,
            lead,
        };
        let found = noise_of_score_leads(|| leads.map(row).into_iter(), 0.95).unwrap();
        // Student's quantile of 0.975 with 2 degrees of freedom (scipy.stats.t.ppf).
        let expected = 4.302_652_730 * (2.0_f64 / 3.0 / 4.0).sqrt();
        assert!(
            (found.difference - expected).abs() < 1e-8 && found.items == 4,
            "{found:?}"
        );
        // Nobody leads by more than everything.
        let most = noise_of_leads(|| leads.map(row).into_iter(), 0.95).unwrap();
        assert_eq!(most.difference, 1.0);
        assert!(noise_of_leads(std::iter::empty, 0.95).is_err());
        let same = [0, 1, 2].map(|item| row((item, 1.0)));
        let expected = Err(Error::Undefined(Undefined::NoVariance));
        assert_eq!(noise_of_leads(|| same.into_iter(), 0.95), expected);
        // Nor does rounding vary, as in the shares of a judge that always says the same.
        let rounded = [0.1 + 0.2, 0.3, 0.3].into_iter().zip(0..);
        let rounded = rounded.map(|(lead, item)| row((item, lead)));
        assert_eq!(noise_of_leads(|| rounded.clone(), 0.95), expected);
    }

    /// A judgment that is won or lost has a square of 1, however often each pair was judged.
    #[test]
    fn pairs_count_as_often_as_they_were_judged() {
        for (even, far) in [(20, 200), (200, 20), (30, 30)] {
            let rows = |pair: u32, count: u32, lost: u32| {
                (0..count).map(move |item| PairLead {
                    pair,
                    item,
                    question: item,
                    lead: if item % 20 < lost { -1.0 } else { 1.0 },
                })
            };
            let leads = || rows(0, even, 10).chain(rows(1, far, 1));
            let spread = lead_spread(leads).unwrap();
            let square = spread.within + spread.between;
            assert!((square - 1.0).abs() < 1e-12, "{even} {far}: {square}");
        }
    }

    /// However few leads are put in order together, the noise is the same to the last bit.
    #[test]
    fn leads_in_parts_have_the_noise_of_all() {
        let leads = || {
            (0..600).map(|row: u32| PairLead {
                pair: row * 7 % 13,
                item: row * 5 % 31,
                question: row * 5 % 31 / 2,
                lead: f64::from(row * row % 17) / 8.0 - 1.0,
            })
        };
        let noise = |together| {
            let pooled = pool(leads, together).unwrap();
            pooled.noise(pooled.spread.at(0.0), 0.95).unwrap()
        };
        for together in [1, 46, 47, 100, 599] {
            assert_eq!(noise(together), noise(usize::MAX));
        }
    }

    /// Ten items that are copied six times are ten questions, whose noise is that of the ten.
    #[test]
    fn copies_of_items_say_nothing_more() {
        let lead = |item: u32| f64::from(item * 7 % 5) / 2.0 - 1.0;
        let rows = |copies: u32| {
            let items =
                (0..10).flat_map(move |question| (0..copies).map(move |copy| (question, copy)));
            items.map(move |(question, copy)| PairLead {
                pair: 0,
                item: question + 10 * copy,
                question,
                lead: lead(question),
            })
        };
        let scores = |copies: u32| {
            let rows: Vec<ItemScore> = rows(copies)
                .flat_map(|row| {
                    [(0, row.lead), (1, 0.1 * row.lead)]
                        .map(|(system, score)| ItemScore::new(row.item, system, score))
                })
                .collect();
            noise_of_scores(2, &rows, |item| item % 10, 0.95).unwrap()
        };
        let leads = |copies| noise_of_leads(|| rows(copies), 0.95).unwrap();
        for (one, six) in [(leads(1), leads(6)), (scores(1), scores(6))] {
            assert!(
                (one.difference - six.difference).abs() < 1e-12,
                "{one:?} {six:?}"
            );
            assert_eq!([one.items, one.questions], [10, 10]);
            assert_eq!([six.items, six.questions], [60, 10]);
        }
    }

    /// Two systems: the paired differences say it all.
    #[test]
    fn the_noise_of_scores_is_that_of_paired_differences() {
        let scores = [[3.0, 1.0], [4.0, 4.0], [2.0, 5.0], [5.0, 3.0], [1.0, 1.0]];
        let rows = (0..).zip(scores).flat_map(|(item, both)| {
            let rows = (0..).zip(both);
            rows.map(move |(system, score)| ItemScore::new(item, system, score))
        });
        let rows: Vec<ItemScore> = rows.collect();
        let found = noise_of_scores(2, &rows, |item| item, 0.95).unwrap();
        let differences = scores.map(|[x, y]| x - y);
        let mean = differences.iter().sum::<f64>() / 5.0;
        let variance = differences.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
        let expected = 3.182_446_305 * (variance / 5.0).sqrt();
        assert!(
            (found.difference - expected).abs() < 1e-8 && found.items == 5,
            "{found:?}"
        );
        assert!(noise_of_scores(2, &rows[..2], |item| item, 0.95).is_err());
        assert!(noise_of_scores(2, &[], |item| item, 0.95).is_err());
    }
}
