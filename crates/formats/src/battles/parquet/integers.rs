//! Integers to small numbers, in order of first appearance.

/// An open-addressing table; numbers count from 0. At most half of the slots is taken.
#[derive(Debug, Default)]
pub(super) struct Integers {
    /// The integer, and its number + 1; 0 is an empty slot. The length is a power of two, or 0.
    slots: Vec<(i64, u32)>,
    len: u32,
    /// The integer that was asked for last, and its number: rows of a cluster often follow one
    /// another.
    last: Option<(i64, u32)>,
}

impl Integers {
    /// Returns the number of this integer, and whether it is new.
    #[inline]
    pub(super) fn intern(&mut self, value: i64) -> (u32, bool) {
        match self.last {
            Some((last, number)) if last == value => (number, false),
            _ => self.look_up(value),
        }
    }

    fn look_up(&mut self, value: i64) -> (u32, bool) {
        if (self.len as usize + 1) * 2 > self.slots.len() {
            self.grow_slots();
        }
        let slot = self.find_slot(value);
        let new = self.slots[slot].1 == 0;
        if new {
            self.len += 1;
            self.slots[slot] = (value, self.len);
        }
        let number = self.slots[slot].1 - 1;
        self.last = Some((value, number));
        (number, new)
    }

    /// Returns where the integer is, or the empty slot where it belongs.
    #[inline]
    fn find_slot(&self, value: i64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash_integer(value) & mask;
        while self.slots[slot].1 != 0 && self.slots[slot].0 != value {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow_slots(&mut self) {
        let len = (self.slots.len() * 2).max(1024);
        for (value, number) in std::mem::replace(&mut self.slots, vec![(0, 0); len]) {
            if number != 0 {
                let slot = self.find_slot(value);
                self.slots[slot] = (value, number);
            }
        }
    }
}

/// Returns the upper half of a product with 2^64 divided by the golden ratio: near integers come
/// apart (Knuth 1998, section 6.4).
#[inline]
fn hash_integer(value: i64) -> usize {
    ((value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_list_of_distinct_integers(values in prop::collection::vec(prop_oneof![-9..9i64, any::<i64>()], 0..3000)) {
            let (mut table, mut list) = (Integers::default(), Vec::new());
            for value in values {
                let number = list.iter().position(|known| *known == value);
                prop_assert_eq!(table.intern(value), (number.unwrap_or(list.len()) as u32, number.is_none()));
                if number.is_none() {
                    list.push(value);
                }
            }
        }
    }
}
