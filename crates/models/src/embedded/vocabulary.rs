//! Text to tokens and back, with control tokens where the template means them and nowhere else.

use super::llama::{Token, Weights};
use super::llama_options::Attributes;
use std::sync::Arc;

/// A model's vocabulary.
pub(super) struct Vocabulary {
    pub(super) weights: Arc<Weights>,
    /// The tokens that are more than text, the longest first.
    marks: Vec<Mark>,
    /// For each token, whether it must not come from the text of a message.
    forbidden: Vec<bool>,
}

/// A token that is more than text.
struct Mark {
    token: Token,
    text: String,
    attributes: Attributes,
    /// It must not come from the text of a message.
    forbidden: bool,
}

/// A stretch of a template's text.
enum Stretch<'a> {
    Mark(&'a Mark),
    Text(&'a str),
}

/// Text that becomes tokens in one go, and whether the tokens around it take its white space.
#[derive(Default)]
struct Run {
    text: String,
    trim_start: bool,
}

/// A tokenised conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// The tokens.
    pub(super) all: Vec<Token>,
    /// The plain text at the end, and how many tokens it became: what follows may be tokenised
    /// together with it.
    tail: String,
    tail_tokens: usize,
}

impl Vocabulary {
    /// Makes the vocabulary of these weights. Tokens that were added by hand and that the template
    /// writes are control tokens too, whatever the file calls them.
    pub(super) fn new(weights: Arc<Weights>, template: Option<&str>) -> Vocabulary {
        let template = template.unwrap_or("");
        let mut marks = Vec::new();
        let mut forbidden = vec![false; weights.tokens()];
        for token in 0..Token::try_from(weights.tokens()).unwrap_or(0) {
            let attributes = weights.attributes(token);
            if !attributes.control && !attributes.added {
                continue;
            }
            let text = weights.name(token);
            if text.is_empty() {
                continue;
            }
            let is_forbidden = attributes.control || (text.len() > 2 && template.contains(&text));
            forbidden[token as usize] = is_forbidden;
            marks.push(Mark {
                token,
                text,
                attributes,
                forbidden: is_forbidden,
            });
        }
        marks.sort_by_key(|mark| std::cmp::Reverse(mark.text.len()));
        Vocabulary {
            weights,
            marks,
            forbidden,
        }
    }

    /// Returns the tokens of stretches of text, each of which is a template's or a message's.
    ///
    /// Plain text is tokenised in one go up to the next control token, as in one call over the
    /// whole text.
    pub(super) fn tokenize_parts<'a>(
        &self,
        parts: impl IntoIterator<Item = (&'a str, Origin)>,
    ) -> Tokens {
        let mut tokens = Tokens::default();
        let mut run = Run::default();
        for (text, origin) in parts {
            let stretches = match origin {
                Origin::Template => self.cut_at_marks(text),
                Origin::Message => vec![Stretch::Text(text)],
            };
            for stretch in stretches {
                match stretch {
                    Stretch::Text(text) => run.text.push_str(text),
                    Stretch::Mark(mark) => {
                        let finished = std::mem::take(&mut run);
                        self.close_run(&mut tokens, finished, mark.attributes.strips_left);
                        tokens.all.push(mark.token);
                        run.trim_start = mark.attributes.strips_right;
                    }
                }
            }
        }
        self.close_run(&mut tokens, run, false);
        tokens
    }

    /// Returns the tokens of plain text, none of them a control token.
    pub(super) fn tokenize_plain(&self, text: &str) -> Vec<Token> {
        let tokens = self.weights.tokenize(text, false);
        let offence = tokens.iter().find(|token| self.is_forbidden(**token));
        match offence.and_then(|token| self.marks.iter().find(|mark| mark.token == *token)) {
            Some(mark) => self.tokenize_without(text, mark),
            None => tokens,
        }
    }

    /// Returns the tokens of a text, a word that the vocabulary cannot spell being its token for
    /// what is unknown: a vector of a text needs it, and where nothing is written it steers
    /// nothing.
    pub(super) fn tokenize_with_unknown(&self, text: &str) -> Vec<Token> {
        self.weights.tokenize(text, false)
    }

    /// Returns the tokens of a text that follows these ones.
    pub(super) fn tokenize_after(&self, before: &Tokens, text: &str) -> Vec<Token> {
        let start = before.all.len() - before.tail_tokens;
        let together = self.tokenize_plain(&format!("{}{text}", before.tail));
        match together.strip_prefix(&before.all[start..]) {
            Some(rest) if before.tail_tokens > 0 => rest.to_vec(),
            _ => self.tokenize_plain(text),
        }
    }

