//! Which of a prompt's tokens spell a text at its end, by how servers spell them.
//!
//! They are not always spelt in full. The bytes of a character that takes several tokens are U+FFFD
//! in each, or nothing until the token that ends it, which is all of it (vLLM 0.32). Chat templates
//! trim a turn (Llama 3's), and where a server decodes each token by itself, SentencePiece's
//! leading spaces go missing. So white space may be lost anywhere; nothing else may.

use evenhand_core::Likelihood;
use icu_normalizer::ComposingNormalizerBorrowed;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// A token as the server spells it, and its log-probability; the first of a prompt has none.
pub(super) type Token<'a> = (&'a str, Option<f64>);

/// The character that a server writes for bytes of a token that are not a whole character.
const PART_OF_A_CHARACTER: char = char::REPLACEMENT_CHARACTER;

/// Returns the likelihood of the tokens at the end that spell this text; nothing where they spell
/// another. The first of them may begin before the text, where the template's last characters and
/// the text's first share a token. A token that is spelt as nothing counts with the one after it.
///
/// A template that trims the text may leave white space before it that is like the white space that
/// the text has lost: that is then taken for the text's, and counts. Where a character that is
/// spelt in parts stands beside the same one spelt whole, the text may not be found.
pub(super) fn find_at_end(
    tokens: &[Token],
    text: &str,
    apart: &[Range<usize>],
) -> Option<Likelihood> {
    let mut found = SpellingSearch::new(text);
    for (token, logprob) in tokens.iter().rev() {
        let Some(logprob) = logprob else { break };
        if !found.take_token(token, *logprob, apart) {
            break;
        }
    }
    found.finish(apart)
}

/// Like [`find_at_end`], but for tokenizers that compose characters first (Unicode's NFC, as
/// Qwen's do), so that it is the composed text that is spelt; nothing for a text that is composed
/// already.
pub(super) fn find_composed_at_end(
    tokens: &[Token],
    text: &str,
    apart: &[Range<usize>],
) -> Option<Likelihood> {
    let nfc = ComposingNormalizerBorrowed::new_nfc();
    if nfc.is_normalized(text) {
        return None;
    }
    // No composition goes beyond a grapheme cluster (UAX 29), so that places can be told by where
    // each of them begins: in the text as it was, and as it is.
    let mut composed = String::with_capacity(text.len());
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (at, cluster) in text.grapheme_indices(true) {
        places.push((at, composed.len()));
        composed.push_str(&nfc.normalize(cluster));
    }
    let place_of = |at: usize| {
        let index = places.partition_point(|(start, _)| *start < at);
        let found = places.get(index);
        found.map_or(composed.len(), |(_, place)| *place)
    };
    let apart: Vec<Range<usize>> = apart
        .iter()
        .map(|range| place_of(range.start)..place_of(range.end))
        .collect();
    find_at_end(tokens, &composed, &apart)
}

/// A search from the end on, and what it found.
struct SpellingSearch<'a> {
    /// The rest of the text, which no token has spelt yet, but for the parts.
    rest: &'a str,
    /// How many parts of characters were spelt since.
    parts: usize,
    /// Where the token stands that was found last; at first the last character, for tokens at the
    /// end that are spelt as nothing.
    last: Range<usize>,
    /// Where the tokens that are held end.
    until: usize,
    /// The log-probabilities of the tokens since, which hold parts, so that it is not known yet
    /// where they begin.
    held: Vec<f64>,
    likelihood: Likelihood,
}

impl<'a> SpellingSearch<'a> {
    fn new(text: &'a str) -> SpellingSearch<'a> {
        let last = text.char_indices().next_back();
        SpellingSearch {
            rest: text,
            parts: 0,
            last: last.map_or(0, |(start, _)| start)..text.len(),
            until: text.len(),
            held: Vec::new(),
            likelihood: Likelihood::default(),
        }
    }

    /// Takes the token before, if it belongs to the text.
    fn take_token(&mut self, token: &str, logprob: f64, apart: &[Range<usize>]) -> bool {
        if token.is_empty() {
            // It is spelt as nothing, and counts with the one after it.
            if self.held.is_empty() {
                self.likelihood.add(logprob, 1, self.last.clone(), apart);
            } else {
                self.held.push(logprob);
            }
            return true;
        }
        if self.rest.is_empty() {
            return false;
        }
        let Some(place) = self.find_token(token) else {
            return false;
        };
        if token.contains(PART_OF_A_CHARACTER) {
            // Held until it is known where its parts of characters begin.
            self.held.push(logprob);
            return true;
        }
        self.release_held(place.end, apart);
        self.likelihood.add(logprob, 1, place.clone(), apart);
        self.until = place.start;
        self.last = place;
        true
    }

    /// Finds where a token stands at the end of the rest, as far as it is spelt; the rest ends
    /// before it then.
    fn find_token(&mut self, token: &str) -> Option<Range<usize>> {
        let (mut start, mut end) = (self.rest.len(), None);
        for (after, piece) in token.rsplit(PART_OF_A_CHARACTER).enumerate() {
            self.parts += usize::from(after > 0);
            if !piece.is_empty() {
                let place = find_before(self.rest, piece, self.parts)?;
                start = place.start;
                end.get_or_insert(place.end);
                (self.rest, self.parts) = (&self.rest[..start], 0);
            }
        }
        Some(start..end.unwrap_or(start))
    }

    /// Counts the tokens that were held, which stand between this place and the token found last.
    fn release_held(&mut self, from: usize, apart: &[Range<usize>]) {
        let tokens = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
        self.likelihood
            .add(self.held.drain(..).sum(), tokens, from..self.until, apart);
    }

    fn finish(mut self, apart: &[Range<usize>]) -> Option<Likelihood> {
        // The parts of characters that were spelt may be all of the rest.
        let unspelt = || self.rest.chars().filter(|c| !may_be_lost(*c));
        let is_whole = unspelt().count() <= self.parts && unspelt().all(|c| !c.is_ascii());
        self.release_held(0, apart);
        (is_whole && self.likelihood.tokens > 0).then_some(self.likelihood)
    }
}

/// Finds where this stands at the end of a text, but for the characters of which parts were spelt
/// after it, and for others that were lost; nothing if it does not stand there. So many parts have
/// at least as many bytes, and belong to at most as many characters, none of them ASCII.
fn find_before(text: &str, piece: &str, parts: usize) -> Option<Range<usize>> {
    let (mut rest, mut characters, mut bytes) = (text, parts, parts);
    while let Some(last) = rest.chars().next_back() {
        if bytes == 0 && (rest.ends_with(piece) || piece.ends_with(rest)) {
            return Some(rest.len().saturating_sub(piece.len())..rest.len());
        }
        if characters > 0 && !last.is_ascii() {
            (characters, bytes) = (characters - 1, bytes.saturating_sub(last.len_utf8()));
        } else if !may_be_lost(last) {
            return None;
        }
        rest = &rest[..rest.len() - last.len_utf8()];
    }
    None
}

/// Whether a character may be missing: white space, which templates and decoders drop, and U+FFFD
/// itself, which some spell as nothing.
fn may_be_lost(character: char) -> bool {
    character.is_whitespace() || character == PART_OF_A_CHARACTER
}
