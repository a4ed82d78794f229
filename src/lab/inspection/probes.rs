//! Probes: a copy of a rulesheet in which each rule shows whether its conditions ever held.
//!
//! For each rule `(<= HEAD CONDITION...)` the copy has another one, `(<= (next (probe N))
//! CONDITION...)`, which changes nothing in the game. A probe that is not among the propositions of
//! the ground copy can never hold.

use std::fmt::Write as _;
use std::time::Duration;

use propjit_gdl::diagnostic::Diagnostics;
use propjit_gdl::ground::{GroundError, GroundLimitKind};
use propjit_gdl::rules::{Keyword, Literal, Rules};
use propjit_gdl::source::{Notation, Source, Span};
use propjit_gdl::syntax::{self, Form, Tree};
use propjit_stop::Stop;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::game::load::{Game, LoadError, Setup};
use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};
use crate::game::playout::RandomMatches;
use crate::support::rng::GameRng;

/// A rule with conditions that never hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DeadRule {
    /// Its line in the rulesheet, from 1.
    pub line: usize,
    /// The beginning of its text.
    pub text: String,
    /// Whether that is proved. If not, it was so in all matches that were played.
    pub is_proved: bool,
}

/// Why it is not known which rules are dead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbesError {
    /// The copy hit a limit of grounding, which its game need not do: rules that the game does not
    /// depend on are not ground in the game.
    #[error(
        "grounding all rules reached the {kind}, with most of the work for the rule at line {line}"
    )]
    Limit {
        /// The limit.
        kind: GroundLimitKind,
        /// The line of the rule that took the most work.
        line: usize,
    },
    /// Terms of the copy grow without end.
    #[error("terms grow without end by the rule at line {line}")]
    Growth {
        /// The line of the rule that nests them.
        line: usize,
    },
    /// The copy cannot be grounded.
    #[error("not all rules can be grounded: {0}")]
    Ground(GroundError),
    /// No match of the copy came to an end.
    #[error("no match ended in time")]
    Time,
    /// The copy cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The copy cannot be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// The rules of a game that did not apply in random matches.
#[derive(Debug)]
pub(super) struct DeadRules {
    /// The number of matches.
    pub(super) matches: u64,
    /// The rules.
    pub(super) rules: Vec<DeadRule>,
}

impl DeadRules {
    /// Looks for them in a game that was loaded with `setup` for some time, in `most` matches of at
    /// most this many steps.
    pub(super) fn find(
        game: &Game,
        setup: &Setup,
        (max_steps, most): (usize, Option<u64>),
        time: Duration,
        stop: &Stop,
        rng: GameRng,
    ) -> Result<DeadRules, ProbesError> {
        let ending = stop.within(time);
        let mut probes = Probes::new(game.rules(), setup, time)?;
        match probes.play(max_steps, most, &ending, rng)? {
            0 => Err(ProbesError::Time),
            matches => Ok(DeadRules {
                matches,
                rules: probes.dead(game.rules()),
            }),
        }
    }
}

/// The rules of a game with conditions, and which of them had conditions that ever held.
#[derive(Debug)]
pub struct Probes {
    rules: Vec<Probe>,
    /// For each proposition of the copy, the rule that it probes.
    of_base: Vec<Option<usize>>,
    game: Game,
}

/// A rule.
#[derive(Debug)]
struct Probe {
    span: Span,
    /// Whether it depends on the moves.
    needs_moves: bool,
    /// Whether its conditions can hold, according to grounding.
    may_hold: bool,
    /// Whether they held in a match.
    held: bool,
}

