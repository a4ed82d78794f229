//! A match viewer in the browser, on this machine only.
//!
//! The page, which is part of the program, shows the boards of a game (see [`grid`](crate::game::boards)),
//! plays by clicks or keys, and steps through a match that was played. Meanwhile a search goes on from the
//! position that is shown, and an analysis determines what can never change again.
//!
//! - `scene` is the match, with the position that is shown; `knowing` is what a person sees of it where information is hidden.
//! - `thinker` searches from it and moves for the machine; `knowledge` determines what is dark.
//! - `message` has the messages between page and server; `server` handles the requests.

mod knowing;
mod knowledge;
mod message;
mod scene;
mod server;
mod thinker;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use propjit_stop::Stop;

use crate::game::boards::Grids;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError};
use crate::game::position::History;
use crate::play::ggp::ServerLimits;
use crate::play::ggp::listener::{Listener, listen_remedy};
use crate::search::chooser::SearchConfig;
use crate::support::rng;
use crate::support::setters::setters;
use knowing::Knowing;
use message::{GameMessage, KnowledgeMessage, SearchMessage};
use scene::Scene;

/// The configuration of a view.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ViewConfig {
    /// The name of the game.
    pub name: String,
    /// For each role whether the machine plays it.
    pub machines: Vec<bool>,
    /// How long the machine thinks about a move.
    pub seconds: Duration,
    /// How to search.
    pub search: SearchConfig,
    /// The backend to search with.
    pub backend: Backend,
    /// The name of each role's player, in a match on record.
    pub players: Vec<Option<String>>,
    /// For each joint move of a match on record, and each role, the expectation of its player.
    pub expected: Vec<Vec<Option<f64>>>,
    /// Whether the page shows the whole state and all moves in a game that hides information, too. Otherwise it shows what
    /// the only role knows that the machine does not play, if there is one.
    pub show_all: bool,
    /// Ends its threads, and the search for boards before.
    pub stop: Stop,
}

impl ViewConfig {
    setters! {
        with_name(name: String);
        with_machines(machines: Vec<bool>);
        with_seconds(seconds: Duration);
        with_search(search: SearchConfig);
        with_players(players: Vec<Option<String>>);
        with_expected(expected: Vec<Vec<Option<f64>>>);
        with_show_all(show_all: bool);
        with_stop(stop: Stop);
    }

    /// Makes a configuration in which the machine plays no role, and would think for a second.
    pub fn new(name: &str, backend: Backend) -> ViewConfig {
        ViewConfig {
            name: name.to_string(),
            machines: Vec::new(),
            seconds: Duration::from_secs(1),
            search: SearchConfig::default(),
            backend,
            players: Vec::new(),
            expected: Vec::new(),
            show_all: false,
            stop: Stop::new(),
        }
    }
}

/// The data that the threads of a view share.
struct Shared {
    game: Arc<Game>,
    grids: Grids,
    config: ViewConfig,
    about: GameMessage,
    scene: Mutex<Scene>,
    /// The search results so far for the position that is shown.
    search: Mutex<SearchMessage>,
    knowledge: Mutex<KnowledgeMessage>,
    /// Notified when the position changes, or the end comes.
    changed: Condvar,
    stop: Stop,
}

/// A view at a port. Dropping it closes the port.
pub struct View {
    shared: Arc<Shared>,
    address: SocketAddr,
    /// None when it is being dropped.
    listener: Option<Listener>,
    threads: Vec<JoinHandle<()>>,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

/// Why there is no view.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The game cannot be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The port cannot be opened, or there are no threads.
    #[error("cannot listen at {address}: {source}{}", listen_remedy(.source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
}

impl View {
    /// Shows a match at an address; port 0 is any free port. A match on record is shown from its
    /// first position on, another one at its current position.
    ///
    /// # Errors
    /// When the game cannot be evaluated, or the port is not free.
    pub fn start(
        address: SocketAddr,
        game: Arc<Game>,
        mut history: History,
        mut config: ViewConfig,
    ) -> Result<View, ViewError> {
        let stop = config.stop.by(None);
        let grids = Grids::find(&game, &stop).unwrap_or_else(|error| {
            tracing::info!(%error, "no boards were found");
            Grids::default()
        });
        config.machines.resize(history.roles().len(), false);
        let line = history.joint_moves().to_vec();
        let is_record = !config.players.is_empty();
        if is_record {
            history.go_back(0);
        }
        let rng = rng::streams(config.search.mcts.seed.wrapping_add(1)).next();
        let rng = rng.expect("there are streams without end");
        let machines = config.machines.clone();
        let is_hidden = !is_record && !config.show_all && game.hides_information();
        let seed = config.search.mcts.seed;
        let knowing = is_hidden.then(|| Knowing::new(game.clone(), seed));
        let scene = Scene::new(history, line, machines, !is_record, (rng, knowing))?;
        let shared = Arc::new(Shared {
            about: GameMessage::new(&game, &grids, &config),
            game,
            grids,
            config,
            scene: Mutex::new(scene),
            search: Mutex::default(),
            knowledge: Mutex::default(),
            changed: Condvar::new(),
            stop,
        });
        let listen = |source| ViewError::Listen { address, source };
        let listener = Listener::start(address, ServerLimits::default(), {
            let shared = shared.clone();
            move |connection| server::serve(connection, &shared)
        });
        let listener = listener.map_err(listen)?;
        let mut view = View {
            shared: shared.clone(),
            address: listener.address(),
            listener: Some(listener),
            threads: Vec::new(),
        };
        let works = [
            ("thinker", thinker::run as fn(&Shared)),
            ("knowledge", knowledge::run),
        ];
        for (name, work) in works {
            let shared = shared.clone();
            let thread = thread::Builder::new().name(name.to_string());
            let thread = thread.spawn(move || work(&shared)).map_err(listen)?;
            view.threads.push(thread);
        }
        Ok(view)
    }

    /// Returns the address of the page.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.shared.stop.set();
        self.shared.changed.notify_all();
        self.listener = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Waits until a position with another version is shown. Returns none at the end.
    fn next_version(&self, last: Option<u64>) -> Option<u64> {
        let mut scene = self.scene.lock();
        while !self.stop.is_set() {
            if Some(scene.version()) != last {
                return Some(scene.version());
            }
            self.changed.wait_for(&mut scene, PAUSE);
        }
        None
    }

    /// Waits for some time. Returns whether the position is still the same then.
    fn pause(&self, version: u64, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut scene = self.scene.lock();
        while scene.version() == version && !self.stop.is_set() {
            if self.changed.wait_until(&mut scene, end).timed_out() {
                return true;
            }
        }
        false
    }

    /// Changes the scene, and notifies the threads.
    fn change<T>(&self, change: impl FnOnce(&mut Scene) -> T) -> T {
        let done = change(&mut self.scene.lock());
        self.changed.notify_all();
        done
    }
}

/// The interval of checks for the end.
const PAUSE: Duration = Duration::from_millis(100);
