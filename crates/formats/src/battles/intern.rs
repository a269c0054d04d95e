//! Byte strings to small numbers, in order of first appearance.

/// An open-addressing table over one arena of bytes. Numbers count from 0 in order of first
/// appearance.
///
/// The hash multiplies the halves of sixteen bytes at a time: fast on short names, with no defence
/// against an adversary, whose file could only make its own reading slow. At most a quarter of the
/// slots is taken, so that few names collide.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    /// Number + 1 of the name in each slot; 0 is an empty slot. The length is a power of two, or 0.
    slots: Vec<u32>,
    /// Hash, and place in `bytes`, of each name.
    names: Vec<(u64, usize, usize)>,
    bytes: Vec<u8>,
}

impl Interner {
    /// Returns how many names there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the name of this number; empty for a number that was not given out.
    pub(super) fn get(&self, number: usize) -> &[u8] {
        self.names
            .get(number)
            .and_then(|&(_, start, end)| self.bytes.get(start..end))
            .unwrap_or_default()
    }

    /// Iterates over all names, in order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Forgets the names, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
        self.names.clear();
        self.bytes.clear();
    }

    /// Returns the number of this name, and whether it is new.
    #[inline]
    pub(super) fn intern(&mut self, name: &[u8]) -> (u32, bool) {
        if (self.names.len() + 1) * 4 > self.slots.len() {
            self.grow_slots();
        }
        let hash = hash_name(name);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        // Linear probing; with three quarters of the slots empty, runs are short.
        while self.slots[slot] != 0 {
            let number = self.slots[slot] - 1;
            let known = number as usize;
            if self.names[known].0 == hash && is_same_name(self.get(known), name) {
                return (number, false);
            }
            slot = (slot + 1) & mask;
        }
        let number = self.names.len() as u32;
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        self.names.push((hash, start, self.bytes.len()));
        self.slots[slot] = number + 1;
        (number, true)
    }

    fn grow_slots(&mut self) {
        let len = (self.slots.len() * 2).max(256);
        self.slots.clear();
        self.slots.resize(len, 0);
        for (number, &(hash, ..)) in self.names.iter().enumerate() {
            let mut slot = hash as usize & (len - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = number as u32 + 1;
        }
    }
}

/// Odd numbers whose bits look random: 2^64 divided by the golden ratio, and by the square root of
/// two.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xb504_f333_f9de_6485];

#[inline]
fn hash_name(name: &[u8]) -> u64 {
    let mut sum = name.len() as u64 ^ FACTORS[0];
    let mut rest = name;
    while let Some((word, more)) = rest.split_first_chunk::<16>() {
        sum = mix_word(sum, u128::from_le_bytes(*word));
        rest = more;
    }
    // The last sixteen bytes, some of which were mixed before, stand for the rest.
    match name.last_chunk::<16>() {
        Some(last) => mix_word(sum, u128::from_le_bytes(*last)),
        None => mix_word(sum, pack_short(name)),
    }
}

/// Returns fewer than sixteen bytes as one number; equal bytes give equal numbers.
#[inline]
fn pack_short(name: &[u8]) -> u128 {
    if let (Some(first), Some(last)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        return u128::from(u64::from_le_bytes(*first))
            | (u128::from(u64::from_le_bytes(*last)) << 64);
    }
    name.iter()
        .fold(0, |word, &byte| (word << 8) | u128::from(byte))
}

/// Returns the halves of the word, mixed with the sum, multiplied to 128 bits and folded.
#[inline]
fn mix_word(sum: u64, word: u128) -> u64 {
    let (low, high) = (word as u64 ^ sum, (word >> 64) as u64 ^ FACTORS[1]);
    let product = u128::from(low) * u128::from(high);
    product as u64 ^ (product >> 64) as u64
}

/// Whether two names are equal, without a call for what is as short as a name.
#[inline]
fn is_same_name(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let (Some(last_a), Some(last_b)) = (a.last_chunk::<16>(), b.last_chunk::<16>()) else {
        return pack_short(a) == pack_short(b);
    };
    // The last sixteen bytes overlap the chunks before them, so that no byte is left out.
    let whole = a
        .chunks_exact(16)
        .zip(b.chunks_exact(16))
        .all(|(a, b)| a == b);
    whole && last_a == last_b
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_come_in_order_of_first_appearance() {
        let mut names = Interner::default();
        let numbers: Vec<_> = ["b", "a", "b", "", "a"]
            .iter()
            .map(|name| names.intern(name.as_bytes()))
            .collect();
        assert_eq!(
            numbers,
            [(0, true), (1, true), (0, false), (2, true), (1, false)]
        );
        assert_eq!(
            names.iter().collect::<Vec<_>>(),
            [b"b".as_slice(), b"a", b""]
        );
        names.clear();
        assert_eq!((names.len(), names.intern(b"a")), (0, (0, true)));
    }

    proptest! {
        #[test]
        fn it_is_a_list_of_distinct_names(names in prop::collection::vec("[ab]{0,10}|[ab]{14,18}|a{30,34}[ab]", 0..400)) {
            let mut table = Interner::default();
            let mut list: Vec<String> = Vec::new();
            for name in &names {
                let number = list.iter().position(|known| known == name);
                prop_assert_eq!(table.intern(name.as_bytes()), (number.unwrap_or(list.len()) as u32, number.is_none()));
                if number.is_none() {
                    list.push(name.clone());
                }
            }
            prop_assert!(table.iter().eq(list.iter().map(String::as_bytes)));
        }
    }
}
