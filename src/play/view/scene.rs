//! The match that is shown: its joint moves, the position that is shown, and the moves that are
//! chosen for it so far.

use rand::RngExt;

use super::knowing::{Knowing, Seen};
use crate::game::machine::{MachineError, RANDOM_ROLE, RoleId};
use crate::game::position::{History, Position, find_text};
use crate::support::rng::GameRng;

/// A match, and the position of it that is shown.
pub(super) struct Scene {
    /// The match up to the position.
    history: History,
    /// All joint moves of the match, those after the position included.
    line: Vec<Vec<String>>,
    /// For each role whether the machine plays it.
    machines: Vec<bool>,
    /// Whether the match goes on from here: the machine moves. Otherwise it is only viewed.
    is_live: bool,
    /// A number that changes with every change.
    version: u64,
    legal: Vec<Vec<String>>,
    is_over: bool,
    goals: Vec<Option<i32>>,
    /// The move chosen for each role here, if there is one.
    chosen: Vec<Option<String>>,
    /// The expectation of each role in each position, if it was searched.
    values: Vec<Vec<Option<f64>>>,
    rng: GameRng,
    /// What roles know, if the page shows only that.
    knowing: Option<Knowing>,
    /// What the person sees instead of the whole, if there is such a person.
    seen: Option<Seen>,
}

