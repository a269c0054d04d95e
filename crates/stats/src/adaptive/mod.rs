//! Adaptive design: judge next where the ranking is undecided, and stop when it is certain enough,
//! with error rates and intervals that hold however the next judgment was chosen and whenever it
//! was stopped.
//!
//! [`Adaptive`] holds the state: [`Adaptive::next_judgments`] names the judgments to make,
//! [`Adaptive::observe`] takes each outcome, [`Adaptive::stop_reason`] says when to stop,
//! [`Adaptive::certified_pairs`] and [`Adaptive::pair_intervals`] what is known by then.
//!
//! # What is claimed
//! Outcomes are numbers in [0, 1]. Every pair of systems i, j has a mean difference θ_ij in [-1,
//! 1]:
//! - [`Layout::Arms`]: each system is judged alone, or against one reference, item by item,
//!   x_i(k). All systems walk through one common order of items, and pair (i, j) is judged on the
//!   differences d(k) = x_i(k) - x_j(k) of the items that both have passed, so that what makes an
//!   item hard for all cancels. θ_ij is the mean of d.
//! - [`Layout::Pairs`]: each pair has its own order of items, with outcomes y(k) that i beats j (a
//!   tie is 1/2). θ_ij is the mean of d(k) = 2 y(k) - 1, the net preference. Nothing is taken from
//!   one pair to another: preferences may be circular.
//!
//! The mean is over a wider population or over the items at hand ([`Population`]). A certified pair
//! is the claim θ > 0 in the direction given. **The chance that any claim ever made is false is at
//! most alpha**; for a pair whose means are exactly equal, a claim in either direction is false. Of
//! a finite population, a pair is certified at the latest when both systems have been judged on
//! every item, unless their means are equal.
//!
//! # Why it holds
//! 1. *Everything is fixed before it is looked at.* Think of the table of all outcomes that there
//!    would be, each system (or pair) on each item, and of the order, drawn by the seed. A design
//!    reveals entries of this table; it changes none.
//! 2. *One pair.* Let F_k hold the outcomes of all systems on the first k items of the order. The
//!    wealth W(k) of a pair (`wealth.rs`) uses d(1), ..., d(k) only, and its k-th bet is known in
//!    F_(k-1). In a superpopulation E[d(k) | F_(k-1)] = θ, as items are independent of each other;
//!    of N items it is (N θ - Σ d before k) / (N - k + 1), as the next is any of those left, all
//!    equally likely, or with known chances that the weight of the place makes up for. Where the
//!    claim is false, W is so a supermartingale in (F_k), never negative and 1 at the start: P(sup
//!    over k of W(k) >= 1/a) <= a (Ville 1939).
//! 3. *Any design.* The supremum is over all k, on the whole table. Whatever part of it a design
//!    reveals, in whatever order, for whatever reason (other pairs; later items of one of the two;
//!    a look at the ranking), and wherever it stops, the largest wealth seen is at most that
//!    supremum. So nothing needs to be known about the design.
//! 4. *All pairs.* Each of m pairs has two hypotheses, θ <= 0 and θ >= 0, and 1 / sup W is a
//!    p-value of each. Holm's method (1979) over all 2 m keeps the chance of any false rejection at
//!    alpha however they depend on each other: after r claims the next needs a wealth of (2 m - r)
//!    / alpha. For let t of the hypotheses be true: one of each pair, and both where the means are
//!    equal. Before the first false claim r <= 2 m - t, so it needs one of t wealths to reach t /
//!    alpha at least. Wealth counts at its largest so far, so that a claim once made stays.
//! 5. *Intervals.* The same bets for the hypotheses θ <= c and θ >= c, for every c: c is left out
//!    when a wealth has reached 2 m / alpha. All intervals hold their means at all times together
//!    with chance 1 - alpha at least. The bar of a claim is lower than theirs from the second claim
//!    on, so that a certified pair's interval may reach beyond 0. It is then cut at 0: that end is
//!    the claim's, and holds with the claims. Holm's method gives no end further from 0 (Strassburger
//!    and Bretz 2008), so an interval at the bar of the claim would promise more than is known.
//! 6. *Both together.* Claims and intervals hold with chance 1 - alpha each, and all of both with
//!    chance 1 - 1.5 alpha at least. For a false claim of θ > 0 takes a wealth of t / alpha against
//!    θ <= 0, and that against θ <= c is no smaller at the true c, which is not above 0. So if
//!    anything is wrong, one of t wealths at the true means has reached t / alpha, or one of the
//!    other 2 m - t has reached 2 m / alpha: a chance of alpha (2 - t / 2 m) at most, and t is m at
//!    least. It is alpha where all means are equal.
//!
//! # What is assumed
//! An outcome does not depend on when it is asked for, nor on what else is. A failure has no
//! outcome: what it counts as (a tie, say) must be settled beforehand, and the claims are then
//! about that. Superpopulation: items are independent draws. The weights of [`Order::informative`]
//! are not made from the judgments of the design.
//!
//! Waudby-Smith and Ramdas 2024 (JRSS B 86, 1-27) for the tests; Howard, Ramdas, McAuliffe and
//! Sekhon 2021 (Annals of Statistics 49, 1055-1080) for confidence sequences; Shekhar, Xu, Lipton,
//! Liang and Ramdas 2023 (arXiv 2305.06884) for weights.

mod choice;
mod contest;
mod design;
mod interval;
mod next;
mod order;
mod plan;
mod wealth;

pub use contest::Leader;
pub use design::{Adaptive, Certified};
pub use interval::PairInterval;
pub use order::{Order, OrderPlace, Population};
pub use plan::{AdaptiveError, Allocation, Layout, Plan, StopReason, StopRule, Unit, Wanted};

/// The most systems of an adaptive design: it keeps 200 bytes for each pair.
pub const MAX_ADAPTIVE_SYSTEMS: usize = 1000;
