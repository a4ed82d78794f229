//! What follows a match that has ended.

/// What happens in an environment whose match has ended. The names are Gymnasium's.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Autoreset {
    /// The step that ends a match starts the next one: rewards and ends are those of the old match, everything else is
    /// about the new one, and [`Finals`](super::Finals) has the state in which the old one ended.
    #[default]
    SameStep,
    /// The step that ends a match shows its last state, and the step after that, whose action is ignored, starts the
    /// next one, with rewards of zero.
    NextStep,
    /// Nothing happens until the environment is [reset](super::VectorEnvironment::reset): until then, actions in it are
    /// errors.
    Disabled,
}
