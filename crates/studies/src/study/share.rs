//! Agreement against the share of the inputs (Gao et al. 2024, appendix F, figures 11 to 13).

use super::agreement::agreement;
use super::cell::CellMethod;
use super::rounds::{Rounds, Spread};
use evenhand_stats::{Error, draw_clusters};
use schemars::JsonSchema;
use serde::Serialize;

/// Agreement where a share of the inputs is judged.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
    let of = method.item_count();
    let mut curve = Vec::new();
    for share in shares {
        let items = ((share * of as f64).round() as usize).clamp(1, of.max(1));
        let spread = rounds.spread(|round| {
            // A stream of its own for each round; a smaller share sees the beginning of the same
            // draw.
            let mut weights = vec![0.0; of];
            for item in draw_clusters(rounds.seed, round, of as u32).take(items) {
                weights[item as usize] += 1.0;
            }
            Ok(agreement(&method.weighted_scores(&weights)?, ratings))
        })?;
        curve.push(SharePoint {
            share: *share,
            items,
            of,
            spread,
        });
    }
    Ok(curve)
}
