//! Instantiation: a fixpoint that finds every atom that may ever hold, and its ground rules.
//!
//! Semi-naive evaluation, one fact at a time: newly derived facts wait in a
//! queue; a fact that is taken from it enters the views, and each join plan that
//! it triggers runs over the facts processed before. So every instance of a rule
//! is found exactly once, when the last of its conditions is processed.
//!
//! Relations that depend on neither state nor moves are evaluated first, one
//! strongly connected component after another, and exactly. The other relations
//! are over-approximated: negated conditions are taken to hold, a fluent to be
//! true if any `next` or `init` derives it, a move to be made if it may be legal.

use std::collections::VecDeque;

use propjit_stop::Stop;

use crate::ground::database::{AtomId, Database, Dependence, ViewId};
use crate::ground::error::GroundError;
use crate::ground::growth::Growth;
use crate::ground::join::{Join, JoinOutcome, instantiate};
use crate::ground::limits::{GroundLimitKind, GroundLimits};
use crate::ground::plan::{Plan, Planner};
use crate::ground::program::GroundRules;
use crate::rules::{Keyword, Literal, RelationId, Rule};
use crate::scc;
use crate::source::{Position, Source};
use crate::term::{TermId, Terms};

/// The most atoms: conditions number them in 31 bits, and half of that leaves room until the
/// next check.
const MAX_ATOMS: u64 = 1 << 30;

/// The state of the fixpoint: the rules, and the facts and ground rules found so far.
#[derive(Clone)]
pub(crate) struct Instantiation<'a> {
    rules: &'a [Rule],
    source: &'a Source,
    limits: &'a GroundLimits,
    /// Set when grounding is stopped or its time is over.
    stop: Stop,
    pub terms: Terms,
    pub database: Database,
    pub ground_rules: GroundRules,
    plans: Vec<Plan>,
    /// The plans that a new row of each view triggers.
    triggered: Vec<Vec<usize>>,
    queue: VecDeque<AtomId>,
    is_processed: Vec<bool>,
    join: Join,
    work: u64,
    /// The size of the tables, in bytes, when available memory was last checked.
    bytes_seen: usize,
    /// The work done for each rule, to name the costliest in errors.
    work_of: Vec<u64>,
    growth: Growth,
    /// The work after which this ends as if it was stopped.
    end: u64,
    /// Whether this is a look ahead, in which the newest facts come first.
    is_probe: bool,
    /// The steps of a match that are left, if they are limited.
    steps_left: Option<u64>,
    /// If they are: the fluents that may be true after the next step.
    upcoming: Vec<TermId>,
}

