//! MT-Bench (Zheng et al. 2023): pairs judged in both orders, and single answers graded.

use super::super::judgment_row::JudgmentRow;
use super::super::mt_bench::{grade_of, item_of_turn};
use super::line_reader::{JudgeReply, LineReader};
use super::{RecordedGrade, Result, ShownPair};
use evenhand_core::Side;

/// A game's fields, and which of the record's two systems is shown first and second.
struct GameFields {
    winner: &'static str,
    judgment: &'static str,
    shown: [usize; 2],
}

const GAMES: [GameFields; 2] = [
    GameFields {
        winner: "g1_winner",
        judgment: "g1_judgment",
        shown: [0, 1],
    },
    GameFields {
        winner: "g2_winner",
        judgment: "g2_judgment",
        shown: [1, 0],
    },
];

impl LineReader<'_, '_> {
    /// Reads two games: `model_1` is shown first in the first, `model_2` in the second.
    pub(super) fn read_game_pair(&mut self) -> Result {
        let systems = self.row.required_names(["model_1", "model_2"])?;
        let item = item_of_turn(self.row)?;
        for game in &GAMES {
            let reply = game.reply(self.row, &systems);
            let shown = game.shown.map(|at| systems[at].clone());
            self.give_read_game(item.clone(), ShownPair::Systems(shown), reply)?;
        }
        Ok(())
    }

    /// Reads one graded answer. A score below 0 stands for a reply without one.
    pub(super) fn read_single(&mut self) -> Result {
        let text = self.row.find_text("judgment");
        let score = grade_of(self.row)?;
        self.give_grade(RecordedGrade {
            item: item_of_turn(self.row)?,
            system: self.row.required_name("model")?,
            text: text.map(|text| (text, "bracketed-number")),
            score,
        })
    }
}

impl GameFields {
    fn reply<'r>(&self, row: JudgmentRow<'r>, systems: &[String; 2]) -> JudgeReply<'r> {
        JudgeReply {
            text: row.find_text(self.judgment),
            notation: "bracketed-letter",
            recorded: self.find_side(row, systems),
        }
    }

    /// Returns the side of the system that won.
    fn find_side(&self, row: JudgmentRow<'_>, systems: &[String; 2]) -> Option<Side> {
        let winner = match row.required_text(self.winner).unwrap_or("error") {
            "model_1" => &systems[0],
            "model_2" => &systems[1],
            other => other,
        };
        let [first, second] = self.shown.map(|at| systems[at].as_str());
        side_of(winner, first, second)
    }
}

/// Returns the side of a word: the name of either system, or `tie`, which a system may be called
/// too.
fn side_of(winner: &str, first: &str, second: &str) -> Option<Side> {
    if winner == first {
        Some(Side::First)
    } else if winner == second {
        Some(Side::Second)
    } else {
        (winner == "tie").then_some(Side::Tie)
    }
}
