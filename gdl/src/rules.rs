//! The rules of a game after parsing: relations, facts and rules over patterns.
//!
//! [`Rules`] is what the prover evaluates and the grounder instantiates. It is
//! already normalised: `or`, nested `not` and the like have been removed (see
//! `normalize`), keywords are known [relations](Relation), variables are
//! numbered within their rule, and every ground term is a [`TermId`].

use std::fmt;
use std::sync::Arc;

use crate::source::{Source, Span};
use crate::term::{Symbol, TermId, Terms};

/// The number of a relation in [`Rules::relations`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RelationId(pub u32);

impl RelationId {
    /// Index into [`Rules::relations`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The name of the role that moves uniformly at random, by the convention of GDL-II for games of chance.
pub const RANDOM_ROLE: &str = "random";

/// The relations with a meaning of their own. They have the first relation
/// numbers of every game, in this order, whether the rulesheet uses them or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Keyword {
    /// `(role R)`: R is a player. Arity 1.
    Role,
    /// `(init F)`: F holds in the initial state. Arity 1.
    Init,
    /// `(true F)`: F holds in the current state. Arity 1.
    True,
    /// `(next F)`: F holds in the next state. Arity 1.
    Next,
    /// `(legal R M)`: R may play M. Arity 2.
    Legal,
    /// `(does R M)`: R plays M. Arity 2.
    Does,
    /// `(goal R V)`: the state is worth V to R. Arity 2.
    Goal,
    /// `terminal`: the match has ended. Arity 0.
    Terminal,
    /// `(base F)`: F may hold in some state. Arity 1.
    Base,
    /// `(input R M)`: M may be legal for R in some state. Arity 2.
    Input,
    /// `(sees R P)` of GDL-II: R perceives P together with the next state. Arity 2.
    Sees,
}

impl Keyword {
    /// All keyword relations in the order of their relation numbers.
    pub const ALL: [Keyword; 11] = [
        Keyword::Role,
        Keyword::Init,
        Keyword::True,
        Keyword::Next,
        Keyword::Legal,
        Keyword::Does,
        Keyword::Goal,
        Keyword::Terminal,
        Keyword::Base,
        Keyword::Input,
        Keyword::Sees,
    ];

    /// The keyword's relation.
    pub const fn relation(self) -> RelationId {
        RelationId(self as u32)
    }

    /// The keyword in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Keyword::Role => "role",
            Keyword::Init => "init",
            Keyword::True => "true",
            Keyword::Next => "next",
            Keyword::Legal => "legal",
            Keyword::Does => "does",
            Keyword::Goal => "goal",
            Keyword::Terminal => "terminal",
            Keyword::Base => "base",
            Keyword::Input => "input",
            Keyword::Sees => "sees",
        }
    }

    /// Whether it declares what is possible in any state. Declarations are a convention among players; the language
    /// does not define them, and the game does not depend on them.
    pub const fn is_declaration(self) -> bool {
        matches!(self, Keyword::Base | Keyword::Input)
    }

    /// Whether it is a property of a state: what may be played in it, what it is worth, and whether the match ends with
    /// it. Such properties must not depend on the moves that are chosen in the state.
    pub const fn is_state_property(self) -> bool {
        matches!(self, Keyword::Legal | Keyword::Goal | Keyword::Terminal)
    }

    /// Whether the specification has it in heads only: rules derive it, and no condition refers to it.
    pub const fn is_of_heads(self) -> bool {
        matches!(self, Keyword::Init | Keyword::Next | Keyword::Sees)
    }

    /// The number of arguments of the keyword.
    pub const fn arity(self) -> usize {
        match self {
            Keyword::Terminal => 0,
            Keyword::Legal | Keyword::Does | Keyword::Goal | Keyword::Input | Keyword::Sees => 2,
            _ => 1,
        }
    }
}

/// A relation: a name used with one number of arguments.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The relation's name. Relations that normalisation introduced have a
    /// name that no rulesheet can spell.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: usize,
}

/// The number of a variable within its rule, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl Var {
    /// Index into [`Rule::variables`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term that may contain variables. The nesting depth of patterns is limited to
/// [`MAX_PATTERN_DEPTH`], so that functions over patterns may recurse.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// A variable.
    Var(Var),
    /// A term without variables.
    Ground(TermId),
    /// A compound term with at least one variable somewhere inside.
    Compound(Symbol, Vec<Pattern>),
}

/// The greatest nesting depth of patterns; a rulesheet with deeper patterns is refused with
/// an error. Ground terms that arise in play are not limited by it.
pub const MAX_PATTERN_DEPTH: usize = 200;

/// A relation applied to patterns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// One pattern for each argument of the relation.
    pub args: Vec<Pattern>,
}

/// A condition in the body of a rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold. Its variables occur in positive literals too.
    Negative(Atom),
    /// The two terms differ. Their variables occur in positive literals too.
    Distinct(Pattern, Pattern),
}

/// `head` holds if all of `body` holds. A fact is a rule with an empty body.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The atom that follows. Its variables occur in positive literals of the body.
    pub head: Atom,
    /// The conditions, in the order in which the rulesheet gives them.
    pub body: Vec<Literal>,
    /// The names of the rule's variables, `?x` and the like, for messages.
    pub variables: Vec<Symbol>,
    /// The place of the rule in the source.
    pub span: Span,
}

