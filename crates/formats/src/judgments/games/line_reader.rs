//! One record, and the sink that its lines go to. Each format adds the methods that read its
//! records.

use super::super::judgment_row::JudgmentRow;
use super::{
    JudgeOutput, JudgmentLine, LineSink, PairLabel, RecordedGame, RecordedGrade, ShownPair,
    verdict_shares,
};
use crate::error::Result;
use crate::judgments::Options;
use evenhand_core::Side;

/// One record, and the sink that its lines go to.
pub(in crate::judgments) struct LineReader<'r, 's> {
    pub(in crate::judgments) row: JudgmentRow<'r>,
    /// From 0, in its file.
    pub(in crate::judgments) position: u64,
    pub(in crate::judgments) options: &'r Options,
    pub(in crate::judgments) sink: &'r mut LineSink<'s>,
}

impl LineReader<'_, '_> {
    pub(in crate::judgments) fn give_label(&mut self, label: PairLabel) -> Result {
        (self.sink)(JudgmentLine::Label(label), self.row.place)
    }

    pub(in crate::judgments) fn give_game(&mut self, game: RecordedGame<'_>) -> Result {
        let question = self.row.name_if_any("question_id");
        let game = RecordedGame { question, ..game };
        (self.sink)(JudgmentLine::Game(game), self.row.place)
    }

    pub(in crate::judgments) fn give_grade(&mut self, grade: RecordedGrade<'_>) -> Result {
        (self.sink)(JudgmentLine::Grade(grade), self.row.place)
    }

    /// Hands over a reply, and the verdict that the source read in it.
    pub(in crate::judgments) fn give_read_game(
        &mut self,
        item: String,
        shown: ShownPair,
        reply: JudgeReply<'_>,
    ) -> Result {
        self.give_game(RecordedGame {
            question: None,
            item,
            shown,
            said: reply.output(),
            recorded: Some(reply.recorded),
        })
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
}

/// A judge's reply with its notation, where there is one, and the verdict that the source read in
/// it.
#[derive(Clone, Copy)]
pub(in crate::judgments) struct JudgeReply<'a> {
    pub(in crate::judgments) text: Option<&'a str>,
    pub(in crate::judgments) notation: &'static str,
    pub(in crate::judgments) recorded: Option<Side>,
}

impl<'a> JudgeReply<'a> {
    /// Returns the text in its notation, or where there is none the recorded verdict.
    pub(in crate::judgments) fn output(self) -> JudgeOutput<'a> {
        match self.text {
            Some(text) => JudgeOutput::Text(text, Some(self.notation)),
            None => verdict_shares(self.recorded),
        }
    }
}
