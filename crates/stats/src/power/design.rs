//! How many items, judges, orders and repeats a difference takes, and what a number of judgments
//! can find.

use super::VarianceComponents;
use super::components::ItemDesign;
use crate::checks::{check_argument, check_level, check_share};
use crate::special::{normal_quantile, student_quantile, two_sided_quantile};
use crate::{Error, Undefined};

/// What a comparison of two systems is to find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The difference to be found, above 0: in leads (the share won less the share lost), or in
    /// points of the scores.
    pub difference: f64,
    /// The chance to find it, strictly between 0 and 1.
    pub power: f64,
    /// 1 - alpha of the two-sided test, strictly between 0 and 1.
    pub level: f64,
    /// Of which judges it is to be true.
    pub judges: JudgeScope,
}

/// Of which judges a difference is to be true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JudgeScope {
    /// Of those that judge, taken together: judges are fixed. More items always help.
    #[default]
    These,
    /// Of all judges that these might have been drawn from: judges are random. What lies between
    /// judges does not shrink with items, and the test's degrees of freedom are those of few judges
    /// (Satterthwaite 1946).
    Alike,
}

/// A way to judge a pair of systems.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairDesign {
    /// How many items.
    pub items: u64,
    /// How each is judged: each judge in 1 order, by chance, or in both, so many times.
    pub each: ItemDesign,
    /// Judgments: items times those of each.
    pub judgments: u64,
    /// The difference that it finds with the power of the aim, in the aim's unit.
    pub detectable: f64,
}

/// Repeats that are considered.
const REPEATS: [u32; 5] = [1, 2, 3, 5, 10];

/// Numbers of judges that are considered where others than the pilot's are to be spoken of. With 3,
/// the test errs in 7 % of cases where it promises 5 (simulated, tests/planning.rs); one says nothing
/// of others.
const JUDGES: [u32; 3] = [5, 10, 20];

/// The fewest items on which judges are spoken of, for the same reason.
const LEAST_ITEMS: f64 = 10.0;

/// More items than these are not planned.
const MOST_ITEMS: u64 = 1 << 40;

/// A way to judge an item, and the variances that it is judged under.
struct Way<'a> {
    aim: &'a Aim,
    components: &'a VarianceComponents,
    each: ItemDesign,
}

impl Way<'_> {
    /// The difference that so many items find; infinite where they are too few.
    fn found_by(&self, items: u64) -> f64 {
        let variance = self.components.of_item_mean(self.each);
        match self.aim.judges {
            JudgeScope::These => self.found_of_these(items as f64, variance),
            JudgeScope::Alike => self.found_of_alike(items as f64, variance),
        }
    }

    /// A paired test of item means: the normal approximation, and half a squared quantile of items
    /// more, since the variance is estimated (Guenther 1981).
    fn found_of_these(&self, items: f64, variance: f64) -> f64 {
        let quantile = two_sided_quantile(self.aim.level);
        let effective = items - quantile * quantile / 2.0;
        if effective <= 0.0 {
            return f64::INFINITY;
        }
        (quantile + normal_quantile(self.aim.power)) * (variance / effective).sqrt()
    }

    /// A test with judges as random as items: the variance of the mean is that of items, of freedom
    /// items - 1, and that of judges, of freedom judges - 1.
    fn found_of_alike(&self, items: f64, variance: f64) -> f64 {
        let judges = f64::from(self.each.judges);
        let own = |design| self.components.of_item_mean(design);
        // What all judges have in common on an item: that of endlessly many.
        let shared = own(ItemDesign {
            judges: u32::MAX,
            ..self.each
        });
        let of_items = shared / items;
        let of_judges = self.components.judge.unwrap_or(0.0) / judges + (variance - shared) / items;
        let whole = of_items + of_judges;
        let free = of_items.powi(2) / (items - 1.0) + of_judges.powi(2) / (judges - 1.0);
        if items < LEAST_ITEMS || free <= 0.0 {
            return f64::INFINITY;
        }
        let freedom = whole * whole / free;
        let quantile = student_quantile(0.5 + self.aim.level / 2.0, freedom);
        (quantile + student_quantile(self.aim.power, freedom)) * whole.sqrt()
    }

    /// The fewest items that find the aim's difference; None where none do.
    fn fewest_items(&self) -> Option<u64> {
        let is_enough = |items: u64| self.found_by(items) <= self.aim.difference;
        let mut high = 2;
        while !is_enough(high) {
            high *= 2;
            if high > MOST_ITEMS {
                return None;
            }
        }
        let mut low = high / 2;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if is_enough(middle) {
                high = middle
            } else {
                low = middle
            }
        }
        Some(if is_enough(low.max(2)) {
            low.max(2)
        } else {
            high
        })
    }

    fn design(&self, items: u64) -> PairDesign {
        PairDesign {
            items,
            each: self.each,
            judgments: items * self.each.judgments(),
            detectable: self.found_by(items),
        }
    }
}

