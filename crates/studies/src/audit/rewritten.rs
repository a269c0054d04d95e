//! The rewritten responses of an audit beside their originals: tables 8 to 11 of Tripathi et al.
//! 2025 show some.

use super::answer::Answer;
use super::material::Material;
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
/// with spaces that no reader sees are not among them, nor those that were dropped.
pub(super) fn list_rewritten(materials: &[Material]) -> Vec<Rewritten> {
    let mut listed = Vec::new();
    for material in materials {
        for (number, rewrite) in material.rewrites.iter().enumerate() {
            for (system, item) in material.answers(0) {
                let original = material.answer(system, item);
                let rewritten = material.answer(material.rewritten(system, number), item);
                let Some((original, rewritten)) = original.zip(rewritten) else {
                    continue;
                };
                let asked = &material.items[item as usize];
                let turns = asked.messages.iter();
                listed.push(Rewritten {
                    item: asked.id.clone(),
                    instruction: turns.map(|turn| turn.content.clone()).collect(),
                    system: material.systems[system as usize].clone(),
                    rewrite: rewrite.name.clone(),
                    original: texts_of(original),
                    rewritten: texts_of(rewritten),
                });
            }
        }
    }
    listed
}

fn texts_of(answer: &Answer) -> Vec<String> {
    answer.all_texts().map(String::from).collect()
}
