//! The style of a text in counts: how long it is, and how much of it is headings, lists and bold.

use pulldown_cmark::{Event, Parser, Tag};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// How long a text is and what Markdown it uses; the covariates of style control (Li, Angelopoulos
/// and Chiang 2024).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Length in tokens, see [`count_tokens`]; code blocks count.
    pub tokens: usize,
    /// Length in Unicode code points; code blocks count.
    pub characters: usize,
    /// Headings of level 1 to 6.
    pub headings: [usize; 6],
    /// Items of numbered lists.
    pub ordered: usize,
    /// Items of bulleted lists.
    pub unordered: usize,
    /// Bold spans.
    pub bold: usize,
}

impl Style {
    /// Returns the number of headings of any level.
    pub fn headings_of_any_level(&self) -> usize {
        self.headings.iter().sum()
    }

    /// Returns the number of items of any list.
    pub fn list_items(&self) -> usize {
        self.ordered + self.unordered
    }
}

/// One count of a text's style, as the covariate that style control takes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum StyleCovariate {
    /// Length in tokens.
    Length,
    /// Headings of any level.
    Headings,
    /// Items of any list.
    Lists,
    /// Bold spans.
    Bold,
}

impl StyleCovariate {
    /// The names of all of them.
    pub const NAMES: &[&str] = StyleCovariate::VARIANTS;

    /// Returns the name, as a user gives it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the covariate of this name; `None` where there is none.
    pub fn from_name(name: &str) -> Option<StyleCovariate> {
        name.parse().ok()
    }

    fn count_in(self, style: &Style) -> usize {
        match self {
            StyleCovariate::Length => style.tokens,
            StyleCovariate::Headings => style.headings_of_any_level(),
            StyleCovariate::Lists => style.list_items(),
            StyleCovariate::Bold => style.bold,
        }
    }
}

/// Returns the counts of a text that these covariates name, in their order, as [`count_style`]
/// counts; the Markdown is not looked at where the length alone is asked for.
///
/// ```
/// use evenhand_formats::{StyleCovariate::*, count_covariates};
/// assert_eq!(count_covariates("# Plan\n\n- **Read** it\n", &[Lists, Length, Bold]), [1.0, 9.0, 1.0]);
/// ```
pub fn count_covariates(text: &str, covariates: &[StyleCovariate]) -> Vec<f64> {
    let needs_markdown = covariates
        .iter()
        .any(|covariate| *covariate != StyleCovariate::Length);
    let style = if needs_markdown {
        count_style(text)
    } else {
        Style {
            tokens: count_tokens(text),
            ..Style::default()
        }
    };
    let covariates = covariates.iter();
    covariates
        .map(|covariate| covariate.count_in(&style) as f64)
        .collect()
}

/// Counts the style of a text by CommonMark 0.31, in time that grows with its length.
///
/// Arena-Hard counts by regular expressions, after it has removed what stands between pairs of
/// three backticks. The counts agree on plain headings, lists and bold, and differ, by design,
/// where the patterns and the rendered text differ:
/// - code: indented blocks, blocks fenced by tildes or never closed, and inline code hold no marks
///   here; a fence with a backtick inside is one block here;
/// - headings: also those underlined by `===` or `---`, and those inside quotes or list items; not
///   `#` behind four or more spaces (which is code), and only with a space, a tab or the end of the
///   line after it;
/// - lists: numbers followed by `)` count, not only by `.`; a number other than 1, or an empty
///   item, that would have to interrupt a paragraph is no list; `* * *` is a rule and no item;
///   items inside quotes count;
/// - bold: `**` and `__` count only as CommonMark pairs them (`a ** b ** c` and `snake__case__name`
///   are not bold), over line breaks and around other marks too; `***x***` counts once.
///
/// ```
/// let style = evenhand_formats::count_style("# Plan\n\n1. **Read** it\n2. Run it\n\n```\n# not a heading\n```\n");
/// assert_eq!((style.headings, style.ordered, style.unordered, style.bold), ([1, 0, 0, 0, 0, 0], 2, 0, 1));
/// ```
pub fn count_style(text: &str) -> Style {
    let mut style = Style {
        tokens: count_tokens(text),
        characters: text.chars().count(),
        ..Style::default()
    };
    // Whether each list that is open is numbered.
    let mut lists = vec![];
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::List(first)) => lists.push(first.is_some()),
            Event::End(pulldown_cmark::TagEnd::List(_)) => drop(lists.pop()),
            Event::Start(tag) => count_tag(&mut style, &tag, lists.last() == Some(&true)),
            _ => {}
        }
    }
    style
}

