//! The lines of recorded judgments, and the reader of one record, which hands them over. Each
//! format adds the methods that read its records.

use crate::error::{Place, Result};
use crate::judgments::judgment_row::JudgmentRow;
use crate::judgments::{Options, UNPARSED};
use crate::records::Vote;
use evenhand_core::Side;

/// A line of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgmentLine<'a> {
    /// The labels that people (or the truth) give a pair.
    Label(PairLabel),
    /// A judge's verdict on a pair that it was shown in one order.
    Game(RecordedGame<'a>),
    /// A judge's verdict on a single response.
    Grade(RecordedGrade<'a>),
    /// A battle: people's vote or a judge's verdict, which the file does not tell apart. The order
    /// shown is not known.
    Battle(RecordedGame<'a>),
}

/// The labels that people give a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairLabel {
    /// The name of the item, or of the pair where a file names pairs.
    pub item: String,
    /// The name that pairs on the same instruction have in common, where it is not the item's name.
    pub cluster: Option<String>,
    /// The part of the input set that it belongs to, where the file says so.
    pub category: Option<String>,
    /// The systems; None where the file does not name them.
    pub systems: Option<[String; 2]>,
    /// The lengths of the two responses in characters, where the file has them.
    pub lengths: Option<[u32; 2]>,
    /// Whether the two responses are the same; false where the file does not have them.
    pub same: bool,
    /// Which of the two is better: one for each annotator.
    pub preferred: Vec<Side>,
    /// Decides between people who disagree: it counts in the place of their labels.
    pub decides: bool,
}

impl PairLabel {
    /// Returns the outcome with more votes than each other; a tie where none has.
    pub fn plurality(&self) -> Side {
        Side::plurality(self.votes().map(f64::from))
    }

    /// Returns how many annotators prefer the first, neither and the second.
    pub fn votes(&self) -> [u32; 3] {
        [Side::First, Side::Tie, Side::Second].map(|side| {
            let votes = self.preferred.iter();
            votes.filter(|vote| **vote == side).count() as u32
        })
    }

    /// Returns the one label of a pair whose systems have no names.
    pub(super) fn of_pair(item: String, preferred: Side) -> Self {
        PairLabel {
            item,
            preferred: vec![preferred],
            ..PairLabel::default()
        }
    }

    /// Returns the labels of named systems.
    pub(in crate::judgments) fn of_votes(
        item: String,
        systems: [String; 2],
        votes: &[Vote],
    ) -> Self {
        PairLabel {
            item,
            systems: Some(systems),
            preferred: votes.iter().map(|vote| vote.preferred).collect(),
            decides: votes.iter().any(|vote| vote.decides),
            ..PairLabel::default()
        }
    }
}

/// A judge's verdict on a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGame<'a> {
    /// The name of the item, or of the pair.
    pub item: String,
    /// The name that items of the same question have in common: the record's `question_id`, or what
    /// its format has in its place; None where it has neither.
    pub question: Option<String>,
    /// Which responses it was shown, and where.
    pub shown: ShownPair,
    /// The judge's reply.
    pub said: JudgeOutput<'a>,
    /// The verdict that the source read in it, in terms of the slots; the inner None where it found
    /// no verdict. The outer None where the source keeps no verdict beside what was said.
    pub recorded: Option<Option<Side>>,
}

/// Which responses a judge was shown, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownPair {
    /// By the names of their systems: the first and the second.
    Systems([String; 2]),
    /// By the names of their systems, in an order that the file does not tell.
    Unordered([String; 2]),
    /// The two of the item's pair, in the order of the label.
    Forward,
    /// The two of the item's pair, in the reverse of that order.
    Swapped,
}

