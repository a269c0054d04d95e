//! Rewriting by a model, and what of it can be used: what must stay is checked, and what fails the
//! check is dropped and counted. Of a conversation the answers to all turns are rewritten, each by a
//! call of its own, as Tripathi et al. 2025 rewrite whole conversations (tables 10 and 11).

use super::answer::Answer;
use super::drawn_systems::draw_systems;
use super::known_systems::known_systems;
use super::material::{Material, Spot, TURNED, UNREADABLE, Usable, UsableText};
use super::rewrite::{MARK, Rewrite};
use super::{Answering, AuditOptions, Probe};
use evenhand_constraints::Constraints;
use evenhand_core::{CallErrorKind, CallResult, Finish, Refusal, Reply, Response, Setting};
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
/// where their ranking is climbed, else those of each item's duel.
pub(super) fn shown_responses(material: &Material, options: &AuditOptions) -> Vec<Spot> {
    let looks_for = |probe: Probe| options.probes.contains(&probe);
    if looks_for(Probe::Leaderboard) {
        material.answers(0)
    } else if looks_for(Probe::Distractors) || looks_for(Probe::Protocols) {
        duel_responses(material, options.seed)
    } else {
        Vec::new()
    }
}

/// Returns both responses of each item's duel.
fn duel_responses(material: &Material, seed: u64) -> Vec<Spot> {
    let items = material.item_numbers();
    items
        .filter_map(|item| duel_spots(material, seed, item))
        .flatten()
        .collect()
}

fn duel_spots(material: &Material, seed: u64, item: u32) -> Option<[Spot; 2]> {
    Some(draw_systems(material, seed, item)?.map(|system| (system, item)))
}

/// Returns the answers of the tweak set that break constraints, which alone are shown rewritten.
pub(super) fn broken_responses(material: &Material) -> Vec<Spot> {
    material.answers(1)
}

/// The model that rewrites, and the ways in which it does.
pub(super) struct Rewriting<'a> {
    by: &'a ByModel,
    rewriter: Rewriter,
}

/// Responses that a model is to rewrite in one way: the number of a material, that of the rewrite
/// in it, and the places of the rewritten responses.
type Batch = ((usize, usize), Vec<Spot>);

impl<'a> Rewriting<'a> {
    /// Opens the model, and makes room in the materials for what it will write.
    pub(super) fn open(
        by: &'a ByModel,
        materials: &mut [Material],
        options: JudgeOptions,
    ) -> Result<Self, EngineError> {
        let rewriter = Rewriter::open(&by.rewriter, &known_systems(materials), options)?;
        for material in materials {
            reserve_all(material, by)?;
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
        for ((material, rewrite), spots) in batches(materials, wanted) {
            self.write_batch(&mut materials[material], rewrite, &spots, writer)?;
        }
        Ok(())
    }

    fn write_batch(
        &mut self,
        material: &mut Material,
        rewrite: usize,
        spots: &[Spot],
        writer: &mut dyn Answering,
    ) -> Result<(), EngineError> {
        let name = material.rewrites[rewrite].name.clone();
        let asking = Instruction {
            material,
            text: instruction_of(self.by, &name),
            breaks_marks: self.rewriter.breaks_marks(),
        };
        let (asked, prompts) = asking.requests(spots);
        let replies = writer.write(&name, &mut self.rewriter, prompts)?;
        put_unreadable(material, spots, &asked);
        put_replies(material, asked, replies);
        Ok(())
    }
}

/// Counts the responses that the rewriter is not asked about.
fn put_unreadable(material: &mut Material, spots: &[Spot], asked: &BTreeMap<Spot, usize>) {
    for spot in spots {
        if !asked.contains_key(spot) {
            material.put(*spot, Err(UNREADABLE));
        }
    }
}

/// Puts replies, which come turn by turn in the order of the responses, in their places.
fn put_replies(material: &mut Material, asked: BTreeMap<Spot, usize>, replies: Vec<CallResult>) {
    let mut replies = replies.into_iter();
    for (spot, turns) in asked {
        let replies = replies.by_ref().take(turns).collect();
        let written = usable_replies(material, material.origin(spot).1, replies);
        material.put(spot, written.unwrap_or(Err(UNREADABLE)));
    }
}

fn instruction_of<'a>(by: &'a ByModel, name: &str) -> &'a str {
    let mut distractors = by.distractors.iter();
    let found = distractors.find(|(known, _)| known == name);
    found.map_or("", |(_, instruction)| instruction)
}

