//! Trajectories in a prompt: each step between marks of its own, and what is left out in our words.

use super::texts::{SlotLabels, Texts, head_text};
use evenhand_core::{Gap, Piece, Step, StepKind, Trajectory};

impl Texts<'_> {
    /// Fences each step of a trajectory, with what is left out in its place. Between fences are
    /// words of ours alone, so that no step can say that something is left out.
    pub(super) fn fence_steps(&self, labels: SlotLabels, trajectory: &Trajectory) -> Vec<String> {
        let steps = trajectory.steps.iter();
        let blocks = steps.map(|step| {
            let label = labels.step(step, trajectory);
            self.fence(&label, &step.text)
        });
        let gap = describe_gap(trajectory, &format!(" of {}", labels.name("ANSWER")));
        insert_gap(blocks.collect(), trajectory, gap)
    }

    /// Puts each step of a trajectory under a heading.
    pub(super) fn head_steps(&self, trajectory: &Trajectory) -> Vec<String> {
        let steps = trajectory.steps.iter();
        let blocks = steps.map(|step| {
            let heading = format!(
                "Step {}, {}:",
                step.number,
                describe_step(step).to_lowercase()
            );
            head_text(&heading, &self.plain(&step.text))
        });
        insert_gap(blocks.collect(), trajectory, describe_gap(trajectory, ""))
    }
}

impl SlotLabels<'_> {
    /// Returns the label of a step: `ANSWER A, STEP 2 OF 5: RESULT OF STEP 1`.
    fn step(self, step: &Step, trajectory: &Trajectory) -> String {
        let (name, number, all) = (self.name("ANSWER"), step.number, trajectory.length);
        format!("{name}, STEP {number} OF {all}: {}", describe_step(step))
    }

    /// Returns the label of the final message: `ANSWER A, FINAL MESSAGE`.
    pub(super) fn final_message(self, trajectory: &Trajectory) -> String {
        let piece = describe_piece(trajectory.final_piece);
        format!("{}, FINAL MESSAGE{piece}", self.name("ANSWER"))
    }

    /// Whether the response is a trajectory that ends without a message.
    pub(super) fn lacks_final_message(self) -> bool {
        self.response.trajectory.is_some() && self.response.text.is_empty()
    }

    pub(super) fn no_final_message(self) -> String {
        format!("({} ends without a final message.)", self.name("ANSWER"))
    }
}

fn describe_step(step: &Step) -> String {
    let context = if step.for_context {
        ", FOR CONTEXT"
    } else {
        ""
    };
    let piece = describe_piece(step.piece);
    format!("{}{piece}{context}", describe_kind(step.kind))
}

fn describe_kind(kind: StepKind) -> String {
    match kind {
        StepKind::Message => "MESSAGE".into(),
        StepKind::Thinking => "THINKING".into(),
        StepKind::Call => "TOOL CALL".into(),
        StepKind::User => "USER".into(),
        StepKind::System => "SYSTEM".into(),
        StepKind::Result { of, failed } => describe_result(of, failed),
    }
}

fn describe_result(of: Option<u32>, failed: bool) -> String {
    let call = of.map_or("OF A TOOL".into(), |step| format!("OF STEP {step}"));
    let error = if failed { ", AN ERROR" } else { "" };
    format!("RESULT {call}{error}")
}

fn describe_piece(piece: Piece) -> &'static str {
    match piece {
        Piece::Whole => "",
        Piece::Beginning => ", ITS BEGINNING",
        Piece::End => ", ITS END",
    }
}

/// Says in our words what is left out; None where nothing is.
fn describe_gap(trajectory: &Trajectory, of_whom: &str) -> Option<String> {
    let Gap { tokens, steps, .. } = trajectory.left_out?;
    let tokens = count_noun(tokens, "token");
    let steps = match steps {
        0 => String::new(),
        steps => format!(", among them {} whole", count_noun(steps.into(), "step")),
    };
    Some(format!("({tokens}{of_whom} left out here{steps}.)"))
}

fn count_noun(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

fn insert_gap(
    mut blocks: Vec<String>,
    trajectory: &Trajectory,
    gap: Option<String>,
) -> Vec<String> {
    if let (Some(left_out), Some(words)) = (trajectory.left_out, gap) {
        blocks.insert(left_out.after.min(blocks.len()), words);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(
            insert_gap(vec!["a".into(), "b".into()], &trajectory, Some(words)).len(),
            3
        );
    }
}
