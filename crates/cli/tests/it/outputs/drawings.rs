//! Rankings as figures in files, and as Markdown.

use super::*;
use std::fs;

/// Battles of systems with names that are more than names.
const BATTLES: &str = "model_a,model_b,winner\n\
    <script>|`x`,@someone,model_a\n\
    <script>|`x`,@someone,model_b\n\
    <script>|`x`,@someone,model_a\n";

fn ending(png: &[u8]) -> &[u8] {
    &png[png.len().saturating_sub(8)..]
}

#[test]
fn a_ranking_is_drawn_as_svg_and_png() {
    let desk = desk();
    let run = format!("{RANK} --protocol pairwise --rounds 100");
    desk.done(&format!("{run} --figure one.svg"));
    desk.done(&format!("{run} --figure two.SVG"));
    let svg = desk.read("one.svg");
    assert_eq!(svg, desk.read("two.SVG"));
    assert!(
        svg.starts_with("<svg ") && svg.contains(" role=\"img\""),
        "{svg}"
    );
    for system in SYSTEMS {
        assert!(
            svg.contains(&format!(">{system}</text>")),
            "{system}: {svg}"
        );
    }
    assert_eq!(svg.matches("<circle").count(), SYSTEMS.len(), "{svg}");
    desk.done(&format!("{run} --figure one.png"));
    let png = fs::read(desk.path("one.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_eq!(ending(&png), b"IEND\xaeB`\x82");
    // Of two files only the last would be written.
    desk.refused(
        &format!("{run} --figure a.svg --figure=b.png"),
        "--figure is there twice",
    );
    assert!(!desk.path("a.svg").exists() && !desk.path("b.png").exists());
    // A figure may be drawn over, in either form.
    desk.write("one.png", &svg);
    desk.done(&format!("{run} --figure one.png"));
    assert_eq!(fs::read(desk.path("one.png")).unwrap(), png);
    let left = fs::read_dir(desk.path(".")).unwrap();
    let parts = left.filter(|one| {
        one.as_ref()
            .unwrap()
            .path()
            .to_string_lossy()
            .ends_with(".part")
    });
    assert_eq!(parts.count(), 0);
}

#[test]
fn a_bad_place_for_a_figure_costs_nothing() {
    let desk = desk();
    desk.write("notes.svg", "my notes");
    for (file, expected) in [
        (
            "one.gif",
            "expected a file whose name ends in .svg, .png or .pdf",
        ),
        (
            "one",
            "expected a file whose name ends in .svg, .png or .pdf",
        ),
        ("none/one.svg", "its directory does not exist"),
        (
            "notes.svg",
            "exists and is not a figure, so it was left unchanged",
        ),
    ] {
        let ran = desk.refused(&format!("{RANK} --figure {file}"), expected);
        assert_eq!(ran.stdout, "", "{file}");
    }
    assert_eq!(desk.read("notes.svg"), "my notes");
    assert!(!desk.path("run").exists());
}

#[test]
fn hostile_names_are_words_in_figures_and_in_markdown() {
    let desk = desk();
    desk.write("battles.csv", BATTLES);
    let ran = desk.done("leaderboard battles.csv --ci none --figure one.svg --format markdown");
    let svg = desk.read("one.svg");
    assert!(
        svg.contains("&lt;script&gt;|`x`") && !svg.contains("<script"),
        "{svg}"
    );
    let table: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert_eq!(table.len(), 4, "{}", ran.stdout);
    assert!(
        table[0].starts_with("| rank | system | score |"),
        "{}",
        ran.stdout
    );
    assert!(
        table[2].contains(" &lt;script&gt;\\|\\`x\\` |"),
        "{}",
        ran.stdout
    );
    assert!(table[3].contains("| @\u{200b}someone |"), "{}", ran.stdout);
}

#[test]
fn markdown_has_the_rows_of_the_table_and_the_warnings() {
    let desk = desk();
    let run = format!("{RANK} --protocol pairwise --rounds 100");
    let report = desk.json(&run);
    let markdown = desk.done(&format!("{run} --format markdown")).stdout;
    let warnings = markdown
        .lines()
        .filter(|line| line.starts_with("**Warning:** "));
    assert_eq!(
        warnings.count(),
        report["warnings"].as_array().unwrap().len(),
        "{markdown}"
    );
    let rows = markdown
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(2);
    let systems = report["ranking"].as_array().unwrap().iter();
    for (row, system) in rows.zip(systems) {
        let cells: Vec<&str> = row.split(" | ").collect();
        assert_eq!(cells[1], system["system"].as_str().unwrap(), "{markdown}");
    }
    assert!(markdown.ends_with("|\n"), "{markdown}");
}

#[test]
fn other_reports_are_markdown_too_and_single_judgments_are_not() {
    let desk = desk();
    desk.done(&format!("{RANK} --protocol pairwise"));
    let runs = desk.done("runs . --format markdown").stdout;
    assert!(runs.starts_with("| ") && runs.contains("| --- |"), "{runs}");
    desk.refused(
        "judge --data data --run other --judge simulated --format markdown",
        "judgments are written as json or csv",
    );
}
