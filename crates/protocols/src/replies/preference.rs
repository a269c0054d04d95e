//! What a sentence says of which response is better: the grammar of docs/design/extraction.md.
//!
//! A sentence is read only if all of it that bears on the verdict is understood: whose verdict it
//! is, of which sign (better or worse), of which response. A word of unknown meaning in the place
//! of a quality says nothing.

use super::lex::{Kind, Piece, any_in, count_while, split};
use crate::lexicon::List::*;
use crate::lexicon::Phrases;

/// What a sentence says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Said {
    /// This option is better, or is the verdict; the third of three is a tie.
    Prefers(usize),
    /// This response is not the better one: it is wrong, or not called better. That alone is no
    /// verdict, and it contradicts one.
    Against(usize),
    /// Neither is better.
    Tie,
    /// It stands where a verdict stands, and cannot be read.
    Unclear,
}

/// What a sentence says, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) said: Said,
    /// Whether it stands behind words such as `Verdict:`.
    pub(super) labelled: bool,
    /// Whether it is an option with which a line begins, alone or before a remark.
    pub(super) opens: bool,
    /// Whether no word follows in its sentence.
    pub(super) closes: bool,
}

impl Found {
    /// What is said without a label, with the pieces that follow in its sentence.
    fn new(said: Said, rest: &[Piece]) -> Found {
        Found {
            said,
            labelled: false,
            opens: false,
            closes: !has_words(rest),
        }
    }

    /// The same behind words such as `Verdict:`.
    pub(super) fn behind_label(said: Said, rest: &[Piece]) -> Found {
        Found {
            labelled: true,
            ..Found::new(said, rest)
        }
    }
}

/// How responses are told by their order.
const ORDINALS: [&str; 2] = ["first", "second"];

/// So many pieces of a clause are looked at, so that the time to read a reply grows with its length
/// alone, whatever a hostile one repeats.
const LONGEST_CLAUSE: usize = 200;

/// A remark of so many words describes a response, rather than to say what it is worth.
const LONG_REMARK: usize = 6;

/// The letters that stand for the first and the second response, and for a tie where there is one.
#[derive(Clone, Copy)]
pub(super) struct Letters<'a>(pub(super) &'a [String]);

/// Reads what a sentence says; several clauses may say something.
pub(super) fn read_sentence(pieces: &[Piece], letters: Letters) -> Vec<Found> {
    let is_question = pieces.last().is_some_and(|piece| piece.is_stop("?"));
    // `!(A > B)`, `~~Overall, A is better.~~`
    let is_negated = pieces
        .first()
        .is_some_and(|first| first.is_stop("!") || first.is_sign(&["~"]));
    if is_question || is_negated || any_in(pieces, Hearsay) {
        return Vec::new();
    }
    let begins_clause = |at: &usize| {
        *at == 0
            || pieces[at - 1].is_stop(",;")
            || pieces[at - 1].is_sign(&["-"])
            || pieces[at - 1].kind == Kind::Open
            || pieces[*at].is_in(Turns)
    };
    let starts = (0..pieces.len()).filter(begins_clause);
    let clauses = starts.filter(|at| !pieces[*at].is_in(Concessives));
    let mut found: Vec<Found> = clauses
        .filter_map(|at| {
            let end = pieces.len().min(at + LONGEST_CLAUSE);
            let from = at.saturating_sub(LONGEST_CLAUSE);
            let found = read_clause(&pieces[from..end], at - from, letters)?;
            let closes = found.closes && end == pieces.len();
            Some(Found { closes, ..found })
        })
        .collect();
    // `在语气方面，回答A更好`: before a reason all must be known.
    let mut stated = pieces.iter().take_while(|piece| !piece.is_in(Reasons));
    if stated.any(Piece::is_unknown_run) {
        found.retain(|one| one.labelled);
    }
    // `Correction: B`, `Actually, B.`: it takes something back, whatever it puts in its place.
    let names_option = || {
        pieces
            .iter()
            .any(|piece| letters.find(&piece.raw).is_some())
    };
    // `A actually answers the question` takes nothing back.
    let describes = |at: usize| {
        let verdict = [
            Being, Winning, Beating, Losing, Better, Worse, Adverbs, Negations,
        ];
        let is_verb =
            |next: &Piece| next.kind == Kind::Word && !verdict.iter().any(|list| next.is_in(*list));
        pieces[at].is(&["actually"])
            && at > 0
            && letters.find(&pieces[at - 1].raw).is_some()
            && pieces.get(at + 1).is_some_and(is_verb)
    };
    let corrects = (0..pieces.len()).any(|at| pieces[at].is_in(Correcting) && !describes(at))
        && names_option();
    // `A wins. Not.`
    let denies =
        matches!(pieces, [not, rest @ ..] if not.is(&["not"]) && rest.iter().all(is_closing));
    if found.is_empty() && (corrects || denies) {
        found.push(Found::new(Said::Unclear, pieces));
    }
    found
}

/// Reads the option with which a line begins, alone or before a remark (`A: it follows`, `**A**
/// because`). A remark that goes back on it makes it unclear.
pub(super) fn read_opening(pieces: &[Piece], letters: Letters) -> Option<Found> {
    let opening = |said, rest: &[Piece]| {
        Some(Found {
            opens: true,
            ..Found::new(said, rest)
        })
    };
    // `=> A`
    let pieces = &pieces[count_while(pieces, |piece| piece.is_sign(&["->"])).min(1)..];
    // The lone letter of a line may be a small one.
    if let [only, rest @ ..] = pieces
        && rest.iter().all(is_closing)
        && let Some(option) = letters.find_any_case(only)
    {
        return opening(Said::Prefers(option), rest);
    }
    let (option, rest) = letters.lead(pieces)?;
    if has_words(rest) && !rest.first().is_none_or(begins_remark) {
        return None;
    }
    let said = match judge_remark(rest, option, letters) {
        Remark::Fits => Said::Prefers(option),
        Remark::Against => Said::Against(option),
        Remark::Unclear => Said::Unclear,
        Remark::Unknown => return None,
    };
    opening(said, rest)
}

/// Reads a line that names the judge's choice in plain words, and says no more: `Definitely B`,
/// `It's B`, `Going with B, no question`, `B it is`, `B by a mile`. What stands before it may
/// change its sign ([`may_change_sign`]).
pub(super) fn read_plain(line: &[Piece], letters: Letters) -> Option<Found> {
    let begun = strip_phrase(line, Phrases::Plain.list());
    let (option, rest) = letters.lead(begun.unwrap_or(line))?;
    let behind = strip_phrase(rest, Phrases::PlainEnds.list())
        .or_else(|| strip_phrase(rest, Phrases::Stresses.list()));
    let stops = |words: &[Piece]| words.iter().all(|piece| piece.is_stop(".!"));
    let ends = match behind {
        Some(behind) => stops(behind),
        None => begun.is_some() && (is_stress(rest) || stops(rest)),
    };
    ends.then_some(Found {
        said: Said::Prefers(option),
        labelled: false,
        opens: false,
        // Where it was cut, anything may have followed.
        closes: false,
    })
}

