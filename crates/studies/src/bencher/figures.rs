//! What is said of one bencher against one reference.

use super::contest::{Contest, Draw, Over, all_pairs, correlation, counts};
use crate::Figure;
use evenhand_stats::{
    Bootstrap, Bounded, Correlation, Error, Estimate, Interval, PairShare, Undefined,
    agreement_with_confidence, agreement_with_confidence_interval, pairwise_loss,
    pairwise_loss_intervals, separability, separability_interval, strict_agreement,
    strict_agreement_interval, u_for_share,
};
use serde::Serialize;

/// The figures of a bencher; each is undefined with its cause where it does not exist.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Spearman's rank correlation of the bencher's and the reference's order.
    pub spearman: Figure,
    /// Kendall's tau-b of the same.
    pub kendall_tau_b: Figure,
    /// The share of pairs in the same order on both sides; its interval is over systems.
    pub strict_agreement: Figure,
    /// The share of pairs that the bencher's intervals tell apart; its interval is over systems.
    pub separability: Figure,
    /// Agreement with confidence (Arena-Hard); its interval is over systems.
    pub agreement_with_confidence: Figure,
    /// Brier score of the bencher's forecasts of pairs; its interval is over systems.
    pub brier: Figure,
    /// Log loss of the same, in nats.
    pub log_loss: Figure,
}

impl Figures {
    /// Each figure under its name, in the order in which they are shown.
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

/// Controllable Kendall's tau at one threshold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TauRow {
    /// Pairs count whose ratings differ by at most this, in the unit of the ratings; None where
    /// ratings have no intervals.
    pub u: Option<f64>,
    /// The share of the pairs that people tell apart for which u was chosen, or that it comes to.
    pub share: Option<f64>,
    /// tau_u.
    #[serde(skip)]
    pub tau: Figure,
    /// Pairs that count.
    pub pairs: u64,
}

/// Rounds of the two correlations, for differences between benchers.
#[derive(Clone, Debug)]
pub(super) struct Correlated {
    pub(super) spearman: (Result<f64, Undefined>, Vec<Estimate>),
    pub(super) kendall: (Result<f64, Undefined>, Vec<Estimate>),
}

/// The figures, and the rounds of the correlations.
pub(super) fn figures(contest: &Contest, plan: &Bootstrap) -> Result<(Figures, Correlated), Error> {
    let (spearman, rho) = ordered(contest, plan, correlation(Correlation::Spearman))?;
    let (kendall_tau_b, tau) = ordered(contest, plan, correlation(Correlation::KendallTauB))?;
    let (x, y) = contest.orders();
    let strict_agreement = share(strict_agreement(x, y), || {
        strict_agreement_interval(x, y, plan)
    })?;
    let bounded: Result<Vec<Bounded>, String> =
        contest.bencher.iter().map(|one| one.bounded()).collect();
    let ratings: Result<Vec<Bounded>, String> =
        contest.reference.iter().map(|one| one.bounded()).collect();
    let separability = match &bounded {
        Ok(scores) => share(separability(scores), || separability_interval(scores, plan))?,
        Err(why) => Figure::undefined(why),
    };
    let agreement = match (&bounded, &ratings) {
        (Ok(scores), Ok(ratings)) => share(agreement_with_confidence(scores, ratings), || {
            agreement_with_confidence_interval(scores, ratings, plan)
        })?,
        (Err(why), _) | (_, Err(why)) => Figure::undefined(why),
    };
    let (brier, log_loss) = losses(contest, plan)?;
    let agreement_with_confidence = agreement;
    let found = Figures {
        spearman,
        kendall_tau_b,
        strict_agreement,
        separability,
        agreement_with_confidence,
        brier,
        log_loss,
    };
    Ok((
        found,
        Correlated {
            spearman: rho,
            kendall: tau,
        },
    ))
}

type Rounds = (Result<f64, Undefined>, Vec<Estimate>);

/// A figure of the orders, with its rounds.
fn ordered(
    contest: &Contest,
    plan: &Bootstrap,
    figure: impl Fn(&Draw) -> Result<f64, Undefined> + Sync,
) -> Result<(Figure, Rounds), Error> {
    let point = contest.point(&figure);
    let rounds = match contest.rounds(plan, &figure) {
        Err(Error::Undefined(why)) => {
            return Ok((
                Figure::new(point.map_err(Error::from), Err(why.into()))?,
                (point, Vec::new()),
            ));
        }
        rounds => rounds?,
    };
    let interval = contest.interval(&rounds, plan.level);
    Ok((
        Figure::new(point.map_err(Error::from), interval)?,
        (point, rounds),
    ))
}

