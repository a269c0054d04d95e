//! What each cluster of the data adds to the difference of any two systems.

use super::influence::Influence;
use super::restricted::{Meeting, RestrictedFit, meetings_of};
use super::{InferenceError, finite_score};
use crate::bootstrap::{keyed_generator, map_on_threads};
use crate::checks::check_clusters;
use crate::index;
use crate::linear::{add_scaled, centred, dot};
use crate::{Bootstrap, Cluster, Comparisons, Estimate, ItemScores, PointMethod, Tally};
use rand_chacha::rand_core::RngCore;

/// The most clusters that are kept apart; more are put together at random, each group a cluster.
pub const MOST_CLUSTERS: usize = 256;

/// Below so many clusters' worth of evidence, a pair's difference is not taken for a sum that is
/// linear in its clusters.
const LINEAR_FROM: f64 = 100.0;

/// What each of G clusters adds to every difference of two of k systems: numbers that sum to the
/// difference, and that are as likely to have the other sign, all together, where two systems are
/// equal. [`super::compare_jointly`] is made of them.
#[derive(Clone, Debug)]
pub struct Contributions {
    /// The scores, higher is better.
    pub(super) estimates: Vec<Estimate>,
    pub(super) clusters: usize,
    /// G x k: a pair's contributions are the differences of its two columns.
    pub(super) by_system: Vec<f64>,
    /// Pairs with contributions of their own, in order of the pair.
    pub(super) own: Vec<((usize, usize), Vec<f64>)>,
    /// What those of a pair are made of.
    source: Source,
    /// How much of the scores that are shown one unit of the contributions is.
    pub(super) unit: f64,
    /// Why a system is compared with nobody.
    pub(super) reasons: Vec<Option<InferenceError>>,
    /// By what share a difference is smaller than its contributions say, because some of the data
    /// went into the strengths of the others: sqrt((n - p) / (n - 1)), as in the correction CR1
    /// (Cameron and Miller 2015, equation 11).
    pub(super) shrinkage: f64,
}

/// Where contributions to a single pair come from.
#[derive(Clone, Debug)]
enum Source {
    /// From `by_system` alone.
    Systems,
    /// From the strengths that the pair would have.
    Strengths(Box<RestrictedFit>),
    /// From who is above the median of both, with the scores of each system and their groups.
    Medians(Vec<Vec<(u32, f64)>>),
}

impl Contributions {
    /// Contributions that are linear in the clusters of all pairs.
    fn of_columns(
        estimates: Vec<Estimate>,
        clusters: usize,
        by_system: Vec<f64>,
        reasons: Vec<Option<InferenceError>>,
    ) -> Contributions {
        Contributions {
            estimates,
            clusters,
            by_system,
            own: Vec::new(),
            source: Source::Systems,
            unit: 1.0,
            reasons,
            shrinkage: 1.0,
        }
    }

