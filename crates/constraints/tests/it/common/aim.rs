//! Texts that follow a constraint or just miss it: the same as `aim` and `framed` of
//! record_ifeval.py.

use serde_json::Value;
use std::sync::LazyLock;

const CAPITALS: [&str; 16] = [
    "NASA", "U.S.", "DON'T", "I'm", "I", "CANNOT", "A-B", "HTML5", "IT’S", "word", "X,Y", "A:1",
    "É", "USA's", "(OK)", "Gimme",
];

static LANGUAGES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&super::case_file("languages.json")).unwrap());

fn cycled<'t>(parts: &[&'t str], n: isize) -> Vec<&'t str> {
    (0..usize::try_from(n).unwrap_or(0))
        .map(|i| parts[i % parts.len()])
        .collect()
}

fn words(items: &[&str], n: isize) -> String {
    cycled(items, n)
        .into_iter()
        .map(|item| format!("{item} "))
        .collect()
}

fn first(text: &str, n: usize) -> String {
    text.chars().take(n).collect()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

fn swapped(text: &str) -> String {
    let swap = |c: char| {
        if c.is_uppercase() {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        }
    };
    text.chars().map(swap).collect()
}

/// The text as it is, with lines before and after, or in asterisks.
pub(crate) fn framed(text: &str, v: usize) -> String {
    match v {
        0 => format!("Sure, here it is:\n\n{text}"),
        1 => format!("{text}\n\nIs that what you want?"),
        2 => format!("Yes, of course:\n{text}\nDone, as asked."),
        _ => format!("**{text}**"),
    }
}

/// The text turned so that it follows the constraint, or just misses it.
pub(crate) fn aim(id: &str, args: &Value, text: &str, v: usize) -> String {
    let name = id.split(':').nth(1).unwrap();
    let numbers = args
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| *name != "nth_paragraph");
    let n = numbers
        .filter_map(|(_, value)| value.as_i64())
        .next()
        .unwrap_or(0) as isize;
    let step = v as isize;
    match name {
        "capital_word_frequency" => format!(
            "{}\n\n{}",
            text.to_lowercase(),
            words(&CAPITALS, n - 2 + 2 * step)
        ),
        "nth_paragraph_first_word" => first_word(args, text, v, n + isize::from(v == 2)),
        "number_paragraphs" => paragraphs(text, v, n - isize::from(v == 3)),
        "number_sentences" => {
            cycled(&text.split(". ").collect::<Vec<_>>(), n - 2 + step).join(". ")
        }
        "number_words" => {
            cycled(&text.split(' ').collect::<Vec<_>>(), n - [40, 3, 0, 15][v]).join(" ")
        }
        "number_bullet_lists" => {
            let line = ["* a\n", "- b\n", "\n  * *c*\n", "** d\n"][v];
            format!(
                "{}\n{}",
                text.replace(['*', '-'], ""),
                line.repeat(n as usize)
            )
        }
        "number_highlighted_sections" => highlights(text, v, n),
        "number_placeholders" => {
            format!(
                "{text}\n\n{}",
                words(
                    &["[name]", "[the\nplace]", "[]", "[a] [b]"][v..=v],
                    n - isize::from(v == 0)
                )
            )
        }
        "multiple_sections" => sections(
            args["section_spliter"].as_str().unwrap(),
            text,
            v,
            n - 1 + step,
        ),
        "frequency" => frequency(args["keyword"].as_str().unwrap(), text, n - 1 + step % 3),
        "letter_frequency" => letters(args["letter"].as_str().unwrap(), text, n - 1 + step % 3),
        _ => plain(name, args, text, v),
    }
}

fn plain(name: &str, args: &Value, text: &str, v: usize) -> String {
    let lower = text.to_lowercase();
    match (name, v) {
        ("english_capital", 0) => text.to_uppercase(),
        ("english_capital", 1) => first(&text.to_uppercase(), 60),
        ("english_capital", 2) => format!("{} a", text.to_uppercase()),
        ("english_capital", _) => format!("{} É. 12", first(text, 200).to_uppercase()),
        ("english_lowercase", 0) => lower,
        ("english_lowercase", 1) => first(&lower, 40),
        ("english_lowercase", 2) => format!("{lower} A"),
        ("english_lowercase", _) => format!("ß {}", first(&lower, 150)),
        ("two_responses", 0) => format!("{text}\n******\n{text} Yes."),
        ("two_responses", 1) => format!("{text}\n******\n{text}\n"),
        ("two_responses", 2) => format!("******{text}******Yes.******No."),
        ("two_responses", _) => format!("******\n{text}******No."),
        ("postscript", v) => format!(
            "{text}{}",
            [
                "\n\nP.S. Yes",
                "\n\nP.P.S Yes",
                " p. s. yes",
                "\n\nP. p. s yes"
            ][v]
        ),
        ("title", 0) => format!("<<{}>>\n\n{text}", first(text, 20)),
        ("title", v) => format!(
            "{}{text}",
            ["", "<< >>\n", "<title>\n", "**<<<A title>>**\n"][v]
        ),
        ("constrained_response", 1) => format!("{text} My answer is maybe."),
        ("constrained_response", v) => [
            "My answer is yes.",
            "",
            "my answer is no.",
            "My answer is **no**.",
        ][v]
            .to_owned(),
        ("quotation", 0) => format!("\"{text}\""),
        ("quotation", 1) => format!("\"{}\"\n", first(text, 30)),
        ("quotation", 2) => format!("\"{text}"),
        ("quotation", _) => format!("**\"{text}\"**"),
        ("no_comma", v) => format!(
            "{}{}",
            text.replace(',', ""),
            ["", "，", "\nSo, yes.", ","][v]
        ),
        ("json_format", v) => json(text, v),
        _ => worded(name, args, text, v),
    }
}

