//! Rewriting by a model, and what of it can be used: what must stay is checked, and what fails the
//! check is dropped and counted.

use super::duels::draw_systems;
use super::material::{Material, Spot, TURNED, UNREADABLE, Usable};
use super::rewrite::{MARK, Rewrite};
use super::{AuditOptions, Probe};
use evenhand_constraints::Constraints;
use evenhand_core::{CallResult, Finish, Response, Setting};
use evenhand_engine::{EngineError, JudgeOptions, JudgeSpec, Rewriter, ToRewrite};
use evenhand_protocols::rewriting_prompt;
use std::sync::Arc;

/// Who rewrites, and how.
#[derive(Clone, Debug)]
pub struct ByModel {
    /// The model.
    pub rewriter: JudgeSpec,
    /// Each with its name and instruction.
    pub distractors: Vec<(String, String)>,
}

/// A rewritten response may be so many times as long as the other, or as short.
const LONGEST: f64 = 4.0;
const SHORTEST: f64 = 0.3;

/// Has the rewriter write for a distractor of this name.
pub(super) type Write<'a> = dyn for<'p> FnMut(&str, &mut Rewriter, Vec<ToRewrite<'p>>) -> Result<Vec<CallResult>, EngineError>
    + 'a;

/// Returns the responses of the data that the probes show rewritten: all that the systems have where
/// their ranking is climbed, else those of each item's duel.
pub(super) fn shown_responses(material: &Material, options: &AuditOptions) -> Vec<Spot> {
    let any = |probes: &[Probe]| probes.iter().any(|probe| options.probes.contains(probe));
    if any(&[Probe::Leaderboard]) {
        return material.answers(0);
    }
    if !any(&[Probe::Distractors, Probe::Protocols]) {
        return Vec::new();
    }
    let mut places = Vec::new();
    for item in 0..material.items.len() as u32 {
        let duel = draw_systems(material, options.seed, item, 2).unwrap_or_default();
        places.extend(duel.into_iter().map(|system| (system, item)));
    }
    places
}

/// Returns the answers of the tweak set that break constraints, which alone are shown rewritten.
pub(super) fn broken_responses(material: &Material) -> Vec<Spot> {
    material.answers(1)
}

/// Adds these responses, rewritten by a model in every way.
pub(super) fn rewrite(
    material: &mut Material,
    places: &[Spot],
    by: &ByModel,
    options: JudgeOptions,
    write: &mut Write<'_>,
) -> Result<(), EngineError> {
    let known: Vec<Arc<str>> = material
        .base_systems()
        .iter()
        .map(|name| name.as_str().into())
        .collect();
    let mut rewriter = Rewriter::open(&by.rewriter, &known, options)?;
    for (name, instruction) in &by.distractors {
        check_distractor_name(material, name)?;
        let breaks_marks = rewriter.breaks_marks();
        let prompt = |spot: &Spot| {
            let prompt = rewriting_request(material, *spot, instruction, breaks_marks)?;
            Some((*spot, prompt))
        };
        let (asked, prompts): (Vec<Spot>, _) = places.iter().filter_map(prompt).unzip();
        let replies = write(name, &mut rewriter, prompts)?;
        let unreadable = places.len() - asked.len();
        add_rewritten(material, name, (&asked, replies), unreadable);
    }
    Ok(())
}

fn check_distractor_name(material: &Material, name: &str) -> Result<(), EngineError> {
    let mut rewrites = material.rewrites.iter();
    let is_taken = name == Rewrite::Neutral.name() || rewrites.any(|rewrite| rewrite.name == *name);
    if name.contains(MARK) || is_taken {
        return Err(EngineError::Setting(format!(
            "{} {name}: the name is taken, or has a `{MARK}`",
            Setting::Distractor
        )));
    }
    Ok(())
}

/// Returns what the rewriter is asked; None where its reply could not be checked.
fn rewriting_request<'a>(
    material: &'a Material,
    (system, item): Spot,
    instruction: &str,
    breaks_marks: bool,
) -> Option<ToRewrite<'a>> {
    let text = material.text(system, item)?;
    let response = Response::new(material.systems[system as usize].as_str(), text);
    // A token is three characters or more in nearly every text; twice the length leaves room for a
    // prolix one.
    let max_tokens = (text.chars().count() as u32 / 3 * 2).clamp(128, 4096);
    let kept = kept_constraints(material.constraints[item as usize].as_ref()?, text);
    let messages = rewriting_prompt(instruction, text, &kept, breaks_marks);
    Some(ToRewrite {
        item: &material.items[item as usize],
        response,
        messages,
        max_tokens,
    })
}

/// Describes the constraints that a response keeps, a line each.
fn kept_constraints(constraints: &Constraints, text: &str) -> String {
    let checked = constraints.check(text).loose;
    constraints
        .list()
        .iter()
        .zip(checked)
        .filter(|(_, kept)| *kept)
        .map(|(constraint, _)| format!("- {}", constraint.describe()))
        .collect::<Vec<_>>()
        .join("\n")
}

