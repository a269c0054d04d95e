//! CSV and JSON lines by hand, and as recorded elsewhere.

use super::*;
use crate::StyleCovariate;

#[test]
fn pairs_are_counted_whichever_system_is_first() {
    let file = "model_a,model_b,winner\ny,x,model_a\nx,y,model_a\nx,y,tie\ny,x,tie \
                (bothbad)\nz,x,model_b\n";
    let counts = read_counts(&mut [source("a.csv", file)], &Options::default()).unwrap();
    assert_eq!(counts.names, ["y", "x", "z"]);
    let yx = PairCount {
        a: 0,
        b: 1,
        wins_a: 1.0,
        ties: 1.0,
        both_bad: 1.0,
        wins_b: 1.0,
    };
    let xz = PairCount {
        a: 1,
        b: 2,
        wins_a: 1.0,
        ties: 0.0,
        both_bad: 0.0,
        wins_b: 0.0,
    };
    assert_eq!(counts.pairs, [yx, xz]);
    assert_eq!(
        counts.totals,
        OutcomeTotals {
            first: 2.0,
            ties: 1.0,
            both_bad: 1.0,
            second: 1.0
        }
    );
    assert_eq!((counts.rows, counts.weighted), (5, false));
}

#[test]
fn weights_are_added_and_a_pair_without_weight_is_none() {
    let file = "left\tright\twinner\tweight\nx\ty\tleft\t0.5\ny\tx\tright\t2\nx\tz\ttie\t0\n";
    let counts = read_counts(&mut [source("a.tsv", file)], &Options::default()).unwrap();
    assert_eq!(counts.names, ["x", "y", "z"]);
    assert_eq!(
        counts.pairs,
        [PairCount {
            a: 0,
            b: 1,
            wins_a: 2.5,
            ties: 0.0,
            both_bad: 0.0,
            wins_b: 0.0
        }]
    );
    assert_eq!((counts.rows, counts.weighted), (3, true));
}

#[test]
fn clusters_and_covariates_stand_beside_the_rows() {
    let file =
        "item,model_a,model_b,winner,len\nq1,x,y,model_a,-3\nq2,x,y,both_bad,4e1\nq1,y,z,tie,0\n";
    let columns = Columns {
        covariates: vec!["len".into()],
        ..Columns::default()
    };
    let rows = read_rows(
        &mut [source("a.csv", file)],
        &Options {
            columns,
            ..options(2, 16)
        },
    )
    .unwrap();
    assert_eq!((rows.a, rows.b), (vec![0, 0, 1], vec![1, 1, 2]));
    assert_eq!(
        rows.outcome,
        [BattleOutcome::A, BattleOutcome::BothBad, BattleOutcome::Tie]
    );
    assert_eq!((rows.cluster, rows.clusters), (Some(vec![0, 1, 0]), 2));
    assert_eq!(rows.covariates, vec![vec![-3.0, 40.0, 0.0]]);
    assert_eq!(rows.weight, None);
}

#[test]
fn a_covariate_of_one_side_is_no_difference() {
    let read = |header: &str, names: &[&str]| {
        let width = header.split(',').count();
        let file = format!(
            "model_a,model_b,winner,{header}\nx,y,tie{}\n",
            ",1".repeat(width)
        );
        let columns = Columns {
            covariates: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Columns::default()
        };
        let options = Options {
            columns,
            ..options(2, 16)
        };
        read_rows(&mut [source("a.csv", &file)], &options).map_err(|error| error.to_string())
    };
    for (header, name, pair) in [
        (
            "tokens_left,tokens_right",
            "tokens_left",
            "tokens_left/tokens_right",
        ),
        (
            "tokens_left,tokens_right",
            "tokens_right",
            "tokens_left/tokens_right",
        ),
        ("b_len,a_len", "b_len", "a_len/b_len"),
        (
            "sum_a_tokens,sum_b_tokens",
            "sum_a_tokens",
            "sum_a_tokens/sum_b_tokens",
        ),
        ("n_1,n_2", "n_2", "n_1/n_2"),
    ] {
        let said = format!(
            "a.csv: column `{name}` is of one side only, but would be taken for a difference; both \
             sides are given as {} {pair}",
            evenhand_core::Setting::Control
        );
        assert_eq!(read(header, &[name]).unwrap_err(), said);
        let pair: Vec<&str> = pair.split('/').collect();
        assert_eq!(read(header, &pair).unwrap().covariates, [[1.0], [1.0]]);
    }
    // The other side is not there, a row of topics, and a letter within a word.
    for (header, name) in [
        ("gap_a,gap", "gap_a"),
        ("topic_1,topic_2,topic_3", "topic_2"),
        ("gap,gbp", "gap"),
        ("data,datb", "data"),
    ] {
        assert_eq!(read(header, &[name]).unwrap().covariates, [[1.0]]);
    }
}

