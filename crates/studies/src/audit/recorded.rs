//! The figures of an audit that judgments made elsewhere can give: position, lengths, failures, and
//! preferences beyond people's.

use super::finding::{About, Finding, adjust};
use super::position::{Seat, of_lengths};
use super::rows::Rows;
use super::{AuditReport, AuditUsage};
use crate::judge::{Judged, Pair, decided};
use evenhand_core::Side;
use evenhand_engine::{EngineError, Tally};

/// What a recording says of its judge.
///
/// # Errors
/// A level that is none.
pub fn audit_recorded(judged: &Judged, level: f64) -> Result<AuditReport, EngineError> {
    let mut findings = Vec::new();
    if judged.order_known {
        findings.extend(positions(judged, level)?);
    }
    findings.extend(lengths(judged, level)?);
    findings.extend(failures(judged, level)?);
    adjust(&mut findings, level)?;
    let clusters: std::collections::BTreeSet<u32> =
        judged.pairs.iter().map(|pair| pair.cluster).collect();
    let unknown =
        "the recording does not say which response was shown first: nothing is said of positions";
    Ok(AuditReport {
        judge: judged.judge.clone(),
        protocols: vec![judged.protocol.clone()],
        items: judged.pairs.len() as u64,
        questions: clusters.len() as u64,
        responses: 2 * judged.pairs.len() as u64,
        rewrites: Vec::new(),
        level,
        seed: 0,
        tested: findings
            .iter()
            .filter(|finding| finding.p.is_some())
            .count() as u64,
        findings,
        climbs: Vec::new(),
        advice: None,
        warnings: if judged.order_known {
            Vec::new()
        } else {
            vec![unknown.into()]
        },
        usage: AuditUsage::default(),
        rewriting: None,
        tally: Tally::default(),
        run: None,
    })
}

/// The pairs that have such a value.
fn rows<'a, T>(
    pairs: impl Iterator<Item = &'a Pair>,
    value: impl Fn(&Pair) -> Option<T>,
    failed: u64,
) -> Rows<T> {
    Rows::new(
        pairs
            .filter_map(|pair| Some(((0, pair.cluster), value(pair)?)))
            .collect(),
        failed,
    )
}

/// The shares of a pair in both orders, in terms of the pair.
fn both(pair: &Pair) -> Option<[[f64; 3]; 2]> {
    let shares = |order: usize| {
        pair.games[order]
            .as_ref()
            .and_then(|game| game.outcome.clone().ok())
    };
    Some([shares(0)?, shares(1)?])
}

fn positions(judged: &Judged, level: f64) -> Result<Vec<Finding>, EngineError> {
    let about = |name, estimand| About {
        probe: "position",
        name,
        protocol: &judged.protocol,
        estimand,
    };
    let failed = judged
        .pairs
        .iter()
        .filter(|pair| both(pair).is_none())
        .count() as u64;
    let first = |pair: &Pair| {
        let [forward, swapped] = both(pair)?;
        Some((forward[0] + forward[1] / 2.0 + swapped[2] + swapped[1] / 2.0) / 2.0)
    };
    let first = rows(judged.pairs.iter(), first, failed);
    let flipped = |pair: &Pair| {
        both(pair)
            .map(|[forward, swapped]| f64::from(u8::from(decided(forward) != decided(swapped))))
    };
    let flips = rows(judged.pairs.iter(), flipped, failed);
    let mut found = vec![
        about(
            "first slot",
            "how often the first of two is preferred, over both orders",
        )
        .share(&first, Some(0.5), level)?,
        about(
            "flips by order",
            "how often a verdict changes when the two change places",
        )
        .share(&flips, None, level)?,
    ];
    let seat = |pair: &Pair| {
        let [a, b] = pair.lengths?.map(f64::from);
        Some(Seat {
            first: 0.0,
            flipped: flipped(pair)?,
            repeated: 0.0,
            neutral: 0.0,
            lengths: [(a + b) / 2.0, (a - b).abs()],
        })
    };
    let seats = rows(judged.pairs.iter(), seat, 0);
    if seats.items() >= 3 {
        found.extend(of_lengths(&judged.protocol, &seats, level)?);
    }
    Ok(found)
}

fn lengths(judged: &Judged, level: f64) -> Result<Vec<Finding>, EngineError> {
    let about = |name, estimand| About {
        probe: "length preference",
        name,
        protocol: &judged.protocol,
        estimand,
    };
    let label = |pair: &Pair| match pair.label {
        Side::First => 1.0,
        Side::Tie => 0.5,
        Side::Second => 0.0,
    };
    let longer = |pair: &Pair, share: f64| match pair.lengths? {
        [a, b] if a > b => Some(share),
        [a, b] if a < b => Some(1.0 - share),
        _ => None,
    };
    let judge = |pair: &Pair| {
        let shares: Vec<[f64; 3]> = pair
            .games
            .iter()
            .flatten()
            .filter_map(|game| game.outcome.clone().ok())
            .collect();
        let share =
            shares.iter().map(|[a, tie, _]| a + tie / 2.0).sum::<f64>() / shares.len() as f64;
        longer(pair, Some(share).filter(|_| !shares.is_empty())?)
    };
    let people = |pair: &Pair| judge(pair).and_then(|_| longer(pair, label(pair)));
    let pairs = || judged.pairs.iter();
    let by_judge = rows(pairs(), judge, 0);
    if by_judge.items() == 0 {
        return Ok(Vec::new());
    }
    let by_people = rows(pairs(), people, 0);
    let beyond = rows(pairs(), |pair| Some(judge(pair)? - people(pair)?), 0);
    Ok(vec![
        about(
            "longer, by the judge",
            "how often the judge prefers it, over both orders",
        )
        .share(&by_judge, None, level)?,
        about("longer, by people", "how often people do").share(&by_people, None, level)?,
        about(
            "longer, beyond people",
            "how often the judge prefers it less how often people do",
        )
        .difference(&beyond, level)?,
    ])
}

fn failures(judged: &Judged, level: f64) -> Result<Vec<Finding>, EngineError> {
    let failed = |pair: &Pair| {
        let games: Vec<bool> = pair
            .games
            .iter()
            .flatten()
            .map(|game| game.outcome.is_err())
            .collect();
        (!games.is_empty())
            .then(|| games.iter().filter(|failed| **failed).count() as f64 / games.len() as f64)
    };
    let subsets = judged
        .subsets
        .iter()
        .enumerate()
        .filter(|_| judged.subsets.len() > 1);
    let mut found = vec![];
    for (subset, name) in std::iter::once((None, String::new()))
        .chain(subsets.map(|(at, name)| (Some(at as u32), format!(", {name}"))))
    {
        let of = judged
            .pairs
            .iter()
            .filter(|pair| subset.is_none_or(|subset| pair.subset == subset));
        let name = format!("no verdict{name}");
        let estimand = "how often a question to the judge leads to no verdict";
        let about = About {
            probe: "failures",
            name: &name,
            protocol: &judged.protocol,
            estimand,
        };
        found.push(about.share(&rows(of, failed, 0), None, level)?);
    }
    Ok(found)
}