    /// Of means and trimmed means of scores: of each system its mean / G, and on each cluster the
    /// deviation from that, scores beyond the cuts of a trimmed mean taken for those at the cuts
    /// (Tukey and McLaughlin 1963).  For the mean of items that all systems have, a pair's
    /// contributions are the differences of the items / G.
    ///
    /// Of two medians: half the difference of the signs that the two scores of a cluster have at the
    /// median of both systems' scores together (Mood 1954, for pairs).
    ///
    /// # Errors
    /// Fewer than 2 clusters.
    pub fn of_scores(
        data: &ItemScores,
        method: PointMethod,
        cluster: Cluster,
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        let clusters = data.clusters(cluster);
        check_clusters(clusters)?;
        let (groups, group_of) = group_clusters(clusters, plan.seed);
        let systems = data.systems();
        let weights = vec![1.0; clusters];
        let columns = data.columns(cluster);
        let estimates = method.score_columns(&columns, &weights).estimates;
        let mut by_system = vec![0.0; groups * systems];
        for (system, column) in columns.iter().enumerate() {
            let Some(mean) = estimates[system].finite() else {
                continue;
            };
            for group in 0..groups {
                by_system[group * systems + system] = mean / groups as f64;
            }
            // Columns are in ascending order of score.
            let cut = match method {
                PointMethod::TrimmedMean(trim) => trim.cut_from(column.len() as f64) as usize,
                _ => 0,
            };
            let (low, high) = (column[cut].score, column[column.len() - 1 - cut].score);
            let kept = (column.len() - 2 * cut) as f64;
            let winsorised = |score: f64| score.clamp(low, high);
            let middle = column
                .iter()
                .map(|cell| winsorised(cell.score))
                .sum::<f64>()
                / column.len() as f64;
            for cell in column {
                let group = group_of[cell.cluster as usize] as usize;
                by_system[group * systems + system] += (winsorised(cell.score) - middle) / kept;
            }
        }
        let reasons = reasons_of(&estimates);
        let mut found = Contributions::of_columns(estimates, groups, by_system, reasons);
        if method == PointMethod::Median {
            let scores = columns.iter().map(|column| {
                let cells = column.iter();
                cells
                    .map(|cell| (group_of[cell.cluster as usize], cell.score))
                    .collect()
            });
            let scores = scores.collect();
            found.source = Source::Medians(scores);
            let compared = |pair: &(usize, usize)| found.is_compared(*pair);
            let pairs: Vec<(usize, usize)> = index::pairs(systems).filter(compared).collect();
            found.own = pairs
                .into_iter()
                .map(|pair| (pair, found.own_at(pair, 0.0)))
                .collect();
        }
        Ok(found)
    }

    /// Of any other statistic, by leaving out each cluster in turn, or each of
    /// [`MOST_CLUSTERS`] random groups of them: a cluster's share of the pseudo-values G s - (G - 1)
    /// s_(-g) (Tukey 1958; Miller 1974).
    ///
    /// `statistic` gets one weight for each cluster, 1 or 0, and gives the scores of k systems,
    /// higher is better; `estimates` are those of all. A system whose score is not finite without
    /// some cluster is compared with nobody.
    ///
    /// # Errors
    /// Fewer than 2 clusters; threads that cannot be used.
    pub fn by_leaving_out(
        estimates: Vec<Estimate>,
        clusters: usize,
        plan: &Bootstrap,
        statistic: impl Fn(&[f64]) -> Vec<Estimate> + Sync,
    ) -> Result<Contributions, InferenceError> {
        check_clusters(clusters)?;
        let (groups, group_of) = group_clusters(clusters, plan.seed);
        let without = map_on_threads(plan.threads, (0..groups).collect(), |group: usize| {
            let kept = group_of.iter().map(|&own| f64::from(own as usize != group));
            statistic(&kept.collect::<Vec<f64>>())
        })?;
        let systems = estimates.len();
        let mut reasons = reasons_of(&estimates);
        let mut by_system = vec![0.0; groups * systems];
        for system in 0..systems {
            let Some(score) = estimates[system].finite() else {
                continue;
            };
            let left = without
                .iter()
                .filter_map(|scores| scores.get(system)?.finite());
            let left: Vec<f64> = left.collect();
            if left.len() < groups {
                let values = groups - left.len();
                reasons[system].get_or_insert(InferenceError::UnsettledJackknife { values });
                continue;
            }
            for (group, rest) in left.into_iter().enumerate() {
                let pseudo = groups as f64 * score - (groups - 1) as f64 * rest;
                by_system[group * systems + system] = pseudo / groups as f64;
            }
        }
        Ok(Contributions::of_columns(
            estimates, groups, by_system, reasons,
        ))
    }