#[test]
fn a_later_weight_makes_earlier_rows_count_one() {
    let file = concat!(
        r#"{"model_a":"x","model_b":"y","winner":"model_a"}"#,
        "\n\n",
        r#"{"model_a":"x","model_b":"y","winner":"model_b","weight":0.25,"more":[{"winner":1}]}"#
    );
    let other = "model_a,model_b,winner\nx,y,tie\n";
    let rows = read_rows(
        &mut [source("a.jsonl", file), source("b.csv", other)],
        &options(2, 16),
    )
    .unwrap();
    assert_eq!(rows.weight, Some(vec![1.0, 0.25, 1.0]));
    assert_eq!(rows.names, ["x", "y"]);
}

#[test]
fn columns_can_be_named_and_a_byte_order_mark_is_none() {
    let columns = Columns {
        left: Some("first".into()),
        right: Some("second".into()),
        winner: Some("w".into()),
        weight: Column::Named("n".into()),
        cluster: Column::Named("n".into()),
        covariates: vec!["n".into()],
        ..Columns::default()
    };
    let file = "\u{feff}first,second,w,n\nx,y,left,2\n";
    let rows = read_rows(
        &mut [source("a.csv", file)],
        &Options {
            columns,
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!(rows.weight, Some(vec![2.0]));
    assert_eq!(rows.cluster, Some(vec![0]));
    assert_eq!(rows.covariates, vec![vec![2.0]]);
}

#[test]
fn counts_are_read_as_they_are() {
    let csv = "model_a,model_b,wins_a,wins_b,ties,both_bad\nx,y,3,2,1,4\ny,x,1,0,0,0\n";
    let json = r#"{"ties":1,"model_a":"x","model_b":"y","wins_a":3,"wins_b":3.0,"both_bad":4}"#;
    let counts = |name, text| read_tallied(&mut [source(name, text)], &Options::default()).unwrap();
    let (csv, json) = (counts("a.csv", csv), counts("a.jsonl", json));
    assert_eq!(
        csv.pairs,
        [PairCount {
            a: 0,
            b: 1,
            wins_a: 3.0,
            ties: 1.0,
            both_bad: 4.0,
            wins_b: 3.0
        }]
    );
    assert_eq!(csv.pairs, json.pairs);
    assert_eq!(csv.weighted, json.weighted);
    assert_eq!(csv.rows, 2);
    let half = "model_a,model_b,wins_a,wins_b,ties\nx,y,0.5,2,1\n";
    assert!(counts("a.csv", half).weighted);
}

#[test]
fn kinds_are_told_by_content() {
    let kind = |text: &str| detect_table(&mut source("a", text));
    assert_eq!(kind("model_a,model_b,winner\n"), Some(TableKind::Battles));
    assert_eq!(
        kind("{\"winner\":1,\"left\":2,\"right\":3}"),
        Some(TableKind::Battles)
    );
    assert_eq!(
        kind("model_a,model_b,wins_a,wins_b,ties\n"),
        Some(TableKind::Counts)
    );
    assert_eq!(kind("system,rating\nx,1\n"), None);
    assert_eq!(kind(""), None);
    assert_eq!(
        detect_table(&mut source("a", gzip(b"left,right,winner\nx,y,tie\n"))),
        Some(TableKind::Battles)
    );
}

#[test]
fn a_source_can_be_read_after_it_was_looked_at() {
    for packed in [
        b"left,right,winner\nx,y,tie\n".to_vec(),
        gzip(b"left,right,winner\nx,y,tie\n"),
    ] {
        let mut sources = [source("a.csv", packed)];
        assert_eq!(detect_table(&mut sources[0]), Some(TableKind::Battles));
        assert_eq!(
            read_counts(&mut sources, &Options::default()).unwrap().rows,
            1
        );
        assert_eq!(
            read_counts(&mut sources, &Options::default()).unwrap().rows,
            1
        );
    }
}

/// As many rows, systems and outcomes as counting lines of the file with another program gives.
#[test]
#[allow(clippy::disallowed_methods, reason = "a test")]
fn llmfao_is_read() {
    let Some(folder) = evenhand_testing::shared_data() else {
        return;
    };
    let file = std::fs::File::open(folder.join("evalica/llmfao.csv")).unwrap();
    let counts = read_counts(
        &mut [BattleSource::new("llmfao.csv", file)],
        &Options::default(),
    )
    .unwrap();
    let OutcomeTotals {
        first,
        ties,
        both_bad,
        second,
    } = counts.totals;
    assert_eq!(counts.rows, LLMFAO.0);
    assert_eq!(counts.names.len(), LLMFAO.1);
    assert_eq!(counts.pairs.len(), LLMFAO.2);
    assert_eq!([first, second, ties, both_bad], LLMFAO.3);
}

/// Rows, systems, pairs, and rows won by the left, by the right, and tied (pandas 3.1.1).
const LLMFAO: (u64, usize, usize, [f64; 4]) = (8931, 59, 927, [2911.0, 2549.0, 3471.0, 0.0]);

/// Battles of one item would count as independent, or not, by the order of the files.
#[test]
fn items_of_some_files_alone_are_refused_in_any_order() {
    let with = "question_id,model_a,model_b,winner\nq,x,y,tie\n";
    let without = "model_a,model_b,winner\nx,y,tie\n";
    let read = |[first, second]: [&str; 2], cluster: Column| {
        let sources = &mut [
            source("1.csv", first.as_bytes()),
            source("2.csv", second.as_bytes()),
        ];
        let mut options = options(1, 64);
        options.columns.cluster = cluster;
        read_rows(sources, &options)
    };
    let [later, earlier] = [[without, with], [with, without]]
        .map(|files| read(files, Column::Auto).map(drop).unwrap_err().to_string());
    let begins = "2.csv: `question_id` names the item here, and what was read before has none";
    assert!(later.starts_with(begins), "{later}");
    let begins = "2.csv: no `question_id`, which names the item in what was read before";
    assert!(earlier.starts_with(begins), "{earlier}");
    assert!(read([without, with], Column::Ignored).is_ok());
    assert!(read([with, with], Column::Auto).is_ok());
}

#[test]
fn items_of_some_rows_alone_are_refused() {
    let row = |item: &str| format!(r#"{{{item}"model_a":"x","model_b":"y","winner":"tie"}}"#);
    let text = [
        row(""),
        row(r#""question_id":null,"#),
        row(r#""question_id":"q","#),
    ]
    .join("\n");
    let read = |cluster: Column| {
        let mut options = options(1, 1 << 10);
        options.columns.cluster = cluster;
        read_rows(&mut [source("a.jsonl", text.as_bytes())], &options)
    };
    let error = read(Column::Auto).map(drop).unwrap_err().to_string();
    let begins = "a.jsonl:3: `question_id` names the item here, and what was read before has none";
    assert!(error.starts_with(begins), "{error}");
    assert!(read(Column::Ignored).is_ok());
}

/// What was dropped of an earlier file says nothing of a later one.
#[test]
fn a_file_without_rows_is_noted_behind_one_of_which_rows_are_dropped() {
    let head = "model_a,model_b,winner\n";
    let full = format!("{head}x,y,tie\nx,y,\n");
    let mut options = options(1, 64);
    options.columns.outcomes = Spellings::parse("=drop").unwrap();
    let sources = &mut [
        source("1.csv", full.as_bytes()),
        source("2.csv", head.as_bytes()),
    ];
    let read = read_rows(sources, &options).unwrap();
    let noted: Vec<String> = read.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(noted, ["2.csv: there are no rows; expected at least one"]);
    assert_eq!(read.dropped, 1);
}

/// A system, an item or a value that stands in rows alone that are left out is nobody's.
#[test]
fn rows_that_are_left_out_leave_nothing_behind() {
    let good = ["x,y,model_a,q1,en", "y,x,tie,q2,it", "z,x,model_b,q1,en"];
    let bad = [
        "w,x,modle_a,q9,fr",
        "x,,tie,q8,fr",
        ",,tie,q7,fr",
        "v,v,tie,q6,de",
        "y,z,,q5,de",
    ];
    let csv = |rows: &[&str]| format!("model_a,model_b,winner,item,lang\n{}\n", rows.join("\n"));
    let jsonl = |rows: &[&str]| {
        let object = |row: &&str| {
            let cells: Vec<&str> = row.split(',').collect();
            format!(
                r#"{{"model_a":"{}","model_b":"{}","winner":"{}","item":"{}","lang":"{}"}}"#,
                cells[0], cells[1], cells[2], cells[3], cells[4]
            )
        };
        rows.iter().map(object).collect::<Vec<_>>().join("\n")
    };
    let mixed = [
        bad[0], good[0], bad[1], bad[2], good[1], bad[3], good[2], bad[4],
    ];
    for (name, kept, all) in [
        ("a.csv", csv(&good), csv(&mixed)),
        ("a.jsonl", jsonl(&good), jsonl(&mixed)),
    ] {
        for chunk_bytes in [1, 60, 1 << 20] {
            let read = |text: &str| {
                let mut options = options(3, chunk_bytes);
                options.columns.label = Some("lang".into());
                options.columns.skip_bad = 9;
                read_rows(&mut [source(name, text)], &options).unwrap()
            };
            let (kept, mut all) = (read(&kept), read(&all));
            assert_eq!(all.skipped.len(), bad.len(), "{name} {chunk_bytes}");
            all.skipped.clear();
            assert_eq!(all, kept, "{name} {chunk_bytes}");
        }
    }
}

#[test]
fn the_values_of_a_column_stand_beside_the_rows_that_are_kept() {
    let csv = "model_a,model_b,winner,lang\nx,y,tie,en\ny,y,tie,it\ny,x,tie,\nx,z,nobody,fr\n\
               x,y,model_a,de\nz,x,tie,en\n";
    let jsonl = r#"
{"model_a":"x","model_b":"y","winner":"tie","lang":"en","meta":{"turn":1}}
{"model_a":"y","model_b":"y","winner":"tie","lang":"it"}
{"model_a":"y","model_b":"x","winner":"tie","lang":null}
{"model_a":"x","model_b":"z","winner":"nobody","lang":"fr"}
{"model_a":"x","model_b":"y","winner":"model_a","lang":"de","meta":{"turn":2}}
{"model_a":"z","model_b":"x","winner":"tie","lang":"en"}
"#
    .trim_start();
    let read = |name: &str, text: &str, label: &str, chunk_bytes| {
        let mut options = options(3, chunk_bytes);
        options.columns.label = Some(label.into());
        options.columns.skip_bad = 1;
        options.columns.outcomes = Spellings::parse("nobody=drop").unwrap();
        read_rows(&mut [source(name, text)], &options)
    };
    for (name, text) in [("a.csv", csv), ("a.jsonl", jsonl)] {
        for chunk_bytes in [1, 40, 1 << 20] {
            let rows = read(name, text, "lang", chunk_bytes).unwrap();
            let labels = rows.label.iter().map(|label| *label as usize);
            let labels: Vec<&str> = labels.map(|label| &*rows.label_values[label]).collect();
            assert_eq!(labels, ["en", "", "de", "en"], "{name} {chunk_bytes}");
            assert_eq!((rows.a.len(), rows.dropped), (4, 1));
        }
    }
    let rows = read("a.jsonl", jsonl, "meta.turn", 1 << 20).unwrap();
    let labels = rows.label.iter().map(|label| *label as usize);
    let labels: Vec<&str> = labels.map(|label| &*rows.label_values[label]).collect();
    assert_eq!(labels, ["1", "", "2", ""]);
    assert!(read("a.csv", csv, "nothing", 40).is_err());
}

/// What stands in the place of a covariate matters where the row is ranked.
#[test]
fn covariates_of_rows_that_are_not_ranked_are_not_read() {
    let csv = "left,right,winner,n,t\nx,y,left,1,a b\nx,z,left,,c\nx,y,both_bad,no,d\n";
    let jsonl = "{\"left\":\"x\",\"right\":\"y\",\"winner\":\"left\",\"n\":1,\"t\":\"a b\"}\n\
                 {\"left\":\"x\",\"right\":\"z\",\"winner\":\"left\"}\n\
                 {\"left\":\"x\",\"right\":\"y\",\"winner\":\"both_bad\",\"n\":\"no\",\"t\":[]}\n";
    let read = |name: &str, text: &str, ranked: RankedRows| {
        let options = Options {
            columns: Columns {
                covariates: vec!["n".into()],
                texts: vec!["t".into()],
                counted: vec![StyleCovariate::Length],
                covariates_of: ranked,
                ..Columns::default()
            },
            ..Options::default()
        };
        read_rows(&mut [source(name, text)], &options).map_err(|error| error.to_string())
    };
    let of_pair = RankedRows {
        systems: Some(vec!["x".into(), "y".into()]),
        without_both_bad: true,
    };
    // A table begins with a line of names.
    for (name, text, before) in [("a.csv", csv, 1), ("a.jsonl", jsonl, 0)] {
        let rows = read(name, text, of_pair.clone()).unwrap();
        assert_eq!(rows.a.len(), 3);
        assert_eq!(rows.covariates, [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
        let all_systems = RankedRows {
            systems: None,
            ..of_pair.clone()
        };
        let any_outcome = RankedRows {
            without_both_bad: false,
            ..of_pair.clone()
        };
        for (ranked, row) in [
            (RankedRows::default(), 2),
            (all_systems, 2),
            (any_outcome, 3),
        ] {
            let error = read(name, text, ranked).unwrap_err();
            let start = format!("{name}:{}: ", before + row);
            assert!(error.starts_with(&start), "{start} {error}");
        }
    }
}
