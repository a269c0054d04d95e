//! Parquet files in every command that reads data: what they hold is what the same table of text
//! holds.

use crate::common::Desk;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

const PAIRS: &str =
    "instruction=question,output_1=v1,output_2=v2,label=best,system_1:=v1,system_2:=v2";

/// A Parquet file of texts, from a table with commas and without quotes.
fn parquet(table: &str) -> Vec<u8> {
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let columns: String = header
        .iter()
        .map(|name| format!("required binary {name} (UTF8); "))
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message rows {{ {columns} }}")).unwrap());
    let properties = Arc::new(WriterProperties::default());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for at in 0..header.len() {
        let cells: Vec<ByteArray> = rows
            .iter()
            .map(|row| row[at].as_bytes().to_vec().into())
            .collect();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&cells, None, None)
            .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn parquet_is_read_as_the_same_table_of_text_is() {
    let desk = Desk::empty();
    let both = |name: &str, table: &str, command: &str| {
        desk.write(&format!("{name}.csv"), table);
        desk.write(&format!("{name}.parquet"), parquet(table));
        let run = |file: &str| desk.done(&command.replace("FILE", file)).stdout;
        assert_eq!(
            run(&format!("{name}.parquet")),
            run(&format!("{name}.csv")),
            "{command}"
        );
    };
    let row = |at: usize| {
        format!(
            "q {at},one {at},two {at},{}\n",
            if at.is_multiple_of(3) { "v2" } else { "v1" }
        )
    };
    let pairs = format!(
        "question,v1,v2,best\n{}",
        (0..6).map(row).collect::<String>()
    );
    both(
        "pairs",
        &pairs,
        &format!(
            "judge --data FILE --map {PAIRS} --judge simulated --run FILE.run --quiet --format csv"
        ),
    );
    both(
        "some",
        &pairs,
        &format!(
            "judge --data FILE --map {PAIRS} --where best=v2 --judge simulated --run FILE.run \
             --format csv"
        ),
    );
    both(
        "scores",
        "model,item,score\na,1,2\nb,1,3\na,2,1\nb,2,5\n",
        "leaderboard FILE --ci none --format csv",
    );
    both(
        "battles",
        "model_a,model_b,winner,lang\na,b,1,en\na,b,0,en\nb,a,-1,de\n",
        "leaderboard FILE --ci none --format csv",
    );
    both(
        "german",
        "model_a,model_b,winner,lang\na,b,A,en\na,b,Tie,en\nb,a,A,de\n",
        "leaderboard FILE --where lang=de --ci none --format csv",
    );
    let whole = parquet(&pairs);
    desk.write("cut.parquet", &whole[..whole.len() - 9]);
    let damaged = "cut.parquet: the Parquet file is damaged or cut short";
    desk.refused(
        &format!("rank --data cut.parquet --map {PAIRS} --judge simulated"),
        damaged,
    );
}
