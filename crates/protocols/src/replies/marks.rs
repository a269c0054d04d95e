//! What the words around a mark (`[[A]]`, `[RESULT] A`, `Output (a)`) say of the side that it states:
//! whose verdict it is, and of which sign.

use super::lex::{Kind, Piece, any_in, count_while, split};
use super::preference::{
    Found, Letters, Remark, Said, begins_remark, behind_turn, cites, is_doubted, judge_remark,
    limits, narrows, read_sentence, speak_ill, strip_phrase,
};
use super::statements::{disowns, takes_back};
use crate::lexicon::List::*;
use evenhand_core::Side;

/// How far what stands around a mark holds with the side that it states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Holding {
    /// It says nothing against it.
    With,
    /// It may be meant otherwise: it asks, supposes, doubts or reports, or its words before the
    /// mark are no label of the better response.
    Open,
    /// It calls that response the worse one, or another the better.
    Against,
}

/// What stands around a mark.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Around<'t> {
    /// The sentence before that of the mark, where it is near.
    pub(crate) above: &'t str,
    /// What its sentence has before it.
    pub(crate) before: &'t str,
    /// What its sentence has behind it.
    pub(crate) behind: &'t str,
    /// The sentence behind its own, in its line.
    pub(crate) next: &'t str,
}

/// Judges what the words around a mark say of the side that the mark states.
pub(crate) fn judge_mark(around: Around, side: Side) -> Holding {
    let letters = ["A", "B", "C"].map(String::from);
    let option = match side {
        Side::First => 0,
        Side::Second => 1,
        Side::Tie => 2,
    };
    let mark = &letters[option];
    let letters = Letters(&letters);
    let pieces = split_named(&format!("{} {mark} {}", around.before, around.behind));
    let [above, before, behind, next] =
        [around.above, around.before, around.behind, around.next].map(split_named);
    let said = read_sentence(&pieces, letters);
    let denies = |one: &Found| match one.said {
        Said::Prefers(stated) => stated != option,
        Said::Against(response) => response == option,
        Said::Tie | Said::Unclear => false,
    };
    let is_denied = |words: &[Piece]| read_sentence(words, letters).iter().any(denies);
    let end = before.iter().rposition(is_word).map_or(0, |at| at + 1);
    let concludes = |piece: &Piece| piece.is(&["therefore", "thus", "hence"]);
    let concluded = before.iter().rposition(concludes).unwrap_or(0);
    let remark = judge_behind(&behind, option, letters);
    let asks = pieces.last().is_some_and(|last| last.is_stop("?"));
    let affirms = said.iter().any(|one| one.said == Said::Prefers(option));
    if said.iter().any(denies) && !affirms
        || remark == Holding::Against
        || is_denied(&before[..end])
        || !asks && is_foreign(&before)
        || takes_back(&next, false)
        || disowns(&next)
    {
        return Holding::Against;
    }
    let says_tie = option < 2 && said.iter().any(|one| one.said == Said::Tie);
    // A mark alone belongs to what stands above it.
    let leads = match end > 0 {
        true => !is_foreign(&before) && (affirms || leads_to_verdict(&before, option, letters)),
        false => heads(&above, option, letters) && !is_denied(&above),
    };
    // `A is better and B is better`
    let joins = |piece: &Piece| parts(piece) || piece.is(&["and", "or", "because"]);
    let contradicts = behind
        .split(joins)
        .skip(1)
        .any(|part| (any_in(part, Better) || any_in(part, Choosing)) && is_denied(part));
    // `Tie: [[A>B]]`
    let of_tie = |piece: &Piece| piece.is_in(Ties) && !piece.is(&["even"]);
    let is_tie = option < 2 && before.len() <= SHORT && before.iter().any(of_tie);
    let holds = leads
        && !is_tie
        && !contradicts
        && !behind.split(joins).any(cites)
        && !said.iter().any(denies)
        && !asks
        && !says_tie
        && !supposes(&before[concluded..], &behind)
        && (affirms || remark == Holding::With)
        && !is_denied(&next);
    if holds { Holding::With } else { Holding::Open }
}

