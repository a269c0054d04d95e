//! What a recorded judge said, read anew.

use super::Game;
use evenhand_core::Side;
use evenhand_formats::judgments::games::{JudgeOutput, RecordedGame as Line, RecordedGrade};
use evenhand_protocols::{NoVerdict, Notation, Scale, Stated, extract};

/// Characters of a reply that are shown.
const SHOWN: usize = 80;

/// The kind of failure, and why.
struct ReadFailure {
    kind: String,
    why: String,
}

impl ReadFailure {
    fn unparsed(why: impl Into<String>) -> ReadFailure {
        ReadFailure {
            kind: "unparsed".into(),
            why: why.into(),
        }
    }
}

impl From<NoVerdict> for ReadFailure {
    fn from(why: NoVerdict) -> ReadFailure {
        let kind = match why {
            NoVerdict::CutShort => "truncated",
            _ => "unparsed",
        };
        ReadFailure {
            kind: kind.into(),
            why: why.to_string(),
        }
    }
}

/// Reads a game in terms of the slots.
pub(super) fn read_game(line: &Line<'_>, notation: Option<Notation>) -> Game {
    let (outcome, why) = match read_shares(line, notation) {
        Ok(shares) => (Ok(shares), why_otherwise(line, Side::of(shares))),
        Err(failure) => (Err(failure.kind), Some(failure.why)),
    };
    let recorded = line.recorded;
    let margin = match line.said {
        JudgeOutput::Scores([first, second]) => Some(first - second),
        JudgeOutput::Ratings(texts) => {
            let [first, second] = texts.map(|text| rating_in(text).ok());
            first.zip(second).map(|(first, second)| first - second)
        }
        _ => None,
    };
    Game {
        outcome,
        margin,
        recorded,
        why,
    }
}

fn read_shares(line: &Line<'_>, notation: Option<Notation>) -> Result<[f64; 3], ReadFailure> {
    match line.said {
        JudgeOutput::Text(text, own) => {
            let own = || own?.parse().ok();
            shares_of_text(text, notation.or_else(own))
        }
        JudgeOutput::Ratings(texts) => shares_of_ratings(texts),
        // The source's rule for equal scores is its own; where it keeps no verdict, the higher
        // score decides.
        JudgeOutput::Scores(scores) => {
            let recorded = line.recorded.flatten();
            Ok(recorded
                .unwrap_or_else(|| Side::of_scores(scores))
                .certain())
        }
        JudgeOutput::Shares(shares) => Ok(shares),
        JudgeOutput::Nothing(kind) => Err(ReadFailure {
            kind: kind.to_string(),
            why: format!("the source has no reply to read: {kind}"),
        }),
    }
}

/// Says why a verdict stands against what the source recorded; None where it does not, or nothing
/// was recorded.
fn why_otherwise(line: &Line<'_>, read: Side) -> Option<String> {
    let recorded = line.recorded.filter(|recorded| *recorded != Some(read))?;
    Some(format!(
        "{} {}; the source recorded {}",
        output_text(&line.said),
        slot_text(read),
        recorded.map_or("no verdict", slot_text)
    ))
}

/// Returns the start of a sentence on the verdict that a judge's output gives.
fn output_text(said: &JudgeOutput<'_>) -> String {
    match said {
        JudgeOutput::Text(text, _) => format!("the reply, which ends {:?}, states", end_of(text)),
        JudgeOutput::Ratings(texts) => {
            let [first, second] = texts.map(end_of);
            format!("the ratings, which end {first:?} and {second:?}, give")
        }
        JudgeOutput::Scores([first, second]) => format!("the scores {first} and {second} give"),
        JudgeOutput::Shares(_) | JudgeOutput::Nothing(_) => {
            "the recorded probabilities give".into()
        }
    }
}

fn slot_text(side: Side) -> &'static str {
    match side {
        Side::First => "the response shown first",
        Side::Tie => "a tie",
        Side::Second => "the response shown second",
    }
}

/// Returns the end of a reply.
fn end_of(text: &str) -> String {
    let text = text.trim_end();
    let skipped = text.chars().count().saturating_sub(SHOWN);
    text.chars().skip(skipped).collect()
}

fn shares_of_text(text: &str, notation: Option<Notation>) -> Result<[f64; 3], ReadFailure> {
    let notation = notation.ok_or_else(|| {
        ReadFailure::unparsed("the file does not say which notation the judge was asked for")
    })?;
    let side = extract(notation, text)?
        .preferred()
        .ok_or_else(|| ReadFailure::unparsed(format!("{notation} scores a single response")))?;
    Ok(side.certain())
}

/// Compares two ratings, each of a response by itself; the evaluator gives equal ones to the second
/// slot.
fn shares_of_ratings([first, second]: [&str; 2]) -> Result<[f64; 3], ReadFailure> {
    let is_first = rating_in(first)? > rating_in(second)?;
    let side = if is_first { Side::First } else { Side::Second };
    Ok(side.certain())
}

fn rating_in(text: &str) -> Result<f64, ReadFailure> {
    match extract(Notation::Number(Scale::whole(0, 10)), text)? {
        Stated::Score(score) => Ok(score),
        _ => Err(ReadFailure::unparsed(
            "a rating is not a number from 0 to 10",
        )),
    }
}

/// Returns a score, read from its text where there is one.
pub(super) fn read_score(grade: &RecordedGrade<'_>) -> Option<f64> {
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
            question: None,
            item: "q".into(),
            shown: ShownPair::Forward,
            said,
            recorded: Some(recorded),
        };
        read_game(&line, Some(Notation::OutputLetter))
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