    /// Returns the tokens of a text that begins a line.
    pub(super) fn tokenize_line(&self, text: &str) -> Vec<Token> {
        let all = self.tokenize_plain("\n");
        let line = Tokens {
            tail: "\n".to_owned(),
            tail_tokens: all.len(),
            all,
        };
        self.tokenize_after(&line, text)
    }

    /// Returns the tokens that an answer may begin with or consist of: as it stands after a line
    /// break, and after a space.
    pub(super) fn spell_answer(&self, answer: &str) -> Vec<Vec<Token>> {
        let mut spellings = vec![
            self.tokenize_line(answer),
            self.tokenize_line(&format!(" {answer}")),
        ];
        spellings.retain(|tokens| !tokens.is_empty());
        spellings.sort();
        spellings.dedup();
        spellings
    }

    /// Whether the text holds the name of a control token.
    pub(super) fn is_risky(&self, text: &str) -> bool {
        self.marks
            .iter()
            .any(|mark| mark.forbidden && text.contains(&mark.text))
    }

    /// Returns the tokens that llama.cpp makes of a whole text.
    #[cfg(test)]
    pub(super) fn in_one_go(&self, text: &str) -> Vec<Token> {
        self.weights.tokenize(text, true)
    }

    fn close_run(&self, tokens: &mut Tokens, run: Run, trim_end: bool) {
        let mut text = run.text.as_str();
        if run.trim_start {
            text = text.trim_start();
        }
        if trim_end {
            text = text.trim_end();
        }
        let new = self.tokenize_plain(text);
        tokens.tail = text.to_owned();
        tokens.tail_tokens = new.len();
        tokens.all.extend(new);
    }

    fn is_forbidden(&self, token: Token) -> bool {
        self.forbidden.get(token as usize).copied().unwrap_or(false)
    }

    /// Returns the text's tokens with the mark's name taken apart wherever it stands, so that it
    /// stays text.
    fn tokenize_without(&self, text: &str, mark: &Mark) -> Vec<Token> {
        let mut tokens = Vec::new();
        for piece in break_apart(text, &mark.text) {
            if piece.len() == text.len() {
                // No cut helps: what is forbidden is left out.
                let all = self.weights.tokenize(piece, false).into_iter();
                tokens.extend(all.filter(|token| !self.is_forbidden(*token)));
            } else {
                tokens.extend(self.tokenize_plain(piece));
            }
        }
        tokens
    }

    /// Returns a template's text, cut at the tokens that are more than text: the longest first, as
    /// llama.cpp does.
    fn cut_at_marks<'a>(&'a self, text: &'a str) -> Vec<Stretch<'a>> {
        let mut stretches = vec![Stretch::Text(text)];
        for mark in self.marks.iter().filter(|mark| text.contains(&mark.text)) {
            stretches = stretches
                .into_iter()
                .flat_map(|stretch| cut_stretch(stretch, mark))
                .collect();
        }
        stretches
    }
}

/// Who wrote a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The template: control tokens are meant.
    Template,
    /// A message: it is only text.
    Message,
}

fn cut_stretch<'a>(stretch: Stretch<'a>, mark: &'a Mark) -> Vec<Stretch<'a>> {
    let Stretch::Text(text) = stretch else {
        return vec![stretch];
    };
    let mut stretches = Vec::new();
    for (number, piece) in text.split(mark.text.as_str()).enumerate() {
        if number > 0 {
            stretches.push(Stretch::Mark(mark));
        }
        if !piece.is_empty() {
            stretches.push(Stretch::Text(piece));
        }
    }
    stretches
}

/// Returns the text in pieces that together are the text, none of which holds the word: each
/// occurrence is cut after its first character.
fn break_apart<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let first = word.chars().next().map_or(0, char::len_utf8);
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(word) {
        pieces.push(&text[start..at + first]);
        start = at + first;
    }
    pieces.push(&text[start..]);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::break_apart;

    #[test]
    fn a_word_is_taken_apart_and_nothing_is_lost() {
        for text in ["", "a", "<end>", "x<end>y<end><end>", "<<end>", "<en"] {
            let pieces = break_apart(text, "<end>");
            assert_eq!(pieces.concat(), text);
            assert!(
                pieces.iter().all(|piece| !piece.contains("<end>")),
                "{pieces:?}"
            );
        }
        assert_eq!(break_apart("x<end>y", "<end>"), ["x<", "end>y"]);
    }
}
