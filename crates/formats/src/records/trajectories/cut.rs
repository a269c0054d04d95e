//! Cuts a trajectory to a budget of tokens, from the middle.

use evenhand_core::{Gap, Piece, Step, StepKind, Trajectory, approximate_tokens};

/// The tokens that the marks around a step count, and those of the words that stand in the gap.
pub(super) const MARK_TOKENS: u64 = 30;
/// The fewest tokens of a step that are worth showing.
const LEAST_PIECE: u64 = 20;

/// Leaves out the middle of a trajectory and its final message where they are longer than the
/// budget. The head and the tail each get half of it; the steps at the gap are cut themselves.
pub(super) fn cut_middle(
    trajectory: Trajectory,
    text: String,
    budget: u64,
) -> (Trajectory, String) {
    // The final message is cut like any step, and taken off again.
    let mut steps = trajectory.steps;
    let final_number = u32::try_from(steps.len() + 1).unwrap_or(u32::MAX);
    steps.push(Step::new(final_number, StepKind::Message, text));
    let costs = steps
        .iter()
        .map(|step| approximate_tokens(&step.text) + MARK_TOKENS);
    let costs: Vec<u64> = costs.collect();
    if costs.iter().sum::<u64>() <= budget {
        let text = steps.pop().map(|last| last.text).unwrap_or_default();
        return (
            Trajectory {
                steps,
                ..trajectory
            },
            text,
        );
    }

    let room = budget.saturating_sub(MARK_TOKENS);
    let (whole, piece) = fill(costs.iter(), room / 2);
    let (kept, others) = steps.split_at(whole);
    let mut head = kept.to_vec();
    if let (Some(step), Some(tokens)) = (others.first(), piece) {
        head.push(step.with_piece(Piece::Beginning, take_beginning(&step.text, tokens)));
    }

    let (whole, piece) = fill(costs.iter().rev(), room - room / 2);
    let (others, kept) = steps.split_at(steps.len() - whole);
    let mut tail = Vec::new();
    if let (Some(step), Some(tokens)) = (others.last(), piece) {
        // Where the head shows the beginning of this step, only what is behind that.
        let shown = head.last().filter(|last| last.number == step.number);
        let shown = shown.map_or(0, |shown| shown.text.len());
        let behind = step.text.get(shown..).unwrap_or("");
        tail.push(step.with_piece(Piece::End, take_end(behind, tokens)));
    }
    tail.extend_from_slice(kept);

    // The steps between the last number that is shown and the next one are left out whole; what is
    // left out in tokens counts the parts of cut steps too.
    let last = head.last().map_or(0, |step| step.number);
    let next = tail.first().map_or(final_number, |step| step.number);
    let left_out = Gap {
        after: head.len(),
        tokens: count_tokens(&steps).saturating_sub(count_tokens(&head) + count_tokens(&tail)),
        steps: next.saturating_sub(last + 1),
    };
    let (text, final_piece) = match tail.pop() {
        Some(last) => (last.text, last.piece),
        None => Default::default(),
    };
    head.append(&mut tail);
    let trajectory = Trajectory {
        steps: head,
        left_out: Some(left_out),
        final_piece,
        ..trajectory
    };
    (trajectory, text)
}

/// Returns how many steps of these costs, in this order, are kept whole, and how many tokens of the
/// next one are shown; None where that is too little.
fn fill<'a>(costs: impl Iterator<Item = &'a u64>, room: u64) -> (usize, Option<u64>) {
    let (mut whole, mut rest) = (0, room);
    for cost in costs {
        let Some(left) = rest.checked_sub(*cost) else {
            break;
        };
        whole += 1;
        rest = left;
    }
    let piece = rest.checked_sub(MARK_TOKENS);
    (whole, piece.filter(|tokens| *tokens >= LEAST_PIECE))
}

fn count_tokens(steps: &[Step]) -> u64 {
    let tokens = steps.iter().map(|step| approximate_tokens(&step.text));
    tokens.sum()
}

/// Returns the beginning of a text that has at most so many tokens.
fn take_beginning(text: &str, tokens: u64) -> &str {
    let ends = character_starts(text);
    let beginnings: Vec<&str> = ends.iter().map(|end| &text[..*end]).collect();
    longest_within(&beginnings, tokens)
}

/// Returns the end of a text that has at most so many tokens.
fn take_end(text: &str, tokens: u64) -> &str {
    let starts = character_starts(text);
    let ends: Vec<&str> = starts.iter().rev().map(|start| &text[*start..]).collect();
    longest_within(&ends, tokens)
}

/// Returns where the characters of a text begin, and where it ends.
fn character_starts(text: &str) -> Vec<usize> {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.chain([text.len()]).collect()
}

/// Returns the longest of texts of growing length that has at most so many tokens. A text may have
/// a token less than a shorter one, so that the search can end a little too far.
fn longest_within<'t>(texts: &[&'t str], tokens: u64) -> &'t str {
    let is_within = |text: &&&str| approximate_tokens(text) <= tokens;
    let first_beyond = texts.partition_point(|text| is_within(&text));
    let mut candidates = texts[..first_beyond].iter().rev();
    candidates.find(is_within).unwrap_or(&"")
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