/// The rules of one game.
#[derive(Clone)]
pub struct Rules {
    /// The text the rules came from.
    pub source: Source,
    /// Names and ground terms of the rules.
    pub terms: Terms,
    /// The relations, keywords first.
    pub relations: Vec<Relation>,
    /// Facts and rules in the order of the source.
    pub rules: Vec<Rule>,
    /// The roles in the order in which the rulesheet first names them.
    pub roles: Vec<TermId>,
    /// The statements in prefix form, one a line, if the text of the source is something else.
    pub(crate) prefix: Option<Arc<str>>,
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("source", &self.source.name())
            .field("rules", &self.rules.len())
            .finish_non_exhaustive()
    }
}

impl Rules {
    /// The rules in prefix form, in which programs exchange them.
    pub fn prefix_text(&self) -> &str {
        self.prefix.as_deref().unwrap_or_else(|| self.source.text())
    }

    /// The keyword of a relation, if it has one.
    pub fn keyword(relation: RelationId) -> Option<Keyword> {
        Keyword::ALL.get(relation.index()).copied()
    }

    /// Returns whether there are rules for what roles perceive. Without any, roles see the whole state.
    pub fn has_percepts(&self) -> bool {
        let sees = Keyword::Sees.relation();
        self.rules.iter().any(|rule| rule.head.relation == sees)
    }

    /// Returns the least and the greatest goal that the rules may give: 0 to 100, and other goals that they name. If a
    /// rule takes the goal from its conditions, it may be any number in the rulesheet.
    pub fn goal_range(&self) -> (i32, i32) {
        let number = |term: TermId| self.terms.text(term).parse().ok();
        let is_goal = |rule: &&Rule| rule.head.relation == Keyword::Goal.relation();
        let mut range = (0, 100);
        for rule in self.rules.iter().filter(is_goal) {
            let numbers: Vec<i32> = match &rule.head.args[1] {
                Pattern::Ground(goal) => number(*goal).into_iter().collect(),
                _ => self.terms.each().filter_map(number).collect(),
            };
            for number in numbers {
                range = (number.min(range.0), number.max(range.1));
            }
        }
        range
    }
}

impl Pattern {
    /// The number of functors, ground terms and variables.
    pub(crate) fn size(&self) -> usize {
        match self {
            Pattern::Var(_) | Pattern::Ground(_) => 1,
            Pattern::Compound(_, args) => 1 + args.iter().map(Pattern::size).sum::<usize>(),
        }
    }

    /// The functor and the arguments. `None` for a variable.
    pub(crate) fn parts(&self, terms: &Terms) -> Option<(Symbol, Vec<Pattern>)> {
        match self {
            Pattern::Var(_) => None,
            Pattern::Compound(functor, args) => Some((*functor, args.clone())),
            Pattern::Ground(term) => {
                let args = terms.args(*term).iter().map(|&arg| Pattern::Ground(arg));
                Some((terms.functor(*term), args.collect()))
            }
        }
    }

    /// The pattern in prefix form, with the names of a rule's variables.
    pub(crate) fn text(&self, rule: &Rule, terms: &Terms) -> String {
        match self {
            Pattern::Var(var) => terms.name(rule.variables[var.index()]).to_string(),
            Pattern::Ground(term) => terms.text(*term),
            Pattern::Compound(functor, args) => {
                let args: Vec<String> = args.iter().map(|arg| arg.text(rule, terms)).collect();
                format!("({} {})", terms.name(*functor), args.join(" "))
            }
        }
    }

    /// The nesting depth of compounds: 1 for a variable or a ground term.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Pattern::Var(_) | Pattern::Ground(_) => 1,
            Pattern::Compound(_, args) => {
                1 + args.iter().map(Pattern::depth).max().unwrap_or_default()
            }
        }
    }

    /// The pattern `(functor args...)`, ground if all arguments are.
    pub fn apply(terms: &mut Terms, functor: Symbol, args: Vec<Pattern>) -> Pattern {
        let ground = args.iter().map(|arg| match arg {
            Pattern::Ground(term) => Some(*term),
            _ => None,
        });
        match ground.collect::<Option<Vec<TermId>>>() {
            Some(args) => Pattern::Ground(terms.term(functor, &args)),
            None => Pattern::Compound(functor, args),
        }
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn for_each_var(&self, visit: &mut impl FnMut(Var)) {
        match self {
            Pattern::Var(var) => visit(*var),
            Pattern::Ground(_) => {}
            Pattern::Compound(_, args) => args.iter().for_each(|arg| arg.for_each_var(visit)),
        }
    }
}

impl Literal {
    /// The atom that holds or does not hold. `None` for a comparison of terms.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) => None,
        }
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn for_each_var(&self, visit: &mut impl FnMut(Var)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter().for_each(|arg| arg.for_each_var(visit));
            }
            Literal::Distinct(a, b) => {
                a.for_each_var(visit);
                b.for_each_var(visit);
            }
        }
    }
}
