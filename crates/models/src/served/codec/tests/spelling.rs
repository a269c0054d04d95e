//! However a server spells its tokens, those of the text are found, and no others.

use super::scoring::{prompt, scored_apart};
use crate::served::codec::Scoring;
use evenhand_core::Likelihood;
use proptest::collection::vec;
use proptest::prelude::*;

fn scored(text: &str, apart: &[[usize; 2]], tokens: &[(&str, f64)]) -> Result<Likelihood, String> {
    scored_apart(Scoring::PromptLogprobs, text, apart, &prompt(tokens))
}

/// As vLLM 0.32 spelt this text with SmolLM2's tokens: nothing until a character is whole, and
/// U+FFFD as nothing at all.
#[test]
fn parts_of_characters_may_be_spelt_as_nothing() {
    let text = "An apple 😀 déjà 漢字 \u{fffd} end\n";
    let before = [
        ("ass", -0.0),
        ("istant", -0.0),
        ("\n", -0.0),
        ("An", -6.25),
        (" apple", -6.0),
    ];
    let parts = [
        ("", -8.0),
        (" 😀", -3.75),
        (" dé", -19.75),
        ("j", -1.5),
        ("à", -0.125),
        ("", -17.25),
        ("", -4.75),
        (" 漢", -2.25),
    ];
    let end = [
        ("字", -7.0),
        (" ", -5.0),
        ("", -8.5),
        (" end", -11.5),
        ("\n", -4.25),
    ];
    let tokens = [&before[..], &parts, &end].concat();
    let found = |apart: &[[usize; 2]]| scored(text, apart, &tokens).unwrap();
    assert_eq!(
        found(&[]),
        Likelihood {
            logprob: -105.875,
            tokens: 15,
            apart: 0.0
        }
    );
    let place = |word: &str| {
        [
            text.find(word).unwrap(),
            text.find(word).unwrap() + word.len(),
        ]
    };
    assert_eq!(found(&[place("😀")]).apart, -11.75);
    assert_eq!(found(&[place("apple"), place("漢")]).apart, -30.25);
    let first = [("\n", -0.5), ("", -8.0), ("😀", -3.75)];
    assert_eq!(
        scored("😀", &[[0, 4]], &first),
        Ok(Likelihood {
            logprob: -11.75,
            tokens: 2,
            apart: -11.75
        })
    );
}

/// Qwen's tokenizers compose first: "e" and an accent are one character then, Hangul's letters a
/// syllable.
#[test]
fn a_tokenizer_may_compose_the_text() {
    let text = "cafe\u{301} \u{1112}\u{1161}\u{11ab} o\u{302}\u{323}k";
    let tokens = [
        ("\n", -9.0),
        ("ca", -1.0),
        ("f\u{e9}", -2.0),
        (" \u{d55c}", -4.0),
        (" \u{1ed9}", -8.0),
        ("k", -16.0),
    ];
    let found = |apart: &[[usize; 2]]| scored(text, apart, &tokens).unwrap();
    assert_eq!(
        found(&[]),
        Likelihood {
            logprob: -31.0,
            tokens: 5,
            apart: 0.0
        }
    );
    let place = |part: &str| {
        [
            text.find(part).unwrap(),
            text.find(part).unwrap() + part.len(),
        ]
    };
    for (part, expected) in [
        ("cafe", -3.0),
        ("cafe\u{301}", -3.0),
        ("\u{1161}\u{11ab}", 0.0),
        ("\u{1112}\u{1161}", -4.0),
        ("k", -16.0),
    ] {
        assert_eq!(found(&[place(part)]).apart, expected, "{part:?}");
    }
    assert!(scored("cafe\u{300}", &[], &tokens).is_err());
}

/// Chat templates such as Llama 3's trim a turn; the white space is in no token.
#[test]
fn a_template_may_trim_the_text() {
    let tokens = [
        ("assistant", -9.0),
        ("\n", -0.5),
        ("A", -1.0),
        (" b", -2.0),
        (".", -0.5),
    ];
    for text in ["A b.\n", "  A b. ", "\tA b.\n\n"] {
        let at = text.find('b').unwrap();
        assert_eq!(
            scored(text, &[[at, at + 1]], &tokens),
            Ok(Likelihood {
                logprob: -3.5,
                tokens: 3,
                apart: -2.0
            }),
            "{text:?}"
        );
    }
    assert!(
        scored(" \n ", &[], &[("assistant", -9.0)])
            .unwrap_err()
            .contains("do not end with the text")
    );
    assert!(scored("A b. c", &[], &tokens).is_err() && scored("A b.c ", &[], &tokens).is_err());
}

