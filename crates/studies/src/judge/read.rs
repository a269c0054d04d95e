//! What a recorded judge said, read anew.

use super::{Game, decided};
use evenhand_core::Side;
use evenhand_formats::judgments::games::{JudgeOutput, RecordedGame as Line, RecordedGrade};
use evenhand_protocols::{NoVerdict, Notation, Scale, Stated, extract};

/// A game in terms of the slots.
pub(super) fn game(line: &Line<'_>, notation: Option<Notation>) -> Game {
    let found = match line.said {
        JudgeOutput::Text(text, named) => {
            text_outcome(text, notation.or_else(|| named?.parse().ok()))
        }
        JudgeOutput::Ratings(texts) => ratings(texts),
        JudgeOutput::Shares(shares) => Ok(shares),
        JudgeOutput::Nothing(kind) => Err((
            kind.to_string(),
            Some(format!("the source has no reply to read: {kind}")),
        )),
    };
    let (outcome, why) = match found {
        Ok(shares) => (Ok(shares), otherwise(line, decided(shares))),
        Err((kind, why)) => (Err(kind), why),
    };
    Game {
        outcome,
        recorded: line.recorded,
        why,
    }
}

/// Why a verdict stands against what the source recorded; None where it does not, or nothing was
/// recorded.
fn otherwise(line: &Line<'_>, read: Side) -> Option<String> {
    let recorded = line.recorded.filter(|recorded| *recorded != Some(read))?;
    let recorded = recorded.map_or("no verdict", word);
    let says = match line.said {
        JudgeOutput::Text(text, _) => format!("the reply, which ends {:?}, states", end(text)),
        JudgeOutput::Ratings([first, second]) => {
            format!(
                "the ratings, which end {:?} and {:?}, give",
                end(first),
                end(second)
            )
        }
        JudgeOutput::Shares(_) | JudgeOutput::Nothing(_) => {
            "the recorded probabilities give".into()
        }
    };
    Some(format!(
        "{says} {}; the source recorded {recorded}",
        word(read)
    ))
}

fn word(side: Side) -> &'static str {
    match side {
        Side::First => "the response shown first",
        Side::Tie => "a tie",
        Side::Second => "the response shown second",
    }
}

/// As many characters of a reply are shown.
const SHOWN: usize = 80;

/// The end of a reply.
fn end(text: &str) -> String {
    let text = text.trim_end();
    let skipped = text.chars().count().saturating_sub(SHOWN);
    text.chars().skip(skipped).collect()
}

/// The kind of failure, and why.
type Failed = (String, Option<String>);

fn text_outcome(text: &str, notation: Option<Notation>) -> Result<[f64; 3], Failed> {
    let Some(notation) = notation else {
        return Err((
            "unparsed".into(),
            Some("the file does not say which notation the judge was asked for".into()),
        ));
    };
    let stated = extract(notation, text).map_err(|why| failure(&why))?;
    let no_pair = || {
        (
            "unparsed".to_string(),
            Some(format!("{notation} scores a single response")),
        )
    };
    let side = stated.preferred().ok_or_else(no_pair)?;
    Ok(shares(match side {
        Stated::First => Side::First,
        Stated::Second => Side::Second,
        _ => Side::Tie,
    }))
}

fn failure(why: &NoVerdict) -> Failed {
    let kind = if matches!(why, NoVerdict::CutShort) {
        "truncated"
    } else {
        "unparsed"
    };
    (kind.into(), Some(why.to_string()))
}

/// Each response was rated by itself, and the evaluator gives equal ones to the second slot.
fn ratings(texts: [&str; 2]) -> Result<[f64; 3], Failed> {
    let [first, second] = texts.map(|text| extract(Notation::Number(Scale::whole(0, 10)), text));
    match (
        first.map_err(|why| failure(&why))?,
        second.map_err(|why| failure(&why))?,
    ) {
        (Stated::Score(first), Stated::Score(second)) => Ok(shares(if first > second {
            Side::First
        } else {
            Side::Second
        })),
        _ => Err((
            "unparsed".into(),
            Some("a rating is no number from 0 to 10".into()),
        )),
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
pub(super) fn score(grade: &RecordedGrade<'_>) -> Option<f64> {
    let Some((text, notation)) = grade.text else {
        return grade.score;
    };
    match extract(notation.parse().ok()?, text) {
        Ok(Stated::Score(score)) => Some(score),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_formats::judgments::games::ShownPair;

    fn of(said: JudgeOutput<'_>, recorded: Option<Side>) -> Game {
        let line = Line {
            item: "q".into(),
            shown: ShownPair::Forward,
            said,
            recorded: Some(recorded),
        };
        game(&line, Some(Notation::OutputLetter))
    }

    #[test]
    fn a_verdict_other_than_the_recorded_one_has_a_reason() {
        let text = JudgeOutput::Text("Output (a)", None);
        assert_eq!(of(text, Some(Side::First)).why, None);
        let why = of(JudgeOutput::Text("Output (a)", None), Some(Side::Second))
            .why
            .unwrap();
        assert!(
            why.contains("ends \"Output (a)\", states the response shown first"),
            "{why}"
        );
        assert!(
            why.ends_with("the source recorded the response shown second"),
            "{why}"
        );
        let why = of(JudgeOutput::Ratings(["3", "7"]), None).why.unwrap();
        assert!(
            why.contains("\"3\" and \"7\"") && why.ends_with("no verdict"),
            "{why}"
        );
        let nothing = of(JudgeOutput::Nothing("refused"), Some(Side::First));
        assert!(nothing.outcome.is_err() && nothing.why.unwrap().contains("no reply to read"));
        assert!(
            of(JudgeOutput::Shares([0.9, 0.0, 0.1]), Some(Side::Tie))
                .why
                .is_some()
        );
    }

    #[test]
    fn a_long_reply_is_shown_by_its_end() {
        let text = format!(
            "{}Therefore, Output (b) is better.",
            "It is long. ".repeat(90)
        );
        let why = of(JudgeOutput::Text(&text, None), None).why.unwrap();
        assert!(
            why.contains("Output (b)") && why.chars().count() < 250,
            "{why}"
        );
    }
}
