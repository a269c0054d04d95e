//! Agreement against the share of the inputs (Gao et al. 2024, appendix F, figures 11 to 13).

use super::agreement::agreement;
use super::cell::CellMethod;
use super::rounds::{Rounds, Spread};
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

/// Returns a point for each share.
///
/// # Errors
/// A bad level.
pub(super) fn share_curve(
    method: CellMethod<'_>,
    ratings: &[Option<f64>],
    shares: &[f64],
    rounds: Rounds,
) -> Result<Vec<SharePoint>, Error> {
    shares
        .iter()
        .map(|share| share_point(method, ratings, *share, rounds))
        .collect()
}

fn share_point(
    method: CellMethod<'_>,
    ratings: &[Option<f64>],
    share: f64,
    rounds: Rounds,
) -> Result<SharePoint, Error> {
    let all = method.item_count();
    let items = ((share * all as f64).round() as usize).clamp(1, all.max(1));
    let spread = rounds.spread(|number| {
        let mut weights = vec![0.0; all];
        // A stream of its own for each round; a smaller share sees the beginning of the same draw.
        for item in draw_clusters(rounds.seed, number, all as u32).take(items) {
            weights[item as usize] += 1.0;
        }
        Ok(agreement(&method.weighted_scores(&weights)?, ratings))
    })?;
    Ok(SharePoint {
        share,
        items,
        of: all,
        spread,
    })
}