    /// Of Bradley-Terry strengths, and of all strengths that are equal where those are.
    ///
    /// Where a pair's difference rests on many clusters, cluster c adds d / G + (e_i - e_j)' A⁻¹
    /// u_c, with u_c its score and A the information at the fit. Else it adds (e_i - e_j)' Ã⁻¹ ũ_c,
    /// the same at the strengths that the pair would have if it were equal: the effective score,
    /// whose signs can be flipped whatever the variance of each cluster (Hemerik, Goeman and Finos
    /// 2020, section 3), and which is there for systems that won or lost everything, too.
    ///
    /// `estimates` are the scores that are shown, higher is better. Of counts, without a cluster,
    /// every comparison is one.
    ///
    /// # Errors
    /// Fewer than 2 clusters; strengths so far apart that the information cannot be inverted;
    /// threads that cannot be used.
    pub fn of_strengths(
        data: &Comparisons,
        cluster: Cluster,
        strengths: &[Estimate],
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        let clusters = data.clusters(cluster);
        check_clusters(clusters)?;
        let (groups, group_of) = group_clusters(clusters, plan.seed);
        let mut of_row = Vec::with_capacity(data.rows().len());
        for (rows, &group) in data.rows_by_cluster(cluster).zip(&group_of) {
            of_row.extend(std::iter::repeat_n(group, rows.len()));
        }
        let meetings = meetings_of(data, &of_row);
        of_meetings(&data.tally(), &meetings, groups, strengths, plan)
    }

    /// [`Contributions::of_strengths`] from counts of comparisons, each of weight 1 and a cluster of
    /// its own.
    ///
    /// # Errors
    /// Those of [`Contributions::of_strengths`]; a count that is not whole.
    pub fn of_strengths_of_counts(
        tally: &Tally,
        strengths: &[Estimate],
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        let (groups, meetings) = deal_counts(tally, plan.seed)?;
        of_meetings(tally, &meetings, groups, strengths, plan)
    }

    /// Of a statistic of counts of comparisons, each of weight 1 and a cluster of its own; as
    /// [`Contributions::by_leaving_out`].
    ///
    /// # Errors
    /// Those of [`Contributions::by_leaving_out`]; a count that is not whole.
    pub fn by_leaving_out_counts(
        tally: &Tally,
        estimates: Vec<Estimate>,
        plan: &Bootstrap,
        statistic: impl Fn(&Tally) -> Vec<Estimate> + Sync,
    ) -> Result<Contributions, InferenceError> {
        let (groups, meetings) = deal_counts(tally, plan.seed)?;
        Contributions::by_leaving_out(estimates, groups, plan, |kept| {
            let mut rest = Tally::sized(tally.systems());
            for meeting in &meetings {
                let weight = kept[meeting.cluster as usize];
                let [a, b] = meeting.pair.map(usize::from);
                let lost = meeting.games - meeting.points;
                rest.add_checked(a, b, weight * meeting.points, 0.0, weight * lost);
            }
            statistic(&rest)
        })
    }

