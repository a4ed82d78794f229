//! The inspection of a game: random matches that reveal errors in its rules.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::time::{Duration, Instant};

use propjit_gdl::rules::{Keyword, Pattern};
use propjit_jit::lanes::Width;
use propjit_stop::Stop;
use serde::Serialize;

use super::declarations::Declarations;
use super::example::Example;
use super::findings::{Finding, FindingKind, Proof};
use super::own_moves::OwnMoves;
use super::probes::{DeadRules, ProbesError};
use crate::game::circuits::darkening::ternary::TernaryCircuit;
use crate::game::facts::achievable::{Achievable, Promises};
use crate::game::load::{Game, LoadError, Setup};
use crate::game::machine::{MachineError, Move, RANDOM_ROLE, RoleId};
use crate::game::playout::{RandomMatch, RandomMatches};
use crate::support::rng::streams;
use crate::support::setters::setters;

/// How a game is inspected.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InspectionConfig {
    /// For how long matches are played. A third of it is spent on the search for dead rules.
    pub time: Duration,
    /// The number of joint moves that a match may have.
    pub max_steps: usize,
    /// The [seed](crate::support::rng) of the random moves.
    pub seed: u64,
}

impl Default for InspectionConfig {
    /// Two seconds, and at most 10,000 joint moves.
    fn default() -> InspectionConfig {
        InspectionConfig {
            time: Duration::from_secs(2),
            max_steps: 10_000,
            seed: 0,
        }
    }
}

impl InspectionConfig {
    setters! {
        with_time(time: Duration);
        with_max_steps(max_steps: usize);
        with_seed(seed: u64);
    }
}

/// The result of an inspection.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Inspection {
    /// The seed.
    pub seed: u64,
    /// The number of matches that were played.
    pub matches: u64,
    /// The number of states in them.
    pub states: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Errors and oddities: violations of the language first.
    pub findings: Vec<Finding>,
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (matches, states, seed) = (self.matches, self.states, self.seed);
        writeln!(f, "played {matches} matches, {states} states, seed {seed}")?;
        let mut findings = self.findings.iter();
        findings.try_for_each(|finding| writeln!(f, "{finding}"))
    }
}

/// The findings so far, by their subject.
type Met = BTreeMap<(FindingKind, Option<RoleId>), Finding>;

/// Plays random matches of a game that was loaded with `setup`, and reports the errors found in it.
///
/// # Errors
/// When it is stopped before there is any result.
pub fn inspect(
    game: &Game,
    setup: &Setup,
    config: &InspectionConfig,
    stop: &Stop,
) -> Result<Inspection, LoadError> {
    let start = Instant::now();
    let mut inspection = Inspection {
        seed: config.seed,
        matches: 0,
        states: 0,
        seconds: 0.0,
        findings: Vec::new(),
    };
    if let Some(reason) = game.grounding_error() {
        let message = format!("{reason}; the prover is used instead");
        let finding = Finding::new(FindingKind::NotGrounded, Proof::Example, message);
        inspection.findings.push(finding);
    }
    let time = config.time * 2 / 3;
    match play(game, config, &stop.within(time), &mut inspection) {
        Err(error) => inspection.findings.push(Finding {
            is_error: true,
            ..Finding::new(FindingKind::NotEvaluated, Proof::Example, error.to_string())
        }),
        Ok(()) if inspection.matches == 0 && !stop.is_set() => {
            let message = format!(
                "no match ended within {:.2} s, so goals, moves and ends were not checked: allow more time",
                time.as_secs_f64()
            );
            let finding = Finding::new(FindingKind::NoMatch, Proof::Example, message);
            inspection.findings.push(finding);
        }
        Ok(()) => {}
    }
    if game.ground_game().is_some() {
        dead_rules(game, setup, config, stop, &mut inspection)?;
    }
    let order = |finding: &Finding| (!finding.is_error, finding.kind, finding.line);
    inspection.findings.sort_by_key(order);
    inspection.seconds = start.elapsed().as_secs_f64();
    Ok(inspection)
}

