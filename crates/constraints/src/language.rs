//! Which language a text is in.
//!
//! The reference asks langdetect 1.0.9 (Shuyo's naive Bayes over character n-grams, which looks at
//! them in a random order) without a seed, so that a close call may fall either way from run to
//! run. Here its Rust port is asked with seed 0, so that a verdict is the same on every machine and
//! equals langdetect's with `DetectorFactory.seed = 0`.

use langdetect::{DetectorFactory, Seed};
use std::sync::LazyLock;

static DETECTOR: LazyLock<DetectorFactory> = LazyLock::new(|| {
    let mut detector = DetectorFactory::builtin().clone();
    detector.seed = Seed::Int(0);
    detector
});

/// Whether the text is in the language of this code; also where the text has no features to tell by
/// (digits, signs), as in the reference.
pub(crate) fn is_in_language(text: &str, code: &str) -> bool {
    DETECTOR.detect(text).map_or(true, |found| found == code)
}

/// The thirty languages of IFEval: code and English name.
const LANGUAGES: [(&str, &str); 30] = [
    ("ar", "Arabic"),
    ("bg", "Bulgarian"),
    ("bn", "Bengali"),
    ("de", "German"),
    ("en", "English"),
    ("es", "Spanish"),
    ("fa", "Persian"),
    ("fi", "Finnish"),
    ("fr", "French"),
    ("gu", "Gujarati"),
    ("he", "Hebrew"),
    ("hi", "Hindi"),
    ("it", "Italian"),
    ("ja", "Japanese"),
    ("kn", "Kannada"),
    ("ko", "Korean"),
    ("ml", "Malayalam"),
    ("mr", "Marathi"),
    ("ne", "Nepali"),
    ("pa", "Punjabi"),
    ("pl", "Polish"),
    ("pt", "Portuguese"),
    ("ru", "Russian"),
    ("sw", "Swahili"),
    ("ta", "Tamil"),
    ("te", "Telugu"),
    ("th", "Thai"),
    ("uk", "Ukrainian"),
    ("ur", "Urdu"),
    ("vi", "Vietnamese"),
];

/// Returns the code and the name of a language of IFEval.
pub(crate) fn find_language(code: &str) -> Option<(&'static str, &'static str)> {
    LANGUAGES.into_iter().find(|(of, _)| *of == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        assert!(is_in_language(
            "Der Fluss fließt langsam durch das grüne Tal.",
            "de"
        ));
        assert!(!is_in_language(
            "The river flows slowly through the green valley.",
            "de"
        ));
        assert!(
            is_in_language("12345 !!", "de"),
            "nothing to tell by counts as followed"
        );
    }
}
