//! Running the rounds, on one thread or many.

use super::Bootstrap;
use super::draws::count_picks;
use crate::checks::{check_clusters, check_rows};
use crate::{Error, Undefined};
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
    scratch: impl Fn() -> S + Sync,
    round: F,
) -> Result<Vec<T>, Error>
where
    T: Send,
    F: Fn(&mut S, u64) -> T + Sync,
{
    plan.check()?;
    check_clusters(clusters)?;
    map_with_scratch(
        plan.threads,
        (0..plan.rounds as u64).collect(),
        scratch,
        round,
    )
}

/// No rounds where there are too few clusters: the intervals will say so, and the scores stand.
pub(crate) fn or_none_if_too_few<T>(rounds: Result<Vec<T>, Error>) -> Result<Vec<T>, Error> {
    match rounds {
        Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
        other => other,
    }
}

/// The results for all inputs, in their order, on so many threads; 0 for as many as the machine
/// has.
///
/// # Errors
/// Threads that cannot be had.
pub(crate) fn map_on_threads<I: Send, T: Send>(
    threads: usize,
    inputs: Vec<I>,
    result: impl Fn(I) -> T + Sync,
) -> Result<Vec<T>, Error> {
    map_with_scratch(threads, inputs, || (), |(), input| result(input))
}

/// [`map_on_threads`], where `result` gets something to work in beside its input. The inputs are a
/// list, because its length is known to rayon, which then collects into place.
fn map_with_scratch<S, I: Send, T: Send>(
    threads: usize,
    inputs: Vec<I>,
    scratch: impl Fn() -> S + Sync,
    result: impl Fn(&mut S, I) -> T + Sync,
) -> Result<Vec<T>, Error> {
    if threads == 1 {
        let mut scratch = scratch();
        let results = inputs.into_iter().map(|input| result(&mut scratch, input));
        return Ok(results.collect());
    }
    let in_parallel = || {
        let results = inputs.into_par_iter();
        results
            .map_init(&scratch, |scratch, input| result(scratch, input))
            .collect()
    };
    Ok(start_pool(threads)?.install(in_parallel))
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
