//! `A`, `B`, and `C` for a tie, where the prompt asks for a letter.

use super::ends::Ends;
use super::json::{Fields, StatedObject, take_objects};
use super::lex::{Kind, Piece, any_in, count_while, split};
use super::lines::{find_own_part, split_lines};
use super::order::read_ranks;
use super::preference::{
    Found, Letters, Said, may_change_sign, read_opening, read_phrase, read_plain, read_sentence,
    sets_other_against, speak_ill, turns_last,
};
use super::statements::{Statement, Unread, agree_on_verdict, is_own};
use crate::extraction::ReplyText;
use crate::lexicon::List::{Aspects, Better, Faults, Rejecting, TaskVerbs, Turns};
use evenhand_core::Side;
use std::collections::BTreeSet;

/// Reads which of the `options` (letters) the reply states: its place among them. Of a reply that
/// was `cut` short only what closes it is a verdict.
// Long, and flat: first all that is stated, then what each of four rules has against it.
pub(crate) fn read_letter(text: &str, options: &[String], cut: bool) -> Result<usize, Unread> {
    let letters = Letters(options);
    let (objects, outside) = take_objects(text, &Fields::have_verdict);
    let text = find_own_part(&outside);
    let mut said = list_own(text, letters, cut);
    for object in objects.iter().filter(|object| {
        !object.fields.are_of_a_part() && !object.fields.texts().any(asks_for_worse)
    }) {
        let values = object.fields.verdicts();
        let phrases = values
            .iter()
            .filter_map(|value| read_phrase(&split(value), letters));
        said.extend(phrases.map(|said| Own {
            at: object.at,
            found: Found::behind_label(said, &[]),
            is_verdict: object.closes,
        }));
    }

    // `{"winner": "A", "loser": "A"}` contradicts itself.
    for object in &objects {
        let lost = ["loser", "worse", "worst", "rejected"].map(|name| object.fields.get(name));
        let lost = lost
            .into_iter()
            .flatten()
            .filter_map(|value| value.as_str());
        said.extend(
            lost.filter_map(|value| match read_phrase(&split(value), letters)? {
                Said::Prefers(option) => Some(Own {
                    at: object.at,
                    found: Found::behind_label(Said::Against(option), &[]),
                    is_verdict: false,
                }),
                _ => None,
            }),
        );
    }

    let mut statements = Vec::new();
    for own in &said {
        let stated = match own.found.said {
            Said::Prefers(option) => option,
            Said::Tie if options.len() > 2 => 2,
            Said::Tie => return Err(Unread::NoTie),
            Said::Unclear => return Err(Unread::Vague(line_at(text, own.at))),
            Said::Against(_) => continue,
        };
        statements.push(Statement {
            at: own.at,
            stated,
            labelled: own.found.labelled,
            is_verdict: own.is_verdict,
        });
    }
    let announced = ["A > B", "B > A"].map(String::from);
    if let Some((at, order)) = read_ranks(text, true)
        && let Some(first) = announced.iter().position(|one| *one == order)
    {
        statements.push(Statement::with_label(at, first));
    }
    let verdict = agree_on_verdict(text, &statements, |at| options[*at].clone())?;
    let contradicts = |found: &Found| match found.said {
        Said::Against(option) => option == verdict || found.opens,
        _ => false,
    };
    if let Some(own) = said.iter().find(|own| contradicts(&own.found)) {
        return Err(Unread::Vague(line_at(text, own.at)));
    }
    if let Some(at) = find_taking_back(text, &statements, verdict, letters) {
        return Err(Unread::Vague(line_at(text, at)));
    }
    // `A is better:` and `B is better:` describe both, whatever is below them.
    let described = list_described(text, letters);
    let mut same = said
        .iter()
        .filter(|own| own.found.said == Said::Prefers(verdict));
    let only_describes = same.all(|own| described.contains(&(own.at, verdict)));
    let other = described.iter().find(|(_, option)| *option != verdict);
    match other.filter(|_| only_describes && verdict < 2) {
        Some((at, _)) => Err(Unread::Vague(line_at(text, *at))),
        None => Ok(verdict),
    }
}

