//! The prover against the definition: random rules, evaluated by trying every
//! value for every variable, stratum by stratum, until nothing new follows.

use std::collections::BTreeSet;
use std::fmt;

use propjit_gdl::prover::{Prover, ProverLimits};
use propjit_gdl::rules::Rules;
use proptest::prelude::*;

/// The terms that variables range over. Facts and heads make no others, so that
/// the definition can be evaluated.
const DOMAIN: [&str; 5] = ["a", "b", "c", "(f a)", "(f b)"];

/// The relations and their numbers of arguments. Relation `p2` may use the
/// negations of `p0` and `p1`, and so on; `e` is in the state, `d` in the move.
const ARITIES: [usize; 4] = [1, 2, 2, 3];

#[derive(Clone, Debug)]
enum Arg {
    Value(usize),
    Var(usize),
    /// `(f ?x)`. Not in heads, which must stay in the domain, nor in recursive
    /// conditions, where the language forbids new terms.
    Wrapped(usize),
}

#[derive(Clone, Debug)]
enum Condition {
    Holds(Relation, Vec<Arg>),
    Fails(Relation, Vec<Arg>),
    Differ(Arg, Arg),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    /// A fluent, by name.
    Fluent,
    /// An argument of the move.
    Move,
    Derived(usize),
}

#[derive(Clone, Debug)]
struct Clause {
    head: usize,
    args: Vec<Arg>,
    body: Vec<Condition>,
}

const VARIABLES: usize = 3;

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Arg::Value(index) => f.write_str(DOMAIN[*index]),
            Arg::Var(var) => write!(f, "?v{var}"),
            Arg::Wrapped(var) => write!(f, "(f ?v{var})"),
        }
    }
}

fn atom(relation: Relation, args: &[Arg]) -> String {
    let args = args.iter().map(|arg| format!(" {arg}")).collect::<String>();
    match relation {
        Relation::Fluent => format!("(true (e{args}))"),
        Relation::Move => format!("(does one (m{args}))"),
        Relation::Derived(index) => format!("(p{index}{args})"),
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "(<= {}", atom(Relation::Derived(self.head), &self.args))?;
        for condition in &self.body {
            match condition {
                Condition::Holds(relation, args) => write!(f, " {}", atom(*relation, args))?,
                Condition::Fails(relation, args) => write!(f, " (not {})", atom(*relation, args))?,
                Condition::Differ(a, b) => write!(f, " (distinct {a} {b})")?,
            }
        }
        f.write_str(")")
    }
}

fn arity(relation: Relation) -> usize {
    match relation {
        Relation::Fluent | Relation::Move => 2,
        Relation::Derived(index) => ARITIES[index],
    }
}

type Database = BTreeSet<(Relation, Vec<String>)>;

/// The text of an argument under an assignment of values to variables.
fn value(arg: &Arg, assignment: &[usize]) -> String {
    match arg {
        Arg::Value(index) => DOMAIN[*index].to_string(),
        Arg::Var(var) => DOMAIN[assignment[*var]].to_string(),
        Arg::Wrapped(var) => format!("(f {})", DOMAIN[assignment[*var]]),
    }
}

fn values(args: &[Arg], assignment: &[usize]) -> Vec<String> {
    args.iter().map(|arg| value(arg, assignment)).collect()
}

/// Everything that follows from `given`.
fn consequences(given: &Database, clauses: &[Clause]) -> Database {
    let mut database = given.clone();
    for stratum in 0..ARITIES.len() {
        loop {
            let before = database.len();
            for clause in clauses.iter().filter(|clause| clause.head == stratum) {
                for code in 0..DOMAIN.len().pow(VARIABLES as u32) {
                    let assignment = [
                        code % DOMAIN.len(),
                        code / DOMAIN.len() % DOMAIN.len(),
                        code / DOMAIN.len() / DOMAIN.len(),
                    ];
                    let holds = |relation: &Relation, args: &[Arg]| {
                        database.contains(&(*relation, values(args, &assignment)))
                    };
                    let fires = clause.body.iter().all(|condition| match condition {
                        Condition::Holds(relation, args) => holds(relation, args),
                        Condition::Fails(relation, args) => !holds(relation, args),
                        Condition::Differ(a, b) => value(a, &assignment) != value(b, &assignment),
                    });
                    if fires {
                        let head = values(&clause.args, &assignment);
                        database.insert((Relation::Derived(stratum), head));
                    }
                }
            }
            if database.len() == before {
                break;
            }
        }
    }
    database
}

fn arg(wrapped: bool) -> BoxedStrategy<Arg> {
    let plain = prop_oneof![
        1 => (0..DOMAIN.len()).prop_map(Arg::Value),
        4 => (0..VARIABLES).prop_map(Arg::Var),
    ];
    if wrapped {
        prop_oneof![6 => plain, 1 => (0..VARIABLES).prop_map(Arg::Wrapped)].boxed()
    } else {
        plain.boxed()
    }
}

fn application(relation: Relation, head: usize) -> impl Strategy<Value = (Relation, Vec<Arg>)> {
    let args = proptest::collection::vec(arg(relation != Relation::Derived(head)), arity(relation));
    args.prop_map(move |args| (relation, args))
}