impl Probes {
    /// Makes the probes for the rules of a game that was loaded with `setup`. Grounding the copy
    /// may take this time.
    ///
    /// # Errors
    /// When the copy cannot be grounded or loaded.
    pub fn new(rules: &Rules, setup: &Setup, time: Duration) -> Result<Probes, ProbesError> {
        let mut probes = rules_with_conditions(rules);
        let (text, name) = copy(rules, &probes);
        let reading = setup.reading.with_notation(Some(Notation::Prefix));
        let limits = setup.ground.clone();
        let time = limits.time.map_or(time, |limit| limit.min(time));
        let setup = setup.clone().with_ground(limits.with_time(time));
        let setup = setup.with_reading(reading);
        let game = Game::from_text(rules.source.name(), &text, &setup.with_backend(None))?;
        if let Some(reason) = game.grounding_error() {
            return Err(not_ground(rules, &probes, &name, reason));
        }
        let ground = game.ground_game().expect("grounding was not given up");
        let propnet = ground.propnet();
        let number = |term| {
            let text = propnet.terms.text(term);
            let number = text.strip_prefix(&format!("({name} "))?.strip_suffix(')')?;
            number.parse().ok()
        };
        let bases = propnet.bases.iter().map(|base| number(base.name));
        let of_base: Vec<Option<usize>> = bases.collect();
        for &rule in of_base.iter().flatten() {
            probes[rule].may_hold = true;
        }
        Ok(Probes {
            rules: probes,
            of_base,
            game,
        })
    }

    /// Plays random matches of the copy until `stop` is set, or `most` were played; returns their
    /// number.
    ///
    /// # Errors
    /// When the copy cannot be evaluated.
    pub fn play(
        &mut self,
        max_steps: usize,
        most: Option<u64>,
        stop: &Stop,
        rng: GameRng,
    ) -> Result<u64, MachineError> {
        let mut matches = RandomMatches::new(self.game.follower()?, max_steps, rng);
        let mut count = 0;
        while most.is_none_or(|most| count < most) {
            let played = matches.play(stop, &mut |_, _, seen| {
                self.note(seen.state());
                Ok(())
            });
            if played?.is_none() {
                break;
            }
            count += 1;
            let (last, machine) = matches.last();
            self.note(last.state());
            self.note_end(machine, last.state())?;
        }
        Ok(count)
    }

    /// Records which rules held before this state of the copy.
    fn note(&mut self, state: &State) {
        for base in state.iter() {
            if let Some(rule) = self.of_base[base] {
                self.rules[rule].held = true;
            }
        }
    }

    /// Records which rules hold in the state in which a match of the copy ended, whether it is terminal or
    /// not.
    fn note_end(
        &mut self,
        machine: &mut dyn StateMachine,
        state: &State,
    ) -> Result<(), MachineError> {
        let roles = self
            .game
            .ground_game()
            .map(|game| &game.propnet().roles[..]);
        if roles.is_none_or(|roles| roles.iter().any(|role| role.moves.is_empty())) {
            return Ok(());
        }
        let mut joint = Vec::new();
        let mut legal = Vec::new();
        for role in RoleId::first(machine.roles().len()) {
            machine.legal_moves_unchecked(state, role, &mut legal)?;
            // Rules that depend on moves are not considered. Any move will do.
            joint.push(legal.first().copied().unwrap_or(Move(0)));
        }
        let mut next = State::new();
        machine.next_state_unchecked(state, &joint, &mut next)?;
        for base in next.iter() {
            if let Some(rule) = self.of_base[base] {
                let rule = &mut self.rules[rule];
                rule.held |= !rule.needs_moves;
            }
        }
        Ok(())
    }

    /// Returns the rules with conditions that did not hold in any state so far, in the order of the
    /// rulesheet `rules`.
    pub fn dead(&self, rules: &Rules) -> Vec<DeadRule> {
        let never = self.rules.iter().filter(|rule| !rule.held);
        let dead = never.map(|rule| {
            let text = rules.source.slice(rule.span);
            DeadRule {
                line: rules.source.position(rule.span.start).line,
                text: one_line(text),
                is_proved: !rule.may_hold,
            }
        });
        dead.collect()
    }
}

/// Explains why the copy of some rules, with probes of this name, is not ground.
fn not_ground(rules: &Rules, probes: &[Probe], name: &str, reason: &GroundError) -> ProbesError {
    let (line, rule) = match reason {
        GroundError::Limit { line, rule, .. } | GroundError::Growth { line, rule, .. } => {
            (*line, rule)
        }
        _ => return ProbesError::Ground(reason.clone()),
    };
    let number = || {
        let number = rule.strip_prefix(&format!("(<= (next ({name} "))?;
        number.split_once(')')?.0.parse::<usize>().ok()
    };
    let tree = statements(&rules.source);
    let span = match number() {
        Some(number) => Some(probes[number].span),
        None => tree.statements().nth(line - 1).map(|form| form.span()),
    };
    let line = span.map_or(line, |span| rules.source.position(span.start).line);
    match reason {
        GroundError::Limit { kind, .. } => ProbesError::Limit { kind: *kind, line },
        _ => ProbesError::Growth { line },
    }
}