/// Reads words that are a verdict on two responses and nothing else: `A`, `Response 1`, `A is worse
/// than B`.
pub(crate) fn read_side(words: &str) -> Option<Side> {
    let letters = ["A", "B"].map(String::from);
    let letters = Letters(&letters);
    let pieces = split(words);
    // `A by a narrow margin`; `A demonstrates better reasoning`, where nothing but a verdict stands.
    let plain = || read_plain(&pieces, letters).map(|found| found.said);
    let praised = || {
        let (letter, praise) = words.trim().split_once(' ')?;
        let shows = ["demonstrates", "shows", "provides", "gives", "offers"];
        let is_praise = matches!(&split(praise)[..], [first, next, ..]
            if first.is(&shows) && next.is_in(Better) || first.is(&["better"]) && next.is_in(TaskVerbs));
        is_praise.then(|| read_phrase(&split(&format!("{letter}: {praise}")), letters))?
    };
    match read_phrase(&pieces, letters)
        .or_else(plain)
        .or_else(praised)?
    {
        Said::Prefers(0) => Some(Side::First),
        Said::Prefers(_) => Some(Side::Second),
        Said::Tie => Some(Side::Tie),
        Said::Against(_) | Said::Unclear => None,
    }
}

/// How far a sentence holds with the side that a mark in it states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Holding {
    /// It says nothing against it.
    With,
    /// It may be meant otherwise: it asks, supposes, or its words before the mark are of a worse
    /// response alone.
    Open,
    /// It calls that response the worse one, or another the better.
    Against,
}

/// Judges what the sentence around a mark says of the side that the mark states.
pub(crate) fn judge_mark(before: &str, mark: &str, behind: &str, side: Side) -> Holding {
    let letters = ["A", "B", "C"].map(String::from);
    let letters = Letters(&letters);
    let option = match side {
        Side::First => 0,
        Side::Second => 1,
        Side::Tie => 2,
    };
    let pieces = split(&format!("{before}{mark}{behind}"));
    let said = read_sentence(&pieces, letters);
    let denies = |one: &Found| match one.said {
        Said::Prefers(stated) => stated != option,
        Said::Against(response) => response == option,
        Said::Tie | Said::Unclear => false,
    };
    if said.iter().any(denies) {
        return Holding::Against;
    }
    let asks = pieces.last().is_some_and(|last| last.is_stop("?"));
    let says_tie = side != Side::Tie && said.iter().any(|one| one.said == Said::Tie);
    let (before, behind) = (split(before), split(behind));
    let is_ill = said.is_empty() && speaks_of_worse(&before, option, letters);
    match asks || says_tie || supposes(&before, &behind) || is_ill {
        true => Holding::Open,
        false => Holding::With,
    }
}

/// Whether a mark is what the judge would choose in another case: `If it had sources, I would choose
/// [[A]]`, `I would choose [[A]] if`. `If I must choose, I would` chooses.
fn supposes(before: &[Piece], behind: &[Piece]) -> bool {
    let is_if = |piece: &Piece| piece.is(&["if", "unless"]);
    let commas = |piece: &Piece| piece.is_stop(",");
    let parts =
        |piece: &Piece| piece.is_stop(",;:") || piece.is_in(Turns) || piece.kind == Kind::Open;
    // `If I must`, `if I had to choose`
    let forces = |pair: &[Piece]| {
        pair[0].is(&["forced", "must", "pressed"])
            || pair[0].is(&["had", "have", "need"]) && pair[1].is(&["to"])
            || pair[0].is(&["only"]) && pair[1].is(&["one"])
            || pair[0].is(&["if"]) && pair[1].is(&["asked"])
    };
    let opens = count_while(before, |piece| piece.is_in(Turns) || commas(piece));
    let behind = &behind[count_while(behind, commas)..];
    let behind = &behind[..count_while(behind, |piece| !parts(piece))];
    let clause = before.rsplit(parts).next().unwrap_or_default();
    let would = |piece: &Piece| piece.is(&["would", "i'd"]);
    (before.get(opens).is_some_and(is_if) || behind.iter().any(is_if))
        && clause.iter().chain(behind).any(would)
        && ![before, behind]
            .iter()
            .any(|part| part.windows(2).any(forces))
}

