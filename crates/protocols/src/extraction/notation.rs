//! Notations and their names.

use super::Stated;
use crate::Scale;
use std::fmt;
use std::str::FromStr;

/// How a judge writes its verdict down.
///
/// Names are kebab-case; a notation with a scale takes it after a colon: `bracketed-number:1-5`.
/// Where none is given it is 1-10, 0-10 for `score-pair` (its judges give 0 to an empty answer),
/// 1-5 for `result-number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `output-letter`: "Output (a)", or "Therefore, Output (a) is better." (LLMBar, PRePair). No
    /// tie.
    OutputLetter,
    /// `bracketed-letter`: `[[A]]`, `[[B]]`, `[[C]]` for a tie (MT-Bench's pairwise judge).
    BracketedLetter,
    /// `bracketed-strength`: `[[A>>B]]`, `[[A>B]]`, `[[A=B]]`, `[[B>A]]`, `[[B>>A]]` (Arena-Hard,
    /// JudgeBench).
    BracketedStrength,
    /// `bracketed-number`: `[[7]]` (MT-Bench's single-answer grading).
    BracketedNumber(Scale),
    /// `score-pair`: two scores, as a line "8 9" (Vicuna, FairEval) or said of Assistant 1 and
    /// Assistant 2.
    ScorePair(Scale),
    /// `number`: a number alone, or on a line of its own ("Score: 7").
    Number(Scale),
    /// `five-point`: a whole number from 1 (the first is significantly better) to 5 (the second
    /// is), 3 a tie (RealRank).
    FivePoint,
    /// `result-letter`: `[RESULT] A` or `[RESULT] B` (Prometheus 2's relative grading). No tie.
    ResultLetter,
    /// `result-number`: `[RESULT] 4` (Prometheus 2's direct assessment).
    ResultNumber(Scale),
    /// `final-decision`: "the final decision is Response 1", Response 2 or tie (Auto-J).
    FinalDecision,
    /// `first-line`: the first line is "1", "2", or "Tie" or "0" for a tie (PandaLM).
    FirstLine,
    /// `case-of-m`: the reply is "m" for the first or "M" for the second (AlpacaEval 2).
    CaseOfM,
}

/// Why a name could not be read: no notation has it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown notation `{0}`: expected output-letter, bracketed-letter, bracketed-strength, \
     bracketed-number[:LOW-HIGH], \
     score-pair[:LOW-HIGH], number[:LOW-HIGH], result-number[:LOW-HIGH], five-point, \
     result-letter, final-decision, first-line or \
     case-of-m"
)]
pub struct UnknownNotation(pub String);

/// The scale of MT-Bench.
const ONE_TO_TEN: Scale = Scale::whole(1, 10);
/// Vicuna's prompt asks for 1 to 10, and its judges give 0 to an empty answer.
const ZERO_TO_TEN: Scale = Scale::whole(0, 10);
/// The scale of Prometheus 2's rubrics.
const ONE_TO_FIVE: Scale = Scale::whole(1, 5);

/// The notations without a scale, by name.
const WITHOUT_SCALE: [(&str, Notation); 8] = [
    ("output-letter", Notation::OutputLetter),
    ("bracketed-letter", Notation::BracketedLetter),
    ("bracketed-strength", Notation::BracketedStrength),
    ("five-point", Notation::FivePoint),
    ("result-letter", Notation::ResultLetter),
    ("final-decision", Notation::FinalDecision),
    ("first-line", Notation::FirstLine),
    ("case-of-m", Notation::CaseOfM),
];

/// A kind of notation that has a scale.
struct ScaledKind {
    name: &'static str,
    /// The scale where none is given.
    default: Scale,
    with: fn(Scale) -> Notation,
}

/// The notations with a scale.
const WITH_SCALE: [ScaledKind; 4] = [
    ScaledKind {
        name: "bracketed-number",
        default: ONE_TO_TEN,
        with: Notation::BracketedNumber,
    },
    ScaledKind {
        name: "score-pair",
        default: ZERO_TO_TEN,
        with: Notation::ScorePair,
    },
    ScaledKind {
        name: "result-number",
        default: ONE_TO_FIVE,
        with: Notation::ResultNumber,
    },
    ScaledKind {
        name: "number",
        default: ONE_TO_TEN,
        with: Notation::Number,
    },
];

