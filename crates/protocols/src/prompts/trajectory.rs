//! Trajectories in a prompt: each step between marks of its own, and what is left out in our words.

use super::texts::{SlotLabels, Texts, head_text};
use evenhand_core::{Piece, Step, StepKind, Trajectory};

impl Texts<'_> {
    /// Fences each step of a trajectory, with what is left out in its place. Between fences are
    /// words of ours alone, so that no step can say that something is left out.
    pub(super) fn fence_steps(&self, labels: SlotLabels, trajectory: &Trajectory) -> Vec<String> {
        let name = labels.name("ANSWER");
        let mut blocks = Vec::new();
        for step in &trajectory.steps {
            let (number, all) = (step.number, trajectory.length);
            let label = format!("{name}, STEP {number} OF {all}: {}", describe_step(step));
            blocks.push(self.fence(&label, &step.text));
        }
        insert_gap(&mut blocks, trajectory, &format!(" of {name}"));
        blocks
    }

    /// Puts each step of a trajectory under a heading.
    pub(super) fn head_steps(&self, trajectory: &Trajectory) -> Vec<String> {
        let mut blocks = Vec::new();
        for step in &trajectory.steps {
            let step_in_words = describe_step(step).to_lowercase();
            let heading = format!("Step {}, {step_in_words}:", step.number);
            blocks.push(head_text(&heading, &self.plain(&step.text)));
        }
        insert_gap(&mut blocks, trajectory, "");
        blocks
    }
}

/// Describes a step: `RESULT OF STEP 1, ITS END`.
fn describe_step(step: &Step) -> String {
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

pub(super) fn describe_piece(piece: Piece) -> &'static str {
    match piece {
        Piece::Whole => "",
        Piece::Beginning => ", ITS BEGINNING",
        Piece::End => ", ITS END",
    }
}

/// Puts what is said of the gap in its place.
fn insert_gap(blocks: &mut Vec<String>, trajectory: &Trajectory, of_whom: &str) {
    if let (Some(gap), Some(words)) = (trajectory.left_out, describe_gap(trajectory, of_whom)) {
        blocks.insert(gap.after.min(blocks.len()), words);
    }
}

/// Says in our words what is left out; None where nothing is.
fn describe_gap(trajectory: &Trajectory, of_whom: &str) -> Option<String> {
    let gap = trajectory.left_out?;
    let count_noun = |count: u64, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let tokens = count_noun(gap.tokens, "token");
    let steps = match gap.steps {
        0 => String::new(),
        steps => format!(", among them {} whole", count_noun(steps.into(), "step")),
    };
    Some(format!("({tokens}{of_whom} left out here{steps}.)"))
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
        let words = describe_gap(&trajectory, " of ANSWER B").unwrap();
        assert_eq!(
            words,
            "(1 token of ANSWER B left out here, among them 3 steps whole.)"
        );
        let mut blocks = vec!["a".to_owned(), "b".to_owned()];
        insert_gap(&mut blocks, &trajectory, " of ANSWER B");
        assert_eq!(blocks, ["a", words.as_str(), "b"]);
    }
}