fn share(
    found: Result<PairShare, Error>,
    interval: impl FnOnce() -> Result<Interval, Error>,
) -> Result<Figure, Error> {
    match found {
        Ok(share) => Figure::new(Ok(share.value()), interval()),
        Err(error) => Figure::new(Err(error), Err(Undefined::NoPairs.into())),
    }
}

fn losses(contest: &Contest, plan: &Bootstrap) -> Result<(Figure, Figure), Error> {
    let none = |why: &str| (Figure::undefined(why), Figure::undefined(why));
    if contest.over == Over::Systems {
        return Ok(none("the ranking has no bootstrap scores"));
    }
    if let Some(lacking) = contest.bencher.iter().find(|one| one.draws.is_empty()) {
        return Ok(none(&format!(
            "{} has no finite score in every round",
            lacking.system
        )));
    }
    let Some(ratings) = contest
        .reference
        .iter()
        .map(|one| one.score)
        .collect::<Option<Vec<f64>>>()
    else {
        return Ok(none("a system of the reference has no finite rating"));
    };
    let draws: Vec<&[f64]> = contest
        .bencher
        .iter()
        .map(|one| one.draws.as_slice())
        .collect();
    let point = match pairwise_loss(&draws, &ratings) {
        Err(Error::Undefined(why)) => return Ok(none(&why.to_string())),
        point => point?,
    };
    let intervals = pairwise_loss_intervals(&draws, &ratings, plan);
    let of = |value, which: fn(&evenhand_stats::PairwiseLossIntervals) -> Interval| {
        Figure::new(
            Ok(value),
            intervals.as_ref().map(which).map_err(Error::clone),
        )
    };
    Ok((
        of(point.brier, |both| both.brier)?,
        of(point.log_loss, |both| both.log_loss)?,
    ))
}

/// The shares of the pairs for which tau_u is given: 5 %, 10 %, ..., 100 %.
fn shares() -> impl Iterator<Item = f64> {
    (1..=20).map(|twentieth| f64::from(twentieth) / 20.0)
}

/// The curve of tau_u, and tau_u at further thresholds.
///
/// Which pairs count is decided by the reference's scores and intervals and stays so in every
/// round; their order on either side is that of the round.
///
/// # Errors
/// A threshold that is negative or NaN; bad settings of the resampling.
pub(super) fn curve(
    contest: &Contest,
    further: &[f64],
    plan: &Bootstrap,
) -> Result<Vec<TauRow>, Error> {
    let ratings: Result<Vec<Bounded>, String> =
        contest.reference.iter().map(|one| one.bounded()).collect();
    let ratings = match ratings {
        Ok(ratings) => ratings,
        Err(why) => return Ok(undefined_curve(further, &why)),
    };
    let apart: Vec<(usize, usize)> = all_pairs(ratings.len())
        .into_iter()
        .filter(|&pair| told_apart(&ratings, pair))
        .collect();
    if apart.is_empty() {
        return Ok(undefined_curve(further, &Undefined::NoPairs.to_string()));
    }
    let chosen = shares().map(|share| Ok((u_for_share(&ratings, share)?, Some(share))));
    let given = further.iter().map(|&u| Ok((u, None)));
    chosen
        .chain(given)
        .map(|at| at.and_then(|(u, share)| tau_row(contest, &ratings, &apart, u, share, plan)))
        .collect()
}

fn tau_row(
    contest: &Contest,
    ratings: &[Bounded],
    apart: &[(usize, usize)],
    u: f64,
    share: Option<f64>,
    plan: &Bootstrap,
) -> Result<TauRow, Error> {
    let near = |&(i, j): &(usize, usize)| (ratings[i].score - ratings[j].score).abs() <= u;
    let pairs: Vec<(usize, usize)> = apart.iter().copied().filter(near).collect();
    let (tau, _) = ordered(contest, plan, |draw: &Draw| counts(&pairs, draw).tau_b())?;
    let share = share.unwrap_or(pairs.len() as f64 / apart.len() as f64);
    Ok(TauRow {
        u: Some(u),
        share: Some(share),
        tau,
        pairs: pairs.len() as u64,
    })
}

fn undefined_curve(further: &[f64], why: &str) -> Vec<TauRow> {
    let row = |(u, share)| TauRow {
        u,
        share,
        tau: Figure::undefined(why),
        pairs: 0,
    };
    shares()
        .map(|share| (None, Some(share)))
        .chain(further.iter().map(|&u| (Some(u), None)))
        .map(row)
        .collect()
}

/// Whether the intervals have no point in common, ends included.
fn told_apart(ratings: &[Bounded], (i, j): (usize, usize)) -> bool {
    ratings[i].high < ratings[j].low || ratings[j].high < ratings[i].low
}
