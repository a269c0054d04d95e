//! Where the outcome of a comparison varies: by item, by judge, by order, and by chance.

use super::LeadSpread;
use crate::checks::{check_clusters, check_level, check_numbers, check_weights};
use crate::special::student_quantile;
use crate::{Error, Undefined, mean_value};
use std::collections::{BTreeMap, BTreeSet};

/// One judgment of a pair of systems: who won, as its item, judge, order and repeat have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairOutcome {
    /// The pair of systems; any number.
    pub pair: u32,
    /// The item; any number.
    pub item: u32,
    /// The judge; any number.
    pub judge: u32,
    /// Whether the pair's second system was shown first.
    pub swapped: bool,
    /// By how much the pair's first system won, from -1 to 1: the chance that it won less the
    /// chance that it lost. Of scores: the difference, in their own points.
    pub lead: f64,
}

/// Variances of one judgment's lead within a pair of systems, in squared leads (a lead is from -1
/// to 1; 0.01 leads are half a point of win rate), or squared points of the scores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct VarianceComponents {
    /// Between items, whatever the judge and the order: the systems are good at different ones.
    /// What nothing tells from it is within it ([`VarianceComponents::chance_within`]).
    pub item: f64,
    /// Between judges, over all items: how far a judge's mean lead is from the mean of all judges
    /// like it. None where there is one judge.
    pub judge: Option<f64>,
    /// Of an item with its judge, beyond these; 0 where there is one judge, and it is then within
    /// `item`.
    pub item_judge: f64,
    /// Half the mean difference between the two orders, squared: what a fixed preference for a
    /// place adds where each item is judged in one order by chance. Both orders take it out. None
    /// where no item was judged in both orders, and it is then within `item`.
    pub order: Option<f64>,
    /// Of an item with its order (and judge), beyond that. None where no item was judged in both
    /// orders, and it is then within `item`, or within `item_judge` where there are several judges.
    pub item_order: Option<f64>,
    /// Of a repeat of the same item in the same order by the same judge; None where nothing was
    /// repeated, and [`VarianceComponents::chance_within`] says where it then is.
    pub repeat: Option<f64>,
    /// Items that the estimates rest on, over all pairs of systems.
    pub items: usize,
    /// Judges that the estimates rest on.
    pub judges: usize,
    /// How single leads vary within pairs and between them, by which [`VarianceComponents::at`]
    /// tells how those of other pairs do; None where these components hold whatever the lead.
    pub spread: Option<LeadSpread>,
}

/// A part of the variance that holds that of chance, too, where nothing was repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChanceWithin {
    /// `item`: one judge, in one order.
    Item,
    /// `item_judge`: several judges, in one order.
    ItemJudge,
    /// `item_order`: in both orders.
    ItemOrder,
}

/// How an item is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemDesign {
    /// 1 (one order, by chance) or 2.
    pub orders: u32,
    /// How often in each order, by each judge.
    pub repeats: u32,
    /// By how many judges.
    pub judges: u32,
}

impl ItemDesign {
    /// One judgment of each item.
    pub(super) const ONCE: ItemDesign = ItemDesign {
        orders: 1,
        repeats: 1,
        judges: 1,
    };

    /// Judgments of an item.
    pub fn judgments(self) -> u64 {
        u64::from(self.orders) * u64::from(self.repeats) * u64::from(self.judges)
    }
}

impl VarianceComponents {
    /// Assumed components of one judge, in squared leads.
    ///
    /// # Errors
    /// A number that is negative or not finite.
    pub fn assumed(item: f64, order: f64, item_order: f64, repeat: f64) -> Result<Self, Error> {
        check_weights("variance", &[item, order, item_order, repeat])?;
        Ok(VarianceComponents {
            item,
            order: Some(order),
            item_order: Some(item_order),
            repeat: Some(repeat),
            judges: 1,
            ..VarianceComponents::default()
        })
    }

    /// The same with variances between judges, and of items with their judges, in squared leads.
    ///
    /// # Errors
    /// A number that is negative or not finite.
    pub fn with_judges(self, judge: f64, item_judge: f64) -> Result<Self, Error> {
        check_weights("variance", &[judge, item_judge])?;
        Ok(VarianceComponents {
            judge: Some(judge),
            item_judge,
            ..self
        })
    }

