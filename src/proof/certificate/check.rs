//! Certificate checking, by the rules alone.

use std::sync::atomic::{AtomicU64, Ordering};

use propjit_gdl::prover::{Prover, ProverLimits};
use propjit_gdl::rules::{Keyword, Pattern, Rules};
use propjit_gdl::term::TermId;
use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use super::{Certificate, Claim, FORMAT, GoalRange, Position, Refusal};
use crate::game::vocabulary::moves::RANDOM_ROLE;
use crate::game::vocabulary::terms::enter_term;

/// Progress of a check, updated while it works.
#[derive(Default, Debug)]
pub struct CheckProgress(AtomicU64);

impl CheckProgress {
    /// Returns the number of states in which the rules were queried.
    pub fn states(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The proved values of a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The least and the greatest value of each role but chance.
    pub values: Vec<GoalRange>,
    /// The number of states in which the rules were queried.
    pub states: u64,
}

/// Plays what the certificate claims against everything that may happen.
///
/// # Errors
/// The first thing that is not right, or that the check was stopped.
pub fn check(
    rules: &Rules,
    certificate: &Certificate,
    stop: &Stop,
    progress: &CheckProgress,
) -> Result<Checked, Refusal> {
    if certificate.format != FORMAT {
        return Err(Refusal::Format {
            found: certificate.format,
        });
    }
    if rules.has_percepts() {
        return Err(Refusal::HiddenInformation);
    }
    let mut checker = Checker::new(rules, certificate, stop, progress)?;
    let mut proved: Vec<GoalRange> = Vec::new();
    // The goals that roles get in matches that never end.
    let mut floors = Vec::new();
    let roles = checker.roles.clone();
    for role in roles.iter().filter(|role| *role != RANDOM_ROLE) {
        let (least, most) = goals_in_rules(rules, role);
        floors.push(least);
        proved.push(GoalRange {
            role: role.clone(),
            least,
            most,
        });
    }
    for (number, claim) in (1..).zip(&certificate.claims) {
        checker.claim(number, claim)?;
        for (value, &floor) in proved.iter_mut().zip(&floors) {
            let others = roles
                .iter()
                .filter(|role| **role != value.role && *role != RANDOM_ROLE);
            let by_others = others.eq(&claim.by);
            let by_role = claim.by == [value.role.clone()];
            let claimed = claim.goals.iter().filter(|goals| goals.role == value.role);
            for goals in claimed {
                if by_role && claim.ends {
                    value.least = value.least.max(goals.least);
                }
                if by_others {
                    let most = match claim.ends {
                        true => goals.most,
                        false => goals.most.max(floor),
                    };
                    value.most = value.most.min(most);
                }
            }
        }
    }
    for value in &proved {
        if !certificate.values.contains(value) {
            return Err(Refusal::Value {
                role: value.role.clone(),
                least: value.least,
                most: value.most,
            });
        }
    }
    Ok(Checked {
        values: proved,
        states: progress.states(),
    })
}

/// The range of the goals of a role, read off the heads of the rules. If the goal is a variable there, it
/// is some number that the rules contain.
pub(crate) fn goals_in_rules(rules: &Rules, role: &str) -> (i32, i32) {
    let number = |term: TermId| -> Option<i32> {
        let terms = &rules.terms;
        let is_constant = terms.args(term).is_empty();
        is_constant
            .then(|| terms.name(terms.functor(term)).parse().ok())
            .flatten()
    };
    let mut goals = vec![0];
    for rule in &rules.rules {
        if rule.head.relation != Keyword::Goal.relation() {
            continue;
        }
        let [owner, goal] = &rule.head.args[..] else {
            continue;
        };
        let is_other = match owner {
            Pattern::Ground(owner) => rules.terms.text(*owner) != role,
            _ => false,
        };
        match goal {
            _ if is_other => {}
            Pattern::Ground(goal) => goals.extend(number(*goal)),
            _ => goals.extend(
                (0..rules.terms.len() as u32)
                    .map(TermId::from_raw)
                    .filter_map(number),
            ),
        }
    }
    let least = goals.iter().copied().min().unwrap_or(0);
    let most = goals.iter().copied().max().unwrap_or(0);
    (least, most)
}

/// A state: the terms that hold, by number.
type Terms = Box<[TermId]>;

/// Plays by the rules.
struct Checker<'a> {
    prover: Prover,
    roles: Vec<String>,
    /// For each role, the least and the greatest goal that the rules give.
    goals: Vec<(i32, i32)>,
    /// The propositions that positions consist of, with their places.
    fluents: FxHashMap<TermId, usize>,
    moves: Vec<TermId>,
    stop: &'a Stop,
    progress: &'a CheckProgress,
}

