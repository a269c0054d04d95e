//! What each cluster of the data adds to the difference of any two systems.

use super::draws::GROUPS;
use super::influence::{Influence, residual};
use super::restricted::{Meeting, RestrictedFit, meetings_of};
use super::sandwich::{SmallSample, sandwich, sandwich_clustered};
use super::score_test::ScoreTest;
use super::styled::StyledFit;
use super::{ClusterDifference, Covariance, InferenceError, finite_score};
use crate::bootstrap::{keyed_generator, map_on_threads};
use crate::checks::{check_argument, check_clusters};
use crate::control::{Battles, StyleControlled};
use crate::data::Cell;
use crate::index;
use crate::linear::{add_scaled, centred, dot, mean_of, semidefinite_root};
use crate::{
    Bootstrap, Cluster, Comparisons, Estimate, ItemScores, PairMethod, PointMethod, Tally,
    Undefined, win_ratio,
};
use rand_chacha::rand_core::RngCore;
use std::collections::HashMap;

/// The most clusters that are kept apart; more are put together at random, each group a cluster.
/// How strengths spread over the groups is then made what it is over the clusters, so that no
/// standard error depends on who is in which group.
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
    /// G x k: a pair's contributions are the differences of its two columns, less what `exposure`
    /// says.
    pub(super) by_system: Vec<f64>,
    /// Of means, how much of each system's data is in which cluster.
    pub(super) exposure: Option<Exposure>,
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
    /// (Cameron and Miller 2015, equation 11). Of style-controlled strengths n counts no more rows
    /// of a cluster than its k systems have free differences, k - 1: what is controlled for is
    /// theirs, and a second order says the same of it again.
    pub(super) shrinkage: f64,
}

/// How much of each system's data is in which cluster.
#[derive(Clone, Debug)]
pub(super) struct Exposure {
    /// G x k: a cluster's share of the data of a system, of sum 1 over clusters.
    pub(super) shares: Vec<f64>,
    /// For each system its mean, and how much it rests on.
    means: Vec<f64>,
    weights: Vec<f64>,
}

impl Exposure {
    /// The mean of both systems together: what each would have if they were equal.
    pub(super) fn common_mean(&self, (a, b): (usize, usize)) -> f64 {
        let [wa, wb] = [a, b].map(|system| self.weights[system]);
        (wa * self.means[a] + wb * self.means[b]) / (wa + wb)
    }
}

/// Where contributions to a single pair come from.
#[derive(Clone, Debug)]
enum Source {
    /// From `by_system` alone.
    Systems,
    /// From the strengths that the pair would have.
    Strengths(Box<RestrictedFit>),
    /// From the strengths and coefficients that the pair would have.
    Styled(Box<StyledFit>),
    /// From who is above the median of both, with the scores of each system and their groups.
    Medians(Vec<Vec<(u32, f64)>>),
}

impl Contributions {
    /// Contributions that are linear in the clusters of all pairs.
    fn of_columns(estimates: Vec<Estimate>, clusters: usize, by_system: Vec<f64>) -> Contributions {
        let each = estimates.iter().enumerate();
        let reasons = each.map(|(system, &estimate)| finite_score(estimate, system).err());
        Contributions {
            clusters,
            by_system,
            exposure: None,
            own: Vec::new(),
            source: Source::Systems,
            unit: 1.0,
            reasons: reasons.collect(),
            shrinkage: 1.0,
            estimates,
        }
    }

