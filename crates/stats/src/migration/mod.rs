//! Another judge over the same items: whether the ranking stays the same, found out from as few of
//! the items as it takes, with error rates that hold whenever one looks or stops.
//!
//! The old judge's verdicts are known on all N places of a pair (its items, or its questions where
//! several items ask one). The new judge is asked place by place in an order drawn beforehand.
//! [`Migration`] takes what it says ([`Migration::observe`]), says of which pairs more must be
//! asked ([`Migration::is_open`]), and what is certain by then ([`Migration::ranking`],
//! [`Migration::pairs`], [`Migration::means`]).
//!
//! # What is claimed
//! Of each pair the old judge's differences a(k) and the new judge's b(k) are numbers in [-1, 1],
//! above 0 where k speaks for the system that the *old judge has above*. θ is the mean of b over
//! all N places: **what the new judge would say were it asked everything**, of these items and no
//! others. Once all is asked, θ is known.
//!
//! - *The same ranking*: θ > 0 for every pair that the old judge tells apart ([`OldPair::apart`]).
//!   Where that is not so, the chance that it is ever claimed is at most alpha.
//! - *Pairs*: a pair is [kept](PairChange::Kept) (θ > 0) or [reversed](PairChange::Reversed) (θ <
//!   0). The chance that any pair is ever said to be what it is not is at most alpha too, until the
//!   same ranking is claimed: the pairs are then kept by that claim.
//! - *Means*: intervals of all θ, apart or not, hold together at all times with chance 1 - alpha.
//!
//! # Why it holds
//! 1. *One test.* Against θ <= c, a gambler bets before each place (`wealth.rs`). The mean of what
//!    is left is then known under the hypothesis, (N c - Σ b) / (N - k), and so is the old judge's,
//!    exactly. The bet is on b(k) less γ(k) a(k), with γ(k) fitted to the places before: where the
//!    judges agree, most of the chance of the draw is in a, and is taken out. Whatever γ is, the
//!    wealth is a supermartingale that is never negative, so that it reaches 1 / alpha with chance
//!    alpha at most (Ville 1939).
//! 2. *Any design.* The bound is of the largest wealth over the whole order of a pair, so that it
//!    does not matter which pairs are asked further, why, or when all of it ends.
//! 3. *The same ranking* is false where a single pair is not kept, and claimed only where that
//!    pair's own wealth has reached 1 / alpha: no correction for the number of pairs is needed (an
//!    intersection-union test, Berger 1982).
//! 4. *Pairs* are 2 m hypotheses of m pairs, θ <= 0 and θ >= 0 each, by Holm's method (1979): after
//!    r claims the next takes a wealth of (2 m - r) / alpha.
//! 5. *Without a verdict.* What a place could say at least and at most is told in the place of what
//!    it says ([`Migration::observe`]). The test of θ > 0 takes the least, that of θ < 0 the most:
//!    a claim then holds whatever the missing verdicts would have been.
//!
//! # What is assumed
//! That the order is drawn from all orders alike, and that what the new judge says of a place does
//! not depend on when it is asked. Nothing about how the two judges depend on each other, nor about
//! the pairs' dependence.
//!
//! Waudby-Smith and Ramdas 2020 (confidence sequences for sampling without replacement, NeurIPS)
//! and 2024 (JRSS B 86, 1-27) for the tests; Berger 1982 (Technometrics 24, 295-300).

mod decide;
mod wealth;

pub use decide::{Migration, MigrationError, NewMean, OldPair, PairChange, RankingChange};