/// Plays matches until `stop` is set.
fn play(
    game: &Game,
    config: &InspectionConfig,
    stop: &Stop,
    inspection: &mut Inspection,
) -> Result<(), MachineError> {
    let rng = streams(config.seed).next().expect("streams do not end");
    // Passes over the circuit of a large game would take all the available time.
    let mut matches = RandomMatches::new(game.follower()?, config.max_steps, rng);
    let roles = matches.machine().roles().to_vec();
    let mut met = Met::new();
    let mut ended = 0;
    let mut goals: Vec<BTreeMap<i32, u64>> = vec![BTreeMap::new(); roles.len()];
    let mut legal = LegalMoves::new(game);
    let mut declarations = Declarations::of(game, stop);
    let mut own_moves = game.rules().has_percepts().then(|| OwnMoves::new(&roles));
    let mut values = Vec::new();
    let mut states = 0;
    let played = loop {
        let watched = matches.play(stop, &mut |machine, _, seen| {
            states += 1;
            legal.note(seen.legal());
            if let Some(declarations) = &mut declarations {
                declarations.note(machine, seen.state(), seen.legal());
            }
            if let Some(own_moves) = &mut own_moves {
                own_moves.note(machine, seen)?;
            }
            Ok(())
        });
        let end = match watched {
            Ok(Some(end)) => end,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        inspection.matches += 1;
        if let Some(declarations) = &mut declarations {
            let (last, machine) = matches.last();
            declarations.note(machine, last.state(), &[]);
        }
        let mut meet = |matches: &mut RandomMatches, kind, role: Option<RoleId>, what: &str| {
            let finding = match met.entry((kind, role)) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(Finding {
                    is_error: true,
                    role: role.map(|role| roles[role.index()].clone()),
                    matches: Some(0),
                    example: Some(Example::of(matches)),
                    ..Finding::new(kind, Proof::Example, what.to_string())
                }),
            };
            finding.matches = finding.matches.map(|count| count + 1);
        };
        match end {
            RandomMatch::Stuck(role) => {
                let what = format!("{} has no legal move", roles[role.index()]);
                meet(&mut matches, FindingKind::NoLegalMove, Some(role), &what);
                // The others may have moves.
                let (last, machine) = matches.last();
                let mut of_role = |role| {
                    let mut moves = Vec::new();
                    let found = machine.legal_moves_unchecked(last.state(), role, &mut moves);
                    found.map(|()| moves)
                };
                let moves = RoleId::first(roles.len()).map(&mut of_role);
                legal.note(&moves.collect::<Result<Vec<_>, _>>()?);
            }
            RandomMatch::Truncated => {
                let what = format!("no end after {} joint moves", matches.last().0.length());
                meet(&mut matches, FindingKind::NeverEnds, None, &what);
            }
            RandomMatch::Terminal => {
                ended += 1;
                // What chance gets is of no interest.
                let players = RoleId::first(roles.len());
                for role in players.filter(|role| roles[role.index()] != RANDOM_ROLE) {
                    let (last, machine) = matches.last();
                    machine.goals(last.state(), role, &mut values)?;
                    for &value in &values {
                        *goals[role.index()].entry(value).or_default() += 1;
                    }
                    let name = &roles[role.index()];
                    let (kind, what) = match &values[..] {
                        [_] => continue,
                        [] => (
                            FindingKind::NoGoal,
                            format!("{name} has no goal at the end"),
                        ),
                        several => {
                            let what = format!("{name} has the goals {several:?} at the end");
                            (FindingKind::SeveralGoals, what)
                        }
                    };
                    meet(&mut matches, kind, Some(role), &what);
                }
            }
        }
    };
    inspection.states += states;
    let undeclared = declarations.iter().flat_map(Declarations::findings);
    inspection.findings.extend(undeclared);
    let unknown = own_moves.into_iter().flat_map(OwnMoves::findings);
    inspection.findings.extend(unknown);
    let total = inspection.matches;
    for mut finding in met.into_values() {
        if finding.kind == FindingKind::NeverEnds {
            // It is not known whether a long match has no end.
            finding.is_error = false;
        }
        if let Some(count) = finding.matches {
            finding.message = format!("{}, in {count} of {total} matches", finding.message);
        }
        inspection.findings.push(finding);
    }
    if total > 0 {
        let found = unreached_goals(game, &goals, ended);
        inspection.findings.extend(found);
        inspection.findings.extend(legal.unreached(game, total));
    }
    played
}

/// The goals that the rules name or the network has, and no match gave.
fn unreached_goals(game: &Game, seen: &[BTreeMap<i32, u64>], ended: u64) -> Vec<Finding> {
    let rules = game.rules();
    let mut found = Vec::new();
    let possible = possible_goals(game);
    for (role, (&name, seen)) in rules.roles.iter().zip(seen).enumerate() {
        let heads = rules.rules.iter().map(|rule| &rule.head);
        let named = heads.filter_map(|head| match &head.args[..] {
            _ if head.relation != Keyword::Goal.relation() => None,
            [Pattern::Ground(other), _] if *other != name => None,
            [_, Pattern::Ground(value)] => rules.terms.text(*value).parse::<i32>().ok(),
            _ => None,
        });
        let mut values: Vec<i32> = named.collect();
        if let Some(ground) = game.ground_game() {
            let goals = ground.propnet().roles[role].goals.iter();
            values.extend(goals.map(|goal| goal.value));
        }
        values.sort_unstable();
        values.dedup();
        let name = rules.terms.text(name);
        if name == RANDOM_ROLE {
            continue;
        }
        let possible = possible.as_ref().map(|possible| &possible[role]);
        let missing = values.into_iter().filter(|value| !seen.contains_key(value));
        let (never, not_seen): (Vec<i32>, Vec<i32>) =
            missing.partition(|value| possible.is_some_and(|possible| !possible.contains(value)));
        for (proof, values) in [(Proof::Proved, never), (Proof::Seen, not_seen)] {
            if values.is_empty() || (proof == Proof::Seen && ended == 0) {
                continue;
            }
            let values = values.iter().map(i32::to_string).collect::<Vec<_>>();
            let values = values.join(", ");
            let message = match proof {
                Proof::Proved => format!("{name} can never get {values}"),
                _ => format!("{name} did not get {values} in {ended} matches"),
            };
            found.push(Finding {
                role: Some(name.clone()),
                ..Finding::new(FindingKind::UnreachedGoal, proof, message)
            });
        }
    }
    found
}

