//! What a recorded judge said, read anew.

use super::Game;
use evenhand_core::Side;
use evenhand_core::judgments::games::{Game as Line, Grade, Said};
use evenhand_protocols::{NoVerdict, Notation, Scale, Stated, extract};

/// A game in terms of the slots.
pub(super) fn game(line: &Line<'_>, notation: Option<Notation>) -> Game {
    let found = match line.said {
        Said::Text(text, named) => text_outcome(text, notation.or_else(|| named?.parse().ok())),
        Said::Ratings(texts) => ratings(texts),
        Said::Shares(shares) => Ok(shares),
        Said::Nothing(kind) => Err((kind.to_string(), None)),
    };
    let (outcome, why) = match found {
        Ok(shares) => (Ok(shares), None),
        Err((kind, why)) => (Err(kind), why),
    };
    Game { outcome, recorded: line.recorded, why }
}

/// The kind of failure, and why.
type Failed = (String, Option<String>);

fn text_outcome(text: &str, notation: Option<Notation>) -> Result<[f64; 3], Failed> {
    let Some(notation) = notation else {
        return Err(("unparsed".into(), Some("the file does not say which notation the judge was asked for".into())));
    };
    let stated = extract(notation, text).map_err(|why| failure(&why))?;
    let side = stated.preferred().ok_or(("unparsed".to_string(), None))?;
    Ok(shares(match side {
        Stated::First => Side::First,
        Stated::Second => Side::Second,
        _ => Side::Tie,
    }))
}

fn failure(why: &NoVerdict) -> Failed {
    let kind = if matches!(why, NoVerdict::CutShort) { "truncated" } else { "unparsed" };
    (kind.into(), Some(why.to_string()))
}

/// Each response was rated by itself, and the evaluator gives equal ones to the second slot.
fn ratings(texts: [&str; 2]) -> Result<[f64; 3], Failed> {
    let [first, second] = texts.map(|text| extract(Notation::Number(Scale::whole(0, 10)), text));
    match (first.map_err(|why| failure(&why))?, second.map_err(|why| failure(&why))?) {
        (Stated::Score(first), Stated::Score(second)) => Ok(shares(if first > second { Side::First } else { Side::Second })),
        _ => Err(("unparsed".into(), None)),
    }
}

/// A verdict that leaves no doubt.
pub(super) fn shares(side: Side) -> [f64; 3] {
    match side {
        Side::First => [1.0, 0.0, 0.0],
        Side::Tie => [0.0, 1.0, 0.0],
        Side::Second => [0.0, 0.0, 1.0],
    }
}

/// A score, read from its text where there is one.
pub(super) fn score(grade: &Grade<'_>) -> Option<f64> {
    let Some((text, notation)) = grade.text else { return grade.score };
    match extract(notation.parse().ok()?, text) {
        Ok(Stated::Score(score)) => Some(score),
        _ => None,
    }
}