/// Why nothing is changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum SceneError {
    /// The request is about another position.
    #[error("the position has changed")]
    Outdated,
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// A move is not legal.
    #[error("{role} may not play `{text}` here")]
    Illegal { role: String, text: String },
    /// A role has no move.
    #[error("{role} has no legal move, so the match cannot continue")]
    Stuck { role: String },
    /// There are no such roles or positions.
    #[error("the game has {roles} roles and the match {depth} joint moves")]
    Range { roles: usize, depth: usize },
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl Scene {
    /// The position where the history is, in a match with these joint moves.
    pub(super) fn new(
        history: History,
        line: Vec<Vec<String>>,
        machines: Vec<bool>,
        is_live: bool,
        (rng, knowing): (GameRng, Option<Knowing>),
    ) -> Result<Scene, MachineError> {
        let mut scene = Scene {
            history,
            line,
            machines,
            is_live,
            version: 0,
            legal: Vec::new(),
            is_over: false,
            goals: Vec::new(),
            chosen: Vec::new(),
            values: Vec::new(),
            rng,
            knowing,
            seen: None,
        };
        scene.refresh()?;
        Ok(scene)
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn depth(&self) -> usize {
        self.history.depth()
    }

    pub(super) fn roles(&self) -> &[String] {
        self.history.roles()
    }

    pub(super) fn position(&self) -> &Position {
        self.history.position()
    }

    /// The canonical texts of the propositions that hold, sorted bytewise.
    pub(super) fn fluents(&self) -> Vec<String> {
        self.history.fluents()
    }

    pub(super) fn line(&self) -> &[Vec<String>] {
        &self.line
    }

    /// The source of random moves.
    pub(super) fn rng_mut(&mut self) -> &mut GameRng {
        &mut self.rng
    }

    /// The match up to the position.
    pub(super) fn history(&self) -> &History {
        &self.history
    }

    /// What the person sees instead of the whole, if not all.
    pub(super) fn seen(&self) -> Option<&Seen> {
        self.seen.as_ref()
    }

    pub(super) fn legal(&self) -> &[Vec<String>] {
        &self.legal
    }

    pub(super) fn chosen(&self) -> &[Option<String>] {
        &self.chosen
    }

    pub(super) fn machines(&self) -> &[bool] {
        &self.machines
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the goals of all roles, if the match is over.
    pub(super) fn goals(&self) -> Option<&[Option<i32>]> {
        self.is_over.then_some(&self.goals)
    }

    pub(super) fn values(&self) -> &[Vec<Option<f64>>] {
        &self.values
    }

    /// Evaluates the current position.
    fn refresh(&mut self) -> Result<(), MachineError> {
        self.version += 1;
        self.is_over = self.history.is_over()?;
        self.goals = self.history.goals()?;
        self.legal = match self.is_over {
            true => vec![Vec::new(); self.roles().len()],
            false => self.history.legal()?,
        };
        self.chosen = vec![None; self.legal.len()];
        if self.is_over {
            let goals = self.goals.iter().map(|goal| goal.map(f64::from));
            let goals = goals.collect();
            self.expect(self.depth(), goals);
        }
        self.look();
        Ok(())
    }

    /// Finds out what the person sees: all when the match is over, or with no person or several.
    fn look(&mut self) {
        self.seen = None;
        let roles = RoleId::first(self.roles().len()).filter(|role| {
            !self.machines[role.index()] && self.roles()[role.index()] != RANDOM_ROLE
        });
        let people: Vec<RoleId> = roles.collect();
        if let (Some(knowing), [person], false) = (&mut self.knowing, &people[..], self.is_over) {
            self.seen = Some(knowing.look(&self.history, *person));
        }
    }

    /// Returns the roles that have a choice, other than chance.
    fn choosers(&self) -> impl Iterator<Item = RoleId> {
        let roles = RoleId::first(self.legal.len());
        roles.filter(|role| {
            let has_choice = self.legal[role.index()].len() > 1;
            has_choice && self.roles()[role.index()] != RANDOM_ROLE
        })
    }

    /// Returns the roles for which the machine has to choose a move now. None if the position is
    /// only viewed, or the person has not chosen yet.
    pub(super) fn awaited(&self) -> Vec<RoleId> {
        let is_open = |role: &RoleId| self.chosen[role.index()].is_none();
        let (own, others): (Vec<_>, Vec<_>) =
            (self.choosers().filter(is_open)).partition(|role| self.machines[role.index()]);
        match self.is_live && others.is_empty() {
            true => own,
            false => Vec::new(),
        }
    }

    /// Returns whether the match goes on by itself: only the machine plays, and no role has a
    /// choice.
    pub(super) fn is_forced(&self) -> bool {
        let has_machine = self.machines.contains(&true);
        self.is_live && has_machine && !self.is_over && self.choosers().next().is_none()
    }

    /// Chooses moves for some roles, and plays as soon as all have chosen. The match after the
    /// position is forgotten then, and goes on from here.
    pub(super) fn play(
        &mut self,
        version: u64,
        moves: &[Option<String>],
    ) -> Result<(), SceneError> {
        if version != self.version {
            return Err(SceneError::Outdated);
        }
        if self.is_over {
            return Err(SceneError::Over);
        }
        if let Some(stuck) = self.legal.iter().position(Vec::is_empty) {
            let role = self.roles()[stuck].clone();
            return Err(SceneError::Stuck { role });
        }
        if moves.len() > self.legal.len() {
            return Err(self.out_of_range());
        }
        let mut chosen = self.chosen.clone();
        for (role, text) in moves.iter().enumerate() {
            if let Some(text) = text {
                let found = find_text(&self.legal[role], text);
                let found = found.ok_or_else(|| SceneError::Illegal {
                    role: self.roles()[role].clone(),
                    text: text.clone(),
                })?;
                chosen[role] = Some(self.legal[role][found].clone());
            }
        }
        self.chosen = chosen;
        self.is_live = true;
        self.version += 1;
        Ok(self.advance()?)
    }

    /// Plays, if every role that has a choice has chosen.
    fn advance(&mut self) -> Result<(), MachineError> {
        if self
            .choosers()
            .any(|role| self.chosen[role.index()].is_none())
        {
            return Ok(());
        }
        let mut joint = Vec::new();
        for (moves, chosen) in self.legal.iter().zip(&self.chosen) {
            let any = || moves[self.rng.random_range(0..moves.len())].clone();
            joint.push(chosen.clone().unwrap_or_else(any));
        }
        let depth = self.depth();
        self.history.play(&joint)?;
        if self.line.get(depth) != Some(&joint) {
            self.line.truncate(depth);
            self.values.truncate(depth + 1);
            self.line.push(joint);
        }
        self.refresh()
    }

    /// Shows the position after `depth` joint moves.
    pub(super) fn go(&mut self, depth: usize) -> Result<(), SceneError> {
        if depth > self.line.len() {
            return Err(self.out_of_range());
        }
        self.history.go_back(depth);
        for joint in self.line.get(self.depth()..depth).unwrap_or_default() {
            self.history.play(joint)?;
        }
        self.is_live = false;
        Ok(self.refresh()?)
    }

    /// Sets which roles the machine plays.
    pub(super) fn set_machines(&mut self, machines: Vec<bool>) -> Result<(), SceneError> {
        if machines.len() != self.machines.len() {
            return Err(self.out_of_range());
        }
        self.machines = machines;
        self.version += 1;
        self.look();
        Ok(())
    }

    /// Keeps the expectations of the roles after `depth` joint moves.
    pub(super) fn expect(&mut self, depth: usize, values: Vec<Option<f64>>) {
        if self.values.len() <= depth {
            self.values.resize(depth + 1, Vec::new());
        }
        self.values[depth] = values;
    }

    fn out_of_range(&self) -> SceneError {
        SceneError::Range {
            roles: self.machines.len(),
            depth: self.line.len(),
        }
    }
}
