//! The figures of one way of asking, from what the judge said of the pairs.

use super::set::{Attack, BETTER};
use crate::Figure;
use crate::figure::indicator;
use crate::judge::{Game, JudgedPairs, LabelledPair, OrdersSeen};
use evenhand_core::{Side, average};
use evenhand_engine::EngineError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::VariantArray;

/// What counts as a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Orders {
    /// The most probable answer in each order: a pair has two verdicts.
    #[default]
    Each,
    /// That of the mean of both orders' probabilities: a pair has one.
    Averaged,
    /// That of a method which looks at both orders itself: a pair has one.
    Together,
    /// There is no order: answers are looked at one by one, and a pair has one.
    Free,
}

/// How one way of asking did. The better answer counts 1, a tie a half, and a failure not at all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct WayRow {
    /// How the judge was asked: a protocol.
    pub way: String,
    /// What counts as a verdict.
    pub orders: Orders,
    /// How right the verdicts are; a half for a judge of length or of place alone, and for a coin.
    pub accuracy: Figure,
    /// The interval of the accuracy that holds for all ways of the report together, at their level.
    pub ci_of_all: Option<[Option<f64>; 2]>,
    /// Whether the accuracy is above a half, or below it, by `ci_of_all`; None where it is neither.
    pub above_coin: Option<bool>,
    /// The accuracy where the better answer is the longer one.
    pub accuracy_longer: Figure,
    /// The accuracy where it is the shorter one.
    pub accuracy_shorter: Figure,
    /// The accuracy of the verdicts that were shown the better answer first.
    pub accuracy_first: Figure,
    /// The accuracy of those that were shown it second.
    pub accuracy_second: Figure,
    /// The share of the pairs with a verdict in both orders whose two verdicts differ.
    pub flips: Figure,
    /// The share of the verdicts for a winner that name the answer shown first.
    pub first_slot: Figure,
    /// Verdicts that were asked for on the labelled pairs.
    pub trials: u64,
    /// Those that came.
    pub verdicts: u64,
    /// The others by the kind of failure.
    pub failures: BTreeMap<String, u64>,
    /// What became of the attacks.
    pub attacks: Vec<AttackRow>,
    /// Seconds a pair, attacks included; None where an earlier run had answered some calls.
    pub seconds_per_pair: Option<f64>,
    /// Tokens a pair, read and written, attacks included; None where the judge counts none.
    pub tokens_per_pair: Option<f64>,
    /// Of each labelled pair that has a verdict, by its id, how right the judge is.
    #[serde(skip)]
    #[schemars(skip)]
    pub credits: Credits,
}

/// Of each labelled pair that has a verdict, by its id, how right a judge is: the sum over its
/// verdicts, and their number.
pub type Credits = BTreeMap<String, (f64, f64)>;

/// What became of the attacks of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AttackRow {
    /// The kind.
    pub attack: Attack,
    /// Verdicts that do not prefer the real answer.
    pub lost: u64,
    /// Verdicts.
    pub of: u64,
}

/// A verdict on a pair, in terms of the pair: its first side is the better answer.
struct Said {
    /// Whether the better answer was shown first; None where the verdict is of no order.
    better_first: Option<bool>,
    outcome: Result<Side, String>,
}

impl Orders {
    /// Returns in how many ways the verdicts of these pairs can be counted. The mean of two orders
    /// says more than either only where there are probabilities.
    pub(super) fn of_pairs(judged: &JudgedPairs) -> Vec<Orders> {
        match judged.pairs.first().map(|pair| &pair.seen) {
            Some(OrdersSeen::Unordered) => vec![Orders::Free],
            Some(OrdersSeen::Within(_)) => vec![Orders::Together],
            Some(OrdersSeen::Apart) | None => {
                let has_both = |pair: &LabelledPair| pair.games.iter().all(Option::is_some);
                let is_graded = |game: &Game| {
                    let shares = game.outcome.as_ref().ok();
                    shares.is_some_and(|shares| !shares.contains(&1.0))
                };
                let mut pairs = judged.pairs.iter().filter(|pair| has_both(pair));
                match pairs.any(|pair| pair.games.iter().flatten().any(is_graded)) {
                    true => vec![Orders::Each, Orders::Averaged],
                    false => vec![Orders::Each],
                }
            }
        }
    }

    fn said_of(self, pair: &LabelledPair) -> Vec<Said> {
        let games = pair.games.iter().zip([true, false]);
        let games = games.filter_map(|(game, first)| Some((game.as_ref()?, first)));
        let of_game = |game: &Game, better_first| Said {
            better_first,
            outcome: game.outcome.clone().map(Side::of),
        };
        match self {
            Orders::Each => games
                .map(|(game, first)| of_game(game, Some(first)))
                .collect(),
            Orders::Together | Orders::Free => {
                games.take(1).map(|(game, _)| of_game(game, None)).collect()
            }
            Orders::Averaged => {
                let games: Vec<&Game> = games.map(|(game, _)| game).collect();
                let verdicts = games.iter().filter_map(|game| game.outcome.as_ref().ok());
                match (average(verdicts.copied()), games.first()) {
                    (Some(mean), _) => vec![Said {
                        better_first: None,
                        outcome: Ok(Side::of(mean)),
                    }],
                    (None, Some(game)) => vec![of_game(game, None)],
                    (None, None) => Vec::new(),
                }
            }
        }
    }
}

