//! Observations in arrays of the caller.

use propjit::game::environment::Observation;

use crate::error::Failure;
use crate::pointer::array_mut;

/// Writes the elements of an observation, which are packed from the lowest bit of a word on, as bytes.
///
/// # Safety
/// As for [`array_mut`].
pub(crate) unsafe fn write_elements(
    elements: usize,
    packed: &[u64],
    to: *mut u8,
    count: usize,
) -> Result<(), Failure> {
    if count != elements {
        return Err(Failure::argument(format!(
            "an observation has {elements} elements, and the array has {count}"
        )));
    }
    // SAFETY: as promised by the caller.
    let to = unsafe { array_mut(to, count) }?;
    Observation::Bytes(to).write(elements, packed);
    Ok(())
}
