//! How often the intervals of a high latency and of its change miss it. A few hundred simulations
//! always, 4,000 a cell where EVENHAND_SLOW=1 is set; `--nocapture` shows the table of
//! docs/gates.md.

use crate::common::normals;
use evenhand_stats::{ColumnFigure, clustered_mean, clustered_quantile};
use evenhand_testing::is_slow;

const LEVEL: f64 = 0.95;
/// Of the standard normal distribution; latencies are its exponentials.
const P95: f64 = 1.644_853_626_951_472_7;

/// Logarithms of latencies, `each` of them for one question: this share of their variance is the
/// question's.
fn latencies(shared: &[f64], own: &[f64], each: usize, share: f64) -> Vec<f64> {
    let numbers = own.iter().enumerate();
    numbers
        .map(|(at, own)| (share.sqrt() * shared[at / each] + (1.0 - share).sqrt() * own).exp())
        .collect()
}

fn holds(found: &ColumnFigure, truth: f64) -> bool {
    found.low.is_none_or(|low| low <= truth) && found.high.is_none_or(|high| high >= truth)
}

#[test]
fn intervals_of_a_high_latency_hold_it() {
    let rounds: u64 = if is_slow() { 4000 } else { 300 };
    println!("items  each  share  p95  change  mean  upper end");
    for (items, each) in [
        (50, 1),
        (75, 1),
        (100, 1),
        (200, 1),
        (400, 1),
        (1000, 1),
        (200, 4),
    ] {
        for share in [0.0, 0.7] {
            let clusters: Vec<u32> = (0..items as u32).map(|at| at / each as u32).collect();
            let [mut held, mut of_change, mut of_mean, mut ended] = [0.0; 4];
            for round in 0..rounds {
                let draw = |part: u64| normals(7 * round + 1, part, items);
                let (shared, one, other) = (draw(1), draw(2), draw(3));
                let old = latencies(&shared, &one, each, share);
                // The later system takes twice as long.
                let new = latencies(&shared, &other, each, share);
                let new: Vec<f64> = new.iter().map(|seconds| 2.0 * seconds).collect();
                let figure =
                    |values: &[f64]| clustered_quantile(values, &clusters, 0.95, LEVEL).unwrap();
                let [old_figure, new_figure] = [figure(&old), figure(&new)];
                let differences: Vec<f64> = new.iter().zip(&old).map(|(a, b)| a - b).collect();
                let mean = clustered_mean(&differences, &clusters, LEVEL).unwrap();
                held += f64::from(u8::from(holds(&old_figure, P95.exp())));
                ended += f64::from(u8::from(old_figure.high.is_some()));
                let change = new_figure.change_from(&old_figure);
                of_change += f64::from(u8::from(holds(&change, P95.exp())));
                of_mean += f64::from(u8::from(holds(&mean, 0.5_f64.exp())));
            }
            let [held, of_change, of_mean, ended] =
                [held, of_change, of_mean, ended].map(|count| count / rounds as f64);
            println!(
                "{items:5}  {each:4}  {share:5}  {held:.3}  {of_change:.3}  {of_mean:.3}  {ended:.3}"
            );
            // Three standard errors below what is promised.
            let slack = 3.0 * (0.05 * 0.95 / rounds as f64).sqrt();
            let case = format!("{items} {each} {share}: {held} {of_change}");
            assert!(
                held >= LEVEL - slack && of_change >= LEVEL - slack,
                "{case}"
            );
        }
    }
}
