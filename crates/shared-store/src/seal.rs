//! An entry: a reply under the key of its request, and the seal that binds the two.
//!
//! Who looks an entry up has the request, and so its key. What must be sure is that the reply was
//! put under this very key, whole: that is what the seal says. With a signature key it also says
//! that somebody who has the key put it there.

use crate::SharedStoreError;
use evenhand_core::{Reply, RequestKey};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest entry, compressed or not. What is longer is not shared.
pub(crate) const LONGEST: usize = 64 << 20;
/// The shortest signature key, in bytes.
const SHORTEST_KEY: usize = 16;

const SEAL: &str = "evenhand 2026-11-27 seal of a shared reply";
const SIGNATURE: &str = "evenhand 2026-11-27 signature key of shared replies";
const SIGNER: &str = "evenhand 2026-11-27 name of a signature key";

/// A reply as it is shared: what a run keeps of it beside its request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedReply {
    /// The reply.
    pub reply: Reply,
    /// The server's answer, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub raw: Option<String>,
    /// Whether it came by a batch file, which costs less.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub batch: bool,
}

/// Seals entries, and tells those that fit. It cannot be printed.
#[derive(Clone, Default)]
pub struct Signer(Option<[u8; 32]>);

/// An entry as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sealed {
    pub(crate) key: RequestKey,
    pub(crate) seal: [u8; 32],
    pub(crate) body: Vec<u8>,
}

impl Signer {
    /// Returns a signer without a key: what it seals shows whether an entry is whole, and not who
    /// put it there.
    pub fn unsigned() -> Signer {
        Signer(None)
    }

    /// Returns the signer of a key that the members of a team share.
    ///
    /// # Errors
    /// A key that is too short. It is not repeated.
    pub fn with_key(text: &str) -> Result<Signer, SharedStoreError> {
        let text = text.trim();
        if text.len() < SHORTEST_KEY {
            return Err(SharedStoreError::Key(format!(
                "it has {} bytes; expected at least {SHORTEST_KEY}, as random as a password \
                 generator makes them",
                text.len()
            )));
        }
        evenhand_secrets::know(text);
        Ok(Signer(Some(blake3::derive_key(SIGNATURE, text.as_bytes()))))
    }

    /// Whether it has a key.
    pub fn is_signed(&self) -> bool {
        self.0.is_some()
    }

    /// Returns a name for the key that does not tell it; empty without one.
    pub(crate) fn name(&self) -> Vec<u8> {
        self.0
            .map(|key| blake3::derive_key(SIGNER, &key)[..8].to_vec())
            .unwrap_or_default()
    }

    fn seal(&self, key: &RequestKey, body: &[u8]) -> blake3::Hash {
        let mut hash = match &self.0 {
            Some(secret) => blake3::Hasher::new_keyed(secret),
            None => blake3::Hasher::new_derive_key(SEAL),
        };
        hash.update(&key.0).update(body).finalize()
    }

    /// Makes the entry of a reply; None for one that is too long to be shared.
    pub(crate) fn close(&self, key: &RequestKey, reply: &SharedReply) -> Option<Sealed> {
        let plain = serde_json::to_vec(reply).ok()?;
        let length = u32::try_from(plain.len())
            .ok()
            .filter(|_| plain.len() < LONGEST)?;
        let packed = zstd::bulk::compress(&plain, 3).ok()?;
        let mut body = Vec::with_capacity(packed.len() + 4);
        body.extend_from_slice(&length.to_le_bytes());
        body.extend_from_slice(&packed);
        let seal = *self.seal(key, &body).as_bytes();
        (body.len() <= LONGEST).then_some(Sealed {
            key: *key,
            seal,
            body,
        })
    }

    /// Whether the seal of an entry fits. It is compared in constant time.
    pub(crate) fn fits(&self, entry: &Sealed) -> bool {
        self.seal(&entry.key, &entry.body) == blake3::Hash::from_bytes(entry.seal)
    }

    /// Returns the reply of an entry; None where its seal does not fit, or it holds no reply.
    pub(crate) fn open(&self, entry: &Sealed) -> Option<SharedReply> {
        if !self.fits(entry) {
            return None;
        }
        let (length, packed) = entry.body.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let plain = zstd::bulk::decompress(packed, length.min(LONGEST)).ok()?;
        serde_json::from_slice(&plain).ok()
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_signed() {
            "Signer(key)"
        } else {
            "Signer"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn reply(text: &str) -> SharedReply {
        SharedReply {
            reply: Reply {
                text: text.into(),
                answers: Some(vec![0.1, 0.9]),
                ..Reply::default()
            },
            raw: Some(format!("{{\"said\":\"{text}\"}}")),
            batch: true,
        }
    }

    #[test]
    fn an_entry_under_another_key_of_another_signer_or_without_signature_is_refused() {
        let [ours, theirs] = ["our key, of 16 or more", "another key, as long"]
            .map(|k| Signer::with_key(k).unwrap());
        let key = RequestKey::of("a");
        let entry = ours.close(&key, &reply("A")).unwrap();
        assert_eq!(ours.open(&entry), Some(reply("A")));
        assert_eq!(
            (theirs.open(&entry), Signer::unsigned().open(&entry)),
            (None, None)
        );
        let moved = Sealed {
            key: RequestKey::of("b"),
            ..entry
        };
        assert_eq!(ours.open(&moved), None);
        let unsigned = Signer::unsigned().close(&key, &reply("B")).unwrap();
        assert_eq!(
            (ours.open(&unsigned), Signer::unsigned().open(&unsigned)),
            (None, Some(reply("B")))
        );
    }

    #[test]
    fn a_short_key_is_refused_and_not_repeated() {
        let said = Signer::with_key("short").unwrap_err().to_string();
        assert!(
            said.contains("5 bytes") && !said.contains("short"),
            "{said}"
        );
        assert!(!format!("{:?}", Signer::with_key("sixteen bytes or so")).contains("sixteen"));
    }

    proptest! {
        #[test]
        fn an_entry_with_another_byte_is_refused(at in 0_usize..10_000, bit in 0_u8..8) {
            let signer = Signer::unsigned();
            let mut entry = signer.close(&RequestKey::of("a"), &reply("yes")).unwrap();
            let at = at % (entry.body.len() + 64);
            let byte = match at.checked_sub(64) {
                Some(at) => &mut entry.body[at],
                None if at < 32 => &mut entry.seal[at],
                None => &mut entry.key.0[at - 32],
            };
            *byte ^= 1 << bit;
            prop_assert_eq!(signer.open(&entry), None);
        }
    }
}
