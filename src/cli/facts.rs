//! `propjit facts`: facts about all states of a game.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use propjit::analysis::{
    self, AnalysisConfig, CountBounds, Counter, Facts, GoalLatch, GoalLiteral, Invariant, Linear,
    Literal, ProofMethod,
};
use propjit::game::Game;
use propjit::ground::{GoalTable, GoalTables, GroundGame};
use propjit::inspection::{Inspection, InspectionConfig, inspect};
use propjit::machine::RoleId;
use propjit::rng::random_seed;
use propjit::similarity::DynamicsConfig;
use propjit_jit::counts::{Quantity, Term};
use serde::Serialize;

use super::counters;
use super::dynamics;
use super::influence;
use super::options::{GroundArgs, game_name, in_range, not_ground, seconds};
use super::output::{Failure, Output, show_progress};
use super::signals::stop_on_signals;

/// Prove what never changes again, what forbids what, and which goals go out of reach
#[derive(clap::Args)]
pub(super) struct Args {
    /// The file with the rules; `-` is standard input
    rulesheet: PathBuf,

    /// How long to look for facts and to prove them
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Look at this many steps of random matches, at most
    #[arg(long, default_value = "200000", value_name = "N", value_parser = |text: &str| in_range(text, 1, u64::MAX))]
    steps: u64,

    /// The seed of the random numbers of these matches [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Check the game by random matches, too, as `propjit validate --play` does
    #[arg(long, conflicts_with = "distances")]
    play: bool,

    /// Tell only how soon this move has an influence on others, and on which
    #[arg(long, value_name = "MOVE")]
    distances: Option<String>,

    /// Tell only how dynamic the game is: how much, and how unevenly, moves change what can be played
    #[arg(long, conflicts_with_all = ["play", "distances"])]
    dynamic: bool,

    #[command(flatten)]
    ground: GroundArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    propositions: usize,
    random_steps: u64,
    random_matches: u64,
    seed: u64,
    /// The sum of all roles' goals, if it was the same at the end of each of these.
    goal_sum_seen: Option<i64>,
    /// The same of all terminal states, by proof.
    goal_sum: Option<i64>,
    counts: Vec<Count>,
    goal_tables: Vec<TableOfGoal>,
    constants: Vec<String>,
    equivalences: Vec<(String, String)>,
    implications: Vec<(String, String)>,
    groups: Vec<Group>,
    linear: Vec<Sum>,
    latches: Vec<Latch>,
    finals: Vec<String>,
    composites: Vec<Latch>,
    latched_goals: Vec<Latch>,
    goal_latches: Vec<Exclusion>,
    decided: Vec<Decided>,
    /// How many of a thousand steps of random matches began in decided states.
    decided_per_mille: usize,
    forced_goals: Vec<ForcedGoal>,
    goal_inhibitors: Vec<Exclusion>,
    inhibitors: Vec<Inhibitor>,
    influence: influence::Report,
    stages: Vec<Stage>,
    seconds: f64,
    interrupted: bool,
    /// What came of playing.
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<Inspection>,
}

#[derive(Serialize)]
struct Group {
    /// `exactly-one` or `at-most-one`.
    holds: &'static str,
    propositions: Vec<String>,
}

/// A sum that never changes.
#[derive(Serialize)]
struct Sum {
    terms: Vec<SumTerm>,
    constant: i64,
    method: &'static str,
}

/// A number that is multiplied and added.
#[derive(Serialize)]
struct SumTerm {
    weight: i64,
    /// `count` of what holds, or `choice`: the place, from 1 on, of the one that holds.
    kind: &'static str,
    of: Vec<String>,
    #[serde(skip)]
    pattern: String,
}

/// Goals that are out of reach once counters have come to certain values.
#[derive(Serialize)]
struct Decided {
    role: String,
    goals: Vec<i32>,
    /// Any of these excludes them: the values that have to be reached together.
    once: Vec<Vec<String>>,
    method: &'static str,
}

/// What goals count.
#[derive(Serialize)]
struct Count {
    name: String,
    /// `count` of what holds, or `choice` of one.
    kind: &'static str,
    of: Vec<String>,
}

/// A goal that depends on counts only.
#[derive(Serialize)]
struct TableOfGoal {
    role: String,
    goal: i32,
    by: Vec<String>,
    /// For how many combinations of counts the role has the goal, and how many there can be.
    holds: usize,
    combinations: usize,
    method: &'static str,
}

