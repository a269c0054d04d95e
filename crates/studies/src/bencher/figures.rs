//! What is said of one bencher against one reference.

use super::contest::{Contest, FigureRounds, OrderFigure, Over, correlation};
use super::standing::Standing;
use crate::Figure;
use evenhand_stats::{
    Bootstrap, Bounded, Correlation, Error, Interval, PairShare, PairwiseLoss,
    PairwiseLossIntervals, Undefined, agreement_with_confidence,
    agreement_with_confidence_interval, pairwise_loss, pairwise_loss_intervals, separability,
    separability_interval, strict_agreement, strict_agreement_interval,
};
use schemars::JsonSchema;

/// The figures of a bencher; each is undefined with its cause where it does not exist.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
pub struct Figures {
    /// Spearman's rank correlation of the bencher's and the reference's order.
    pub spearman: Figure,
    /// Kendall's tau-b of the two orders.
    pub kendall_tau_b: Figure,
    /// The share of pairs in the same order on both sides; its interval is over systems.
    pub strict_agreement: Figure,
    /// The share of pairs that the bencher's intervals distinguish; its interval is over systems.
    pub separability: Figure,
    /// Agreement with confidence (Arena-Hard); its interval is over systems.
    pub agreement_with_confidence: Figure,
    /// Brier score of the bencher's forecasts of pairs; its interval is over systems.
    pub brier: Figure,
    /// Log loss of those forecasts, in nats.
    pub log_loss: Figure,
}

