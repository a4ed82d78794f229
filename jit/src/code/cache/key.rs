//! Keys: the names of entries.

use std::fmt;

/// Names an entry: a hash of everything that the code depends on. Code with
/// the same key is interchangeable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheKey(blake3::Hash);

/// Collects the data that a [`CacheKey`] depends on. Each field is hashed with its length, so
/// that different fields never concatenate to the same bytes.
#[derive(Debug)]
pub struct KeyHasher(blake3::Hasher);

/// Separates our keys from all other uses of the hash function, and from keys to
/// other formats of the file, so that versions with different formats can share a
/// directory.
const CONTEXT: &str = "propjit code cache key, format 1";

impl CacheKey {
    /// Returns the key of the data that `feed` supplies: the circuit, the processor, the
    /// code generator with its version, and its options.
    pub fn new(feed: impl FnOnce(&mut KeyHasher)) -> CacheKey {
        let mut hasher = KeyHasher(blake3::Hasher::new_derive_key(CONTEXT));
        feed(&mut hasher);
        CacheKey(hasher.0.finalize())
    }

    /// The 32 bytes of the key.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The key with this name, as [`Display`](fmt::Display) prints it.
    pub(super) fn from_hex(name: &str) -> Option<CacheKey> {
        let key = CacheKey(blake3::Hash::from_hex(name).ok()?);
        // One key has one name: no capitals.
        (key.to_string() == name).then_some(key)
    }
}

impl fmt::Display for CacheKey {
    /// The key as 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl KeyHasher {
    /// A field of bytes.
    pub fn bytes(&mut self, field: &[u8]) {
        self.0.update(&(field.len() as u64).to_le_bytes());
        self.0.update(field);
    }

    /// A field of numbers.
    pub fn numbers(&mut self, field: impl IntoIterator<Item = u32>) {
        // Hashing a field at once is many times faster than number by number.
        let mut bytes = Vec::new();
        for number in field {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.bytes(&bytes);
    }
}
