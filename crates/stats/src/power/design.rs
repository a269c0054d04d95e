//! How many items, judges, orders and repeats a difference takes, and what a number of judgments
//! can find.

use super::VarianceComponents;
use super::components::ItemDesign;
use super::sign_test::{Moves, detectable_lead, needed_counts};
use crate::checks::{check_argument, check_level, check_share};
use crate::special::{halve_range, normal_below, student_below, student_quantile};
use crate::{Error, Undefined};
use statrs::distribution::{ChiSquared, Continuous};

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
    /// What a judgment can say.
    pub leads: LeadKind,
}

/// What a judgment of a pair can say, on which the test of many of them depends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeadKind {
    /// Won or lost: leads of -1 and 1. An item that is judged once or twice moves by one step or
    /// not at all, and what is tested is how many moved up ([`crate::change::paired_counts`]).
    WonOrLost,
    /// Won, tied or lost: -1, 0 and 1. So does an item that is judged once.
    WonTiedOrLost,
    /// Any numbers, such as scores and probabilities: what is tested is the mean over items.
    #[default]
    Graded,
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
    /// The chance that it finds the aim's difference, of the very test that is made of so many
    /// items. Where that is a count of items that moved it goes up and down with their number; more
    /// items than a design of [`designs_for`] has are never below the aim's power.
    pub power: f64,
    /// The difference that it finds with the power of the aim, in the aim's unit.
    pub detectable: f64,
    /// Whether these are the fewest items of which a mean is tested, so that fewer might do, but
    /// none are planned.
    pub is_fewest: bool,
}

/// Repeats that are considered.
const REPEATS: [u32; 5] = [1, 2, 3, 5, 10];

/// Numbers of judges that are considered where others than the pilot's are to be spoken of. With 3,
/// the test errs in 7 % of cases where it promises 5 (simulated, tests/it/planning.rs); one says
/// nothing of others.
const JUDGES: [u32; 3] = [5, 10, 20];

/// The fewest items on which judges are spoken of, for the same reason.
const LEAST_ITEMS: u64 = 10;

/// The fewest items of which a mean is tested: of fewer, what a test finds depends on more than
/// their variance (simulated, `compare/tests/it/plan.rs`).
const LEAST_OF_MEAN: u64 = 20;

/// Beyond so many items the power of a test of counts is that of the normal approximation, to which
/// its steps add less than 0.005.
const MOST_COUNTED: u64 = 20_000;

/// More items than these are not planned.
const MOST_ITEMS: u64 = 1 << 40;

/// A way to judge an item, and the variances that it is judged under.
struct Way<'a> {
    aim: &'a Aim,
    components: &'a VarianceComponents,
    each: ItemDesign,
}