/// How a server spells its tokens, and its template the text.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// Each token by itself, U+FFFD where its bytes are no character.
    Lossy,
    /// Nothing until the last character is whole, then all that was held back.
    HeldBack,
    /// Each token by itself, without the space that it begins with.
    Spaceless,
    /// In full, of a text that the template trims.
    Trimmed,
}

fn manners() -> impl Strategy<Value = Manner> {
    prop_oneof![
        Just(Manner::Lossy),
        Just(Manner::HeldBack),
        Just(Manner::Spaceless),
        Just(Manner::Trimmed)
    ]
}

fn texts() -> impl Strategy<Value = String> {
    let characters = prop::sample::select(vec!['a', 'b', ' ', '\n', 'é', '漢', '😀', '\u{fffd}']);
    vec(characters, 1..12)
        .prop_map(String::from_iter)
        .prop_filter("not only what may be lost", |text| {
            text.contains(['a', 'b', '漢'])
        })
}

/// Whether no character of several bytes stands there twice, so that the same one spelt in parts
/// and whole cannot be confused.
fn none_twice(text: &str) -> bool {
    ['é', '漢', '😀', '\u{fffd}']
        .iter()
        .all(|character| text.matches(*character).count() < 2)
}

/// The bytes of a text, cut where the numbers say.
fn cut(text: &str, cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut cuts: Vec<usize> = cuts
        .iter()
        .map(|cut| cut % (text.len() + 1))
        .chain([0, text.len()])
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2)
        .map(|ends| text.as_bytes()[ends[0]..ends[1]].to_vec())
        .collect()
}

fn spelt(manner: Manner, tokens: &[Vec<u8>]) -> Vec<String> {
    let mut held = Vec::new();
    let one = |token: &Vec<u8>| match manner {
        Manner::HeldBack => {
            held.extend_from_slice(token);
            std::str::from_utf8(&held)
                .map(str::to_owned)
                .inspect(|_| held.clear())
                .unwrap_or_default()
        }
        Manner::Spaceless => {
            String::from_utf8_lossy(token.strip_prefix(b" ").unwrap_or(token)).into_owned()
        }
        _ => String::from_utf8_lossy(token).into_owned(),
    };
    tokens.iter().map(one).collect()
}

proptest! {
    #[test]
    fn all_tokens_of_a_text_are_found_however_they_are_spelt(text in texts(), cuts in vec(0usize..64, 0..8), manner in manners()) {
        prop_assume!(matches!(manner, Manner::HeldBack) || none_twice(&text));
        let sent = if matches!(manner, Manner::Trimmed) { text.trim() } else { &text };
        let spelt = spelt(manner, &cut(sent, &cuts));
        let logprobs: Vec<f64> = (1..=spelt.len()).map(|place| -(place as f64)).collect();
        let tokens = spelt.iter().map(String::as_str).zip(logprobs.iter().copied());
        let tokens: Vec<_> = [("<", -100.0), (">", -100.0)].into_iter().chain(tokens).collect();
        let logprob: f64 = logprobs.iter().sum();
        let count = u32::try_from(spelt.len()).unwrap();
        let expected = |apart: f64| Ok(Likelihood { logprob, tokens: count, apart });
        prop_assert_eq!(scored(&text, &[], &tokens), expected(0.0));
        prop_assert_eq!(scored(&text, &[[0, text.len()]], &tokens), expected(logprob));
    }

    #[test]
    fn another_text_is_not_found(text in texts(), cuts in vec(0usize..64, 0..8)) {
        let spelt = spelt(Manner::HeldBack, &cut(&text, &cuts));
        let tokens: Vec<_> = [(">", -1.0)].into_iter().chain(spelt.iter().map(|token| (token.as_str(), -1.0))).collect();
        for other in [format!("{text}c"), format!("c{text}"), text.replace('a', "c"), text.replace('b', "cb")] {
            prop_assert!(other == text || scored(&other, &[], &tokens).is_err(), "{:?}", other);
        }
    }
}