    /// The same of a pair of systems whose mean lead is this: all components grow or shrink as the
    /// variance of a single lead does ([`LeadSpread::at`]), and together they are at most what a lead
    /// from -1 to 1 can vary by, 1 less the squared mean: estimates of a pilot may say more.
    #[must_use]
    pub fn at(&self, lead: f64) -> VarianceComponents {
        let all = self.of_item_mean(ItemDesign::ONCE);
        let times = self.spread.map_or(1.0, |spread| {
            spread.at(lead).min(LeadSpread::most(lead) / all)
        });
        VarianceComponents {
            item: times * self.item,
            judge: self.judge.map(|judge| times * judge),
            item_judge: times * self.item_judge,
            order: self.order.map(|order| times * order),
            item_order: self.item_order.map(|both| times * both),
            repeat: self.repeat.map(|repeat| times * repeat),
            spread: None,
            ..*self
        }
    }

    /// How far the mean of its judges is from that of all judges like them, at most, with chance
    /// `level`: the two-sided quantile of Student's t times its standard error, in leads or points;
    /// the freedom is the number of judges less 1, as their variance is estimated from so many. It
    /// does not shrink with items. None below three judges, and where no more than chance sets them
    /// apart: then nothing bounds it.
    ///
    /// # Errors
    /// A bad level.
    pub fn error_of_judges(&self, level: f64) -> Result<Option<f64>, Error> {
        check_level(level)?;
        let judges = self.judges as f64;
        let variance = self.judge.filter(|judge| self.judges >= 3 && *judge > 0.0);
        let quantile = student_quantile(0.5 + level / 2.0, judges - 1.0);
        Ok(variance.map(|variance| quantile * (variance / judges).sqrt()))
    }

    /// The variance of an item's mean lead over these judges.
    pub fn of_item_mean(&self, design: ItemDesign) -> f64 {
        let [orders, repeats, judges] = [design.orders.clamp(1, 2), design.repeats, design.judges]
            .map(|count| f64::from(count.max(1)));
        let [order, item_order, repeat] =
            [self.order, self.item_order, self.repeat].map(Option::unwrap_or_default);
        let fixed = if orders < 2.0 { order } else { 0.0 };
        let of_looks = item_order / orders + repeat / (orders * repeats);
        self.item + fixed + (self.item_judge + of_looks) / judges
    }

    /// The part that holds the variance of chance, too; None where repeats tell chance apart.
    pub fn chance_within(&self) -> Option<ChanceWithin> {
        match (self.repeat, self.item_order, self.judge) {
            (Some(_), ..) => None,
            (None, Some(_), _) => Some(ChanceWithin::ItemOrder),
            (None, None, Some(_)) => Some(ChanceWithin::ItemJudge),
            (None, None, None) => Some(ChanceWithin::Item),
        }
    }
}

/// Estimates the components by the method of moments: mean squares of the nested layout pair, item,
/// order, repeat are set equal to their expectations (Searle, Casella and McCulloch 1992, chapter
/// 4), pooled over pairs. A component that comes out below 0 is 0.
///
/// Of each pair those items count that were judged in both orders (if any were, else all), with as
/// many repeats as each of its cells has: the mean squares of cells of unequal size are weighted by
/// one over the harmonic mean of their sizes. Judged in one order only, `order` and `item_order`
/// are not known.
///
/// # Errors
/// A lead that is not from -1 to 1; fewer than 2 items ([`Undefined::TooFewClusters`]), leads that
/// are all the same ([`Undefined::NoVariance`]).
pub fn variance_components(outcomes: &[PairOutcome]) -> Result<VarianceComponents, Error> {
    let leads: Vec<f64> = outcomes.iter().map(|outcome| outcome.lead).collect();
    check_numbers("lead", &leads)?;
    let mut strata = Strata::new();
    for outcome in outcomes {
        let items = strata.entry((outcome.pair, outcome.judge)).or_default();
        let leads = items.entry(outcome.item).or_default();
        leads[usize::from(outcome.swapped)].push(outcome.lead);
    }
    let mut sums = Sums::default();
    // The items of each pair of systems, whoever judged them.
    let mut judged: BTreeSet<(u32, u32)> = BTreeSet::new();
    for ((pair, _), items) in &strata {
        let items = counted(items);
        sums.add_stratum(items.values().copied());
        judged.extend(items.into_keys().map(|item| (*pair, item)));
    }
    check_clusters(sums.items)?;
    let within = sums.components().ok_or(Undefined::NoVariance)?;
    let found = between_judges(&strata, within, sums.noise_of_cell());
    Ok(VarianceComponents {
        items: judged.len(),
        ..found
    })
}