/// Whether a line may make of a choice below it that of the worse response: `Which one is worse?`.
pub(super) fn may_change_sign(line: &str) -> bool {
    line.trim_end().ends_with(['?', ':']) || speak_ill(&split(line))
}

/// Whether words may be of the worse response.
pub(super) fn speak_ill(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| {
        piece.is_in(Worse) || piece.is_in(Faults) || piece.is_in(Losing) || piece.is_in(Rejecting)
    })
}

/// Reads a text that is a verdict and nothing else, as a field of an object has it: an option, a
/// comparison, a sentence.
pub(super) fn read_phrase(pieces: &[Piece], letters: Letters) -> Option<Said> {
    let opening = read_opening(pieces, letters).map(|found| found.said);
    if pieces.len() == 1 && pieces[0].is_in(Sideless) {
        return Some(Said::Tie);
    }
    let mut said: Vec<Said> = read_sentence(pieces, letters)
        .iter()
        .map(|found| found.said)
        .chain(opening)
        .collect();
    said.dedup();
    match said[..] {
        [] => None,
        [only] => Some(only),
        _ => Some(Said::Unclear),
    }
}

impl Letters<'_> {
    pub(super) fn find(self, letter: &str) -> Option<usize> {
        let letter = match letter {
            "\u{410}" => "A",
            "\u{412}" => "B",
            "\u{421}" => "C",
            letter => letter,
        };
        self.0.iter().position(|option| option == letter)
    }

    /// Whether any of the pieces is the letter of this option.
    fn name(self, option: usize, pieces: &[Piece]) -> bool {
        pieces
            .iter()
            .any(|piece| self.find(&piece.raw) == Some(option))
    }

    fn find_any_case(self, piece: &Piece) -> Option<usize> {
        let is_letter = piece.kind == Kind::Word && piece.raw.chars().count() == 1;
        is_letter.then(|| self.find(&piece.raw.to_uppercase()))?
    }

    /// The other response than this one; None for a tie.
    fn other(self, option: usize) -> Option<usize> {
        (option < 2).then(|| 1 - option)
    }

    /// Returns the option with which another one is compared: its name, or `the other answer`.
    fn lead_compared(self, option: usize, pieces: &[Piece]) -> Option<(usize, &[Piece])> {
        if let [the, other, rest @ ..] = pieces
            && the.is(&["the", "its"])
            && other.is(&["other", "alternative", "rival", "competitor"])
        {
            let nouns = count_while(rest, |piece| piece.is_in(Nouns) || piece.is(&["one"]));
            return Some((self.other(option)?, &rest[nouns..]));
        }
        self.lead(pieces)
    }

    /// Returns the option that the pieces begin with, and what is behind it: `A`, `Answer A`, `the
    /// answer (a)`, `Response 1`, `the second one`.
    pub(super) fn lead(self, pieces: &[Piece]) -> Option<(usize, &[Piece])> {
        if let [the, ordinal, rest @ ..] = pieces
            && the.is(&["the"])
            && let Some(option) = ORDINALS.iter().position(|word| ordinal.is(&[word]))
        {
            let nouns = usize::from(
                rest.first()
                    .is_some_and(|next| next.is_in(Nouns) || next.is(&["one"])),
            );
            return Some((option, &rest[nouns..]));
        }
        let mut at = 0;
        while at < 3
            && pieces.get(at).is_some_and(|piece| {
                let before_noun = pieces.get(at + 1).is_some_and(|next| next.is_in(Nouns));
                piece.is_in(Nouns) || (piece.is_in(Articles) && before_noun)
            })
        {
            at += 1;
        }
        match &pieces[at..] {
            [open, letter, close, rest @ ..]
                if open.kind == Kind::Open && close.kind == Kind::Close =>
            {
                Some((self.find_any_case(letter)?, rest))
            }
            [number, rest @ ..] if at > 0 && number.number().is_some() => {
                let option = [1.0, 2.0]
                    .iter()
                    .position(|one| number.number() == Some(*one))?;
                Some((option, rest))
            }
            [letter, rest @ ..] if letter.kind == Kind::Word => {
                Some((self.find(&letter.raw)?, rest))
            }
            _ => None,
        }
    }
}

/// Reads the clause that begins with a piece of its sentence.
// Long: the forms of a clause are tried in one order, which is the rule.
fn read_clause(sentence: &[Piece], begin: usize, letters: Letters) -> Option<Found> {
    let (before, clause) = sentence.split_at(begin);
    if limits(before) {
        return None;
    }
    let opens = |piece: &Piece| piece.is_in(Openers) || piece.is_stop(",");
    let mut openers = count_while(clause, opens);
    // `Overall: A`, `Conclusion: Answer A is better`: the colon makes a label of words that are none
    // elsewhere, as in the last line of verdicts on one criterion each. `Overall: A+` is a mark.
    let heading = openers.max(usize::from(clause[0].is(&["final"])));
    if begin == 0
        && heading > 0
        && let Some((colon, rest)) = clause[heading..].split_first()
        && colon.is_stop(":")
        && !narrows(&clause[..heading])
    {
        return read_labelled(rest, true, letters).filter(|found| found.said != Said::Unclear);
    }
    // `I would say that A is better`; others may say so too, and it is not their verdict.
    let own = openers > 0 && clause[openers - 1].is(&["i", "we"]);
    if let [would, say, rest @ ..] = &clause[openers..]
        && (would.is(&["i'd", "we'd"]) || own && would.is(&["would"]))
        && say.is(&["say"])
    {
        openers += 2 + count_while(rest, opens);
    }
    // `It is clear that A is better`; with `It seems that` begins what is taken back.
    let phrase = &clause[openers..];
    let subject = match phrase {
        [it, is, ..] if it.is(&["it"]) && is.is(&["is"]) => 2,
        [it, ..] if it.is(&["it", "it's"]) => 1,
        _ => 0,
    };
    if subject > 0
        && let Some([how, that, rest @ ..]) = phrase.get(subject..)
        && how.is(&["clear", "obvious", "evident"])
        && that.is(&["that"])
    {
        openers += subject + 2 + count_while(rest, opens);
    }
    let choosing = (0..=openers).find_map(|at| read_choosing(&clause[at..], letters));
    let clause = &clause[openers..];
    if choosing.is_some() {
        return choosing;
    }
    if let Some((is_positive, rest)) = strip_label(clause) {
        return read_labelled(rest, is_positive, letters);
    }
    if let Some((option, rest)) = letters.lead(clause).filter(|_| openers > 0)
        && !has_words(rest)
    {
        // `Anything but A`
        let excepts = |last: &Piece| last.kind == Kind::Word && letters.find(&last.raw).is_none();
        if sentence[begin].is(&["but"]) && before.last().is_some_and(excepts) {
            return None;
        }
        // `A is better, but B`; `A is wrong, but B`.
        let names = |option| letters.name(option, before);
        let contrasts = sentence[begin].is(&["but", "yet", "still", "however"]);
        if contrasts
            && !names(option)
            && letters.other(option).is_some_and(names)
            && !before.iter().any(faults)
        {
            return Some(Found::new(Said::Unclear, rest));
        }
        return read_aside(before, clause, letters).unwrap_or_else(|| {
            let found = Found::new(Said::Prefers(option), rest);
            // Where it was cut, `I think A` may go on.
            let closes = rest.iter().any(|piece| piece.is_stop(".!"));
            Some(Found { closes, ..found })
        });
    }
    read_statement(clause, letters).or_else(|| {
        // `Of the two, judged by the rules the better answer is A`: the label begins with an
        // article, and nothing before it may change its sign.
        let blocks = |piece: &Piece| piece.is_in(Blocks) || piece.denies() || piece.is_in(Worse);
        let end = clause.iter().position(blocks).unwrap_or(clause.len());
        let begin = sentence.len() - clause.len();
        (1..end)
            .filter(|at| clause[*at].is(&["the", "my"]))
            .find_map(|at| {
                let (is_positive, rest) = strip_label(&clause[at..])?;
                let found = read_labelled(rest, is_positive, letters)?;
                (!limits(&sentence[..begin + at])).then_some(found)
            })
    })
}

