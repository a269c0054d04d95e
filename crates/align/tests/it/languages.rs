//! Scripts without spaces between words, sentences in small letters, and ten languages.
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and these tests read files"
)]

use crate::common::{Twin, found};
use evenhand_align::{Segmentation, align_by_length, align_by_tokens, find_cuts};
use std::path::{Path, PathBuf};

fn pieces(text: &str) -> Vec<&str> {
    let cuts = find_cuts(text, Segmentation::Full);
    let ends = cuts.places().iter().map(|cut| cut.byte).chain([text.len()]);
    let mut start = 0;
    ends.map(|end| &text[std::mem::replace(&mut start, end)..end])
        .collect()
}

#[test]
fn sentences_end_where_their_script_ends_them() {
    for expected in [
        // A quotation goes on with its particle.
        &["「はい。」と言った。", "そして帰った。"][..],
        &["彼は「もう遅い。」、そう思った。"],
        &["我喜欢北京。", "你呢？", "我也喜欢！"],
        // Thai has a space between clauses, and spaces before its signs and figures end none.
        &["แมวนอนหลับ ", "สุนัขเห่ารถ"],
        &["ทุกคนมีสิทธิต่าง ๆ ตามกฎหมาย"],
        &["ราคา ๑๐ บาท"],
        &["ລາຄາແພງ ", "ບໍ່ດີ"],
        // A writer without capital letters.
        &["ok. ", "then we go. ", "bye."],
        &["use apples, pears, etc. and cut them."],
        &["i mean e.g. this one, approx. five of them."],
        &["wait... and then go."],
        // Where sentences begin in capital letters, a small one goes on.
        &["The firm Smith Co. of London sells it. ", "It is old."],
    ] {
        assert_eq!(pieces(&expected.concat()), expected);
    }
}

/// Pairs that say the same in another order: [text, other text].
const PAIRS: [[&str; 2]; 4] = [
    [
        "北京是中国的首都。猫喜欢睡觉。苹果是红色的水果。明天会下雨，带上雨伞。他每天早上跑步。",
        "猫整天睡觉。中国的首都是北京。红色的苹果很好吃。早上他跑步。出门带雨伞，因为明天下雨。",
    ],
    [
        "東京は日本の首都です。猫はよく眠ります。「雨が降る。」と彼は言いました。傘を持って行きましょう。",
        "猫は一日中眠ります。日本の首都は東京です。彼は雨が降ると言いました。だから傘を持ちます。",
    ],
    [
        "กรุงเทพเป็นเมืองหลวงของประเทศไทย แมวชอบนอนหลับ พรุ่งนี้ฝนจะตก เขาวิ่งทุกเช้า",
        "เมืองหลวงของประเทศไทยคือกรุงเทพ แมวนอนหลับทั้งวัน เขาวิ่งตอนเช้า ฝนจะตกพรุ่งนี้",
    ],
    [
        "北京 is the capital. 猫喜欢睡觉。ฝนตก พรุ่งนี้ The end.",
        "猫 sleeps. The capital is 北京。The end of ฝน พรุ่งนี้",
    ],
];

#[test]
fn scripts_without_spaces_are_aligned_as_the_twin_aligns_them() {
    for [a, b] in PAIRS {
        let cuts = [a, b].map(|text| find_cuts(text, Segmentation::Full));
        for k in 2..=4 {
            let (score, ..) = Twin::of_words((a, &cuts[0]), (b, &cuts[1]))
                .best(k)
                .unwrap();
            let aligned = found(a, b, Segmentation::Full, k).unwrap();
            assert_eq!(aligned.score.to_bits(), score.to_bits(), "k = {k}: {a}");
        }
    }
}

/// Without words a clause would be one token, and sentences that say the same would share their
/// full stop alone.
#[test]
fn sentences_that_share_words_are_alike() {
    let score = |a: &str, b: &str| {
        let pair = [format!("{a}。完。"), format!("{b}。完。")];
        found(&pair[0], &pair[1], Segmentation::Full, 2)
            .unwrap()
            .score
    };
    let (alike, other) = (
        score("中国的首都是北京", "北京是中国的首都"),
        score("中国的首都是北京", "猫整天喜欢睡觉"),
    );
    assert!(alike > 1.9 && other < 1.4, "{alike} and {other}");
}

/// English, German, French, Spanish, Russian, Arabic, Chinese, Japanese, Thai, Hindi.
const LANGUAGES: [&str; 10] = [
    "eng", "deu_1996", "fra", "spa", "rus", "arb", "cmn_hans", "jpn", "tha", "hin",
];

/// Runs with EVENHAND_DECLARATIONS, a folder of the Universal Declaration of Human Rights as HTML
/// (`make test-slow` fetches it): 1,000 real texts keep their content and its order.
#[test]
fn real_texts_of_ten_languages_keep_content_and_order() {
    let Some(folder) = std::env::var_os("EVENHAND_DECLARATIONS").map(PathBuf::from) else {
        println!("skipped: EVENHAND_DECLARATIONS names no folder; make test-slow sets it");
        return;
    };
    let mut count = 0;
    for language in LANGUAGES {
        let texts = texts_of(&folder, language);
        assert!(texts.len() >= 100, "{language}: {} texts", texts.len());
        let split = texts.iter().filter(|text| pieces(text).len() > 1).count();
        println!(
            "{language}: {} texts, {split} of them with a place to cut",
            texts.len()
        );
        assert!(split * 10 > texts.len() * 9, "{language}");
        texts
            .windows(2)
            .for_each(|pair| check_pair(&pair[0], &pair[1]));
        count += texts.len();
    }
    println!("{count} texts");
    assert!(count >= 1000);
}

/// Returns texts of two or three neighbouring paragraphs each.
fn texts_of(folder: &Path, language: &str) -> Vec<String> {
    let html = std::fs::read_to_string(folder.join(format!("{language}.html"))).unwrap();
    let blocks: Vec<&str> = html
        .split(['<', '>'])
        .filter(|part| part.chars().count() > 20 && !part.contains("html lang"))
        .map(str::trim)
        .filter(|part| part.chars().count() > 20)
        .collect();
    let texts = blocks.windows(2).chain(blocks.windows(3));
    texts.map(|some| some.join("\n\n") + "\n").collect()
}

fn check_pair(a: &str, b: &str) {
    let cuts = [a, b].map(|text| find_cuts(text, Segmentation::Full));
    assert_eq!(pieces(a).concat(), a);
    for k in 2..=3 {
        let by_length = align_by_length(&cuts[0], &cuts[1], k);
        let by_tokens = align_by_tokens((a, &cuts[0]), (b, &cuts[1]), k);
        for alignment in by_length
            .into_iter()
            .chain(by_tokens.map(|found| found.alignment))
        {
            let (of_a, of_b): (Vec<&str>, Vec<&str>) = alignment.segments(a, b).into_iter().unzip();
            assert_eq!((of_a.concat(), of_b.concat()), (a.to_owned(), b.to_owned()));
            assert!(of_a.iter().chain(&of_b).all(|segment| !segment.is_empty()));
        }
    }
}
