//! The rewritten responses of an audit beside their originals: tables 8 to 11 of Tripathi et al.
//! 2025 show some.

use super::answer::Answer;
use super::material::{Material, Spot};
use evenhand_core::Item;
use serde::Serialize;

/// A response and the same rewritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rewritten {
    /// The item.
    pub item: String,
    /// The turns of the user, the one that is answered last.
    pub instruction: Vec<String>,
    /// The system.
    pub system: String,
    /// How it was rewritten.
    pub rewrite: String,
    /// The system's answers to all turns, that to the last one last.
    pub original: Vec<String>,
    /// The same rewritten.
    pub rewritten: Vec<String>,
}

/// Returns every response of the materials that was rewritten, by rewrite, system and item. Those
/// with spaces that no reader sees are not among them.
pub(super) fn list_rewritten(materials: &[Material]) -> Vec<Rewritten> {
    materials.iter().flat_map(rewritten_in).collect()
}

fn rewritten_in(material: &Material) -> impl Iterator<Item = Rewritten> {
    let rewrites = 0..material.rewrites.len();
    rewrites.flat_map(move |rewrite| {
        let spots = material.answers(0).into_iter();
        spots.filter_map(move |spot| rewritten_at(material, rewrite, spot))
    })
}

/// Returns a response in a rewrite; None where it has not been rewritten, or was dropped.
fn rewritten_at(material: &Material, rewrite: usize, (system, item): Spot) -> Option<Rewritten> {
    let written = material.answer(material.rewritten(system, rewrite), item)?;
    let asked = &material.items[item as usize];
    Some(Rewritten {
        item: asked.id.clone(),
        instruction: turns_of(asked),
        system: material.systems[system as usize].clone(),
        rewrite: material.rewrites[rewrite].name.clone(),
        original: texts_of(material.answer(system, item)?),
        rewritten: texts_of(written),
    })
}

fn turns_of(item: &Item) -> Vec<String> {
    let turns = item.messages.iter();
    turns.map(|turn| turn.content.clone()).collect()
}

fn texts_of(answer: &Answer) -> Vec<String> {
    answer.all_texts().map(String::from).collect()
}
