//! The two tie models, pair by pair.

use super::PairShares;
use crate::special::{log_win_chance, win_chance};

/// The log-likelihood of one pair as a function of the lead x = s_i - s_j and the tie parameter t
/// (ln nu or ln theta).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) value: f64,
    /// Its derivatives by x and by t.
    pub(crate) slope: (f64, f64),
    /// Minus its second derivatives: by x twice, by x and t, by t twice.
    pub(crate) curvature: (f64, f64, f64),
}

/// Which model of ties; its parameter t is the logarithm of nu or of theta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieLaw {
    /// That of [`davidson`](crate::davidson).
    Davidson,
    /// That of [`rao_kupper`](crate::rao_kupper).
    RaoKupper,
}

impl TieLaw {
    /// The log-likelihood of one pair at a lead of `x` log-odds and the tie parameter `t`, up to a
    /// constant.
    pub(crate) fn terms(self, x: f64, t: f64, pair: &PairShares) -> Terms {
        match self {
            TieLaw::Davidson => davidson_terms(x, t, pair),
            TieLaw::RaoKupper => rao_kupper_terms(x, t, pair),
        }
    }

    /// The t that gives equally strong systems this share of ties, from 0 to 1.
    pub(crate) fn parameter_for(self, share: f64) -> f64 {
        let share = share.clamp(1e-9, 1.0 - 1e-9);
        match self {
            TieLaw::Davidson => (2.0 * share / (1.0 - share)).ln(),
            TieLaw::RaoKupper => ((1.0 + share) / (1.0 - share)).ln(),
        }
    }

    /// The tie parameter of data without ties: nu or theta at its lower bound.
    pub(crate) fn without_ties(self) -> f64 {
        match self {
            TieLaw::Davidson => 0.0,
            TieLaw::RaoKupper => 1.0,
        }
    }
}

/// Chances proportional to exp(x / 2), exp(t) and exp(-x / 2).
fn davidson_terms(x: f64, t: f64, pair: &PairShares) -> Terms {
    let PairShares {
        wins, ties, losses, ..
    } = *pair;
    let top = t.max(x.abs() / 2.0);
    let leads = [x / 2.0 - top, t - top, -x / 2.0 - top];
    let [win, tie, loss] = leads.map(f64::exp);
    let total = win + tie + loss;
    let (p, r, q) = (win / total, tie / total, loss / total);
    let n = wins + ties + losses;
    // Sums of like signs where the plain forms, such as wins - n * p, cancel.
    let slope = (
        0.5 * (wins * (r + 2.0 * q) - losses * (r + 2.0 * p) + ties * (q - p)),
        ties * (p + q) - (wins + losses) * r,
    );
    let curvature = (
        0.25 * n * (r * (p + q) + 4.0 * p * q),
        0.5 * n * r * (q - p),
        n * r * (p + q),
    );
    Terms {
        value: log_likelihood([wins, ties, losses], leads, total),
        slope,
        curvature,
    }
}

/// Weights times the logarithms of chances exp(lead) / total. A chance of 0 has no weight of an
/// outcome, or the value is minus infinity, as it should be.
fn log_likelihood(weights: [f64; 3], leads: [f64; 3], total: f64) -> f64 {
    let [win, tie, loss] = [0, 1, 2].map(|k| {
        if weights[k] > 0.0 {
            weights[k] * (leads[k] - total.ln())
        } else {
            0.0
        }
    });
    win + tie + loss
}

/// P(win) = F(x - t), P(loss) = F(-x - t), P(tie) = (exp(2 t) - 1) P(win) P(loss), with F(z) = 1 /
/// (1 + exp(-z)).
fn rao_kupper_terms(x: f64, t: f64, pair: &PairShares) -> Terms {
    if t <= 0.0 {
        return Terms {
            value: f64::NEG_INFINITY,
            ..Terms::default()
        };
    }
    let (win, loss) = (pair.wins + pair.ties, pair.losses + pair.ties);
    let (a, b) = (win_chance(t - x), win_chance(t + x));
    let (aa, bb) = (win * a * win_chance(x - t), loss * b * win_chance(-x - t));
    let apart = -(-2.0 * t).exp_m1();
    let value = win * log_win_chance(x - t)
        + loss * log_win_chance(-x - t)
        + pair.ties * (2.0 * t + apart.ln());
    let slope = (
        win * a - loss * b,
        2.0 * pair.ties / apart - win * a - loss * b,
    );
    let pull = 4.0 * pair.ties * (-2.0 * t).exp() / (apart * apart);
    Terms {
        value,
        slope,
        curvature: (aa + bb, bb - aa, aa + bb + pull),
    }
}
