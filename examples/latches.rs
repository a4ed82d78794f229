//! Counts the latches of rulesheets: those that are proved, against those that two
//! syntactic forms show, which are what "Goal Latches" (Sancho's blog, 2014) looks for.
//!
//! `cargo run --release --example latches -- SECONDS RULESHEET...`
//!
//! Without arguments, it looks at one of the project's own games.
//!
//! The forms are `X or c` for the next value of `X`, which makes `X` a positive latch, and
//! `X and c`, which makes it a negative one; and for goals, `X or c` with a positive latch
//! `X`, and `X and c` with a negative one. Gates of one kind that follow each other count
//! as one gate.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::time::Duration;

use propjit::game::facts::{self, AnalysisConfig, Facts, Literal};
use propjit::gdl::propnet::{Gate, Propnet, Wire};
use propjit::{Game, RoleId, Setup, Stop, gdl};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    // The tests run this, too, with arguments of their own.
    let seconds = args.next().and_then(|seconds| seconds.parse().ok());
    let games = match seconds {
        Some(_) => args
            .map(|path| {
                Ok((
                    path.clone(),
                    Game::load(Path::new(&path), &Setup::default())?,
                ))
            })
            .collect::<Result<Vec<_>, Box<dyn Error>>>()?,
        None => {
            let name = "untwistyCorridor";
            let rules = gdl::games::text(name).ok_or("there is no such game")?;
            let game = Game::from_text(name, rules, &Setup::default())?;
            vec![(name.to_string(), game)]
        }
    };
    let seconds: f64 = seconds.unwrap_or(1.0);
    println!(
        "{:<40} {:>6} {:>7} {:>6} {:>7} {:>9} {:>8}",
        "game", "bases", "by form", "goals", "by form", "undecided", "seconds"
    );
    let (mut any, mut more, mut fewer) = (0, 0, 0);
    for (path, game) in games {
        let Some(engines) = game.engines() else {
            println!(
                "{path}: {}",
                game.grounding_error()
                    .map_or(String::new(), ToString::to_string)
            );
            continue;
        };
        let config = AnalysisConfig::default()
            .with_time(Duration::from_secs_f64(seconds))
            .with_seed(1);
        let facts = facts::find(engines, &config, &Stop::new());
        let forms = Forms::of(engines.game().propnet(), &facts);
        let goals = goals(&facts);
        let undecided: usize = facts.stages.iter().map(|stage| stage.undecided).sum();
        let time: Duration = facts.stages.iter().map(|stage| stage.time).sum();
        println!(
            "{:<40} {:>6} {:>7} {:>6} {:>7} {:>9} {:>8.2}",
            Path::new(&path)
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy(),
            facts.latches.len(),
            forms.literals.len(),
            goals.len(),
            forms.goals.len(),
            undecided,
            time.as_secs_f64()
        );
        let found: BTreeSet<Literal> = facts.latches.iter().map(|latch| latch.what).collect();
        any += usize::from(!found.is_empty() || !goals.is_empty());
        let is_more = found.len() > forms.literals.len() || goals.len() > forms.goals.len();
        more += usize::from(is_more);
        let is_fewer = !forms.literals.is_subset(&found) || !forms.goals.is_subset(&goals);
        fewer += usize::from(is_fewer);
    }
    println!(
        "{any} games have latches; {more} have more than the forms show, {fewer} lack one that these show"
    );
    Ok(())
}

/// The goals, by role and index, of which it is proved that a match can lose them for good,
/// or keep them for good.
fn goals(facts: &Facts) -> BTreeSet<(RoleId, usize)> {
    let entries = facts.goal_latches.entries().iter();
    let excluded = entries.flat_map(|entry| entry.excluded.iter().map(|&goal| (entry.role, goal)));
    let forced = facts.forced_goals.iter();
    let forced = forced.map(|forced| (forced.role, forced.goal));
    let latched = facts.latched_goals.iter();
    let excluded = excluded.chain(forced);
    excluded
        .chain(latched.map(|latch| (latch.what.role, latch.what.goal)))
        .collect()
}

/// What the syntactic forms show.
struct Forms {
    literals: BTreeSet<Literal>,
    goals: BTreeSet<(RoleId, usize)>,
}

impl Forms {
    fn of(net: &Propnet, facts: &Facts) -> Forms {
        let constants: Vec<usize> = facts
            .constants()
            .map(|literal| literal.proposition)
            .collect();
        let bases = net.bases.iter().enumerate();
        let varying = bases.filter(|(base, _)| !constants.contains(base));
        let mut literals = BTreeSet::new();
        for (base, ports) in varying {
            for value in [true, false] {
                if operands(net, ports.next, value).contains(&base) {
                    literals.insert(Literal::new(base, value));
                }
            }
        }
        let mut goals = BTreeSet::new();
        for (role, ports) in RoleId::first(net.roles.len()).zip(&net.roles) {
            for (at, goal) in ports.goals.iter().enumerate() {
                let latched = |value| {
                    let operands = operands(net, goal.wire, value);
                    let mut operands = operands.into_iter().map(|base| Literal::new(base, value));
                    operands.any(|literal| literals.contains(&literal))
                };
                if latched(true) || latched(false) {
                    goals.insert((role, at));
                }
            }
        }
        Forms { literals, goals }
    }
}

/// The base propositions that are operands of the disjunction (`value` is true) or
/// conjunction that a wire comes from.
fn operands(net: &Propnet, wire: Wire, value: bool) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = vec![wire];
    let mut seen = BTreeSet::new();
    while let Some(wire) = open.pop() {
        if wire.inverted || !seen.insert(wire.gate) {
            continue;
        }
        match net.gate(wire.gate) {
            Gate::Base(base) => found.push(base as usize),
            Gate::Or(wires) if value => open.extend(wires),
            Gate::And(wires) if !value => open.extend(wires),
            _ => {}
        }
    }
    found
}

#[test]
fn runs() {
    main().unwrap();
}
