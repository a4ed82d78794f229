//! Observers of changes of inputs.

/// What follows changes of inputs. Methods, unlike closures that are called at two places, can be inlined always: else they
/// are compiled without the vector instructions of the code that calls them.
pub(in crate::search::learned) trait InputObserver {
    /// An input of a pattern is true now, or no longer.
    fn pattern(&mut self, input: usize, is_true: bool);

    /// A tuple had the first cell and has the second one.
    fn cell(&mut self, before: usize, after: usize);
}

/// To change counts alone.
pub(super) struct Unobserved;

impl InputObserver for Unobserved {
    #[inline(always)]
    fn pattern(&mut self, _: usize, _: bool) {}

    #[inline(always)]
    fn cell(&mut self, _: usize, _: usize) {}
}
