//! Random programs that are valid GDL: safe, stratified, with recursion as the specification restricts it. Roles may be
//! stuck, matches endless, and goals several or none.

use std::ops::Range;

use propjit::support::rng::GameRng;
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

const VARIABLES: [&str; 4] = ["?a", "?b", "?c", "?d"];
const CONSTANTS: [&str; 5] = ["1", "2", "0", "a", "b"];
const ROLES: [&str; 3] = ["white", "black", "random"];
/// The greatest number of steps that is counted.
const STEPS: usize = 6;

/// On what the facts of a relation depend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Game,
    State,
    Moves,
}

/// A name that takes this number of arguments.
#[derive(Clone)]
struct Name(String, usize);

/// A relation that the program defines by rules.
struct Relation {
    name: Name,
    level: Level,
    /// The relations that may depend on each other, of which this is one.
    group: Range<usize>,
}

/// The body of a rule that is being made, and its variables.
#[derive(Default)]
struct Body {
    conditions: Vec<String>,
    /// The variables that have values.
    bound: Vec<String>,
    /// Those that have values which do not depend on the state.
    fixed: Vec<String>,
}

/// What the body of a rule may use: what is known on this level, and of the relations that are defined by rules these,
/// without negation, and all before them.
#[derive(Clone)]
struct Scope(Level, Range<usize>);

struct Program<'a> {
    rng: &'a mut GameRng,
    rules: Vec<String>,
    roles: Vec<&'static str>,
    /// The terms that are there from the start.
    universe: Vec<String>,
    fluents: Vec<Name>,
    moves: Vec<Name>,
    relations: Vec<Relation>,
    has_bases: bool,
    /// Whether terms may grow from state to state.
    is_growing: bool,
}

/// The first variables, this number of them.
fn variables(count: usize) -> Vec<String> {
    VARIABLES[..count]
        .iter()
        .map(|name| name.to_string())
        .collect()
}

/// Which goals roles have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goals {
    /// Any, or none.
    Any,
    /// One in each state.
    One,
}

/// The rules of a game, one a line.
pub(super) fn random_program(goals: Goals, rng: &mut GameRng) -> String {
    let count = [1, 2, 2, 2, 3][rng.random_range(0..5)];
    let mut roles: Vec<&str> = ROLES.sample(rng, count).copied().collect();
    roles.shuffle(rng);
    let size = rng.random_range(2..=CONSTANTS.len());
    let names = |prefix: &str, range: Range<usize>, rng: &mut GameRng| -> Vec<Name> {
        let count = rng.random_range(range);
        let named = (0..count).map(|at| {
            Name(
                format!("{prefix}{at}"),
                [0, 1, 1, 2, 2][rng.random_range(0..5)],
            )
        });
        named.collect()
    };
    let mut program = Program {
        universe: CONSTANTS[..size]
            .iter()
            .map(|name| name.to_string())
            .collect(),
        fluents: names("p", 2..5, rng),
        moves: names("m", 1..4, rng),
        relations: Vec::new(),
        rules: Vec::new(),
        has_bases: rng.random_bool(0.3),
        is_growing: goals == Goals::Any && rng.random_bool(0.05),
        roles,
        rng,
    };
    program.add_facts();
    program.add_relations();
    program.add_states();
    program.add_moves();
    program.add_ends();
    program.add_goals(goals);
    program.rules.shuffle(program.rng);
    program.rules.join("\n")
}

