//! Requests that were written to batch files, until their results come.

use super::{Call, Store};
use crate::StoreError;
use crate::prompts::put_together;
use crate::query::{find_row, read_rows};
use evenhand_core::{About, RequestKey};
use rusqlite::params;
use std::sync::Arc;

/// A request in a batch file.
#[derive(Clone, Debug)]
pub struct ExportedRequest {
    /// Who is asked, by identity.
    pub judge: Arc<str>,
    /// Its canonical text.
    pub request: String,
    /// The item and the systems' responses that it shows; the default where that is not known.
    pub about: About,
}

impl Store {
    /// Notes that a request, which shows `about`, is written to a batch file; false where it was
    /// written before and has
    /// no result yet.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn export_request(
        &mut self,
        key: &RequestKey,
        judge: &str,
        request: &str,
        about: &About,
    ) -> Result<bool, StoreError> {
        self.begin()?;
        let kept = self.prompts.take_apart(&self.db, request, about)?;
        let request = kept.as_deref().unwrap_or(request);
        let mut insert = self.db.prepare_cached(
            "INSERT OR IGNORE INTO exported (key, judge, request) VALUES (?1, ?2, ?3)",
        )?;
        let rows = insert.execute(params![&key.0[..], judge, request])?;
        drop(insert);
        self.commit_if_due()?;
        Ok(rows > 0)
    }

    /// Finds the request with this address, if it was exported and has no result yet.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn exported_request(
        &self,
        key: &RequestKey,
    ) -> Result<Option<ExportedRequest>, StoreError> {
        let sql = "SELECT judge, request FROM exported WHERE key = ?1";
        Ok(find_row(&self.db, sql, [&key.0[..]], |row| {
            let kept: String = row.get(1)?;
            let whole = put_together(&self.db, &kept)?;
            let (request, about) = whole.unwrap_or((kept, About::default()));
            Ok(ExportedRequest {
                judge: row.get::<_, String>(0)?.into(),
                request,
                about,
            })
        })?)
    }

    /// Counts the exported requests that have no result yet.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn count_exported(&self) -> Result<u64, StoreError> {
        let keys: Vec<RequestKey> = read_rows(&self.db, "SELECT key FROM exported", |row| {
            Ok(RequestKey(row.get(0)?))
        })?;
        let mut count = 0;
        for key in keys {
            count += u64::from(self.unfiled.find(&self.db, &key)?.is_none());
        }
        Ok(count)
    }

    /// Keeps the result of an exported request, which then waits no more: both in one transaction,
    /// whenever that is committed.
    ///
    /// # Errors
    /// As of [`Store::put`].
    pub fn import_result(&mut self, call: &Call) -> Result<(), StoreError> {
        self.begin()?;
        self.db
            .prepare_cached("DELETE FROM exported WHERE key = ?1")?
            .execute([&call.key.0[..]])?;
        self.put(&Call {
            batch: true,
            ..*call
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Manifest, Reader};
    use evenhand_core::Reply;

    #[test]
    fn what_was_exported_waits_for_its_result() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), &Manifest::default()).unwrap();
        let (text, judge): (&str, Arc<str>) = ("{\"judge\":\"openai:m\"}", "openai:m".into());
        let key = RequestKey::of(text);
        assert!(
            store
                .export_request(&key, &judge, text, &About::default())
                .unwrap()
        );
        assert!(
            !store
                .export_request(&key, &judge, text, &About::default())
                .unwrap(),
            "written before"
        );
        let exported = store.exported_request(&key).unwrap().unwrap();
        assert_eq!((&exported.judge, &*exported.request), (&judge, text));
        drop(store);
        let mut store = Store::open_existing(dir.path()).unwrap();
        assert_eq!(store.count_exported().unwrap(), 1);
        let usage = evenhand_core::Usage {
            prompt_tokens: 7,
            ..Default::default()
        };
        let result = Ok(Reply {
            usage,
            ..Reply::default()
        });
        store
            .import_result(&Call {
                key: &key,
                judge: &judge,
                request: text,
                about: &About::default(),
                result: &result,
                raw: Some("raw"),
                batch: false,
            })
            .unwrap();
        assert_eq!(store.count_exported().unwrap(), 0);
        assert!(store.exported_request(&key).unwrap().is_none());
        store.commit().unwrap();
        let run = Reader::open(dir.path()).unwrap();
        assert_eq!(run.result(&key).unwrap(), Some(result));
        let totals = run.totals().unwrap();
        assert_eq!(totals[0].usage.prompt_tokens, 7);
        assert_eq!(totals[0].by_batch.prompt_tokens, 7);
    }
}