fn worded(name: &str, args: &Value, text: &str, v: usize) -> String {
    let list = |name: &str| {
        args[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect::<Vec<_>>()
    };
    match name {
        "repeat_prompt" => repeated(args["prompt_to_repeat"].as_str().unwrap(), text, v),
        "existence" => {
            let k = list("keywords");
            let made = [
                k.join(" "),
                k.join("x").to_uppercase(),
                k[1..].join(" "),
                format!("{}.", k.join(", ")),
            ];
            format!("{text}\n\n{}", made[v])
        }
        "forbidden_words" => {
            let word = list("forbidden_words")[0];
            let made = [
                format!("{}.", word.to_uppercase()),
                format!("{word}s"),
                format!("_{word}"),
                format!("a-{word}é"),
            ];
            format!("{text}\n\n{}", made[v])
        }
        "response_language" => {
            let (own, other) = (
                LANGUAGES[args["language"].as_str().unwrap()]
                    .as_str()
                    .unwrap(),
                ["en", "hi", "ru", "es"][v],
            );
            let other = LANGUAGES[other].as_str().unwrap();
            match v {
                0 => own.to_owned(),
                1 => format!("{own}\n{}", first(text, 60)),
                2 => format!("{own}\n{other}"),
                _ => format!("{own} {} {}", own.to_uppercase(), first(text, 20)),
            }
        }
        "end_checker" => ended(args["end_phrase"].as_str().unwrap(), text, v),
        other => unreachable!("{other}"),
    }
}

fn ended(phrase: &str, text: &str, v: usize) -> String {
    match v {
        0 => format!("{text}\n{phrase}"),
        1 => format!("\"{text} {}\"", phrase.to_uppercase()),
        2 => format!("{text} {phrase}!"),
        _ => format!("{text} {phrase}\n\nYes."),
    }
}

fn repeated(prompt: &str, text: &str, v: usize) -> String {
    match v {
        0 => format!("{prompt}\n\n{text}"),
        1 => format!("  {}{text}", prompt.to_uppercase()),
        2 => format!("{}{text}", first(prompt, prompt.chars().count() - 1)),
        _ => format!("Sure. {prompt}\n\n{text}"),
    }
}

fn json(text: &str, v: usize) -> String {
    let inner = format!("{{\"a\": \"{}\"}}", escaped(text));
    match v {
        0 => inner,
        1 => format!("```json\n{inner}\n```"),
        2 => format!("```\n[1, NaN, {inner}]\n```"),
        _ => inner[..inner.len() - 1].to_owned(),
    }
}

fn sections(mark: &str, text: &str, v: usize, n: isize) -> String {
    let mark = if v < 3 {
        mark.to_owned()
    } else {
        swapped(mark)
    };
    let parts = cycled(&text.split('\n').collect::<Vec<_>>(), n);
    (1..)
        .zip(parts)
        .map(|(i, part)| format!("{mark} {i}\n{part}\n\n"))
        .collect()
}

fn highlights(text: &str, v: usize, n: isize) -> String {
    let kinds: [&[&str]; 4] = [
        &["*word*"],
        &["**two words**"],
        &["* *", "*a*"],
        &["***b***"],
    ];
    format!(
        "{}\n{}",
        text.replace('*', ""),
        words(kinds[v], [n, (n + 1) / 2, n, n / 2][v])
    )
}

fn frequency(keyword: &str, text: &str, n: isize) -> String {
    format!(
        "{}\n\n{}",
        text.replace(keyword, ""),
        words(&[&format!("{keyword}."), &keyword.to_uppercase()], n)
    )
}

fn letters(letter: &str, text: &str, n: isize) -> String {
    let upper = letter.to_uppercase();
    format!(
        "{} {}",
        text.replace(letter, "").replace(&upper, ""),
        cycled(&[letter, &upper], n).concat()
    )
}

fn first_word(args: &Value, text: &str, v: usize, n: isize) -> String {
    let full: Vec<&str> = text
        .split("\n\n")
        .filter(|part| !part.trim().is_empty())
        .collect();
    let mut parts: Vec<String> = cycled(if full.is_empty() { &["a"] } else { &full }, n)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let (nth, word) = (
        args["nth_paragraph"].as_u64().unwrap() as usize - 1,
        args["first_word"].as_str().unwrap(),
    );
    let start = [
        format!("{word} "),
        format!("\"{}, ", word.to_uppercase()),
        format!("{word} "),
        format!("{word}'s "),
    ];
    parts[nth].insert_str(0, &start[v]);
    parts.join("\n\n")
}

fn paragraphs(text: &str, v: usize, n: isize) -> String {
    let bare = text.replace("***", "");
    cycled(&bare.split("\n\n").collect::<Vec<_>>(), n)
        .join(["\n***\n", "\n\n***\n\n", " *** ", "***"][v])
}