/// Splits words in which a response is named by a label (`Output (a)`) or owns its answer (`A's
/// answer`).
fn split_named(text: &str) -> Vec<Piece> {
    let labels = [
        ("utput (a)", "utput A"),
        ("utput (b)", "utput B"),
        ("utput (A)", "utput A"),
        ("utput (B)", "utput B"),
    ];
    let text = labels.iter().fold(text.to_owned(), |text, (label, name)| {
        text.replace(label, name)
    });
    let owners = [
        ("A's ", "A "),
        ("B's ", "B "),
        ("A\u{2019}s ", "A "),
        ("B\u{2019}s ", "B "),
    ];
    let names = owners.iter().flat_map(|(owner, name)| {
        ["answer ", "response ", "output "].map(|noun| (format!("{owner}{noun}"), *name))
    });
    split(&names.fold(text, |text, (owned, name)| text.replace(&owned, name)))
}

fn is_word(piece: &Piece) -> bool {
    matches!(piece.kind, Kind::Word | Kind::Number(_))
}

/// Whether a piece names a response by its letter; the `A` of `A weaker one` is an article.
fn names(pieces: &[Piece], at: usize, letters: Letters) -> Option<usize> {
    let letter = pieces[at].word.strip_suffix("'s").map(str::to_uppercase);
    let letter = letter.as_ref().unwrap_or(&pieces[at].raw);
    let option = letters.find(letter).filter(|option| *option < 2)?;
    let follows = [
        Being,
        Winning,
        Losing,
        Beating,
        Turns,
        Reasons,
        Adverbs,
        Negations,
        AfterVerdict,
    ];
    let is_article = pieces[at].raw == "A"
        && !(at > 0 && pieces[at - 1].is_in(Nouns))
        && pieces.get(at + 1).is_some_and(|next| {
            next.kind == Kind::Word && !follows.iter().any(|list| next.is_in(*list))
        });
    (!is_article).then_some(option)
}

/// Whether a mark below a sentence is a verdict: one that leads to it (`Verdict:`), asks for it, or
/// describes; not `Loser:`, `Which one is worse?`, `Reject: the other is better.`
fn heads(above: &[Piece], option: usize, letters: Letters) -> bool {
    match above.last() {
        Some(last) if last.is_stop(":") => {
            !speaks_of_worse(above, option, letters)
                && !is_doubted(above)
                && !above.split(parts).any(cites)
        }
        Some(last) if last.is_stop(".!;") => {
            let of_other = |at: usize| strip_phrase(&above[at..], &["the other"]).is_some();
            let praises_other = (0..above.len()).any(of_other) && any_in(above, Better);
            let named = (0..above.len()).find_map(|at| names(above, at, letters));
            let announces = above.iter().any(|piece| piece.is(&["below", "following"]));
            let is_ill = speaks_of_worse(above, option, letters);
            let rejects = any_in(above, Rejecting) && named.is_none_or(|named| named == option);
            !(praises_other || rejects || (announces && is_ill))
        }
        _ => {
            let is_read = |piece: &&Piece| piece.raw.contains(char::is_alphanumeric);
            let heading: Vec<Piece> = above.iter().filter(is_read).cloned().collect();
            !speaks_of_worse(&heading, option, letters)
        }
    }
}

/// Words before a mark that are no more are a label, and all of a label must be known.
const SHORT: usize = 4;