#[derive(Serialize)]
struct Latch {
    literal: String,
    method: &'static str,
}

#[derive(Serialize)]
struct Exclusion {
    literal: String,
    role: String,
    goals: Vec<i32>,
    method: &'static str,
}

#[derive(Serialize)]
struct ForcedGoal {
    literal: String,
    role: String,
    goal: i32,
    method: &'static str,
}

#[derive(Serialize)]
struct Inhibitor {
    proposition: String,
    inhibits: Vec<String>,
    method: &'static str,
}

#[derive(Serialize)]
struct Stage {
    stage: &'static str,
    seconds: f64,
    undecided: usize,
}

/// Finds facts and prints them.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let setup = args.ground.setup().with_stop(stop.clone());
    let game = Game::load(&args.rulesheet, &setup)?;
    let engines = game.engines();
    let engines = engines.ok_or_else(|| not_ground(&game, "facts"))?;
    let name = game_name(&args.rulesheet);
    if let Some(text) = &args.distances {
        let stop = stop.within(args.seconds);
        let nearest = influence::FromMove::new(engines.game(), name, text, &stop)?;
        return output.result(&nearest);
    }
    let seed = args.seed.unwrap_or_else(random_seed);
    if args.dynamic {
        let config = DynamicsConfig::default()
            .with_time(args.seconds)
            .with_seed(seed);
        let shown = show_progress(|| "playing".to_string());
        let report = dynamics::Report::new(&game, name, &config, &stop);
        drop(shown);
        return output.result(&report?);
    }
    let config = AnalysisConfig::default()
        .with_time(args.seconds)
        .with_steps(args.steps)
        .with_seed(seed);
    let shown = show_progress(|| "looking for facts".to_string());
    let facts = analysis::find(engines, &config, &stop);
    let influence = influence::Report::new(engines.game(), &stop.within(args.seconds));
    drop(shown);
    let words = Words {
        game: engines.game(),
    };
    let mut report = words.report(&facts, influence, name, config.seed, stop.is_set());
    if args.play {
        let shown = show_progress(|| "playing".to_string());
        let config = InspectionConfig::default().with_seed(config.seed);
        report.play = Some(inspect(&game, &setup, &config, &stop)?);
        drop(shown);
    }
    match output.is_dot() {
        true => output.print(&report.dot()),
        false => output.result(&report),
    }
}

/// `A`, `B` and so on for counts and counters; a wire is called by its number.
fn quantity_name(tables: &GoalTables, number: usize) -> String {
    let is_wire = |quantity: &Quantity| matches!(quantity, Quantity::Wire(_));
    let before = tables.quantities[..number].iter();
    match &tables.quantities[number] {
        Quantity::Wire(node) => format!("wire {}", node.0),
        _ => {
            let place = before.filter(|quantity| !is_wire(quantity)).count();
            match u8::try_from(place).ok().filter(|&place| place < 26) {
                Some(place) => char::from(b'A' + place).to_string(),
                None => format!("Q{place}"),
            }
        }
    }
}

/// Says facts in the words of the game's rulesheet.
struct Words<'a> {
    game: &'a GroundGame,
}

