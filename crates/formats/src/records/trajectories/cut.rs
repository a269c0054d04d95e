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
        let number = u32::try_from(steps.len() + 1).unwrap_or(u32::MAX);
        steps.push(final_step(number, text));
        let mut kept = self.keep_head(&steps);
        let after = kept.len();
        kept.extend(self.keep_tail(&steps, kept.last()));
        let gap = Gap {
            after,
            tokens: count_tokens(&steps).saturating_sub(count_tokens(&kept)),
            steps: count_missing(&steps, &kept),
        };
        let last = if kept.len() > after { kept.pop() } else { None };
        let (text, final_piece) =
            last.map_or_else(Default::default, |last| (last.text, last.piece));
        let trajectory = Trajectory {
            steps: kept,
            left_out: Some(gap),
            final_piece,
            ..trajectory
        };
        (trajectory, text)
    }

    fn keep_head(&self, steps: &[Step]) -> Vec<Step> {
        let (whole, rest) = steps.split_at(self.head.whole.min(steps.len()));
        let piece = rest.first().zip(self.head.piece_tokens());
        let piece = piece.map(|(step, tokens)| Step {
            text: take_beginning(&step.text, tokens).to_owned(),
            piece: Piece::Beginning,
            ..step.clone()
        });
        whole.iter().cloned().chain(piece).collect()
    }

    /// Keeps the tail behind what is the last of the head.
    fn keep_tail(&self, steps: &[Step], last: Option<&Step>) -> Vec<Step> {
        let (rest, whole) = steps.split_at(steps.len().saturating_sub(self.tail.whole));
        let piece = rest.last().zip(self.tail.piece_tokens());
        let piece = piece.map(|(step, tokens)| Step {
            text: take_end(rest_behind(step, last), tokens).to_owned(),
            piece: Piece::End,
            ..step.clone()
        });
        piece.into_iter().chain(whole.iter().cloned()).collect()
    }
}

fn final_step(number: u32, text: String) -> Step {
    Step {
        number,
        kind: StepKind::Message,
        text,
        piece: Piece::Whole,
        for_context: false,
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

/// Counts the steps of which nothing is kept.
fn count_missing(steps: &[Step], kept: &[Step]) -> u32 {
    let is_missing = |step: &&Step| !kept.iter().any(|kept| kept.number == step.number);
    let missing = steps.iter().filter(is_missing).count();
    u32::try_from(missing).unwrap_or(u32::MAX)
}

/// Returns the beginning of a text that has at most so many tokens.
fn take_beginning(text: &str, tokens: u64) -> &str {
    let ends = character_starts(text);
    let fits = ends.partition_point(|end| approximate_tokens(&text[..*end]) <= tokens);
    let mut fitting = ends[..fits].iter().rev().map(|end| &text[..*end]);
    fitting
        .find(|beginning| approximate_tokens(beginning) <= tokens)
        .unwrap_or("")
}

/// Returns the end of a text that has at most so many tokens.
fn take_end(text: &str, tokens: u64) -> &str {
    let starts = character_starts(text);
    let too_long = starts.partition_point(|start| approximate_tokens(&text[*start..]) > tokens);
    let mut fitting = starts[too_long..].iter().map(|start| &text[*start..]);
    fitting
        .find(|end| approximate_tokens(end) <= tokens)
        .unwrap_or("")
}

/// Returns where the characters of a text begin, and where it ends.
fn character_starts(text: &str) -> Vec<usize> {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.chain([text.len()]).collect()
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