/// Whether words before a mark lead to a verdict for the better response. What stands right before
/// it, as far as a comma or a `but`, must be known where it is short, or a label (`the ... is`).
fn leads_to_verdict(before: &[Piece], option: usize, letters: Letters) -> bool {
    let clause = before.rsplit(parts).next().unwrap_or_default();
    let anchors = [Better, VerdictNouns, PreferredNouns, Winning, Choosing];
    let is_anchor = |piece: &Piece| anchors.iter().any(|list| piece.is_in(*list));
    let is_good = clause.iter().any(is_anchor) && !speaks_of_worse(clause, option, letters);
    let concedes = |clause: &&[Piece]| clause.first().is_some_and(|first| first.is_in(Concessives));
    let kept = match before.split(parts).any(|clause| concedes(&clause)) {
        true => before
            .split(parts)
            .filter(|clause| !concedes(clause))
            .collect::<Vec<_>>()
            .concat(),
        false => before.to_vec(),
    };
    if !is_good && speaks_of_worse(&kept, option, letters) {
        return false;
    }
    let said = clause
        .rsplit(|piece| piece.is(&["that"]))
        .next()
        .unwrap_or_default();
    let words: Vec<&Piece> = said.iter().filter(|piece| is_word(piece)).collect();
    let lists = [
        Leads,
        LabelWords,
        Openers,
        Better,
        Winning,
        Adverbs,
        Choosers,
        Manner,
        Choosing,
        ChoosingWith,
        Being,
        PreferredNouns,
        Nouns,
        Ties,
        Reasons,
        Voices,
        Than,
    ];
    let is_degree =
        |piece: &Piece| piece.is(&["more", "most", "less", "least", "lesser", "fewer", "fewest"]);
    let of_both = words.iter().any(|piece| piece.is(&["both", "neither"]));
    let of_degree = words.iter().any(|piece| is_degree(piece));
    let is_known = |piece: &&Piece| {
        let is_plain = piece.is_in(Aspects) && any_in(clause, Being);
        let is_quality =
            piece.is_in(Aspects) || piece.is_in(Faults) || piece.is_in(Ills) || piece.is_in(Worse);
        lists.iter().any(|list| piece.is_in(*list))
            || is_degree(piece)
            || of_both
            || of_degree && is_quality
            || is_plain && !words[0].is(&["the", "my"])
    };
    // `The better one of these two is`
    let of = |piece: &&&Piece| !piece.is(&["of", "for", "in", "between", "given", "when"]);
    let is_label = words.last().is_some_and(|last| last.is_in(Being))
        && words.iter().any(|piece| piece.is(&["the", "my"]));
    let named = (0..clause.len()).find_map(|at| names(clause, at, letters));
    // `Yesterday A is better:` is none.
    let begin = (0..clause.len()).find(|at| names(clause, *at, letters).is_some());
    let opens = clause[..begin.unwrap_or(0)]
        .iter()
        .filter(|piece| is_word(piece))
        .all(|piece| is_known(&piece));
    let is_format = words.last().is_some_and(|last| last.is(&["format"]));
    match (named, is_label) {
        (Some(_), _) => opens || !any_in(clause, Better),
        _ if is_format && words.len() <= SHORT => words[0].is(&["in"]),
        (None, true) if words.len() > SHORT => words.iter().take_while(of).all(is_known),
        _ => words.len() > SHORT || words.iter().all(is_known),
    }
}

fn parts(piece: &Piece) -> bool {
    piece.is_stop(",;") || piece.is_sign(&["-"]) || piece.is_in(Turns)
}

/// Whether words before a mark make it somebody else's, or deny it: `Fools say`, `It is false that`,
/// `I cannot say`.
fn is_foreign(before: &[Piece]) -> bool {
    let before = match before.split_last() {
        Some((last, rest)) if last.is_stop(":") => rest,
        _ => before,
    };
    let clause = before.rsplit(parts).next().unwrap_or_default();
    let own = |piece: &Piece| piece.is(&["i", "we", "i'd", "we'd", "i'll", "let"]);
    let known = |piece: &Piece| {
        [Openers, Leads, LabelWords]
            .iter()
            .any(|list| piece.is_in(*list))
            && !piece.is_in(Nouns)
    };
    let refuses = |at: usize| {
        let piece = &clause[at];
        let denies = piece.is_in(Blocks) || piece.is_in(Negations) || piece.word.ends_with("n't");
        let hedges = [
            "about", "used", "wanted", "hear", "hard", "little", "question",
        ];
        (denies || piece.is(&hedges) || speak_ill(&clause[at..=at]))
            && !any_in(&clause[at..], Doubts)
            && !clause.iter().any(|piece| piece.is(&["need"]))
    };
    let voice = clause.iter().position(|piece| piece.is_in(Voices));
    let reports = voice.is_some_and(|at| {
        let subject = &clause[..at];
        !subject.iter().any(own) && !subject.iter().all(known) || (0..=at).any(refuses)
    });
    let that = clause
        .iter()
        .rposition(|piece| piece.is(&["that", "whether"]))
        .unwrap_or(0);
    let supposes = |words: &[Piece]| {
        words.first().is_some_and(|first| {
            first.is_in(Hearsay) && !first.is(&["if"])
                || first.is(&["assume", "say", "apparently", "who", "how", "why"])
        })
    };

    let never = ["by no means", "in no way", "under no"];
    let limited =
        limits(&before[..before.len() - clause.len()]) || strip_phrase(clause, &never).is_some();
    reports
        || limited
        || supposes(clause)
        || supposes(before) && before.len() > 1
        || clause.iter().any(|piece| piece.is(&["whether", "why"]))
        || (0..that).any(refuses)
        || is_doubted(before)
        || behind_turn(before).split(parts).any(cites)
}

