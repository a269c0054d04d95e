//! Whether the columns of a file have types that their parts can be read from.

use super::{ParquetFile, damaged, schema_of};
use crate::battles::error::{BattleProblem, Result};
use crate::battles::plan::{Field, Part, Plan};
use ::parquet::basic::{LogicalType, Type as PhysicalType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::FileReader;
use ::parquet::schema::types::ColumnDescriptor;

/// Checks that each column has a type that its part can be read from.
pub(super) fn check_types(file: &ParquetFile, plan: &Plan) -> Result {
    let schema = schema_of(file);
    for field in &plan.fields {
        check_type(&schema.column(field.column), field)?;
    }
    check_row_count(file)
}

fn check_type(column: &ColumnDescriptor, field: &Field) -> Result {
    let is_list = column.max_rep_level() > 0;
    if !is_list && fits_part(column, field.part) {
        return Ok(());
    }
    let list = if is_list { " (a list)" } else { "" };
    Err(BattleProblem::ColumnType {
        field: field.name.clone(),
        expected: if field.part.is_number() {
            "an integer or floating-point column"
        } else {
            "a column of text"
        },
        found: format!("{:?}{list}", column.physical_type()),
    })
}

/// Checks that the row groups have as many rows as the file says: a file that is cut may still have
/// its schema.
fn check_row_count(file: &ParquetFile) -> Result {
    let groups = file.metadata().row_groups().iter();
    let rows: i64 = groups.map(|group| group.num_rows()).sum();
    let expected = file.metadata().file_metadata().num_rows();
    if rows == expected {
        Ok(())
    } else {
        let problem = format!("{rows} rows instead of {expected}");
        Err(damaged(&ParquetError::General(problem)))
    }
}

fn fits_part(column: &ColumnDescriptor, part: Part) -> bool {
    let physical = column.physical_type();
    let is_text = physical == PhysicalType::BYTE_ARRAY;
    match part {
        Part::Text => is_text,
        Part::System => is_text || matches!(physical, PhysicalType::INT32 | PhysicalType::INT64),
        Part::Winner | Part::Mark => {
            is_text
                || is_number(physical) && !is_decimal(column)
                || physical == PhysicalType::BOOLEAN
        }
        Part::Cluster => is_text || is_number(physical),
        Part::Filter => is_text || is_number(physical) || physical == PhysicalType::BOOLEAN,
        Part::Weight | Part::Covariate | Part::Count => is_number(physical) && !is_decimal(column),
    }
}

fn is_number(physical: PhysicalType) -> bool {
    matches!(
        physical,
        PhysicalType::INT32 | PhysicalType::INT64 | PhysicalType::FLOAT | PhysicalType::DOUBLE
    )
}

fn is_decimal(column: &ColumnDescriptor) -> bool {
    matches!(column.logical_type_ref(), Some(LogicalType::Decimal { .. }))
}