impl Words<'_> {
    fn literal(&self, literal: Literal) -> String {
        literal.text(self.game)
    }

    fn proposition(&self, proposition: usize) -> String {
        self.literal(Literal::new(proposition, true))
    }

    fn group(&self, holds: &'static str, group: &[usize]) -> Group {
        let propositions = group.iter().map(|&base| self.proposition(base));
        Group {
            holds,
            propositions: propositions.collect(),
        }
    }

    /// What goals depend on, with names: `A`, `B` and so on for counts and counters.
    fn counts(&self, tables: &GoalTables) -> Vec<Count> {
        let name = |number: usize| quantity_name(tables, number);
        let quantities = tables.quantities.iter().enumerate();
        let counts = quantities.filter_map(|(number, quantity)| {
            let (kind, of): (_, Vec<String>) = match quantity {
                Quantity::Count(terms) => ("count", terms.iter().map(|t| self.term(t)).collect()),
                Quantity::Choice(group) => {
                    let inputs = group.inputs.iter();
                    (
                        "choice",
                        inputs.map(|i| self.proposition(i.index())).collect(),
                    )
                }
                Quantity::Wire(_) => return None,
            };
            Some(Count {
                name: name(number),
                kind,
                of,
            })
        });
        counts.collect()
    }

    fn term(&self, term: &Term) -> String {
        let inputs = term.inputs.iter();
        let names: Vec<String> = inputs.map(|i| self.proposition(i.index())).collect();
        let any = match &names[..] {
            [name] => name.clone(),
            _ => format!("(or {})", names.join(" ")),
        };
        match term.is_inverted {
            true => format!("(not {any})"),
            false => any,
        }
    }

    fn goal_table(&self, tables: &GoalTables, table: &GoalTable) -> TableOfGoal {
        let quantities = || table.quantities.iter();
        let counts = |&number: &usize| matches!(tables.quantities[number], Quantity::Count(_));
        TableOfGoal {
            role: self.role(table.role).to_string(),
            goal: self.value(table.role, table.goal),
            by: quantities()
                .map(|&number| quantity_name(tables, number))
                .collect(),
            holds: table.values.iter().filter(|&&v| v == Some(true)).count(),
            combinations: table.values.iter().flatten().count(),
            method: match quantities().any(counts) {
                true => "symmetry",
                false => "enumeration",
            },
        }
    }

    fn role(&self, role: RoleId) -> &str {
        &self.game.roles()[role.index()]
    }

    fn value(&self, role: RoleId, goal: usize) -> i32 {
        self.game.propnet().roles[role.index()].goals[goal].value
    }

    fn goal(&self, goal: GoalLiteral) -> String {
        let text = format!(
            "(goal {} {})",
            self.role(goal.role),
            self.value(goal.role, goal.goal)
        );
        match goal.value {
            true => text,
            false => format!("(not {text})"),
        }
    }

    fn exclusion(&self, latch: &GoalLatch) -> Exclusion {
        let goals = latch
            .excluded
            .iter()
            .map(|&goal| self.value(latch.role, goal));
        Exclusion {
            literal: self.literal(latch.literal),
            role: self.role(latch.role).to_string(),
            goals: goals.collect(),
            method: latch.method.name(),
        }
    }

    fn sum(&self, linear: &Linear) -> Sum {
        let terms = linear.terms.iter().map(|(weight, counter)| SumTerm {
            weight: *weight,
            kind: match counter {
                Counter::Count(_) => "count",
                Counter::Choice(_) => "choice",
            },
            of: (counter.propositions().iter())
                .map(|&base| self.proposition(base))
                .collect(),
            pattern: counters::pattern(self.game, counter.propositions()),
        });
        Sum {
            terms: terms.collect(),
            constant: linear.constant,
            method: ProofMethod::Induction.name(),
        }
    }

    fn decided(&self, bounds: &CountBounds) -> Vec<Decided> {
        let once = |case: &Vec<usize>| -> Vec<String> {
            let values = bounds.counters.iter().zip(case);
            let reached = values.filter(|(_, value)| **value > 0);
            reached
                .map(|(counter, &value)| counters::value_text(self.game, counter, value))
                .collect()
        };
        let exclusions = bounds.exclusions.iter().map(|exclusion| Decided {
            role: self.role(exclusion.role).to_string(),
            goals: (exclusion.goals.iter())
                .map(|&goal| self.value(exclusion.role, goal))
                .collect(),
            once: exclusion.cases.iter().map(once).collect(),
            method: "enumeration",
        });
        exclusions.collect()
    }

    fn inhibitors(&self, facts: &Facts) -> Vec<Inhibitor> {
        let mut inhibited: BTreeMap<(usize, ProofMethod), Vec<String>> = BTreeMap::new();
        for fact in &facts.inhibitors {
            let group = inhibited
                .entry((fact.what.inhibitor, fact.method))
                .or_default();
            group.push(self.proposition(fact.what.inhibited));
        }
        let inhibitors = inhibited
            .into_iter()
            .map(|((base, how), inhibits)| Inhibitor {
                proposition: self.proposition(base),
                inhibits,
                method: how.name(),
            });
        inhibitors.collect()
    }

    fn report(
        &self,
        facts: &Facts,
        influence: influence::Report,
        game: String,
        seed: u64,
        interrupted: bool,
    ) -> Report {
        let mut equivalences = Vec::new();
        let mut implications = Vec::new();
        let mut groups = Vec::new();
        let mut linear = Vec::new();
        for invariant in &facts.invariants {
            match invariant {
                Invariant::Constant(_) => {}
                Invariant::Implies(a, b) => {
                    implications.push((self.literal(*a), self.literal(*b)));
                }
                Invariant::Linear(sum) => linear.push(self.sum(sum)),
                Invariant::Equivalent(a, b) => {
                    equivalences.push((self.literal(*a), self.literal(*b)));
                }
                Invariant::ExactlyOne(group) => groups.push(self.group("exactly-one", group)),
                Invariant::AtMostOne(group) => groups.push(self.group("at-most-one", group)),
            }
        }
        let latch = |literal, how: ProofMethod| Latch {
            literal,
            method: how.name(),
        };
        let exclusions =
            |latches: &[GoalLatch]| latches.iter().map(|l| self.exclusion(l)).collect();
        let stages = facts.stages.iter().map(|stage| Stage {
            stage: stage.name,
            seconds: stage.time.as_secs_f64(),
            undecided: stage.undecided,
        });
        let stages: Vec<Stage> = stages.collect();
        Report {
            game,
            propositions: self.game.propnet().bases.len(),
            random_steps: facts.steps,
            random_matches: facts.matches,
            seed,
            goal_sum_seen: facts.sum,
            goal_sum: facts.goal_tables.as_ref().and_then(|tables| tables.sum),
            counts: (facts.goal_tables.iter())
                .flat_map(|tables| self.counts(tables))
                .collect(),
            goal_tables: (facts.goal_tables.iter())
                .flat_map(|tables| {
                    tables
                        .goals
                        .iter()
                        .map(|goal| self.goal_table(tables, goal))
                })
                .collect(),
            constants: facts
                .constants()
                .map(|literal| self.literal(literal))
                .collect(),
            equivalences,
            implications,
            groups,
            linear,
            latches: (facts.latches.iter())
                .map(|fact| latch(self.literal(fact.what), fact.method))
                .collect(),
            finals: facts
                .finals
                .iter()
                .map(|&literal| self.literal(literal))
                .collect(),
            composites: (facts.composites.iter())
                .map(|fact| latch(fact.what.text(self.game), fact.method))
                .collect(),
            latched_goals: (facts.latched_goals.iter())
                .map(|fact| latch(self.goal(fact.what), fact.method))
                .collect(),
            goal_latches: exclusions(facts.goal_latches.entries()),
            decided: (facts.count_bounds.iter())
                .flat_map(|bounds| self.decided(bounds))
                .collect(),
            decided_per_mille: facts.decided_per_mille,
            forced_goals: (facts.forced_goals.iter())
                .map(|forced| ForcedGoal {
                    literal: self.literal(forced.literal),
                    role: self.role(forced.role).to_string(),
                    goal: self.value(forced.role, forced.goal),
                    method: forced.method.name(),
                })
                .collect(),
            goal_inhibitors: exclusions(&facts.goal_inhibitors),
            inhibitors: self.inhibitors(facts),
            influence,
            seconds: stages.iter().map(|stage| stage.seconds).sum(),
            stages,
            interrupted,
            play: None,
        }
    }
}