/// The leads of an item: as the pair is named, and swapped.
type Leads = [Vec<f64>; 2];

/// The items of each pair of systems and judge.
type Strata = BTreeMap<(u32, u32), BTreeMap<u32, Leads>>;

/// The items that count: those judged in both orders, if any were.
fn counted(items: &BTreeMap<u32, Leads>) -> BTreeMap<u32, &Leads> {
    let both = |leads: &&Leads| leads.iter().all(|cell| !cell.is_empty());
    let any = items.values().any(|leads| both(&leads));
    let items = items.iter().filter(|(_, leads)| !any || both(leads));
    items.map(|(item, leads)| (*item, leads)).collect()
}

/// Sums of squares with their degrees of freedom.
#[derive(Default)]
struct Sums {
    items: usize,
    /// Of item means, half differences of orders, and repeats.
    squares: [f64; 3],
    freedom: [f64; 3],
    /// The sum over items of 1 / (orders * harmonic mean of repeats), over both orders if any.
    inverse_repeats: f64,
    judged_items: f64,
    /// Half the mean difference of the orders, squared and summed over pairs, less its own error.
    order: f64,
    pairs_of_orders: f64,
    both: bool,
}

impl Sums {
    fn add_stratum<'a>(&mut self, items: impl Iterator<Item = &'a Leads>) {
        let mut item_means = Vec::new();
        // Half the difference between the orders of each item.
        let mut halves = Vec::new();
        for leads in items {
            let means = [mean_value(&leads[0]), mean_value(&leads[1])];
            for (cell, mean) in leads.iter().zip(means) {
                let Some(mean) = mean else { continue };
                self.squares[2] += cell.iter().map(|lead| (lead - mean).powi(2)).sum::<f64>();
                self.freedom[2] += cell.len() as f64 - 1.0;
                self.inverse_repeats += 1.0 / cell.len() as f64;
                self.judged_items += 1.0;
            }
            item_means.extend(item_mean(leads));
            if let [Some(plain), Some(swapped)] = means {
                self.both = true;
                halves.push((plain - swapped) / 2.0);
            }
        }
        self.items += item_means.len();
        self.add_squares(0, &item_means);
        // What the mean of the half differences says of a fixed preference for a place.
        let variance = self.add_squares(1, &halves);
        if let (Some(mean), Some(variance)) = (mean_value(&halves), variance) {
            self.order += mean * mean - variance / halves.len() as f64;
            self.pairs_of_orders += 1.0;
        }
    }

    /// Adds the squares around the mean; returns the variance.
    fn add_squares(&mut self, level: usize, values: &[f64]) -> Option<f64> {
        let mean = mean_value(values)?;
        let squares = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        let freedom = values.len() as f64 - 1.0;
        self.squares[level] += squares;
        self.freedom[level] += freedom;
        (freedom > 0.0).then(|| squares / freedom)
    }

    fn mean_square(&self, level: usize) -> Option<f64> {
        let freedom = self.freedom[level];
        (freedom > 0.0).then(|| self.squares[level] / freedom)
    }

    /// The variance of a cell's mean that repeats alone make.
    fn noise_of_repeats(&self) -> f64 {
        self.mean_square(2).unwrap_or(0.0) * self.inverse_repeats / self.judged_items
    }

    /// The variance of an item's mean by one judge that orders and repeats make.
    fn noise_of_cell(&self) -> f64 {
        match self.both {
            // Half a difference of two cells, as the mean of two, has half the variance of one.
            true => self.mean_square(1).unwrap_or(0.0),
            false => self.noise_of_repeats(),
        }
    }

    fn components(&self) -> Option<VarianceComponents> {
        let item = self.mean_square(0)? - self.noise_of_cell();
        let half = self.mean_square(1).unwrap_or(0.0);
        let item_order = (2.0 * half - self.noise_of_repeats()).max(0.0);
        let order = (self.order / self.pairs_of_orders.max(1.0)).max(0.0);
        let known = |variance| self.both.then_some(variance);
        let found = VarianceComponents {
            item: item.max(0.0),
            order: known(order),
            item_order: known(item_order),
            repeat: self.mean_square(2),
            items: self.items,
            judges: 1,
            ..VarianceComponents::default()
        };
        (found.of_item_mean(ItemDesign::ONCE) > 0.0).then_some(found)
    }
}