/// Reads an option that a word such as `therefore` leads to, where what stands before decides what
/// it says: `The worse one is, clearly, A`, `To reject, therefore: A`. Returns None where it stands
/// by itself: `Therefore, A`, `B is worse, therefore A`.
fn read_aside(before: &[Piece], option: &[Piece], letters: Letters) -> Option<Option<Found>> {
    let stops = |piece: &Piece| piece.is_stop(",;") || piece.is_sign(&["-"]);
    let end = before.iter().rposition(|piece| !stops(piece))? + 1;
    let clause = before[..end].rsplit(stops).next()?;
    if clause
        .last()
        .is_some_and(|last| last.is_in(Being) || last.is_in(Connectives))
    {
        let opens = |piece: &Piece| piece.is_in(Openers);
        let label = strip_label(&clause[count_while(clause, opens)..]);
        return Some(match label {
            Some((is_positive, [])) => read_labelled(option, is_positive, letters),
            _ => None,
        });
    }
    let names = |piece: &Piece| letters.find(&piece.raw).is_some();
    (speak_ill(before) && !before.iter().any(names)).then_some(None)
}

/// Whether a sentence's beginning limits what follows to a part or a case, or reports it: `In terms
/// of clarity,`, `At first glance,`, `Answer A insists that,`.
fn limits(before: &[Piece]) -> bool {
    // `Style: overall, A is better`, `It ends with the words: my verdict is A`.
    let heads = |piece: &Piece| {
        let lists = [Openers, LabelWords, VerdictNouns, Rationale, Notes, Better];
        piece.kind != Kind::Word || lists.iter().any(|list| piece.is_in(*list))
    };
    let colon = before.iter().position(|piece| piece.is_stop(":"));
    // `It is not true that, overall, A is better`.
    let denied = |piece: &Piece| piece.is_in(Blocks) || piece.denies();
    let that = before.iter().rposition(|piece| piece.is(&["that"]));
    if colon.is_some_and(|colon| !before[..colon].iter().all(heads))
        || that.is_some_and(|that| before[..that].iter().any(denied))
    {
        return true;
    }
    let stops = |piece: &Piece| piece.is_stop(",");
    // `For accuracy, A is better; for style,`: the last part alone limits what follows.
    let turns = |piece: &Piece| piece.is_stop(";") || piece.is(&["but", "while", "whereas", "yet"]);
    let end = before
        .iter()
        .rposition(|piece| !stops(piece) && !turns(piece));
    let before = &before[..end.map_or(0, |end| end + 1)];
    let before = before.rsplit(turns).next().unwrap_or_default();
    let opens =
        |piece: &Piece| piece.is_in(Openers) && !piece.is(&["in", "on", "as"]) || stops(piece);
    let part = &before[count_while(before, opens)..];
    let is_part = strip_phrase(part, Phrases::Parts.list()).is_some()
        || narrows(part) && strip_phrase(part, Phrases::Introducing.list()).is_none();
    // Behind another clause nothing is limited: `As for tone, B is fine, but A is better`.
    let is_whole = |piece: &Piece| piece.is_in(Wholly) || piece.is(&["overall"]);
    let ends = |piece: &Piece| piece.is_in(Being) || piece.is_in(Turns) || piece.is_stop(";");
    let mut words = part
        .iter()
        .rev()
        .skip_while(|piece| stops(piece) || piece.is_in(Openers) && !piece.is(&["that"]));
    let voices = ["according to", "per"];
    let cites = strip_phrase(part, &voices).is_some_and(|words| any_in(words, Nouns));
    let reports = cites
        || words.next().is_some_and(|last| last.is(&["that"]))
            && words.any(|piece| piece.is_in(Nouns));
    reports || is_part && !part.iter().any(|piece| is_whole(piece) || ends(piece))
}

/// Returns whether a label speaks of the better response, and what is behind it: `Verdict:`, `The
/// better answer is`, `My final choice -`, `The worse one is`.
fn strip_label(clause: &[Piece]) -> Option<(bool, &[Piece])> {
    let connects = |piece: &Piece| {
        piece.is_stop(":") || piece.is_sign(&["-", "=", "->"]) || piece.is_in(Connectives)
    };
    // `A better answer is B`: the article of a sentence's beginning.
    let article = matches!(clause, [a, next, ..] if a.raw == "A" && (next.is_in(Better) || next.is_in(Worse)));
    let clause = &clause[usize::from(article)..];
    let belongs = |piece: &Piece| {
        piece.is_in(LabelWords) || piece.is_in(Better) || piece.is_in(Worse) || connects(piece)
    };
    let count = count_while(clause, belongs);
    // The last nouns may be those of the option: `Verdict: Answer A`.
    let nouns = clause[..count]
        .iter()
        .rev()
        .take_while(|piece| piece.is_in(Nouns) || piece.is_in(Articles));
    let label = &clause[..count - nouns.count().min(count)];
    let last = label.last()?;
    let is_bare = label.iter().all(|piece| piece.is_in(LabelWords)) && last.is_in(BareLabels);
    if !connects(last) && !is_bare {
        return None;
    }
    // `Superior to B` compares with B, and says of it the opposite.
    if let [.., quality, to] = label
        && to.is(&["to", "for"])
        && (quality.is_in(Better) || quality.is_in(Worse))
    {
        return None;
    }
    let worse = label.iter().filter(|piece| piece.is_in(Worse)).count();
    let better = any_in(label, Better);
    let answers = label
        .iter()
        .any(|piece| piece.is(&["answer", "antwort", "\u{7b54}\u{6848}"]));
    let rest = &clause[label.len()..];
    match worse {
        0 if better || any_in(label, VerdictNouns) || answers => Some((true, rest)),
        1 if !better => Some((false, rest)),
        _ => None,
    }
}