/// Judges what its sentence has behind a mark: a remark on it (`, because`, `- rejected`), or what it
/// is (`is my verdict`).
fn judge_behind(behind: &[Piece], option: usize, letters: Letters) -> Holding {
    let words = behind.iter().filter(|piece| is_word(piece)).count();
    if words == 0 || option == 2 && any_in(behind, Ties) {
        return Holding::With;
    }
    let parts = |piece: &Piece| parts(piece) || piece.is_stop(":") || piece.kind == Kind::Open;
    let gives_reason = |piece: &Piece| piece.is_in(Reasons) && !piece.is(&["as", "for"]);
    let said = &behind[..count_while(behind, |piece| !gives_reason(piece))];
    if said.split(parts).any(is_doubted) || behind.split(parts).any(cites) || narrows(behind) {
        return Holding::Open;
    }
    if !begins_remark(&behind[0]) && !behind[0].is_in(AfterVerdict) {
        let lists = [Better, VerdictNouns, PreferredNouns, Winning, Ties];
        let said = &behind[..count_while(behind, |piece| !parts(piece) && !piece.is_in(Reasons))];
        let is_bad = |piece: &Piece| {
            piece.is_in(Negations)
                || piece.word.ends_with("n't")
                || speak_ill(std::slice::from_ref(piece))
                || piece.is(&["was", "have", "expected", "means"])
        };
        let is_good = lists.iter().any(|list| any_in(said, *list)) && !said.iter().any(is_bad);
        // What is called better must be so in the whole: `a better fit`, `better for the task`.
        let quality = behind.iter().position(|piece| piece.is_in(Better));
        let is_whole = quality.is_none_or(|at| {
            let whole =
                &behind[..count_while(behind, |piece| !gives_reason(piece) && !piece.is(&["as"]))];
            let mut sentence = split(&letters.0[option]);
            sentence.extend_from_slice(whole);
            let said = read_sentence(&sentence, letters);
            let after = &behind[at + 1..];
            let near = &after[..after.len().min(6)];
            said.iter().any(|one| one.said == Said::Prefers(option))
                || after
                    .first()
                    .is_some_and(|next| next.is(&["fit"]) || next.is_in(Nouns))
                || at > 0
                    && behind[at - 1].is(&["a"])
                    && after
                        .first()
                        .is_some_and(|next| is_word(next) && !next.word.ends_with("ed"))
                || after.first().is_some_and(|next| next.is(&["only"]))
                    && after.get(1).is_some_and(|next| next.is_in(Reasons))
                || after.first().is_some_and(|next| next.is(&["for", "in"]))
                    && near.iter().any(|piece| {
                        piece.is(&[
                            "instruction",
                            "task",
                            "prompt",
                            "case",
                            "question",
                            "reasons",
                        ])
                    })
        });
        let is_good = is_good && is_whole;
        return if is_good {
            Holding::With
        } else {
            Holding::Open
        };
    }
    match judge_remark(behind, option, letters) {
        Remark::Fits => Holding::With,
        Remark::Against => Holding::Against,
        Remark::Unknown if words > SHORT => Holding::With,
        Remark::Unknown | Remark::Unclear => Holding::Open,
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
    (before.get(opens).is_some_and(is_if)
        || behind.iter().any(is_if) && clause.iter().chain(behind).any(would))
        && ![before, behind]
            .iter()
            .any(|part| part.windows(2).any(forces))
}

/// Whether words before a mark are of a worse response, and name none that it is not: `Rejected:`,
/// `The less accurate one is`. `Since the other one is wrong`, `the less wrong one`, `the better of
/// two bad ones` are not.
fn speaks_of_worse(before: &[Piece], option: usize, letters: Letters) -> bool {
    let finds_fault = |piece: &Piece| {
        speak_ill(std::slice::from_ref(piece))
            || piece.is_in(SecondRate)
            || piece.is_in(Ills) && !piece.is(&["without", "only", "off"])
            || piece.is(&["evil", "evils"])
    };
    let lessens = |piece: &Piece| piece.is(&["less", "least", "fewer", "fewest", "lesser"]);
    let denies = |piece: &Piece| piece.is_in(Negations) || piece.word.ends_with("n't");
    let is_ill = |at: usize| {
        let piece = &before[at];
        let of = before[..at].iter().rposition(|piece| piece.is(&["of"]));
        let near = &before[at.saturating_sub(3)..at];
        let near = near
            .rsplit(|piece| piece.is(&["and"]))
            .next()
            .unwrap_or_default();
        let spared = near
            .iter()
            .any(|piece| lessens(piece) || denies(piece) || piece.is(&["without"]))
            || of.is_some_and(|of| any_in(&before[..of], Better));
        let next = &before[at + 1..];
        let skipped = |piece: &Piece| piece.is_in(Articles) || piece.is(&["as", "my"]);
        let next = &next[count_while(next, skipped)..];
        let lists = [
            Better,
            VerdictNouns,
            PreferredNouns,
            Aspects,
            Choosing,
            Winning,
        ];
        let is_quality = |next: &Piece| {
            lists.iter().any(|list| next.is_in(*list))
                || next.is(&["this", "recommended", "acceptable", "good"])
        };
        let first = next.first();
        let ranks = |next: &Piece| {
            next.is_stop(":") || next.is_in(Better) || next.is(&["choice", "place", "pick"])
        };
        finds_fault(piece) && !spared
            // `Less wrong` is better.
            || lessens(piece) && (piece.is(&["lesser"]) || next.iter().any(is_word)) && !next.iter().take(3).any(finds_fault)
            || piece.is_in(Lower) && !first.is_some_and(|next| next.is(&["line"]))
            || strip_phrase(&before[at..], &["far from", "all but", "anything but", "anyone but", "everything but", "everyone but", "rather than", "instead of"]).is_some()
            // `Not the best`, `not:`
            || denies(piece) && (first.is_some_and(is_quality) || !piece.is(&["no"]) && !next.iter().any(is_word))
            || piece.is(&["second", "2nd"]) && first.is_none_or(ranks)
    };
    // `Since the other one is wrong`, `I reject the second`, `B has more errors`
    let other = ["second", "first"].get(option);
    let excuses = |at: usize| {
        let piece = &before[at];
        let is_other = other.is_some_and(|other| piece.is(&[other]))
            || piece.is(&["other", "both", "neither"]);
        let behind = &before[at..];
        let behind = &behind[..count_while(behind, |piece| !piece.is_stop(",;:")).min(5)];
        let is_bad =
            behind.iter().any(finds_fault) || any_in(&before[at.saturating_sub(2)..at], Rejecting);
        // `As good as B`
        let compared = (at.saturating_sub(3)..at).any(|at| {
            let than = before[at].is_in(Than) && !before[at].is(&["to"]);
            than || before[at].is(&["as"])
        });
        let named = names(before, at, letters).is_some_and(|one| one != option);
        named && !compared || is_other && is_bad
    };
    (0..before.len()).any(is_ill) && !(0..before.len()).any(excuses)
}
