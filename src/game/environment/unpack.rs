//! Conversion of bits to numbers and to packed bytes.

/// For each byte, its bits as bytes, the lowest first.
static BYTES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Calls `put` with the position and the bits of each group of eight, as bytes; bits from `count`
/// on are zero.
#[inline(always)]
fn for_each_eight(words: &[u64], count: usize, mut put: impl FnMut(usize, &[u8; 8])) {
    for (word, first) in words.iter().zip((0..count).step_by(64)) {
        let bytes = word.to_le_bytes();
        for (byte, at) in bytes.into_iter().zip((first..count).step_by(8)) {
            put(at, &BYTES[usize::from(byte)]);
        }
    }
}

/// Sets each number to 0 or 1, according to the bit at its position: bit `i` is bit `i % 64` of
/// word `i / 64`.
pub(super) fn to_floats(words: &[u64], floats: &mut [f32]) {
    for_each_eight(words, floats.len(), |at, bits| {
        match floats[at..].first_chunk_mut() {
            Some(whole) => *whole = bits.map(f32::from),
            None => {
                for (to, &bit) in floats[at..].iter_mut().zip(bits) {
                    *to = f32::from(bit);
                }
            }
        }
    });
}

/// Copies the first bytes of the words, the lowest first.
pub(super) fn to_packed(words: &[u64], bytes: &mut [u8]) {
    for (word, bytes) in words.iter().zip(bytes.chunks_mut(8)) {
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_bit_comes_to_its_place(words: [u64; 3], count in 0usize..=192) {
            let bit = |at: usize| words[at / 64] >> (at % 64) & 1 == 1;
            let mut floats = vec![9.0; count];
            to_floats(&words, &mut floats);
            for (at, &float) in floats.iter().enumerate() {
                prop_assert_eq!(float, f32::from(u8::from(bit(at))));
            }
            let mut packed = vec![9; count.div_ceil(8)];
            to_packed(&words, &mut packed);
            for at in 0..count {
                prop_assert_eq!(packed[at / 8] >> (at % 8) & 1 == 1, bit(at));
            }
        }
    }
}