/// Returns for each role the goals that a match may end with, as determined by propagation from the
/// initial state.
fn possible_goals(game: &Game) -> Option<Vec<Vec<i32>>> {
    let ground = game.ground_game()?;
    let bounds = TernaryCircuit::new(ground, ground.lowered());
    let promises = Promises::WELL_FORMED;
    let mut achievable = Achievable::new(ground.clone(), &bounds, Width::X64, promises);
    let possible = achievable.of([ground.initial()]);
    let roles = RoleId::first(ground.roles().len());
    Some(roles.map(|role| possible.values(role, 0)).collect())
}

/// The moves of a ground game that were legal in some state.
struct LegalMoves(Option<Vec<Vec<bool>>>);

impl LegalMoves {
    fn new(game: &Game) -> LegalMoves {
        let ground = game.ground_game();
        LegalMoves(ground.map(|ground| {
            let roles = ground.propnet().roles.iter();
            roles.map(|role| vec![false; role.moves.len()]).collect()
        }))
    }

    fn note(&mut self, legal: &[Vec<Move>]) {
        for (seen, legal) in self.0.iter_mut().flatten().zip(legal) {
            for played in legal {
                seen[played.index()] = true;
            }
        }
    }

    /// For each role, the moves that no match had.
    fn unreached(&self, game: &Game, total: u64) -> Vec<Finding> {
        let Some(ground) = game.ground_game() else {
            return Vec::new();
        };
        let roles = RoleId::first(ground.roles().len()).zip(self.0.iter().flatten());
        let found = roles.filter_map(|(role, seen)| {
            let all = ground.propnet().roles[role.index()].moves.len();
            let moves = (0..all as u32).map(Move);
            let never: Vec<_> = moves.filter(|played| !seen[played.index()]).collect();
            if never.is_empty() {
                return None;
            }
            let name = &ground.roles()[role.index()];
            let first = never.iter().take(3);
            let first: Vec<String> = first.map(|&m| ground.move_text(role, m)).collect();
            let more = if never.len() > 3 { ", ..." } else { "" };
            let (count, first) = (never.len(), first.join(", "));
            let message = format!(
                "{count} of {all} moves of {name} were not legal in {total} matches: {first}{more}"
            );
            Some(Finding {
                role: Some(name.clone()),
                ..Finding::new(FindingKind::UnreachedMove, Proof::Seen, message)
            })
        });
        found.collect()
    }
}

/// Looks for dead rules in a third of the time.
fn dead_rules(
    game: &Game,
    setup: &Setup,
    config: &InspectionConfig,
    stop: &Stop,
    inspection: &mut Inspection,
) -> Result<(), LoadError> {
    let rng = streams(config.seed).nth(1).expect("streams do not end");
    let limits = (config.max_steps, None);
    let found = match DeadRules::find(game, setup, limits, config.time / 3, stop, rng) {
        Ok(found) => found,
        // Errors of the rules themselves are reported already.
        Err(ProbesError::Machine(_) | ProbesError::Load(LoadError::Stopped)) => return Ok(()),
        Err(ProbesError::Load(error)) => return Err(error),
        Err(why) => {
            if !stop.is_set() {
                let message = format!("dead rules were not checked: {why}");
                let kind = FindingKind::DeadRulesUnknown;
                let finding = Finding::new(kind, Proof::Example, message);
                inspection.findings.push(finding);
            }
            return Ok(());
        }
    };
    for dead in found.rules {
        let (proof, what) = match dead.is_proved {
            true => (Proof::Proved, "can never apply".to_string()),
            false => {
                let count = found.matches;
                (Proof::Seen, format!("did not apply in {count} matches"))
            }
        };
        let message = format!("line {}: the rule {what}: {}", dead.line, dead.text);
        inspection.findings.push(Finding {
            line: Some(dead.line),
            ..Finding::new(FindingKind::DeadRule, proof, message)
        });
    }
    Ok(())
}
