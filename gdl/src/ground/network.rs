//! The network of a ground program: an atom is the disjunction of its rules, a rule
//! the conjunction of its conditions.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::ground::database::AtomId;
use crate::ground::error::GroundError;
use crate::ground::limits::GroundLimits;
use crate::ground::program::{Condition, GroundProgram, RulesByHead};
use crate::ground::recursion::constants;
use crate::propnet::{Base, Gates, Goal, Move, Percept, Propnet, Role, Wire};
use crate::rules::{Keyword, Pattern, Rules};
use crate::scc;
use crate::term::TermId;

/// The network under construction.
struct Builder<'a> {
    program: &'a GroundProgram,
    rules: RulesByHead,
    /// The wire of each atom, once it has one.
    wires: Vec<Option<Wire>>,
    gates: Gates,
}

/// Builds the network of a ground program.
///
/// # Errors
/// When the network is too large to be numbered, when building is stopped, or when a goal
/// that follows from one of the `rules` is not a number.
pub(crate) fn build(
    program: GroundProgram,
    rules: &Rules,
    limits: &GroundLimits,
) -> Result<Propnet, GroundError> {
    if program.rules.conditions() + program.rules.len() > u32::MAX as usize / 2 {
        return Err(GroundError::TooLarge);
    }
    if limits.stop.is_set() {
        return Err(GroundError::Stopped);
    }
    let mut builder = Builder::new(&program);
    let (mut roles, fluents) = builder.add_ports();
    builder.add_gates(limits)?;
    let terminal = match program.database.find(Keyword::Terminal.relation(), &[]) {
        Some(atom) => builder.wire(atom),
        None => Gates::constant(false),
    };
    let bases = fluents.iter().map(|&fluent| builder.base(fluent)).collect();
    for role in &mut roles {
        builder.add_legal_and_goals(role, rules)?;
        builder.add_percepts(role);
    }
    let gates = builder.gates;
    Ok(Propnet {
        terms: program.terms,
        roles,
        bases,
        terminal,
        gates,
    })
}