/// Reads what stands behind a label.
fn read_labelled(rest: &[Piece], is_positive: bool, letters: Letters) -> Option<Found> {
    let labelled = |said, rest| Some(Found::behind_label(said, rest));
    if !is_positive {
        // `The worse answer is A.`
        let (option, rest) = letters.lead(rest)?;
        let fits = !has_words(rest) || (rest[0].is_stop(".,;!") || rest[0].is_in(Reasons));
        return match letters.other(option).filter(|_| fits) {
            Some(other) => labelled(Said::Prefers(other), rest),
            None => labelled(Said::Unclear, rest),
        };
    }
    if let Some(found) = read_statement(rest, letters) {
        return Some(Found {
            labelled: true,
            ..found
        });
    }
    if let [word, after @ ..] = rest
        && word.is_in(Sideless)
        && !has_words(after)
    {
        return labelled(Said::Tie, after);
    }
    if let [no, after @ ..] = rest
        && (no.is_in(Negations) || no.is_stop("!"))
    {
        let (option, after) = letters.lead(after)?;
        return labelled(Said::Against(option), after);
    }
    let (option, after) = letters.lead(rest)?;
    match judge_remark(after, option, letters) {
        Remark::Fits if may_follow_verdict(after) || !has_words(after) => {
            labelled(Said::Prefers(option), after)
        }
        Remark::Against => labelled(Said::Against(option), after),
        _ => labelled(Said::Unclear, after),
    }
}

/// Reads a comparison or what is said of a response: `A > B`, `Answer A is better than B`, `A
/// wins`, `both are equally good`.
fn read_statement(clause: &[Piece], letters: Letters) -> Option<Found> {
    let found = |said, rest| Some(Found::new(said, rest));
    if let Some(rest) = strip_tie(clause, letters) {
        return found(Said::Tie, rest);
    }
    let (option, rest) = letters.lead(clause)?;
    let next = rest.first()?;
    // The article of `A win - for B`.
    if clause[0].raw == "A" && next.is(&["win"]) {
        return None;
    }
    if let Some(behind) = strip_phrase(rest, &["rather than"])
        && let Some((_, after)) = letters.lead(behind).filter(|(other, _)| *other != option)
    {
        return found(Said::Prefers(option), after).filter(|_| may_end(after));
    }
    // `AよりBの方が優れています`: what stands before is only compared with.
    if next.is(&["より", "보다"]) {
        let other = letters
            .lead(&rest[1..])
            .filter(|(second, _)| *second != option);
        return other.and_then(|_| read_statement(&rest[1..], letters));
    }
    if let Some((second, after)) = letters.lead(&rest[1..]).filter(|_| joins(next)) {
        let ends = !has_words(after)
            || after[0].is_stop(".,;:!")
            || after[0].kind == Kind::Open
            || after[0].is_in(Reasons);
        let said = match next.kind {
            _ if !ends || narrows(after) || second == option || option > 1 || second > 1 => {
                Said::Unclear
            }
            Kind::Sign(">") => Said::Prefers(option),
            Kind::Word if next.is(&["over"]) => Said::Prefers(option),
            Kind::Sign("<") => Said::Prefers(second),
            Kind::Sign("=") => Said::Tie,
            _ => Said::Unclear,
        };
        // `A and B are equal` was read above; `A, B and C are fine` is no verdict.
        let is_list = next.is(&["and"]) || next.is_stop(",") || next.is_sign(&["-"]);
        return found(said, after).filter(|_| !(is_list && has_words(after)));
    }
    // `A clearly wins`, `A slightly edges out B`.
    let is_adverb = |piece: &Piece| piece.is_in(Adverbs) && !piece.is(&["a", "by", "my", "the"]);
    let rest = &rest[count_while(rest, is_adverb)..];
    let (said, after) = read_predicate(option, rest, letters)?;
    // `A is better, nah`: of a few words behind a stop one must be known.
    let is_short = after.first().is_some_and(begins_remark)
        && after
            .iter()
            .filter(|piece| piece.kind == Kind::Word)
            .count()
            < 4;
    let is_unknown = is_short && matches!(judge_remark(after, option, letters), Remark::Unknown);
    found(said, after).filter(|_| !is_unknown)
}

/// Whether a piece between two options sets them beside each other.
fn joins(piece: &Piece) -> bool {
    matches!(piece.kind, Kind::Sign(_))
        || piece.is(&["and", "or", "vs", "versus", "nor", "over"])
        || piece.is_stop(",;")
}

/// Reads what is said of an option: `is clearly the better answer`, `wins`, `beats answer B`, `is
/// not better`.
// Long: an arm a kind of predicate, and the first that fits is the rule.
fn read_predicate<'p>(
    option: usize,
    rest: &'p [Piece],
    letters: Letters,
) -> Option<(Said, &'p [Piece])> {
    let other = letters.other(option)?;
    let verb = rest.first()?;
    let directly = [(DirectlyBetter, option), (DirectlyWorse, other)];
    if let Some((_, said)) = directly.into_iter().find(|(list, _)| verb.is_in(*list)) {
        return may_end(&rest[1..]).then(|| (Said::Prefers(said), &rest[1..]));
    }
    // `回答A比回答B更好`, `AはBより優れています`.
    if verb.is(&["比", "は"]) {
        let (one, behind) = letters.lead(&rest[1..])?;
        let behind = &behind[count_while(behind, |piece| piece.is_in(Adverbs))..];
        let (quality, after) = behind.split_first()?;
        let said = match quality {
            _ if one != other => return None,
            _ if quality.is_in(Better) || quality.is_in(DirectlyBetter) => option,
            _ if quality.is_in(Worse) || quality.is_in(DirectlyWorse) => other,
            _ => return None,
        };
        return may_end(after).then_some((Said::Prefers(said), after));
    }
    let denied = |rest: &[Piece]| {
        let tells = |piece: &Piece| {
            piece.is_in(Better) || piece.is_in(Winning) || piece.is_in(PreferredNouns)
        };
        rest.iter().take(6).any(tells)
    };
    if verb.word.ends_with("n't") || verb.is(&["cannot"]) {
        return denied(rest).then_some((Said::Against(option), &rest[1..]));
    }
    // `A follows the instruction better`, `A gives the better answer`, `A offers a more complete
    // one`.
    let given = match rest {
        // `A better addresses the question than B`; `better answers the critics` is in part.
        [better, acts, object @ ..] if better.is(&["better"]) && acts.is_in(TaskVerbs) => {
            let count = count_while(object, |piece| piece.is_in(TaskWords));
            (count > 1).then(|| &object[count..])
        }
        [acts, object @ ..] if acts.is_in(TaskVerbs) => {
            let count = count_while(object, |piece| piece.is_in(TaskWords));
            let after = object.get(count + 1..).unwrap_or_default();
            let is_better = object.get(count).is_some_and(|next| next.is(&["better"]));
            (count > 1 && is_better).then_some(after)
        }
        [gives, article, quality, object @ ..]
            if gives.is(&[
                "gives", "provides", "offers", "delivers", "produces", "gave", "provided",
            ]) && article.is(&["a", "the"]) =>
        {
            let degree = usize::from(quality.is(&["more"]));
            let praises = match object.first().filter(|_| degree == 1) {
                Some(aspect) => aspect.is_in(Aspects),
                None => quality.is_in(Better),
            };
            let noun = object
                .get(degree)
                .is_some_and(|noun| noun.is_in(Nouns) || noun.is(&["one"]));
            (praises && noun).then(|| &object[degree + 1..])
        }
        _ => None,
    };
    if let Some(after) = given {
        let behind = match read_compared(option, after, letters) {
            Some((one, _)) if one != other => return None,
            Some((_, behind)) => behind,
            None => after,
        };
        return may_end(behind).then_some((Said::Prefers(option), behind));
    }
    let wins = verb.is_in(Winning) || verb.is_in(Beating) || verb.is_in(Losing);
    if wins || strip_phrase(rest, Phrases::Wins.list()).is_some() {
        return read_win([option, other], rest, letters);
    }
    if !verb.is_in(Being) {
        let is_denial = rest.get(1).is_some_and(|next| next.is_in(Negations));
        return (is_denial && denied(rest)).then(|| (Said::Against(option), &rest[2..]));
    }
    read_quality([option, other], &rest[1..], letters)
}