impl Way<'_> {
    /// Whether the test of so many items is of how many moved.
    fn counts_moves(&self, items: u64) -> bool {
        let most = match (self.aim.judges, self.aim.leads) {
            (JudgeScope::Alike, _) | (_, LeadKind::Graded) => 0,
            (_, LeadKind::WonTiedOrLost) => 1,
            (_, LeadKind::WonOrLost) => 2,
        };
        self.each.judgments() <= most && items <= MOST_COUNTED
    }

    /// The fewest items of which a mean is tested.
    fn least_of_mean(&self) -> u64 {
        match self.aim.judges {
            JudgeScope::These => LEAST_OF_MEAN,
            JudgeScope::Alike => LEAST_ITEMS,
        }
    }

    /// The share of items that move where this is the lead: their mean squared lead, which is 1 of
    /// one that moves and 0 of others.
    fn moved(&self, lead: f64) -> f64 {
        (self.components.at(lead).of_item_mean(self.each) + lead * lead).min(1.0)
    }

    /// The standard error of the mean of so many items where this is the difference, and its
    /// degrees of freedom.
    fn error(&self, items: u64, difference: f64) -> (f64, f64) {
        let (items, components) = (items as f64, self.components.at(difference));
        let variance = components.of_item_mean(self.each);
        if self.aim.judges == JudgeScope::These {
            return ((variance / items).sqrt(), items - 1.0);
        }
        // With judges as random as items the variance of the mean is that of items, of freedom
        // items - 1, and that of judges, of freedom judges - 1 (Satterthwaite 1946).
        let judges = f64::from(self.each.judges);
        // What all judges have in common on an item: that of endlessly many.
        let shared = components.of_item_mean(ItemDesign {
            judges: u32::MAX,
            ..self.each
        });
        let of_items = shared / items;
        let of_judges = components.judge.unwrap_or(0.0) / judges + (variance - shared) / items;
        let whole = of_items + of_judges;
        let free = of_items.powi(2) / (items - 1.0) + of_judges.powi(2) / (judges - 1.0);
        (whole.sqrt(), whole * whole / free)
    }

    /// What the steps of an item's mean take from the difference of so many items.
    ///
    /// Means of verdicts are multiples of a step, so the sums that the sign-flip test counts are
    /// two steps apart, and its p-value holds the whole share of the sum that was found, where the
    /// t test has half of it: a mean must be a step of one item further out. Won or lost, an odd
    /// number of verdicts has means of 1/m, 3/m and so on, an even number 0, 2/m, 4/m; a single
    /// item with an odd number of ties puts sums between these.
    fn lost_to_steps(&self, items: u64) -> f64 {
        let judgments = self.each.judgments();
        let no_odd_ties = || {
            let components = self.components.at(self.aim.difference);
            let alone = components.of_item_mean(ItemDesign::ONCE);
            let moved = alone + self.aim.difference.powi(2);
            let tied = (1.0 - moved).clamp(0.0, 1.0);
            let odd = (1.0 - (1.0 - 2.0 * tied).powf(judgments as f64)) / 2.0;
            (1.0 - odd).powf(items as f64)
        };
        let step = match (self.aim.judges, self.aim.leads) {
            (JudgeScope::Alike, _) | (_, LeadKind::Graded) => 0.0,
            (_, LeadKind::WonOrLost) if judgments.is_multiple_of(2) => 2.0,
            (_, LeadKind::WonTiedOrLost) if judgments.is_multiple_of(2) => 1.0 + no_odd_ties(),
            (_, LeadKind::WonOrLost | LeadKind::WonTiedOrLost) => 1.0,
        };
        step / (judgments as f64 * items as f64)
    }

    /// The shape of an item's mean lead where this is the difference.
    ///
    /// Of verdicts it is not normal: a lead of 0.4 has its rare losses far below the mean, where
    /// they widen the standard error of the very samples that lie low. That of one verdict follows
    /// from the shares won, tied and lost; of several it shrinks as their variance does, so that
    /// verdicts that an item has in common count as one.
    fn shape(&self, difference: f64) -> Shape {
        let components = self.components.at(difference);
        let alone = components.of_item_mean(ItemDesign::ONCE);
        let lead = difference.min(MOST_LEAD);
        let moved = match self.aim.leads {
            LeadKind::Graded => return Shape::NORMAL,
            LeadKind::WonOrLost => 1.0,
            LeadKind::WonTiedOrLost => (alone + lead * lead).clamp(lead, 1.0),
        };
        let shares = [
            (1.0, f64::midpoint(moved, lead)),
            (0.0, 1.0 - moved),
            (-1.0, f64::midpoint(moved, -lead)),
        ];
        let moment = |power| {
            let terms = shares.map(|(value, share): (f64, f64)| share * (value - lead).powi(power));
            terms.iter().sum::<f64>()
        };
        let variance = moment(2);
        let verdicts = (alone / components.of_item_mean(self.each)).max(1.0);
        Shape {
            skewness: moment(3) / variance.powf(1.5) / verdicts.sqrt(),
            kurtosis: (moment(4) / variance.powi(2) - 3.0) / verdicts,
        }
    }

    /// The chance that the test of so many items finds this difference.
    fn power(&self, items: u64, difference: f64) -> f64 {
        if self.counts_moves(items) {
            let needed = needed_counts(items, self.aim.level);
            return Moves::new(difference, self.moved(difference)).power(items, &needed);
        }
        self.power_of_mean(items, difference)
    }

    /// The chance that the test of the mean of so many items finds this difference.
    fn power_of_mean(&self, items: u64, difference: f64) -> f64 {
        let (error, freedom) = self.error(items, difference);
        // One item does not say how items vary, and none says nothing.
        if items < 2 || !(error > 0.0 && freedom > 0.0) {
            return 0.0;
        }
        let errors = (difference - self.lost_to_steps(items)).max(0.0) / error;
        match self.aim.judges {
            JudgeScope::These => {
                power_of_t(errors, freedom, self.aim.level, self.shape(difference))
            }
            // The freedom is an approximation: the shifted t distribution asks for a little more.
            JudgeScope::Alike => {
                let quantile = student_quantile(0.5 + self.aim.level / 2.0, freedom);
                student_below(errors - quantile, freedom)
            }
        }
    }

    /// The difference that so many items find; infinite where they are too few.
    fn found_by(&self, items: u64) -> f64 {
        if self.counts_moves(items) {
            let needed = needed_counts(items, self.aim.level);
            let found = detectable_lead(items, &needed, self.aim.power, |lead| self.moved(lead));
            return found.unwrap_or(f64::INFINITY);
        }
        let (error, freedom) = self.error(items, 0.0);
        if items < self.least_of_mean() || error.is_nan() || freedom.is_nan() {
            return f64::INFINITY;
        }
        let finds = |difference| self.power_of_mean(items, difference) >= self.aim.power;
        let mut enough = error;
        while !finds(enough) {
            enough *= 2.0;
        }
        let (_, found) = halve_range((0.0, enough), 40, |difference| !finds(difference));
        found
    }

    /// The fewest items from which on the test finds the aim's difference; None where none do.
    fn fewest_items(&self) -> Option<u64> {
        let near = self.fewest_of_mean()?;
        if !self.counts_moves(near) {
            return Some(near);
        }
        // The counted test has steps: one more item that moves may ask for one more that moves up.
        // So it is looked at from a number that is certainly enough downwards, and not at the first
        // that happens to be.
        let lead = self.aim.difference;
        let most = 2 * near + 50;
        let needed = needed_counts(most, self.aim.level);
        let power = Moves::new(lead, self.moved(lead)).power_of_items(&needed);
        let below = (1..=most)
            .rev()
            .find(|items| power(*items) < self.aim.power);
        Some(below.map_or(1, |items| items + 1))
    }

    /// The fewest items by the test of their mean.
    fn fewest_of_mean(&self) -> Option<u64> {
        let is_enough =
            |items: u64| self.power_of_mean(items, self.aim.difference) >= self.aim.power;
        let least = self.least_of_mean();
        let mut high = least;
        while !is_enough(high) {
            high *= 2;
            if high > MOST_ITEMS {
                return None;
            }
        }
        let mut low = (high / 2).max(least);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if is_enough(middle) {
                high = middle
            } else {
                low = middle
            }
        }
        Some(if is_enough(low) { low } else { high })
    }

    fn design(&self, items: u64) -> PairDesign {
        PairDesign {
            items,
            each: self.each,
            judgments: items * self.each.judgments(),
            power: self.power(items, self.aim.difference),
            detectable: self.found_by(items),
            is_fewest: items == self.least_of_mean() && !self.counts_moves(items),
        }
    }
}