impl WayRow {
    /// Counts the verdicts of a way.
    // Long: one figure after the other.
    pub(super) fn of_pairs(
        way: String,
        orders: Orders,
        judged: &JudgedPairs,
        level: f64,
    ) -> Result<WayRow, EngineError> {
        let mut row = WayRow {
            way,
            orders,
            ..WayRow::default()
        };
        // Of each pair, its name, whether its better answer is the longer, and each verdict's place
        // and credit.
        let mut credits: Vec<(&str, bool, Option<bool>, f64)> = Vec::new();
        let mut flips: Vec<(&str, f64, f64)> = Vec::new();
        let mut first_slot: Vec<(&str, f64, f64)> = Vec::new();
        for pair in &judged.pairs {
            let name = |at: u32| judged.systems.get(at as usize).map_or("", |name| name);
            let [better, other] = pair.systems.unwrap_or_default().map(name);
            let said = orders.said_of(pair);
            if let Some(attack) = Attack::VARIANTS
                .iter()
                .find(|attack| attack.name() == other)
            {
                row.count_attack(*attack, &said);
                continue;
            }
            if better != BETTER {
                continue;
            }
            let is_longer = pair.lengths.is_some_and(|[better, other]| better > other);
            for one in &said {
                row.trials += 1;
                match &one.outcome {
                    Ok(side) => {
                        row.verdicts += 1;
                        // The better answer is the first side.
                        let credit = side.share_of_first();
                        credits.push((&pair.name, is_longer, one.better_first, credit));
                    }
                    Err(kind) => *row.failures.entry(kind.clone()).or_default() += 1,
                }
            }
            let (flipped, slots) = look_at_orders(orders, pair);
            flips.extend(flipped.map(|flipped| (&*pair.name, indicator(flipped), 1.0)));
            first_slot.push((&pair.name, slots[0], slots[1]));
        }
        let share = |kept: &dyn Fn(bool, Option<bool>) -> bool| {
            let rows = credits.iter();
            let rows = rows.filter(|(_, longer, first, _)| kept(*longer, *first));
            Figure::of_rows(
                rows.map(|(name, _, _, credit)| (*name, *credit, 1.0)),
                level,
            )
        };
        row.accuracy = share(&|_, _| true)?;
        row.accuracy_longer = share(&|longer, _| longer)?;
        row.accuracy_shorter = share(&|longer, _| !longer)?;
        for (name, _, _, credit) in &credits {
            let sum = row.credits.entry((*name).to_string()).or_default();
            *sum = (sum.0 + credit, sum.1 + 1.0);
        }
        let has_places = matches!(orders, Orders::Each);
        let has_looks = matches!(orders, Orders::Each | Orders::Together);
        let no_order = || Figure::undefined("the verdict is of no order");
        (row.accuracy_first, row.accuracy_second) = match has_places {
            true => (
                share(&|_, first| first == Some(true))?,
                share(&|_, first| first == Some(false))?,
            ),
            false => (no_order(), no_order()),
        };
        (row.flips, row.first_slot) = match has_looks {
            true => (
                Figure::of_rows(flips, level)?,
                Figure::of_rows(first_slot, level)?,
            ),
            false => (no_order(), no_order()),
        };
        Ok(row)
    }

    fn count_attack(&mut self, attack: Attack, said: &[Said]) {
        let at = self.attacks.iter().position(|row| row.attack == attack);
        let at = at.unwrap_or_else(|| {
            self.attacks.push(AttackRow {
                attack,
                lost: 0,
                of: 0,
            });
            self.attacks.len() - 1
        });
        for side in said.iter().filter_map(|one| one.outcome.as_ref().ok()) {
            self.attacks[at].of += 1;
            self.attacks[at].lost += u64::from(*side != Side::First);
        }
    }
}

/// Returns whether the verdicts of both orders differ, where there are two, and how many of the
/// verdicts for a winner name the answer shown first, of how many; nothing of two responses that
/// are the same.
fn look_at_orders(orders: Orders, pair: &LabelledPair) -> (Option<bool>, [f64; 2]) {
    if pair.same {
        return (None, [0.0; 2]);
    }
    let games = match (&pair.seen, orders) {
        (OrdersSeen::Within(looks), _) => &looks.orders,
        _ => &pair.games,
    };
    let sides = games
        .each_ref()
        .map(|game| game.as_ref().and_then(Game::side));
    let flipped = match sides {
        [Some(one), Some(other)] => Some(one != other),
        _ => None,
    };
    if let OrdersSeen::Within(looks) = &pair.seen {
        return (flipped, [looks.first as f64, looks.winners as f64]);
    }
    let mut slots = [0.0; 2];
    for (side, first) in sides.into_iter().zip([Side::First, Side::Second]) {
        if let Some(side) = side.filter(|side| *side != Side::Tie) {
            slots[0] += indicator(side == first);
            slots[1] += 1.0;
        }
    }
    (flipped, slots)
}
