//! Which files have the fields of a filter.

use super::Filter;
use crate::error::{DataError, DataProblem, Result};
use crate::source::nearest::{field_not_found, field_paths};
use evenhand_core::Setting;
use serde_json::Value;

/// Which files have the fields of a filter: this must be known before one that lacks a field is
/// read whole.
#[derive(Clone, Debug, Default)]
pub struct FieldsFound {
    files: Vec<FileFields>,
    kept: u64,
}

#[derive(Clone, Debug)]
struct FileFields {
    /// The sort of file. Files of one sort must all have a field, or none.
    sort: String,
    name: String,
    has: Vec<bool>,
    fields: Vec<String>,
}

impl FileFields {
    /// Whether the file has the field of the condition of this number.
    fn has_field(&self, number: usize) -> bool {
        self.has.get(number) == Some(&true)
    }
}

impl FieldsFound {
    /// Notes a file: its sort, its name, and its first record.
    pub fn add_file(&mut self, filter: &Filter, sort: String, name: &str, first: &Value) {
        let conditions = filter.conditions().iter();
        let has = conditions.map(|condition| condition.is_in(first, 0));
        self.files.push(FileFields {
            sort,
            name: name.to_owned(),
            has: has.collect(),
            // For an error, which there is none of without a condition.
            fields: match filter.is_empty() {
                true => Vec::new(),
                false => field_paths(first),
            },
        });
    }

    /// Notes a file, and returns the conditions that hold for it: those whose field it has.
    pub(crate) fn start_file(
        &mut self,
        filter: &Filter,
        sort: &str,
        name: &str,
        first: &Value,
    ) -> Filter {
        self.add_file(filter, sort.to_owned(), name, first);
        self.filter_of_last(filter)
    }

    /// Notes that the file added last has the field of this condition further on.
    pub fn note_later_field(&mut self, condition: usize) {
        let last = self.files.last_mut();
        if let Some(has) = last.and_then(|file| file.has.get_mut(condition)) {
            *has = true;
        }
    }

    /// Returns the conditions that hold for the file added last: those whose field it has.
    pub fn filter_of_last(&self, filter: &Filter) -> Filter {
        let last = self.files.last();
        filter.filter_conditions(|number| last.is_some_and(|file| file.has_field(number)))
    }

    /// Counts a record that is kept, if there is a condition.
    pub(crate) fn count_record(&mut self, filter: &Filter) {
        self.count_kept(u64::from(!filter.is_empty()));
    }

    /// Counts records that are kept under a condition.
    pub fn count_kept(&mut self, kept: u64) {
        self.kept += kept;
    }

    /// Adds what was found in other files.
    pub fn merge(&mut self, other: FieldsFound) {
        self.files.extend(other.files);
        self.kept += other.kept;
    }

    /// Checks that every field is in some file, and then in all files of its sort, and that
    /// something is left.
    ///
    /// # Errors
    /// A field that is nowhere, with the nearest one; a file that lacks it beside others of its
    /// sort; nothing left.
    pub fn check(&self, filter: &Filter) -> Result {
        self.check_fields(filter)?;
        if self.kept == 0 && !filter.is_empty() {
            return Err(DataError::new(filter.nothing_left()));
        }
        Ok(())
    }

    /// Checks that every field is in some file, and then in all files of its sort.
    ///
    /// # Errors
    /// Those of [`FieldsFound::check`] but for nothing left.
    pub fn check_fields(&self, filter: &Filter) -> Result {
        for (number, condition) in filter.conditions().iter().enumerate() {
            let field = condition.field().to_owned();
            let (having, lacking): (Vec<&FileFields>, Vec<&FileFields>) =
                self.files.iter().partition(|file| file.has_field(number));
            if having.is_empty() {
                let argument = format!("{} {condition}", Setting::Where);
                let files = self.files.iter();
                let files = files.map(|file| (file.name.clone(), file.fields.clone()));
                return Err(field_not_found(argument, field, files.collect()));
            }
            for file in lacking {
                if let Some(other) = having.iter().find(|other| other.sort == file.sort) {
                    return Err(DataError::new(DataProblem::FilterLacks {
                        field,
                        name: file.name.clone(),
                        other: other.name.clone(),
                    }));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(filter: &Filter, files: &[(&str, &str, Value)]) -> Result<(), String> {
        let mut found = FieldsFound::default();
        for (sort, name, first) in files {
            found.add_file(filter, (*sort).to_owned(), name, first);
            found.count_kept(1);
        }
        found.check(filter).map_err(|error| error.to_string())
    }

    #[test]
    fn a_field_is_somewhere_and_then_in_all_files_of_the_sort() {
        let filter = Filter::parse(&["lang=en"]).unwrap();
        let (items, mixed) = (
            json!({"id": 1, "lang": "en"}),
            json!({"id": 1, "langs": "en"}),
        );
        assert_eq!(
            found(
                &filter,
                &[
                    ("items", "a", items.clone()),
                    ("responses", "b", json!({"item": 1}))
                ]
            ),
            Ok(())
        );
        assert_eq!(
            found(
                &filter,
                &[("items", "a", items), ("items", "b", mixed.clone())]
            )
            .unwrap_err(),
            "`where`: b has no field `lang`, and a has; leave one of the two out, or give the \
             records of b the field"
        );
        assert_eq!(
            found(&filter, &[("items", "b", mixed)]).unwrap_err(),
            "`where` lang=en: no file has a field `lang` (`langs` comes near); b has `id`, `langs`"
        );
        assert_eq!(
            found(&Filter::default(), &[("items", "b", json!({}))]),
            Ok(())
        );
    }
}
