//! The marginal likelihood of the graded response model, with priors, and its derivatives.

use crate::linear::Cholesky;
use crate::pairwise::ascent::LogLikelihood;
use crate::sigmoid;

/// Qualities at which the normal distribution is summed up: from -6 to 6 in steps of a twentieth.
const NODES: i32 = 120;
const STEP: f64 = 0.05;

/// Standard deviations of the priors of log discriminations and of thresholds, both around 0. They
/// keep finite what identical wordings would make infinite; the first is Choi et al.'s.
const LOG_DISCRIMINATION: f64 = 0.5;
const THRESHOLD: f64 = 3.0;

/// The step of the differences that make second derivatives.
const DIFFERENCE: f64 = 1e-4;

/// The scores of one judge as categories, and where the numbers of each wording stand among all:
/// the logarithm of its discrimination, its first threshold, and the logarithms of the distances to
/// the next ones.
pub(super) struct Model<'a> {
    /// For each response the category under each wording, from 0; None where there is none.
    pub(super) rows: &'a [Vec<Option<usize>>],
    /// How many categories each wording uses, at least 2.
    pub(super) categories: Vec<usize>,
    /// Where each wording's numbers begin, and at last how many there are.
    pub(super) starts: Vec<usize>,
    /// The chance of each node before any score is known.
    prior: Vec<f64>,
}

/// One wording at one point: chances of its categories and their derivatives, at every node.
struct Table {
    /// The chances, by category and node.
    chances: Vec<Vec<f64>>,
    /// Derivatives of their logarithms by the numbers of the wording, by category, number and node.
    slopes: Vec<Vec<Vec<f64>>>,
}

fn nodes() -> impl Iterator<Item = f64> {
    (-NODES..=NODES).map(|node| f64::from(node) * STEP)
}

/// The thresholds that the numbers of a wording, without its discrimination, stand for.
pub(super) fn thresholds(numbers: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = Vec::with_capacity(numbers.len());
    for (place, number) in numbers.iter().enumerate() {
        all.push(match place {
            0 => *number,
            _ => all[place - 1] + number.exp(),
        });
    }
    all
}

impl<'a> Model<'a> {
    pub(super) fn new(rows: &'a [Vec<Option<usize>>], categories: Vec<usize>) -> Model<'a> {
        let mut starts = vec![0];
        for count in &categories {
            starts.push(starts[starts.len() - 1] + count);
        }
        let density = |node: f64| (-node * node / 2.0).exp();
        let total: f64 = nodes().map(density).sum();
        Model {
            rows,
            categories,
            starts,
            prior: nodes().map(|node| density(node) / total).collect(),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    pub(super) fn numbers<'p>(&self, wording: usize, point: &'p [f64]) -> &'p [f64] {
        &point[self.starts[wording]..self.starts[wording + 1]]
    }

    fn tables(&self, point: &[f64]) -> Vec<Table> {
        let wordings = 0..self.categories.len();
        wordings
            .map(|wording| Table::new(self.numbers(wording, point)))
            .collect()
    }

    /// The chances of a response's quality at each node given its scores, and the logarithm of the
    /// chance of these scores.
    fn posterior(&self, row: &[Option<usize>], tables: &[Table]) -> (Vec<f64>, f64) {
        let mut weights = self.prior.clone();
        for (table, category) in tables.iter().zip(row) {
            if let Some(category) = category {
                for (weight, chance) in weights.iter_mut().zip(&table.chances[*category]) {
                    *weight *= chance;
                }
            }
        }
        // Of hundreds of wordings the product might vanish everywhere; no response has so many.
        let sum = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        weights.iter_mut().for_each(|weight| *weight /= sum);
        (weights, sum.ln())
    }

    /// The mean and the variance of each response's quality given its scores.
    pub(super) fn qualities(&self, point: &[f64]) -> Vec<[f64; 2]> {
        let tables = self.tables(point);
        let of_row = |row: &Vec<Option<usize>>| {
            let (weights, _) = self.posterior(row, &tables);
            let moment = |power: i32| {
                let terms = nodes()
                    .zip(&weights)
                    .map(|(node, weight)| weight * node.powi(power));
                terms.sum::<f64>()
            };
            let mean = moment(1);
            [mean, (moment(2) - mean * mean).max(0.0)]
        };
        self.rows.iter().map(of_row).collect()
    }

    /// The derivatives of the logarithm of each response's chance, without the priors.
    pub(super) fn scores(&self, point: &[f64]) -> Vec<Vec<f64>> {
        let tables = self.tables(point);
        let of_row = |row: &Vec<Option<usize>>| {
            let (weights, _) = self.posterior(row, &tables);
            let mut score = vec![0.0; self.size()];
            for (wording, category) in row.iter().enumerate() {
                let Some(category) = category else { continue };
                let slopes = &tables[wording].slopes[*category];
                for (number, slopes) in slopes.iter().enumerate() {
                    let terms = slopes
                        .iter()
                        .zip(&weights)
                        .map(|(slope, weight)| slope * weight);
                    score[self.starts[wording] + number] = terms.sum();
                }
            }
            score
        };
        self.rows.iter().map(of_row).collect()
    }

    /// Minus the second derivatives, by differences of the gradient.
    pub(super) fn information(&self, point: &[f64]) -> Vec<f64> {
        let n = self.size();
        let mut matrix = vec![0.0; n * n];
        let mut moved = point.to_vec();
        for number in 0..n {
            moved[number] = point[number] + DIFFERENCE;
            let above = self.gradient_at(&moved);
            moved[number] = point[number] - DIFFERENCE;
            let below = self.gradient_at(&moved);
            moved[number] = point[number];
            for other in 0..n {
                let second = (below[other] - above[other]) / (2.0 * DIFFERENCE);
                matrix[number * n + other] += second / 2.0;
                matrix[other * n + number] += second / 2.0;
            }
        }
        matrix
    }

    /// The priors' part of the value, and of the gradient.
    pub(super) fn penalty(&self, point: &[f64]) -> (f64, Vec<f64>) {
        let (mut value, mut gradient) = (0.0, vec![0.0; self.size()]);
        for wording in 0..self.categories.len() {
            let start = self.starts[wording];
            let numbers = self.numbers(wording, point);
            value -= (numbers[0] / LOG_DISCRIMINATION).powi(2) / 2.0;
            gradient[start] -= numbers[0] / LOG_DISCRIMINATION.powi(2);
            let all = thresholds(&numbers[1..]);
            for (place, threshold) in all.iter().enumerate() {
                value -= (threshold / THRESHOLD).powi(2) / 2.0;
                let slope = threshold / THRESHOLD.powi(2);
                gradient[start + 1] -= slope;
                for step in 1..=place {
                    gradient[start + 1 + step] -= slope * numbers[1 + step].exp();
                }
            }
        }
        (value, gradient)
    }
}

impl LogLikelihood for Model<'_> {
    fn value_at(&self, point: &[f64]) -> f64 {
        let tables = self.tables(point);
        let rows = self.rows.iter().map(|row| self.posterior(row, &tables).1);
        rows.sum::<f64>() + self.penalty(point).0
    }

