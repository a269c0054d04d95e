//! Questions about one state that wait for each other, so that they share a call.

use super::call_loop::Handed;
use std::collections::BTreeMap;

/// The most questions of a call: vLLM takes 64, LiteLLM 128, OpenAI 200.
const MOST_QUESTIONS: usize = 64;

/// Questions that wait, by what they have in common.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    waiting: BTreeMap<[u8; 32], Group>,
    /// How many groups there were before.
    begun: u64,
    /// How many questions wait.
    pub(crate) count: usize,
}

/// Questions about one state.
#[derive(Debug)]
struct Group {
    /// Its number among all.
    number: u64,
    parts: Vec<Handed>,
}

impl Groups {
    /// Takes a request in; returns what is now whole: a request that belongs to no others, or all
    /// questions about a state.
    pub(crate) fn add(&mut self, handed: Handed) -> Option<Vec<Handed>> {
        let whole = (handed.1.about.together as usize).min(MOST_QUESTIONS);
        let common = match whole {
            0 | 1 => None,
            _ => handed.1.state_digest(),
        };
        let Some(common) = common else {
            return Some(vec![handed]);
        };
        let begun = &mut self.begun;
        let group = self.waiting.entry(common).or_insert_with(|| {
            *begun += 1;
            Group {
                number: *begun,
                parts: Vec::new(),
            }
        });
        group.parts.push(handed);
        self.count += 1;
        if group.parts.len() < whole {
            return None;
        }
        let group = self.waiting.remove(&common)?;
        self.count -= group.parts.len();
        Some(in_order_of_keys(group.parts))
    }

    /// Takes out all that waits, in the order in which it came, though not all of each is there.
    pub(crate) fn take_all(&mut self) -> Vec<Vec<Handed>> {
        self.count = 0;
        let mut groups: Vec<Group> = std::mem::take(&mut self.waiting).into_values().collect();
        groups.sort_by_key(|group| group.number);
        let groups = groups.into_iter();
        groups.map(|group| in_order_of_keys(group.parts)).collect()
    }
}

/// Puts questions in an order that nothing but their content decides: a server is sent the same
/// whenever each of them came.
fn in_order_of_keys(mut parts: Vec<Handed>) -> Vec<Handed> {
    parts.sort_by_key(|(key, _)| *key);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{About, Question, QuestionAnswers, Request, StateField, Task};
    use std::sync::Arc;

    fn ask(state: &str, instructions: &str, sample: u32, together: u32) -> Handed {
        let request = Request {
            judge: "j".into(),
            messages: Vec::new(),
            task: Task::Decide {
                state: vec![StateField::new("answer", state)],
                question: Question {
                    instructions: instructions.into(),
                    answers: QuestionAnswers::YesNo,
                },
            },
            sample,
            about: About {
                together,
                ..About::default()
            },
        };
        (request.key(), Arc::new(request))
    }

    fn sizes(groups: &[Vec<Handed>]) -> Vec<usize> {
        groups.iter().map(Vec::len).collect()
    }

    #[test]
    fn questions_about_one_state_go_out_together_in_the_same_order_whichever_came_first() {
        let mut orders = Vec::new();
        for pair in [["a", "b"], ["b", "a"]] {
            let mut groups = Groups::default();
            assert!(groups.add(ask("x", pair[0], 0, 2)).is_none());
            assert!(groups.add(ask("y", pair[0], 0, 2)).is_none());
            assert!(groups.add(ask("x", pair[0], 1, 2)).is_none());
            let whole = groups.add(ask("x", pair[1], 0, 2)).unwrap();
            orders.push(whole.iter().map(|(key, _)| *key).collect::<Vec<_>>());
            assert_eq!((whole.len(), groups.count), (2, 2));
            assert_eq!(sizes(&groups.take_all()), [1, 1]);
            assert_eq!(groups.count, 0);
        }
        assert_eq!(orders[0], orders[1]);
    }

    #[test]
    fn a_request_that_belongs_to_no_others_waits_for_none() {
        let mut groups = Groups::default();
        assert_eq!(
            groups.add(ask("x", "a", 0, 0)).map(|one| one.len()),
            Some(1)
        );
        assert_eq!(
            groups.add(ask("x", "a", 0, 1)).map(|one| one.len()),
            Some(1)
        );
        assert_eq!(groups.count, 0);
    }
}
