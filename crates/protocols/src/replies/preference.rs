//! What a sentence says of which response is better: the grammar of docs/design/extraction.md.
//!
//! A sentence is read only if all of it that bears on the verdict is understood: whose verdict it
//! is, of which sign (better or worse), of which response. A word of unknown meaning in the place
//! of a quality says nothing.

use super::lex::{Kind, Piece};

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

/// So many pieces of a clause are looked at, so that the time to read a reply grows with its length
/// alone, whatever a hostile one repeats.
const LONGEST_CLAUSE: usize = 200;

/// The letters that stand for the first and the second response, and for a tie where there is one.
#[derive(Clone, Copy)]
pub(super) struct Letters<'a>(pub(super) &'a [String]);

/// Reads what a sentence says; several clauses may say something.
pub(super) fn read_sentence(pieces: &[Piece], letters: Letters) -> Vec<Found> {
    let is_question = pieces.last().is_some_and(|piece| piece.is_stop("?"));
    if is_question || pieces.iter().any(|piece| piece.is(HEARSAY)) {
        return Vec::new();
    }
    let begins_clause = |at: &usize| {
        *at == 0
            || pieces[at - 1].is_stop(",;")
            || pieces[at - 1].is_sign(&["-"])
            || pieces[at - 1].kind == Kind::Open
            || pieces[*at].is(TURNS)
    };
    let starts = (0..pieces.len()).filter(begins_clause);
    let clauses = starts.filter(|at| !pieces[*at].is(CONCESSIVES));
    let mut found: Vec<Found> = clauses
        .filter_map(|at| {
            let end = pieces.len().min(at + LONGEST_CLAUSE);
            let found = read_clause(&pieces[at..end], letters)?;
            let closes = found.closes && end == pieces.len();
            Some(Found { closes, ..found })
        })
        .collect();
    // `Correction: B`, `Actually, B.`: it takes something back, whatever it puts in its place.
    let names_option = || {
        pieces
            .iter()
            .any(|piece| letters.find(&piece.raw).is_some())
    };
    if found.is_empty() && pieces.iter().any(|piece| piece.is(CORRECTING)) && names_option() {
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
    // The lone letter of a line may be a small one.
    if let [only, rest @ ..] = pieces
        && rest.iter().all(is_closing)
        && let Some(option) = letters.find_any_case(only)
    {
        return opening(Said::Prefers(option), rest);
    }
    let (option, rest) = letters.lead(pieces)?;
    let begins_remark = rest.first().is_none_or(|next| {
        next.is_stop(".,:;!") || next.kind == Kind::Open || next.is_sign(&["-"]) || next.is(REASONS)
    });
    if has_words(rest) && !begins_remark {
        return None;
    }
    let said = match judge_remark(rest, option, letters) {
        Remark::Fits => Said::Prefers(option),
        Remark::Against => Said::Against(option),
        Remark::Unclear => Said::Unclear,
    };
    opening(said, rest)
}

/// Reads a text that is a verdict and nothing else, as a field of an object has it: an option, a
/// comparison, a sentence.
pub(super) fn read_phrase(pieces: &[Piece], letters: Letters) -> Option<Said> {
    let opening = read_opening(pieces, letters).map(|found| found.said);
    if pieces.len() == 1 && pieces[0].is(SIDELESS) {
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
    fn find(self, letter: &str) -> Option<usize> {
        let letter = match letter {
            "\u{410}" => "A",
            "\u{412}" => "B",
            "\u{421}" => "C",
            letter => letter,
        };
        self.0.iter().position(|option| option == letter)
    }

    fn find_any_case(self, piece: &Piece) -> Option<usize> {
        let is_letter = piece.kind == Kind::Word && piece.raw.chars().count() == 1;
        is_letter.then(|| self.find(&piece.raw.to_uppercase()))?
    }

    /// The other response than this one; None for a tie.
    fn other(self, option: usize) -> Option<usize> {
        (option < 2).then(|| 1 - option)
    }

    /// Returns the option that the pieces begin with, and what is behind it: `A`, `Answer A`, `the
    /// answer (a)`, `Response 1`, `the second one`.
    pub(super) fn lead(self, pieces: &[Piece]) -> Option<(usize, &[Piece])> {
        if let [the, ordinal, rest @ ..] = pieces
            && the.is(&["the"])
            && let Some(option) = ORDINALS.iter().position(|words| ordinal.is(words))
        {
            let nouns = usize::from(
                rest.first()
                    .is_some_and(|next| next.is(NOUNS) || next.is(&["one"])),
            );
            return Some((option, &rest[nouns..]));
        }
        let mut at = 0;
        while at < 3
            && pieces.get(at).is_some_and(|piece| {
                let before_noun = pieces.get(at + 1).is_some_and(|next| next.is(NOUNS));
                piece.is(NOUNS) || (piece.is(ARTICLES) && before_noun)
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

/// Reads a clause from its beginning.
fn read_clause(clause: &[Piece], letters: Letters) -> Option<Found> {
    let openers = clause
        .iter()
        .take_while(|piece| piece.is(OPENERS) || piece.is_stop(","));
    let openers = openers.count();
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
        // `Therefore, A.`
        return Some(Found::new(Said::Prefers(option), rest));
    }
    read_statement(clause, letters).or_else(|| {
        // `Of the two, judged by the rules the better answer is A`: the label begins with an
        // article, and nothing before it may change its sign.
        let blocks = |piece: &Piece| {
            piece.is(BLOCKS)
                || piece.is(NEGATIONS)
                || piece.word.ends_with("n't")
                || is_worse(piece)
        };
        let end = clause.iter().position(blocks).unwrap_or(clause.len());
        (1..end)
            .filter(|at| clause[*at].is(&["the", "my"]))
            .find_map(|at| {
                let (is_positive, rest) = strip_label(&clause[at..])?;
                read_labelled(rest, is_positive, letters)
            })
    })
}

/// Returns whether a label speaks of the better response, and what is behind it: `Verdict:`, `The
/// better answer is`, `My final choice -`, `The worse one is`.
fn strip_label(clause: &[Piece]) -> Option<(bool, &[Piece])> {
    let connects = |piece: &Piece| {
        piece.is_stop(":") || piece.is_sign(&["-", "=", "->"]) || piece.is(CONNECTIVES)
    };
    // `A better answer is B`: the article of a sentence's beginning.
    let article =
        matches!(clause, [a, next, ..] if a.raw == "A" && (is_better(next) || is_worse(next)));
    let clause = &clause[usize::from(article)..];
    let belongs = |piece: &Piece| {
        piece.is(LABEL_WORDS) || is_better(piece) || is_worse(piece) || connects(piece)
    };
    let count = clause.iter().take_while(|piece| belongs(piece)).count();
    // The last nouns may be those of the option: `Verdict: Answer A`.
    let nouns = clause[..count]
        .iter()
        .rev()
        .take_while(|piece| piece.is(NOUNS) || piece.is(ARTICLES));
    let label = &clause[..count - nouns.count().min(count)];
    let last = label.last()?;
    let is_bare = label.iter().all(|piece| piece.is(LABEL_WORDS)) && last.is(BARE_LABELS);
    if !connects(last) && !is_bare {
        return None;
    }
    let worse = label.iter().filter(|piece| is_worse(piece)).count();
    let better = label
        .iter()
        .any(|piece| is_better(piece) || piece.is(VERDICT_NOUNS));
    let answers = label
        .iter()
        .any(|piece| piece.is(&["answer", "antwort", "\u{7b54}\u{6848}"]));
    match worse {
        0 if better || answers => Some((true, &clause[label.len()..])),
        1 if !label.iter().any(is_better) => Some((false, &clause[label.len()..])),
        _ => None,
    }
}

/// Reads what stands behind a label.
fn read_labelled(rest: &[Piece], is_positive: bool, letters: Letters) -> Option<Found> {
    let labelled = |said, rest| Some(Found::behind_label(said, rest));
    if !is_positive {
        // `The worse answer is A.`
        let (option, rest) = letters.lead(rest)?;
        let fits = !has_words(rest) || (rest[0].is_stop(".,;!") || rest[0].is(REASONS));
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
        && word.is(SIDELESS)
        && !has_words(after)
    {
        return labelled(Said::Tie, after);
    }
    if let [no, after @ ..] = rest
        && (no.is(NEGATIONS) || no.is_stop("!"))
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
    if let Some((second, after)) = letters.lead(&rest[1..]).filter(|_| joins(next)) {
        let ends = !has_words(after)
            || after[0].is_stop(".,;:!")
            || after[0].kind == Kind::Open
            || after[0].is(REASONS);
        let said = match next.kind {
            _ if !ends || second == option || option > 1 || second > 1 => Said::Unclear,
            Kind::Sign(">") => Said::Prefers(option),
            Kind::Word if next.is(&["over"]) => Said::Prefers(option),
            Kind::Sign("<") => Said::Prefers(second),
            Kind::Sign("=" | "~") => Said::Tie,
            _ => Said::Unclear,
        };
        // `A and B are equal` was read above; `A, B and C are fine` is no verdict.
        let is_list = next.is(&["and"]) || next.is_stop(",") || next.is_sign(&["-"]);
        return found(said, after).filter(|_| !(is_list && has_words(after)));
    }
    let (said, after) = read_predicate(option, rest, letters)?;
    found(said, after)
}

/// Whether a piece between two options sets them beside each other.
fn joins(piece: &Piece) -> bool {
    matches!(piece.kind, Kind::Sign(_))
        || piece.is(&["and", "or", "vs", "versus", "nor", "over"])
        || piece.is_stop(",;")
}

/// Reads what is said of an option: `is clearly the better answer`, `wins`, `beats answer B`, `is
/// not better`.
fn read_predicate<'p>(
    option: usize,
    rest: &'p [Piece],
    letters: Letters,
) -> Option<(Said, &'p [Piece])> {
    let other = letters.other(option)?;
    let (verb, mut at) = (rest.first()?, 1);
    if verb.is(DIRECTLY_BETTER) {
        return Some((Said::Prefers(option), &rest[1..]));
    }
    if verb.is(DIRECTLY_WORSE) {
        return Some((Said::Prefers(other), &rest[1..]));
    }
    let denied = |rest: &[Piece]| {
        let tells =
            |piece: &Piece| is_better(piece) || piece.is(WINNING) || piece.is(PREFERRED_NOUNS);
        rest.iter().take(6).any(tells)
    };
    if verb.word.ends_with("n't") || verb.is(&["cannot"]) {
        return denied(rest).then_some((Said::Against(option), &rest[1..]));
    }
    if verb.is(WINNING) || verb.is(BEATING) || verb.is(LOSING) {
        let after = &rest[1..];
        let object = letters.lead(after);
        let (said, after) = match object {
            Some((object, _)) if object != other => (Said::Unclear, after),
            Some((_, after)) => (
                if verb.is(LOSING) {
                    Said::Prefers(other)
                } else {
                    Said::Prefers(option)
                },
                after,
            ),
            None if verb.is(BEATING) => return None,
            None if verb.is(LOSING) => (Said::Prefers(other), after),
            None => (Said::Prefers(option), after),
        };
        return may_end(after).then_some((said, after));
    }
    if !verb.is(BEING) {
        let is_denial = rest.get(1).is_some_and(|next| next.is(NEGATIONS));
        return (is_denial && denied(rest)).then(|| (Said::Against(option), &rest[2..]));
    }
    let skip = |at: &mut usize| {
        while rest.get(*at).is_some_and(|piece| piece.is(ADVERBS)) {
            *at += 1;
        }
    };
    skip(&mut at);
    let is_denied = rest.get(at).is_some_and(|piece| piece.is(NEGATIONS));
    at += usize::from(is_denied);
    skip(&mut at);
    let quality = rest.get(at)?;
    let degree = rest
        .get(at + 1)
        .filter(|next| next.is(ASPECTS) && quality.is(DEGREES));
    let (said, length) = match degree {
        Some(_) if quality.is(&["more", "most"]) => (Said::Prefers(option), 2),
        Some(_) => (Said::Prefers(other), 2),
        None if quality.is(SECOND_RATE) => (Said::Against(option), 1),
        None if quality.is(&["second", "next"]) => (Said::Against(option), 2),
        None if is_better(quality) || quality.is(PREFERRED_NOUNS) => (Said::Prefers(option), 1),
        None if is_worse(quality) => (Said::Prefers(other), 1),
        None if quality.is(FAULTS) => (Said::Against(option), 1),
        None => return None,
    };
    let after = &rest[(at + length).min(rest.len())..];
    if let [than, object @ ..] = after
        && than.is(THAN)
        && letters
            .lead(object)
            .is_some_and(|(object, _)| object != other)
    {
        return Some((Said::Unclear, after));
    }
    let said = match said {
        Said::Prefers(one) if is_denied && one == option => Said::Against(option),
        // `A is not worse` and `A is not wrong` decide nothing.
        _ if is_denied => return None,
        said => said,
    };
    // `Better at rhyming` is better in part; a fault is one in whatever part.
    (may_end(after) || matches!(said, Said::Against(_))).then_some((said, after))
}

/// Whether what follows a quality leaves it one of the whole response.
fn may_end(after: &[Piece]) -> bool {
    let Some(next) = after.first() else {
        return true;
    };
    let wholly = next.is(&["of", "in"]) && after.get(1).is_some_and(|word| word.is(WHOLLY));
    wholly
        || next.is(AFTER_QUALITY)
        || next.is(THAN)
        || next.is(NOUNS)
        || matches!(next.kind, Kind::Stop(_) | Kind::Open | Kind::Close)
        || next.is_sign(&["-"])
}

/// Reads what the judge chooses: `I prefer A to B`, `we would go with answer B`.
fn read_choosing(clause: &[Piece], letters: Letters) -> Option<Found> {
    let who = clause.first()?.is(CHOOSERS);
    let subject = clause
        .iter()
        .take_while(|piece| piece.is(CHOOSERS) || piece.is(MANNER));
    let count = subject.count();
    let verb = clause.get(count)?;
    let linked = usize::from(
        clause
            .get(count + 1)
            .is_some_and(|next| next.is(&["with", "for", "to", "towards", "toward"])),
    );
    let chooses = verb.is(CHOOSING) || (verb.is(CHOOSING_WITH) && linked == 1);
    let rejects = verb.is(REJECTING);
    if !who || !(chooses || rejects) {
        return None;
    }
    let (option, after) = letters.lead(&clause[count + 1 + linked..])?;
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
        next.is_stop(".,:;!")
            || matches!(next.kind, Kind::Open | Kind::Close)
            || next.is_sign(&["-"])
            || next.is(REASONS)
            || next.is(AFTER_VERDICT)
    })
}

/// Returns what is behind words that say that neither is better: all words to the clause's end are
/// of [`TIE_WORDS`], options among them, and one of them says it.
fn strip_tie<'p>(clause: &'p [Piece], letters: Letters) -> Option<&'p [Piece]> {
    let clause = match clause {
        // The article of `A tie`.
        [a, tie, ..] if a.raw == "A" && tie.is(&["tie", "draw"]) => &clause[1..],
        _ => clause,
    };
    let belongs = |piece: &Piece| {
        piece.is(TIE_WORDS)
            || is_tie(piece)
            || piece.is(NOUNS)
            || letters.find(&piece.raw).is_some()
            || is_better(piece)
            || piece.is(WINNING)
            || matches!(piece.kind, Kind::Open | Kind::Close)
    };
    let count = clause.iter().take_while(|piece| belongs(piece)).count();
    let (said, rest) = clause.split_at(count);
    let ends = rest.first().is_none_or(|next| {
        next.is_stop(".,;:!") || next.kind == Kind::Open || next.is_sign(&["-"]) || next.is(REASONS)
    });
    let has = |words: &[&str]| said.iter().any(|piece| piece.is(words));
    let better = said
        .iter()
        .any(|piece| is_better(piece) || piece.is(WINNING));
    // One response alone is not tied with another.
    let named = [0, 1].map(|option| {
        said.iter()
            .any(|piece| letters.find(&piece.raw) == Some(option))
    });
    let says_tie = named[0] == named[1]
        && match has(&["neither", "none"]) {
            true => better,
            false if has(&["no"]) => has(&["difference", "winner", "preference"]) && !better,
            false => said.iter().any(is_tie) && !better && !has(&["not"]),
        };
    (ends && says_tie).then_some(rest)
}

/// What a remark behind an option says of it.
enum Remark {
    Fits,
    /// It calls the option wrong.
    Against,
    Unclear,
}

/// Judges what stands behind an option in its sentence. It fits unless it begins with a number, a
/// sign or the other option, calls the option bad, denies, or says that the other is better or that
/// neither is.
fn judge_remark(remark: &[Piece], option: usize, letters: Letters) -> Remark {
    let other = letters.other(option);
    let is_other = |piece: &Piece| {
        other.is_some_and(|other| {
            letters.find(&piece.raw) == Some(other)
                || piece.is(ORDINALS[other])
                || piece.is(&["other"])
        })
    };
    let Some(first) = remark.iter().position(|piece| !is_filler(piece)) else {
        return Remark::Fits;
    };
    let is_reason = remark.iter().take(first + 1).any(|piece| piece.is(REASONS));
    let words = &remark[first..];
    if matches!(words[0].kind, Kind::Number(_) | Kind::Sign(_)) {
        return Remark::Unclear;
    }
    // `A, B` and `A - B tie` name both; `A over B` and `A, not B` compare them.
    let names_other = is_other(&words[0])
        && words
            .get(1)
            .is_none_or(|next| next.kind != Kind::Word || is_tie(next));
    if names_other || words[0].is(&["or", "and", "vs", "versus", "nor"]) {
        return Remark::Unclear;
    }
    let mut speaks_of_other = false;
    for (at, piece) in words.iter().enumerate() {
        let next = words.get(at + 1);
        let next_is_other = next.is_some_and(|next| {
            is_other(next) || next.is(NOUNS) && words.get(at + 2).is_some_and(is_other)
        });
        if is_tie(piece) && option < 2 {
            return Remark::Unclear;
        }
        if (piece.is(NEGATIONS) || piece.word.ends_with("n't"))
            && !next_is_other
            && !speaks_of_other
            && !is_reason
        {
            return Remark::Against;
        }
        if (is_worse(piece) || piece.is(FAULTS)) && !speaks_of_other && option < 2 {
            return Remark::Against;
        }
        if (is_better(piece) || piece.is(WINNING)) && speaks_of_other {
            return Remark::Unclear;
        }
        if piece.is(&DEGREES[2..]) && !speaks_of_other && next.is_some_and(|next| next.is(ASPECTS))
        {
            return Remark::Against;
        }
        // What is compared with is not spoken of.
        let compared = at > 0
            && (words[at - 1].is(THAN)
                || words[at - 1].is(&["over", "to"])
                || words[at - 1].is(NOUNS)
                    && at > 1
                    && (words[at - 2].is(THAN) || words[at - 2].is(&["over", "to"])));
        speaks_of_other |= is_other(piece) && !compared;
        // A stop ends the sentence of the remark.
        if piece.is_stop(".!") {
            break;
        }
    }
    Remark::Fits
}

fn is_filler(piece: &Piece) -> bool {
    matches!(piece.kind, Kind::Stop(_) | Kind::Open | Kind::Close)
        || piece.is_sign(&["-"])
        || piece.is(REASONS)
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

fn is_better(piece: &Piece) -> bool {
    piece.is(BETTER)
}

fn is_worse(piece: &Piece) -> bool {
    piece.is(WORSE)
}

fn is_tie(piece: &Piece) -> bool {
    piece.is(TIES)
}

/// Words that make of a sentence a condition, a guess or a report of what somebody says.
pub(super) const HEARSAY: &[&str] = &[
    "if",
    "unless",
    "whether",
    "might",
    "may",
    "could",
    "should",
    "suppose",
    "supposing",
    "says",
    "said",
    "saying",
    "claims",
    "claimed",
    "claiming",
    "argues",
    "argued",
    "states",
    "stated",
    "writes",
    "wrote",
    "instructs",
    "initially",
    "hardly",
    "asks",
    "pretends",
    "wenn",
];
/// Words that take back what was said.
const CORRECTING: &[&str] = &[
    "actually",
    "correction",
    "corrected",
    "wait",
    "kidding",
    "scratch",
    "mistake",
    "sorry",
    "oops",
    "hmm",
    "reconsidering",
];
/// Words that begin a clause of its own.
const TURNS: &[&str] = &[
    "but",
    "however",
    "so",
    "therefore",
    "thus",
    "hence",
    "yet",
    "while",
    "whereas",
];
/// Words whose clause says what holds all the same.
const CONCESSIVES: &[&str] = &[
    "although", "though", "while", "whereas", "despite", "even", "albeit",
];
/// Words that may open a statement.
const OPENERS: &[&str] = &[
    "therefore",
    "thus",
    "so",
    "hence",
    "overall",
    "in",
    "conclusion",
    "summary",
    "i",
    "think",
    "believe",
    "conclude",
    "find",
    "that",
    "on",
    "balance",
    "clearly",
    "and",
    "finally",
    "but",
    "however",
    "we",
    "to",
    "sum",
    "up",
    "all",
    "ultimately",
    "consequently",
    "as",
    "a",
    "short",
    "yet",
    "still",
    "accordingly",
    "judge",
    "now",
];
/// Words of a label.
pub(super) const LABEL_WORDS: &[&str] = &[
    "the",
    "a",
    "an",
    "my",
    "our",
    "final",
    "overall",
    "verdict",
    "verdicts",
    "answer",
    "decision",
    "choice",
    "preference",
    "judgment",
    "judgement",
    "conclusion",
    "winner",
    "result",
    "vote",
    "pick",
    "selection",
    "response",
    "output",
    "one",
    "of",
    "two",
    "is",
    "would",
    "be",
    "goes",
    "to",
    "rating",
    "ranking",
    "total",
    "in",
    "therefore",
    "assistant",
    "option",
    "model",
    "candidate",
    // German, French, Spanish, Italian, Portuguese, Dutch.
    "urteil",
    "endurteil",
    "entscheidung",
    "bewertung",
    "fazit",
    "ergebnis",
    "antwort",
    "gewinner",
    "das",
    "die",
    "der",
    "mein",
    "endgültiges",
    "finales",
    "réponse",
    "décision",
    "jugement",
    "gagnant",
    "résultat",
    "meilleure",
    "la",
    "le",
    "les",
    "mon",
    "finale",
    "veredicto",
    "respuesta",
    "decisión",
    "ganador",
    "resultado",
    "conclusión",
    "el",
    "mi",
    "verdetto",
    "risposta",
    "decisione",
    "vincitore",
    "risultato",
    "conclusione",
    "il",
    "veredito",
    "resposta",
    "decisão",
    "vencedor",
    "conclusão",
    "o",
    "oordeel",
    "antwoord",
    // Russian, Chinese, Japanese, Korean, Arabic, Hindi.
    "вердикт",
    "ответ",
    "вывод",
    "结论",
    "判定",
    "結論",
    "판정",
    "判断",
    "الحكم",
    "निर्णय",
];
/// Of these, the ones that name a verdict.
pub(super) const VERDICT_NOUNS: &[&str] = &[
    "verdict",
    "verdicts",
    "decision",
    "choice",
    "preference",
    "judgment",
    "judgement",
    "conclusion",
    "winner",
    "result",
    "vote",
    "pick",
    "selection",
    "rating",
    "ranking",
    "urteil",
    "endurteil",
    "entscheidung",
    "bewertung",
    "fazit",
    "ergebnis",
    "gewinner",
    "décision",
    "jugement",
    "gagnant",
    "résultat",
    "veredicto",
    "decisión",
    "ganador",
    "resultado",
    "conclusión",
    "verdetto",
    "decisione",
    "vincitore",
    "risultato",
    "conclusione",
    "veredito",
    "decisão",
    "vencedor",
    "conclusão",
    "oordeel",
    "вердикт",
    "вывод",
    "结论",
    "判定",
    "結論",
    "판정",
    "判断",
    "الحكم",
    "निर्णय",
    "最终结论",
    "裁决",
    "最终判断",
    "結果",
    "结果",
    "결론",
    "最終判定",
    "最终裁决",
];
/// Words by which a label leads to an option.
const CONNECTIVES: &[&str] = &[
    "is", "be", "to", "for", "ist", "est", "es", "è", "é", "是", "为", "lautet", "is:", "為",
];
/// Words that by themselves announce the option behind them.
const BARE_LABELS: &[&str] = &[
    "verdict",
    "decision",
    "winner",
    "choice",
    "preference",
    "urteil",
    "veredicto",
    "verdetto",
];
const ARTICLES: &[&str] = &["the", "a", "la", "die", "der", "das", "el", "o", "il"];
const NOUNS: &[&str] = &[
    "answer",
    "response",
    "output",
    "assistant",
    "option",
    "candidate",
    "model",
    "reply",
    "completion",
    "text",
    "solution",
    "summary",
    "version",
    "antwort",
    "réponse",
    "respuesta",
    "risposta",
    "resposta",
    "antwoord",
    "ответ",
    "回答",
    "答案",
    "回复",
    "回答案",
    "답변",
    "응답",
];
const ORDINALS: [&[&str]; 2] = [&["first"], &["second"]];
const BETTER: &[&str] = &[
    "better",
    "best",
    "superior",
    "stronger",
    "strongest",
    "preferable",
    "preferred",
    "winning",
    "favored",
    "favoured",
    "besser",
    "bessere",
    "beste",
    "meilleure",
    "meilleur",
    "mejor",
    "migliore",
    "melhor",
    "beter",
    "betere",
    "лучше",
    "лучший",
    "更好",
    "更好的",
    "较好的",
    "更佳",
    "更优",
    "mieux",
    "良い",
    "優れている",
];
const WORSE: &[&str] = &[
    "worse",
    "worst",
    "inferior",
    "weaker",
    "weakest",
    "losing",
    "loser",
    "poorer",
    "poorest",
    "schlechter",
    "schlechtere",
    "pire",
    "peor",
    "peggiore",
    "pior",
    "хуже",
];
/// Qualities that stand behind a response without a verb.
const DIRECTLY_BETTER: &[&str] = &["лучше", "更好", "更佳", "更优", "胜出"];
const DIRECTLY_WORSE: &[&str] = &["хуже", "更差"];
/// Qualities that come in degrees and speak of the whole response.
const ASPECTS: &[&str] = &[
    "helpful",
    "accurate",
    "correct",
    "appropriate",
    "suitable",
    "effective",
    "useful",
    "preferable",
    "favorable",
];
/// More, then less.
const DEGREES: &[&str] = &["more", "most", "less", "least"];
const SECOND_RATE: &[&str] = &["second-best", "runner-up", "second-rate", "runner"];
/// Qualities of a response that is not the better one, and signs of refusal.
const FAULTS: &[&str] = &[
    "wrong",
    "incorrect",
    "inaccurate",
    "false",
    "rejected",
    "reject",
    "bad",
    "poor",
    "flawed",
    "unhelpful",
    "misleading",
    "incomplete",
    "irrelevant",
    "disqualified",
    "disqualify",
    "invalid",
    "unacceptable",
    "fails",
    "failed",
    "fail",
    "harmful",
    "loses",
    "lost",
    "falsch",
    "faux",
    "incorrecta",
    "sbagliata",
    "errada",
    "discarded",
    "eliminated",
    "terrible",
    "nonsense",
    "defective",
    "faulty",
];
const WINNING: &[&str] = &["wins", "won", "prevails", "triumphs", "win", "gewinnt"];
const BEATING: &[&str] = &[
    "beats",
    "outperforms",
    "surpasses",
    "exceeds",
    "outranks",
    "outshines",
    "outdoes",
    "tops",
];
const LOSING: &[&str] = &["loses", "lost"];
/// What a chosen response is.
const PREFERRED_NOUNS: &[&str] = &[
    "winner",
    "choice",
    "pick",
    "preference",
    "favorite",
    "favourite",
];
const BEING: &[&str] = &["is", "was", "remains", "ist", "est", "es", "è", "é", "'s"];
const ADVERBS: &[&str] = &[
    "clearly",
    "slightly",
    "much",
    "overall",
    "the",
    "far",
    "significantly",
    "definitely",
    "a",
    "therefore",
    "marginally",
    "simply",
    "my",
    "still",
    "somewhat",
    "considerably",
    "obviously",
    "also",
    "thus",
    "by",
    "objectively",
    "ultimately",
    "deutlich",
];
const THAN: &[&str] = &["than", "als", "que", "di", "do", "to"];
const AFTER_QUALITY: &[&str] = &[
    "overall", "because", "since", "as", "one", "choice", "here", "due", "und",
];
/// What the whole response is better in.
const WHOLLY: &[&str] = &[
    "the", "both", "these", "general", "total", "all", "every", "two", "most",
];
const AFTER_VERDICT: &[&str] = &[
    "over", "verdict", "overall", "here", "than", "to", "wins", "instead",
];
pub(super) const REASONS: &[&str] = &[
    "because", "since", "as", "for", "due", "weil", "car", "porque", "perché",
];
const NEGATIONS: &[&str] = &[
    "not", "never", "no", "neither", "nor", "nicht", "pas", "non", "não", "не", "不",
];
const CHOOSERS: &[&str] = &[
    "i",
    "we",
    "i'd",
    "i'll",
    "we'd",
    "i'm",
    "would",
    "therefore",
    "must",
];
const MANNER: &[&str] = &[
    "would",
    "will",
    "do",
    "must",
    "definitely",
    "strongly",
    "slightly",
    "clearly",
    "have",
    "am",
    "therefore",
    "thus",
    "still",
    "rather",
];
const CHOOSING: &[&str] = &[
    "choose",
    "prefer",
    "pick",
    "select",
    "favor",
    "favour",
    "chose",
    "picked",
    "selected",
    "vote",
    "preferred",
    "chosen",
];
/// Verbs that choose with a preposition: `go with`, `lean towards`.
const CHOOSING_WITH: &[&str] = &["go", "going", "vote", "lean", "leaning", "opt", "settle"];
const REJECTING: &[&str] = &["reject", "dismiss", "discard", "eliminate", "rejected"];
/// Words that change what a label behind them says.
const BLOCKS: &[&str] = &[
    "than", "second", "next", "almost", "nearly", "opposite", "other", "instead", "except",
    "without", "less", "least",
];
const TIES: &[&str] = &[
    "tie",
    "tied",
    "ties",
    "draw",
    "equal",
    "equally",
    "same",
    "identical",
    "equivalent",
    "indistinguishable",
    "even",
    "comparable",
    "unentschieden",
    "gleichwertig",
    "gleich",
    "égalité",
    "empate",
    "pareggio",
    "ничья",
    "平局",
    "引き分け",
    "무승부",
    "gelijk",
];
/// Words that name no side, where they are the whole verdict.
const SIDELESS: &[&str] = &["both", "neither", "none"];
/// Words that may stand in what says that neither is better.
const TIE_WORDS: &[&str] = &[
    "it",
    "it's",
    "its",
    "this",
    "is",
    "a",
    "an",
    "they",
    "they're",
    "are",
    "both",
    "the",
    "two",
    "answers",
    "responses",
    "outputs",
    "ones",
    "good",
    "bad",
    "wrong",
    "incorrect",
    "right",
    "flawed",
    "poor",
    "well",
    "strong",
    "weak",
    "quality",
    "in",
    "of",
    "between",
    "and",
    "neither",
    "nor",
    "none",
    "no",
    "clear",
    "difference",
    "winner",
    "preference",
    "about",
    "roughly",
    "essentially",
    "practically",
    "virtually",
    "basically",
    "very",
    "nearly",
    "almost",
    "as",
    "here",
    "there",
    "there's",
    "overall",
    "exactly",
    "result",
    "dead",
    "heat",
    "match",
    "them",
    "helpful",
    "correct",
    "accurate",
    "or",
    "call",
    "to",
    "other",
    "than",
    "each",
    "clearly",
];
