//! The two tie models, pair by pair.

use super::Pair;
use super::newton::Terms;
use crate::chance::{chance, log_chance};

/// Which tie model; its parameter t is the logarithm of nu or of theta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pairwise) enum Kind {
    Davidson,
    RaoKupper,
}

impl Kind {
    /// The log-likelihood of one pair at a lead of `x` log-odds and the tie parameter `t`, up to a
    /// constant.
    pub(super) fn terms(self, x: f64, t: f64, pair: &Pair) -> Terms {
        match self {
            Kind::Davidson => davidson(x, t, pair),
            Kind::RaoKupper => rao_kupper(x, t, pair),
        }
    }

    /// The t that gives equally strong systems this share of ties, from 0 to 1.
    pub(super) fn start(self, share: f64) -> f64 {
        let share = share.clamp(1e-9, 1.0 - 1e-9);
        match self {
            Kind::Davidson => (2.0 * share / (1.0 - share)).ln(),
            Kind::RaoKupper => ((1.0 + share) / (1.0 - share)).ln(),
        }
    }

    /// The tie parameter of data without ties: nu or theta at its lower bound.
    pub(super) fn without_ties(self) -> f64 {
        match self {
            Kind::Davidson => 0.0,
            Kind::RaoKupper => 1.0,
        }
    }
}

/// Chances proportional to exp(x / 2), exp(t) and exp(-x / 2).
fn davidson(x: f64, t: f64, pair: &Pair) -> Terms {
    let Pair {
        wins, ties, losses, ..
    } = *pair;
    let top = t.max(x.abs() / 2.0);
    let [win, tie, loss] = [x / 2.0 - top, t - top, -x / 2.0 - top];
    let total = win.exp() + tie.exp() + loss.exp();
    let (p, r, q) = (win.exp() / total, tie.exp() / total, loss.exp() / total);
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
    // A chance of 0 has no weight of an outcome, or the value is minus infinity, as it should be.
    let log = |weight: f64, lead: f64| {
        if weight > 0.0 {
            weight * (lead - total.ln())
        } else {
            0.0
        }
    };
    Terms {
        value: log(wins, win) + log(ties, tie) + log(losses, loss),
        slope,
        curvature,
    }
}

/// P(win) = F(x - t), P(loss) = F(-x - t), P(tie) = (exp(2 t) - 1) P(win) P(loss), with F(z) = 1 /
/// (1 + exp(-z)).
fn rao_kupper(x: f64, t: f64, pair: &Pair) -> Terms {
    if t <= 0.0 {
        return Terms {
            value: f64::NEG_INFINITY,
            ..Terms::default()
        };
    }
    let (win, loss) = (pair.wins + pair.ties, pair.losses + pair.ties);
    let (a, b) = (chance(t - x), chance(t + x));
    let (aa, bb) = (win * a * chance(x - t), loss * b * chance(-x - t));
    let apart = -(-2.0 * t).exp_m1();
    let value =
        win * log_chance(x - t) + loss * log_chance(-x - t) + pair.ties * (2.0 * t + apart.ln());
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
