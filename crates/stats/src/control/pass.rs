//! One pass over the rows: the derivatives of the log-likelihood, and the spread of the rows' own
//! derivatives.

use super::design::{BLOCK, Design, Run};
use super::logistic::chance_at;
use crate::linear::{Derivatives, add_scaled, dot, lane_sum, move_apart};
use rayon::prelude::*;

/// Runs that one task works on. What a run adds up to depends on its rows alone, and runs are added
/// in their order, so the result does not depend on the number of threads.
const RUNS_A_TASK: usize = 64;

/// The numbers of one block of rows.
struct Block {
    lead: [f64; BLOCK],
    /// Weight times slope of the chance.
    curvature: [f64; BLOCK],
    /// Weight times (won - chance).
    surprise: [f64; BLOCK],
    product: [f64; BLOCK],
}

impl Block {
    fn new() -> Block {
        Block {
            lead: [0.0; BLOCK],
            curvature: [0.0; BLOCK],
            surprise: [0.0; BLOCK],
            product: [0.0; BLOCK],
        }
    }

    fn fill(&mut self, design: &Design, run: &Run, at: &[f64]) {
        let n = run.rows.len();
        let rows = run.rows.clone();
        let leads = &mut self.lead[..n];
        leads.fill(run.pair.map_or(0.0, |(i, j)| at[i] - at[j]));
        for (column, coefficient) in design.columns.iter().zip(&at[design.systems..]) {
            add_scaled(leads, &column[rows.clone()], *coefficient);
        }
        let (won, weight) = (&design.won[rows.clone()], &design.weight[rows]);
        let (curvature, surprise) = (&mut self.curvature[..n], &mut self.surprise[..n]);
        for row in 0..n {
            let chance = chance_at(leads[row]);
            surprise[row] = weight[row] * chance.surprise(won[row]);
            curvature[row] = weight[row] * chance.slope;
        }
    }

    fn surprises(&self, run: &Run) -> &[f64] {
        &self.surprise[..run.rows.len()]
    }

    /// Appends the sum of the curvatures; then for each covariate the sum of the curvatures times
    /// it, and times it and each covariate up to it.
    #[inline]
    fn push_moments(&mut self, design: &Design, run: &Run, into: &mut Vec<f64>) {
        let n = run.rows.len();
        into.push(lane_sum(&self.curvature[..n]));
        for (j, column) in design.columns.iter().enumerate() {
            let factors = self.curvature.iter().zip(&column[run.rows.clone()]);
            for (product, (v, x)) in self.product.iter_mut().zip(factors) {
                *product = v * x;
            }
            into.push(lane_sum(&self.product[..n]));
            into.extend(products(&self.product[..n], &design.columns[..=j], run));
        }
    }
}

/// The gradient and the information matrix at `at`: strengths, then coefficients.
pub(super) fn derivatives(design: &Design, at: &[f64]) -> Derivatives {
    let p = design.columns.len();
    // The sums of a run's surprises, alone and times each covariate; then those of its curvatures.
    let summed = per_run(design, at, |block, run, into| {
        let surprise = block.surprises(run);
        into.push(lane_sum(surprise));
        into.extend(products(surprise, &design.columns, run));
        block.push_moments(design, run, into);
    });
    let mut found = Derivatives::zero(at.len());
    for (run, sums) in with_runs(design, &summed, 1 + p + moment_count(p)) {
        let (gradient, curvature) = sums.split_at(1 + p);
        add_gradient(&mut found.gradient, design.systems, run, gradient);
        add_products(&mut found.information, design, run, curvature);
    }
    found
}

/// The sums of `values` times each column, over the rows of a run.
#[inline]
fn products<'a>(
    values: &'a [f64],
    columns: &'a [Vec<f64>],
    run: &'a Run,
) -> impl Iterator<Item = f64> + 'a {
    columns
        .iter()
        .map(|column| dot(values, &column[run.rows.clone()]))
}

/// Each run with what it adds: `count` numbers.
fn with_runs<'a>(
    design: &'a Design,
    summed: &'a [Vec<f64>],
    count: usize,
) -> impl Iterator<Item = (&'a Run, &'a [f64])> {
    let sums = summed.iter().flat_map(move |task| task.chunks(count));
    design.runs.iter().zip(sums)
}

/// The sum over rows of the outer products of their own gradients (White 1980), lower triangle.
pub(super) fn spread_of_rows(design: &Design, at: &[f64]) -> Vec<f64> {
    let summed = per_run(design, at, |block, run, into| {
        // The squares of the surprises take the place of the curvatures.
        let rows = run.rows.len();
        let squares = block.curvature[..rows].iter_mut();
        for (square, x) in squares.zip(&block.surprise[..rows]) {
            *square = x * x;
        }
        block.push_moments(design, run, into);
    });
    let count = moment_count(design.columns.len());
    let mut found = vec![0.0; design.size() * design.size()];
    for (run, sums) in with_runs(design, &summed, count) {
        add_products(&mut found, design, run, sums);
    }
    found
}