/// Reads what a response is called: `clearly the better answer`, `not better`, `better and clearer
/// than B`.
fn read_quality<'p>(
    [option, other]: [usize; 2],
    rest: &'p [Piece],
    letters: Letters,
) -> Option<(Said, &'p [Piece])> {
    let skip_adverbs =
        |from: usize| from + count_while(&rest[from..], |piece| piece.is_in(Adverbs));
    let at = skip_adverbs(0);
    let is_denied = rest.get(at).is_some_and(|piece| piece.is_in(Negations));
    let at = skip_adverbs(at + usize::from(is_denied));
    let quality = rest.get(at)?;
    let degree = rest
        .get(at + 1)
        .filter(|next| next.is_in(Aspects) && quality.is(&["more", "most", "less", "least"]));
    let (said, length) = match degree {
        Some(_) if quality.is(&["more", "most"]) => (Said::Prefers(option), 2),
        Some(_) => (Said::Prefers(other), 2),
        None if quality.is_in(SecondRate) => (Said::Against(option), 1),
        None if quality.is(&["second", "next"]) => (Said::Against(option), 2),
        None if quality.is_in(Better) || quality.is_in(PreferredNouns) => {
            (Said::Prefers(option), 1)
        }
        None if quality.is_in(Worse) => (Said::Prefers(other), 1),
        None if quality.is_in(Faults) => (Said::Against(option), 1),
        None => return None,
    };
    let mut after = &rest[(at + length).min(rest.len())..];
    // `Better and more accurate`, `better, clearer and shorter`.
    while let [joint, next, ..] = after
        && matches!(said, Said::Prefers(one) if one == option)
        && (joint.is(&["and"]) || joint.is_stop(",") && !next.is(&["and"]))
    {
        let degrees = 1 + usize::from(next.is(&["more"]));
        let praises = |piece: &&Piece| {
            piece.is_in(Better)
                || piece.is_in(Aspects)
                || piece.is_in(Praise) && (piece.word.ends_with("er") || degrees == 2)
        };
        if after.get(degrees).filter(praises).is_none() {
            break;
        }
        after = &after[degrees + 1..];
    }
    let is_whole = match said {
        Said::Prefers(_) if degree.is_some() && weighs(after, other, letters) => return None,
        Said::Prefers(_) => match read_compared(option, after, letters) {
            Some((object, _)) if object != other => return Some((Said::Unclear, after)),
            // `Better than B at rhyming` is better in part.
            Some((_, behind)) => !narrows(behind),
            None => may_end(after),
        },
        // A fault is one in whatever part.
        _ => true,
    };
    let said = match said {
        Said::Prefers(one) if is_denied && one == option => Said::Against(option),
        // `A is not worse` and `A is not wrong` decide nothing.
        _ if is_denied => return None,
        said => said,
    };
    (is_whole || matches!(said, Said::Against(_))).then_some((said, after))
}

/// Whether what stands behind `more helpful` weighs it against something else: `, but less
/// complete`, `, B more complete`.
fn weighs(after: &[Piece], other: usize, letters: Letters) -> bool {
    let of_other = |piece: &Piece| letters.find(&piece.raw) == Some(other);
    after.windows(2).any(|pair| {
        pair[1].is(&["but", "yet", "however"])
            || of_other(&pair[0]) && pair[1].is(&["more", "less"])
    })
}

/// Returns the response with which a quality compares, and what is behind it: `than answer B`. None
/// where it compares with no response: `better than average`, `more helpful than harmful`.
fn read_compared<'p>(
    option: usize,
    after: &'p [Piece],
    letters: Letters,
) -> Option<(usize, &'p [Piece])> {
    let thans = count_while(after, |piece| piece.is_in(Than));
    letters
        .lead_compared(option, &after[thans..])
        .filter(|_| thans > 0)
}

/// Reads which of an option and the other one wins: `wins`, `loses to B`, `edges out answer B`,
/// `has the edge over B`.
fn read_win<'p>(
    [option, other]: [usize; 2],
    rest: &'p [Piece],
    letters: Letters,
) -> Option<(Said, &'p [Piece])> {
    let verb = rest.first()?;
    let winner = if verb.is_in(Losing) { other } else { option };
    let out = verb.is(&["edges"]) && rest.get(1).is_some_and(|next| next.is(&["out"]));
    let after = strip_phrase(rest, Phrases::Wins.list()).unwrap_or(&rest[1 + usize::from(out)..]);
    let object = match after {
        [link, object @ ..] if link.is_in(Than) || link.is(&["over", "of"]) => object,
        _ => after,
    };
    let (said, after) = match letters.lead_compared(option, object) {
        Some((object, _)) if object != other => (Said::Unclear, after),
        Some((_, after)) => (Said::Prefers(winner), after),
        None if verb.is_in(Beating) => return None,
        None => (Said::Prefers(winner), after),
    };
    may_end(after).then_some((said, after))
}

/// Returns what is behind the first of these phrases with which the pieces begin.
pub(super) fn strip_phrase<'p>(
    rest: &'p [Piece],
    phrases: &[impl AsRef<str>],
) -> Option<&'p [Piece]> {
    phrases.iter().find_map(|phrase| {
        phrase.as_ref().split(' ').try_fold(rest, |rest, word| {
            let (piece, behind) = rest.split_first()?;
            piece.is(&[word]).then_some(behind)
        })
    })
}

/// Whether what follows a quality leaves it one of the whole response.
fn may_end(after: &[Piece]) -> bool {
    let Some(next) = after.first() else {
        return true;
    };
    let behind = |skipped: &[&str]| after.iter().skip(1).find(|word| !word.is(skipped));
    // `As far as tone goes`, `as the worst answer`; `as it is clearer` is a reason.
    if next.is(&["as"])
        && behind(&["a", "the"]).is_some_and(|word| {
            word.is_in(Worse) || word.is(&["far", "long", "to", "regards", "concerns"])
        })
    {
        return false;
    }
    // `As often as B`.
    if next.is(&["as"]) && after.get(2).is_some_and(|third| third.is(&["as"])) {
        return false;
    }
    // `As an introduction`, `as the most confusing`; `as a whole` is not in part.
    if let [of_kind, article, kind, ..] = after
        && of_kind.is(&["as"])
        && (article.is(&["a", "an"]) && !kind.is_in(Nouns) && !kind.is(&["whole", "result"])
            || article.is(&["the"]) && kind.is(&["most", "least"]))
    {
        return false;
    }
    // `Of the two`, `in the given context`; `in the opening` is in part.
    if strip_phrase(after, Phrases::Stresses.list()).is_some_and(|rest| rest.iter().all(is_closing))
    {
        return true;
    }
    let of_whole = |word: &Piece| word.is(&["the", "these", "given"]) || word.is_in(Wholly);
    let whole = 1 + count_while(&after[1..], of_whole);
    let wholly = next.is(&["of", "in", "on"])
        && behind(&["the", "these", "given"]).is_some_and(|word| word.is_in(Wholly))
        && !narrows(&after[whole..]);
    // `The better answer for experts`, `better (in style)`, `wins, for now`.
    if next.is_in(Nouns) || next.is(&["one", "choice"]) || may_be_narrowed_behind(next) {
        return !narrows(&after[1..]);
    }
    wholly
        || next.is_in(AfterQuality) && (next.is_in(Reasons) || !narrows(&after[1..]))
        || matches!(next.kind, Kind::Stop(_) | Kind::Open | Kind::Close)
        || next.is_sign(&["-"])
}