impl Notation {
    /// Writes what states this in the notation, as [`extract`](super::extract) reads it; None where
    /// the notation cannot say it.
    pub(crate) fn write(self, stated: Stated) -> Option<String> {
        /// Returns the words for the first, the second or neither; None for anything else.
        fn side<'a>(stated: Stated, words: &[&'a str]) -> Option<&'a str> {
            let at = match stated {
                Stated::First => 0,
                Stated::Second => 1,
                Stated::Tie => 2,
                _ => return None,
            };
            words.get(at).copied()
        }
        let score = |scale: Scale| match stated {
            Stated::Score(score) if scale.contains(score) => Some(score),
            _ => None,
        };
        Some(match self {
            Notation::OutputLetter => side(stated, &["Output (a)", "Output (b)"])?.into(),
            Notation::BracketedLetter => side(stated, &["[[A]]", "[[B]]", "[[C]]"])?.into(),
            Notation::ResultLetter => side(stated, &["[RESULT] A", "[RESULT] B"])?.into(),
            Notation::FinalDecision => {
                let said = side(stated, &["Response 1", "Response 2", "tie"])?;
                format!("the final decision is {said}")
            }
            Notation::FirstLine => side(stated, &["1", "2", "Tie"])?.into(),
            Notation::CaseOfM => side(stated, &["m", "M"])?.into(),
            Notation::BracketedStrength => {
                let Stated::Strength(strength) = stated else {
                    return None;
                };
                ["[[A>>B]]", "[[A>B]]", "[[A=B]]", "[[B>A]]", "[[B>>A]]"][strength as usize].into()
            }
            Notation::FivePoint => {
                let Stated::Strength(strength) = stated else {
                    return None;
                };
                (strength as usize + 1).to_string()
            }
            Notation::BracketedNumber(scale) => format!("[[{}]]", score(scale)?),
            Notation::Number(scale) => score(scale)?.to_string(),
            Notation::ResultNumber(scale) => format!("[RESULT] {}", score(scale)?),
            Notation::ScorePair(scale) => {
                let Stated::Scores(first, second) = stated else {
                    return None;
                };
                let fits = scale.contains(first) && scale.contains(second);
                fits.then(|| format!("{first} {second}"))?
            }
        })
    }
}

impl FromStr for Notation {
    type Err = UnknownNotation;

    fn from_str(name: &str) -> Result<Notation, UnknownNotation> {
        if let Some((_, notation)) = WITHOUT_SCALE.iter().find(|(known, _)| *known == name) {
            return Ok(*notation);
        }
        let unknown = || UnknownNotation(name.into());
        let (kind, scale) = match name.split_once(':') {
            Some((kind, scale)) => (kind, Some(scale)),
            None => (name, None),
        };
        let kind = WITH_SCALE.iter().find(|known| known.name == kind);
        let kind = kind.ok_or_else(unknown)?;
        let scale = scale.map_or(Some(kind.default), Scale::parse);
        Ok((kind.with)(scale.ok_or_else(unknown)?))
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = match *self {
            Notation::BracketedNumber(scale)
            | Notation::ScorePair(scale)
            | Notation::Number(scale)
            | Notation::ResultNumber(scale) => scale,
            plain => {
                let kind = WITHOUT_SCALE.iter().find(|(_, known)| *known == plain);
                return f.write_str(kind.map_or("", |(name, _)| name));
            }
        };
        let kind = WITH_SCALE.iter().find(|kind| (kind.with)(scale) == *self);
        write!(f, "{}:{scale}", kind.map_or("", |kind| kind.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_round() {
        let names = [
            "output-letter",
            "bracketed-letter",
            "bracketed-strength",
            "five-point",
            "first-line",
            "case-of-m",
        ];
        let names =
            names
                .into_iter()
                .chain(["result-letter", "final-decision", "result-number:1-5"]);
        for name in names.chain(["bracketed-number:1-5", "score-pair:0-9", "number:1-7"]) {
            assert_eq!(
                name.parse::<Notation>()
                    .map(|notation| notation.to_string()),
                Ok(name.to_string())
            );
        }
        assert_eq!("score-pair".parse(), Ok(Notation::ScorePair(ZERO_TO_TEN)));
        assert_eq!("number".parse(), Ok(Notation::Number(ONE_TO_TEN)));
    }

    #[test]
    fn what_is_written_is_read() {
        use crate::extraction::Strength::{
            Equal, FirstMuch, FirstSlightly, SecondMuch, SecondSlightly,
        };
        use crate::extraction::extract;
        let sides = [Stated::First, Stated::Second, Stated::Tie];
        let strengths = [FirstMuch, FirstSlightly, Equal, SecondSlightly, SecondMuch];
        let all: Vec<Stated> = sides
            .into_iter()
            .chain(strengths.map(Stated::Strength))
            .chain((0..=10).map(|score| Stated::Score(f64::from(score))))
            .chain((0..=10).map(|score| Stated::Scores(f64::from(score), 7.0)))
            .collect();
        let scaled = WITH_SCALE.iter().map(|kind| (kind.with)(kind.default));
        for notation in WITHOUT_SCALE.map(|(_, one)| one).into_iter().chain(scaled) {
            let mut written = 0;
            for stated in &all {
                if let Some(text) = notation.write(*stated) {
                    assert_eq!(extract(notation, &text), Ok(*stated), "{notation}: {text}");
                    written += 1;
                }
            }
            assert!(written >= 2, "{notation}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in [
            "",
            "letter",
            "Output-letter",
            "output-letter:1-5",
            "number:",
            "number:5-1",
            "bracketed-number:a-b",
        ] {
            assert_eq!(name.parse::<Notation>(), Err(UnknownNotation(name.into())));
        }
    }
}
