//! docs/formats.md stays true to the code.

use evenhand_formats::judgments::JudgmentFormat;
use evenhand_formats::records::{Format, Mapping};

const PAGE: &str = include_str!("../../../../docs/formats.md");

#[test]
fn every_format_is_on_the_page_with_its_mapping_in_the_order_in_which_they_are_tried() {
    let rows: Vec<&str> = PAGE
        .lines()
        .filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 2)
        .collect();
    let mut rows = rows.iter();
    for name in Format::names() {
        let row = rows
            .find(|row| row.starts_with(&format!("| `{name}`")))
            .unwrap_or_else(|| panic!("{name} is not in its place"));
        let mapping = Format::from_name(name)
            .unwrap()
            .mapping()
            .unwrap()
            .to_string()
            .replace('|', "\\|");
        assert!(
            row.ends_with(&format!("| `{mapping}` |")),
            "{name}: {mapping}"
        );
    }
}

#[test]
fn every_example_of_a_mapping_can_be_read() {
    let examples: Vec<_> = PAGE
        .split("--map '")
        .skip(1)
        .filter_map(|rest| rest.split('\'').next())
        .collect();
    assert_eq!(examples.len(), 9);
    for example in examples {
        assert_eq!(Mapping::parse(example).unwrap().to_string(), example);
    }
}

#[test]
fn every_kind_of_judgments_is_on_the_page_in_the_order_in_which_they_are_tried() {
    let (_, section) = PAGE.split_once("## Judgments and scores").unwrap();
    let (section, _) = section.split_once("\n### ").unwrap_or((section, ""));
    let rows = section.lines().filter_map(|line| {
        line.strip_prefix("| `")?
            .split_once('`')
            .map(|(name, _)| name)
    });
    assert_eq!(rows.collect::<Vec<_>>(), JudgmentFormat::names());
}