/// The name of a figure of a bencher, and where it is.
type NamedFigure = (&'static str, fn(&Figures) -> &Figure);

impl Figures {
    /// Each figure under its name, in the order in which they are shown.
    pub const NAMED: [NamedFigure; 7] = [
        ("spearman", |all| &all.spearman),
        ("kendall_tau_b", |all| &all.kendall_tau_b),
        ("strict_agreement", |all| &all.strict_agreement),
        ("separability", |all| &all.separability),
        ("agreement_with_confidence", |all| {
            &all.agreement_with_confidence
        }),
        ("brier", |all| &all.brier),
        ("log_loss", |all| &all.log_loss),
    ];

    /// Returns each figure under its name, in the order in which they are shown.
    pub fn named(&self) -> [(&'static str, &Figure); 7] {
        Self::NAMED.map(|(name, figure)| (name, figure(self)))
    }

    /// The figures whose intervals are over systems, whatever is resampled for the others.
    pub const OVER_SYSTEMS: [&'static str; 5] = [
        "strict_agreement",
        "separability",
        "agreement_with_confidence",
        "brier",
        "log_loss",
    ];
}

/// A figure of the data, and in every round.
#[derive(Clone, Debug)]
pub(super) struct RoundedFigure {
    pub(super) value: Result<f64, Undefined>,
    /// Empty where there can be none; the interval says why.
    pub(super) rounds: FigureRounds,
    pub(super) interval: Result<Interval, Error>,
}

impl RoundedFigure {
    /// Computes a figure of the orders, and its interval.
    pub(super) fn of_orders(
        contest: &Contest,
        plan: &Bootstrap,
        figure: impl OrderFigure,
    ) -> RoundedFigure {
        let value = contest.figure(&figure);
        match contest.figure_in_rounds(plan, figure) {
            Ok(rounds) => RoundedFigure {
                value,
                interval: contest.interval(&rounds, plan.level),
                rounds,
            },
            Err(error) => RoundedFigure::without_rounds(value, error),
        }
    }

    fn without_rounds(value: Result<f64, Undefined>, why: Error) -> RoundedFigure {
        RoundedFigure {
            value,
            rounds: Vec::new(),
            interval: Err(why),
        }
    }

    /// Returns the figure without its rounds.
    ///
    /// # Errors
    /// Bad settings of the resampling.
    pub(super) fn to_figure(&self) -> Result<Figure, Error> {
        Figure::new(self.value.map_err(Error::from), self.interval.clone())
    }
}

/// The two correlations, for differences between benchers.
#[derive(Clone, Debug)]
pub(super) struct Correlated {
    pub(super) spearman: RoundedFigure,
    pub(super) kendall: RoundedFigure,
}

impl Correlated {
    pub(super) fn of_contest(contest: &Contest, plan: &Bootstrap) -> Correlated {
        let correlate = |which| RoundedFigure::of_orders(contest, plan, correlation(which));
        Correlated {
            spearman: correlate(Correlation::Spearman),
            kendall: correlate(Correlation::KendallTauB),
        }
    }

    /// Returns Spearman's rho and Kendall's tau-b.
    pub(super) fn figures(&self) -> Result<[Figure; 2], Error> {
        Ok([self.spearman.to_figure()?, self.kendall.to_figure()?])
    }
}

/// Returns the figures of a contest whose orders were correlated.
pub(super) fn figures_of(
    contest: &Contest,
    correlated: &Correlated,
    plan: &Bootstrap,
) -> Result<Figures, Error> {
    let [spearman, kendall_tau_b] = correlated.figures()?;
    let [brier, log_loss] = loss_figures(contest, plan)?;
    Ok(Figures {
        spearman,
        kendall_tau_b,
        strict_agreement: strict_figure(contest, plan)?,
        separability: separability_figure(contest, plan)?,
        agreement_with_confidence: agreement_figure(contest, plan)?,
        brier,
        log_loss,
    })
}

fn strict_figure(contest: &Contest, plan: &Bootstrap) -> Result<Figure, Error> {
    let (x, y) = contest.orders();
    share_figure(strict_agreement(x, y), || {
        strict_agreement_interval(x, y, plan)
    })
}

/// Returns the scores of a side with their intervals, or why one has none.
pub(super) fn bounded_scores(side: &[Standing]) -> Result<Vec<Bounded>, String> {
    side.iter().map(Standing::bounded).collect()
}

fn separability_figure(contest: &Contest, plan: &Bootstrap) -> Result<Figure, Error> {
    match bounded_scores(&contest.bencher) {
        Ok(scores) => share_figure(separability(&scores), || {
            separability_interval(&scores, plan)
        }),
        Err(why) => Ok(Figure::undefined(why)),
    }
}

fn agreement_figure(contest: &Contest, plan: &Bootstrap) -> Result<Figure, Error> {
    match bounded_sides(contest) {
        Ok([scores, ratings]) => share_figure(agreement_with_confidence(&scores, &ratings), || {
            agreement_with_confidence_interval(&scores, &ratings, plan)
        }),
        Err(why) => Ok(Figure::undefined(why)),
    }
}

fn bounded_sides(contest: &Contest) -> Result<[Vec<Bounded>; 2], String> {
    let scores = bounded_scores(&contest.bencher)?;
    Ok([scores, bounded_scores(&contest.reference)?])
}

fn share_figure(
    found: Result<PairShare, Error>,
    interval: impl FnOnce() -> Result<Interval, Error>,
) -> Result<Figure, Error> {
    match found {
        Ok(share) => Figure::new(Ok(share.value()), interval()),
        Err(error) => Figure::new(Err(error), Err(Undefined::NoPairs.into())),
    }
}

/// Returns the Brier score and the log loss of the bencher's forecasts.
fn loss_figures(contest: &Contest, plan: &Bootstrap) -> Result<[Figure; 2], Error> {
    match Forecasts::of_contest(contest) {
        Ok(forecasts) => forecasts.loss_figures(plan),
        Err(why) => Ok(undefined_losses(&why)),
    }
}

fn undefined_losses(why: &str) -> [Figure; 2] {
    [Figure::undefined(why), Figure::undefined(why)]
}

/// The scores that forecast who is ahead in each pair, and the ratings that say who is.
struct Forecasts<'a> {
    draws: Vec<&'a [f64]>,
    ratings: Vec<f64>,
}

impl<'a> Forecasts<'a> {
    /// Returns the forecasts of a bencher, or why there can be none.
    fn of_contest(contest: &'a Contest) -> Result<Forecasts<'a>, String> {
        check_draws(contest)?;
        let bencher = contest.bencher.iter();
        Ok(Forecasts {
            draws: bencher.map(|one| one.draws.as_slice()).collect(),
            ratings: finite_ratings(contest)?,
        })
    }

    fn loss_figures(&self, plan: &Bootstrap) -> Result<[Figure; 2], Error> {
        match pairwise_loss(&self.draws, &self.ratings) {
            Ok(losses) => figures_of_losses(losses, self.loss_intervals(plan)),
            Err(Error::Undefined(why)) => Ok(undefined_losses(&why.to_string())),
            Err(error) => Err(error),
        }
    }

    fn loss_intervals(&self, plan: &Bootstrap) -> Result<PairwiseLossIntervals, Error> {
        pairwise_loss_intervals(&self.draws, &self.ratings, plan)
    }
}

fn figures_of_losses(
    losses: PairwiseLoss,
    intervals: Result<PairwiseLossIntervals, Error>,
) -> Result<[Figure; 2], Error> {
    let brier = intervals.clone().map(|both| both.brier);
    let log_loss = intervals.map(|both| both.log_loss);
    Ok([
        Figure::new(Ok(losses.brier), brier)?,
        Figure::new(Ok(losses.log_loss), log_loss)?,
    ])
}

/// Refuses forecasts of a bencher that has no score in every round.
fn check_draws(contest: &Contest) -> Result<(), String> {
    if contest.over == Over::Systems {
        return Err("the ranking has no bootstrap scores".into());
    }
    match contest.bencher.iter().find(|one| one.draws.is_empty()) {
        Some(Standing { system, .. }) => {
            Err(format!("{system} has no finite score in every round"))
        }
        None => Ok(()),
    }
}

fn finite_ratings(contest: &Contest) -> Result<Vec<f64>, String> {
    let ratings = contest.reference.iter().map(|one| one.score);
    let ratings: Option<Vec<f64>> = ratings.collect();
    ratings.ok_or_else(|| "a system of the reference has no finite rating".into())
}