impl<'a> Instantiation<'a> {
    pub(super) fn new(
        terms: Terms,
        database: Database,
        source: &'a Source,
        limits: &'a GroundLimits,
        stop: Stop,
    ) -> Instantiation<'a> {
        Instantiation {
            rules: &[],
            source,
            limits,
            stop,
            terms,
            database,
            ground_rules: GroundRules::default(),
            plans: Vec::new(),
            triggered: Vec::new(),
            queue: VecDeque::new(),
            is_processed: Vec::new(),
            join: Join::default(),
            work: 0,
            bytes_seen: 0,
            work_of: Vec::new(),
            growth: Growth::default(),
            end: u64::MAX,
            is_probe: false,
            steps_left: None,
            upcoming: Vec::new(),
        }
    }

    /// Limits the states to those that are reached in this number of steps.
    pub(super) fn limit_steps(&mut self, steps: Option<u64>) {
        self.steps_left = steps;
        self.growth.allow_steps(steps.unwrap_or(0));
    }

    /// Evaluates the static relations that these rules define, then instantiates the rest.
    pub(super) fn run(&mut self, rules: &'a [Rule]) -> Result<(), GroundError> {
        self.rules = rules;
        self.work_of = vec![0; rules.len()];
        self.growth.begin(&self.terms, rules);
        let count = self.database.relations();
        let relations = (0..count as u32).map(RelationId);
        let is_static: Vec<bool> = relations
            .map(|relation| self.database.dependence(relation) == Dependence::Static)
            .collect();
        let mut rules_of: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, rule) in rules.iter().enumerate() {
            rules_of[rule.head.relation.index()].push(index);
        }
        // The relations that each static relation's rules read.
        let reads: Vec<Vec<u32>> = rules_of
            .iter()
            .enumerate()
            .map(|(relation, own)| {
                let own = own.iter().filter(|_| is_static[relation]);
                let bodies = own.flat_map(|&rule| &rules[rule].body);
                let read = bodies.filter_map(Literal::atom);
                read.map(|atom| atom.relation.0).collect()
            })
            .collect();
        let components = scc::components(count, 0..count as u32, |relation, i| {
            reads[relation as usize].get(i).copied()
        });
        for component in components.iter() {
            if !is_static[component[0] as usize] {
                continue;
            }
            let members = component
                .iter()
                .flat_map(|&relation| &rules_of[relation as usize]);
            self.fixpoint(members.copied())?;
            for &relation in component {
                self.database.complete(RelationId(relation));
            }
        }
        let dynamic = (0..rules.len()).filter(|&r| !is_static[rules[r].head.relation.index()]);
        self.fixpoint(dynamic)
    }

    /// As [`Instantiation::run`], for this work at most. Returns whether it was enough.
    pub(super) fn run_for(&mut self, rules: &'a [Rule], work: u64) -> Result<bool, GroundError> {
        self.end = self.work.saturating_add(work);
        match self.run(rules) {
            Err(GroundError::Stopped) if !self.limits.stop.is_set() => Ok(false),
            result => result.map(|()| true),
        }
    }

    /// Applies these rules until nothing new follows.
    fn fixpoint(&mut self, rules: impl Iterator<Item = usize>) -> Result<(), GroundError> {
        self.plans.clear();
        self.triggered.iter_mut().for_each(Vec::clear);
        let mut at_once = Vec::new();
        for index in rules {
            let rule = &self.rules[index];
            if rule.body.is_empty() {
                self.conclude(index, &[], None)?;
                continue;
            }
            let is_processed = &self.is_processed;
            let mut planner = Planner {
                terms: &self.terms,
                database: &mut self.database,
                is_processed: &|atom: AtomId| {
                    is_processed.get(atom.index()).copied().unwrap_or(false)
                },
            };
            for plan in planner.plans(index, rule) {
                let at = self.plans.len();
                match &plan.trigger {
                    Some(trigger) => {
                        let view = trigger.view.0 as usize;
                        if view >= self.triggered.len() {
                            self.triggered.resize(view + 1, Vec::new());
                        }
                        self.triggered[view].push(at);
                    }
                    None => at_once.push(at),
                }
                self.plans.push(plan);
            }
        }
        let plans = std::mem::take(&mut self.plans);
        for plan in at_once {
            self.apply(&plans[plan], None)?;
        }
        self.exhaust(&plans)?;
        self.plans = plans;
        Ok(())
    }

    /// Processes facts until none are left, the oldest first; or the newest first, to look ahead.
    fn exhaust(&mut self, plans: &[Plan]) -> Result<(), GroundError> {
        let mut seen: Vec<(ViewId, u32)> = Vec::new();
        loop {
            let next = match self.is_probe {
                false => self.queue.pop_front(),
                true => self.queue.pop_back(),
            };
            let Some(atom) = next else {
                if self.begin_step() {
                    continue;
                }
                return Ok(());
            };
            self.is_processed.resize(self.database.len(), false);
            self.is_processed[atom.index()] = true;
            seen.clear();
            self.database.process(atom, &self.terms, &mut seen);
            for &(view, row) in &seen {
                let count = self.triggered.get(view.0 as usize).map_or(0, Vec::len);
                for at in 0..count {
                    let plan = &plans[self.triggered[view.0 as usize][at]];
                    self.apply(plan, Some(row))?;
                }
            }
            self.consequences(atom);
            if self.growth.is_probe_due(self.work) {
                self.check_ahead(plans)?;
            }
        }
    }

    /// Checks, for half the work done so far, whether terms grow without end, in a copy of the fixpoint.
    ///
    /// # Errors
    /// When they do.
    fn check_ahead(&self, plans: &[Plan]) -> Result<(), GroundError> {
        let mut probe = Instantiation {
            rules: self.rules,
            source: self.source,
            limits: self.limits,
            stop: self.stop.clone(),
            terms: self.terms.clone(),
            database: self.database.clone(),
            ground_rules: GroundRules::default(),
            plans: Vec::new(),
            triggered: self.triggered.clone(),
            queue: self.queue.clone(),
            is_processed: self.is_processed.clone(),
            join: Join::default(),
            work: self.work,
            work_of: self.work_of.clone(),
            growth: self.growth.clone(),
            bytes_seen: self.bytes_seen,
            end: self.work + self.work / 2,
            is_probe: true,
            steps_left: self.steps_left,
            upcoming: self.upcoming.clone(),
        };
        match probe.exhaust(plans) {
            Err(growth @ GroundError::Growth { .. }) => Err(growth),
            // Limits are reported where they are hit.
            _ => Ok(()),
        }
    }

    /// Runs one plan and concludes the head of every instance that it finds.
    fn apply(&mut self, plan: &Plan, trigger: Option<u32>) -> Result<(), GroundError> {
        let rule = &self.rules[plan.rule];
        let mut join = std::mem::take(&mut self.join);
        join.start(plan, rule.variables.len(), trigger, &self.database);
        loop {
            match join.next(plan, &self.terms, &self.database) {
                JoinOutcome::Found => {
                    self.conclude(plan.rule, &join.bindings, Some((plan, &join.conditions)))?;
                }
                JoinOutcome::Paused => self.check_limits(plan.rule, join.take_work())?,
                JoinOutcome::Exhausted => break,
            }
        }
        self.check_limits(plan.rule, join.take_work())?;
        self.join = join;
        Ok(())
    }

    /// Derives the head of a rule's instance and records its conditions.
    fn conclude(
        &mut self,
        rule: usize,
        bindings: &[TermId],
        conditions: Option<(&Plan, &[AtomId])>,
    ) -> Result<(), GroundError> {
        let head = &self.rules[rule].head;
        let is_dynamic = self.database.dependence(head.relation) == Dependence::Dynamic;
        let head = self.intern(head, bindings);
        if is_dynamic {
            let (plan, positive) = conditions.map_or((None, &[][..]), |(p, c)| (Some(p), c));
            if !positive.contains(&head) {
                self.ground_rules.begin(head, positive);
                for atom in plan.map_or(&[][..], |plan| &plan.negatives) {
                    let negated = self.intern(atom, bindings);
                    self.ground_rules.add_negative(negated);
                }
                self.ground_rules.end();
            }
        }
        if self.growth.note(&self.terms, rule, self.limits) {
            return Err(self.endless_growth(rule));
        }
        if self.database.derive(head) {
            self.queue.push_back(head);
        }
        self.check_limits(rule, 1)
    }

    fn intern(&mut self, atom: &crate::rules::Atom, bindings: &[TermId]) -> AtomId {
        let args: smallvec::SmallVec<[TermId; 8]> = atom
            .args
            .iter()
            .map(|pattern| instantiate(pattern, bindings, &mut self.terms))
            .collect();
        self.database.atom(atom.relation, &args)
    }

    /// Derives what follows from one state to the next: a fluent that is initial or may be
    /// next may be true, and a move that may be legal may be made.
    fn consequences(&mut self, atom: AtomId) {
        let relation = self.database.relation(atom);
        let is_next = relation == Keyword::Next.relation();
        if is_next || relation == Keyword::Init.relation() {
            let fluent = self.database.args(atom)[0];
            match is_next && self.steps_left.is_some() {
                true => self.upcoming.push(fluent),
                false => self.assume(Keyword::True, &[fluent]),
            }
        } else if relation == Keyword::Legal.relation() {
            let [role, action] = [0, 1].map(|i| self.database.args(atom)[i]);
            self.assume(Keyword::Does, &[role, action]);
        }
    }

    /// Begins the next step of a match, if steps are limited: what may be next may be true. Returns whether there is one.
    fn begin_step(&mut self) -> bool {
        match &mut self.steps_left {
            Some(left @ 1..) if !self.upcoming.is_empty() => *left -= 1,
            _ => return false,
        }
        for fluent in std::mem::take(&mut self.upcoming) {
            self.assume(Keyword::True, &[fluent]);
        }
        true
    }

    fn assume(&mut self, keyword: Keyword, args: &[TermId]) {
        let atom = self.database.atom(keyword.relation(), args);
        if self.database.derive(atom) {
            self.queue.push_back(atom);
        }
    }

    /// Returns whether there is memory for tables of this size, in bytes, to grow: each may double, and the network
    /// made from them afterwards is about as large.
    fn may_grow(&mut self, bytes: usize) -> bool {
        if bytes < self.bytes_seen + GROWTH {
            return true;
        }
        self.bytes_seen = bytes;
        is_available(bytes.saturating_mul(2))
    }

    /// Counts the work of a rule. Every rule instance counts one, and so does every row tried.
    ///
    /// # Errors
    /// When a limit is hit.
    fn check_limits(&mut self, rule: usize, work: u64) -> Result<(), GroundError> {
        /// Limits are not checked every time: reading the clock costs more than a rule instance.
        const CHECK_EVERY: u64 = 4096;
        let before = self.work;
        self.work += work;
        self.work_of[rule] += work;
        if before / CHECK_EVERY == self.work / CHECK_EVERY {
            return Ok(());
        }
        if self.limits.stop.is_set() || self.work > self.end {
            return Err(GroundError::Stopped);
        }
        let count = self.ground_rules.len() as u64;
        let bytes = self.ground_rules.bytes() + self.database.bytes() + self.terms.bytes();
        let atoms = self.database.len() as u64;
        let kind = if atoms > MAX_ATOMS {
            GroundLimitKind::Atoms(MAX_ATOMS)
        } else if count > self.limits.ground_rules {
            GroundLimitKind::GroundRules(self.limits.ground_rules)
        } else if bytes as u64 > self.limits.bytes {
            GroundLimitKind::Bytes(self.limits.bytes)
        } else if !self.may_grow(bytes) {
            GroundLimitKind::System(bytes as u64)
        } else if self.stop.is_set() {
            GroundLimitKind::Time(self.limits.time.unwrap_or_default())
        } else {
            return Ok(());
        };
        let costliest = (0..self.rules.len()).max_by_key(|&rule| self.work_of[rule]);
        let (line, rule) = self.place(costliest.unwrap_or(rule));
        Err(GroundError::Limit {
            kind,
            source_name: self.source.name().into(),
            line,
            rule,
            atoms,
            ground_rules: count,
        })
    }

    /// Returns the error that terms grow without end, detected when this rule was applied.
    fn endless_growth(&self, rule: usize) -> GroundError {
        let (line, rule) = self.place(self.growth.rule(&self.terms).unwrap_or(rule));
        GroundError::Growth {
            source_name: self.source.name().into(),
            line,
            rule,
            depth: self.growth.deepest(),
            atoms: self.database.len() as u64,
        }
    }

    /// The line of a rule, and the beginning of its text.
    fn place(&self, rule: usize) -> (usize, String) {
        let span = self.rules[rule].span;
        let Position { line, .. } = self.source.position(span.start);
        (line, excerpt(self.source.slice(span)))
    }
}

/// The growth of tables, in bytes, after which available memory is checked again.
const GROWTH: usize = 1 << 24;

/// Returns whether the system can provide this many more bytes.
fn is_available(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// The beginning of a rule's text on one line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{} ...", &line[..cut]),
        None => line,
    }
}
