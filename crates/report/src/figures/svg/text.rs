//! Words in a drawing: hidden marks made visible, cut and broken to the room there is.

use crate::printable;
use std::collections::BTreeMap;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Width of a column as a share of the letters' height.
const COLUMN: f64 = 0.6;

/// Characters that are looked at of any text.
const LONGEST: usize = 600;

/// Characters of one letter with its accents; more of them would pile up over the figure.
const ACCENTED: usize = 6;

/// Returns the text with its hidden marks visible, and no more of it than anyone reads.
pub(super) fn tame(text: &str) -> String {
    let begin: String = text.chars().take(LONGEST).collect();
    let shown = printable(&begin);
    let letters = shown.graphemes(true);
    let mut tamed: String = letters
        .flat_map(|letter| letter.chars().take(ACCENTED))
        .collect();
    if begin.len() < text.len() {
        tamed.push('…');
    }
    tamed
}

/// Returns about how wide a text is in letters of this size.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    text.width() as f64 * COLUMN * size
}

/// Returns a text that fits, cut with an ellipsis where it has to be.
pub(super) fn fit(text: &str, room: f64, size: f64) -> String {
    let tamed = tame(text);
    if width_of(&tamed, size) <= room {
        return tamed;
    }
    let mut kept = String::new();
    for letter in tamed.graphemes(true) {
        if width_of(&kept, size) + width_of(letter, size) + width_of("…", size) > room {
            break;
        }
        kept.push_str(letter);
    }
    kept.trim_end().to_owned() + "…"
}

/// Returns the labels of a figure, each cut only as far as labels that differ stay different: at
/// its end, else in its middle, so that what they differ in is seen, else with a number behind it.
/// Labels of a figure are cut here, or in
/// lines by [`wrap_all`], and nowhere else.
pub(super) fn fit_all(labels: &[&str], room: f64, size: f64) -> Vec<String> {
    let mut shown: Vec<String> = labels.iter().map(|label| fit(label, room, size)).collect();
    for alike in look_alikes(labels, &shown) {
        let alike_labels: Vec<&str> = alike.iter().map(|at| labels[*at]).collect();
        let same = start_of_difference(&alike_labels);
        for at in alike {
            shown[at] = fit_around(labels[at], same, room, size);
        }
    }
    // Each round numbers a label more, and numbers of different labels differ.
    loop {
        let alike = look_alikes(labels, &shown);
        if alike.is_empty() {
            return shown;
        }
        for at in alike.into_iter().flatten() {
            let number = number_behind(labels, at);
            shown[at] = fit(labels[at], room - width_of(&number, size), size) + &number;
        }
    }
}

/// Returns the labels of a figure in lines that fit, each at most so many; those that differ stay
/// different, with a number behind them where they have to be.
pub(super) fn wrap_all(labels: &[&str], room: f64, size: f64, most: usize) -> Vec<Vec<String>> {
    let wrapped = labels.iter().map(|label| wrap(label, room, size, most));
    let mut shown: Vec<Vec<String>> = wrapped.collect();
    loop {
        let whole: Vec<String> = shown.iter().map(|lines| lines.join(" ")).collect();
        let alike = look_alikes(labels, &whole);
        if alike.is_empty() {
            return shown;
        }
        for at in alike.into_iter().flatten() {
            let number = number_behind(labels, at);
            let mut lines = wrap(labels[at], room, size, most);
            let last = lines.pop().unwrap_or_default();
            lines.push(fit(&last, room - width_of(&number, size), size) + &number);
            shown[at] = lines;
        }
    }
}

/// Returns the number of a label, to stand behind it: labels that are the same have one.
fn number_behind(labels: &[&str], at: usize) -> String {
    let first = labels.iter().position(|label| *label == labels[at]);
    format!(" ({})", first.unwrap_or(at) + 1)
}