fn reserve_all(material: &mut Material, by: &ByModel) -> Result<(), EngineError> {
    for (name, _) in &by.distractors {
        check_distractor_name(material, name)?;
        material.reserve(name);
    }
    Ok(())
}

/// Groups responses by material and rewrite.
fn batches(materials: &[Material], wanted: BTreeSet<(usize, Spot)>) -> Vec<Batch> {
    let mut batches: BTreeMap<(usize, usize), Vec<Spot>> = BTreeMap::new();
    for (material, spot) in wanted {
        let (rewrite, _) = materials[material].origin(spot);
        batches.entry((material, rewrite)).or_default().push(spot);
    }
    batches.into_iter().collect()
}

fn check_distractor_name(material: &Material, name: &str) -> Result<(), EngineError> {
    if name.contains(MARK) || is_taken(material, name) {
        return Err(taken_name_error(name).into());
    }
    Ok(())
}

fn taken_name_error(name: &str) -> Refusal {
    let reason = format!("the name is taken, or has a `{MARK}`");
    Refusal::of_value(Setting::Distractor, name, reason)
}

fn is_taken(material: &Material, name: &str) -> bool {
    let mut rewrites = material.rewrites.iter();
    name == Rewrite::Neutral.name() || rewrites.any(|rewrite| rewrite.name == *name)
}

/// One way in which a model is to rewrite the responses of a material.
#[derive(Clone, Copy)]
struct Instruction<'a> {
    material: &'a Material,
    text: &'a str,
    /// Whether marks of chat templates are broken up in what it is shown.
    breaks_marks: bool,
}

impl<'a> Instruction<'a> {
    /// Returns which of the responses it is asked to write, with the number of their turns, and
    /// what it is asked: a request for each turn.
    fn requests(self, places: &[Spot]) -> (BTreeMap<Spot, usize>, Vec<ToRewrite<'a>>) {
        let (mut asked, mut prompts) = (BTreeMap::new(), Vec::new());
        // In the order of the map, in which the replies are handed out.
        for spot in places.iter().collect::<BTreeSet<_>>() {
            if let Some(requests) = self.requests_of(*spot) {
                asked.insert(*spot, requests.len());
                prompts.extend(requests);
            }
        }
        (asked, prompts)
    }

    /// Returns what the rewriter is asked for a response, turn by turn; None where its reply could
    /// not be checked. The item's constraints are on the answer to its own turn.
    fn requests_of(self, spot: Spot) -> Option<Vec<ToRewrite<'a>>> {
        let (_, (system, item)) = self.material.origin(spot);
        let answer = self.material.answer(system, item)?;
        let constraints = self.material.constraints_of(item)?;
        let earlier = answer.earlier_texts();
        let mut requests: Vec<ToRewrite<'_>> = earlier
            .map(|text| self.request((system, item), text, ""))
            .collect();
        let kept = kept_constraints(constraints, &answer.text);
        requests.push(self.request((system, item), &answer.text, &kept));
        Some(requests)
    }

    fn request(self, (system, item): Spot, text: &str, kept: &str) -> ToRewrite<'a> {
        ToRewrite {
            item: &self.material.items[item as usize],
            response: self.response(system, text),
            messages: rewriting_prompt(self.text, text, kept, self.breaks_marks),
            max_tokens: most_tokens(text),
        }
    }

    fn response(self, system: u32, text: &str) -> Response {
        Response::new(self.material.systems[system as usize].as_str(), text)
    }
}

