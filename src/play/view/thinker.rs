//! The thread that searches from the position that is shown, and moves for the machine.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Shared;
use super::message::{RankedMessage, RoleMessage, SearchMessage};
use super::scene::SceneError;
use crate::game::machine::{MachineError, Move, RoleId};
use crate::play::matches::{HiddenRoles, PlayerError};
use crate::search::SearchBudget;
use crate::search::chooser::Search;
use crate::search::mcts::SearchReport;

/// The interval of reports.
const SLICE: Duration = Duration::from_millis(100);

/// The longest search of a position, unless more is requested.
const LONGEST: Duration = Duration::from_secs(60);

/// The number of moves that are reported for each role.
const MOVES: usize = 12;

/// Joint moves without a choice are made so slowly that they can be seen.
const FORCED: Duration = Duration::from_millis(300);

/// Searches until the end.
pub(super) fn run(shared: &Shared) {
    let config = shared.config.search.clone();
    let search = Search::new(&shared.game, shared.config.backend, config);
    let mut search = match search {
        Ok(search) => Some(search),
        Err(error) => {
            shared.search.lock().failure = Some(error.to_string());
            None
        }
    };
    let mut hidden = shared
        .game
        .hides_information()
        .then(|| HiddenRoles::new(shared.game.clone(), shared.config.search.clone()));
    let mut last = None;
    while let Some(version) = shared.next_version(last) {
        last = Some(version);
        let mut shown = SearchMessage {
            version,
            ..SearchMessage::default()
        };
        if let Some(hidden) = &mut hidden {
            if let Err(error) = think_by_belief(shared, hidden, &mut shown) {
                shown.failure = Some(error.to_string());
                *shared.search.lock() = shown;
            }
            play_machine_moves(shared, version, |_| None);
            continue;
        }
        if let Some(search) = &mut search
            && let Err(error) = think(shared, search, &mut shown)
        {
            shown.failure = Some(error.to_string());
            *shared.search.lock() = shown;
        }
        // If the search could not choose, a random move is played.
        play_machine_moves(shared, version, |_| None);
    }
}

/// Searches from the position until it changes, all is proved, or the time is over.
fn think(
    shared: &Shared,
    search: &mut Search,
    shown: &mut SearchMessage,
) -> Result<(), MachineError> {
    let (position, depth, legal, is_over) = {
        let scene = shared.scene.lock();
        let legal: Vec<usize> = scene.legal().iter().map(Vec::len).collect();
        (
            scene.position().clone(),
            scene.depth(),
            legal,
            scene.is_over(),
        )
    };
    let is_stuck = legal.contains(&0);
    let roles: Vec<RoleId> = RoleId::first(legal.len())
        .filter(|role| legal[role.index()] > 1 && shared.game.random_role() != Some(*role))
        .collect();
    if is_over || is_stuck || roles.is_empty() {
        *shared.search.lock() = shown.clone();
        return Ok(());
    }
    search.set_stop(&shared.stop);
    search.set_position(&position, u32::try_from(depth).unwrap_or(u32::MAX))?;
    let mut time = Duration::ZERO;
    loop {
        let budget = SearchBudget::default().with_stop(shared.stop.within(SLICE));
        search.run(&budget)?;
        let reports: Vec<SearchReport> = roles.iter().map(|&role| search.report(role)).collect();
        let first = &reports[0];
        // If all is proved, the search returns at once.
        let is_done = reports.iter().all(|report| report.solved) || first.time == time;
        time = first.time;
        shown.seconds = time.as_secs_f64();
        (shown.nodes, shown.playouts) = (first.nodes, first.playouts);
        shown.depth = first.minimax.map(|minimax| minimax.depth);
        let of_role = |report| role_message(search, report);
        shown.roles = reports.iter().map(of_role).collect();
        *shared.search.lock() = shown.clone();
        let values = RoleId::first(legal.len()).map(|role| search.report(role).value);
        let values: Vec<Option<f64>> = values.collect();
        {
            let mut scene = shared.scene.lock();
            if scene.version() != shown.version || shared.stop.is_set() {
                return Ok(());
            }
            scene.expect(depth, values);
        }
        if is_done || time >= shared.config.seconds {
            let best = |role: RoleId| {
                let report = reports.iter().find(|report| report.role == role)?;
                Some(search.move_text(role, report.best?))
            };
            if play_machine_moves(shared, shown.version, best) || is_done || time >= LONGEST {
                return Ok(());
            }
        }
    }
}

