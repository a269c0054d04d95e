//! Text to tokens and back, with control tokens where the template means them and nowhere else.

use super::llama::{Attributes, Token, Weights};
use std::sync::Arc;

/// A model's vocabulary.
pub(super) struct Vocabulary {
    weights: Arc<Weights>,
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
    /// The vocabulary of these weights. Tokens that were added by hand and that the template writes
    /// are control tokens too, whatever the file calls them.
    pub(super) fn new(weights: Arc<Weights>, template: Option<&str>) -> Vocabulary {
        let all = 0..Token::try_from(weights.tokens()).unwrap_or(0);
        let mut marks: Vec<Mark> = all
            .filter_map(|token| Mark::of(&weights, token, template.unwrap_or("")))
            .collect();
        marks.sort_by_key(|mark| std::cmp::Reverse(mark.text.len()));
        let mut forbidden = vec![false; weights.tokens()];
        marks
            .iter()
            .filter(|mark| mark.forbidden)
            .for_each(|mark| forbidden[mark.token as usize] = true);
        Vocabulary {
            weights,
            marks,
            forbidden,
        }
    }

    /// The tokens of stretches of text, each of which is a template's or a message's.
    ///
    /// Plain text is tokenised in one go up to the next control token, as in one call over the
    /// whole text.
    pub(super) fn conversation<'a>(
        &self,
        parts: impl IntoIterator<Item = (&'a str, Origin)>,
    ) -> Tokens {
        let mut tokens = Tokens::default();
        let mut run = Run::default();
        for (text, origin) in parts {
            let stretches = if origin == Origin::Template {
                self.stretches(text)
            } else {
                vec![Stretch::Text(text)]
            };
            for stretch in stretches {
                match stretch {
                    Stretch::Text(text) => run.text.push_str(text),
                    Stretch::Mark(mark) => {
                        self.close(
                            &mut tokens,
                            std::mem::take(&mut run),
                            mark.attributes.strips_left,
                        );
                        tokens.all.push(mark.token);
                        run.trim_start = mark.attributes.strips_right;
                    }
                }
            }
        }
        self.close(&mut tokens, run, false);
        tokens
    }

    /// The tokens of plain text, none of them a control token.
    pub(super) fn plain(&self, text: &str) -> Vec<Token> {
        let tokens = self.weights.tokenize(text, false);
        let offence = tokens.iter().find(|token| self.forbids(**token));
        match offence.and_then(|token| self.marks.iter().find(|mark| mark.token == *token)) {
            Some(mark) => self.plain_without(text, mark),
            None => tokens,
        }
    }

    /// The tokens of a text that follows these ones.
    pub(super) fn continuation(&self, before: &Tokens, text: &str) -> Vec<Token> {
        let start = before.all.len() - before.tail_tokens;
        let together = self.plain(&format!("{}{text}", before.tail));
        match together.strip_prefix(&before.all[start..]) {
            Some(rest) if before.tail_tokens > 0 => rest.to_vec(),
            _ => self.plain(text),
        }
    }

    /// The tokens that an answer may begin with or consist of: as it stands after a line break, and
    /// after a space.
    pub(super) fn spellings(&self, answer: &str) -> Vec<Vec<Token>> {
        let line = Tokens {
            all: self.plain("\n"),
            tail: "\n".to_owned(),
            tail_tokens: self.plain("\n").len(),
        };
        let mut spellings = vec![
            self.continuation(&line, answer),
            self.continuation(&line, &format!(" {answer}")),
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

    /// The token that texts begin with, where the model wants one.
    pub(super) fn first_token(&self) -> Option<Token> {
        self.weights.first_token()
    }

    /// The tokens that llama.cpp makes of a whole text.
    #[cfg(test)]
    pub(super) fn in_one_go(&self, text: &str) -> Vec<Token> {
        self.weights.tokenize(text, true)
    }

    pub(super) fn ends_turn(&self, token: Token) -> bool {
        self.weights.ends_turn(token)
    }

    pub(super) fn append_piece(&self, token: Token, text: &mut Vec<u8>) {
        self.weights.append_piece(token, text);
    }

    fn close(&self, tokens: &mut Tokens, run: Run, trim_end: bool) {
        let text = if run.trim_start {
            run.text.trim_start()
        } else {
            &run.text
        };
        let text = if trim_end { text.trim_end() } else { text };
        let new = self.plain(text);
        (tokens.tail, tokens.tail_tokens) = (text.to_owned(), new.len());
        tokens.all.extend(new);
    }

    fn forbids(&self, token: Token) -> bool {
        self.forbidden.get(token as usize).copied().unwrap_or(false)
    }

    /// The text's tokens with the mark's name taken apart wherever it stands, so that it stays
    /// text.
    fn plain_without(&self, text: &str, mark: &Mark) -> Vec<Token> {
        let mut tokens = Vec::new();
        for piece in apart(text, &mark.text) {
            let whole = piece.len() == text.len();
            let new = if whole {
                self.weights.tokenize(piece, false)
            } else {
                self.plain(piece)
            };
            tokens.extend(
                new.into_iter()
                    .filter(|token| !whole || !self.forbids(*token)),
            );
        }
        tokens
    }

    /// A template's text, cut at the tokens that are more than text: the longest first, as
    /// llama.cpp does.
    fn stretches<'a>(&'a self, text: &'a str) -> Vec<Stretch<'a>> {
        let mut stretches = vec![Stretch::Text(text)];
        for mark in self.marks.iter().filter(|mark| text.contains(&mark.text)) {
            stretches = stretches
                .into_iter()
                .flat_map(|stretch| cut(stretch, mark))
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

impl Mark {
    fn of(weights: &Weights, token: Token, template: &str) -> Option<Mark> {
        let attributes = weights.attributes(token);
        if !attributes.control && !attributes.added {
            return None;
        }
        let text = weights.name(token);
        let forbidden = attributes.control || (text.len() > 2 && template.contains(&text));
        (!text.is_empty()).then_some(Mark {
            token,
            text,
            attributes,
            forbidden,
        })
    }
}

fn cut<'a>(stretch: Stretch<'a>, mark: &'a Mark) -> Vec<Stretch<'a>> {
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

/// The text in pieces that together are the text, and none of which holds the word: each stand of
/// it is cut after its first character.
fn apart<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
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
    use super::apart;

    #[test]
    fn a_word_is_taken_apart_and_nothing_is_lost() {
        for text in ["", "a", "<end>", "x<end>y<end><end>", "<<end>", "<en"] {
            let pieces = apart(text, "<end>");
            assert_eq!(pieces.concat(), text);
            assert!(
                pieces.iter().all(|piece| !piece.contains("<end>")),
                "{pieces:?}"
            );
        }
        assert_eq!(apart("x<end>y", "<end>"), ["x<", "end>y"]);
    }
}