/// A judge's reply, in terms of the slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JudgeOutput<'a> {
    /// A text, and the notation that its verdict is in, where the format has one.
    Text(&'a str, Option<&'static str>),
    /// A text with a score for each response, each by itself; equal ones are the second's, by the
    /// rule of the evaluator.
    Ratings([&'a str; 2]),
    /// A score for each response, in the order of the slots, of which the higher is better; without
    /// a text. What equal ones mean is for the source to say.
    Scores([f64; 2]),
    /// The probabilities of "the first is better", "a tie", "the second is better".
    Shares([f64; 3]),
    /// Nothing: the kind of failure.
    Nothing(&'static str),
}

/// A judge's verdict on a single response.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGrade<'a> {
    /// The name of the item.
    pub item: String,
    /// The name of its question, as a game has it.
    pub question: Option<String>,
    /// The system.
    pub system: String,
    /// The text and the notation of its score, where the file has a text.
    pub text: Option<(&'a str, &'static str)>,
    /// The score that the source records; None where it found none.
    pub score: Option<f64>,
}

/// Takes the lines one by one, each with its place; an error ends the reading.
pub type LineSink<'s> = dyn FnMut(JudgmentLine<'_>, &Place) -> Result + 's;

/// One record, and the sink that its lines go to.
pub(in crate::judgments) struct LineReader<'r, 's> {
    pub(in crate::judgments) row: JudgmentRow<'r>,
    /// From 0, in its file.
    pub(in crate::judgments) position: u64,
    pub(in crate::judgments) options: &'r Options,
    /// The name that the record's question has, where it has one.
    pub(in crate::judgments) question: Option<String>,
    pub(in crate::judgments) sink: &'r mut LineSink<'s>,
}

impl LineReader<'_, '_> {
    pub(in crate::judgments) fn give_label(&mut self, label: PairLabel) -> Result {
        (self.sink)(JudgmentLine::Label(label), self.row.place)
    }

    pub(in crate::judgments) fn give_game(
        &mut self,
        item: String,
        shown: ShownPair,
        said: JudgeOutput<'_>,
        recorded: Option<Option<Side>>,
    ) -> Result {
        let game = RecordedGame {
            item,
            question: self.question.clone(),
            shown,
            said,
            recorded,
        };
        (self.sink)(JudgmentLine::Game(game), self.row.place)
    }

    pub(in crate::judgments) fn give_grade(
        &mut self,
        item: String,
        system: String,
        text: Option<(&str, &'static str)>,
        score: Option<f64>,
    ) -> Result {
        let grade = RecordedGrade {
            item,
            question: self.question.clone(),
            system,
            text,
            score,
        };
        (self.sink)(JudgmentLine::Grade(grade), self.row.place)
    }

    /// Returns the record's index, or its number in its file where it has none.
    pub(in crate::judgments) fn numbered_item(&self) -> Result<String> {
        let index = self.row.optional_name("index")?;
        Ok(index.unwrap_or_else(|| self.position.to_string()))
    }

    /// Returns the lengths of two responses in characters, where the record has both.
    pub(in crate::judgments) fn response_lengths(&self, fields: [&str; 2]) -> Option<[u32; 2]> {
        let [first, second] = fields.map(|field| {
            let length = self.row.text_length(field)?;
            Some(u32::try_from(length).unwrap_or(u32::MAX))
        });
        first.zip(second).map(<[u32; 2]>::from)
    }

    /// Returns whether two responses are the same, where the record has both.
    pub(in crate::judgments) fn has_same_responses(&self, fields: [&str; 2]) -> bool {
        let [first, second] = fields.map(|field| self.row.find(field));
        first.is_some() && first == second
    }
}

impl<'a> JudgeOutput<'a> {
    /// Returns a judge's text in its notation, or where there is none the verdict that the source
    /// read in it.
    pub(in crate::judgments) fn of_reply(
        text: Option<&'a str>,
        notation: &'static str,
        recorded: Option<Side>,
    ) -> Self {
        match text {
            Some(text) => JudgeOutput::Text(text, Some(notation)),
            None => JudgeOutput::of_verdict(recorded),
        }
    }

    /// Returns the recorded verdict alone, where there is no text.
    pub(in crate::judgments) fn of_verdict(recorded: Option<Side>) -> Self {
        match recorded {
            Some(side) => JudgeOutput::Shares(side.certain()),
            None => JudgeOutput::Nothing(UNPARSED),
        }
    }
}