/// Searches for the roles that have a choice by what each knows. The page gets the results of the person's role only, if it
/// shows only what that knows.
fn think_by_belief(
    shared: &Shared,
    roles: &mut HiddenRoles,
    shown: &mut SearchMessage,
) -> Result<(), PlayerError> {
    let (history, legal, seen, is_over) = {
        let scene = shared.scene.lock();
        let seen = scene.seen().map(|seen| seen.role);
        (
            scene.history().clone(),
            scene.legal().to_vec(),
            seen,
            scene.is_over(),
        )
    };
    let Some(ground) = shared.game.ground_game() else {
        return Err(PlayerError::NotGround);
    };
    let choosers = RoleId::first(legal.len())
        .filter(|role| legal[role.index()].len() > 1 && shared.game.random_role() != Some(*role))
        .filter(|_| !is_over);
    let mut best = BTreeMap::new();
    for role in choosers {
        let stop = shared.stop.within(shared.config.seconds);
        roles.follow(role, &history, &stop)?;
        let budget = SearchBudget::default().with_stop(stop);
        let report = roles.search(role, &budget)?.strategy;
        shown.seconds += report.time.as_secs_f64();
        shown.playouts += report.iterations;
        let drawn = report.draw(shared.scene.lock().rng_mut());
        best.extend(drawn.map(|played| (role, ground.move_text(role, played))));
        if seen.is_none_or(|seen| seen == role) {
            let moves = report.moves.iter().take(MOVES).map(|of| RankedMessage {
                text: ground.move_text(role, of.played),
                visits: of.visits,
                value: of.value,
                solved: false,
                line: Vec::new(),
            });
            shown.roles.push(RoleMessage {
                role: role.index(),
                value: report.value,
                solved: false,
                moves: moves.collect(),
            });
        }
        *shared.search.lock() = shown.clone();
    }
    play_machine_moves(shared, shown.version, |role| best.remove(&role));
    Ok(())
}

/// Plays the machine's moves, if it is its turn. Returns whether a move was played.
fn play_machine_moves(
    shared: &Shared,
    version: u64,
    mut best: impl FnMut(RoleId) -> Option<String>,
) -> bool {
    let (roles, is_forced) = {
        let scene = shared.scene.lock();
        if scene.version() != version {
            return false;
        }
        (scene.awaited(), scene.is_forced())
    };
    let goes_on = match is_forced {
        true => shared.pause(version, FORCED),
        false => !roles.is_empty(),
    };
    if !goes_on {
        return false;
    }
    let played = shared.change(|scene| {
        let mut moves = vec![None; scene.legal().len()];
        for role in roles {
            let any = || scene.legal()[role.index()].first().cloned();
            moves[role.index()] = best(role).or_else(any);
        }
        scene.play(version, &moves)
    });
    match played {
        Ok(()) => true,
        Err(SceneError::Outdated) => false,
        Err(error) => {
            shared.search.lock().failure = Some(error.to_string());
            false
        }
    }
}

fn role_message(search: &mut Search, report: &SearchReport) -> RoleMessage {
    let mut decision = |(role, played): (RoleId, Move)| {
        let text = search.move_text(role, played);
        (role.index(), text)
    };
    let moves = report.moves.iter().take(MOVES).map(|ranked| RankedMessage {
        text: decision((report.role, ranked.played)).1,
        visits: ranked.visits,
        value: ranked.value,
        solved: ranked.is_solved(),
        line: ranked.line.iter().copied().map(&mut decision).collect(),
    });
    RoleMessage {
        role: report.role.index(),
        value: report.value,
        solved: report.solved,
        moves: moves.collect(),
    }
}
