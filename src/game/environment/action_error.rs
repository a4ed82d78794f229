//! Errors for actions that cannot be taken.

/// The reason why no step was taken in any environment.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActionError {
    /// There are not as many actions as environments, times players if each of them acts.
    #[error(
        "{given} numbers were given, but {expected} are needed: one for each environment, or for each player of each \
         environment if several choose at the same time (`joint`)"
    )]
    Count {
        /// The number that is needed.
        expected: usize,
        /// The number that was given.
        given: usize,
    },
    /// The action is not legal.
    #[error(
        "action {action} of {player} is not legal in environment {environment}: the mask of legal actions has the legal ones"
    )]
    Illegal {
        /// The number of the environment.
        environment: usize,
        /// The name of the player.
        player: String,
        /// The action.
        action: i32,
    },
    /// The rank is not below the number of legal actions.
    #[error(
        "{player} has {count} legal actions in environment {environment}: none has rank {rank}"
    )]
    Rank {
        /// The number of the environment.
        environment: usize,
        /// The name of the player.
        player: String,
        /// The requested rank.
        rank: i32,
        /// The number of legal actions.
        count: usize,
    },
    /// The match is over, and the next one has to be started.
    #[error(
        "the match in environment {environment} is over: reset the environments whose matches have ended before the next step"
    )]
    Over {
        /// The number of the environment.
        environment: usize,
    },
    /// No match can go on from a terminal state.
    #[error("the state for environment {environment} is terminal: no match can go on from it")]
    Terminal {
        /// The number of the environment.
        environment: usize,
    },
    /// Several players have a choice.
    #[error(
        "several players have a choice in environment {environment}: environments of this game need an action of each player (`joint`)"
    )]
    Joint {
        /// The number of the environment.
        environment: usize,
    },
}

impl ActionError {
    /// Returns the same error for environments that come after `others` others.
    pub(super) fn after(mut self, others: usize) -> ActionError {
        match &mut self {
            ActionError::Count { .. } => {}
            ActionError::Illegal { environment, .. }
            | ActionError::Rank { environment, .. }
            | ActionError::Over { environment }
            | ActionError::Terminal { environment }
            | ActionError::Joint { environment } => *environment += others,
        }
        self
    }
}