impl Report {
    /// The propositions that are latched or inhibit something, in Graphviz' DOT language:
    /// latches bold, excluded goals as boxes, what forbids what as arrows.
    fn dot(&self) -> String {
        let mut dot = String::from("digraph facts {\n  rankdir=LR;\n");
        let quoted =
            |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let mut line = |text: String| {
            dot.push_str("  ");
            dot.push_str(&text);
            dot.push_str(";\n");
        };
        for latch in self
            .latches
            .iter()
            .chain(&self.composites)
            .chain(&self.latched_goals)
        {
            let style = if latch.method == "unproved" {
                "dashed"
            } else {
                "bold"
            };
            line(format!("{} [style={style}]", quoted(&latch.literal)));
        }
        for exclusion in self.goal_latches.iter().chain(&self.goal_inhibitors) {
            for value in &exclusion.goals {
                let goal = quoted(&format!("(goal {} {value})", exclusion.role));
                line(format!("{goal} [shape=box]"));
                line(format!(
                    "{} -> {goal} [arrowhead=tee]",
                    quoted(&exclusion.literal)
                ));
            }
        }
        for forced in &self.forced_goals {
            let goal = quoted(&format!("(goal {} {})", forced.role, forced.goal));
            line(format!("{goal} [shape=box]"));
            line(format!("{} -> {goal}", quoted(&forced.literal)));
        }
        for inhibitor in &self.inhibitors {
            for inhibited in &inhibitor.inhibits {
                let (from, to) = (quoted(&inhibitor.proposition), quoted(inhibited));
                line(format!("{from} -> {to} [arrowhead=tee]"));
            }
        }
        dot.push_str("}\n");
        dot
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, term) in self.terms.iter().enumerate() {
            match (place, term.weight < 0) {
                (0, false) => {}
                (0, true) => f.write_str("-")?,
                (_, false) => f.write_str(" + ")?,
                (_, true) => f.write_str(" - ")?,
            }
            if term.weight.abs() != 1 {
                write!(f, "{} * ", term.weight.abs())?;
            }
            write!(f, "{} {}", term.kind, term.pattern)?;
        }
        write!(f, " = {}  [{}]", self.constant, self.method)
    }
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let once = self.once.iter().map(|case| case.join(" and "));
        let once: Vec<String> = once.collect();
        write!(f, "{} excludes", once.join(", or "))?;
        for goal in &self.goals {
            write!(f, " (goal {} {goal})", self.role)?;
        }
        write!(f, "  [{}]", self.method)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} propositions; {} steps and {} ends of random matches, seed {}",
            self.game, self.propositions, self.random_steps, self.random_matches, self.seed
        )?;
        match (self.goal_sum, self.goal_sum_seen) {
            (Some(sum), _) => writeln!(f, "sum of goals    {sum}  [enumeration]")?,
            (None, Some(sum)) => writeln!(f, "sum of goals    {sum}  [seen]")?,
            (None, None) => {}
        }
        for Count { name, kind, of } in &self.counts {
            writeln!(f, "{:<15} {}", format!("{kind} {name}"), of.join(" "))?;
        }
        for table in &self.goal_tables {
            let TableOfGoal {
                role,
                goal,
                by,
                holds,
                combinations,
                method,
            } = table;
            writeln!(
                f,
                "goal table      (goal {role} {goal}) by {}: {holds} of {combinations} combinations  [{method}]",
                by.join(", ")
            )?;
        }
        for constant in &self.constants {
            writeln!(f, "constant        {constant}")?;
        }
        for (a, b) in &self.equivalences {
            writeln!(f, "equivalent      {a} {b}")?;
        }
        for (a, b) in &self.implications {
            writeln!(f, "implies         {a} {b}")?;
        }
        for group in &self.groups {
            writeln!(f, "{:<15} {}", group.holds, group.propositions.join(" "))?;
        }
        for sum in &self.linear {
            writeln!(f, "linear          {sum}")?;
        }
        for decided in &self.decided {
            writeln!(f, "decided         {decided}")?;
        }
        if self.decided_per_mille > 0 {
            let percent = self.decided_per_mille as f64 / 10.0;
            writeln!(
                f,
                "decided         {percent:.1}% of the steps of random matches  [seen]"
            )?;
        }
        for literal in &self.finals {
            writeln!(f, "final           {literal}")?;
        }
        for (what, latches) in [
            ("latch", &self.latches),
            ("composite latch", &self.composites),
            ("latched goal", &self.latched_goals),
        ] {
            for latch in latches {
                writeln!(f, "{what:<15} {}  [{}]", latch.literal, latch.method)?;
            }
        }
        for (what, exclusions) in [
            ("goal latch", &self.goal_latches),
            ("goal inhibitor", &self.goal_inhibitors),
        ] {
            for exclusion in exclusions {
                let mut goals = String::new();
                for value in &exclusion.goals {
                    write!(goals, " (goal {} {value})", exclusion.role)?;
                }
                let Exclusion {
                    literal, method, ..
                } = exclusion;
                writeln!(f, "{what:<15} {literal} excludes{goals}  [{method}]")?;
            }
        }
        for forced in &self.forced_goals {
            writeln!(
                f,
                "forced goal     {} ensures (goal {} {})  [{}]",
                forced.literal, forced.role, forced.goal, forced.method
            )?;
        }
        for inhibitor in &self.inhibitors {
            let inhibited = inhibitor.inhibits.join(" ");
            let Inhibitor {
                proposition,
                method,
                ..
            } = inhibitor;
            writeln!(
                f,
                "inhibitor       {proposition} forbids {inhibited}  [{method}]"
            )?;
        }
        write!(f, "{}", self.influence)?;
        for stage in &self.stages {
            write!(f, "{:<15} {:>9.1} ms", stage.stage, stage.seconds * 1e3)?;
            if stage.undecided > 0 {
                write!(f, ", {} undecided", stage.undecided)?;
            }
            writeln!(f)?;
        }
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        self.play.as_ref().map_or(Ok(()), |play| play.fmt(f))
    }
}
