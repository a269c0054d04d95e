//! What is said of one bencher against one reference.

use super::contest::{Contest, Known, Over, RoundedFigure, all_pairs, correlation};
use super::standing::Standing;
use crate::Figure;
use evenhand_stats::{
    Bootstrap, Bounded, Correlation, Error, Interval, PairShare, Undefined,
    agreement_with_confidence, agreement_with_confidence_interval, pairwise_loss,
    pairwise_loss_intervals, separability, separability_interval, strict_agreement,
    strict_agreement_interval,
};
use schemars::JsonSchema;

/// The figures of a bencher; each is undefined with its cause where it does not exist.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
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

    /// The figures whose intervals are over systems, whatever is resampled for the others.
    pub const OVER_SYSTEMS: [&'static str; 5] = [
        "strict_agreement",
        "separability",
        "agreement_with_confidence",
        "brier",
        "log_loss",
    ];
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
}

/// Returns the figures of a contest whose orders were correlated.
pub(super) fn figures_of(
    contest: &Contest,
    correlated: &Correlated,
    plan: &Bootstrap,
) -> Result<Figures, Error> {
    let [x, y] = &contest.orders;
    let strict = share_figure(strict_agreement(x, y), || {
        strict_agreement_interval(x, y, plan)
    });
    let scores = bounded_scores(&contest.bencher);
    let separability = match &scores {
        Ok(scores) => share_figure(separability(scores), || separability_interval(scores, plan)),
        Err(why) => Ok(Figure::undefined(why.as_str())),
    };
    let both = scores.and_then(|scores| Ok((scores, bounded_scores(&contest.reference)?)));
    let agreement = match both {
        Ok((scores, ratings)) => share_figure(agreement_with_confidence(&scores, &ratings), || {
            agreement_with_confidence_interval(&scores, &ratings, plan)
        }),
        Err(why) => Ok(Figure::undefined(why)),
    };
    let [brier, log_loss] = loss_figures(contest, plan)?;
    Ok(Figures {
        spearman: contest.correlation_figure(&correlated.spearman, Known::spearman)?,
        kendall_tau_b: contest.correlation_figure(&correlated.kendall, |known, ratings| {
            known.kendall_tau_b(ratings, &all_pairs(ratings.len()))
        })?,
        strict_agreement: strict?,
        separability: separability?,
        agreement_with_confidence: agreement?,
        brier,
        log_loss,
    })
}

/// Returns the scores of a side with their intervals, or why one has none.
pub(super) fn bounded_scores(side: &[Standing]) -> Result<Vec<Bounded>, String> {
    side.iter().map(Standing::bounded).collect()
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

/// Returns the Brier score and the log loss of the bencher's forecasts: its scores in the rounds
/// say who is ahead in each pair, and the ratings say who is.
fn loss_figures(contest: &Contest, plan: &Bootstrap) -> Result<[Figure; 2], Error> {
    let undefined = |why: &str| Ok([Figure::undefined(why), Figure::undefined(why)]);
    if contest.over == Over::Systems {
        return undefined("the ranking has no bootstrap scores");
    }
    if let Some(one) = contest.bencher.iter().find(|one| one.draws.is_empty()) {
        return undefined(&format!(
            "{} has no finite score in every round",
            one.system
        ));
    }
    let ratings: Option<Vec<f64>> = contest.reference.iter().map(|one| one.score).collect();
    let Some(ratings) = ratings else {
        return undefined("a system of the reference has no finite rating");
    };
    let draws: Vec<&[f64]> = contest.bencher.iter().map(|one| &one.draws[..]).collect();
    let losses = match pairwise_loss(&draws, &ratings) {
        Ok(losses) => losses,
        Err(Error::Undefined(why)) => return undefined(&why.to_string()),
        Err(error) => return Err(error),
    };
    let intervals = pairwise_loss_intervals(&draws, &ratings, plan);
    let brier = intervals.clone().map(|both| both.brier);
    let log_loss = intervals.map(|both| both.log_loss);
    Ok([
        Figure::new(Ok(losses.brier), brier)?,
        Figure::new(Ok(losses.log_loss), log_loss)?,
    ])
}
