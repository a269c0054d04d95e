//! Rewriting by a model, and what of it can be used: what must stay is checked, and what fails the
//! check is dropped and counted. Of a conversation the answers to all turns are rewritten, each by
//! a call of its own, as Tripathi et al. 2025 rewrite whole conversations (tables 10 and 11).

use super::material::{Material, Spot, TURNED, UNREADABLE, Usable, known_systems};
use super::rewrite::{MARK, Rewrite};
use super::{Answering, AuditOptions, Probe};
use evenhand_constraints::Constraints;
use evenhand_core::{CallErrorKind, CallResult, Finish, Refusal, Response, Setting};
use evenhand_engine::{EngineError, JudgeOptions, JudgeSpec, Rewriter, ToRewrite};
use evenhand_protocols::rewriting_prompt;
use std::collections::{BTreeMap, BTreeSet};

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

/// Replies to the rewriter's calls, in the order of the prompts.
pub(super) type Replies = Result<Vec<CallResult>, EngineError>;

/// Returns the responses of the data that the probes show rewritten: all that the systems have
/// where their ranking is climbed, else those of each item's pairs.
pub(super) fn shown_responses(material: &Material, options: &AuditOptions) -> Vec<Spot> {
    let looks_for = |probe: Probe| options.probes.contains(&probe);
    if looks_for(Probe::Leaderboard) {
        return material.answers(0);
    }
    let mut shown = Vec::new();
    if looks_for(Probe::Distractors) || looks_for(Probe::Protocols) {
        for item in material.item_numbers() {
            let pairs = options.pairs.pairs(material, options.seed, item);
            let systems = pairs.into_iter().flatten();
            shown.extend(systems.map(|system| (system, item)));
        }
    }
    shown.sort_unstable();
    shown.dedup();
    shown
}

/// The model that rewrites, and the ways in which it does.
pub(super) struct Rewriting<'a> {
    by: &'a ByModel,
    rewriter: Rewriter,
}

impl<'a> Rewriting<'a> {
    /// Opens the model, and makes room in the materials for what it will write.
    pub(super) fn open(
        by: &'a ByModel,
        materials: &mut [Material],
        options: JudgeOptions,
    ) -> Result<Self, EngineError> {
        let rewriter = Rewriter::open(&by.rewriter, &known_systems(materials), options)?;
        for material in materials {
            for (name, _) in &by.distractors {
                let mut known = material.rewrites.iter().map(|rewrite| &*rewrite.name);
                let is_taken = name == Rewrite::Neutral.name() || known.any(|known| known == name);
                if is_taken || name.contains(MARK) {
                    let reason = format!("the name is taken, or has a `{MARK}`");
                    let refusal = Refusal::of_value(Setting::Distractor, name, reason);
                    return Err(refusal.into());
                }
                material.reserve(name);
            }
        }
        Ok(Rewriting { by, rewriter })
    }

    /// Has these responses rewritten: no probe shows any other one.
    pub(super) fn write(
        &mut self,
        materials: &mut [Material],
        wanted: BTreeSet<(usize, Spot)>,
        writer: &mut dyn Answering,
    ) -> Result<(), EngineError> {
        // By the numbers of the material and of the rewrite in it.
        let mut batches: BTreeMap<(usize, usize), Vec<Spot>> = BTreeMap::new();
        for (material, spot) in wanted {
            let (rewrite, _) = materials[material].origin(spot);
            batches.entry((material, rewrite)).or_default().push(spot);
        }
        let breaks_marks = self.rewriter.breaks_marks();
        for ((material, rewrite), spots) in batches {
            let material = &mut materials[material];
            let name = material.rewrites[rewrite].name.clone();
            let distractor = self.by.distractors.iter().find(|(known, _)| *known == name);
            let instruction = distractor.map_or("", |(_, instruction)| instruction);
            let (mut asked, mut prompts) = (Vec::new(), Vec::new());
            for spot in spots {
                let requests = requests_for(material, spot, instruction, breaks_marks);
                asked.push((spot, requests.len()));
                prompts.extend(requests);
            }
            // They come turn by turn in the order of the responses.
            let replies = writer.write(&name, &mut self.rewriter, prompts)?;
            let mut replies = replies.into_iter();
            for (spot, turns) in asked {
                let replies = replies.by_ref().take(turns).collect();
                let written = usable_replies(material, material.origin(spot).1, replies);
                material.put(spot, written);
            }
        }
        Ok(())
    }
}

