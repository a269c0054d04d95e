//! Statements of code by a tree-sitter parse.

use std::ops::ControlFlow;
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser};

/// Blocks that are longer are cut at blank lines, in bytes.
const LONGEST: usize = 1 << 16;

/// How often the parser may report progress before it is stopped; it does so after a fixed number
/// of steps, so that the same block is always treated the same. Code that is well formed needs few
/// steps a byte.
const MOST_REPORTS: u32 = 20_000;

/// A node of more lines than these may also be cut between the statements of its body: a program
/// that is one long class or function would have no place to cut otherwise.
const LONG: usize = 24;

/// Where the statements of a block begin that stand on lines of their own; `None` for unknown
/// languages, blocks that do not parse, and blocks that are too long.
pub(super) fn statements(code: &str, info: &str) -> Option<Vec<usize>> {
    let language = language(info).filter(|_| code.len() <= LONGEST)?;
    let mut parser = Parser::new();
    parser.set_language(&language).ok()?;
    let mut reports = 0;
    let mut go_on = |_: &ParseState| {
        reports += 1;
        if reports < MOST_REPORTS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let bytes = code.as_bytes();
    let tree = parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(options),
    )?;
    let root = tree.root_node();
    (!root.has_error()).then(|| {
        let mut places = Vec::new();
        between(code, root, &mut places);
        places
    })
}

/// The starts of the children that begin a line after the one before has ended.
fn between(code: &str, parent: Node<'_>, places: &mut Vec<usize>) {
    let mut cursor = parent.walk();
    let mut before: Option<Node<'_>> = None;
    for node in parent.named_children(&mut cursor) {
        let line = line_start(code, node.start_byte());
        // A comment stays with what it stands above.
        let apart =
            |before: &Node<'_>| before.end_byte() <= line && !before.kind().contains("comment");
        if before.as_ref().is_some_and(apart) {
            places.push(line);
        }
        if node.end_position().row - node.start_position().row >= LONG {
            bodies(node)
                .into_iter()
                .for_each(|body| between(code, body, places));
        }
        before = Some(node);
    }
}

/// The bodies of a long node: what its statements, members or elements stand in.
fn bodies(node: Node<'_>) -> Vec<Node<'_>> {
    if matches!(node.kind(), "object" | "array" | "element") {
        return vec![node];
    }
    let inner = ["definition", "declaration", "body"]
        .iter()
        .find_map(|field| node.child_by_field_name(field));
    match inner {
        Some(inner) if inner.child_by_field_name("body").is_some() => bodies(inner),
        inner => inner.into_iter().collect(),
    }
}

/// The start of the line, if only white space is before the offset on it; else the offset's line is
/// not its own, and the offset itself.
fn line_start(code: &str, at: usize) -> usize {
    let before = code.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    if before
        .get(start..)
        .is_some_and(|indent| indent.trim().is_empty())
    {
        start
    } else {
        0
    }
}

fn language(info: &str) -> Option<Language> {
    let tag = info
        .split(|c: char| c.is_whitespace() || matches!(c, '{' | ',' | ':'))
        .next()?
        .trim_start_matches('.')
        .to_lowercase();
    Some(match tag.as_str() {
        "python" | "py" | "python3" => tree_sitter_python::LANGUAGE.into(),
        "javascript" | "js" | "jsx" | "node" => tree_sitter_javascript::LANGUAGE.into(),
        "typescript" | "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "rust" | "rs" => tree_sitter_rust::LANGUAGE.into(),
        "go" | "golang" => tree_sitter_go::LANGUAGE.into(),
        "c" | "h" => tree_sitter_c::LANGUAGE.into(),
        "c++" | "cpp" | "cc" | "cxx" | "hpp" => tree_sitter_cpp::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "bash" | "sh" | "shell" | "zsh" => tree_sitter_bash::LANGUAGE.into(),
        "sql" | "mysql" | "postgresql" | "sqlite" => tree_sitter_sequel::LANGUAGE.into(),
        "json" => tree_sitter_json::LANGUAGE.into(),
        "html" => tree_sitter_html::LANGUAGE.into(),
        _ => return None,
    })
}
