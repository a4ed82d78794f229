//! The file format of an entry.
//!
//! | bytes        | what                                                             |
//! |--------------|------------------------------------------------------------------|
//! | 0..8         | [`MAGIC`]                                                        |
//! | 8..12        | [`VERSION`]                                                      |
//! | 12..16       | length of the label                                              |
//! | 16..24       | length of the description                                        |
//! | 24..32       | length of the code                                               |
//! | 32..64       | the key                                                          |
//! | 64..96       | BLAKE3 of all bytes of the file but these                        |
//! | 96..         | label, description, and zeros up to a multiple of [`ALIGNMENT`]  |
//! | to the end   | the code                                                         |
//!
//! Numbers are little-endian. The code starts a page, so that it can be mapped alone,
//! and nothing else becomes executable. It ends the file, so that the file's length is
//! determined by the header; a byte more or less is noticed.

use blake3::{Hash, Hasher};

use super::error::Refusal;
use super::key::CacheKey;

const MAGIC: [u8; 8] = *b"propjit\n";
const VERSION: u32 = 1;

/// The size of a page on most systems. If pages are larger, somewhat more is mapped.
const ALIGNMENT: u64 = 4096;

/// The number of bytes in a header.
pub(super) const HEADER: usize = 96;
const KEY_AT: usize = 32;
const HASH_AT: usize = 64;

/// The most bytes in a label.
pub(super) const MAX_LABEL: usize = 255;

/// The part of the file that has a fixed size.
pub(super) struct Header {
    bytes: [u8; HEADER],
    /// The number of bytes in the label, which follows the header.
    pub label: usize,
    description: usize,
    /// The offset of the code in the file.
    pub code_at: u64,
    /// The number of bytes of code.
    pub code: usize,
}

impl Header {
    /// The header in these bytes of a file of `length` bytes.
    pub(super) fn decode(bytes: [u8; HEADER], length: u64) -> Result<Header, Refusal> {
        if bytes[..8] != MAGIC {
            return Err(Refusal::Magic);
        }
        let version = u32::from_le_bytes(field(&bytes, 8));
        if version != VERSION {
            return Err(Refusal::Version {
                found: version,
                expected: VERSION,
            });
        }
        let lengths = Lengths {
            label: u32::from_le_bytes(field(&bytes, 12)).into(),
            description: u64::from_le_bytes(field(&bytes, 16)),
            code: u64::from_le_bytes(field(&bytes, 24)),
        };
        let layout = lengths.code_at().filter(|&code_at| {
            lengths.label <= MAX_LABEL as u64 && code_at.checked_add(lengths.code) == Some(length)
        });
        let refusal = Refusal::Length { bytes: length };
        let code_at = layout.ok_or(refusal.clone())?;
        let in_memory = |length: u64| usize::try_from(length).map_err(|_| refusal.clone());
        Ok(Header {
            bytes,
            label: in_memory(lengths.label)?,
            description: in_memory(lengths.description)?,
            code_at,
            code: in_memory(lengths.code)?,
        })
    }

    /// Returns the number of bytes between the header and the code.
    pub(super) fn rest(&self) -> u64 {
        self.code_at - HEADER as u64
    }

    /// The description in the bytes after the header.
    pub(super) fn description<'a>(&self, rest: &'a [u8]) -> &'a [u8] {
        &rest[self.label..][..self.description]
    }

    /// Checks that the file is the entry that was written with this key: the
    /// header, the bytes between it and the code, and the code.
    pub(super) fn verify(&self, key: &CacheKey, rest: &[u8], code: &[u8]) -> Result<(), Refusal> {
        if field::<32>(&self.bytes, KEY_AT) != *key.as_bytes() {
            return Err(Refusal::Key);
        }
        let hash = hash(&self.bytes, rest, code);
        if hash != Hash::from_bytes(field(&self.bytes, HASH_AT)) {
            return Err(Refusal::Hash);
        }
        Ok(())
    }
}

/// Returns the part of the file before the code. Labels have at most [`MAX_LABEL`] bytes.
pub(super) fn encode(key: &CacheKey, label: &str, description: &[u8], code: &[u8]) -> Vec<u8> {
    let lengths = Lengths {
        label: label.len() as u64,
        description: description.len() as u64,
        code: code.len() as u64,
    };
    let code_at = lengths.code_at().expect("both are in memory already");
    let mut front = Vec::with_capacity(code_at as usize);
    front.extend_from_slice(&MAGIC);
    front.extend_from_slice(&VERSION.to_le_bytes());
    front.extend_from_slice(&(label.len() as u32).to_le_bytes());
    front.extend_from_slice(&lengths.description.to_le_bytes());
    front.extend_from_slice(&lengths.code.to_le_bytes());
    front.extend_from_slice(key.as_bytes());
    front.extend_from_slice(&[0; HEADER - HASH_AT]);
    front.extend_from_slice(label.as_bytes());
    front.extend_from_slice(description);
    front.resize(code_at as usize, 0);
    let hash = hash(&field(&front, 0), &front[HEADER..], code);
    front[HASH_AT..HEADER].copy_from_slice(hash.as_bytes());
    front
}

/// The lengths of an entry's parts, in bytes.
struct Lengths {
    label: u64,
    description: u64,
    code: u64,
}

impl Lengths {
    /// Returns the offset of the code, unless it overflows.
    fn code_at(&self) -> Option<u64> {
        let front = (HEADER as u64).checked_add(self.label)?;
        let front = front.checked_add(self.description)?;
        front.checked_next_multiple_of(ALIGNMENT)
    }
}

/// The hash of a file with this header, whatever hash the header holds.
fn hash(header: &[u8; HEADER], rest: &[u8], code: &[u8]) -> Hash {
    let mut hasher = Hasher::new();
    hasher.update(&header[..HASH_AT]);
    hasher.update(rest);
    hasher.update(code);
    hasher.finalize()
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&bytes[at..at + N]);
    field
}
