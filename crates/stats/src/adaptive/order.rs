//! The order in which items are judged, fixed by the seed before anything is judged.

use crate::Error;
use crate::bootstrap::{round_generator, shuffle};
use crate::checks::{check_setting, check_weights};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// The population whose mean a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Population {
    /// The items are independent draws from a wider population, and the claim is about its mean.
    Superpopulation,
    /// The items at hand are all there is: the claim is about the mean that judging every one of
    /// them would give.
    Finite,
}

/// Which item comes at which place, and how much its outcome counts there.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    population: Population,
    places: Vec<OrderPlace>,
}

/// One place of an order.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OrderPlace {
    /// The item, from 0.
    pub item: u32,
    /// The factor of its difference: 1 / (r π), with r items not yet judged and its chance
    /// π of being drawn among them.
    pub weight: f64,
    /// The largest weight that this place could have had, known before the item was drawn; at
    /// least 1.
    pub bound: f64,
}

impl Order {
    /// All items `0..items` in an order in which each is equally likely, a function of `seed` and
    /// `stream` alone.
    ///
    /// # Errors
    /// More than 2^32 - 1 items.
    pub fn random(
        items: usize,
        population: Population,
        seed: u64,
        stream: u64,
    ) -> Result<Order, Error> {
        let items = shuffle_items(items, &mut round_generator(seed, stream))?;
        let places = items.into_iter().map(|item| OrderPlace {
            item,
            weight: 1.0,
            bound: 1.0,
        });
        Ok(Order {
            population,
            places: places.collect(),
        })
    }

    /// All items of a finite population, those with large `weights` early: while r items are left,
    /// item k is drawn next with chance π_k = `floor` / r + (1 - `floor`) w_k / Σ w over those left
    /// (alike, where all that are left have weight 0).
    ///
    /// The weights may come from anywhere but the judgments to be made: earlier judgments of other
    /// systems, a cheap judge. The best are proportional to the size of the differences expected;
    /// bad ones cost judgments, never validity. Weighted sampling without replacement: Shekhar, Xu,
    /// Lipton, Liang and Ramdas 2023 (arXiv 2305.06884).
    ///
    /// # Errors
    /// A weight that is negative or not finite; a `floor` that is not above 0 and at most 1; more
    /// than 2^32 - 1 items.
    pub fn informative(
        weights: &[f64],
        floor: f64,
        seed: u64,
        stream: u64,
    ) -> Result<Order, Error> {
        check_weights("weight", weights)?;
        let good = floor > 0.0 && floor <= 1.0;
        check_setting("floor", floor, good, "above 0 and at most 1")?;
        let mut words = round_generator(seed, stream);
        let even = shuffle_items(weights.len(), &mut words)?;
        let heavy = sort_by_weight(&even, weights, &mut words);
        let items = merge_orders(&even, &heavy, floor, &mut words);
        Ok(Order {
            population: Population::Finite,
            places: weigh_places(&items, weights, floor),
        })
    }

    /// The population that the claims are about.
    pub fn population(&self) -> Population {
        self.population
    }

