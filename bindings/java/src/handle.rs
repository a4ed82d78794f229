//! Handles: the values behind the pointers of Java objects.

use std::sync::Arc;

use arc_swap::{ArcSwapOption, Guard};
use jni::sys::jlong;

use crate::error::Failure;

/// The target of a Java object's pointer. Any number of threads may use it, even while one of them
/// closes it: those that have the value already go on with it.
pub(crate) struct Handle<T>(ArcSwapOption<T>);

impl<T> Handle<T> {
    /// A pointer for a Java object, which [`free`](Handle::free) frees.
    pub(crate) fn make(value: T) -> jlong {
        let handle = Handle(ArcSwapOption::from_pointee(value));
        Box::into_raw(Box::new(handle)) as jlong
    }

    /// # Safety
    /// The pointer was made by [`make`](Handle::make), and is not freed as long as the reference
    /// lives.
    unsafe fn behind<'a>(pointer: jlong) -> &'a Handle<T> {
        // SAFETY: as promised by the caller.
        unsafe { &*(pointer as *const Handle<T>) }
    }

    /// Returns the value, for a short request.
    ///
    /// # Safety
    /// The pointer was made by [`make`](Handle::make), and is not freed as long as the answer lives.
    pub(crate) unsafe fn get(pointer: jlong) -> Result<Open<T>, Failure> {
        // SAFETY: as promised by the caller.
        let handle = unsafe { Handle::<T>::behind(pointer) };
        let value = handle.0.load();
        match *value {
            Some(_) => Ok(Open(value)),
            None => Err(Failure::closed()),
        }
    }

    /// Returns the value, for as long as it is needed.
    ///
    /// # Safety
    /// The pointer was made by [`make`](Handle::make) and is not freed yet.
    pub(crate) unsafe fn keep(pointer: jlong) -> Result<Arc<T>, Failure> {
        // SAFETY: as promised by the caller.
        let handle = unsafe { Handle::<T>::behind(pointer) };
        handle.0.load_full().ok_or_else(Failure::closed)
    }

    /// Closes the handle, and returns its value.
    ///
    /// # Safety
    /// As for [`keep`](Handle::keep).
    pub(crate) unsafe fn close(pointer: jlong) -> Option<Arc<T>> {
        // SAFETY: as promised by the caller.
        let handle = unsafe { Handle::<T>::behind(pointer) };
        handle.0.swap(None)
    }

    /// Frees the handle.
    ///
    /// # Safety
    /// The pointer was made by [`make`](Handle::make), and is not used any more.
    pub(crate) unsafe fn free(pointer: jlong) {
        // SAFETY: as promised by the caller.
        drop(unsafe { Box::from_raw(pointer as *mut Handle<T>) });
    }
}

/// The value behind a handle that was not closed.
pub(crate) struct Open<T>(Guard<Option<Arc<T>>>);

impl<T> std::ops::Deref for Open<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0
            .as_ref()
            .expect("it was looked at when this was made")
    }
}