/// Returns what the rewriter is asked for a response, turn by turn; nothing where its reply could
/// not be checked. Marks of chat templates may be broken up in what it is shown.
fn requests_for<'a>(
    material: &'a Material,
    spot: Spot,
    instruction: &str,
    breaks_marks: bool,
) -> Vec<ToRewrite<'a>> {
    let (_, (system, item)) = material.origin(spot);
    let answer = material.answer(system, item);
    let Some((answer, constraints)) = answer.zip(material.constraints_of(item)) else {
        return Vec::new();
    };
    let request = |text: &str, kept: &str| ToRewrite {
        item: &material.items[item as usize],
        response: Response::new(material.systems[system as usize].as_str(), text),
        messages: rewriting_prompt(instruction, text, kept, breaks_marks),
        // A token is three characters or more in nearly every text; twice the length leaves room
        // for a prolix one.
        max_tokens: (text.chars().count() as u32 / 3 * 2).clamp(128, 4096),
    };
    let earlier = answer.earlier_texts();
    let mut requests: Vec<ToRewrite<'_>> = earlier.map(|text| request(text, "")).collect();
    // The item's constraints are on the answer to its own turn.
    let kept = kept_constraints(constraints, &answer.text);
    requests.push(request(&answer.text, &kept));
    requests
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

/// Returns the rewritten response, or why it is dropped: every turn must be of use.
fn usable_replies(material: &Material, (system, item): Spot, replies: Vec<CallResult>) -> Usable {
    let answer = material.answer(system, item).ok_or(UNREADABLE)?;
    let constraints = material.constraints_of(item).ok_or(UNREADABLE)?;
    if replies.is_empty() {
        return Err(UNREADABLE);
    }
    let (none, turns) = (Constraints::default(), replies.len());
    let mut texts = Vec::new();
    for ((text, reply), turn) in answer.all_texts().zip(replies).zip(1..) {
        // The item's constraints are on the answer to its own turn, the last one.
        let constraints = if turn == turns { constraints } else { &none };
        texts.push(usable_text(constraints, text, reply)?);
    }
    answer.with_texts(texts).ok_or(UNREADABLE)
}

/// Returns the rewritten text, or why it is dropped.
fn usable_text(
    constraints: &Constraints,
    original: &str,
    reply: CallResult,
) -> Result<String, &'static str> {
    let reply = reply.map_err(|error| match error.kind {
        CallErrorKind::TooLong => "longer than the rewriter's context",
        CallErrorKind::Refused => "refused by the server",
        _ => "no reply",
    })?;
    if reply.finish == Finish::Refusal || (declines(&reply.text) && !declines(original)) {
        return Err("refused");
    }
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

/// How a model begins that declines in words. The same words may begin an answer that is rewritten.
const REFUSALS: [&str; 6] = [
    "i'm sorry, but i can",
    "i\u{2019}m sorry, but i can",
    "i am sorry, but i can",
    "i cannot help",
    "i can't help",
    "i can\u{2019}t help",
];

fn declines(text: &str) -> bool {
    let start = text.trim_start().to_lowercase();
    REFUSALS.iter().any(|words| start.starts_with(words))
}

/// Returns which of the things that can be checked a rewritten text does not keep: it must be
/// another text, of about the length, with the same numbers and the same code, and without a mark
/// of the prompt's.
fn fault_of(original: &str, written: &str) -> Option<&'static str> {
    let [before, after] = [original, written].map(|text| text.chars().count() as f64);
    // Every second part is between two fences of code.
    let mut code = original.split("```").skip(1).step_by(2);
    let keeps_code = code.all(|block| block.trim().is_empty() || written.contains(block));
    if written == original.trim() {
        Some("unchanged")
    } else if after < SHORTEST * before {
        Some("too short")
    } else if after > LONGEST * before.max(100.0) {
        // A very short answer may become a sentence.
        Some("too long")
    } else if sorted_numbers(original) != sorted_numbers(written) {
        Some("other numbers")
    } else if !keeps_code {
        Some("other code")
    } else if written.contains("<<<<") {
        Some("marks of the prompt")
    } else {
        None
    }
}

/// Returns all numbers, which are runs of digits with the points and commas between digits, in
/// alphabetical order. Their order in the text may change.
fn sorted_numbers(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let (mut numbers, mut run) = (Vec::new(), String::new());
    for (at, c) in chars.iter().enumerate() {
        let is_between = !run.is_empty() && matches!(c, '.' | ',') && is_digit(at + 1);
        if is_digit(at) || is_between {
            run.push(*c);
        } else if !run.is_empty() {
            numbers.push(std::mem::take(&mut run));
        }
    }
    numbers.extend((!run.is_empty()).then_some(run));
    numbers.sort_unstable();
    numbers
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
    fn a_rewriter_that_declines_is_not_taken_at_its_word() {
        let none = Constraints::default();
        let after = |original: &str, written: &str, finish| {
            let reply = Reply {
                text: written.into(),
                finish,
                ..Reply::default()
            };
            usable_text(&none, original, Ok(reply))
        };
        let (plain, sorry) = ("A short answer.", "I'm sorry, but I can't help with that.");
        assert_eq!(after(plain, sorry, Finish::Stop), Err("refused"));
        assert_eq!(after(plain, "Sure.", Finish::Refusal), Err("refused"));
        assert_eq!(
            after(plain, "Sure, a short", Finish::Length),
            Err("cut short")
        );
        assert!(after("I cannot help it.", "I can't help it at all.", Finish::Stop).is_ok());
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