/// Returns the places of labels that differ and are shown alike, those that are shown as one
/// together.
fn look_alikes(labels: &[&str], shown: &[String]) -> Vec<Vec<usize>> {
    let mut by_shown: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, shown) in shown.iter().enumerate() {
        by_shown.entry(shown).or_default().push(at);
    }
    let is_several = |places: &Vec<usize>| {
        let first = labels[places[0]];
        places.iter().any(|at| labels[*at] != first)
    };
    by_shown.into_values().filter(is_several).collect()
}

/// Returns how many letters all of these labels begin with, as far as the last word that all of
/// them have whole.
fn start_of_difference(labels: &[&str]) -> usize {
    let [first, others @ ..] = labels else {
        return 0;
    };
    let same_as_first = |other: &str| {
        let pairs = first.graphemes(true).zip(other.graphemes(true));
        pairs.take_while(|(a, b)| a == b).count()
    };
    let same = others.iter().map(|other| same_as_first(other)).min();
    let begin: Vec<&str> = first.graphemes(true).take(same.unwrap_or(0)).collect();
    let is_end_of_word = |letter: &&str| !letter.chars().all(char::is_alphanumeric);
    let end = begin.iter().rposition(is_end_of_word);
    end.map_or(begin.len(), |end| end + 1)
}

/// Returns a label that fits, cut in its middle: its beginning, and what stands behind so many of
/// its letters.
fn fit_around(label: &str, letters: usize, room: f64, size: f64) -> String {
    let behind: String = label.graphemes(true).skip(letters).collect();
    let end = fit(&behind, 0.75 * room, size);
    fit(label, room - width_of(&end, size), size) + &end
}

/// Returns a text in lines that fit, at most so many; the last is cut where there is more. A word
/// that is wider than a line goes on in the next, and a number stays with its `%`.
pub(super) fn wrap(text: &str, room: f64, size: f64, most: usize) -> Vec<String> {
    let tamed = tame(text).replace(" %", "\u{a0}%");
    let parts = tamed.split(' ').flat_map(|word| {
        let parts = parts_of(word, room, size).into_iter().enumerate();
        // Between the parts of a word there is no space.
        parts.map(|(at, part)| (if at == 0 { " " } else { "" }, part))
    });
    let mut lines: Vec<String> = Vec::new();
    let mut line: Option<String> = None;
    for (space, part) in parts {
        // The last line takes all words that are left, and is cut.
        let is_last = lines.len() + 1 >= most;
        let longer = line.as_ref().map(|line| format!("{line}{space}{part}"));
        line = match (line, longer) {
            (Some(full), Some(longer)) if !is_last && width_of(&longer, size) > room => {
                lines.push(full);
                Some(part.into())
            }
            (_, longer) => Some(longer.unwrap_or_else(|| part.into())),
        };
    }
    lines.extend(line);
    let fitted = lines.iter().map(|line| fit(line.trim(), room, size));
    let fitted = fitted.map(|line| line.replace('\u{a0}', " "));
    fitted.filter(|line| !line.is_empty()).collect()
}

/// Returns a word in parts that fit into a line, broken behind its marks where it has some.
fn parts_of(word: &str, room: f64, size: f64) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut mark) = (0, 0);
    for (at, letter) in word.grapheme_indices(true) {
        let end = at + letter.len();
        if width_of(&word[start..end], size) > room && at > start {
            let cut = if mark > start { mark } else { at };
            parts.push(&word[start..cut]);
            start = cut;
        }
        if matches!(letter, "," | ";" | ":" | "/" | "+" | "-" | "_") {
            mark = end;
        }
    }
    parts.push(&word[start..]);
    parts
}

