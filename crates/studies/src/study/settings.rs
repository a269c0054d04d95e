//! Do the three ways of choosing a judge agree (Gao et al. 2024, section 3.4, figure 3)?

use crate::Figure;
use evenhand_stats::{Bootstrap, Correlation, Error, correlation_interval};
use serde::Serialize;
use std::collections::BTreeMap;

/// A measure of judges: one column of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measure {
    /// 1: rankings of systems against ratings; 2: accuracy on labelled pairs; 3: rankings against
    /// people's labels aggregated.
    pub setting: u8,
    /// The input set.
    pub input: String,
    /// Each judge's figure: rho in settings 1 and 3, accuracy in setting 2.
    pub judges: BTreeMap<String, f64>,
}

/// How two measures order the judges that both have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Concordance {
    /// The first: its setting and input set.
    pub a: (u8, String),
    /// The second.
    pub b: (u8, String),
    /// Judges that have both.
    pub judges: usize,
    /// Spearman's rho of the two orders of the judges, as in the paper; its interval is over
    /// judges.
    pub rho: Figure,
    /// Kendall's tau-b of the two, likewise.
    pub tau_b: Figure,
}

/// Every two measures.
///
/// # Errors
/// A bad level or number of rounds.
pub(super) fn concordances(
    measures: &[Measure],
    plan: &Bootstrap,
) -> Result<Vec<Concordance>, Error> {
    let mut found = Vec::new();
    for (at, a) in measures.iter().enumerate() {
        for b in &measures[at + 1..] {
            let both = a
                .judges
                .iter()
                .filter_map(|(judge, x)| Some((*x, *b.judges.get(judge)?)));
            let (x, y): (Vec<f64>, Vec<f64>) = both.unzip();
            let of = |which: Correlation| order(&x, &y, which, plan);
            let (rho, tau_b) = (of(Correlation::Spearman)?, of(Correlation::KendallTauB)?);
            let name = |measure: &Measure| (measure.setting, measure.input.clone());
            found.push(Concordance {
                a: name(a),
                b: name(b),
                judges: x.len(),
                rho,
                tau_b,
            });
        }
    }
    Ok(found)
}

/// How alike two columns order the judges.
fn order(x: &[f64], y: &[f64], which: Correlation, plan: &Bootstrap) -> Result<Figure, Error> {
    match x.len() {
        0..3 => Ok(Figure::undefined(format!(
            "{} judges have both; an order of judges needs at least 3",
            x.len()
        ))),
        _ => Figure::new(
            which.correlate(x, y),
            correlation_interval(x, y, which, plan),
        ),
    }
}
