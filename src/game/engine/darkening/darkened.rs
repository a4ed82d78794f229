//! Engines for the states that follow from a root.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_jit::code::{Code, CompileError};
use propjit_jit::evaluator::Engine;

use super::form::PlayoutForm;
use crate::game::circuits::darkening::Specialisation;
use crate::game::engine::compile::guards;
use crate::game::engine::steps::StepCircuit;
use crate::game::engine::valid_engine::{PlayoutPolicy, ValidEngine};
use crate::game::engine::validity::Validity;
use crate::game::ground::sections::{decisive_sections, playout_sections};
use crate::game::vocabulary::state::State;

/// An engine that evaluates a [`Specialisation`].
#[derive(Clone, Debug)]
pub struct Darkened {
    /// The root.
    pub root: State,
    /// The engine. It is valid for all states that agree with the root in all dark propositions.
    pub engine: ValidEngine,
    /// The number of its gates.
    pub gates: usize,
    /// The time that the darkness analysis took.
    pub analysis: Duration,
    /// The time that passes and code generation took together.
    pub making: Duration,
    /// The approximate cost of a step of a playout, in gates.
    pub(super) work: f64,
}

impl Darkened {
    /// Compiles machine code for what is left of the form's circuit, of which this is a specialisation: for random steps if
    /// the form has an engine for these, beside which its other engine remains; otherwise for that. Passes take at most `passes`,
    /// and less for small circuits.
    ///
    /// # Errors
    /// As for [`Code::compile`].
    pub fn compile(
        specialisation: &Specialisation,
        form: &PlayoutForm,
        passes: Duration,
    ) -> Result<Darkened, CompileError> {
        let start = Instant::now();
        let programs = form.programs();
        let game = programs.game();
        let config = programs.options().config_for("darkened");
        let assumptions = specialisation.assumptions(game);
        let circuit = specialisation.optimise(&assumptions, passes);
        let validity = Validity::new(specialisation.bases(game));
        let engine = match form.steps() {
            Some(_) => {
                let steps = StepCircuit::new(game, &circuit).compile(&config)?;
                let engine = ValidEngine::new(form.without_steps(), validity);
                engine.with_steps(Some(Arc::new(steps)))
            }
            None => {
                let guards = guards(game, &assumptions);
                let sections = match form.policy() {
                    PlayoutPolicy::Uniform => playout_sections(game.layout()),
                    PlayoutPolicy::Decisive => decisive_sections(game.layout()),
                };
                let code = Code::compile(&circuit, &sections, &guards, &config)?;
                ValidEngine::new(Engine::Code(code.into()), validity)
            }
        };
        Ok(Darkened {
            root: specialisation.root().clone(),
            engine: engine.with_policy(form.policy()),
            gates: circuit.gates(),
            analysis: specialisation.time(),
            making: start.elapsed(),
            work: specialisation.work(game),
        })
    }
}