    fn gradient_at(&self, point: &[f64]) -> Vec<f64> {
        let tables = self.tables(point);
        let (_, mut gradient) = self.penalty(point);
        // How many responses of each category are expected at each node.
        let mut expected: Vec<Vec<Vec<f64>>> = Vec::new();
        for count in &self.categories {
            expected.push(vec![vec![0.0; 2 * NODES as usize + 1]; *count]);
        }
        for row in self.rows {
            let (weights, _) = self.posterior(row, &tables);
            for (counts, category) in expected.iter_mut().zip(row) {
                if let Some(category) = category {
                    crate::linear::add_scaled(&mut counts[*category], &weights, 1.0);
                }
            }
        }
        for (wording, (counts, table)) in expected.iter().zip(&tables).enumerate() {
            for (counts, slopes) in counts.iter().zip(&table.slopes) {
                for (number, slopes) in slopes.iter().enumerate() {
                    gradient[self.starts[wording] + number] += crate::linear::dot(slopes, counts);
                }
            }
        }
        gradient
    }

    /// Newton's step where the likelihood is concave; else that of the responses' own scores, whose
    /// sum of squares always is positive definite with the priors (Berndt et al. 1974).
    fn step_from(&self, point: &[f64]) -> Option<Vec<f64>> {
        let n = self.size();
        let mut step = self.gradient_at(point);
        let information = Cholesky::new(n, self.information(point)).or_else(|| {
            let mut squares = crate::linear::diagonal(n, 1.0 / THRESHOLD.powi(2));
            for score in self.scores(point) {
                add_square(&mut squares, &score);
            }
            Cholesky::new(n, squares)
        });
        information?.solve(&mut step);
        Some(step)
    }
}

/// Adds u u' to a square matrix.
pub(super) fn add_square(matrix: &mut [f64], u: &[f64]) {
    for (row, x) in matrix.chunks_mut(u.len()).zip(u) {
        crate::linear::add_scaled(row, u, *x);
    }
}

impl Table {
    fn new(numbers: &[f64]) -> Table {
        let (a, all) = (numbers[0].exp(), thresholds(&numbers[1..]));
        let categories = numbers.len();
        let mut table = Table {
            chances: vec![Vec::new(); categories],
            slopes: vec![vec![Vec::new(); categories]; categories],
        };
        // Of a middle category: 1 - exp(-a d) with d from its threshold to the next.
        let between: Vec<f64> = all
            .windows(2)
            .map(|pair| -(-a * (pair[1] - pair[0])).exp_m1())
            .collect();
        for node in nodes() {
            // For each threshold the chances of a score above and below it.
            let above: Vec<f64> = all.iter().map(|b| sigmoid(a * (node - b))).collect();
            let below: Vec<f64> = all.iter().map(|b| sigmoid(a * (b - node))).collect();
            for k in 0..categories {
                // No difference of two chances, which would cancel near 1.
                let chance = match k {
                    0 => below[0],
                    k if k + 1 == categories => above[k - 1],
                    k => above[k - 1] * below[k] * between[k - 1],
                };
                let chance = chance.max(f64::MIN_POSITIVE);
                table.chances[k].push(chance);
                // How the chance moves with the thresholds below and above the category.
                let of = |threshold: usize| {
                    let density = above[threshold] * below[threshold] / chance;
                    [density, a * (node - all[threshold]) * density]
                };
                let [lower, lower_stretch] = if k > 0 { of(k - 1) } else { [0.0; 2] };
                let [upper, upper_stretch] = if k + 1 < categories { of(k) } else { [0.0; 2] };
                let slopes = &mut table.slopes[k];
                slopes[0].push(lower_stretch - upper_stretch);
                slopes[1].push(a * (upper - lower));
                // A distance moves the thresholds behind it.
                for number in 2..categories {
                    let moves = |threshold: usize| f64::from(u8::from(threshold + 1 >= number));
                    let by = upper * moves(k) - if k > 0 { lower * moves(k - 1) } else { 0.0 };
                    slopes[number].push(a * by * numbers[number].exp());
                }
            }
        }
        table
    }
}