/// Whether words behind a piece may take back a part of what stands before it: a comma, a dash, a
/// parenthesis.
fn may_be_narrowed_behind(piece: &Piece) -> bool {
    piece.is_stop(",") || piece.is_sign(&["-"]) || piece.kind == Kind::Open
}

/// Whether words begin by narrowing what they follow to a part, a case or a reader: `in tone`, `at
/// least in style`, `for beginners`, `stylistically`, `depending on taste`.
fn narrows(words: &[Piece]) -> bool {
    let words = &words[count_while(words, may_be_narrowed_behind)..];
    let softening = [
        "but only", "but just", "at least", "only", "mainly", "mostly",
    ];
    let words = strip_phrase(words, &softening).unwrap_or(words);
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let of_all = || {
        let mut behind = rest
            .iter()
            .filter(|word| !word.is(&["the", "these", "given"]));
        behind
            .next()
            .is_some_and(|word| word.is_in(Wholly) || word.is(&["whole", "end"]))
    };
    // `In my view`, `in short`, `in that it is right`, `in every respect`.
    let own = "my our short sum summary conclusion that fact every all balance";
    // `For it is right`, `for its sources`, `for the following reasons`.
    let reason = "it its being the this these several many two three me";
    let scope = "regarding concerning when until were had assuming provided providing depending \
                 from sur im en was";
    // Adverbs such as `stylistically`, but these.
    let whole = "generally totally finally especially naturally essentially additionally \
                 personally basically practically fundamentally really eventually actually";
    let is_among =
        |piece: &Piece, words: &str| words.split_whitespace().any(|word| piece.is(&[word]));
    let next_is = |words: &str| rest.first().is_some_and(|next| is_among(next, words));
    first.is(&["in", "on", "at"]) && !next_is(own) && !of_all()
        || first.is(&["for"]) && !next_is(reason)
        || first.is(&["of"]) && !next_is("course") && !of_all()
        || first.is(&["with"]) && next_is("respect regard regards")
        || is_among(first, scope)
        || first.word.len() > 6 && first.word.ends_with("ally") && !is_among(first, whole)
        || first.word.contains(['\u{4ec5}', '\u{53ea}', '\u{9650}'])
}

/// Reads what the judge chooses: `I prefer A to B`, `we would go with answer B`.
fn read_choosing(clause: &[Piece], letters: Letters) -> Option<Found> {
    let who = clause.first()?.is_in(Choosers);
    let count = count_while(clause, |piece| piece.is_in(Choosers) || piece.is_in(Manner));
    let verb = clause.get(count)?;
    let linked = usize::from(
        clause
            .get(count + 1)
            .is_some_and(|next| next.is(&["with", "for", "to", "towards", "toward"])),
    );
    let chooses = verb.is_in(Choosing) || (verb.is_in(ChoosingWith) && linked == 1);
    let rejects = verb.is_in(Rejecting);
    // `I would have picked A, but` says what the judge does not do.
    let chosen = &clause[..count];
    let supposes = chosen.iter().any(|piece| piece.is(&["have"]))
        && chosen
            .iter()
            .any(|piece| piece.is(&["would", "i'd", "we'd"]));
    // `I find A better`.
    let finds = verb.is(&["find", "found", "consider", "deem", "judge", "rate", "rank"])
        && !chosen
            .iter()
            .any(|piece| piece.is(&["would", "i'd", "we'd"]));
    if !who || supposes || !(chooses || rejects || finds) {
        return None;
    }
    let (option, after) = letters.lead(&clause[count + 1 + linked..])?;
    if finds {
        let after = strip_phrase(after, &["to be", "is", "as"]).unwrap_or(after);
        let (said, after) = read_quality([option, letters.other(option)?], after, letters)?;
        return Some(Found::new(said, after));
    }
    let said = match judge_remark(after, option, letters) {
        _ if !may_follow_verdict(after) => Said::Unclear,
        Remark::Fits if chooses => Said::Prefers(option),
        Remark::Fits => Said::Against(option),
        _ => Said::Unclear,
    };
    Some(Found::new(said, after))
}

/// Whether what follows the option of a verdict leaves it whole: nothing, a stop, a remark, what it
/// is compared with.
fn may_follow_verdict(after: &[Piece]) -> bool {
    after.first().is_none_or(|next| {
        begins_remark(next) || next.kind == Kind::Close || next.is_in(AfterVerdict)
    })
}

/// Returns what is behind words that say that neither is better: all words to the clause's end are
/// of [`TieWords`], options among them, and one of them says it.
fn strip_tie<'p>(clause: &'p [Piece], letters: Letters) -> Option<&'p [Piece]> {
    let clause = match clause {
        // The article of `A tie`.
        [a, tie, ..] if a.raw == "A" && tie.is(&["tie", "draw"]) => &clause[1..],
        _ => clause,
    };
    let belongs = |piece: &Piece| {
        piece.is_in(TieWords)
            || piece.is_in(Ties)
            || piece.is_in(Nouns)
            || letters.find(&piece.raw).is_some()
            || piece.is_in(Better)
            || piece.is_in(Winning)
            || matches!(piece.kind, Kind::Open | Kind::Close)
    };
    let (said, rest) = clause.split_at(count_while(clause, belongs));
    // `A tie, with a slight edge to B` and `the same, except that B is right` are none.
    let spoken_of = [0, 1].map(|option| letters.name(option, rest));
    let excepts = rest
        .get(1)
        .is_some_and(|next| next.is(&["except", "save", "apart"]));
    let ends = rest.first().is_none_or(begins_remark) && spoken_of[0] == spoken_of[1] && !excepts;
    let has = |words: &[&str]| said.iter().any(|piece| piece.is(words));
    let better = any_in(said, Better) || any_in(said, Winning);
    // One response alone is not tied with another.
    let named = [0, 1].map(|option| letters.name(option, said));
    let says_tie = named[0] == named[1]
        && match has(&["neither", "none"]) {
            true => better,
            false if has(&["no"]) => has(&["difference", "winner", "preference"]) && !better,
            false => any_in(said, Ties) && !better && !has(&["not"]),
        };
    (ends && says_tie).then_some(rest)
}

