//! Declarations: the fluents and moves that `base` and `input` list.

use rustc_hash::FxHashSet;

use super::error::ProverError;
use super::limits::ProverLimits;
use super::queries::{Prover, Question};
use crate::rules::{Keyword, Literal, RelationId, Rules};

/// The fluents and moves that a rulesheet declares, in canonical prefix form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// The fluents. `None` if none are declared, or not by facts and rules about them alone.
    pub fluents: Option<FxHashSet<String>>,
    /// The moves of each role; likewise.
    pub moves: Option<Vec<FxHashSet<String>>>,
}

impl Declared {
    /// Evaluates `base` and `input`.
    ///
    /// # Errors
    /// When that takes more than the limits allow.
    pub fn of(rules: &Rules, limits: &ProverLimits) -> Result<Declared, ProverError> {
        let list = |prover: &Prover, list: Vec<_>| {
            let texts = list.into_iter().map(|term| prover.terms().text(term));
            texts.collect::<FxHashSet<String>>()
        };
        let mut declared = Declared {
            fluents: None,
            moves: None,
        };
        if let Some(rules) = asked_as(rules, Keyword::Base, Keyword::Init) {
            let mut prover = Prover::new(&rules, limits.clone())?;
            let fluents = prover.initial_state()?;
            declared.fluents = Some(list(&prover, fluents));
        }
        if let Some(rules) = asked_as(rules, Keyword::Input, Keyword::Legal) {
            let mut prover = Prover::new(&rules, limits.clone())?;
            let mut moves = Vec::new();
            for role in 0..rules.roles.len() {
                let of_role = prover.legal_moves(role)?;
                moves.push(list(&prover, of_role));
            }
            declared.moves = Some(moves);
        }
        Ok(declared)
    }
}

/// The rules with those for `declaration` in place of those for `question`. `None` if there are none, or if they
/// depend on the state or the moves.
fn asked_as(rules: &Rules, declaration: Keyword, question: Keyword) -> Option<Rules> {
    let [from, to] = [declaration, question].map(Keyword::relation);
    let is_declared = rules.rules.iter().any(|rule| rule.head.relation == from);
    if !is_declared || depends_on_state(rules, from) {
        return None;
    }
    let mut asked = rules.clone();
    // Other questions are not asked.
    let questions = Question::ALL.map(Question::relation);
    asked
        .rules
        .retain(|rule| !questions.contains(&rule.head.relation));
    for rule in &mut asked.rules {
        if rule.head.relation == from {
            rule.head.relation = to;
        }
    }
    Some(asked)
}

/// Whether a relation depends on `true` or `does`, or on itself.
fn depends_on_state(rules: &Rules, relation: RelationId) -> bool {
    let mut reached: FxHashSet<RelationId> = FxHashSet::default();
    let mut open = vec![relation];
    while let Some(head) = open.pop() {
        for rule in rules.rules.iter().filter(|rule| rule.head.relation == head) {
            for atom in rule.body.iter().filter_map(Literal::atom) {
                if reached.insert(atom.relation) {
                    open.push(atom.relation);
                }
            }
        }
    }
    let forbidden = [Keyword::True, Keyword::Does].map(Keyword::relation);
    reached.contains(&relation) || forbidden.iter().any(|input| reached.contains(input))
}
