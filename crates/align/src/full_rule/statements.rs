//! Statements of code by a tree-sitter parse.

use std::ops::ControlFlow;
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree};

/// Blocks that are longer are cut at blank lines, in bytes.
const LONGEST_BLOCK: usize = 1 << 16;

/// How often the parser may report progress before it is stopped; it does so after a fixed number
/// of steps, so that the same block is always treated the same. Code that is well formed needs few
/// steps a byte.
const MOST_REPORTS: u32 = 20_000;

/// A node of more lines than these may also be cut between the statements of its body: a program
/// that is one long class or function would have no place to cut otherwise.
const LONG_NODE: usize = 24;

/// Returns where the statements of a block begin that stand on lines of their own; `None` for
/// unknown languages, blocks that do not parse, and blocks that are too long.
pub(super) fn statement_starts(code: &str, info: &str) -> Option<Vec<usize>> {
    let language = find_language(info).filter(|_| code.len() <= LONGEST_BLOCK)?;
    let tree = parse_code(code, &language)?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let mut places = Vec::new();
    add_starts_between(code, root, &mut places);
    Some(places)
}

/// Parses the code; `None` where that takes more than [`MOST_REPORTS`].
fn parse_code(code: &str, language: &Language) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let mut reports = 0;
    let mut progress = |_: &ParseState| {
        reports += 1;
        if reports < MOST_REPORTS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| code.as_bytes().get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// Adds the starts of the children that begin a line after the one before has ended.
fn add_starts_between(code: &str, parent: Node<'_>, places: &mut Vec<usize>) {
    let mut cursor = parent.walk();
    let mut before: Option<Node<'_>> = None;
    for node in parent.named_children(&mut cursor) {
        let line = line_start(code, node.start_byte());
        // A comment stays with what it stands above.
        if let Some(before) = before
            && before.end_byte() <= line
            && !before.kind().contains("comment")
        {
            places.push(line);
        }
        if node.end_position().row - node.start_position().row >= LONG_NODE {
            for body in find_bodies(node) {
                add_starts_between(code, body, places);
            }
        }
        before = Some(node);
    }
}

/// Returns the bodies of a long node: what its statements, members or elements stand in.
fn find_bodies(node: Node<'_>) -> Vec<Node<'_>> {
    if matches!(node.kind(), "object" | "array" | "element") {
        return vec![node];
    }
    let inner = ["definition", "declaration", "body"]
        .iter()
        .find_map(|field| node.child_by_field_name(field));
    match inner {
        // `export class X {}` and decorated functions wrap what has the body.
        Some(inner) if inner.child_by_field_name("body").is_some() => find_bodies(inner),
        inner => inner.into_iter().collect(),
    }
}

/// Returns the start of the line, if only white space is before the offset on it; else 0, where no
/// cut may be.
fn line_start(code: &str, at: usize) -> usize {
    let before = code.get(..at).unwrap_or_default();
    let indent = before.rsplit('\n').next().unwrap_or_default();
    if indent.trim().is_empty() {
        before.len() - indent.len()
    } else {
        0
    }
}

/// Returns the language that the info string of a fence names.
fn find_language(info: &str) -> Option<Language> {
    let ends_tag = |c: char| c.is_whitespace() || matches!(c, '{' | ',' | ':');
    let tag = info.split(ends_tag).next()?;
    let tag = tag.trim_start_matches('.').to_lowercase();
    let language = match tag.as_str() {
        "python" | "py" | "python3" => tree_sitter_python::LANGUAGE,
        "javascript" | "js" | "jsx" | "node" => tree_sitter_javascript::LANGUAGE,
        "typescript" | "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX,
        "rust" | "rs" => tree_sitter_rust::LANGUAGE,
        "go" | "golang" => tree_sitter_go::LANGUAGE,
        "c" | "h" => tree_sitter_c::LANGUAGE,
        "c++" | "cpp" | "cc" | "cxx" | "hpp" => tree_sitter_cpp::LANGUAGE,
        "java" => tree_sitter_java::LANGUAGE,
        "bash" | "sh" | "shell" | "zsh" => tree_sitter_bash::LANGUAGE,
        "sql" | "mysql" | "postgresql" | "sqlite" => tree_sitter_sequel::LANGUAGE,
        "json" => tree_sitter_json::LANGUAGE,
        "html" => tree_sitter_html::LANGUAGE,
        _ => return None,
    };
    Some(language.into())
}