/// How far the distribution of an item's mean is from normal.
#[derive(Clone, Copy, Debug)]
struct Shape {
    skewness: f64,
    /// Beyond that of the normal distribution; at least `skewness`^2 - 2.
    kurtosis: f64,
}

impl Shape {
    const NORMAL: Shape = Shape {
        skewness: 0.0,
        kurtosis: 0.0,
    };
}

/// Leads of verdicts beyond this have the shape of this one: that of a lead of 1 has no scale.
const MOST_LEAD: f64 = 0.98;

/// Points at which the distribution of a standard error is looked at.
const POINTS: u32 = 400;

/// The power of the two-sided t test where the true mean is so many standard errors from 0: the
/// noncentral t distribution beyond the quantile (Cohen 1988, chapter 2), as the mean over the
/// distribution of the estimated variance.
///
/// Where items are not normal, that variance has (kurtosis + 2) / 2 times the spread, and the mean
/// goes with it: their covariance is the skewness over the number of items (Cramer 1946, 27.4).
fn power_of_t(errors: f64, freedom: f64, level: f64, shape: Shape) -> f64 {
    let quantile = student_quantile(0.5 + level / 2.0, freedom);
    let spread = (shape.kurtosis + 2.0)
        .max(shape.skewness * shape.skewness)
        .max(LEAST_SPREAD);
    let slope = shape.skewness * (freedom + 1.0).sqrt() / spread;
    let left = (1.0 - shape.skewness * shape.skewness / spread)
        .max(LEAST_SPREAD)
        .sqrt();
    let freedom = (2.0 * freedom / spread).max(1.0);
    let Ok(squares) = ChiSquared::new(freedom) else {
        return f64::NAN;
    };
    // The estimated error is s times the true one; the squares are freedom * s^2.
    let reach = 8.0 / (2.0 * freedom).sqrt();
    let (low, high) = ((1.0 - reach).max(0.0), 1.0 + reach);
    let step = (high - low) / f64::from(POINTS);
    let (mut found, mut whole) = (0.0, 0.0);
    for point in 0..POINTS {
        let s = low + (f64::from(point) + 0.5) * step;
        // The density itself overflows on its way, from about 250 degrees of freedom on.
        let weight = s * squares.ln_pdf(freedom * s * s).exp();
        let mean = errors + slope * (s * s - 1.0);
        whole += weight;
        found += weight * normal_below((mean - quantile * s) / left);
    }
    found / whole
}

