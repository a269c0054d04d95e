//! What the marks around a text call it, and what is left out, in our words.

use crate::form::LETTERS;
use evenhand_core::{Piece, Response, Role, Step, StepKind, Trajectory};

/// The labels of a response in its slot, and of the turns before it.
#[derive(Clone, Copy)]
pub(super) struct SlotLabels<'a> {
    slot: usize,
    /// How many responses are shown.
    count: usize,
    pub(super) response: &'a Response,
}

impl<'a> SlotLabels<'a> {
    pub(super) fn new(slot: usize, count: usize, response: &'a Response) -> SlotLabels<'a> {
        SlotLabels {
            slot,
            count,
            response,
        }
    }

    /// Returns the label of the text: `ANSWER A`, or `ANSWER A, TURN 2 OF 2` where the earlier
    /// answers are judged with it.
    pub(super) fn answer(self) -> String {
        let name = self.name("ANSWER");
        if let Some(trajectory) = &self.response.trajectory {
            let piece = describe_piece(trajectory.final_piece);
            return format!("{name}, FINAL MESSAGE{piece}");
        }
        let turns = self.earlier_answers() + 1;
        if self.response.whole && turns > 1 {
            return format!("{name}, TURN {turns} OF {turns}");
        }
        name
    }

    /// Returns the labels of the turns before the text.
    pub(super) fn earlier(self) -> impl Iterator<Item = String> {
        let mut number = 0;
        let all = self.earlier_answers();
        self.response.earlier.iter().map(move |turn| {
            if turn.role != Role::Assistant {
                return self.name("USER TURN AFTER ANSWER");
            }
            number += 1;
            let name = self.name("ANSWER");
            match all {
                _ if self.response.whole => format!("{name}, TURN {number} OF {}", all + 1),
                1 => format!("{name} TO THE EARLIER TURN, FOR CONTEXT"),
                _ => format!("{name} TO EARLIER TURN {number}, FOR CONTEXT"),
            }
        })
    }

    pub(super) fn name(self, what: &str) -> String {
        label_slot(what, self.slot, self.count)
    }

    fn earlier_answers(self) -> usize {
        let turns = self.response.earlier.iter();
        turns.filter(|turn| turn.role == Role::Assistant).count()
    }
}

/// Returns a label such as `ANSWER B`; `ANSWER` alone where there is no other.
pub(super) fn label_slot(what: &str, slot: usize, count: usize) -> String {
    match LETTERS.chars().nth(slot) {
        Some(letter) if count > 1 => format!("{what} {letter}"),
        _ => what.to_string(),
    }
}

/// Describes a step: `RESULT OF STEP 1, ITS END`.
pub(super) fn describe_step(step: &Step) -> String {
    let kind = match step.kind {
        StepKind::Message => "MESSAGE".into(),
        StepKind::Thinking => "THINKING".into(),
        StepKind::Call => "TOOL CALL".into(),
        StepKind::User => "USER".into(),
        StepKind::System => "SYSTEM".into(),
        StepKind::Result { of, failed } => {
            let call = of.map_or("OF A TOOL".into(), |step| format!("OF STEP {step}"));
            let error = if failed { ", AN ERROR" } else { "" };
            format!("RESULT {call}{error}")
        }
    };
    let context = match step.for_context {
        true => ", FOR CONTEXT",
        false => "",
    };
    format!("{kind}{}{context}", describe_piece(step.piece))
}

fn describe_piece(piece: Piece) -> &'static str {
    match piece {
        Piece::Whole => "",
        Piece::Beginning => ", ITS BEGINNING",
        Piece::End => ", ITS END",
    }
}

/// Says in our words what is left out of a trajectory, in its place; nothing where all is there.
pub(super) fn insert_gap(blocks: &mut Vec<String>, trajectory: &Trajectory, of_whom: &str) {
    let Some(gap) = trajectory.left_out else {
        return;
    };
    let count_noun = |count: u64, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let tokens = count_noun(gap.tokens, "token");
    let steps = match gap.steps {
        0 => String::new(),
        steps => format!(", among them {} whole", count_noun(steps.into(), "step")),
    };
    let words = format!("({tokens}{of_whom} left out here{steps}.)");
    blocks.insert(gap.after.min(blocks.len()), words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::Gap;

    #[test]
    fn a_step_is_labelled_by_what_it_is() {
        let step = Step {
            number: 2,
            kind: StepKind::Result {
                of: Some(1),
                failed: true,
            },
            text: String::new(),
            piece: Piece::End,
            for_context: true,
        };
        assert_eq!(
            describe_step(&step),
            "RESULT OF STEP 1, AN ERROR, ITS END, FOR CONTEXT"
        );
    }

    #[test]
    fn a_gap_says_its_size() {
        let trajectory = Trajectory {
            left_out: Some(Gap {
                after: 1,
                tokens: 1,
                steps: 3,
            }),
            ..Trajectory::default()
        };
        let words = "(1 token of ANSWER B left out here, among them 3 steps whole.)";
        let mut blocks = vec!["a".to_owned(), "b".to_owned()];
        insert_gap(&mut blocks, &trajectory, " of ANSWER B");
        assert_eq!(blocks, ["a", words, "b"]);
    }
}