fn condition(head: usize) -> impl Strategy<Value = Condition> {
    let given = prop_oneof![Just(Relation::Fluent), Just(Relation::Move)];
    let positive = prop_oneof![given.clone(), (0..=head).prop_map(Relation::Derived)];
    let negative = match head {
        0 => given.boxed(),
        _ => (0..head).prop_map(Relation::Derived).boxed(),
    };
    prop_oneof![
        6 => positive.prop_flat_map(move |r| application(r, head)).prop_map(|(r, args)| Condition::Holds(r, args)),
        2 => negative.prop_flat_map(move |r| application(r, head)).prop_map(|(r, args)| Condition::Fails(r, args)),
        1 => (arg(true), arg(true)).prop_map(|(a, b)| Condition::Differ(a, b)),
    ]
}

/// A clause whose variables are all bound by positive conditions: those that are
/// not become the constant `a`.
fn clause() -> impl Strategy<Value = Clause> {
    (0..ARITIES.len()).prop_flat_map(|head| {
        let args = proptest::collection::vec(arg(false), ARITIES[head]);
        let body = proptest::collection::vec(condition(head), 1..4);
        (args, body).prop_map(move |(mut args, mut body)| {
            let mut bound = [false; VARIABLES];
            for condition in &body {
                if let Condition::Holds(_, args) = condition {
                    for arg in args {
                        if let Arg::Var(var) | Arg::Wrapped(var) = arg {
                            bound[*var] = true;
                        }
                    }
                }
            }
            let mut mend = |arg: &mut Arg| match arg {
                Arg::Var(var) | Arg::Wrapped(var) if !bound[*var] => *arg = Arg::Value(0),
                _ => {}
            };
            args.iter_mut().for_each(&mut mend);
            for condition in &mut body {
                match condition {
                    Condition::Holds(..) => {}
                    Condition::Fails(_, args) => args.iter_mut().for_each(&mut mend),
                    Condition::Differ(a, b) => [a, b].into_iter().for_each(&mut mend),
                }
            }
            Clause { head, args, body }
        })
    })
}

fn pairs(limit: usize) -> impl Strategy<Value = BTreeSet<(usize, usize)>> {
    proptest::collection::btree_set((0..DOMAIN.len(), 0..DOMAIN.len()), 0..limit)
}

/// The rulesheet in which the next state holds what the clauses derive.
fn rulesheet(fluents: &BTreeSet<(usize, usize)>, clauses: &[Clause]) -> String {
    let mut text = String::from(
        "(role one) (<= terminal (true over)) (goal one 0) (init start)
         (<= (legal one (m ?x ?y)) (value ?x) (value ?y))\n",
    );
    for value in DOMAIN {
        text += &format!("(value {value})");
    }
    for &(a, b) in fluents {
        text += &format!("(init (e {} {}))", DOMAIN[a], DOMAIN[b]);
    }
    for (relation, &arity) in ARITIES.iter().enumerate() {
        let args: Vec<Arg> = (0..arity).map(Arg::Var).collect();
        let head = atom(Relation::Derived(relation), &args);
        text += &format!("\n(<= (next {head}) {head})");
        // A fact for each, so that none is undefined.
        let fact = vec![Arg::Value(2); arity];
        text += &format!("\n{}", atom(Relation::Derived(relation), &fact));
    }
    for clause in clauses {
        text += &format!("\n{clause}");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_prover_derives_what_the_definition_says(
        clauses in proptest::collection::vec(clause(), 1..9),
        fluents in pairs(8),
        choice in (0..DOMAIN.len(), 0..DOMAIN.len()),
    ) {
        let text = rulesheet(&fluents, &clauses);
        let rules = Rules::parse("random.kif", &text).expect("a valid rulesheet").rules;
        let mut prover = Prover::new(&rules, ProverLimits::default()).expect("safe rules");
        let initial = prover.initial_state().expect("within limits");
        prover.set_state(&initial);

        let (a, b) = choice;
        let name = format!("(m {} {})", DOMAIN[a], DOMAIN[b]);
        let moves = prover.legal_moves(0).expect("within limits");
        let action = moves.into_iter().find(|&action| prover.terms().text(action) == name);
        let next = prover.next_state(&[action.expect("a legal move")]).expect("within limits");
        let next: BTreeSet<String> = next.iter().map(|&term| prover.terms().text(term)).collect();

        let pair = |(a, b): (usize, usize)| vec![DOMAIN[a].to_string(), DOMAIN[b].to_string()];
        let mut given: Database = fluents.iter().map(|&e| (Relation::Fluent, pair(e))).collect();
        given.insert((Relation::Move, pair(choice)));
        for (relation, &arity) in ARITIES.iter().enumerate() {
            given.insert((Relation::Derived(relation), vec![DOMAIN[2].to_string(); arity]));
        }
        let expected: BTreeSet<String> = consequences(&given, &clauses)
            .into_iter()
            .filter_map(|(relation, args)| match relation {
                Relation::Derived(index) => Some(format!("(p{index} {})", args.join(" "))),
                _ => None,
            })
            .collect();
        prop_assert_eq!(next, expected, "{}", text);
    }
}
