//! Agreement against the share of the inputs (Gao et al. 2024, appendix F, figures 11 to 13).

use super::agreement::agreement;
use super::cell::Method;
use super::rounds::{Spread, spread};
use evenhand_stats::{Error, draw_clusters};
use serde::Serialize;

/// Agreement where a share of the inputs is judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharePoint {
    /// The share of the inputs, in (0, 1].
    pub share: f64,
    /// How many inputs that is, at least 1.
    pub items: usize,
    /// How many inputs there are.
    pub of: usize,
    /// Over draws of so many inputs with replacement.
    #[serde(flatten)]
    pub spread: Spread,
}

/// A point for each share.
///
/// # Errors
/// A bad level.
pub(super) fn curve(
    method: Method<'_>,
    ratings: &[Option<f64>],
    shares: &[f64],
    rounds: usize,
    (level, seed): (f64, u64),
) -> Result<Vec<SharePoint>, Error> {
    let all = method.items();
    let point = |share: &f64| {
        let items = ((share * all as f64).round() as usize).clamp(1, all.max(1));
        let round = |number: u64| {
            let mut weights = vec![0.0; all];
            // A stream of its own for each round; a smaller share sees the beginning of the same
            // draw.
            draw_clusters(seed, number, all as u32)
                .take(items)
                .for_each(|item| weights[item as usize] += 1.0);
            Ok(agreement(&method.weighted(&weights)?, ratings))
        };
        Ok(SharePoint {
            share: *share,
            items,
            of: all,
            spread: spread(rounds, level, round)?,
        })
    };
    shares.iter().map(point).collect()
}