/// Weight times (won - chance) of every row: its gradient is that times its row of the design.
pub(super) fn surprises(design: &Design, at: &[f64]) -> Vec<f64> {
    per_run(design, at, |block, run, into| {
        into.extend(block.surprises(run))
    })
    .concat()
}

/// The numbers that each run adds, appended by `add`, in the order of the runs, task by task.
fn per_run(
    design: &Design,
    at: &[f64],
    add: impl Fn(&mut Block, &Run, &mut Vec<f64>) + Sync,
) -> Vec<Vec<f64>> {
    // Collected in order: the sums must not depend on which task ends first.
    let tasks = design.runs.par_chunks(RUNS_A_TASK);
    let sums = tasks.map(|runs| {
        let (mut block, mut sums) = (Block::new(), vec![]);
        for run in runs {
            block.fill(design, run, at);
            add(&mut block, run, &mut sums);
        }
        sums
    });
    sums.collect()
}

/// How many numbers [`push_moments`] gives for p covariates.
fn moment_count(p: usize) -> usize {
    1 + p + p * (p + 1) / 2
}

fn add_gradient(gradient: &mut [f64], systems: usize, run: &Run, sums: &[f64]) {
    // What falls to the lead of the first system over the second.
    if let Some(pair) = run.pair {
        move_apart(gradient, pair, sums[0]);
    }
    for (total, part) in gradient[systems..].iter_mut().zip(&sums[1..]) {
        *total += part;
    }
}

/// Adds the moments of one run to the lower triangle of a matrix over strengths and coefficients.
fn add_products(matrix: &mut [f64], design: &Design, run: &Run, moments: &[f64]) {
    let n = design.size();
    let systems = design.systems;
    if let Some((i, j)) = run.pair {
        matrix[i * n + i] += moments[0];
        matrix[j * n + j] += moments[0];
        matrix[j * n + i] -= moments[0];
    }
    let mut rest = &moments[1..];
    for (t, row) in matrix.chunks_mut(n.max(1)).skip(systems).enumerate() {
        let (own, later) = rest.split_at(2 + t);
        // The row of a covariate: its moment with the strengths, then with covariates.
        add_gradient(&mut row[..=systems + t], systems, run, own);
        rest = later;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Battles;

    /// The slow, obvious twin: dense rows.
    fn dense(battles: &Battles, at: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let n = at.len();
        let (mut gradient, mut information, mut spread) =
            (vec![0.0; n], vec![0.0; n * n], vec![0.0; n * n]);
        for row in 0..battles.a.len() {
            let mut x = vec![0.0; n];
            x[usize::from(battles.a[row])] = 1.0;
            x[usize::from(battles.b[row])] = -1.0;
            battles
                .covariates
                .iter()
                .enumerate()
                .for_each(|(j, column)| x[battles.systems + j] = column[row]);
            let lead: f64 = x.iter().zip(at).map(|(x, b)| x * b).sum();
            let chance = 1.0 / (1.0 + (-lead).exp());
            let (w, r) = (
                battles.weight_of(row),
                battles.weight_of(row) * (battles.won[row] - chance),
            );
            for i in 0..n {
                gradient[i] += r * x[i];
                for j in 0..=i {
                    information[i * n + j] += w * chance * (1.0 - chance) * x[i] * x[j];
                    spread[i * n + j] += r * r * x[i] * x[j];
                }
            }
        }
        (gradient, information, spread)
    }

    #[test]
    fn a_pass_meets_its_twin() {
        let rows = 3000u16;
        let a: Vec<u16> = (0..rows).map(|r| r * 7 % 4).collect();
        let b: Vec<u16> = (0..rows).map(|r| (r * 7 % 4 + 1 + r % 3) % 4).collect();
        let won: Vec<f64> = (0..rows).map(|r| f64::from(r * 13 % 5) / 4.0).collect();
        let weight: Vec<f64> = (0..rows).map(|r| f64::from(r % 3) + 0.5).collect();
        let column = |k: u16| {
            (0..rows)
                .map(|r| f64::from(r * k % 17) / 9.0 - 0.9)
                .collect::<Vec<f64>>()
        };
        let covariates = [column(3), column(5), column(11)];
        let battles = Battles {
            systems: 4,
            a: &a,
            b: &b,
            won: &won,
            weight: Some(&weight),
            cluster: None,
            covariates: &covariates,
        };
        let design = Design::of_battles(&battles, &[Some(0), Some(1), Some(2), Some(3)], 4);
        let at = [0.3, -0.2, 0.5, -0.6, 0.4, -1.0, 0.1];
        let (gradient, information, spread) = dense(&battles, &at);
        let found = derivatives(&design, &at);
        let close = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-9);
        assert!(close(&found.gradient, &gradient) && close(&found.information, &information));
        assert!(close(&spread_of_rows(&design, &at), &spread));
        assert_eq!(surprises(&design, &at).len(), 3000);
    }
}