impl<'a> Builder<'a> {
    fn new(program: &'a GroundProgram) -> Builder<'a> {
        let atoms = program.database.len();
        Builder {
            program,
            rules: RulesByHead::new(&program.rules, atoms),
            wires: vec![None; atoms],
            gates: Gates::new(),
        }
    }

    /// Adds a gate for each fluent and each move, in the order of discovery.
    /// Returns the roles, with moves but without wires yet, and the fluents.
    fn add_ports(&mut self) -> (Vec<Role>, Vec<TermId>) {
        let database = &self.program.database;
        let mut fluents = Vec::new();
        for atom in database.facts(Keyword::True.relation()) {
            self.wires[atom.index()] = Some(self.gates.base(fluents.len() as u32));
            fluents.push(database.args(atom)[0]);
        }
        let numbers: FxHashMap<TermId, usize> = self
            .program
            .roles
            .iter()
            .enumerate()
            .map(|(number, &name)| (name, number))
            .collect();
        let names = self.program.roles.iter();
        let mut roles: Vec<Role> = names
            .map(|&name| Role {
                name,
                moves: Vec::new(),
                goals: Vec::new(),
                percepts: Vec::new(),
            })
            .collect();
        for atom in database.facts(Keyword::Does.relation()) {
            let [player, name] = [0, 1].map(|i| database.args(atom)[i]);
            // A legal move of a term that is not a role is never made.
            let Some(&number) = numbers.get(&player) else {
                self.wires[atom.index()] = Some(Gates::constant(false));
                continue;
            };
            let moves = &mut roles[number].moves;
            let wire = self.gates.does(number as u32, moves.len() as u32);
            self.wires[atom.index()] = Some(wire);
            moves.push(Move {
                name,
                legal: Gates::constant(false),
            });
        }
        (roles, fluents)
    }

    /// Adds the gates of every atom that a port depends on.
    fn add_gates(&mut self, limits: &GroundLimits) -> Result<(), GroundError> {
        let database = &self.program.database;
        let ports = [
            Keyword::Init,
            Keyword::Next,
            Keyword::Legal,
            Keyword::Goal,
            Keyword::Terminal,
            Keyword::Sees,
        ];
        let roots = ports
            .iter()
            .flat_map(|port| database.facts(port.relation()));
        let mut ticker = RefCell::new(limits.stop.ticker());
        let order = scc::components(database.len(), roots.map(|atom| atom.0), |atom, i| {
            // After a stop, there are no further conditions to follow, and the search ends soon.
            if ticker.borrow_mut().is_set() {
                return None;
            }
            let conditions = self.rules.all_conditions(AtomId(atom));
            conditions.get(i).map(|condition| condition.atom().0)
        });
        let ticker = ticker.get_mut();
        for component in order.iter() {
            if ticker.is_set() {
                return Err(GroundError::Stopped);
            }
            match *component {
                [atom] => self.add_atom(AtomId(atom)),
                _ => self.add_recursive(component),
            }
        }
        Ok(())
    }

    fn add_atom(&mut self, atom: AtomId) {
        if self.wires[atom.index()].is_none() {
            let mut terms = self.rule_wires(atom);
            self.wires[atom.index()] = Some(self.gates.or(&mut terms));
        }
    }

    fn add_recursive(&mut self, component: &[u32]) {
        // The atoms of the initial state have to be constant.
        let constants = constants(component, &self.rules, |condition| {
            condition_wire(&self.wires, condition)
        });
        let start = self.gates.len();
        let mut open = Vec::new();
        for (&atom, constant) in component.iter().zip(constants) {
            self.wires[atom as usize] = Some(match constant {
                Some(value) => Gates::constant(value),
                None => {
                    open.push(atom);
                    self.gates.open()
                }
            });
        }
        if open.is_empty() {
            return;
        }
        for atom in open {
            let terms = self.rule_wires(AtomId(atom));
            self.gates.close(self.wire(AtomId(atom)), &terms);
        }
        self.gates.end_recursive(start);
    }

    /// A wire for each rule of an atom.
    fn rule_wires(&mut self, atom: AtomId) -> Vec<Wire> {
        let mut wires = Vec::new();
        let mut terms = Vec::new();
        for body in self.rules.bodies(atom) {
            wires.clear();
            wires.extend(
                body.iter()
                    .map(|&condition| condition_wire(&self.wires, condition)),
            );
            terms.push(self.gates.and(&mut wires));
        }
        terms
    }

    /// The wire of an atom; false for one that nothing derives.
    fn wire(&self, atom: AtomId) -> Wire {
        self.wires[atom.index()].unwrap_or(Gates::constant(false))
    }

    fn base(&self, name: TermId) -> Base {
        let database = &self.program.database;
        let init = database.find(Keyword::Init.relation(), &[name]);
        let next = database.find(Keyword::Next.relation(), &[name]);
        Base {
            name,
            initial: init.is_some_and(|atom| self.wire(atom) == Gates::constant(true)),
            next: next.map_or(Gates::constant(false), |atom| self.wire(atom)),
        }
    }

    /// Sets the wires of a role's moves, and its goals.
    fn add_legal_and_goals(&self, role: &mut Role, rules: &Rules) -> Result<(), GroundError> {
        let database = &self.program.database;
        for action in &mut role.moves {
            let legal = database.find(Keyword::Legal.relation(), &[role.name, action.name]);
            action.legal = legal.map_or(Gates::constant(false), |atom| self.wire(atom));
        }
        for atom in database.facts(Keyword::Goal.relation()) {
            let [player, value] = [0, 1].map(|i| database.args(atom)[i]);
            if player == role.name {
                let text = self.program.terms.text(value);
                let value = text.parse().map_err(|_| GroundError::GoalValue {
                    source_name: rules.source.name().to_string(),
                    line: goal_line(rules),
                    role: self.program.terms.text(player),
                    value: text,
                })?;
                let wire = self.wire(atom);
                role.goals.push(Goal { value, wire });
            }
        }
        role.goals.sort_by_key(|goal| goal.value);
        Ok(())
    }

    /// Sets what a role may perceive, in the order of discovery.
    fn add_percepts(&self, role: &mut Role) {
        let database = &self.program.database;
        for atom in database.facts(Keyword::Sees.relation()) {
            let [player, name] = [0, 1].map(|i| database.args(atom)[i]);
            if player == role.name {
                let wire = self.wire(atom);
                role.percepts.push(Percept { name, wire });
            }
        }
    }
}

/// The line of the first rule that takes a goal from its conditions: others are checked when they are read.
fn goal_line(rules: &Rules) -> usize {
    let rule = rules.rules.iter().find(|rule| {
        rule.head.relation == Keyword::Goal.relation()
            && !matches!(rule.head.args[1], Pattern::Ground(_))
    });
    let start = rule.map_or(0, |rule| rule.span.start);
    rules.source.position(start).line
}

fn condition_wire(wires: &[Option<Wire>], condition: Condition) -> Wire {
    let wire = wires[condition.atom().index()].unwrap_or(Gates::constant(false));
    Wire {
        inverted: wire.inverted ^ condition.is_negated(),
        ..wire
    }
}
