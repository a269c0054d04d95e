//! Holds the README against the program.

use crate::common::Desk;
use std::fs;
use std::path::Path;

#[test]
fn its_commands_run_from_a_checkout_and_print_what_it_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let desk = Desk::empty();
    fs::create_dir(desk.path("examples")).unwrap();
    let battles = fs::read(root.join("examples/battles.csv")).unwrap();
    desk.write("examples/battles.csv", battles);
    let blocks: Vec<&str> = readme.split("```console\n$ evenhand ").skip(1).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let (command, shown) = block.split_once('\n').unwrap();
        let (shown, _) = shown.split_once("```").unwrap();
        let said = desk.done(command).stdout;
        let mut lines = said.lines();
        for line in shown.lines().filter(|line| !line.is_empty()) {
            assert!(
                lines.any(|other| other == line),
                "{line:?} is not in\n{said}"
            );
        }
    }
}
