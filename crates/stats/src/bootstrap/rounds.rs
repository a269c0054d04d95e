//! Running the rounds, on one thread or many.

use super::Bootstrap;
use super::draws::count_picks;
use crate::Error;
use crate::checks::{check_clusters, check_rows};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Computes a statistic on `plan.rounds` resamples of `clusters` clusters, in order of the rounds.
///
/// `statistic` gets how often each cluster was drawn (0, 1, 2, ... as f64; sums to `clusters`) and
/// must be a function of that alone; then the results are the same for every number of threads.
///
/// # Errors
/// [`crate::Undefined::TooFewClusters`] below 2 clusters; a level, a number of rounds or clusters,
/// or threads that cannot be used.
pub fn resample<T, F>(clusters: usize, plan: &Bootstrap, statistic: F) -> Result<Vec<T>, Error>
where
    T: Send,
    F: Fn(&[f64]) -> T + Sync,
{
    check_rows(clusters)?;
    let round = |weights: &mut Vec<f64>, number: u64| {
        count_picks(plan.seed, number, weights);
        statistic(weights)
    };
    run_rounds(clusters, plan, || vec![0.0; clusters], round)
}

/// The results of all rounds, in order; `round` gets something to work in and its number.
pub(crate) fn run_rounds<S, T, F>(
    clusters: usize,
    plan: &Bootstrap,
    scratch: impl Fn() -> S + Sync + Send,
    round: F,
) -> Result<Vec<T>, Error>
where
    T: Send,
    F: Fn(&mut S, u64) -> T + Sync,
{
    plan.check()?;
    check_clusters(clusters)?;
    let numbers = 0..plan.rounds as u64;
    if plan.threads == 1 {
        let mut scratch = scratch();
        return Ok(numbers.map(|number| round(&mut scratch, number)).collect());
    }
    // A list, because its length is known to rayon, which then collects into place.
    let numbers: Vec<u64> = numbers.collect();
    let in_parallel = || {
        let rounds = numbers.into_par_iter();
        rounds
            .map_init(&scratch, |scratch, number| round(scratch, number))
            .collect()
    };
    Ok(start_pool(plan.threads)?.install(in_parallel))
}

/// The results for all inputs, in their order, on so many threads; 0 for as many as the machine
/// has.
///
/// # Errors
/// Threads that cannot be had.
pub(crate) fn map_on_threads<I: Send, T: Send>(
    threads: usize,
    inputs: Vec<I>,
    result: impl Fn(I) -> T + Sync + Send,
) -> Result<Vec<T>, Error> {
    if threads == 1 {
        return Ok(inputs.into_iter().map(result).collect());
    }
    let pool = start_pool(threads)?;
    Ok(pool.install(|| inputs.into_par_iter().map(result).collect()))
}

/// A pool of so many threads; 0 for as many as the machine has.
pub(crate) fn start_pool(threads: usize) -> Result<ThreadPool, Error> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::Threads {
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;

    #[test]
    fn rounds_do_not_depend_on_threads() {
        let run = |threads| {
            let plan = Bootstrap {
                rounds: 50,
                seed: 9,
                threads,
                ..Default::default()
            };
            resample(30, &plan, |weights| weights.to_vec()).unwrap()
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(5));
        assert!(
            run(1)
                .iter()
                .all(|weights| weights.iter().sum::<f64>() == 30.0)
        );
    }

    #[test]
    fn what_cannot_be_run_is_said() {
        let run = |clusters, plan: Bootstrap| resample(clusters, &plan, |_| ());
        let plan = Bootstrap::default();
        for clusters in [0, 1] {
            assert_eq!(
                run(clusters, plan),
                Err(Undefined::TooFewClusters { clusters }.into())
            );
        }
        assert!(matches!(
            run(5, Bootstrap { rounds: 1, ..plan }),
            Err(Error::Rounds { rounds: 1, .. })
        ));
        for level in [0.0, 1.0, f64::NAN, -3.0] {
            assert!(matches!(
                run(5, Bootstrap { level, ..plan }),
                Err(Error::Share { name: "level", .. })
            ));
        }
    }
}