    /// Of means and trimmed means of scores: for systems i and j, cluster c adds S_ic / N_i - S_jc
    /// / N_j - m (N_ic / N_i - N_jc / N_j), with S_ic the sum of the N_ic scores of system i in it
    /// and m the mean of both systems together, which each would have if they were equal. These sum
    /// to the difference. Where both have the same scores' number in every cluster, they are the
    /// differences of the sums / N; a cluster of which one of the two has no score adds that of the
    /// other from m, so that a system of few scores rests on few clusters. Scores beyond the cuts
    /// of a trimmed mean are taken for those at the cuts (Tukey and McLaughlin 1963).
    ///
    /// Of two medians: half the difference of the signs that the two scores of a cluster have at
    /// the median of both systems' scores together (Mood 1954, for pairs).
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
        let group_of: Vec<u32> = group_of.take(clusters).collect();
        let systems = data.systems();
        let weights = vec![1.0; clusters];
        let columns = data.columns(cluster);
        let estimates = method.score_columns(&columns, &weights).estimates;
        let mut by_system = vec![0.0; groups * systems];
        let mut shares = vec![0.0; groups * systems];
        let mut means = vec![0.0; systems];
        for (system, column) in columns.iter().enumerate() {
            let Some(mean) = estimates[system].finite() else {
                continue;
            };
            means[system] = mean;
            // Columns are in ascending order of score.
            let cut = match method {
                PointMethod::TrimmedMean(trim) => trim.cut_from(column.len() as f64) as usize,
                _ => 0,
            };
            let (low, high) = (column[cut].score, column[column.len() - 1 - cut].score);
            let kept = (column.len() - 2 * cut) as f64;
            let each = column.len() as f64;
            let winsorised = |score: f64| score.clamp(low, high);
            let middle = mean_of(column.iter().map(|cell| winsorised(cell.score)));
            for cell in column {
                let place = group_of[cell.cluster as usize] as usize * systems + system;
                by_system[place] += (winsorised(cell.score) - middle) / kept + mean / each;
                shares[place] += 1.0 / each;
            }
        }
        let mut found = Contributions::of_columns(estimates, groups, by_system);
        found.exposure = Some(Exposure {
            shares,
            means,
            weights: columns.iter().map(|column| column.len() as f64).collect(),
        });
        if method == PointMethod::Median {
            let grouped = |cell: &Cell| (group_of[cell.cluster as usize], cell.score);
            let scores = columns
                .iter()
                .map(|column| column.iter().map(grouped).collect());
            found.source = Source::Medians(scores.collect());
            let pairs = index::pairs(systems).filter(|pair| found.is_compared(*pair));
            found.own = pairs.map(|pair| (pair, found.own_at(pair, 0.0))).collect();
        }
        Ok(found)
    }

    /// Of scores of systems by pairs, whatever the method; `estimates` are those that are shown,
    /// higher is better. Who is apart by shares of comparisons is a matter of these, and by all
    /// other methods one of strengths: counts, ratings in order, visits and eigenvectors also
    /// depend on how often and against whom systems played.
    ///
    /// # Errors
    /// Those of [`Contributions::of_strengths`].
    pub fn of_pairs(
        data: &Comparisons,
        method: PairMethod,
        cluster: Cluster,
        estimates: &[Estimate],
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        if method == PairMethod::WinRatio {
            return Contributions::of_shares(data, cluster, plan);
        }
        let strengths = PairMethod::BradleyTerry.scores(&data.tally()).estimates;
        let found = Contributions::of_strengths(data, cluster, &strengths, plan)?;
        found.shown_as(estimates.to_vec())
    }

    /// [`Contributions::of_pairs`] from counts of comparisons, each of weight 1 and a cluster of
    /// its own.
    ///
    /// # Errors
    /// Those of [`Contributions::of_strengths_of_counts`].
    pub fn of_pairs_of_counts(
        tally: &Tally,
        method: PairMethod,
        estimates: &[Estimate],
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        if method == PairMethod::WinRatio {
            return Contributions::of_shares_of_counts(tally, plan);
        }
        let strengths = PairMethod::BradleyTerry.scores(tally).estimates;
        let found = Contributions::of_strengths_of_counts(tally, &strengths, plan)?;
        found.shown_as(estimates.to_vec())
    }

    /// Of the shares of their comparisons that systems won ([`crate::win_ratio`]), as means of
    /// their points: as [`Contributions::of_scores`].
    ///
    /// # Errors
    /// Fewer than 2 clusters.
    pub fn of_shares(
        data: &Comparisons,
        cluster: Cluster,
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        let (groups, meetings) = group_meetings(data, cluster, plan.seed)?;
        Ok(share_meetings(&data.tally(), &meetings, groups))
    }

    /// [`Contributions::of_shares`] from counts of comparisons, each of weight 1 and a cluster of
    /// its own.
    ///
    /// # Errors
    /// Those of [`Contributions::of_shares`]; a count that is not whole.
    pub fn of_shares_of_counts(
        tally: &Tally,
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        let (groups, meetings) = deal_counts(tally, plan.seed)?;
        Ok(share_meetings(tally, &meetings, groups))
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
        let (groups, meetings) = group_meetings(data, cluster, plan.seed)?;
        let spread = || sandwich_clustered(data, cluster, strengths, SmallSample::Uncorrected);
        let is_dealt = data.clusters(cluster) > groups;
        let spread = is_dealt.then(spread).and_then(Result::ok);
        of_meetings(&data.tally(), &meetings, groups, strengths, spread, plan)
    }

    /// [`Contributions::of_strengths`] from counts of comparisons, each of weight 1 and a cluster
    /// of its own.
    ///
    /// # Errors
    /// Those of [`Contributions::of_strengths`]; a count that is not whole.
    pub fn of_strengths_of_counts(
        tally: &Tally,
        strengths: &[Estimate],
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        let (groups, meetings) = deal_counts(tally, plan.seed)?;
        let is_dealt = tally.total() > groups as f64;
        let spread = is_dealt.then(|| sandwich(tally, strengths));
        let spread = spread.and_then(Result::ok);
        of_meetings(tally, &meetings, groups, strengths, spread, plan)
    }

    /// Of style-controlled strengths, as [`Contributions::of_strengths`] with the coefficients
    /// among what is estimated: `found` is the fit of `battles` without a ridge or with one, whose
    /// pull is left out.
    ///
    /// # Errors
    /// Fewer than 2 clusters; an information that cannot be inverted; threads that cannot be used.
    pub fn of_style(
        battles: &Battles,
        found: &StyleControlled,
        plan: &Bootstrap,
    ) -> Result<Contributions, InferenceError> {
        // The clusters of the rows that the fit rests on, in ascending order.
        let places = index::places_of(&found.systems, battles.systems);
        let is_placed = |system: u16| places[usize::from(system)].is_some();
        let is_fitted = |&row: &usize| {
            battles.weight_of(row) > 0.0 && is_placed(battles.a[row]) && is_placed(battles.b[row])
        };
        let cluster_of = |row: usize| battles.cluster.map_or(row as u32, |cluster| cluster[row]);
        let rows = (0..battles.rows()).filter(is_fitted);
        let clusters = index::distinct(rows.clone().map(cluster_of).collect());
        check_clusters(clusters.len())?;
        let contrasts = match battles.cluster {
            // Each row by itself.
            None => found.rows,
            Some(_) => {
                let systems_of =
                    |row| [battles.a[row], battles.b[row]].map(|it| (cluster_of(row), it));
                let members = index::distinct(rows.clone().flat_map(systems_of).collect());
                count_contrasts(&members, rows.map(cluster_of))
            }
        };
        let (groups, group_of) = group_clusters(clusters.len(), plan.seed);
        let group_of: Vec<u32> = group_of.take(clusters.len()).collect();
        let group_of_row = |row| {
            let cluster = cluster_of(row);
            group_of[clusters.partition_point(|other| *other < cluster)]
        };
        let (fit, gradients) = StyledFit::new(battles, found, groups, group_of_row)?;

        let k = battles.systems;
        let estimates = &found.scores.estimates;
        let n = fit.size();
        let mut by_system = vec![0.0; groups * k];
        for (cluster, gradient) in gradients.chunks(n).enumerate() {
            for (place, &system) in found.systems.iter().enumerate() {
                let change = dot(fit.inverse_row(place), gradient);
                let share = fit.strengths[place] / groups as f64;
                by_system[cluster * k + system] = share + change;
            }
        }
        let pairs = index::pairs(k).filter(|&(a, b)| {
            let both = estimates[a].finite().zip(estimates[b].finite());
            both.is_some_and(|(x, y)| rests_on_few(&by_system, k, (a, b), (x - y) / groups as f64))
        });
        let own = map_on_threads(plan.threads, pairs.collect(), |pair| {
            (pair, fit.contributions(pair, 0.0))
        })?;
        // A ridge is known by what it leaves of the gradients; its sandwich is of another fit.
        let is_without_ridge = (0..n).all(|at| {
            let own = gradients.chunks(n).map(|gradient| gradient[at]);
            let size: f64 = own.clone().map(f64::abs).sum();
            own.sum::<f64>().abs() <= 1e-6 * size
        });
        if clusters.len() > groups
            && is_without_ridge
            && let Ok(uncertainty) = &found.uncertainty
        {
            // The strengths come before the coefficients in rows and columns.
            let m = found.systems.len();
            let rows = uncertainty.covariance.chunks(n).take(m);
            let moments = rows.flat_map(|row| &row[..m]).copied().collect();
            match_spread(&mut by_system, k, &found.systems, moments);
        }
        Ok(Contributions {
            own,
            shrinkage: shrinkage(contrasts as f64, n - 1),
            source: Source::Styled(Box::new(fit)),
            ..Contributions::of_columns(estimates.clone(), groups, by_system)
        })
    }

    /// What each cluster adds to the difference of a pair; of pairs with contributions of their own
    /// to whether the first is more than `lead` ahead.
    pub(super) fn own_at(&self, pair: (usize, usize), lead: f64) -> Vec<f64> {
        match &self.source {
            Source::Strengths(fit) => fit.contributions(pair, lead),
            Source::Styled(fit) => fit.contributions(pair, lead),
            Source::Medians(scores) => {
                let [first, second] = [pair.0, pair.1].map(|system| scores[system].iter());
                let second = second.map(|&(group, score)| (group, score + lead));
                let both = first.clone().copied().chain(second.clone());
                let mut all: Vec<f64> = both.map(|(_, score)| score).collect();
                all.sort_by(f64::total_cmp);
                let middle = (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0;
                let side = |score: f64| {
                    f64::from(u8::from(score > middle)) - f64::from(u8::from(score < middle))
                };
                let mut found = vec![0.0; self.clusters];
                for &(group, score) in first {
                    found[group as usize] += side(score) / 2.0;
                }
                for (group, score) in second {
                    found[group as usize] -= side(score) / 2.0;
                }
                found
            }
            Source::Systems => self.linear(pair),
        }
    }

    /// What a pair's columns say.
    pub(super) fn linear(&self, (a, b): (usize, usize)) -> Vec<f64> {
        let k = self.estimates.len();
        let values = self.by_system.chunks(k).map(|row| row[a] - row[b]);
        match &self.exposure {
            None => values.collect(),
            Some(exposure) => {
                let common = exposure.common_mean((a, b));
                let shares = exposure.shares.chunks(k).map(|row| row[a] - row[b]);
                let each = values.zip(shares);
                each.map(|(value, share)| value - common * share).collect()
            }
        }
    }

    /// How a difference that is 1 larger is spread over the clusters of a pair's columns; of sum 1.
    ///
    /// With the common mean of the scores of b and of those of a less d, cluster c adds d times the
    /// share of it that the other system's data have: (N_a s_bc + N_b s_ac) / (N_a + N_b) less.
    pub(super) fn spread(&self, (a, b): (usize, usize)) -> Vec<f64> {
        let k = self.estimates.len();
        match &self.exposure {
            None => vec![1.0 / self.clusters as f64; self.clusters],
            Some(exposure) => {
                let [wa, wb] = [a, b].map(|system| exposure.weights[system]);
                let share = |row: &[f64]| (wa * row[b] + wb * row[a]) / (wa + wb);
                exposure.shares.chunks(k).map(share).collect()
            }
        }
    }

    /// Returns the score test of a pair of means, by the clusters in which either has data; None
    /// for pairs of anything else, and where no cluster says anything. A cluster is as large as it
    /// is for the system that has more of its data in it.
    pub(super) fn score_test(&self, pair: (usize, usize)) -> Option<ScoreTest> {
        let Some(exposure) = &self.exposure else {
            return None;
        };
        if !matches!(self.source, Source::Systems) {
            return None;
        }
        let both = self.linear(pair).into_iter().zip(self.spread(pair));
        let rows = exposure.shares.chunks(self.estimates.len());
        let clusters = both.zip(rows).map(|((sum, pairs), shares)| {
            let size = shares[pair.0].max(shares[pair.1]);
            (ClusterDifference { sum, pairs }, size)
        });
        ScoreTest::of_scores(&Vec::from_iter(clusters))
    }

    /// A difference that is large, in the unit of the contributions: a log-odd, or an eighth of the
    /// range.
    pub(super) fn large(&self) -> f64 {
        match &self.source {
            Source::Medians(scores) => {
                let all = scores.iter().flatten().map(|(_, score)| *score);
                let low = all.clone().fold(f64::INFINITY, f64::min);
                let high = all.fold(f64::NEG_INFINITY, f64::max);
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
        let is_unit = slope.is_finite() && slope > 0.0;
        let shown_reasons = reasons_of(&estimates).into_iter();
        let reasons = shown_reasons
            .zip(self.reasons)
            .map(|(shown, own)| shown.or(own));
        let reasons: Vec<Option<InferenceError>> = reasons.collect();
        let mut own = self.own;
        own.retain(|((a, b), _)| reasons[*a].is_none() && reasons[*b].is_none());
        Ok(Contributions {
            estimates,
            reasons,
            own,
            unit: if is_unit { slope } else { 1.0 },
            ..self
        })
    }
}

/// Returns why nothing can be said of each system, None where something can. One that won all
/// against some and lost all against others has no strength, and what it did against each of them
/// is known all the same: unless nobody stands above or below all others, as where all scores of
/// an eigenvector are undefined, which says nothing of an order.
fn reasons_of(estimates: &[Estimate]) -> Vec<Option<InferenceError>> {
    let mut all = estimates.iter();
    let has_order = all.any(|one| matches!(one, Estimate::PlusInfinity | Estimate::MinusInfinity));
    let reasons = estimates.iter().map(|estimate| match estimate {
        Estimate::Undefined(Undefined::OneSided) if has_order => None,
        Estimate::Undefined(why) => Some((*why).into()),
        _ => None,
    });
    reasons.collect()
}

/// Counts what comparisons say of their systems: of a cluster in which each two systems meet at most
/// in both orders, as on an item, at most the k - 1 free differences of its systems; of any other
/// all rows. `members` are the systems of each cluster, in order.
fn count_contrasts(members: &[(u32, u16)], clusters: impl Iterator<Item = u32>) -> usize {
    let mut rows = HashMap::<u32, usize>::new();
    for cluster in clusters {
        *rows.entry(cluster).or_default() += 1;
    }
    let of_clusters = members.chunk_by(|one, other| one.0 == other.0);
    let counts = of_clusters.map(|systems| {
        let (rows, k) = (rows[&systems[0].0], systems.len());
        match rows <= k * (k - 1) {
            true => rows.min(k - 1),
            false => rows,
        }
    });
    counts.sum()
}

/// By what share a difference of `rows` comparisons is smaller than its contributions say, where so
/// many numbers beside it were estimated of them.
fn shrinkage(rows: f64, spent: usize) -> f64 {
    let left = (rows - spent as f64).max(1.0) / (rows - 1.0).max(1.0);
    left.sqrt().min(1.0)
}

/// Makes the covariance of the columns of some systems, over the groups that clusters were dealt
/// to, that which they have over the clusters themselves: `moments`, by place. So the standard
/// error of a difference is that of the sandwich, whoever is in which group. With L L' the
/// covariance over the groups and M M' that over the clusters, what a group has beyond the mean, x,
/// becomes M L⁻¹ x. Columns stay as they are where the groups are too few to have the covariance.
fn match_spread(by_system: &mut [f64], k: usize, systems: &[usize], moments: Vec<f64>) {
    let (m, groups) = (systems.len(), by_system.len() / k.max(1));
    let mut means = vec![0.0; k];
    for row in by_system.chunks(k.max(1)) {
        add_scaled(&mut means, row, 1.0 / groups as f64);
    }
    let beyond = |row: &[f64]| -> Vec<f64> {
        let each = systems.iter().map(|&system| row[system] - means[system]);
        each.collect()
    };
    let mut of_groups = vec![0.0; m * m];
    for row in by_system.chunks(k.max(1)) {
        let row = beyond(row);
        for (line, x) in of_groups.chunks_mut(m.max(1)).zip(&row) {
            add_scaled(line, &row, *x);
        }
    }
    let [from, to] = [of_groups, moments].map(|moments| semidefinite_root(m, moments));
    if (0..m).any(|i| from[i * m + i] == 0.0 && to[i * m + i] > 0.0) {
        return;
    }
    let mut whitened = vec![0.0; m];
    for row in by_system.chunks_mut(k.max(1)) {
        for (i, x) in beyond(row).into_iter().enumerate() {
            let pivot = from[i * m + i];
            let rest = x - dot(&from[i * m..i * m + i], &whitened[..i]);
            whitened[i] = if pivot > 0.0 { rest / pivot } else { 0.0 };
        }
        for (i, &system) in systems.iter().enumerate() {
            row[system] = means[system] + dot(&to[i * m..=i * m + i], &whitened[..=i]);
        }
    }
}

/// Whether a pair's difference rests on few of the clusters: as many of normal contributions as
/// have this fourth moment; `share` is that of the difference itself.
fn rests_on_few(by_system: &[f64], k: usize, (a, b): (usize, usize), share: f64) -> bool {
    let (mut squares, mut fourths) = (0.0, 0.0);
    for row in by_system.chunks(k) {
        let square = (row[a] - row[b] - share).powi(2);
        squares += square;
        fourths += square * square;
    }
    3.0 * squares * squares < LINEAR_FROM * fourths
}

/// All comparisons by the groups of their clusters.
fn group_meetings(
    data: &Comparisons,
    cluster: Cluster,
    seed: u64,
) -> Result<(usize, Vec<Meeting>), InferenceError> {
    let clusters = data.clusters(cluster);
    check_clusters(clusters)?;
    let (groups, group_of) = group_clusters(clusters, seed);
    let mut of_row = Vec::with_capacity(data.rows().len());
    for (rows, group) in data.rows_by_cluster(cluster).zip(group_of) {
        of_row.extend(std::iter::repeat_n(group, rows.len()));
    }
    Ok((groups, meetings_of(data, &of_row)))
}

/// What the points of each cluster add to the shares that systems won.
fn share_meetings(tally: &Tally, meetings: &[Meeting], groups: usize) -> Contributions {
    let k = tally.systems();
    let estimates = win_ratio(tally).estimates;
    let (mut by_system, mut shares) = (vec![0.0; groups * k], vec![0.0; groups * k]);
    for meeting in meetings {
        let [a, b] = meeting.pair.map(usize::from);
        let lost = meeting.games - meeting.points;
        for (system, points) in [(a, meeting.points), (b, lost)] {
            let place = meeting.cluster as usize * k + system;
            by_system[place] += points / tally.games_of(system);
            shares[place] += meeting.games / tally.games_of(system);
        }
    }
    let means = estimates
        .iter()
        .map(|estimate| estimate.finite().unwrap_or(0.0));
    Contributions {
        exposure: Some(Exposure {
            shares,
            means: means.collect(),
            weights: tally.weights(),
        }),
        ..Contributions::of_columns(estimates, groups, by_system)
    }
}

/// How many groups there are, and the group of each cluster in turn: every cluster its own where
/// they are no more than [`MOST_CLUSTERS`], else drawn, so that a group is a random share of the
/// data.
fn group_clusters(clusters: usize, seed: u64) -> (usize, Box<dyn Iterator<Item = u32>>) {
    if clusters <= MOST_CLUSTERS {
        return (clusters, Box::new(0..clusters as u32));
    }
    let mut words = keyed_generator(seed, GROUPS, 0);
    let bytes = std::iter::repeat_with(move || words.next_u64().to_le_bytes()).flatten();
    (MOST_CLUSTERS, Box::new(bytes.map(u32::from)))
}

/// Comparisons dealt to groups at random, those of a pair in a group added up.
fn deal_counts(tally: &Tally, seed: u64) -> Result<(usize, Vec<Meeting>), InferenceError> {
    let clusters = index::saturating_size(tally.total() as u64);
    check_clusters(clusters)?;
    let (groups, mut group_of) = group_clusters(clusters, seed);
    let mut meetings = Vec::new();
    let mut dealt = vec![(0.0, 0.0); groups];
    for (a, b) in index::pairs(tally.systems()) {
        let outcome = tally.outcome(a, b);
        if outcome == [0.0; 3] {
            continue;
        }
        dealt.fill((0.0, 0.0));
        for (count, points) in outcome.into_iter().zip([1.0, 0.5, 0.0]) {
            let is_whole = count.fract() == 0.0;
            check_argument("count", count, is_whole, "a whole number of comparisons")?;
            for group in group_of.by_ref().take(count as usize) {
                dealt[group as usize].0 += points;
                dealt[group as usize].1 += 1.0;
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
    spread: Option<Covariance>,
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
            let beyond = residual(meeting.points, meeting.games, lead);
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
    let reasons = reasons_of(estimates);
    let pairs = index::pairs(k).filter(|&(a, b)| reasons[a].is_none() && reasons[b].is_none());
    let own = pairs.filter(
        |&(a, b)| match (estimates[a].finite(), estimates[b].finite()) {
            (Some(x), Some(y)) => rests_on_few(&by_system, k, (a, b), (x - y) / clusters as f64),
            _ => true,
        },
    );
    let own = own.collect();
    if let Some(spread) = spread {
        match_spread(
            &mut by_system,
            k,
            spread.systems(),
            spread.matrix().to_vec(),
        );
    }
    let fit = RestrictedFit::new(
        influence,
        estimates.to_vec(),
        tally.clone(),
        clusters,
        meetings,
        scores,
    );
    let own = map_on_threads(plan.threads, own, |pair| {
        (pair, fit.contributions(pair, 0.0))
    })?;
    Ok(Contributions {
        own,
        source: Source::Strengths(Box::new(fit)),
        reasons,
        shrinkage: shrinkage(tally.total(), m.saturating_sub(1)),
        ..Contributions::of_columns(estimates.to_vec(), clusters, by_system)
    })
}
