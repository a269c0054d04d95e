//! What is said of one bencher against one reference.

use super::contest::{Contest, Draw, Over, correlation};
use super::standing::Standing;
use crate::Figure;
use evenhand_stats::{
    Bootstrap, Bounded, Correlation, Error, Estimate, Interval, PairShare, PairwiseLossIntervals,
    Undefined, agreement_with_confidence, agreement_with_confidence_interval, pairwise_loss,
    pairwise_loss_intervals, separability, separability_interval, strict_agreement,
    strict_agreement_interval,
};

/// The figures of a bencher; each is undefined with its cause where it does not exist.
#[derive(Clone, Debug, PartialEq)]
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

impl Figures {
    /// Returns each figure under its name, in the order in which they are shown.
    pub fn named(&self) -> [(&'static str, &Figure); 7] {
        [
            ("spearman", &self.spearman),
            ("kendall_tau_b", &self.kendall_tau_b),
            ("strict_agreement", &self.strict_agreement),
            ("separability", &self.separability),
            ("agreement_with_confidence", &self.agreement_with_confidence),
            ("brier", &self.brier),
            ("log_loss", &self.log_loss),
        ]
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
    pub(super) rounds: Vec<Estimate>,
}

/// The two correlations, for differences between benchers.
#[derive(Clone, Debug)]
pub(super) struct Correlated {
    pub(super) spearman: RoundedFigure,
    pub(super) kendall: RoundedFigure,
}

/// Returns the figures, and the rounds of the correlations.
pub(super) fn figures_of(
    contest: &Contest,
    plan: &Bootstrap,
) -> Result<(Figures, Correlated), Error> {
    let (spearman, rho) = order_figure(contest, plan, correlation(Correlation::Spearman))?;
    let (kendall_tau_b, tau) = order_figure(contest, plan, correlation(Correlation::KendallTauB))?;
    let (x, y) = contest.orders();
    let strict = share_figure(strict_agreement(x, y), || {
        strict_agreement_interval(x, y, plan)
    })?;
    let [brier, log_loss] = loss_figures(contest, plan)?;
    let found = Figures {
        spearman,
        kendall_tau_b,
        strict_agreement: strict,
        separability: separability_figure(contest, plan)?,
        agreement_with_confidence: agreement_figure(contest, plan)?,
        brier,
        log_loss,
    };
    let correlated = Correlated {
        spearman: rho,
        kendall: tau,
    };
    Ok((found, correlated))
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
    let scores = bounded_scores(&contest.bencher);
    let ratings = bounded_scores(&contest.reference);
    match (scores, ratings) {
        (Ok(scores), Ok(ratings)) => {
            share_figure(agreement_with_confidence(&scores, &ratings), || {
                agreement_with_confidence_interval(&scores, &ratings, plan)
            })
        }
        (Err(why), _) | (_, Err(why)) => Ok(Figure::undefined(why)),
    }
}

/// Returns a figure of the orders, with its rounds.
pub(super) fn order_figure(
    contest: &Contest,
    plan: &Bootstrap,
    figure: impl Fn(&Draw) -> Result<f64, Undefined> + Sync,
) -> Result<(Figure, RoundedFigure), Error> {
    let value = contest.figure(&figure);
    let (rounds, interval) = match contest.figure_in_rounds(plan, &figure) {
        Ok(rounds) => {
            let interval = contest.interval(&rounds, plan.level);
            (rounds, interval)
        }
        Err(Error::Undefined(why)) => (Vec::new(), Err(why.into())),
        Err(error) => return Err(error),
    };
    let shown = Figure::new(value.map_err(Error::from), interval)?;
    Ok((shown, RoundedFigure { value, rounds }))
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
    match forecast_ratings(contest) {
        Ok(ratings) => losses_against(&ratings, contest, plan),
        Err(why) => Ok(undefined_losses(&why)),
    }
}

fn undefined_losses(why: &str) -> [Figure; 2] {
    [Figure::undefined(why), Figure::undefined(why)]
}

fn losses_against(
    ratings: &[f64],
    contest: &Contest,
    plan: &Bootstrap,
) -> Result<[Figure; 2], Error> {
    let bencher = contest.bencher.iter();
    let draws: Vec<&[f64]> = bencher.map(|one| one.draws.as_slice()).collect();
    let value = match pairwise_loss(&draws, ratings) {
        Err(Error::Undefined(why)) => return Ok(undefined_losses(&why.to_string())),
        value => value?,
    };
    let intervals = pairwise_loss_intervals(&draws, ratings, plan);
    let interval = |of: fn(&PairwiseLossIntervals) -> Interval| {
        intervals.as_ref().map(of).map_err(Error::clone)
    };
    Ok([
        Figure::new(Ok(value.brier), interval(|both| both.brier))?,
        Figure::new(Ok(value.log_loss), interval(|both| both.log_loss))?,
    ])
}

/// Returns the ratings against which the forecasts are held, or why there can be no forecasts.
fn forecast_ratings(contest: &Contest) -> Result<Vec<f64>, String> {
    if contest.over == Over::Systems {
        return Err("the ranking has no bootstrap scores".into());
    }
    let mut bencher = contest.bencher.iter();
    if let Some(lacking) = bencher.find(|one| one.draws.is_empty()) {
        let system = &lacking.system;
        return Err(format!("{system} has no finite score in every round"));
    }
    let ratings = contest.reference.iter().map(|one| one.score);
    let ratings: Option<Vec<f64>> = ratings.collect();
    ratings.ok_or_else(|| "a system of the reference has no finite rating".into())
}