/// Whether a remark may begin with a piece: a stop, a parenthesis, a dash, `because`.
pub(super) fn begins_remark(piece: &Piece) -> bool {
    piece.is_stop(".,:;!")
        || piece.kind == Kind::Open
        || piece.is_sign(&["-"])
        || piece.is_in(Reasons)
}

/// What a remark behind an option says of it.
enum Remark {
    Fits,
    /// It calls the option wrong.
    Against,
    /// None of its words is known to speak for the option: `nah`, `in your dreams`.
    Unknown,
    Unclear,
}

/// Judges what stands behind an option in its sentence. It fits unless it begins with a number, a
/// sign or the other option, calls the option bad, denies, or says that the other is better or that
/// neither is.
// Long: one pass over the words, each of which is judged by what those before it were about.
fn judge_remark(remark: &[Piece], option: usize, letters: Letters) -> Remark {
    let other = letters.other(option);
    let is_other = |piece: &Piece| {
        other.is_some_and(|other| {
            letters.find(&piece.raw) == Some(other)
                || piece.is(&[ORDINALS[other]])
                || piece.is(&["other"])
        })
    };
    let closes = |piece: &&Piece| piece.kind == Kind::Close || piece.is_stop(".");
    let mut last = remark.iter().rev().skip_while(closes);
    let asks = last.next().is_some_and(|last| last.is_stop("?"));
    if asks && !remark.iter().any(|piece| piece.is_in(Reasons)) {
        return Remark::Unclear;
    }
    if remark.iter().any(|piece| piece.is(&["if", "unless"])) {
        return Remark::Unknown;
    }
    let Some(first) = remark.iter().position(|piece| !is_filler(piece)) else {
        return Remark::Fits;
    };
    if is_stress(remark) {
        return Remark::Fits;
    }
    // `A: mostly because it is clear`
    let softens = |piece: &Piece| piece.is(Phrases::Softening.list());
    let start = count_while(remark, |piece| is_filler(piece) && !piece.is_in(Reasons));
    let reason = start + count_while(&remark[start..], softens);
    if reason > start && remark.get(reason).is_some_and(|next| next.is_in(Reasons)) {
        return judge_remark(&remark[reason..], option, letters);
    }
    // `A for clarity` is of a part, `A for its clarity` a reason.
    let begin = count_while(remark, may_be_narrowed_behind);
    if remark[begin..]
        .first()
        .is_some_and(|first| first.is(&["for"]))
        && narrows(remark)
    {
        return Remark::Unclear;
    }
    let is_reason = remark
        .iter()
        .take(first + 1)
        .any(|piece| piece.is_in(Reasons));
    let is_example = remark
        .windows(2)
        .any(|pair| pair[0].is(&["for"]) && pair[1].is(&["example", "instance", "now", "fun"]));
    let is_reason = is_reason && !is_example;
    let words = &remark[first..];
    if let Some(judged) = judge_first_words(words, option, letters, &is_other) {
        return judged;
    }
    // `A is better: [[A>B]]` says the same twice.
    let repeats = match letters.lead(words) {
        Some((one, behind)) if one == option && !has_words(behind) => true,
        Some(_) => {
            read_statement(words, letters).is_some_and(|found| found.said == Said::Prefers(option))
        }
        None => false,
    };
    if repeats {
        return Remark::Fits;
    }
    let (mut speaks_of_other, mut praises, mut is_known) = (false, false, is_reason);
    let mut denies_other = false;
    for (at, piece) in words.iter().enumerate() {
        let next = words.get(at + 1);
        let next_is_other = next.is_some_and(|next| {
            is_other(next) || next.is_in(Nouns) && words.get(at + 2).is_some_and(is_other)
        });
        if piece.is_in(Ties) && option < 2 {
            return Remark::Unclear;
        }
        // `A: vague; B: precise` describes both.
        praises |= piece.is_in(Better) || piece.is_in(Winning);
        is_known |= match speaks_of_other {
            false => praises || speaks_for(piece),
            true => faults(piece),
        };
        if !praises && !is_reason && describes(&words[..at], &words[at..], other, letters) {
            return Remark::Unclear;
        }
        // `No errors`, `less repetition`.
        let spares = piece.is_in(Negations) || piece.is(&["less", "zero"]);
        if spares
            && words[at + 1..]
                .iter()
                .take(2)
                .any(|piece| piece.is_in(Ills))
        {
            is_known = true;
            continue;
        }
        // `A: good, but B is right`, `A for its clarity, B for its depth`.
        let sets_beside = is_other(piece)
            && match &words[at + 1..] {
                [is, quality, ..] if is.is_in(Being) => {
                    quality.is_in(Praise) && !any_in(&words[..at], Concessives)
                }
                [next, ..] => next.is(&["for"]),
                [] => false,
            };
        if sets_beside {
            return Remark::Unclear;
        }
        // `A: winner: B`.
        if piece.is_stop(":")
            && letters
                .lead(&words[at + 1..])
                .is_some_and(|(one, _)| one != option)
        {
            return Remark::Unclear;
        }
        if piece.denies() && !next_is_other && !speaks_of_other && !is_reason {
            return Remark::Against;
        }
        if speaks_ill(piece) && !speaks_of_other && option < 2 {
            return Remark::Against;
        }
        if (piece.is_in(Better) || piece.is_in(Winning)) && speaks_of_other {
            return Remark::Unclear;
        }
        if piece.is(&["less", "least"])
            && !speaks_of_other
            && next.is_some_and(|next| next.is_in(Aspects))
        {
            return Remark::Against;
        }
        // What is compared with is not spoken of.
        let compared = at > 0
            && (words[at - 1].is_in(Than)
                || words[at - 1].is(&["over", "to", "like", "unlike"])
                || words[at - 1].is_in(Nouns)
                    && at > 1
                    && (words[at - 2].is_in(Than) || words[at - 2].is(&["over", "to"])));
        let names_other = is_other(piece);
        speaks_of_other |= names_other && !compared;
        is_known |= names_other && (compared || denies_other);
        denies_other = piece.is_in(Negations) && next_is_other;
        // A stop ends the sentence of the remark.
        if piece.is_stop(".!") {
            break;
        }
    }
    // A whole sentence about the response (`it also names the risks of each plan`) has words that
    // no list holds.
    let is_long = words
        .iter()
        .filter(|piece| piece.kind == Kind::Word)
        .count()
        >= LONG_REMARK;
    match is_known || is_long && !speaks_of_other {
        true => Remark::Fits,
        false => Remark::Unknown,
    }
}

/// Returns whether a sentence behind a verdict sets the other response against it (`However, B has
/// it`), and finds no fault with that.
pub(super) fn sets_other_against(sentence: &[Piece], verdict: usize, letters: Letters) -> bool {
    let Some(other) = letters.other(verdict) else {
        return false;
    };
    let contrasts = |piece: &Piece| piece.is(Phrases::Contrasting.list());
    let names = letters.name(other, sentence) && !letters.name(verdict, sentence);
    let concedes =
        |piece: &Piece| faults(piece) || piece.is(&["also", "good", "fine", "close", "while"]);
    names && sentence.iter().any(contrasts) && !sentence.iter().any(concedes)
}

