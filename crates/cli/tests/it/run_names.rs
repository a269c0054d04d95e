//! `--name`: what a run is called, wherever it is shown.

use crate::common::{Desk, Ran, assert_holds};
use rusqlite::Connection;

const RANK: &str = "rank --data data --judge simulated:gap=0.2 --quiet --run runs/one";

/// Runs a command with one more argument, which may hold spaces.
fn named(desk: &Desk, arguments: &str, name: &str) -> Ran {
    let mut command = desk.command(arguments);
    Ran::of(command.args(["--name", name]).output().unwrap())
}

#[test]
fn a_run_is_listed_and_shown_by_its_name_and_goes_on_without_it() {
    let desk = Desk::new(4, &["ant", "bee"]);
    let ran = named(&desk, RANK, "Prompt 2, shorter");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    desk.done("rank --data data --judge simulated:gap=0.4 --quiet --run runs/two");
    // The same settings without a name go on with the run, and leave its name.
    desk.done(RANK);
    let runs = desk.json("runs");
    let of = |run: &str| {
        let mut rows = runs.as_array().unwrap().iter();
        rows.find(|row| row["run"] == run).unwrap()["label"].clone()
    };
    assert_eq!(of("runs/one"), "Prompt 2, shorter");
    assert_eq!(of("runs/two"), serde_json::Value::Null);
    let table = desk.done("runs").stdout;
    let header = table.lines().next().unwrap();
    assert!(header.trim_end().ends_with("name"), "{header}");
    assert!(table.contains("Prompt 2, shorter"), "{table}");
    let csv = desk.done("runs --format csv").stdout;
    assert!(csv.contains("\"Prompt 2, shorter\""), "{csv}");
    assert!(
        desk.done("show runs/one")
            .stdout
            .contains("Prompt 2, shorter")
    );
    assert_eq!(desk.json("show runs/one")["label"], "Prompt 2, shorter");

    // Another name takes its place; nothing is asked again.
    assert_eq!(named(&desk, RANK, "Shorter").code, Some(0));
    assert_eq!(desk.json("show runs/one")["label"], "Shorter");
    desk.done("site runs --out public");
    let index = desk.read("public/index.html");
    assert_holds(&index, "<a href=\"one.html\">Shorter</a>");
    assert!(index.contains("<a href=\"two.html\">two</a>"), "{index}");
}

#[test]
fn audits_and_migrations_have_names_too() {
    let desk = Desk::new(8, &["ant", "bee"]);
    desk.done(RANK);
    for (command, run, name) in [
        (
            "audit --data data --judge simulated --probes position --quiet --run runs/checked",
            "runs/checked",
            "The judge of May",
        ),
        (
            "migrate runs/one --judge simulated:gap=0.2,seed=9 --all --quiet --run runs/next",
            "runs/next",
            "Its successor",
        ),
    ] {
        let ran = named(&desk, command, name);
        // Whatever becomes of the ranking, the run is there.
        assert!(matches!(ran.code, Some(0 | 3 | 4)), "{}", ran.stderr);
        let runs = desk.json("runs");
        let mut rows = runs.as_array().unwrap().iter();
        let row = rows.find(|row| row["run"] == run).unwrap();
        assert_eq!(row["label"], name);
        let shown = desk.done(&format!("show {run}")).stdout;
        assert!(shown.contains(name), "{shown}");
    }
    // A recording makes no run that could be called something.
    let ran = named(&desk, "audit --recorded recorded.jsonl", "nothing");
    ran.ends(2, "--name");
}

#[test]
fn a_board_keeps_its_name_and_pages_show_it() {
    let desk = Desk::empty();
    for week in 1..=3 {
        let rows = ["a,b,model_a\n", "b,a,model_a\n", "b,a,tie\n"];
        let rows = (0..40).map(|at| rows[(at + at / 3 * week) % 3]);
        let rows: String = rows.collect();
        desk.write(
            &format!("w{week}.csv"),
            format!("model_a,model_b,winner\n{rows}"),
        );
    }
    let update = |week: u32| {
        format!(
            "leaderboard w{week}.csv --update board.json --date 2026-11-0{week} --ci none \
             --allow-duplicates --quiet"
        )
    };
    let site = || {
        desk.done("site board.json --out public");
        desk.read("public/index.html")
    };
    desk.done(&update(1));
    assert_holds(&site(), "<a href=\"board.json.html\">board</a>");
    assert_eq!(named(&desk, &update(2), "Our models").code, Some(0));
    assert!(
        desk.read("board.json")
            .contains("\n\"name\": \"Our models\",\n")
    );
    // A later edition has it without being told, and so has what only reads the board.
    desk.done(&update(3));
    assert_holds(&site(), "<a href=\"board.json.html\">Our models</a>");
    assert_eq!(
        desk.json("leaderboard board.json --ci none")["label"],
        "Our models"
    );
    // A ranking that was printed has its name with it; a reader's name leaves the board's.
    let ran = named(
        &desk,
        "leaderboard board.json --ci none --format json",
        "Mine",
    );
    desk.write("mine.json", &ran.stdout);
    desk.done("site mine.json board.json --out both");
    let index = desk.read("both/index.html");
    for link in [
        "mine.json.html\">Mine</a>",
        "board.json.html\">Our models</a>",
    ] {
        assert!(index.contains(link), "{link}: {index}");
    }
}

#[test]
fn names_that_are_none_are_refused() {
    let desk = Desk::new(2, &["ant", "bee"]);
    for (name, said) in [
        ("  ", "expected a name"),
        ("two\nlines", "expected one line"),
        ("red\u{1b}[31m", "expected one line"),
        (&"n".repeat(101), "it has 101 characters"),
    ] {
        let ran = named(&desk, RANK, name);
        assert_eq!(ran.code, Some(2), "{name:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{name:?}: {}", ran.stderr);
    }
    assert!(!desk.path("runs/one").exists());
}

/// A run that came from elsewhere may hold any name.
#[test]
fn hostile_names_do_nothing_in_a_terminal_or_a_page() {
    let desk = Desk::new(2, &["ant", "bee"]);
    desk.done(RANK);
    let hostile = "</a><script>alert(1)</script>\u{1b}]0;owned\u{7}\r\n=1+1";
    let db = Connection::open(desk.path("runs/one/run.sqlite")).unwrap();
    let insert = "INSERT OR REPLACE INTO manifest VALUES ('name', ?1)";
    db.execute(insert, [hostile]).unwrap();
    drop(db);
    for command in ["runs", "show runs/one"] {
        let shown = desk.done(command).stdout;
        assert!(!shown.contains('\u{1b}'), "{command}: {shown:?}");
        assert!(!shown.contains('\u{7}'), "{command}: {shown:?}");
    }
    desk.done("site runs --out public");
    desk.done("report runs/one --out one.html");
    for page in ["public/index.html", "public/one.html", "one.html"] {
        assert!(!desk.read(page).contains("<script>alert(1)"), "{page}");
    }
}