    /// What each cluster adds to the difference of a pair; of pairs with contributions of their own
    /// to whether the first is more than `lead` ahead.
    pub(super) fn own_at(&self, (a, b): (usize, usize), lead: f64) -> Vec<f64> {
        match &self.source {
            Source::Strengths(fit) => fit.contributions([a, b], lead),
            Source::Medians(scores) => {
                let second = scores[b]
                    .iter()
                    .map(|&(group, score)| (group, score + lead));
                let first = scores[a].iter().copied();
                let mut all: Vec<f64> = first
                    .clone()
                    .chain(second.clone())
                    .map(|(_, score)| score)
                    .collect();
                all.sort_by(f64::total_cmp);
                let middle = (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0;
                let side = |score: f64| {
                    f64::from(u8::from(score > middle)) - f64::from(u8::from(score < middle))
                };
                let mut found = vec![0.0; self.clusters];
                for (group, score) in first {
                    found[group as usize] += side(score) / 2.0;
                }
                for (group, score) in second {
                    found[group as usize] -= side(score) / 2.0;
                }
                found
            }
            Source::Systems => self.linear((a, b)),
        }
    }

    /// What a pair's `by_system` columns say.
    pub(super) fn linear(&self, (a, b): (usize, usize)) -> Vec<f64> {
        let rows = self.by_system.chunks(self.estimates.len());
        rows.map(|row| row[a] - row[b]).collect()
    }

    /// A difference that is large, in the unit of the contributions: a log-odd, or an eighth of the
    /// range.
    pub(super) fn large(&self) -> f64 {
        match &self.source {
            Source::Medians(scores) => {
                let all = || scores.iter().flatten().map(|(_, score)| *score);
                let (low, high) = (
                    all().fold(f64::INFINITY, f64::min),
                    all().fold(f64::NEG_INFINITY, f64::max),
                );
                (high - low).max(f64::MIN_POSITIVE) / 8.0
            }
            _ => 1.0,
        }
    }

    /// Whether anything can be said of a pair.
    pub(super) fn is_compared(&self, (a, b): (usize, usize)) -> bool {
        self.reasons[a].is_none() && self.reasons[b].is_none()
    }

    /// With the scores that are shown in place of those that the contributions are of: who is ahead
    /// is said by these, and differences are in their unit, by the slope of the ones on the others.
    ///
    /// # Errors
    /// Not one score for each system.
    pub fn shown_as(self, estimates: Vec<Estimate>) -> Result<Contributions, InferenceError> {
        super::check_length("scores", self.estimates.len(), estimates.len())?;
        let pairs = self.estimates.iter().zip(&estimates);
        let finite = pairs.filter_map(|(own, shown)| Some((own.finite()?, shown.finite()?)));
        let (own, shown): (Vec<f64>, Vec<f64>) = finite.unzip();
        let (own, shown) = (centred(own), centred(shown));
        let slope = dot(&own, &shown) / dot(&own, &own);
        let unit = if slope.is_finite() && slope > 0.0 {
            slope
        } else {
            1.0
        };
        Ok(Contributions {
            estimates,
            unit,
            ..self
        })
    }
}

fn reasons_of(estimates: &[Estimate]) -> Vec<Option<InferenceError>> {
    let each = estimates.iter().enumerate();
    each.map(|(system, &estimate)| finite_score(estimate, system).err())
        .collect()
}

/// How many groups there are, and the group of each cluster: every cluster its own where they are
/// no more than [`MOST_CLUSTERS`], else drawn, so that a group is a random share of the data.
fn group_clusters(clusters: usize, seed: u64) -> (usize, Vec<u32>) {
    if clusters <= MOST_CLUSTERS {
        return (clusters, (0..clusters as u32).collect());
    }
    let mut words = keyed_generator(seed, GROUPS, 0);
    let mut bytes = Bytes::default();
    let drawn = (0..clusters).map(|_| u32::from(bytes.next(&mut words)));
    (MOST_CLUSTERS, drawn.collect())
}

/// The purpose of the generator that draws groups.
const GROUPS: u8 = 3;

/// Eight random bytes of every word.
#[derive(Default)]
struct Bytes {
    word: u64,
    left: u32,
}

impl Bytes {
    fn next(&mut self, words: &mut impl RngCore) -> u8 {
        if self.left == 0 {
            (self.word, self.left) = (words.next_u64(), 8);
        }
        self.left -= 1;
        let byte = self.word as u8;
        self.word >>= 8;
        byte
    }
}

/// Comparisons dealt to groups at random, those of a pair in a group added up.
fn deal_counts(tally: &Tally, seed: u64) -> Result<(usize, Vec<Meeting>), InferenceError> {
    let total = tally.weights().iter().sum::<f64>() / 2.0;
    let clusters = index::saturating_size(total as u64);
    check_clusters(clusters)?;
    let groups = clusters.min(MOST_CLUSTERS);
    let mut words = keyed_generator(seed, GROUPS, 0);
    let (mut bytes, mut next) = (Bytes::default(), 0);
    let mut meetings = Vec::new();
    let mut dealt = vec![(0.0, 0.0); groups];
    for (a, b) in index::pairs(tally.systems()) {
        let outcome = tally.outcome(a, b);
        if outcome == [0.0; 3] {
            continue;
        }
        dealt.fill((0.0, 0.0));
        for (count, points) in outcome.into_iter().zip([1.0, 0.5, 0.0]) {
            if count.fract() != 0.0 {
                return Err(crate::Error::Value {
                    row: 0,
                    field: "count",
                    value: count,
                    expected: "a whole number of comparisons",
                }
                .into());
            }
            for _ in 0..count as u64 {
                // Few comparisons are all kept apart.
                let group = if clusters <= MOST_CLUSTERS {
                    next += 1;
                    next - 1
                } else {
                    usize::from(bytes.next(&mut words))
                };
                dealt[group].0 += points;
                dealt[group].1 += 1.0;
            }
        }
        let met = (0..).zip(&dealt).filter(|(_, (_, games))| *games > 0.0);
        meetings.extend(met.map(|(cluster, &(points, games))| Meeting {
            cluster,
            pair: [a as u16, b as u16],
            points,
            games,
        }));
    }
    Ok((groups, meetings))
}

fn of_meetings(
    tally: &Tally,
    meetings: &[Meeting],
    clusters: usize,
    estimates: &[Estimate],
    plan: &Bootstrap,
) -> Result<Contributions, InferenceError> {
    let k = estimates.len();
    let influence = match Influence::new(tally, estimates) {
        // Two systems of which one won everything: nothing is finite, and still they met.
        Err(InferenceError::Infinite { .. }) => Influence::of_none(k),
        found => found?,
    };
    let m = influence.systems.len();
    let mut scores = vec![0.0; clusters * m];
    for meeting in meetings {
        let [a, b] = meeting
            .pair
            .map(|system| influence.places[usize::from(system)]);
        if let (Some(i), Some(j)) = (a, b) {
            let lead = influence.strengths[i] - influence.strengths[j];
            let beyond = super::restricted::residual(meeting.points, meeting.games, lead);
            scores[meeting.cluster as usize * m + i] += beyond;
            scores[meeting.cluster as usize * m + j] -= beyond;
        }
    }
    let mut by_system = vec![0.0; clusters * k];
    let mut change = vec![0.0; m];
    for cluster in 0..clusters {
        change.fill(0.0);
        for (place, &score) in scores[cluster * m..(cluster + 1) * m].iter().enumerate() {
            add_scaled(&mut change, influence.row(place), score);
        }
        for (place, &system) in influence.systems.iter().enumerate() {
            let share = influence.strengths[place] / clusters as f64;
            by_system[cluster * k + system] = share + change[place];
        }
    }
    let mut own: Vec<(usize, usize)> = Vec::new();
    let undefined = |estimate: Estimate| matches!(estimate, Estimate::Undefined(_));
    for (a, b) in index::pairs(k) {
        if undefined(estimates[a]) || undefined(estimates[b]) {
            continue;
        }
        let (Some(x), Some(y)) = (estimates[a].finite(), estimates[b].finite()) else {
            own.push((a, b));
            continue;
        };
        let share = (x - y) / clusters as f64;
        let (mut squares, mut fourths) = (0.0, 0.0);
        for row in by_system.chunks(k) {
            let square = (row[a] - row[b] - share).powi(2);
            squares += square;
            fourths += square * square;
        }
        // As many clusters of normal contributions as have this fourth moment.
        if 3.0 * squares * squares < LINEAR_FROM * fourths {
            own.push((a, b));
        }
    }
    let games = tally.weights().iter().sum::<f64>() / 2.0;
    let spent = m.saturating_sub(1) as f64;
    let reasons = estimates.iter().map(|estimate| match estimate {
        Estimate::Undefined(why) => Some((*why).into()),
        _ => None,
    });
    let fit = RestrictedFit::new(
        influence,
        estimates.to_vec(),
        tally.clone(),
        clusters,
        meetings,
        scores,
    );
    let own = map_on_threads(plan.threads, own, |(a, b)| {
        ((a, b), fit.contributions([a, b], 0.0))
    })?;
    Ok(Contributions {
        estimates: estimates.to_vec(),
        clusters,
        by_system,
        own,
        source: Source::Strengths(Box::new(fit)),
        unit: 1.0,
        reasons: reasons.collect(),
        shrinkage: ((games - spent).max(1.0) / (games - 1.0).max(1.0))
            .sqrt()
            .min(1.0),
    })
}
