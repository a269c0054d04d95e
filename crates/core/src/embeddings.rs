//! Vectors that stand for texts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A vector for each of some texts, in their order: at least one vector, all of the same length of
/// at least 1, of finite numbers.
///
/// Stored as the length and the base64 of the numbers, each as the four bytes of an f32, the least
/// significant first: what is read back is the same to the last bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(with = "Packed")]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Embeddings {
    dimensions: usize,
    values: Vec<f32>,
}

/// The stored form.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Packed {
    dimensions: usize,
    f32: String,
}

impl Embeddings {
    /// Takes these vectors.
    ///
    /// # Errors
    /// No vectors, vectors of different or no length, and numbers that are not finite, as a
    /// sentence.
    pub fn new(vectors: &[Vec<f32>]) -> Result<Embeddings, String> {
        let dimensions = vectors.first().map_or(0, Vec::len);
        if let Some((at, other)) = vectors
            .iter()
            .enumerate()
            .find(|(_, vector)| vector.len() != dimensions)
        {
            return Err(format!(
                "embedding {at} has {} numbers, and embedding 0 has {dimensions}",
                other.len()
            ));
        }
        Embeddings::from_values(dimensions, vectors.concat())
    }

    /// Takes vectors of so many numbers, one after the other.
    fn from_values(dimensions: usize, values: Vec<f32>) -> Result<Embeddings, String> {
        if dimensions == 0 || values.is_empty() || !values.len().is_multiple_of(dimensions) {
            return Err(format!(
                "{} numbers are no embeddings of {dimensions} numbers each",
                values.len()
            ));
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(format!(
                "embedding {} holds a number that is not finite",
                at / dimensions
            )),
            None => Ok(Embeddings { dimensions, values }),
        }
    }

    /// Returns how many numbers each vector has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the vectors, in the order of the texts.
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimensions)
    }
}

impl From<Embeddings> for Packed {
    fn from(embeddings: Embeddings) -> Packed {
        let bytes: Vec<u8> = embeddings
            .values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        Packed {
            dimensions: embeddings.dimensions,
            f32: STANDARD.encode(bytes),
        }
    }
}

impl TryFrom<Packed> for Embeddings {
    type Error = String;

    fn try_from(packed: Packed) -> Result<Embeddings, String> {
        let bytes = STANDARD
            .decode(packed.f32)
            .map_err(|error| format!("the embeddings are not base64: {error}"))?;
        let (values, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err("the embeddings end within a number".into());
        }
        Embeddings::from_values(
            packed.dimensions,
            values
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn they_are_stored_in_few_letters() {
        let embeddings = Embeddings::new(&[vec![1.0, -2.0], vec![0.5, 0.0]]).unwrap();
        let json = serde_json::to_string(&embeddings).unwrap();
        assert_eq!(json, r#"{"dimensions":2,"f32":"AACAPwAAAMAAAAA/AAAAAA=="}"#);
        assert_eq!(
            embeddings.vectors().collect::<Vec<_>>(),
            [[1.0, -2.0], [0.5, 0.0]]
        );
        assert_eq!(embeddings.dimensions(), 2);
    }

    #[test]
    fn what_are_none_are_refused_with_a_reason() {
        let refused = |vectors: &[Vec<f32>]| Embeddings::new(vectors).unwrap_err();
        assert_eq!(
            refused(&[vec![1.0], vec![1.0, 2.0]]),
            "embedding 1 has 2 numbers, and embedding 0 has 1"
        );
        assert_eq!(
            refused(&[vec![1.0], vec![f32::NAN]]),
            "embedding 1 holds a number that is not finite"
        );
        assert_eq!(
            refused(&[]),
            "0 numbers are no embeddings of 0 numbers each"
        );
        assert_eq!(
            refused(&[vec![], vec![]]),
            "0 numbers are no embeddings of 0 numbers each"
        );
        for json in [
            r#"{"dimensions":2,"f32":"AACAPw=="}"#,
            r#"{"dimensions":0,"f32":""}"#,
            r#"{"dimensions":1,"f32":"AAA="}"#,
            r#"{"dimensions":1,"f32":"AADAfw=="}"#,
            r#"{"dimensions":1,"f32":"?"}"#,
        ] {
            assert!(serde_json::from_str::<Embeddings>(json).is_err(), "{json}");
        }
    }

    proptest! {
        #[test]
        fn what_is_stored_is_read_back_to_the_last_bit(
            values in prop::collection::vec(any::<f32>().prop_filter("finite", |value| value.is_finite()), 1..40),
            dimensions in 1..5usize,
        ) {
            let vectors: Vec<Vec<f32>> = values.chunks_exact(dimensions.min(values.len())).map(<[f32]>::to_vec).collect();
            let embeddings = Embeddings::new(&vectors).unwrap();
            let back: Embeddings = serde_json::from_str(&serde_json::to_string(&embeddings).unwrap()).unwrap();
            let bits = |embeddings: &Embeddings| embeddings.vectors().flatten().map(|value| value.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&back), bits(&embeddings));
        }
    }
}
