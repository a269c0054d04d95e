//! Which types can be asked for together.

use crate::Id;

/// The types that can be made and broken, in the order of their ids.
pub const MADE: [Id; 20] = [
    Id::CapitalWords,
    Id::EnglishCapital,
    Id::EnglishLowercase,
    Id::RepeatPrompt,
    Id::Placeholders,
    Id::Postscript,
    Id::Sections,
    Id::Bullets,
    Id::Highlights,
    Id::Title,
    Id::Keywords,
    Id::ForbiddenWords,
    Id::KeywordFrequency,
    Id::FirstWord,
    Id::Paragraphs,
    Id::Sentences,
    Id::Words,
    Id::NoComma,
    Id::EndPhrase,
    Id::Quotation,
];

/// Types of which at most one can be asked for: each list with the reason.
const GROUPS: [&[Id]; 6] = [
    // One division of the text.
    &[Id::Sections, Id::Paragraphs, Id::FirstWord],
    // One use of capitals.
    &[Id::CapitalWords, Id::EnglishCapital, Id::EnglishLowercase],
    // One measure of length.
    &[Id::Sentences, Id::Words],
    // One thing at the end.
    &[Id::Postscript, Id::EndPhrase],
    // One thing at the very start.
    &[Id::RepeatPrompt, Id::Quotation],
    // The request may hold commas.
    &[Id::RepeatPrompt, Id::NoComma],
];

/// Types of which none goes with any of others.
const AGAINST: [(&[Id], &[Id]); 4] = [
    // The mark of a section is in the case given.
    (&[Id::Sections], &[Id::EnglishCapital, Id::EnglishLowercase]),
    // A shorter text has no room for a division or a list, and the request is not of the answer's
    // length.
    (
        &[Id::Sentences, Id::Words],
        &[
            Id::Sections,
            Id::Paragraphs,
            Id::FirstWord,
            Id::Bullets,
            Id::RepeatPrompt,
        ],
    ),
    // These stand in paragraphs of their own.
    (
        &[Id::FirstWord],
        &[Id::Title, Id::RepeatPrompt, Id::Postscript],
    ),
    // The request is repeated as it is.
    (
        &[Id::RepeatPrompt],
        &[Id::CapitalWords, Id::EnglishCapital, Id::EnglishLowercase],
    ),
];

/// Whether two types cannot be asked for in one item: one text cannot follow both, or cannot break
/// one and follow the other. Symmetric; a type conflicts with itself, and those that are not
/// [`MADE`] conflict with all.
pub fn conflicts(a: Id, b: Id) -> bool {
    let are_made = MADE.contains(&a) && MADE.contains(&b);
    let share_group = GROUPS
        .iter()
        .any(|group| group.contains(&a) && group.contains(&b));
    let is_against = |a: Id, b: Id| {
        let mut against = AGAINST.iter();
        against.any(|(some, others)| some.contains(&a) && others.contains(&b))
    };
    a == b || !are_made || share_group || is_against(a, b) || is_against(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    #[test]
    fn conflicts_are_symmetric_and_with_oneself() {
        for a in Id::VARIANTS.iter().copied() {
            for b in Id::VARIANTS.iter().copied() {
                assert_eq!(conflicts(a, b), conflicts(b, a), "{a} {b}");
                assert!(a != b || conflicts(a, b));
            }
        }
        assert!(conflicts(Id::JsonFormat, Id::Title) && !conflicts(Id::Bullets, Id::Paragraphs));
    }
}
