//! Scenes: the responses of a trial as a judge is shown them.

use evenhand_core::{Item, Response, View};

/// An item with responses in an order, whole or cut into parts.
#[derive(Clone)]
pub(crate) struct Scene<'a> {
    pub(crate) item: &'a Item,
    /// In the order in which they are shown.
    pub(crate) responses: Vec<Response>,
    /// The two responses cut into parts that are shown by turns; empty where they are shown whole.
    pub(crate) parts: Vec<[String; 2]>,
    /// Whether this is the reverse of the trial's order.
    pub(crate) reversed: bool,
}

impl<'a> Scene<'a> {
    /// Returns a trial as it was planned.
    pub(crate) fn new(view: &View<'a>) -> Scene<'a> {
        Scene {
            item: view.item,
            responses: view.responses.to_vec(),
            parts: Vec::new(),
            reversed: false,
        }
    }

    /// Returns this scene with the responses, and the parts of each, in reverse.
    pub(crate) fn swapped(&self) -> Scene<'a> {
        let mut swapped = self.clone();
        swapped.responses.reverse();
        for part in &mut swapped.parts {
            part.reverse();
        }
        swapped.reversed = !self.reversed;
        swapped
    }

    /// Returns the response in this slot by itself.
    pub(crate) fn with_only(&self, slot: usize) -> Scene<'a> {
        let responses = self.responses.get(slot).cloned();
        Scene {
            responses: responses.into_iter().collect(),
            ..self.without_responses()
        }
    }

    /// Returns the item by itself.
    pub(crate) fn without_responses(&self) -> Scene<'a> {
        Scene {
            item: self.item,
            responses: Vec::new(),
            parts: Vec::new(),
            reversed: false,
        }
    }

    /// Returns these two responses cut into parts that are shown by turns.
    pub(crate) fn in_parts(&self, parts: Vec<[String; 2]>) -> Scene<'a> {
        Scene {
            parts,
            ..self.clone()
        }
    }

    /// Returns the text in this slot; empty where there is no such slot.
    pub(crate) fn text(&self, slot: usize) -> &str {
        let response = self.responses.get(slot);
        response.map_or("", |response| &response.text)
    }
}