/// The least that is taken for the spread of a variance, and for what of a mean does not go with
/// it: verdicts whose variance is certain have none.
const LEAST_SPREAD: f64 = 1e-3;

impl Aim {
    /// Every way to judge an item that is considered: one and two orders, several repeats where the
    /// components know of repeats, and the judges that there are, or several numbers of others.
    fn ways<'a>(&'a self, components: &'a VarianceComponents) -> Result<Vec<Way<'a>>, Error> {
        check_level(self.level)?;
        check_share("power", self.power)?;
        let good = self.difference > 0.0 && self.difference.is_finite();
        check_argument("difference", self.difference, good, "above 0")?;
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
            for repeats in repeats {
                ways.extend([2, 1].map(|orders| way(orders, *repeats, *judges)));
            }
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

/// The same ways with as many items as a budget of judgments allows, the one that finds the
/// smallest difference first; those that find none are left out. `aim.difference` is not looked at
/// but for its range.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Of many degrees of freedom it is the normal power; it rises with the effect and the freedom,
    /// and is a number everywhere.
    #[test]
    fn the_power_of_the_t_test_is_that_of_the_noncentral_distribution() {
        // R: power.t.test(n = 10, delta = 1, sd = 1, type = "one.sample")$power = 0.8030962.
        let ten = power_of_t(10_f64.sqrt(), 9.0, 0.95, Shape::NORMAL);
        assert!((ten - 0.803_096_2).abs() < 1e-4, "{ten}");
        let mut last = 0.0;
        for freedom in 2..3000 {
            let power = power_of_t(2.8, f64::from(freedom), 0.95, Shape::NORMAL);
            assert!(power > last - 1e-9 && power < 0.8, "{freedom}: {power}");
            last = power;
        }
        assert!((last - 0.7995).abs() < 0.001, "{last}");
    }

    /// Budgets that leave a way no items, one or few of them; and some larger ones.
    #[test]
    fn every_budget_has_designs_with_a_power() {
        let shared = VarianceComponents::assumed(0.09, 0.2, 0.04, 0.16).unwrap();
        let apart = shared.with_judges(0.05, 0.02).unwrap();
        for components in [shared, apart] {
            for judges in [JudgeScope::These, JudgeScope::Alike] {
                for leads in [
                    LeadKind::WonOrLost,
                    LeadKind::WonTiedOrLost,
                    LeadKind::Graded,
                ] {
                    let aim = Aim {
                        difference: 0.1,
                        power: 0.8,
                        level: 0.95,
                        judges,
                        leads,
                    };
                    for budget in (0..80).chain((80..300).step_by(11)) {
                        for design in designs_within(budget, &aim, &components).unwrap() {
                            assert!(
                                (0.0..=1.0).contains(&design.power) && design.detectable > 0.0,
                                "{budget}: {design:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
