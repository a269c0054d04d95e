//! The fences of a prompt, found again by their marks alone.

/// What stood between two marks.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) label: String,
    pub(crate) text: String,
    /// The brackets of its marks.
    pub(crate) width: usize,
}

/// The messages of a prompt as [`parse`] takes them apart, where all marks have one width, which
/// the prompt names: it is told of ordinary ones in what is given back.
pub(crate) fn parse_prompt<'a>(
    messages: impl Iterator<Item = &'a str>,
) -> (Vec<String>, Vec<Block>) {
    let (skeletons, blocks): (Vec<String>, Vec<Vec<Block>>) = messages.map(parse).unzip();
    let blocks: Vec<Block> = blocks.into_iter().flatten().collect();
    let Some(width) = blocks.first().map(|block| block.width) else {
        return (skeletons, blocks);
    };
    assert!(
        blocks.iter().all(|block| block.width == width),
        "marks of several widths: {skeletons:?}"
    );
    let told = |width: usize| {
        format!(
            "What stands between the {} and {} marks",
            "<".repeat(width),
            ">".repeat(width)
        )
    };
    let of = |skeleton: String| {
        assert!(
            !skeleton.contains("What stands between the <") || skeleton.contains(&told(width)),
            "{width}: {skeleton}"
        );
        skeleton.replace(&told(width), &told(4))
    };
    (skeletons.into_iter().map(of).collect(), blocks)
}

/// A message without its fenced blocks (each is replaced by its label), and the blocks.
fn parse(message: &str) -> (String, Vec<Block>) {
    let (mut skeleton, mut blocks, mut rest) = (String::new(), Vec::new(), message);
    while !rest.is_empty() {
        if let Some((block, after)) = block(rest) {
            skeleton += &format!("\u{2}{}\u{3}", block.label);
            blocks.push(block);
            rest = after;
        } else {
            let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
            skeleton += &rest[..end];
            rest = &rest[end..];
        }
    }
    (skeleton, blocks)
}

/// A block at the beginning of a line, and what follows its closing mark.
fn block(text: &str) -> Option<(Block, &str)> {
    let width = text.bytes().take_while(|byte| *byte == b'<').count();
    if width < 4 {
        return None;
    }
    let (label, inner) = text[width..].strip_prefix(' ')?.split_once('\n')?;
    let [opening, closing] = ["<", ">"].map(|mark| mark.repeat(width));
    let at = inner
        .find(&closing)
        .unwrap_or_else(|| panic!("{label} is never closed"));
    let content = inner[..at]
        .strip_suffix('\n')
        .unwrap_or_else(|| panic!("{label}: its closing mark is not on a line of its own"));
    let after = inner[at + width..]
        .strip_prefix(" END OF ")
        .and_then(|rest| rest.strip_prefix(label));
    let after = after.unwrap_or_else(|| panic!("{label} ends with another mark"));
    assert!(
        after.is_empty() || after.starts_with('\n'),
        "{label}: something follows its closing mark"
    );
    assert!(
        !content.contains(&opening),
        "{label} holds its own opening mark"
    );
    Some((
        Block {
            label: label.into(),
            text: content.into(),
            width,
        },
        after,
    ))
}

/// The answers that blocks show, whole or in parts by turns.
pub(crate) fn answers(blocks: &[Block]) -> Vec<String> {
    let mut answers: Vec<String> = Vec::new();
    for block in blocks {
        let Some(label) = block.label.strip_prefix("ANSWER ") else {
            continue;
        };
        let (letter, part) = label.split_once(", PART ").unwrap_or((label, "1"));
        let slot = usize::from(letter.as_bytes()[0] - b'A');
        match part {
            "1" => answers.push(block.text.clone()),
            _ => answers[slot].push_str(&block.text),
        }
        assert!(slot < answers.len(), "parts are shown in order");
    }
    answers
}