/// Returns whether a sentence right behind a verdict may turn it: it narrows the verdict (`... at
/// wasting my time`), asks (`Or is it?`), or is a word or two that nobody knows (`Psych!`).
pub(super) fn turns_last(sentence: &[Piece], letters: Letters) -> bool {
    let goes_on = |first: &Piece| first.raw == first.word && narrows(sentence);
    let mut words = sentence.iter().filter(|piece| piece.kind == Kind::Word);
    let is_cry = (1..3).contains(&words.clone().count())
        && words.all(|piece| {
            piece.is_in(Negations) || piece.is_unknown() && letters.find(&piece.raw).is_none()
        });
    let asks = sentence.last().is_some_and(|last| last.is_stop("?"));
    let asks = asks && (3..7).contains(&sentence.len());
    sentence.first().is_some_and(goes_on) || is_cry || asks
}

/// Returns whether a word finds fault with the response that it is said of.
fn faults(piece: &Piece) -> bool {
    speaks_ill(piece) || piece.is_in(Ills) || piece.denies() || piece.is(&["less", "least", "too"])
}

/// Returns whether a word of a remark speaks for its response, or for what is said of it.
fn speaks_for(piece: &Piece) -> bool {
    // In a script without spaces: right, clear, good, whole, for.
    let good = [
        '\u{6b63}', '\u{786e}', '\u{78ba}', '\u{51c6}', '\u{6e05}', '\u{597d}', '\u{826f}',
        '\u{512a}', '\u{4f18}', '\u{5b8c}', '\u{5168}', '\u{56e0}', '\u{5bf9}', '\u{66f4}',
    ];
    piece.is_in(Praise)
        || piece.is_in(Aspects)
        || piece.is(&["winner", "favorite", "favourite"])
        || piece.word.contains(good)
}

/// Judges the words with which a remark begins, where they decide: a number, a sign, a condition,
/// another place than the first, the other response alone.
fn judge_first_words(
    words: &[Piece],
    option: usize,
    letters: Letters,
    is_other: &dyn Fn(&Piece) -> bool,
) -> Option<Remark> {
    let first = words.first()?;
    let next = words.get(1);
    // `A, yeah right`.
    let of_itself =
        first.is(&["i'm"]) || first.is(&["i"]) && next.is_some_and(|next| next.is(&["am"]));
    let mocks = of_itself || first.is(&["yeah", "oh", "sure"]);
    let is_figure = mocks || matches!(first.kind, Kind::Number(_) | Kind::Sign(_));
    // `A: both are fine`, `A: mostly right`.
    let prefers = |piece: &Piece| piece.is(&["but", "this", "though", "yet", "however", "still"]);
    let of_both = first.is(&["both", "neither"]) && !words.iter().any(prefers);
    let supposes = of_both || first.is(Phrases::Supposing.list());
    if is_figure || supposes || names_other_alone(words, option, letters) {
        return Some(Remark::Unclear);
    }
    // `A: second best`, `A (2nd)`, `A for last place`.
    let is_second = |pair: &[Piece]| {
        pair[0].is(&["second", "2nd", "next", "last"]) && pair[1].is(&["best", "place", "choice"])
    };
    let not_first = first.is(&["2nd", "silver"])
        || words.windows(2).any(is_second)
        || first.is(&["second"]) && next.is_none_or(|next| next.is_stop(",.;"));
    if not_first && option < 2 {
        return Some(Remark::Against);
    }
    // `A, B` and `A - B tie` name both; `A over B` and `A, not B` compare them.
    let names_other =
        is_other(first) && next.is_none_or(|next| next.kind != Kind::Word || next.is_in(Ties));
    let joins_other = first.is(&["or", "and", "vs", "versus", "nor"]);
    (names_other || joins_other).then_some(Remark::Unclear)
}

/// Whether a remark is the other response's name, or says that it is the better one: `A: Answer B.`
/// is an answer to a question.
fn names_other_alone(words: &[Piece], option: usize, letters: Letters) -> bool {
    let Some((named, after)) = letters.lead_compared(option, words) else {
        return false;
    };
    let wins = matches!(
        read_statement(words, letters),
        Some(Found { said: Said::Prefers(one), .. }) if one != option
    );
    let stops = after
        .first()
        .is_none_or(|next| next.is_stop(".,;!") || next.is_in(Reasons));
    named != option && named < 2 && option < 2 && (stops || wins)
}

/// Whether words begin to describe a response: `; B: precise`, `, B (no errors)`.
fn describes(before: &[Piece], words: &[Piece], response: Option<usize>, letters: Letters) -> bool {
    let begins = before
        .last()
        .is_some_and(|last| matches!(last.kind, Kind::Stop(_) | Kind::Close));
    let named = letters.lead(words).filter(|_| begins);
    named.is_some_and(|(named, after)| {
        let parts =
            |next: &Piece| next.is_stop(":") || next.is_sign(&["-"]) || next.kind == Kind::Open;
        Some(named) == response && after.len() > 1 && parts(&after[0])
    })
}

/// Whether a word of a remark says that its response is not the better one.
fn speaks_ill(piece: &Piece) -> bool {
    piece.is_in(Worse)
        || piece.is_in(Faults)
        || piece.is_in(Rejecting)
        || piece.is_in(SecondRate)
        || speaks_ill_unspaced(&piece.word)
}

/// Whether a word of a script without spaces speaks ill of a response: a run of such letters has
/// one that means bad, wrong or not.
fn speaks_ill_unspaced(word: &str) -> bool {
    let bad = [
        '\u{5dee}', '\u{52a3}', '\u{8bef}', '\u{8aa4}', '\u{932f}', '\u{9519}', '\u{9055}',
        '\u{900a}', '\u{4e0d}', '\u{5426}',
    ];
    // `No errors`.
    let none = ['\u{65e0}', '\u{7121}', '\u{6ca1}', '\u{6c92}'];
    !word.is_ascii() && word.contains(bad) && !word.contains(none)
}

/// Whether a remark does no more than stress what stands before it: `, no question`, `- no doubt
/// about it.`
fn is_stress(remark: &[Piece]) -> bool {
    let parts = |piece: &Piece| may_be_narrowed_behind(piece) || piece.is_stop(":");
    let begin = count_while(remark, parts);
    let rest = strip_phrase(&remark[begin..], Phrases::Stresses.list());
    begin > 0 && rest.is_some_and(|rest| rest.iter().all(is_closing))
}

fn is_filler(piece: &Piece) -> bool {
    matches!(piece.kind, Kind::Stop(_) | Kind::Open | Kind::Close)
        || piece.is_sign(&["-"])
        || piece.is_in(Reasons)
}

fn is_closing(piece: &Piece) -> bool {
    matches!(
        piece.kind,
        Kind::Stop('.' | ',' | ':' | ';' | '!') | Kind::Close | Kind::Open
    )
}

/// Whether any word, number or sign is left.
fn has_words(pieces: &[Piece]) -> bool {
    pieces
        .iter()
        .any(|piece| !is_closing(piece) && !piece.is_sign(&["-"]))
}
