//! PRePair: each response is analysed by itself; then the verdict, with the analyses in view.

use super::{Notes, ReasoningKind};
use crate::ask::{Ask, Stop, all};
use crate::prompts::{Context, PromptFile, Prompts, REASONING_TOKENS, TextPrompt};
use crate::scene::Scene;
use crate::writer::ask_text;

pub(super) const KIND: ReasoningKind = ReasoningKind {
    name: "prepair",
    about: "each response analysed alone (once, whatever it is compared with), then the verdict",
    source: "PRePair, section 4",
    notes: Notes::OfEachResponse,
    in_reply: false,
    questions: &["noted", "direct"],
    text: Some(ANALYSIS),
    prompts: &[ANALYSE],
    take_notes,
};

const ANALYSE: PromptFile = PromptFile {
    name: "analyse",
    text: include_str!("../../prompts/analyse.toml"),
};

const ANALYSIS: TextPrompt = TextPrompt {
    file: ANALYSE.name,
    tokens: REASONING_TOKENS,
};

fn take_notes(
    prompts: &Prompts,
    scene: &Scene,
    context: &Context,
    ask: &Ask,
) -> Result<Vec<String>, Stop> {
    let slots = 0..scene.responses.len();
    all(slots.map(|slot| ask_text(prompts, ANALYSIS, &scene.with_only(slot), context, ask)))
}
