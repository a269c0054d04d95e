//! One record, and the sink that its lines go to. Each format adds the methods that read its
//! records.

use super::super::judgment_row::JudgmentRow;
use super::{
    JudgeOutput, JudgmentLine, LineSink, PairLabel, RecordedGame, RecordedGrade, Result, ShownPair,
    verdict_shares,
};
use crate::judgments::Options;
use evenhand_core::Side;

/// One record, and the sink that its lines go to.
pub(in super::super) struct LineReader<'r, 's> {
    pub(in super::super) row: JudgmentRow<'r>,
    /// From 0, in its file.
    pub(in super::super) position: u64,
    pub(in super::super) options: &'r Options,
    pub(in super::super) sink: &'r mut LineSink<'s>,
}

impl LineReader<'_, '_> {
    pub(in super::super) fn give_label(&mut self, label: PairLabel) -> Result {
        (self.sink)(JudgmentLine::Label(label), self.row.place)
    }

    pub(in super::super) fn give_game(&mut self, game: RecordedGame<'_>) -> Result {
        let question = self.row.name_if_any("question_id");
        let game = RecordedGame { question, ..game };
        (self.sink)(JudgmentLine::Game(game), self.row.place)
    }

    pub(in super::super) fn give_grade(&mut self, grade: RecordedGrade<'_>) -> Result {
        (self.sink)(JudgmentLine::Grade(grade), self.row.place)
    }

    /// Hands over a verdict of which the source keeps nothing beside it.
    pub(in super::super) fn give_bare_game(
        &mut self,
        item: String,
        shown: ShownPair,
        verdict: Option<Side>,
    ) -> Result {
        self.give_game(RecordedGame {
            question: None,
            item,
            shown,
            said: verdict_shares(verdict),
            recorded: None,
        })
    }

    /// Hands over a reply, and the verdict that the source read in it.
    pub(in super::super) fn give_read_game(
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
    pub(in super::super) fn numbered_item(&self) -> Result<String> {
        let index = self.row.optional_name("index")?;
        Ok(index.unwrap_or_else(|| self.position.to_string()))
    }

    /// Returns the lengths of two responses in characters, where the record has both.
    pub(in super::super) fn response_lengths(&self, fields: [&str; 2]) -> Option<[u32; 2]> {
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
pub(in super::super) struct JudgeReply<'a> {
    pub(in super::super) text: Option<&'a str>,
    pub(in super::super) notation: &'static str,
    pub(in super::super) recorded: Option<Side>,
}

impl<'a> JudgeReply<'a> {
    /// Returns the text in its notation, or where there is none the recorded verdict.
    pub(in super::super) fn output(self) -> JudgeOutput<'a> {
        match self.text {
            Some(text) => JudgeOutput::Text(text, Some(self.notation)),
            None => verdict_shares(self.recorded),
        }
    }
}