/// Whether words before a mark are of a worse response, and name none that it is not: `Rejected:`.
/// `Since the other one is wrong`, `the less wrong one`, `the better of two bad ones` are not.
fn speaks_of_worse(before: &[Piece], option: usize, letters: Letters) -> bool {
    let other = ["second", "first"].get(option);
    // `Least helpful:`
    let lacks = |words: &[Piece]| {
        let is_less = |pair: &[Piece]| pair[0].is(&["less", "least"]) && pair[1].is_in(Aspects);
        words.windows(2).any(is_less)
    };
    let is_ill =
        |at: usize| speak_ill(&before[at..=at]) || lacks(&before[at.saturating_sub(1)..=at]);
    let turns = |at: usize| {
        let of = before[..at].iter().rposition(|piece| piece.is(&["of"]));
        at > 0 && before[at - 1].is(&["less", "least"])
            || of.is_some_and(|of| any_in(&before[..of], Better))
    };
    let names = |at: usize| {
        let piece = &before[at];
        let is_other =
            other.is_some_and(|other| piece.is(&[other])) || piece.is(&["other", "both"]);
        // `Since the other one is wrong`, `I reject the second`
        let behind = &before[at..];
        let behind = &behind[..count_while(behind, |piece| !piece.is_stop(",;:")).min(5)];
        let is_bad = speak_ill(behind)
            || lacks(behind)
            || any_in(&before[at.saturating_sub(2)..at], Rejecting);
        letters.find(&piece.raw).is_some_and(|one| one < 2) || is_other && is_bad
    };
    let all = 0..before.len();
    all.clone()
        .any(|at| is_ill(at) && !(before[at].is_in(Faults) && turns(at)))
        && !all.clone().any(names)
}

/// Returns where a sentence begins that may take the `verdict` back: one behind it, in its line or
/// where a verdict may stand: `Answer B, however, deserves the win.`
fn find_taking_back(
    text: &str,
    statements: &[Statement<usize>],
    verdict: usize,
    letters: Letters,
) -> Option<usize> {
    let stated = statements.iter().map(|one| one.at).max()?;
    let (ends, reply) = (Ends::of(text, false), ReplyText::new(text));
    split_lines(text).find_map(|line| {
        let in_line = line.at <= stated;
        // `2. B` is a rank.
        let is_item = split(&line.text)
            .first()
            .is_some_and(|first| first.number().is_some());
        let holds = in_line || ends.contain(line.at);
        let mut behind = line.sentences().filter(|(at, _)| holds && *at > stated);
        let taking_back = behind.find(|(at, sentence)| {
            let pieces = split(sentence);
            // `A is best. My money is on B.`
            let chooses = [read_plain(&pieces, letters), read_opening(&pieces, letters)];
            let is_other = |found: &Found| match found.said {
                Said::Prefers(option) => option != verdict && option < 2,
                _ => false,
            };
            let chooses_other = !is_item && chooses.iter().flatten().any(is_other);
            let takes_back = sets_other_against(&pieces, verdict, letters)
                || in_line && (chooses_other || turns_last(&pieces, letters));
            takes_back && is_own(&reply, *at)
        });
        taking_back.map(|(at, _)| at)
    })
}

/// Lists the sentences that say something of one response, as `A: concise` does, and the headings
/// of such lists (`A is better:`; `Answer A`, where the other one heads as many): where each
/// begins, and the option.
fn list_described(text: &str, letters: Letters) -> Vec<(usize, usize)> {
    let (mut described, mut headings) = (Vec::new(), Vec::new());
    for line in split_lines(text) {
        let pieces = split(&line.text);
        let is_stop = |piece: &Piece| matches!(piece.kind, Kind::Stop(_));
        let lone = letters
            .lead(&pieces)
            .filter(|(_, rest)| rest.iter().all(is_stop));
        headings.extend(lone.map(|(option, _)| (line.at, option)));
        // `A. short` above `B. long`.
        let numbered = letters
            .lead(&pieces)
            .filter(|(_, rest)| rest.len() > 1 && rest[0].is_stop("."));
        headings.extend(numbered.map(|(option, _)| (line.at, option)));
        for (at, sentence) in line.sentences() {
            let pieces = split(sentence);
            let Some((option, rest)) = letters.lead(&pieces) else {
                continue;
            };
            let parts = |piece: &Piece| piece.is_stop(":") || piece.is_sign(&["-"]);
            let heads = rest.last().is_some_and(|last| last.is_stop(":"));
            if rest.len() > 1 && (parts(&rest[0]) || heads) {
                described.push((at, option));
            }
        }
    }
    let count = |option: usize| headings.iter().filter(|(_, one)| *one == option).count();
    if count(0) == count(1) {
        described.extend(headings);
    }
    described
}