/// Returns a text as it stands in XML.
pub(crate) fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // No document of XML may hold these two.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_broken_where_the_room_ends() {
        assert_eq!(fit("short", 100.0, 10.0), "short");
        assert_eq!(fit("much too long", 34.0, 10.0), "much…");
        assert_eq!(fit("你好你好你好", 34.0, 10.0), "你好…");
        let room = width_of("one two", 10.0);
        assert_eq!(wrap("one two three", room, 10.0, 3), ["one two", "three"]);
        assert_eq!(wrap("one 95 % of", room, 10.0, 3), ["one", "95 % of"]);
        assert_eq!(wrap("a,bc,def,g", room, 10.0, 3), ["a,bc,", "def,g"]);
        assert_eq!(wrap("abcdefghij", room, 10.0, 3), ["abcdefg", "hij"]);
        assert_eq!(wrap("abcdefghij", room, 10.0, 1), ["abcdef…"]);
        assert_eq!(wrap("one two three", room, 10.0, 1), ["one tw…"]);
        assert!(wrap("", room, 10.0, 2).is_empty());
    }

    #[test]
    fn labels_that_differ_are_never_cut_to_one() {
        let room = width_of("eighteen letters..", 10.0) + 0.1;
        let fit_all = |labels: &[&str]| super::fit_all(labels, room, 10.0);
        assert_eq!(fit_all(&["short", "one"]), ["short", "one"]);
        assert_eq!(
            fit_all(&["a name that is cut at its end", "another"]),
            ["a name that is cu…", "another"]
        );
        let settings = [
            "setting 2, llmbar_natural",
            "setting 2, llmbar_adversarial",
            "setting 1, arena_hard",
        ];
        assert_eq!(
            fit_all(&settings),
            [
                "setting 2,…natural",
                "settin…adversarial",
                "setting 1, arena_…"
            ]
        );
        // Those that are the same stay so.
        let long = "the same name of thirty letters";
        let fitted = fit_all(&[long, long]);
        assert!(fitted[0] == fitted[1] && fitted[0].ends_with('…'));
    }

    /// Labels of all kinds, in rooms of all sizes: what differs is shown differently, and nothing
    /// is wider than its room, but for a number where there is no room for one.
    #[test]
    fn labels_stay_different_in_any_room() {
        let words = [
            "pairwise",
            "-5point",
            ", against ",
            "gpt-4",
            "…",
            "你好",
            " (2)",
            "x",
        ];
        let mut seed = 1_u64;
        let mut draw = |below: usize| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for round in 0..2000 {
            let mut labels: Vec<String> = Vec::new();
            for _ in 0..1 + draw(12) {
                let words = (0..draw(9)).map(|_| words[draw(words.len())]);
                labels.push(words.collect());
            }
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let room = 8.0 + draw(200) as f64;
            let shown = fit_all(&labels, room, 10.0);
            let wrapped = wrap_all(&labels, room, 10.0, 1 + round % 4);
            for (a, label) in labels.iter().enumerate() {
                let widest = room.max(width_of("… (12)", 10.0)) + 1e-9;
                assert!(width_of(&shown[a], 10.0) <= widest, "{round}: {shown:?}");
                let fits = |line: &String| width_of(line, 10.0) <= widest;
                assert!(wrapped[a].iter().all(fits), "{round}: {wrapped:?}");
                assert!(wrapped[a].len() <= 1 + round % 4, "{round}: {wrapped:?}");
                for (b, other) in labels.iter().enumerate() {
                    assert_eq!(
                        shown[a] == shown[b],
                        label == other,
                        "{round}: {labels:?} {shown:?}"
                    );
                    assert_eq!(
                        wrapped[a] == wrapped[b],
                        label == other,
                        "{round}: {labels:?} {wrapped:?}"
                    );
                }
            }
        }
        // Beyond what is looked at of a text, too.
        let long = ["x".repeat(900) + "a", "x".repeat(900) + "b"];
        let shown = fit_all(&[&long[0], &long[1]], 50.0, 10.0);
        assert_ne!(shown[0], shown[1]);
    }

    #[test]
    fn hidden_marks_are_shown_and_piles_of_accents_are_not() {
        assert_eq!(tame("a\u{202e}b\n"), "a\\u{202e}b\\n");
        let pile = format!("e{}", "\u{301}".repeat(500));
        assert_eq!(tame(&pile).chars().count(), ACCENTED);
        assert_eq!(tame(&"x".repeat(10_000)).chars().count(), LONGEST + 1);
        assert_eq!(
            escape_xml("<a b=\"&\">\u{ffff}"),
            "&lt;a b=&quot;&amp;&quot;&gt;\u{fffd}"
        );
    }
}