/// The status of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    /// The successors are being checked.
    Open,
    /// All that follows is right.
    Done,
}

/// A claim as it is checked.
struct Task<'a> {
    number: usize,
    claim: &'a Claim,
    /// Whether each role is one of the choosing roles.
    chooses: Vec<bool>,
    /// The moves of the choosing roles, by what holds: the digits of positions.
    strategy: FxHashMap<&'a str, &'a [u32]>,
}

impl<'a> Checker<'a> {
    fn new(
        rules: &Rules,
        certificate: &Certificate,
        stop: &'a Stop,
        progress: &'a CheckProgress,
    ) -> Result<Checker<'a>, Refusal> {
        let limits = ProverLimits::default().with_stop(stop.clone());
        let mut prover = Prover::new(rules, limits)?;
        let roles = prover.roles().iter().map(|&role| prover.terms().text(role));
        let roles: Vec<String> = roles.collect();
        let goals = roles.iter().map(|role| goals_in_rules(rules, role));
        let goals = goals.collect();
        let mut term = |text: &String, what| {
            let term = enter_term(prover.terms_mut(), text);
            term.ok_or_else(|| Refusal::Malformed(text.clone(), what))
        };
        let mut fluents = FxHashMap::default();
        for (place, text) in certificate.fluents.iter().enumerate() {
            fluents.insert(term(text, "a proposition")?, place);
        }
        let moves = certificate.moves.iter().map(|text| term(text, "a move"));
        let moves = moves.collect::<Result<_, _>>()?;
        Ok(Checker {
            prover,
            roles,
            goals,
            fluents,
            moves,
            stop,
            progress,
        })
    }

    /// Checks a claim.
    fn claim(&mut self, number: usize, claim: &Claim) -> Result<(), Refusal> {
        let named = claim
            .by
            .iter()
            .chain(claim.goals.iter().map(|goals| &goals.role));
        for role in named {
            if !self.roles.contains(role) {
                return Err(Refusal::Role(role.clone()));
            }
        }
        let positions = claim.positions.iter();
        let task = Task {
            number,
            claim,
            chooses: self
                .roles
                .iter()
                .map(|role| claim.by.contains(role))
                .collect(),
            strategy: positions
                .map(|Position(state, moves)| (state.as_str(), moves.as_slice()))
                .collect(),
        };
        let mut visits: FxHashMap<Terms, Visit> = FxHashMap::default();
        // The states with successors that are being checked, each with the successors that are left.
        let mut open: Vec<(Terms, Vec<Terms>)> = Vec::new();
        let mut next = Some(self.prover.initial_state()?.into_boxed_slice());
        loop {
            if let Some(state) = next.take() {
                match visits.get(&state) {
                    None => {
                        let after = self.successors(&task, &state)?;
                        visits.insert(state.clone(), Visit::Open);
                        open.push((state, after));
                    }
                    Some(Visit::Open) if claim.ends => return Err(self.endless(&task, &state)),
                    Some(_) => {}
                }
            }
            let Some((_, left)) = open.last_mut() else {
                return Ok(());
            };
            next = left.pop();
            if next.is_none()
                && let Some((state, _)) = open.pop()
            {
                visits.insert(state, Visit::Done);
            }
        }
    }

    /// Returns the possible successors of a state if the choosing roles follow the claim. There are none
    /// after the end of the match, if its goals are as claimed.
    fn successors(&mut self, task: &Task<'_>, state: &Terms) -> Result<Vec<Terms>, Refusal> {
        if self.stop.is_set() {
            return Err(Refusal::Stopped);
        }
        self.progress.0.fetch_add(1, Ordering::Relaxed);
        self.prover.set_state(state);
        if self.prover.is_terminal()? {
            self.goals(task, state)?;
            return Ok(Vec::new());
        }
        let mut legal = Vec::with_capacity(self.roles.len());
        for role in 0..self.roles.len() {
            legal.push(self.prover.legal_moves(role)?);
        }
        if legal.iter().any(Vec::is_empty) {
            return Err(Refusal::Stuck {
                claim: task.number,
                state: self.texts(state),
            });
        }
        self.restrict(task, state, &mut legal)?;
        let mut joints: Vec<Vec<TermId>> = vec![Vec::new()];
        for moves in &legal {
            let longer = joints
                .iter()
                .flat_map(|joint| moves.iter().map(|&played| [&joint[..], &[played]].concat()));
            joints = longer.collect();
        }
        let after = joints.iter().map(|joint| {
            let next = self.prover.next_state(joint)?;
            Ok(next.into_boxed_slice())
        });
        after.collect()
    }

    /// Leaves the choosing roles only the moves that the claim gives.
    fn restrict(
        &self,
        task: &Task<'_>,
        state: &Terms,
        legal: &mut [Vec<TermId>],
    ) -> Result<(), Refusal> {
        let mut choosing = legal.iter().zip(&task.chooses);
        if choosing.all(|(legal, chooses)| !chooses || legal.len() == 1) {
            return Ok(());
        }
        let digits = self.digits(state);
        let missing = || Refusal::Missing {
            claim: task.number,
            state: self.texts(state),
        };
        let moves = task.strategy.get(&*digits).ok_or_else(missing)?;
        let choosing = (0..legal.len()).filter(|&role| task.chooses[role]);
        let mut moves = moves.iter();
        for role in choosing {
            let played = moves.next().ok_or_else(missing)?;
            let Some(&played) = self.moves.get(*played as usize) else {
                return Err(Refusal::Malformed(
                    played.to_string(),
                    "the place of a move",
                ));
            };
            if !legal[role].contains(&played) {
                return Err(Refusal::Illegal {
                    claim: task.number,
                    role: self.roles[role].clone(),
                    played: self.prover.terms().text(played),
                    state: self.texts(state),
                });
            }
            legal[role] = vec![played];
        }
        Ok(())
    }

    /// Checks the goals at the end of a match. A role without exactly one may have any that the rules give.
    fn goals(&mut self, task: &Task<'_>, state: &Terms) -> Result<(), Refusal> {
        for claimed in &task.claim.goals {
            let role = self.roles.iter().position(|role| *role == claimed.role);
            let role = role.expect("roles were checked");
            let goals = self.prover.goals(role)?;
            let goal = match *goals {
                [goal] => self.prover.terms().text(goal).parse().ok(),
                _ => None,
            };
            let Some(goal) = goal else {
                let (least, most) = self.goals[role];
                if claimed.least <= least && claimed.most >= most {
                    continue;
                }
                return Err(Refusal::Undefined {
                    claim: task.number,
                    role: claimed.role.clone(),
                    state: self.texts(state),
                });
            };
            if goal < claimed.least || goal > claimed.most {
                return Err(Refusal::Goal {
                    claim: task.number,
                    role: claimed.role.clone(),
                    goal,
                    state: self.texts(state),
                });
            }
        }
        Ok(())
    }

    fn endless(&self, task: &Task<'_>, state: &Terms) -> Refusal {
        Refusal::Endless {
            claim: task.number,
            state: self.texts(state),
        }
    }

    /// Returns what holds in a state, in the encoding of positions.
    fn digits(&self, state: &Terms) -> String {
        let mut digits: Vec<u8> = Vec::new();
        for place in state.iter().filter_map(|fluent| self.fluents.get(fluent)) {
            if digits.len() <= place / 4 {
                digits.resize(place / 4 + 1, 0);
            }
            digits[place / 4] |= 1 << (place % 4);
        }
        let digits = digits.into_iter();
        let digits = digits.map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0'));
        digits.collect()
    }

    /// Returns what holds in a state.
    fn texts(&self, state: &Terms) -> Vec<String> {
        let texts = state.iter().map(|&term| self.prover.terms().text(term));
        let mut texts: Vec<String> = texts.collect();
        texts.sort_unstable();
        texts
    }
}