/// Returns how many tokens a rewritten text may have. A token is three characters or more in nearly
/// every text; twice the length leaves room for a prolix one.
fn most_tokens(text: &str) -> u32 {
    (text.chars().count() as u32 / 3 * 2).clamp(128, 4096)
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
fn usable_replies(
    material: &Material,
    (system, item): Spot,
    replies: Vec<CallResult>,
) -> Option<Usable> {
    let answer = material.answer(system, item)?;
    let constraints = material.constraints_of(item)?;
    if replies.is_empty() {
        return None;
    }
    let texts = usable_texts(answer, constraints, replies);
    Some(texts.and_then(|texts| answer.with_texts(texts).ok_or(UNREADABLE)))
}

/// Returns the rewritten text of every turn, or why one is dropped.
fn usable_texts(
    answer: &Answer,
    constraints: &Constraints,
    replies: Vec<CallResult>,
) -> Result<Vec<String>, Fault> {
    let (none, turns) = (Constraints::default(), replies.len());
    let replies = answer.all_texts().zip(replies).zip(1..);
    let texts = replies.map(|((text, reply), turn)| {
        // The item's constraints are on the answer to its own turn, the last one.
        let constraints = if turn == turns { constraints } else { &none };
        usable_text(constraints, text, reply)
    });
    texts.collect()
}

/// Returns the rewritten text, or why it is dropped.
fn usable_text(constraints: &Constraints, original: &str, reply: CallResult) -> UsableText {
    let reply = reply.map_err(|error| reason_of(error.kind))?;
    if let Some(fault) = end_fault(original, &reply) {
        return Err(fault);
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

/// Returns why a reply is no rewritten text, whatever it says.
fn end_fault(original: &str, reply: &Reply) -> Option<Fault> {
    if reply.finish == Finish::Refusal || (declines(&reply.text) && !declines(original)) {
        return Some("refused");
    }
    (reply.finish != Finish::Stop).then_some("cut short")
}

fn declines(text: &str) -> bool {
    let start = text.trim_start().to_lowercase();
    REFUSALS.iter().any(|words| start.starts_with(words))
}

/// Returns why there is no rewritten text.
fn reason_of(kind: CallErrorKind) -> Fault {
    match kind {
        CallErrorKind::TooLong => "longer than the rewriter's context",
        CallErrorKind::Refused => "refused by the server",
        _ => "no reply",
    }
}

/// Why a rewritten text is dropped.
type Fault = &'static str;

/// Returns which of the things that can be checked a rewritten text does not keep: it must be
/// another text, of about the length, with the same numbers and the same code, and without a mark
/// of the prompt's.
fn fault_of(original: &str, written: &str) -> Option<Fault> {
    if written == original.trim() {
        return Some("unchanged");
    }
    length_fault(original, written).or_else(|| content_fault(original, written))
}

fn length_fault(original: &str, written: &str) -> Option<Fault> {
    let [before, after] = [original, written].map(|text| text.chars().count() as f64);
    if after < SHORTEST * before {
        Some("too short")
    } else if after > LONGEST * before.max(100.0) {
        // A very short answer may become a sentence.
        Some("too long")
    } else {
        None
    }
}

fn content_fault(original: &str, written: &str) -> Option<Fault> {
    if sorted_numbers(original) != sorted_numbers(written) {
        Some("other numbers")
    } else if !keeps_code(original, written) {
        Some("other code")
    } else if written.contains("<<<<") {
        Some("marks of the prompt")
    } else {
        None
    }
}

/// Returns all numbers in alphabetical order. Their order in the text may change.
fn sorted_numbers(text: &str) -> Vec<String> {
    let mut numbers = numbers_in(text);
    numbers.sort_unstable();
    numbers
}

/// Returns all numbers: runs of digits, with the points and commas between digits.
fn numbers_in(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut run) = (Vec::new(), String::new());
    for at in 0..chars.len() {
        if is_in_number(&chars, at, !run.is_empty()) {
            run.push(chars[at]);
        } else if !run.is_empty() {
            found.push(std::mem::take(&mut run));
        }
    }
    found.extend((!run.is_empty()).then_some(run));
    found
}

/// Whether a character is a digit, or a point or comma between digits.
fn is_in_number(chars: &[char], at: usize, after_digit: bool) -> bool {
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    is_digit(at) || (after_digit && matches!(chars[at], '.' | ',') && is_digit(at + 1))
}

/// Whether everything between fences of code is in the rewritten text too.
fn keeps_code(original: &str, written: &str) -> bool {
    // Every second part is between two fences.
    original
        .split("```")
        .skip(1)
        .step_by(2)
        .all(|block| block.trim().is_empty() || written.contains(block))
}

#[cfg(test)]
mod tests {
    use super::*;

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