fn add_rewritten(
    material: &mut Material,
    name: &str,
    (places, replies): (&[Spot], Vec<CallResult>),
    unreadable: usize,
) {
    let one = |((system, item), reply): (&Spot, CallResult)| {
        let original = material.text(*system, *item)?;
        let constraints = material.constraints[*item as usize].as_ref()?;
        Some(usable_text(constraints, original, reply))
    };
    let found: Vec<_> = places.iter().zip(replies).map(one).collect();
    let (texts, mut reasons) = material.placed(places.iter().copied().zip(found));
    if unreadable > 0 {
        reasons.insert(UNREADABLE, unreadable as u64);
    }
    material.add(name, texts, reasons);
}

/// Returns the rewritten text, or why it is dropped.
fn usable_text(constraints: &Constraints, original: &str, reply: CallResult) -> Usable {
    let reply = reply.map_err(|_| "no reply")?;
    if reply.finish != Finish::Stop {
        return Err("cut short");
    }
    let written = reply.text.trim().to_string();
    if let Some(fault) = fault_of(original, &written) {
        return Err(fault);
    }
    if constraints.check(original) != constraints.check(&written) {
        return Err(TURNED);
    }
    Ok(written)
}

/// Returns which of the things that can be checked a rewritten text does not keep: it must be
/// another text, of about the length, with the same numbers and the same code, and without a mark of
/// the prompt's.
fn fault_of(original: &str, written: &str) -> Option<&'static str> {
    let [before, after] = [original, written].map(|text| text.chars().count() as f64);
    let faults = [
        (written == original.trim(), "unchanged"),
        (after < SHORTEST * before, "too short"),
        (after > LONGEST * before.max(100.0), "too long"),
        (
            sorted_numbers(original) != sorted_numbers(written),
            "other numbers",
        ),
        (!keeps_code(original, written), "other code"),
        (written.contains("<<<<"), "marks of the prompt"),
    ];
    let first = faults.into_iter().find(|(is_there, _)| *is_there);
    first.map(|(_, reason)| reason)
}

/// Returns all numbers in alphabetical order: runs of digits, with the points and commas between
/// digits.
fn sorted_numbers(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut run = String::new();
    for (at, c) in chars.iter().enumerate() {
        let between = (*c == '.' || *c == ',')
            && !run.is_empty()
            && chars.get(at + 1).is_some_and(char::is_ascii_digit);
        if c.is_ascii_digit() || between {
            run.push(*c);
        } else if !run.is_empty() {
            found.push(std::mem::take(&mut run));
        }
    }
    found.extend((!run.is_empty()).then_some(run));
    found.sort_unstable();
    found
}

/// Whether everything between fences of code is in the rewritten text too.
fn keeps_code(original: &str, written: &str) -> bool {
    let blocks = original.split("```").skip(1).step_by(2);
    blocks
        .filter(|block| !block.trim().is_empty())
        .all(|block| written.contains(block))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::Reply;

    #[test]
    fn constraints_are_kept_and_broken_as_before() {
        let listed = serde_json::json!([{"id": "punctuation:no_comma"}]);
        let constraints = Constraints::parse(&listed, "").unwrap();
        let after = |original: &str, written: &str| {
            let reply = Reply {
                text: written.into(),
                finish: Finish::Stop,
                ..Reply::default()
            };
            usable_text(&constraints, original, Ok(reply)).map_err(|reason| reason.to_string())
        };
        assert_eq!(
            after("There is no comma", "There is, a comma"),
            Err(TURNED.into()),
            "kept, then broken"
        );
        assert_eq!(
            after("There is, a comma", "There is no comma"),
            Err(TURNED.into()),
            "broken, then kept"
        );
        assert!(after("There is, a comma", "Well, there is one").is_ok());
        assert_eq!(
            [
                kept_constraints(&constraints, "None"),
                kept_constraints(&constraints, "One, two")
            ],
            ["- Do not use any commas.", ""]
        );
    }

    #[test]
    fn numbers_and_code_must_stay() {
        let survives = |original: &str, written: &str| fault_of(original, written).is_none();
        let text = "It costs 1,200.50 and 3 more.\n```\nx = 1\n```";
        assert!(survives(
            text,
            "Certainly it costs 1,200.50, and 3 more!\n```\nx = 1\n```"
        ));
        assert!(
            survives(text, "3 more than 1,200.50, no doubt.\n```\nx = 1\n```"),
            "the order of numbers may change"
        );
        assert!(
            !survives(
                text,
                "Certainly it costs 1,200.55, and 3 more!\n```\nx = 1\n```"
            ),
            "another number"
        );
        assert!(
            !survives(
                text,
                "Certainly it costs 1,200.50, and 3 more!\n```\ny = 1\n```"
            ),
            "other code"
        );
        assert!(!survives(text, text) && !survives(text, "") && !survives(text, "1,200.50 3 1"));
        assert!(!survives("Yes.", &"Yes. ".repeat(200)), "much longer");
        assert_eq!(sorted_numbers("a1b 2.5, 3."), ["1", "2.5", "3"]);
    }
}