    /// Every place, the first first.
    pub fn places(&self) -> &[OrderPlace] {
        &self.places
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no place.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// All items in an order in which each is equally likely.
fn shuffle_items(items: usize, words: &mut ChaCha8Rng) -> Result<Vec<u32>, Error> {
    let count = u32::try_from(items).map_err(|_| Error::TooManyRows { rows: items })?;
    let mut order: Vec<u32> = (0..count).collect();
    shuffle(&mut order, words);
    Ok(order)
}

/// A number strictly between 0 and 1.
fn draw_share(words: &mut ChaCha8Rng) -> f64 {
    ((words.next_u64() >> 12) as f64 + 0.5) / 4_503_599_627_370_496.0
}

/// Successive sampling: the item with the least exponential time of rate w is next, with chance
/// proportional to w among those left whatever went before (Efraimidis and Spirakis 2006). Items of
/// weight 0 come last, in the even order.
fn sort_by_weight(even: &[u32], weights: &[f64], words: &mut ChaCha8Rng) -> Vec<u32> {
    let mut times = Vec::with_capacity(even.len());
    for &item in even {
        // Infinite for the weight 0.
        let time = -libm::log(draw_share(words)) / weights[item as usize];
        times.push((time, item));
    }
    times.sort_by(|x, y| x.0.total_cmp(&y.0));
    times.into_iter().map(|(_, item)| item).collect()
}

/// Each place takes the first item left of the even order with chance `floor`, and of the heavy
/// order else.
fn merge_orders(even: &[u32], heavy: &[u32], floor: f64, words: &mut ChaCha8Rng) -> Vec<u32> {
    let mut taken = vec![false; even.len()];
    let mut queues = [even.iter(), heavy.iter()];
    let mut merged = Vec::with_capacity(even.len());
    for _ in even {
        let queue = &mut queues[usize::from(draw_share(words) >= floor)];
        if let Some(&item) = queue.find(|&&item| !taken[item as usize]) {
            taken[item as usize] = true;
            merged.push(item);
        }
    }
    merged
}

/// The weight of each place and its bound. They depend on what is left from there on, so they are
/// made from the last place to the first.
fn weigh_places(items: &[u32], weights: &[f64], floor: f64) -> Vec<OrderPlace> {
    let (mut count, mut sum, mut least) = (0u32, 0.0, f64::INFINITY);
    let mut places = Vec::with_capacity(items.len());
    for &item in items.iter().rev() {
        let weight = weights[item as usize];
        count += 1;
        sum += weight;
        least = least.min(weight);
        // r π: the chance of an item of this weight to be drawn first, times the number of items.
        let relative_chance = |weight: f64| {
            if sum > 0.0 {
                floor + (1.0 - floor) * f64::from(count) * weight / sum
            } else {
                1.0
            }
        };
        places.push(OrderPlace {
            item,
            weight: relative_chance(weight).recip(),
            bound: relative_chance(least).recip().max(1.0),
        });
    }
    places.reverse();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(order: &Order) -> Vec<u32> {
        order.places().iter().map(|place| place.item).collect()
    }

    #[test]
    fn every_item_once_as_the_seed_says() {
        let order =
            |seed, stream| items(&Order::random(50, Population::Finite, seed, stream).unwrap());
        let mut sorted = order(1, 0);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<u32>>());
        assert_eq!(order(1, 0), order(1, 0));
        assert!(order(1, 0) != order(2, 0) && order(1, 0) != order(1, 1));
        assert!(
            Order::random(0, Population::Finite, 0, 0)
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn weights_by_hand() {
        // From the last place: 1 item left, of weight 1, has chance 1. 2 left, weights 3 and 1:
        // 1/4 + 1/2 * 3/4 = 5/8 against 1/2 alike; the other's chance is 3/8. 3 left with a weight
        // of 0: chances 1/6 + 1/2 * 0 against 1/3.
        let places = weigh_places(&[2, 0, 1], &[3.0, 1.0, 0.0], 0.5);
        let close = |x: f64, y: f64| (x - y).abs() < 1e-12;
        assert!(close(places[2].weight, 1.0) && close(places[2].bound, 1.0));
        assert!(
            close(places[1].weight, 0.5 / 0.625) && close(places[1].bound, 0.5 / 0.375),
            "{places:?}"
        );
        assert!(
            close(places[0].weight, 2.0) && close(places[0].bound, 2.0),
            "{places:?}"
        );
        // Without weights all are alike.
        assert!(
            weigh_places(&[1, 0], &[0.0; 2], 0.5)
                .iter()
                .all(|place| place.weight == 1.0 && place.bound == 1.0)
        );
    }

    /// The chance of the first two items is what the weights say: 90,000 orders, within 4.5
    /// standard errors.
    #[test]
    fn items_are_drawn_with_the_stated_chances() {
        let (weights, floor, orders) = ([5.0, 3.0, 1.0, 0.0], 0.4, 90_000);
        let mut counts = [[0.0f64; 4]; 4];
        for seed in 0..orders {
            let found = items(&Order::informative(&weights, floor, seed, 0).unwrap());
            counts[found[0] as usize][found[1] as usize] += 1.0;
        }
        for (a, b) in (0..4)
            .flat_map(|a| (0..4).map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
        {
            let first = floor / 4.0 + (1.0 - floor) * weights[a] / 9.0;
            let second = floor / 3.0 + (1.0 - floor) * weights[b] / (9.0 - weights[a]);
            let (chance, n) = (first * second, orders as f64);
            let error = (counts[a][b] / n - chance) / (chance * (1.0 - chance) / n).sqrt();
            assert!(error.abs() < 4.5, "{a} {b}: {error}");
        }
    }

    #[test]
    fn what_is_no_weight_is_said() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let error = Order::informative(&[1.0, bad], 0.5, 0, 0).unwrap_err();
            assert!(matches!(
                error,
                Error::Value {
                    row: 1,
                    field: "weight",
                    ..
                }
            ));
        }
        for floor in [0.0, 1.1, f64::NAN] {
            assert!(matches!(
                Order::informative(&[1.0], floor, 0, 0),
                Err(Error::Setting { .. })
            ));
        }
    }
}
