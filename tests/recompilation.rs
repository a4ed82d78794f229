//! Engines are made, used and dropped, again and again. This test is a program of its own, since it
//! measures the memory of its process.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use propjit::Stop;
use propjit::game::engine::{Engines, MatchEngines, PlayoutPolicy};

use common::continuations::{play, random_states};

/// Engines are made and dropped while threads play on them: the answers are right, and the
/// memory is given back.
#[test]
fn engines_come_and_go_while_threads_play() {
    let (recompilations, threads) = if common::soak() { (1000, 2) } else { (30, 2) };
    let games = ["connectFour", "breakthrough", "reversi", "dotsAndBoxes"].map(common::own_game);
    let engines = games.each_ref().map(|game| game.engines().unwrap().clone());
    let matches = engines.each_ref().map(|engines| random_states(engines, 13));
    let darkened = |engines: &Arc<Engines>| MatchEngines::new(engines.clone()).with_darkening();
    let darkened = engines.each_ref().map(darkened);
    let place = |number: usize| {
        let game = number % games.len();
        let states = &matches[game];
        // Forward in leaps, then back to the start.
        (game, &states[number / games.len() * 7 % (states.len() - 1)])
    };
    let expected = |number: usize| {
        let (game, root) = place(number);
        play(&engines[game], engines[game].best(), root, 300)
    };
    engines.iter().for_each(|engines| engines.wait());
    let now = RwLock::new((0, expected(0)));
    let played = AtomicUsize::new(0);
    let stop = Stop::new();
    let mut resident = Vec::new();
    std::thread::scope(|scope| {
        let play_on = || {
            while !stop.is_set() {
                let (number, expected) = now.read().unwrap().clone();
                let (game, root) = place(number);
                let mut engine = darkened[game].subscribe(PlayoutPolicy::Uniform).current();
                if !engine.validity().contains(root) {
                    // The next root has come meanwhile.
                    engine = engines[game].best();
                }
                assert_eq!(play(&engines[game], engine, root, 300), expected);
                played.fetch_add(1, Ordering::Relaxed);
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(play_on)).collect();
        for number in 0..recompilations {
            let (game, root) = place(number);
            let next = (number, expected(number));
            darkened[game].advance(root, None);
            *now.write().unwrap() = next;
            darkened[game].darkening().unwrap().wait();
            resident.extend(resident_bytes());
            if workers.iter().any(|worker| worker.is_finished()) {
                break;
            }
        }
        stop.set();
    });
    assert!(played.into_inner() >= recompilations / 2, "threads played");
    // Allocators keep some; the code of 1,000 engines would be a hundred megabytes.
    if let (Some(&early), Some(&late)) = (resident.get(resident.len() / 5), resident.last()) {
        let grown = late.saturating_sub(early);
        assert!(grown < 24 << 20, "{early} bytes became {late}");
    }
}

/// How much memory the process has, where that can be seen.
fn resident_bytes() -> Option<usize> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