fn item_mean(leads: &Leads) -> Option<f64> {
    let means: Vec<f64> = leads.iter().filter_map(|cell| mean_value(cell)).collect();
    mean_value(&means)
}

/// Splits what varies between items for one judge into what all judges share and what is a judge's
/// own, and adds what varies between judges (mean squares of the two-way layout, Searle, Casella
/// and McCulloch 1992, section 4.4). `noise` is the variance of an item's mean by one judge that
/// orders and repeats make. Unchanged where no pair of systems has two judges with two items in
/// common.
fn between_judges(strata: &Strata, within: VarianceComponents, noise: f64) -> VarianceComponents {
    let mut pairs: BTreeMap<u32, Vec<BTreeMap<u32, f64>>> = BTreeMap::new();
    for ((pair, _), items) in strata {
        let means = counted(items).into_iter();
        let means = means.filter_map(|(item, leads)| Some((item, item_mean(leads)?)));
        pairs.entry(*pair).or_default().push(means.collect());
    }
    let tables = pairs.values().filter_map(|judges| Table::of(judges));
    let tables: Vec<Table> = tables.collect();
    let free = |table: &Table| table.free_items() * (table.judges - 1.0);
    let freedom: f64 = tables.iter().map(free).sum();
    if freedom <= 0.0 {
        return within;
    }
    // The mean square that items and judges leave.
    let rest = tables.iter().map(|table| table.rest).sum::<f64>() / freedom;
    let judges: BTreeSet<u32> = strata.keys().map(|(_, judge)| *judge).collect();
    let of_items = tables
        .iter()
        .map(|table| (table.items - rest * table.free_items()) / table.judges);
    let free_items: f64 = tables.iter().map(Table::free_items).sum();
    let of_judges = tables.iter().map(|table| {
        let free = table.judges - 1.0;
        (table.between / free - rest) / table.count
    });
    let of_judges: Vec<f64> = of_judges.collect();
    VarianceComponents {
        item: (of_items.sum::<f64>() / free_items).max(0.0),
        judge: Some(mean_value(&of_judges).unwrap_or(0.0).max(0.0)),
        item_judge: (rest - noise).max(0.0),
        judges: judges.len(),
        ..within
    }
}

/// Sums of squares of a pair of systems, over the items that all its judges have judged.
struct Table {
    /// Items.
    count: f64,
    judges: f64,
    /// Squares between items, between judges, and what both leave.
    items: f64,
    between: f64,
    rest: f64,
}

impl Table {
    /// None for fewer than two judges or items.
    fn of(judges: &[BTreeMap<u32, f64>]) -> Option<Table> {
        let first = judges.first().filter(|_| judges.len() > 1)?;
        // A row for each item that all judged, a column for each judge.
        let row = |item: &u32| -> Option<Vec<f64>> {
            judges.iter().map(|own| own.get(item).copied()).collect()
        };
        let rows: Vec<Vec<f64>> = first.keys().filter_map(row).collect();
        if rows.len() < 2 {
            return None;
        }
        let count = rows.len() as f64;
        let columns = 0..judges.len();
        let judges = judges.len() as f64;
        let by_item: Vec<f64> = rows.iter().filter_map(|row| mean_value(row)).collect();
        let by_judge = columns.map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / count);
        let by_judge: Vec<f64> = by_judge.collect();
        let whole = by_item.iter().sum::<f64>() / count;
        let squares = |means: &[f64]| means.iter().map(|mean| (mean - whole).powi(2)).sum::<f64>();
        let rest = rows.iter().zip(&by_item).flat_map(|(row, own)| {
            let cells = row.iter().zip(&by_judge);
            cells.map(move |(cell, of_judge)| (cell - own - of_judge + whole).powi(2))
        });
        Some(Table {
            count,
            judges,
            items: judges * squares(&by_item),
            between: count * squares(&by_judge),
            rest: rest.sum(),
        })
    }

    fn free_items(&self) -> f64 {
        self.count - 1.0
    }
}
