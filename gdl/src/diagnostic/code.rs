//! Kinds of messages, each with a short name for tools and searches.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $variant:ident => $name:literal,)*) => {
        /// The kind of a message. Prints as its name, such as `unsafe-variable`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Code {
            /// The name of the kind, such as `unsafe-variable`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$variant => $name,)*
                }
            }
        }
    };
}

codes! {
    /// A file that is larger than the limit.
    TooLarge => "too-large",
    /// A file that is not UTF-8 text, or that contains NUL bytes.
    BinaryFile => "binary-file",
    /// A file with only blanks and comments.
    EmptyFile => "empty-file",
    /// Rules in a list, alone or in a message of the GGP protocol.
    WrappedRules => "wrapped-rules",
    /// A `(` without its `)`.
    UnclosedParenthesis => "unclosed-parenthesis",
    /// A `)` without its `(`.
    UnmatchedParenthesis => "unmatched-parenthesis",
    /// A name or a sign in infix form that has no meaning in its place.
    UnexpectedToken => "unexpected-token",
    /// An empty list, `()`.
    EmptyList => "empty-list",
    /// Lists that are nested too deeply.
    NestedTooDeeply => "nested-too-deeply",
    /// A list or a variable where the name of a relation or function belongs.
    NotAName => "not-a-name",
    /// A name that seems to be two.
    MissingBlank => "missing-blank",
    /// A bare name at the top level that nothing depends on.
    BareName => "bare-name",
    /// A keyword where it has no meaning, such as `next` in a body.
    MisplacedKeyword => "misplaced-keyword",
    /// A fluent or move that is declared by `base` or `input` in an unusual way.
    UnusualDeclaration => "unusual-declaration",
    /// A keyword with the wrong number of arguments.
    KeywordArity => "keyword-arity",
    /// A name with different numbers of arguments.
    ArityClash => "arity-clash",
    /// A variable in a fact.
    NonGroundFact => "non-ground-fact",
    /// A variable that does not occur in a positive condition.
    UnsafeVariable => "unsafe-variable",
    /// An `or` that expands to too many rules, or an equality to too large terms.
    TooManyCases => "too-many-cases",
    /// A rule whose conditions contradict each other.
    NeverHolds => "never-holds",
    /// A condition on a relation that has no rules.
    UndefinedRelation => "undefined-relation",
    /// A relation whose name is nearly that of another one.
    NearMiss => "near-miss",
    /// A constant that has the name of a variable of the same rule, and that no other rule has.
    MissingQuestionMark => "missing-question-mark",
    /// A relation that nothing depends on.
    UnusedRelation => "unused-relation",
    /// A relation that depends on its own negation.
    UnstratifiedNegation => "unstratified-negation",
    /// Rules that the specification forbids, with the meaning that other players give them.
    Lenient => "lenient",
    /// Rules that recursion can make without end.
    RecursionRestriction => "recursion-restriction",
    /// Rules that must not depend on the moves or the state, but do.
    ForbiddenDependency => "forbidden-dependency",
    /// A keyword that a game needs, but that has no rules.
    MissingRules => "missing-rules",
    /// Roles that are not given by facts.
    RoleNotGround => "role-not-ground",
    /// A role whose name is nearly `random`, the name of chance.
    NotChance => "not-chance",
    /// A role that is named twice.
    DuplicateRole => "duplicate-role",
    /// A directive to include another file, which is not part of the language.
    Include => "include",
    /// A goal that is not a number from 0 to 100.
    GoalValue => "goal-value",
    /// A move or a goal of something that is not a role.
    UnknownRole => "unknown-role",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
