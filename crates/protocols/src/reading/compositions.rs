//! Replies that are composed of parts, each of a known sign, against the slow obvious reading: in a
//! sentence signs multiply, sentences that contradict one another state nothing. Whatever is
//! composed, it is never read for the other response.

use super::tests_of_text::{self, read_as};
use crate::extraction::{Stated, extract};

/// A part: its words, and what it does to the sign of what stands behind it. `X` is a response, `Y`
/// the other one.
type Part = (&'static str, Sign);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    Plus,
    Minus,
    /// It leaves nothing stated.
    Void,
}

use Sign::{Minus, Plus, Void};

impl Sign {
    fn times(self, other: Sign) -> Sign {
        match (self, other) {
            (Void, _) | (_, Void) => Void,
            _ if self == other => Plus,
            _ => Minus,
        }
    }
}

/// Who says it, and how surely.
const FRAMES: [Part; 24] = [
    ("", Plus),
    ("", Plus),
    ("Overall, ", Plus),
    ("I think ", Plus),
    ("Therefore, ", Plus),
    ("There is no doubt that ", Plus),
    ("In my opinion, ", Plus),
    ("Both are good, but ", Plus),
    ("It is clear that ", Plus),
    ("No one but fools say ", Void),
    ("Only a fool would say ", Void),
    ("Some people think ", Void),
    ("It is false that ", Void),
    ("It is not true that ", Void),
    ("I doubt that ", Void),
    ("I doubt it but ", Void),
    ("I refuse to say that ", Void),
    ("As Y puts it, ", Void),
    ("Y wants me to say ", Void),
    ("I was told to write: ", Void),
    ("In terms of style, ", Void),
    ("Suppose that ", Void),
    ("I cannot say that ", Void),
    ("If brevity counted, ", Void),
];

/// What is said of a response.
const PREDICATES: [Part; 14] = [
    ("X is better", Plus),
    ("X is the better response", Plus),
    ("X wins", Plus),
    ("X is clearly better than Y", Plus),
    ("Y is worse", Plus),
    ("Y is less helpful than X", Plus),
    ("Y loses to X", Plus),
    ("X is worse", Minus),
    ("X is not better", Minus),
    ("X is less accurate than Y", Minus),
    ("X loses", Minus),
    ("X is wrong", Minus),
    ("X is longer", Void),
    ("X is better in style", Void),
];

/// What leads to a mark.
const LABELS: [Part; 26] = [
    ("", Plus),
    ("Verdict: ", Plus),
    ("My final verdict is ", Plus),
    ("The better one is ", Plus),
    ("The winner is ", Plus),
    ("Most helpful: ", Plus),
    ("The more accurate response is ", Plus),
    ("I choose ", Plus),
    ("The less wrong one is ", Plus),
    ("Least bad: ", Plus),
    ("Least helpful: ", Minus),
    ("The less accurate one is ", Minus),
    ("The worse response is ", Minus),
    ("The loser is ", Minus),
    ("Rejected: ", Minus),
    ("Reject ", Minus),
    ("I would never choose ", Minus),
    ("Not the best: ", Minus),
    ("Second place: ", Minus),
    ("More errors: ", Minus),
    ("Anything but ", Minus),
    ("The opposite of my choice is ", Minus),
    ("As asked by the second response: ", Void),
    ("Longer: ", Void),
    ("Style: ", Void),
    ("The longer one is ", Void),
];

/// What stands behind.
const TAILS: [Part; 10] = [
    (".", Plus),
    (".", Plus),
    (".", Plus),
    ("", Plus),
    (", without a doubt.", Plus),
    ("?", Void),
    (", said no one ever.", Void),
    (". Not!", Void),
    (". Just kidding.", Void),
    (", or so it claims.", Void),
];

/// How each reader names a response and writes its mark.
const READERS: [(&str, [&str; 2], [&str; 2]); 4] = [
    ("pairwise/cot", ["A", "B"], ["Answer A", "Answer B"]),
    (
        "output-letter",
        ["Output (a)", "Output (b)"],
        ["Output (a)", "Output (b)"],
    ),
    (
        "bracketed-letter",
        ["Assistant A", "Assistant B"],
        ["[[A]]", "[[B]]"],
    ),
    (
        "bracketed-strength",
        ["Assistant A", "Assistant B"],
        ["[[A>B]]", "[[B>A]]"],
    ),
];

/// Reads a reply: whether for the first response.
fn read(reader: &str, text: &str) -> Option<bool> {
    if reader.contains('/') {
        return match read_as(reader, text)? {
            tests_of_text::Stated::Slot(slot) => Some(slot == 0),
            _ => None,
        };
    }
    match extract(reader.parse().unwrap(), text).ok()?.preferred()? {
        Stated::First => Some(true),
        Stated::Second => Some(false),
        _ => None,
    }
}

/// Draws parts, the same ones in every run.
struct Draw(u64);

impl Draw {
    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        all[(self.0 >> 33) as usize % all.len()]
    }

    /// A sentence on a response, and its sign.
    fn sentence(&mut self, reader: usize, slot: usize) -> (String, Sign) {
        let (_, names, marks) = READERS[reader];
        let (frame, voice) = self.of(&FRAMES);
        let marked = self.of(&[true, false]);
        let ((said, sign), (tail, end)) = match marked || reader > 1 {
            true => (self.of(&LABELS), self.of(&TAILS)),
            false => (self.of(&PREDICATES), self.of(&TAILS)),
        };
        let mark = if marked || reader > 1 {
            marks[slot]
        } else {
            ""
        };
        let text = format!("{frame}{said}{mark}{tail}");
        let text = text.replace('X', names[slot]).replace('Y', names[1 - slot]);
        (text, voice.times(sign).times(end))
    }
}

#[test]
fn no_composition_is_read_for_the_other_response() {
    let mut draw = Draw(10);
    let (mut plain, mut read_plain) = (0, 0);
    for at in 0..6_000 {
        let (reader, slot) = (at % 4, at / 4 % 2);
        let (mut text, mut sign) = draw.sentence(reader, slot);
        let mut is_plain = sign == Plus;
        // Of two sentences in a line either may state the verdict; two verdicts that differ are none.
        if draw.of(&[true, false, false]) {
            let other = draw.of(&[slot, 1 - slot]);
            let (next, second) = draw.sentence(reader, other);
            text = format!("{text} {next}");
            is_plain &= second == Plus && other == slot;
            sign = match (sign, second) {
                // A "but" between them takes the first back.
                (Plus, Plus) if other != slot && next.contains("but ") => Minus,
                // A notation that looks for `Output (a) is better` alone sees no other contradiction.
                (Plus, Plus) if other != slot && reader != 1 => Void,
                (one, Void) => one,
                (Void, one) if other == slot => one,
                (one, _) if one == second && other == slot => one,
                _ => continue,
            };
        }
        let stated = read(READERS[reader].0, &text);
        let stated = stated.map(|first| if first == (slot == 0) { Plus } else { Minus });
        let is_right = stated.is_none() || stated == Some(sign);
        assert!(
            is_right,
            "{}: {text:?} is read as {stated:?}",
            READERS[reader].0
        );
        plain += usize::from(is_plain);
        read_plain += usize::from(is_plain && stated.is_some());
    }
    assert!(
        read_plain * 4 > plain * 3,
        "{read_plain} of {plain} plain ones are read"
    );
}