/// The most letters of a rule that are shown.
const SHOWN: usize = 80;

/// A text on one line, cut if it is long.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((cut, _)) => format!("{}...", &text[..cut]),
    }
}

/// The rules of a rulesheet that have conditions, each once.
fn rules_with_conditions(rules: &Rules) -> Vec<Probe> {
    // The relations that depend on the moves.
    let mut depends = vec![false; rules.relations.len()];
    depends[Keyword::Does.relation().index()] = true;
    let needs_moves = |depends: &[bool], body: &[Literal]| {
        body.iter().any(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => depends[atom.relation.index()],
            Literal::Distinct(..) => false,
        })
    };
    let mut is_new = true;
    while is_new {
        is_new = false;
        for rule in &rules.rules {
            let head = rule.head.relation.index();
            if !depends[head] && needs_moves(&depends, &rule.body) {
                depends[head] = true;
                is_new = true;
            }
        }
    }
    let declares = [Keyword::Base, Keyword::Input].map(Keyword::relation);
    // Lenient reading adds rules and conditions that no statement has.
    let tree = statements(&rules.source);
    let has_conditions = |form: &Form<'_>| form.items().nth(2).is_some() && is_rule(*form);
    let stated = tree.statements().filter(has_conditions);
    let stated: FxHashSet<Span> = stated.map(|form| form.span()).collect();
    let mut probes: Vec<Probe> = Vec::new();
    for rule in &rules.rules {
        let is_stated = !rule.body.is_empty() && stated.contains(&rule.span);
        if !is_stated || declares.contains(&rule.head.relation) {
            continue;
        }
        let needs_moves = needs_moves(&depends, &rule.body);
        match probes.last_mut() {
            // An `or` makes several rules of one.
            Some(last) if last.span == rule.span => last.needs_moves |= needs_moves,
            _ => probes.push(Probe {
                span: rule.span,
                needs_moves,
                may_hold: false,
                held: false,
            }),
        }
    }
    probes
}

/// Returns the text of the copy, with a line for each statement of the rulesheet before the probes, and the name of
/// these.
fn copy(rules: &Rules, probes: &[Probe]) -> (String, String) {
    let mut name = "probe".to_string();
    while rules.source.text().contains(&name) {
        name.push('x');
    }
    let tree = statements(&rules.source);
    let mut text = tree.statements_text();
    let mut forms = tree.statements();
    for (number, probe) in probes.iter().enumerate() {
        let Some(form) = forms.find(|form| form.span() == probe.span) else {
            continue;
        };
        // After `<=` and the head come the conditions.
        let conditions = form.items().skip(2).map(|form| format!(" {form}"));
        let conditions: String = conditions.chain(role_condition(form)).collect();
        let _ = writeln!(text, "(<= (next ({name} {number})){conditions})");
    }
    (text, name)
}

/// The condition that a variable for any role has a value.
fn role_condition(rule: Form<'_>) -> Option<String> {
    let mut head = rule.items().nth(1)?.items();
    let keyword = head.next()?.name()?;
    let of_roles = [Keyword::Legal, Keyword::Goal, Keyword::Sees].map(Keyword::name);
    let role = head.next()?.name().filter(|name| name.starts_with('?'))?;
    let is_of_role = of_roles
        .iter()
        .any(|name| name.eq_ignore_ascii_case(keyword));
    is_of_role.then(|| format!(" (role {role})"))
}

fn is_rule(form: Form<'_>) -> bool {
    form.items().next().and_then(|first| first.name()) == Some("<=")
}

fn statements(source: &Source) -> Tree {
    syntax::parse(source, &mut Diagnostics::new(source.clone()))
}
