//! What each cluster says of whether two Bradley-Terry strengths differ, at the strengths that they
//! would have if they did not.

use super::influence::{Influence, information_matrix, residual};
use crate::linear::{Cholesky, add_edge};
use crate::special::win_information;
use crate::{Comparisons, Estimate, Tally};

/// All comparisons of one pair in one cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) cluster: u32,
    pub(super) pair: [u16; 2],
    /// Points of the first: wins and half of the ties.
    pub(super) points: f64,
    pub(super) games: f64,
}

impl Meeting {
    fn other(&self, system: usize) -> usize {
        let [a, b] = self.pair.map(usize::from);
        if a == system { b } else { a }
    }

    /// Points of a system.
    fn points_of(&self, system: usize) -> f64 {
        if usize::from(self.pair[0]) == system {
            self.points
        } else {
            self.games - self.points
        }
    }
}

/// The meetings of k systems under their clusters, with the strengths that fit them.
#[derive(Clone, Debug)]
pub(super) struct RestrictedFit {
    influence: Influence,
    estimates: Vec<Estimate>,
    tally: Tally,
    clusters: usize,
    /// Of each system the meetings that it is in.
    meetings: Vec<Vec<Meeting>>,
    /// The scores of the clusters at the fit, clusters x finite systems.
    scores: Vec<f64>,
    /// The information at the fit, by place.
    information: Vec<f64>,
}

/// A chance this near to 0 or 1 says nothing any more.
const NEGLIGIBLE: f64 = 1e-9;
/// No strength is further than this from the others, in log-odds.
const FARTHEST: f64 = 30.0;

impl RestrictedFit {
    /// `meetings` are all those of the tally, `scores` what each cluster's comparisons say at the
    /// `estimates`, by place of the `influence`.
    pub(super) fn new(
        influence: Influence,
        estimates: Vec<Estimate>,
        tally: Tally,
        clusters: usize,
        meetings: &[Meeting],
        scores: Vec<f64>,
    ) -> Self {
        let mut of_system = vec![Vec::new(); tally.systems()];
        for meeting in meetings {
            for system in meeting.pair {
                of_system[usize::from(system)].push(*meeting);
            }
        }
        let information = information_matrix(&tally, &influence.systems, &influence.strengths);
        RestrictedFit {
            influence,
            estimates,
            tally,
            clusters,
            meetings: of_system,
            scores,
            information,
        }
    }

    /// What each cluster adds to the effective score of d = s_a - s_b at d = `lead`: positive where
    /// it says that a is further ahead. Comparisons with systems of infinite strength say nothing,
    /// but for those of a and b themselves.
    pub(super) fn contributions(&self, (a, b): (usize, usize), lead: f64) -> Vec<f64> {
        let [sa, sb] = self.restricted_strengths([a, b], lead);
        // The finite systems other than a and b keep their places; a and b come after them.
        let others: Vec<usize> = (0..self.influence.systems.len())
            .filter(|&place| ![a, b].contains(&self.influence.systems[place]))
            .collect();
        let direction = self.direction([a, b], [sa, sb], &others);
        let [xa, xb] = [direction[others.len()], direction[others.len() + 1]];
        let m = self.influence.systems.len();
        let mut found = vec![0.0; self.clusters];
        if self.scores.len() == self.clusters * m {
            for (cluster, sum) in found.iter_mut().enumerate() {
                let scores = &self.scores[cluster * m..(cluster + 1) * m];
                *sum = others
                    .iter()
                    .zip(&direction)
                    .map(|(&place, x)| scores[place] * x)
                    .sum();
            }
        }
        let mut at = vec![None; self.estimates.len()];
        for (&place, &x) in others.iter().zip(&direction) {
            at[self.influence.systems[place]] = Some((self.influence.strengths[place], x));
        }
        (at[a], at[b]) = (Some((sa, xa)), Some((sb, xb)));
        for (own, partner) in [(a, b), (b, a)] {
            let fitted = self.estimates[own].finite();
            let Some((strength, x)) = at[own] else {
                continue;
            };
            let before = |other: usize| Some((fitted?, self.estimates[other].finite()?));
            for meeting in &self.meetings[own] {
                let other = meeting.other(own);
                let cluster = meeting.cluster as usize;
                // Both fits of the pair's own meetings are seen once, from the side of a.
                if other == partner {
                    if own == a {
                        let now = residual(meeting.points_of(a), meeting.games, strength - sb);
                        found[cluster] += now * (xa - xb);
                    }
                    continue;
                }
                let Some((theirs, y)) = at[other] else {
                    continue;
                };
                let now = residual(meeting.points_of(own), meeting.games, strength - theirs);
                found[cluster] += now * (x - y);
                // The scores at the fit, above, hold this meeting's part for the other system.
                if let Some((mine, theirs)) = before(other) {
                    let then = residual(meeting.points_of(own), meeting.games, mine - theirs);
                    found[cluster] += then * y;
                }
            }
        }
        found
    }

