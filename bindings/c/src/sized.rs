//! Structures that start with their size, so that later versions can add fields.
//!
//! The size is that which the structure has in the header of the caller. What a shorter one lacks is 0, which is the
//! default of all fields; a longer one, of a later version, is accepted if what it has beyond is 0.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::{ptr, slice};

use crate::error::Failure;
use crate::pointer::shared;

/// A structure that may have more fields in later versions.
///
/// # Safety
/// It has the layout of C and starts with its size as a `usize`; each field may be 0; and fields are never removed or
/// changed, but added at the end.
pub(crate) unsafe trait MayGrow: Copy {
    /// The name in C.
    const NAME: &'static str;
}

/// Declares that a structure may grow after its last field. It does not end with padding, which callers need not set.
macro_rules! may_grow {
    ($structure:ident, $last:ident) => {
        const _: () = {
            let last = std::mem::offset_of!($structure, $last);
            let size = crate::sized::field_size(|structure: &$structure| &structure.$last);
            assert!(std::mem::offset_of!($structure, size) == 0);
            assert!(last + size == size_of::<$structure>());
        };
        // SAFETY: see the structure, whose start and end are checked.
        unsafe impl crate::sized::MayGrow for $structure {
            const NAME: &'static str = concat!("Propjit", stringify!($structure));
        }
    };
}
pub(crate) use may_grow;

pub(crate) const fn field_size<S, T>(_: fn(&S) -> &T) -> usize {
    size_of::<T>()
}

/// The greatest size that a structure may have: others are no sizes.
const MAX_SIZE: usize = 1 << 12;

/// Returns a caller's structure.
///
/// # Safety
/// The pointer is null, or points to a structure with as many bytes as its size says.
pub(crate) unsafe fn read<T: MayGrow>(pointer: *const T) -> Result<T, Failure> {
    // SAFETY: as promised by the caller.
    let size = unsafe { size_of_value(pointer) }?;
    let known = size.min(size_of::<T>());
    let bytes = pointer.cast::<u8>();
    // SAFETY: as promised by the caller, there are `size` bytes.
    let unknown = unsafe { slice::from_raw_parts(bytes.add(known), size - known) };
    if unknown.iter().any(|&byte| byte != 0) {
        return Err(Failure::argument(format!(
            "a {} has fields that this library, of an earlier version, does not have: leave them 0, or link the \
             library of the header",
            T::NAME
        )));
    }
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: both have as many bytes. Those that are not copied are 0, which all fields may be.
    unsafe {
        ptr::copy_nonoverlapping(bytes, value.as_mut_ptr().cast(), known);
        Ok(value.assume_init())
    }
}

/// Returns a caller's options: the defaults if the pointer is null.
///
/// # Safety
/// As for [`read`].
pub(crate) unsafe fn options<T: MayGrow>(pointer: *const T) -> Result<T, Failure> {
    match pointer.is_null() {
        // SAFETY: all fields may be 0.
        true => Ok(unsafe { MaybeUninit::zeroed().assume_init() }),
        // SAFETY: as promised by the caller.
        false => unsafe { read(pointer) },
    }
}

/// The place of a result.
pub(crate) struct Place<'a, T> {
    pointer: *mut T,
    size: usize,
    place: PhantomData<&'a mut T>,
}

/// Returns the place of a result. Functions call it first, so that nothing is done if the pointer is null or the size
/// is not set.
///
/// # Safety
/// The pointer is null, or points to a structure with as many bytes as its size says, which is not accessed otherwise
/// as long as the place lives.
pub(crate) unsafe fn place<'a, T: MayGrow>(pointer: *mut T) -> Result<Place<'a, T>, Failure> {
    // SAFETY: as promised by the caller.
    let size = unsafe { size_of_value(pointer) }?;
    Ok(Place {
        pointer,
        size,
        place: PhantomData,
    })
}

impl<T: MayGrow> Place<'_, T> {
    /// Writes the fields that the caller's structure has; those that only it has become 0. Its size stays.
    pub(crate) fn write(self, value: T) {
        let after_size = size_of::<usize>();
        let known = self.size.min(size_of::<T>());
        let from = (&raw const value).cast::<u8>();
        let to = self.pointer.cast::<u8>();
        // SAFETY: both have `known` bytes, and the caller's structure has `size` bytes, as promised when this was made.
        unsafe {
            ptr::copy_nonoverlapping(from.add(after_size), to.add(after_size), known - after_size);
            ptr::write_bytes(to.add(known), 0, self.size - known);
        }
    }
}

/// # Safety
/// The pointer is null, or points to a structure.
unsafe fn size_of_value<T: MayGrow>(pointer: *const T) -> Result<usize, Failure> {
    // SAFETY: as promised by the caller; the structure starts with its size.
    let size = *unsafe { shared(pointer.cast::<usize>()) }?;
    match (size_of::<usize>()..=MAX_SIZE).contains(&size) {
        true => Ok(size),
        false => Err(Failure::argument(format!(
            "the size of a {name} is not set: make it by PROPJIT_INIT({name})",
            name = T::NAME
        ))),
    }
}

/// Returns the value of a field that is the number of an enumerator.
pub(crate) fn enumerator<T: Copy>(field: &str, number: u32, values: &[T]) -> Result<T, Failure> {
    let value = values.get(number as usize).copied();
    value.ok_or_else(|| {
        let count = values.len();
        Failure::argument(format!("`{field}` is a number below {count}, not {number}"))
    })
}
