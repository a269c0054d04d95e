//! The free fields of a record, which prompts show.

use super::error::Result;
use super::fields::Fields;
use super::record::SystemOutput;
use super::value_source::ValueSource;
use evenhand_core::FreeFields;
use serde_json::Value;

impl Fields<'_> {
    /// Reads the free fields of the item that the record holds.
    pub(super) fn item_fields(&self) -> Result<FreeFields> {
        let shown = self.shown.into_iter();
        self.find_fields(shown.flat_map(|shown| &shown.item), "")
    }

    /// Adds the free fields of a response; in a pair, the names have an ending, as `output_1` has.
    pub(super) fn with_fields(&self, answer: SystemOutput, ending: &str) -> Result<SystemOutput> {
        let shown = self.shown.into_iter();
        let names = shown.flat_map(|shown| shown.response.union(&shown.covariates));
        let fields = self.find_fields(names, ending)?;
        Ok(SystemOutput { fields, ..answer })
    }

    /// Finds fields that are not null.
    fn find_fields<'n>(
        &self,
        names: impl Iterator<Item = &'n String>,
        ending: &str,
    ) -> Result<FreeFields> {
        let mut fields = FreeFields::new();
        for name in names {
            let field = format!("{name}{ending}");
            let source = ValueSource::parse_fields(&field, &field)?;
            match source.find(self.record, self.position) {
                None | Some(Value::Null) => {}
                Some(value) => _ = fields.insert(name.clone(), value),
            }
        }
        Ok(fields)
    }
}
