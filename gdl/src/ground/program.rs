//! Ground programs: atoms, and ground rules in flat storage.

use crate::ground::database::{AtomId, Database};
use crate::term::{TermId, Terms};

/// The result of instantiation: every atom that may ever hold, and the ground rules for it.
pub(crate) struct GroundProgram {
    pub terms: Terms,
    pub database: Database,
    pub rules: GroundRules,
    pub roles: Vec<TermId>,
}

/// A ground atom, or its negation, as a condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Condition(u32);

impl Condition {
    fn new(atom: AtomId, negated: bool) -> Condition {
        Condition(atom.0 << 1 | u32::from(negated))
    }

    pub(super) fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Ground rules, each with a head and conditions.
#[derive(Clone, Default)]
pub(crate) struct GroundRules {
    heads: Vec<AtomId>,
    conditions: Vec<Condition>,
    ends: Vec<usize>,
}

impl GroundRules {
    /// Starts a rule; follow with [`GroundRules::add_negative`] and [`GroundRules::end`].
    pub(super) fn begin(&mut self, head: AtomId, positive: &[AtomId]) {
        self.heads.push(head);
        let conditions = positive.iter().map(|&atom| Condition::new(atom, false));
        self.conditions.extend(conditions);
    }

    pub(super) fn add_negative(&mut self, atom: AtomId) {
        self.conditions.push(Condition::new(atom, true));
    }

    pub(super) fn end(&mut self) {
        self.ends.push(self.conditions.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of conditions of all rules.
    pub(super) fn conditions(&self) -> usize {
        self.conditions.len()
    }

    fn body(&self, rule: usize) -> &[Condition] {
        let start = if rule == 0 { 0 } else { self.ends[rule - 1] };
        &self.conditions[start..self.ends[rule]]
    }

    /// A rough estimate of the memory that the rules take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        4 * self.heads.capacity() + 4 * self.conditions.capacity() + 8 * self.ends.capacity()
    }
}

/// Ground rules sorted by head.
pub(crate) struct RulesByHead {
    /// For each atom the end of its rules in `rule_ends`.
    atom_ends: Vec<u32>,
    /// For each rule the end of its conditions.
    rule_ends: Vec<u32>,
    conditions: Vec<Condition>,
}

impl RulesByHead {
    /// Sorts rules whose heads are below `atoms`; there must be fewer than
    /// 2^32 rules and conditions.
    pub(super) fn new(rules: &GroundRules, atoms: usize) -> RulesByHead {
        // Counting sort: the number of rules of each atom, then their places.
        let mut places = vec![0u32; atoms + 1];
        for head in &rules.heads {
            places[head.index() + 1] += 1;
        }
        for atom in 0..atoms {
            places[atom + 1] += places[atom];
        }
        let mut sorted = vec![0u32; rules.len()];
        for (rule, head) in rules.heads.iter().enumerate() {
            let place = &mut places[head.index()];
            sorted[*place as usize] = rule as u32;
            *place += 1;
        }
        places.pop();
        let mut by_head = RulesByHead {
            atom_ends: places,
            rule_ends: Vec::with_capacity(rules.len()),
            conditions: Vec::with_capacity(rules.conditions.len()),
        };
        for rule in sorted {
            by_head
                .conditions
                .extend_from_slice(rules.body(rule as usize));
            by_head.rule_ends.push(by_head.conditions.len() as u32);
        }
        by_head
    }

    /// The conditions of each rule of an atom.
    pub(super) fn bodies(&self, atom: AtomId) -> impl Iterator<Item = &[Condition]> {
        self.rules_of(atom).map(|rule| {
            let start = self.start(rule);
            &self.conditions[start..self.rule_ends[rule] as usize]
        })
    }

    /// The conditions of all rules of an atom.
    pub(super) fn all_conditions(&self, atom: AtomId) -> &[Condition] {
        let rules = self.rules_of(atom);
        &self.conditions[self.start(rules.start)..self.start(rules.end)]
    }

    fn rules_of(&self, atom: AtomId) -> std::ops::Range<usize> {
        let start = match atom.index() {
            0 => 0,
            index => self.atom_ends[index - 1],
        };
        start as usize..self.atom_ends[atom.index()] as usize
    }

    /// The index of the first condition of a rule.
    fn start(&self, rule: usize) -> usize {
        match rule {
            0 => 0,
            _ => self.rule_ends[rule - 1] as usize,
        }
    }
}