    /// The strengths of a and b that fit best where a leads by `lead` and all others stay: Newton's
    /// method on their middle.
    fn restricted_strengths(&self, [a, b]: [usize; 2], lead: f64) -> [f64; 2] {
        let finite = [a, b].map(|system| self.estimates[system].finite());
        let mut middle = match finite {
            [Some(x), Some(y)] => (x + y) / 2.0,
            [Some(x), None] => x - lead / 2.0,
            [None, Some(y)] => y + lead / 2.0,
            [None, None] => 0.0,
        };
        let start = middle;
        for _ in 0..100 {
            let (mut slope, mut curvature) = (0.0, NEGLIGIBLE);
            for (own, strength) in [(a, middle + lead / 2.0), (b, middle - lead / 2.0)] {
                for place in 0..self.influence.systems.len() {
                    let other = self.influence.systems[place];
                    let games = self.tally.games(own, other);
                    if games == 0.0 || other == a || other == b {
                        continue;
                    }
                    let ahead = strength - self.influence.strengths[place];
                    let points = self.tally.points(own, other);
                    slope += residual(points, games, ahead);
                    curvature += win_information(games, ahead);
                }
            }
            let step = (slope / curvature).clamp(-1.0, 1.0);
            middle = (middle + step).clamp(start - FARTHEST, start + FARTHEST);
            if step.abs() < 1e-7 {
                break;
            }
        }
        [middle + lead / 2.0, middle - lead / 2.0]
    }

    /// I⁻¹ (e_a - e_b), the information at the restricted strengths, for the others and a and b:
    /// the direction in which the score does not see, to first order, that the others are
    /// estimated.
    fn direction(&self, [a, b]: [usize; 2], [sa, sb]: [f64; 2], others: &[usize]) -> Vec<f64> {
        let m = self.influence.systems.len();
        let n = others.len() + 2;
        let mut matrix = vec![0.0; n * n];
        for (i, &first) in others.iter().enumerate() {
            for (j, &second) in others.iter().enumerate() {
                matrix[i * n + j] = self.information[first * m + second];
            }
            // What the fit's a and b had of this diagonal is taken out again.
            for system in [a, b] {
                if let Some(place) = self.influence.places[system] {
                    matrix[i * n + i] += self.information[first * m + place];
                }
            }
        }
        for (own, strength, system) in [(n - 2, sa, a), (n - 1, sb, b)] {
            for (i, &place) in others.iter().enumerate() {
                let games = self.tally.games(system, self.influence.systems[place]);
                let weight = win_information(games, strength - self.influence.strengths[place]);
                add_edge(&mut matrix, n, (i, own), weight);
            }
        }
        let weight = win_information(self.tally.games(a, b), sa - sb);
        add_edge(&mut matrix, n, (n - 2, n - 1), weight);
        // The origin is free, and so is a system that plays nobody it could lose to.
        let most = (0..n).map(|i| matrix[i * n + i]).fold(NEGLIGIBLE, f64::max);
        for i in 0..n {
            matrix[i * n + i] += 1e-8 * most;
        }
        let mut right = vec![0.0; n];
        (right[n - 2], right[n - 1]) = (1.0, -1.0);
        match Cholesky::new(n, matrix) {
            Some(decomposed) => decomposed.solve(&mut right),
            None => right.fill(0.0),
        }
        right
    }
}

/// The comparisons of each cluster, those of a pair added up.
pub(super) fn meetings_of(data: &Comparisons, cluster_of_row: &[u32]) -> Vec<Meeting> {
    let mut meetings: Vec<Meeting> = Vec::new();
    let key = |meeting: &Meeting| (meeting.cluster, meeting.pair);
    let merge = |meetings: &mut Vec<Meeting>| {
        // The sort is stable: what is of one pair is added up in the order of the rows.
        meetings.sort_by_key(key);
        meetings.dedup_by(|next, kept| {
            let same = key(next) == key(kept);
            if same {
                kept.points += next.points;
                kept.games += next.games;
            }
            same
        });
    };
    // Rows of many items are of few clusters here: they need not all be kept.
    let mut most = 1 << 20;
    for (row, &cluster) in data.rows().iter().zip(cluster_of_row) {
        if meetings.len() == most {
            merge(&mut meetings);
            most = most.max(2 * meetings.len());
        }
        meetings.push(Meeting {
            cluster,
            pair: [row.a, row.b],
            points: row.wins_a + 0.5 * row.ties,
            games: row.wins_a + row.ties + row.wins_b,
        });
    }
    merge(&mut meetings);
    meetings
}