/// Lists whether a reply calls one response better than the other, as the ends of a reply to a
/// prompt for a number may, and as fields of its `objects` may that name a verdict: -1 for the
/// first, 1 for the second, 0 for neither.
pub(super) fn list_preferences(text: &str, objects: &[StatedObject]) -> Vec<i32> {
    let options = ["A", "B", "C"].map(String::from);
    let fields = objects.iter().flat_map(|object| object.fields.verdicts());
    let texts = std::iter::once(text.to_owned()).chain(fields);
    let said = texts.flat_map(|text| list_own(&text, Letters(&options), false));
    said.filter_map(|own| match own.found.said {
        Said::Prefers(0) => Some(-1),
        Said::Prefers(1) => Some(1),
        Said::Prefers(_) | Said::Tie => Some(0),
        Said::Against(_) | Said::Unclear => None,
    })
    .collect()
}

/// What the judge says in its own words.
struct Own {
    /// The byte of the reply at which its sentence begins.
    at: usize,
    found: Found,
    /// Whether it stands where a verdict may.
    is_verdict: bool,
}

/// Lists what the judge itself says: what is quoted or reported is left out, and of what has no
/// label all that stands neither in the first nor in the last line. Of a reply that was `cut`, a
/// verdict closes it, or is a letter that is the whole first line.
fn list_own(text: &str, letters: Letters, cut: bool) -> Vec<Own> {
    let (ends, last, reply) = (Ends::of(text, cut), Ends::last(text), ReplyText::new(text));
    // Lines that describe both responses, or head what is said of each, are no verdicts.
    let described = list_described(text, letters);
    let describes = |option: usize| described.iter().any(|(_, one)| *one == option);
    let both = describes(0) && describes(1);
    let places: BTreeSet<usize> = described.iter().map(|(at, _)| *at).collect();
    let is_description =
        |at: usize, found: &Found| both && found.opens && !found.labelled && places.contains(&at);
    let said = list_said(text, letters).into_iter();
    let said = said.filter(|(at, found)| !is_description(*at, found));
    let own = said.map(|(at, found)| {
        let is_whole = !cut || (found.closes && (found.opens || last.contains(&at)));
        Own {
            at,
            found,
            is_verdict: is_whole && ends.contain(at),
        }
    });
    own.filter(|own| is_own(&reply, own.at) && (own.found.labelled || ends.contain(own.at)))
        .collect()
}

/// Lists what each line of a reply says, at its beginning and in each of its sentences, with the
/// byte at which that begins.
fn list_said(text: &str, letters: Letters) -> Vec<(usize, Found)> {
    let mut said = Vec::new();
    for line in split_lines(text) {
        let before = text.get(..line.at).unwrap_or_default().trim_end();
        let before = before.lines().next_back().unwrap_or_default();
        let plain =
            read_plain(&split(line.text.trim_end()), letters).filter(|_| !may_change_sign(before));
        said.extend(plain.map(|found| (line.at, found)));
        for (row, (at, sentence)) in line.sentences().enumerate() {
            let pieces = split(sentence);
            // Below `Which one is worse?` a label tells no side.
            let mut found = read_sentence(&pieces, letters);
            if before.ends_with('?') && asks_for_worse(before) {
                found.retain(|one| !one.labelled);
            }
            // A letter alone is the answer to what stands above it: `Which one is worse?`.
            let opening = (row == 0)
                .then(|| read_opening(&pieces, letters))
                .flatten()
                .filter(|found| !found.closes || !asks_for_worse(before));
            let closes_line = at + sentence.len() >= line.at + line.text.trim_end().len();
            said.extend(found.into_iter().chain(opening).map(|found| {
                let closes = found.closes && closes_line;
                (at, Found { closes, ..found })
            }));
        }
    }
    said
}

/// Whether a line asks which response is the worse one, or announces it: `Loser:`, `**Worse**`.
fn asks_for_worse(line: &str) -> bool {
    let line = line.trim_matches(|c: char| "*_ ".contains(c));
    let asks = line.starts_with('#') || line.ends_with([':', '?']) || split(line).len() < 3;
    asks && may_change_sign(line.trim_end_matches([':', '?', '*', '_', ' ']))
}

fn line_at(text: &str, at: usize) -> String {
    let from = text.get(at..).unwrap_or_default();
    from.lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(80)
        .collect()
}
