//! How many items, orders and repeats a difference takes, and what a number of calls can find.

use super::VarianceComponents;
use crate::checks::{check_argument, check_level, check_share};
use crate::special::{normal_quantile, two_sided_quantile};
use crate::{Error, Undefined};

/// What a comparison of two systems is to find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The difference to be found, in leads: the share won less the share lost, above 0, at most 1.
    pub difference: f64,
    /// The chance to find it, strictly between 0 and 1.
    pub power: f64,
    /// 1 - alpha of the two-sided test, strictly between 0 and 1.
    pub level: f64,
}

/// A way to judge a pair of systems.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairDesign {
    /// How many items.
    pub items: u64,
    /// 1 (each item in one order, by chance) or 2.
    pub orders: u32,
    /// How often each item is judged in each order.
    pub repeats: u32,
    /// Judgments: the product of the three.
    pub judgments: u64,
    /// The difference that it finds with the power of the aim, in leads.
    pub detectable: f64,
}

/// Repeats that are considered.
const REPEATS: [u32; 5] = [1, 2, 3, 5, 10];

impl Aim {
    fn check(&self) -> Result<(), Error> {
        check_level(self.level)?;
        check_share("power", self.power)?;
        let good = self.difference > 0.0 && self.difference <= 1.0;
        check_argument("difference", self.difference, good, "above 0 and at most 1")
    }

    /// How many standard errors the difference must be.
    fn errors(&self) -> f64 {
        two_sided_quantile(self.level) + normal_quantile(self.power)
    }

    /// The items that a paired test of item means needs: those of the normal approximation, and
    /// half a squared quantile more, since the variance is estimated (Guenther 1981).
    fn items_for(&self, variance: f64) -> f64 {
        let quantile = two_sided_quantile(self.level);
        let needed = variance * (self.errors() / self.difference).powi(2);
        (needed + quantile * quantile / 2.0).ceil().max(2.0)
    }

    /// The difference that so many items find; infinite where they are too few.
    fn found_by(&self, items: f64, variance: f64) -> f64 {
        let quantile = two_sided_quantile(self.level);
        let effective = items - quantile * quantile / 2.0;
        if effective <= 0.0 {
            f64::INFINITY
        } else {
            self.errors() * (variance / effective).sqrt()
        }
    }
}

/// For one and two orders, and for several repeats where the components know of repeats, the design
/// with the fewest items that reaches the aim; the cheapest in judgments first, of equals that with
/// fewer items.
///
/// # Errors
/// An aim that is out of range; components without any variance ([`Undefined::NoVariance`]).
pub fn designs_for(aim: &Aim, components: &VarianceComponents) -> Result<Vec<PairDesign>, Error> {
    all_designs(aim, components, |variance, _| aim.items_for(variance))
}

/// The same designs with as many items as a budget of judgments allows, the one that finds the
/// smallest difference first. `aim.difference` is not looked at but for its range.
///
/// # Errors
/// Those of [`designs_for`]. Designs that find no possible difference, of 1 at most, are left out.
pub fn designs_within(
    judgments: u64,
    aim: &Aim,
    components: &VarianceComponents,
) -> Result<Vec<PairDesign>, Error> {
    let afforded = |_: f64, each: u64| (judgments / each) as f64;
    let mut found = all_designs(aim, components, afforded)?;
    found.retain(|design| design.detectable <= 1.0);
    found.sort_by(|a, b| a.detectable.total_cmp(&b.detectable));
    Ok(found)
}

fn all_designs(
    aim: &Aim,
    components: &VarianceComponents,
    items: impl Fn(f64, u64) -> f64,
) -> Result<Vec<PairDesign>, Error> {
    aim.check()?;
    if components.of_item_mean(1, 1) <= 0.0 {
        return Err(Undefined::NoVariance.into());
    }
    let repeats = if components.repeat.is_some() {
        &REPEATS[..]
    } else {
        &REPEATS[..1]
    };
    let ways = repeats
        .iter()
        .flat_map(|&repeats| [(2, repeats), (1, repeats)]);
    let mut found: Vec<PairDesign> = ways
        .map(|(orders, repeats)| {
            let variance = components.of_item_mean(orders, repeats);
            let each = u64::from(orders * repeats);
            let items = items(variance, each);
            PairDesign {
                items: items as u64,
                orders,
                repeats,
                judgments: items as u64 * each,
                detectable: aim.found_by(items, variance),
            }
        })
        .collect();
    found.sort_by_key(|design| (design.judgments, design.items));
    Ok(found)
}

/// By how much two identical systems would seem to differ, in leads, with chance `level`: the
/// two-sided quantile times the standard error of the mean of `items` item means.
///
/// # Errors
/// A bad level; fewer than 2 items ([`Undefined::TooFewClusters`]).
pub fn noise_floor(
    items: usize,
    orders: u32,
    repeats: u32,
    components: &VarianceComponents,
    level: f64,
) -> Result<f64, Error> {
    check_level(level)?;
    crate::checks::check_clusters(items)?;
    let variance = components.of_item_mean(orders, repeats);
    Ok(two_sided_quantile(level) * (variance / items as f64).sqrt())
}
