//! Estimates how many tokens a text is, where no tokenizer is at hand.

/// Estimates how many tokens a text is to the byte-pair encodings of current models.
///
/// An approximation by classes of characters, in eighths of a token, rounded up at the end:
/// - a run of ASCII letters is 1 token, and 1/8 more for each letter beyond the eighth;
/// - a run of digits is 1 token for every three;
/// - a run of ASCII punctuation is 1 token, and 1/4 more for each mark beyond the first;
/// - white space is 1 token up to its last line break, unless punctuation stands before it, and 1
///   more for what indents by two or more; a single blank belongs to the word that follows;
/// - any other character is 1 token, such as a Chinese one.
///
/// Measured against the encodings cl100k_base and o200k_base on texts of at least 200 characters
/// (Chinese: 60), as approximation by truth: the mean, and in brackets where 95 % of the texts lie.
///
/// | texts | cl100k_base | o200k_base |
/// | --- | --- | --- |
/// | 1,500 English answers and questions of recorded benchmarks | 0.99 (0.87 to 1.07) | 1.00 (0.88 to 1.10) |
/// | 1,500 blocks of code in recorded answers | 1.09 (0.91 to 1.26) | 1.08 (0.91 to 1.25) |
/// | 1,514 Chinese reviews and paragraphs | 0.82 (0.73 to 0.93) | 1.25 (1.09 to 1.41) |
///
/// Against the counts (cl100k_base) recorded beside 6,905 answers of Arena-Hard of at least 50
/// tokens, code and all, it is 1.02 (0.89 to 1.14). Other scripts are not measured. A provider's
/// own tokenizer may count otherwise: Anthropic's are not public.
///
/// ```
/// # use evenhand_core::approximate_tokens;
/// assert_eq!(approximate_tokens("The judge is fair."), 5);
/// assert_eq!(approximate_tokens(""), 0);
/// ```
pub fn approximate_tokens(text: &str) -> u64 {
    let mut eighths = 0;
    let mut rest = text;
    let mut after_punctuation = false;
    while let Some(first) = rest.chars().next() {
        let class = TokenClass::of(first);
        let length = match class {
            // Other characters are a token each, and no run.
            TokenClass::Other => first.len_utf8(),
            _ => rest
                .find(|c| TokenClass::of(c) != class)
                .unwrap_or(rest.len()),
        };
        let (run, behind) = rest.split_at(length);
        eighths += class.eighths(run, after_punctuation);
        after_punctuation = class == TokenClass::Punctuation;
        rest = behind;
    }
    u64::div_ceil(eighths, 8)
}

#[derive(Clone, Copy, PartialEq)]
enum TokenClass {
    Letters,
    Digits,
    Punctuation,
    Space,
    Other,
}

impl TokenClass {
    fn of(c: char) -> TokenClass {
        match c {
            _ if c.is_ascii_alphabetic() => TokenClass::Letters,
            _ if c.is_ascii_digit() => TokenClass::Digits,
            _ if c.is_ascii_punctuation() => TokenClass::Punctuation,
            _ if c.is_whitespace() => TokenClass::Space,
            _ => TokenClass::Other,
        }
    }

    fn eighths(self, run: &str, after_punctuation: bool) -> u64 {
        let length = run.len() as u64;
        match self {
            TokenClass::Letters => 8 + length.saturating_sub(8),
            TokenClass::Digits => 8 * length.div_ceil(3),
            TokenClass::Punctuation => 8 + 2 * (length - 1),
            TokenClass::Space => {
                let last_break = run.rfind(['\n', '\r']);
                let indent = last_break.map_or(run, |at| &run[at + 1..]);
                let breaks = u64::from(last_break.is_some() && !after_punctuation);
                let indents = u64::from(indent.chars().nth(1).is_some());
                8 * (breaks + indents)
            }
            TokenClass::Other => 8,
        }
    }
}