impl Aim {
    fn check(&self) -> Result<(), Error> {
        check_level(self.level)?;
        check_share("power", self.power)?;
        let good = self.difference > 0.0 && self.difference.is_finite();
        check_argument("difference", self.difference, good, "above 0")
    }

    /// Every way to judge an item that is considered: one and two orders, several repeats where the
    /// components know of repeats, and the judges that there are, or several numbers of others.
    fn ways<'a>(&'a self, components: &'a VarianceComponents) -> Result<Vec<Way<'a>>, Error> {
        self.check()?;
        let these = [components.judges.max(1) as u32];
        let judges = match self.judges {
            JudgeScope::These => &these[..],
            JudgeScope::Alike => &JUDGES[..],
        };
        let repeats = match components.repeat {
            Some(_) => &REPEATS[..],
            None => &REPEATS[..1],
        };
        let way = |orders, repeats, judges| Way {
            aim: self,
            components,
            each: ItemDesign {
                orders,
                repeats,
                judges,
            },
        };
        let mut ways = Vec::new();
        for judges in judges {
            let ways_of = repeats
                .iter()
                .flat_map(|repeats| [(2, repeats), (1, repeats)]);
            ways.extend(ways_of.map(|(orders, repeats)| way(orders, *repeats, *judges)));
        }
        ways.retain(|way| way.components.of_item_mean(way.each) > 0.0);
        match ways.is_empty() {
            true => Err(Undefined::NoVariance.into()),
            false => Ok(ways),
        }
    }
}

/// For each way to judge an item, the design with the fewest items that reaches the aim; the
/// cheapest in judgments first, of equals that with fewer items. Empty where none does: of other
/// judges, where they differ too much among themselves.
///
/// # Errors
/// An aim that is out of range; components without any variance ([`Undefined::NoVariance`]).
pub fn designs_for(aim: &Aim, components: &VarianceComponents) -> Result<Vec<PairDesign>, Error> {
    let ways = aim.ways(components)?.into_iter();
    let found = ways.filter_map(|way| Some(way.design(way.fewest_items()?)));
    let mut found: Vec<PairDesign> = found.collect();
    found.sort_by_key(|design| (design.judgments, design.items));
    Ok(found)
}

/// The same ways with as many items as a budget of judgments allows, the one that finds the smallest
/// difference first; those that find none are left out. `aim.difference` is not looked at but for
/// its range.
///
/// # Errors
/// Those of [`designs_for`].
pub fn designs_within(
    judgments: u64,
    aim: &Aim,
    components: &VarianceComponents,
) -> Result<Vec<PairDesign>, Error> {
    let ways = aim.ways(components)?.into_iter();
    let found = ways.map(|way| way.design(judgments / way.each.judgments()));
    let mut found: Vec<PairDesign> = found
        .filter(|design| design.detectable.is_finite())
        .collect();
    found.sort_by(|a, b| a.detectable.total_cmp(&b.detectable));
    Ok(found)
}
