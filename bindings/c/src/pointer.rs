//! Access to the values behind a caller's pointers.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::slice;

use crate::error::Failure;

/// Returns the value that a pointer points to.
///
/// # Safety
/// It is null, or points to a value that lives and does not change as long as the reference.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T) -> Result<&'a T, Failure> {
    // SAFETY: as promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(is_null)
}

/// Returns the value that a pointer points to, to be changed.
///
/// # Safety
/// It is null, or points to a value that lives as long as the reference and that is not accessed
/// otherwise meanwhile.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T) -> Result<&'a mut T, Failure> {
    // SAFETY: as promised by the caller.
    unsafe { pointer.as_mut() }.ok_or_else(is_null)
}

/// Returns the place of a result. Functions that write several results, or change anything, call it
/// first, so that nothing is done if a pointer is null.
///
/// # Safety
/// The pointer is null, or a value can be written there as long as the reference lives, and it is
/// not accessed otherwise meanwhile.
pub(crate) unsafe fn output<'a, T>(pointer: *mut T) -> Result<&'a mut MaybeUninit<T>, Failure> {
    // SAFETY: as promised by the caller; the memory need not hold a value yet.
    unsafe { exclusive(pointer.cast()) }
}

/// Writes a result, unless the pointer is null.
///
/// # Safety
/// The pointer is null, or a value can be written there.
pub(crate) unsafe fn write<T>(pointer: *mut T, value: T) -> Result<(), Failure> {
    // SAFETY: as promised by the caller.
    unsafe { output(pointer) }?.write(value);
    Ok(())
}

/// Writes some of these items to an array of the caller, as many as there is room for, and how many there are.
///
/// # Safety
/// As for [`array_mut`] and [`output`].
pub(crate) unsafe fn write_some<T: Copy>(
    items: &[T],
    to: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    // SAFETY: as promised by the caller.
    let (to, count) = unsafe { (array_mut(to, capacity)?, output(count)?) };
    to.iter_mut().zip(items).for_each(|(to, item)| *to = *item);
    count.write(items.len());
    Ok(())
}

/// Makes a value that is freed by [`free`], and writes the pointer to it.
///
/// # Safety
/// The pointer is null, or a pointer can be written there.
pub(crate) unsafe fn make<T>(
    pointer: *mut *mut T,
    value: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(is_null());
    }
    let value = Box::new(value()?);
    // SAFETY: as promised by the caller.
    unsafe { pointer.write(Box::into_raw(value)) };
    Ok(())
}

/// Frees a value, unless the pointer is null.
///
/// # Safety
/// The pointer is null, or was written by [`make`] and not freed yet.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: as promised by the caller.
        drop(unsafe { Box::from_raw(pointer) });
    }
}

/// A caller's text.
///
/// # Safety
/// It is null, or ends with a zero byte and does not change as long as the reference lives.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(is_null());
    }
    // SAFETY: as promised by the caller.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    text.map_err(|error| Failure::argument(format!("a text is not UTF-8: {error}")))
}

/// A caller's array.
///
/// # Safety
/// `count` is zero, or the pointer is null or points to `count` values that live and do not change
/// as long as the reference.
pub(crate) unsafe fn array<'a, T>(first: *const T, count: usize) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    addressable::<T>(count)?;
    // SAFETY: the pointer is valid, as promised, if it is not null.
    let first = unsafe { shared(first) }?;
    // SAFETY: as promised by the caller.
    Ok(unsafe { slice::from_raw_parts(first, count) })
}

/// A caller's array, to be written to.
///
/// # Safety
/// `count` is zero, or the pointer is null or points to `count` values that live as long as the
/// reference and that are not accessed otherwise meanwhile.
pub(crate) unsafe fn array_mut<'a, T>(first: *mut T, count: usize) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    addressable::<T>(count)?;
    if first.is_null() {
        return Err(is_null());
    }
    // SAFETY: as promised by the caller.
    Ok(unsafe { slice::from_raw_parts_mut(first, count) })
}

/// Checks that this number of values can be addressed at all.
fn addressable<T>(count: usize) -> Result<(), Failure> {
    let bytes = count.checked_mul(size_of::<T>());
    match bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
        true => Ok(()),
        false => Err(Failure::argument(format!(
            "an array of {count} elements is too long for memory"
        ))),
    }
}

fn is_null() -> Failure {
    Failure::argument("a pointer is null")
}