impl Program<'_> {
    fn flip(&mut self, chance: f64) -> bool {
        self.rng.random_bool(chance)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from.choose(self.rng).expect("there is something").clone()
    }

    fn role(&mut self) -> String {
        let roles = self.roles.clone();
        self.pick(&roles).to_string()
    }

    fn constant(&mut self) -> String {
        let universe = self.universe.clone();
        self.pick(&universe)
    }

    /// A keyword in some spelling.
    fn word(&mut self, keyword: &str) -> String {
        match self.rng.random_range(0..20) {
            0 => keyword.to_uppercase(),
            1 => keyword[..1].to_uppercase() + &keyword[1..],
            _ => keyword.to_string(),
        }
    }

    /// A name with arguments; `p` and `(p)` are the same.
    fn apply(&mut self, name: &str, arguments: &[String]) -> String {
        match arguments.is_empty() && self.flip(0.8) {
            true => name.to_string(),
            false => format!(
                "({name}{})",
                arguments
                    .iter()
                    .map(|a| format!(" {a}"))
                    .collect::<String>()
            ),
        }
    }

    fn add_fact(&mut self, fact: String) {
        let rule = match self.rng.random_range(0..10) {
            0 => format!("(<= {fact})"),
            // A bare name is a fact, too, but looks like a mistake.
            _ if !fact.starts_with('(') => format!("({fact})"),
            1 => format!("{fact} ; (a comment"),
            _ => fact,
        };
        self.rules.push(rule);
    }

    fn add_rule(&mut self, head: &str, mut body: Body) {
        body.conditions.shuffle(self.rng);
        match body.conditions.is_empty() {
            true => self.add_fact(head.to_string()),
            false => self
                .rules
                .push(format!("(<= {head} {})", body.conditions.join(" "))),
        }
    }

    /// Facts: the roles, the terms, and two relations of them.
    fn add_facts(&mut self) {
        for role in self.roles.clone() {
            let word = self.word("role");
            self.rules.push(format!("({word} {role})"));
        }
        for _ in 0..self.rng.random_range(0..3) {
            let arguments = [self.constant(), self.constant()];
            let term = match self.flip(0.6) {
                true => format!("(f {})", arguments[0]),
                false => format!("(g {})", arguments.join(" ")),
            };
            if !self.universe.contains(&term) {
                self.universe.push(term);
            }
        }
        for term in self.universe.clone() {
            self.add_fact(format!("(term {term})"));
        }
        for step in 0..STEPS {
            self.rules.push(format!("(succ {step} {})", step + 1));
        }
        for _ in 0..self.rng.random_range(1..10) {
            let arguments = [self.constant(), self.constant()];
            self.add_fact(format!("(edge {})", arguments.join(" ")));
        }
    }

    /// Relations that are defined by rules, those that are known without a state first.
    fn add_relations(&mut self) {
        for (level, range) in [
            (Level::Game, 0..4),
            (Level::State, 1..5),
            (Level::Moves, 0..3),
        ] {
            let first = self.relations.len();
            for at in first..first + self.rng.random_range(range) {
                let start = match at > first && self.flip(0.4) {
                    true => self.relations[at - 1].group.start,
                    false => at,
                };
                for other in &mut self.relations[start..] {
                    other.group.end = at + 1;
                }
                let arity = [0, 1, 1, 2, 2, 3][self.rng.random_range(0..6)];
                self.relations.push(Relation {
                    name: Name(format!("r{at}"), arity),
                    level,
                    group: start..at + 1,
                });
            }
        }
        for at in 0..self.relations.len() {
            let Relation {
                name: Name(name, arity),
                level,
                group,
            } = &self.relations[at];
            let (name, arity, scope) = (name.clone(), *arity, Scope(*level, group.clone()));
            if self.flip(0.5) {
                self.add_closure(&name, arity, &scope);
            }
            for _ in 0..self.rng.random_range(1..4) {
                let (arguments, body) = self.rule(arity, &scope);
                let head = self.apply(&name, &arguments);
                self.add_rule(&head, body);
            }
        }
    }

    /// Rules for all that is reached by steps of a relation; for relations of one argument or two.
    fn add_closure(&mut self, name: &str, arity: usize, scope: &Scope) {
        let group = self.relations[scope.1.clone()].iter();
        let alike = group.filter(|relation| relation.name.1 == arity);
        let alike: Vec<String> = alike.map(|relation| relation.name.0.clone()).collect();
        let recursive = self.pick(&alike);
        let (start, before, head) = match arity {
            1 => ("?a", "?b", "?c"),
            2 => ("?a ?b", "?a ?b", "?a ?c"),
            _ => return,
        };
        for (head, conditions) in [
            (start, vec![self.relation_of(start, scope)]),
            (
                head,
                vec![
                    format!("({recursive} {before})"),
                    self.relation_of("?b ?c", scope),
                ],
            ),
        ] {
            let bound: Vec<String> = head.split(' ').map(str::to_string).collect();
            let mut body = Body {
                conditions,
                ..Body::default()
            };
            if self.flip(0.3) {
                let filter = self.filter(scope, &bound, 1);
                body.conditions.push(filter);
            }
            self.add_rule(&format!("({name} {head})"), body);
        }
    }

    /// A condition with these arguments, one or two.
    fn relation_of(&mut self, arguments: &str, scope: &Scope) -> String {
        loop {
            let (relation, arity, _) = self.relation(scope);
            if arity == arguments.split(' ').count() {
                return relation.replace('@', &format!(" {arguments}"));
            }
        }
    }

    /// What may be used by the rules of the game itself.
    fn all(&self, level: Level) -> Scope {
        let known = self
            .relations
            .iter()
            .filter(|relation| relation.level <= level)
            .count();
        Scope(level, known..known)
    }

    /// The initial state and the next one, and what propositions there are.
    fn add_states(&mut self) {
        for Name(name, arity) in self.fluents.clone() {
            for _ in 0..self.rng.random_range(0..4) {
                let arguments: Vec<String> = (0..arity).map(|_| self.constant()).collect();
                let fluent = self.apply(&name, &arguments);
                self.add_fact(format!("(init {fluent})"));
            }
            if self.flip(0.2) {
                let scope = self.all(Level::Game);
                self.add_about("init", &name, arity, &scope);
            }
            if self.flip(0.6) {
                let arguments = variables(arity);
                let fluent = self.apply(&name, &arguments);
                let mut body = Body {
                    conditions: vec![format!("(true {fluent})")],
                    bound: arguments,
                    ..Body::default()
                };
                let scope = self.all(Level::Moves);
                if self.flip(0.6) {
                    let filter = self.filter(&scope, &body.bound, 1);
                    body.conditions.push(filter);
                }
                let word = self.word("next");
                self.add_rule(&format!("({word} {fluent})"), body);
            }
            for _ in 0..self.rng.random_range(1..3) {
                let scope = self.all(Level::Moves);
                self.add_about("next", &name, arity, &scope);
            }
            if self.has_bases {
                let arguments = variables(arity);
                let conditions = arguments
                    .iter()
                    .map(|name| format!("(term {name})"))
                    .collect();
                let fluent = self.apply(&name, &arguments);
                self.add_rule(
                    &format!("(base {fluent})"),
                    Body {
                        conditions,
                        ..Body::default()
                    },
                );
            }
        }
        if self.flip(0.5) {
            let steps = self.rng.random_range(2..=STEPS);
            self.rules.push("(init (step 0))".to_string());
            self.rules
                .push("(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))".to_string());
            self.rules
                .push(format!("(<= terminal (true (step {steps})))"));
        }
    }

    /// A rule for a keyword of propositions.
    fn add_about(&mut self, keyword: &str, name: &str, arity: usize, scope: &Scope) {
        let (arguments, body) = self.rule(arity, scope);
        let fluent = self.apply(name, &arguments);
        let word = self.word(keyword);
        self.add_rule(&format!("({word} {fluent})"), body);
    }

    fn add_moves(&mut self) {
        let moves = self.moves.clone();
        for role in self.roles.clone() {
            // Each role has to have something that it may play at times.
            match self.flip(0.6) {
                true => self.add_fact(format!("(legal {role} noop)")),
                false => {
                    let Name(name, arity) = self.pick(&self.fluents.clone());
                    let fluent = self.apply(&name, &variables(arity));
                    self.rules
                        .push(format!("(<= (legal {role} noop) (true {fluent}))"));
                }
            }
            for _ in 0..self.rng.random_range(1..4) {
                let scope = self.all(Level::State);
                let Name(name, arity) = self.pick(&moves);
                // A move may also be any term.
                let is_term = self.flip(0.1);
                let (arguments, mut body) = self.rule(if is_term { 1 } else { arity }, &scope);
                let played = match is_term {
                    true => arguments[0].clone(),
                    false => self.apply(&name, &arguments),
                };
                let role = match self.flip(0.2) {
                    true => {
                        body.conditions.push("(role ?r)".to_string());
                        "?r"
                    }
                    false => role,
                };
                let word = self.word("legal");
                self.add_rule(&format!("({word} {role} {played})"), body);
            }
        }
        let inputs = if self.has_bases { moves } else { Vec::new() };
        for Name(name, arity) in inputs {
            let arguments = variables(arity);
            let mut conditions: Vec<String> = arguments
                .iter()
                .map(|name| format!("(term {name})"))
                .collect();
            conditions.push("(role ?r)".to_string());
            let played = self.apply(&name, &arguments);
            self.add_rule(
                &format!("(input ?r {played})"),
                Body {
                    conditions,
                    ..Body::default()
                },
            );
        }
    }

    /// Terminal states.
    fn add_ends(&mut self) {
        let scope = self.all(Level::State);
        let (_, mut body) = self.rule(0, &scope);
        // Not in every state, as a rule.
        for _ in 0..2 {
            let filter = self.filter(&scope, &body.bound, 1);
            body.conditions.push(filter);
        }
        let word = self.word("terminal");
        self.add_rule(&word, body);
    }

    fn add_goals(&mut self, goals: Goals) {
        let scope = self.all(Level::State);
        for role in self.roles.clone() {
            if goals == Goals::One {
                let (_, body) = self.rule(0, &scope);
                self.add_rule(&format!("(won {role})"), body);
                let [most, least] = [["100", "60"], ["0", "20"]].map(|of| self.pick(&of));
                self.rules
                    .push(format!("(<= (goal {role} {most}) (won {role}))"));
                self.rules
                    .push(format!("(<= (goal {role} {least}) (not (won {role})))"));
                continue;
            }
            for _ in 0..self.rng.random_range(0..4) {
                let (_, mut body) = self.rule(0, &scope);
                let value = self.pick(&["0", "50", "100", "30", "-10", "?g"]);
                if value == "?g" {
                    // A number, whatever holds.
                    body.conditions.push("(succ ?g ?h)".to_string());
                }
                self.add_rule(&format!("(goal {role} {value})"), body);
            }
        }
        if goals == Goals::Any {
            let role = self.role();
            self.rules.push(format!("(<= (goal {role} 40) terminal)"));
        }
    }

    /// The arguments of a head, and a body that gives them values.
    fn rule(&mut self, arity: usize, scope: &Scope) -> (Vec<String>, Body) {
        let mut head: Vec<String> = (0..arity)
            .map(|_| self.pick(&VARIABLES).to_string())
            .collect();
        let mut body = Body::default();
        for _ in 0..[0, 1, 1, 2, 2, 3][self.rng.random_range(0..6)] {
            self.add_positive(scope, &mut body);
        }
        if self.flip(0.15) {
            self.add_choice(scope, &mut body);
        }
        let group = &self.relations[scope.1.clone()];
        if let Some(recursive) = group.choose(self.rng)
            && self.rng.random_bool(0.5)
        {
            // Its arguments are those of the head, or others have given them values.
            let Name(name, arity) = recursive.name.clone();
            let known = [&head[..], &body.bound].concat();
            let arguments: Vec<String> = (0..arity)
                .map(|_| match known.is_empty() || self.flip(0.15) {
                    true => self.constant(),
                    false => self.pick(&known),
                })
                .collect();
            let condition = self.apply(&name, &arguments);
            body.conditions.push(condition);
            body.bound.extend(
                arguments
                    .into_iter()
                    .filter(|argument| argument.starts_with('?')),
            );
        }
        for argument in &mut head {
            if !body.bound.contains(argument) {
                *argument = match body.bound.is_empty() || self.flip(0.3) {
                    true => self.constant(),
                    false => self.pick(&body.bound),
                };
            }
            let is_growing =
                self.is_growing && scope.0 == Level::Moves && argument.starts_with('?');
            if is_growing && self.flip(0.5) || body.fixed.contains(argument) && self.flip(0.1) {
                let other = self.constant();
                *argument = match self.flip(0.5) {
                    true => format!("(f {argument})"),
                    false => format!("(g {argument} {other})"),
                };
            }
        }
        for _ in 0..[0, 0, 1, 1, 2][self.rng.random_range(0..5)] {
            let filter = self.filter(scope, &body.bound, 2);
            body.conditions.push(filter);
        }
        (head, body)
    }

    /// A relation that may stand in a body, its number of arguments, and whether it is the same in all states: its
    /// text has an `@` for the arguments.
    fn relation(&mut self, scope: &Scope) -> (String, usize, bool) {
        let Scope(level, group) = scope;
        loop {
            return match self.rng.random_range(0..14) {
                0 => ("(term@)".to_string(), 1, true),
                1 | 2 => ("(edge@)".to_string(), 2, true),
                3 => ("(succ@)".to_string(), 2, true),
                4 if self.rng.random_bool(0.3) => ("(role@)".to_string(), 1, true),
                5 if self.has_bases => {
                    let Name(name, arity) = self.pick(&self.fluents.clone());
                    (format!("(base ({name}@))"), arity, true)
                }
                6..10 if *level >= Level::State => {
                    let Name(name, arity) = self.pick(&self.fluents.clone());
                    let word = self.word("true");
                    (format!("({word} ({name}@))"), arity, false)
                }
                10 | 11 if *level == Level::Moves => {
                    let Name(name, arity) = self.pick(&self.moves.clone());
                    let role = self.role();
                    let word = self.word("does");
                    (format!("({word} {role} ({name}@))"), arity, false)
                }
                12.. if group.start > 0 => {
                    let at = self.rng.random_range(0..group.start);
                    let Relation {
                        name: Name(name, arity),
                        level,
                        ..
                    } = &self.relations[at];
                    (format!("({name}@)"), *arity, *level == Level::Game)
                }
                _ => continue,
            };
        }
    }

    /// A condition that gives variables values.
    fn add_positive(&mut self, scope: &Scope, body: &mut Body) {
        let (relation, arity, is_fixed) = self.relation(scope);
        let mut arguments = String::new();
        for _ in 0..arity {
            let variable = self.pick(&VARIABLES).to_string();
            arguments += &match self.rng.random_range(0..20) {
                0 | 1 => format!(" {}", self.constant()),
                2 => format!(" (f {variable})"),
                _ => format!(" {variable}"),
            };
            if arguments.contains(&variable) {
                body.bound.push(variable.clone());
                if is_fixed {
                    body.fixed.push(variable);
                }
            }
        }
        let mut condition = relation.replace('@', &arguments);
        if condition.to_lowercase().starts_with("(does ") && self.flip(0.3) {
            // Whichever role makes the move.
            for role in &self.roles {
                condition = condition.replacen(role, "?r", 1);
            }
        }
        body.conditions.push(condition);
    }

    /// A choice that gives one variable a value, whichever branch holds.
    fn add_choice(&mut self, scope: &Scope, body: &mut Body) {
        let variable = self.pick(&VARIABLES).to_string();
        let branches: Vec<String> = (0..self.rng.random_range(1..4))
            .map(|_| {
                loop {
                    let (relation, arity, _) = self.relation(scope);
                    if arity > 0 {
                        let at = self.rng.random_range(0..arity);
                        let arguments = (0..arity).map(|place| match place == at {
                            true => variable.clone(),
                            false => self.known(&body.bound),
                        });
                        let arguments: String =
                            arguments.map(|argument| format!(" {argument}")).collect();
                        return relation.replace('@', &arguments);
                    }
                }
            })
            .collect();
        body.conditions.push(format!("(or {})", branches.join(" ")));
        body.bound.push(variable);
    }

    /// A variable that has a value, or a term.
    fn known(&mut self, bound: &[String]) -> String {
        match bound.is_empty() || self.flip(0.25) {
            true => self.constant(),
            false => match self.flip(0.9) {
                true => self.pick(bound),
                false => format!("(f {})", self.pick(bound)),
            },
        }
    }

    /// A condition on variables that have values.
    fn filter(&mut self, scope: &Scope, bound: &[String], depth: u32) -> String {
        match self.rng.random_range(0..if depth > 0 { 10 } else { 6 }) {
            0 | 1 => format!("(distinct {} {})", self.known(bound), self.known(bound)),
            2..6 => {
                let (relation, arity, _) = self.relation(scope);
                let arguments: String = (0..arity)
                    .map(|_| format!(" {}", self.known(bound)))
                    .collect();
                let atom = relation.replace('@', &arguments);
                match self.flip(0.75) {
                    true => format!("({} {atom})", self.word("not")),
                    false => atom,
                }
            }
            6 => format!("(not {})", self.filter(scope, bound, depth - 1)),
            place => {
                let parts =
                    (0..self.rng.random_range(1..4)).map(|_| self.filter(scope, bound, depth - 1));
                let parts: Vec<String> = parts.collect();
                let word = self.word(if place == 9 { "and" } else { "or" });
                format!("({word} {})", parts.join(" "))
            }
        }
    }
}
