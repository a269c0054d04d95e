//! PRePair's ablation PREPAIR*: all analyses from one call that sees all responses; then the
//! verdict.

use super::{Notes, ReasoningKind};
use crate::ask::{Ask, Stop};
use crate::prompts::{Context, PromptFile, Prompts, REASONING_TOKENS, TextPrompt};
use crate::scene::Scene;
use crate::writer::ask_text;

pub(super) const KIND: ReasoningKind = ReasoningKind {
    name: "prepair-star",
    about: "all analysed in one call, then the verdict",
    source: "PRePair, ablation PREPAIR*",
    notes: Notes::OfEachLook,
    in_reply: false,
    questions: &["noted", "direct"],
    text: Some(ANALYSES),
    prompts: &[ANALYSE_ALL],
    take_notes,
};

const ANALYSE_ALL: PromptFile = PromptFile {
    name: "analyse-all",
    text: include_str!("../../prompts/analyse-all.toml"),
};

const ANALYSES: TextPrompt = TextPrompt {
    file: ANALYSE_ALL.name,
    tokens: REASONING_TOKENS,
};

fn take_notes(
    prompts: &Prompts,
    scene: &Scene,
    context: &Context,
    ask: &Ask,
) -> Result<Vec<String>, Stop> {
    Ok(vec![ask_text(prompts, ANALYSES, scene, context, ask)?])
}
