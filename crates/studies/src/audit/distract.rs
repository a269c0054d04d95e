//! Is a judge distracted by what must not matter? Tripathi et al. 2025, section 3, for every way of
//! rewriting.
//!
//! - *Fixed quality* (figure 2, table 3): a response against itself, rewritten: how often the
//!   rewritten one is preferred (a half for a judge that is not distracted), and how often the two
//!   are called equal.
//! - *Flips* (table 2): the response that the judge prefers less is rewritten and both are asked
//!   about again: how often it is now the preferred one. A noisy judge changes its mind without
//!   that too, and a judge that repeats itself may change it whatever is changed. So the pair is
//!   also asked about after a rewrite that no reader sees, in the same way, and the difference is
//!   tested. The pair asked again unchanged is shown beside it. In every state both are asked about
//!   anew: the winner was chosen by a noisy verdict, and its score would be too high if it were
//!   kept.

use super::asks::{Asked, Asks, Duel, Kind, Seen, Stop};
use super::duels::duel;
use super::finding::{About, Finding};
use super::rows::Rows;
use evenhand_engine::EngineError;

pub(super) const PROBE: &str = "distractor";

/// What has become of the response that the judge preferred less when both are asked about again.
#[derive(Clone, Copy)]
pub(super) enum State {
    /// Nothing.
    Unchanged,
    /// This rewrite of it is shown.
    Rewritten(usize),
}

pub(super) fn distract(
    asks: &Asks<'_>,
    protocols: &[Asked],
) -> Seen<Result<Vec<Finding>, EngineError>> {
    let seen: Vec<_> = protocols.iter().map(|asked| under(asks, asked)).collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    Ok(seen
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map(|all| all.concat()))
}

/// All rewrites under one protocol, the neutral one first.
fn under(asks: &Asks<'_>, asked: &Asked) -> Seen<Result<Vec<Finding>, EngineError>> {
    let rewrites = 0..asks
        .materials
        .first()
        .map_or(0, |material| material.rewrites.len());
    if rewrites.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let neutral = flips(asks, asked, [State::Rewritten(asks.materials[0].neutral())]);
    let seen: Vec<_> = rewrites.map(|rewrite| cell(asks, asked, rewrite)).collect();
    let (neutral, seen) = (neutral?, seen.into_iter().collect::<Seen<Vec<_>>>()?);
    let found = std::iter::once(of_neutral(asks, asked, &neutral)).chain(seen);
    Ok(found.collect::<Result<Vec<_>, _>>().map(|all| all.concat()))
}

fn cell(asks: &Asks<'_>, asked: &Asked, rewrite: usize) -> Seen<Result<Vec<Finding>, EngineError>> {
    let (dressed, neutral) = (
        State::Rewritten(rewrite),
        State::Rewritten(asks.materials[0].neutral()),
    );
    let fixed = asks.over(0, |item| fixed(asks, asked, rewrite, item));
    let again = flips(asks, asked, [dressed, State::Unchanged]);
    let neutral = flips(asks, asked, [dressed, neutral]);
    let (fixed, again, neutral) = (fixed?, again?, neutral?);
    Ok(findings(
        asks,
        asked,
        &asks.materials[0].rewrites[rewrite].name,
        fixed,
        [again, neutral],
    ))
}

/// A response rewritten against itself: the share of the rewritten one, and that of ties.
fn fixed(asks: &Asks<'_>, asked: &Asked, rewrite: usize, item: u32) -> Seen<[f64; 2]> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let rewritten = asks.materials[0].rewritten(duel.a, rewrite);
    asks.prefers(
        asked,
        Duel {
            a: rewritten,
            b: duel.a,
            ..duel
        },
        0,
    )
}

/// The flips of all items where there was a preference.
fn flips<const N: usize>(
    asks: &Asks<'_>,
    asked: &Asked,
    states: [State; N],
) -> Seen<Rows<[f64; N]>> {
    Ok(asks
        .over(0, |item| flipped(asks, asked, item, states))?
        .known())
}

/// Whether the response that was preferred less is preferred in each of these states; none where
/// there was no preference to begin with.
pub(super) fn flipped<const N: usize>(
    asks: &Asks<'_>,
    asked: &Asked,
    item: u32,
    states: [State; N],
) -> Seen<Option<[f64; N]>> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let [share, _] = asks.prefers(asked, duel, 0)?;
    if share == 0.5 {
        return Ok(None);
    }
    let (winner, loser) = if share > 0.5 {
        (duel.a, duel.b)
    } else {
        (duel.b, duel.a)
    };
    let seen = states.map(|state| match state {
        State::Unchanged => asks.prefers_anew(
            asked,
            Duel {
                a: loser,
                b: winner,
                ..duel
            },
            1,
        ),
        State::Rewritten(rewrite) => {
            let rewritten = asks.materials[0].rewritten(loser, rewrite);
            asks.prefers_anew(
                asked,
                Duel {
                    a: rewritten,
                    b: winner,
                    ..duel
                },
                0,
            )
        }
    });
    let mut flips = [0.0; N];
    for (flip, seen) in flips.iter_mut().zip(seen) {
        *flip = f64::from(u8::from(seen?[0] > 0.5));
    }
    Ok(Some(flips))
}

fn of_neutral(
    asks: &Asks<'_>,
    asked: &Asked,
    flips: &Rows<[f64; 1]>,
) -> Result<Vec<Finding>, EngineError> {
    let estimand =
        "how often the response preferred less is preferred once it has spaces that no reader sees";
    let about = About {
        probe: PROBE,
        name: "flips by a neutral rewrite",
        protocol: &asked.protocol,
        estimand,
    };
    Ok(vec![about.share(
        &flips.map(|[flip]| *flip),
        None,
        asks.level,
    )?])
}

fn findings(
    asks: &Asks<'_>,
    asked: &Asked,
    rewrite: &str,
    fixed: Rows<[f64; 2]>,
    [again, neutral]: [Rows<[f64; 2]>; 2],
) -> Result<Vec<Finding>, EngineError> {
    let about = |name, estimand| About {
        probe: PROBE,
        name,
        protocol: &asked.protocol,
        estimand,
    };
    let [preferred, ties] = [0, 1].map(|which| fixed.map(|values| values[which]));
    let beyond = |flips: &Rows<[f64; 2]>| flips.map(|flip| flip[0] - flip[1]);
    let names = [
        "preferred",
        "equal",
        "flips",
        "flips beyond repetition",
        "flips beyond neutral",
    ];
    let names = names.map(|what| format!("{rewrite}: {what}"));
    let alike = if asked.kind == Kind::Pairs {
        "how often a response and itself, rewritten, are called equal"
    } else {
        "how often a response and itself, rewritten, have the same score"
    };
    Ok(vec![
        about(
            &names[0],
            "how often a response is preferred to itself for being rewritten",
        )
        .share(&preferred, Some(0.5), asks.level)?,
        about(&names[1], alike).share(&ties, None, asks.level)?,
        about(
            &names[2],
            "how often the response preferred less is preferred once it is rewritten",
        )
        .share(&again.map(|flip| flip[0]), None, asks.level)?,
        about(
            &names[3],
            "those flips less the flips when the same is asked again",
        )
        .untested_difference(&beyond(&again), asks.level)?,
        about(
            &names[4],
            "those flips less the flips when only spaces are added that no reader sees",
        )
        .difference(&beyond(&neutral), asks.level)?,
    ])
}