fn count_tag(style: &mut Style, tag: &Tag, numbered: bool) {
    match tag {
        Tag::Heading { level, .. } => style.headings[(*level as usize).clamp(1, 6) - 1] += 1,
        Tag::Item if numbered => style.ordered += 1,
        Tag::Item => style.unordered += 1,
        Tag::Strong => style.bold += 1,
        _ => {}
    }
}

/// Returns the length of a text in tokens: each run of letters, digits and underscores is one, and
/// each other character that is not white space. No tokeniser of a model is asked, so that the
/// count is the same for all; differences between two texts are nearly proportional to theirs.
///
/// ```
/// assert_eq!(evenhand_formats::count_tokens("It's 3.5 km."), 8);
/// ```
pub fn count_tokens(text: &str) -> usize {
    let (mut tokens, mut in_word) = (0, false);
    for c in text.chars() {
        let word = c.is_alphanumeric() || c == '_';
        tokens += usize::from(!(c.is_whitespace() || word && in_word));
        in_word = word;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Headings, ordered, unordered, bold.
    fn marks(text: &str) -> (usize, usize, usize, usize) {
        let style = count_style(text);
        (
            style.headings_of_any_level(),
            style.ordered,
            style.unordered,
            style.bold,
        )
    }

    #[test]
    fn plain_markdown() {
        let text = "# One\n### Three\n\nText with **bold** and __more__.\n\n- a\n- b\n  1. c\n  2. \
                    d\n* e\n";
        assert_eq!(marks(text), (2, 2, 3, 2));
        let style = count_style(text);
        assert_eq!(style.headings, [1, 0, 1, 0, 0, 0]);
        assert_eq!(style.list_items(), 5);
        assert_eq!(style.characters, text.len());
        assert_eq!(count_style("###### Six\n").headings, [0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn code_holds_no_marks() {
        assert_eq!(marks("```\n# x\n- **y**\n```\n"), (0, 0, 0, 0));
        assert_eq!(marks("~~~\n# x\n~~~\n\n    # y\n\n`**z**`\n"), (0, 0, 0, 0));
        assert_eq!(marks("```\n# never closed\n1. x\n"), (0, 0, 0, 0));
    }

    #[test]
    fn where_patterns_would_count_otherwise() {
        assert_eq!(marks("Title\n=====\n\n> # quoted\n"), (2, 0, 0, 0));
        assert_eq!(marks("1) one\n2) two\n\n* * *\n"), (0, 2, 0, 0));
        assert_eq!(marks("Born in\n1984. A year.\n"), (0, 0, 0, 0));
        assert_eq!(
            marks("a ** b ** c, snake__case__name, ***x***, **two\nlines**\n"),
            (0, 0, 0, 2)
        );
        assert_eq!(marks("#hashtag\n"), (0, 0, 0, 0));
    }

    #[test]
    fn lengths() {
        assert_eq!(count_tokens(""), 0);
        assert_eq!(count_tokens(" \n"), 0);
        assert_eq!(count_tokens("a_1 b, c!"), 5);
        let style = count_style("é\u{65e5}\u{672c} ok");
        assert_eq!((style.tokens, style.characters), (2, 6));
        assert_eq!(count_style(""), Style::default());
    }

    #[test]
    fn covariates_are_the_counts_of_their_names() {
        let text = "# One\n\nText with **bold**, __more__.\n\n- a\n1. b\n## Two";
        let style = count_style(text);
        let expected = [style.tokens as f64, 2.0, 2.0, 2.0];
        let all = StyleCovariate::NAMES.iter();
        let all: Vec<_> = all
            .filter_map(|name| StyleCovariate::from_name(name))
            .collect();
        assert_eq!(count_covariates(text, &all), expected);
        for (covariate, count) in all.into_iter().zip(expected) {
            assert_eq!(count_covariates(text, &[covariate]), [count]);
        }
        assert_eq!(StyleCovariate::from_name("Length"), None);
        assert_eq!(count_covariates(text, &[]), [0.0; 0]);
    }

    #[test]
    fn hostile_texts_are_counted_too() {
        let parts = [
            "*", "**", "_", "[", "![", "`", "> ", "- ", "1. ", "#", "<", "\\", "[a](", "***a ",
            "a**b_", "    ",
        ];
        for part in parts {
            let style = count_style(&part.repeat(20_000));
            assert_eq!(style.characters, part.len() * 20_000, "{part}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_counted(text in "(?s)[-*_#>`~ \\n\\t1.)a\\[\\]()!<&é]{0,200}") {
            let style = count_style(&text);
            prop_assert_eq!(style.characters, text.chars().count());
            prop_assert!(style.tokens <= style.characters);
            // Every mark takes at least one character of its own.
            prop_assert!(style.headings_of_any_level() + style.list_items() + style.bold <= style.characters);
        }
    }
}
