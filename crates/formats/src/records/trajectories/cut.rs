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
    let costs = Costs::of(&trajectory, &text);
    if costs.total() <= budget {
        return (trajectory, text);
    }
    let room = budget.saturating_sub(MARK_TOKENS);
    let (head, tail) = (room / 2, room - room / 2);
    let cutter = Cutter {
        head: Costs::fill(costs.steps.iter(), head),
        tail: Costs::fill(costs.steps.iter().rev(), tail),
    };
    cutter.cut(trajectory, text)
}

/// What each step costs, the final message last: its tokens and those of its marks.
struct Costs {
    steps: Vec<u64>,
}

/// How far a half of the budget reaches.
#[derive(Clone, Copy)]
struct Reach {
    /// Steps that are kept whole.
    whole: usize,
    /// Tokens that are left for a piece of the next one.
    rest: u64,
}

impl Costs {
    fn of(trajectory: &Trajectory, text: &str) -> Costs {
        let texts = trajectory.steps.iter().map(|step| &*step.text);
        let costs = texts
            .chain([text])
            .map(|text| approximate_tokens(text) + MARK_TOKENS);
        Costs {
            steps: costs.collect(),
        }
    }

    fn total(&self) -> u64 {
        self.steps.iter().sum()
    }

    /// Keeps whole steps, in this order, as far as they fit.
    fn fill<'a>(steps: impl Iterator<Item = &'a u64>, room: u64) -> Reach {
        let mut reach = Reach {
            whole: 0,
            rest: room,
        };
        for cost in steps {
            let Some(rest) = reach.rest.checked_sub(*cost) else {
                break;
            };
            let whole = reach.whole + 1;
            reach = Reach { whole, rest };
        }
        reach
    }
}

impl Reach {
    /// Returns how many tokens of the next step are shown; None where that is too little.
    fn piece_tokens(self) -> Option<u64> {
        let tokens = self.rest.checked_sub(MARK_TOKENS)?;
        (tokens >= LEAST_PIECE).then_some(tokens)
    }
}

/// How far the head and the tail reach.
struct Cutter {
    head: Reach,
    tail: Reach,
}

impl Cutter {
    fn cut(&self, trajectory: Trajectory, text: String) -> (Trajectory, String) {
        let mut steps = trajectory.steps;
        // The final message is cut like any step, and taken off again.
        steps.push(final_step(steps.len() + 1, text));
        let head = self.keep_head(&steps);
        let mut tail = self.keep_tail(&steps, head.last());
        let left_out = Some(measure_gap(&steps, &head, &tail));
        let last = tail.pop().map(|last| (last.text, last.piece));
        let (text, final_piece) = last.unwrap_or_default();
        let trajectory = Trajectory {
            steps: [head, tail].concat(),
            left_out,
            final_piece,
            ..trajectory
        };
        (trajectory, text)
    }

    fn keep_head(&self, steps: &[Step]) -> Vec<Step> {
        let (whole, rest) = steps.split_at(self.head.whole.min(steps.len()));
        let piece = rest.first().zip(self.head.piece_tokens());
        let piece = piece.map(|(step, tokens)| {
            step.with_piece(Piece::Beginning, take_beginning(&step.text, tokens))
        });
        whole.iter().cloned().chain(piece).collect()
    }

    /// Keeps the tail behind what is the last of the head.
    fn keep_tail(&self, steps: &[Step], last: Option<&Step>) -> Vec<Step> {
        let (rest, whole) = steps.split_at(steps.len().saturating_sub(self.tail.whole));
        let piece = rest.last().zip(self.tail.piece_tokens());
        let piece = piece.map(|(step, tokens)| {
            step.with_piece(Piece::End, take_end(rest_behind(step, last), tokens))
        });
        piece.into_iter().chain(whole.iter().cloned()).collect()
    }
}

fn final_step(number: usize, text: String) -> Step {
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    Step::new(number, StepKind::Message, text)
}

/// Measures what stands in neither head nor tail.
fn measure_gap(steps: &[Step], head: &[Step], tail: &[Step]) -> Gap {
    let kept = count_tokens(head) + count_tokens(tail);
    Gap {
        after: head.len(),
        tokens: count_tokens(steps).saturating_sub(kept),
        steps: count_missing(steps, head, tail),
    }
}

/// Returns the text of a step behind its beginning, where that is shown.
fn rest_behind<'s>(step: &'s Step, last: Option<&Step>) -> &'s str {
    let shown = last.filter(|last| last.number == step.number);
    let shown = shown.map_or(0, |shown| shown.text.len());
    step.text.get(shown..).unwrap_or("")
}

fn count_tokens(steps: &[Step]) -> u64 {
    steps
        .iter()
        .map(|step| approximate_tokens(&step.text))
        .sum()
}

/// Counts the steps of which nothing is kept: those between the head and the tail.
fn count_missing(steps: &[Step], head: &[Step], tail: &[Step]) -> u32 {
    let end = u32::try_from(steps.len() + 1).unwrap_or(u32::MAX);
    let last = head.last().map_or(0, |step| step.number);
    let next = tail.first().map_or(end, |step| step.number);
    next.saturating_sub(last + 1)
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

/// Returns the longest of texts of growing length that has at most so many tokens. A text may have
/// a token less than a shorter one, so that the search can end a little too far.
fn longest_within<'t>(texts: &[&'t str], tokens: u64) -> &'t str {
    let is_within = |text: &&&str| approximate_tokens(text) <= tokens;
    let first_beyond = texts.partition_point(|text| is_within(&text));
    let mut candidates = texts[..first_beyond].iter().rev();
    candidates.find(is_within).unwrap_or(&"")
}

/// Returns where the characters of a text begin, and where it ends.
fn character_starts(text: &str) -> Vec<usize> {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.chain([text.len()]).collect()
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
