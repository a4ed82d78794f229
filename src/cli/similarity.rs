//! `propjit similarity`: how similar two positions are, and which of their moves correspond.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use propjit::Moments;
use propjit::game::ground::GroundGame;
use propjit::game::load::Game;
use propjit::game::machine::State;
use propjit::lab::similarity::{
    Comparison, FrequentPair, MatchedMoves, Measure, SimilarityConfig, SimilarityError,
};
use propjit::support::error_text::with_causes;
use propjit::support::input::read_text;
use propjit::support::rng::random_seed;
use serde::Serialize;

use super::options::{SetupArgs, game_name, in_range, seed};
use super::output::{Failure, Output, column_width, show_progress};
use super::picture::Pictures;
use super::position::play_moves;
use super::signals::stop_on_signals;

/// Compare two positions of a game, or of two games, by their game trees and match their moves
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// File with the joint moves up to the first position, or with match records, as for `--history` of other
    /// commands [default: the initial position]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["a_moves", "a_state"])]
    a: Option<PathBuf>,

    /// Rulesheet of the second position [default: that of the first one]
    #[arg(long, value_name = "FILE")]
    b_rulesheet: Option<PathBuf>,

    /// The same for the second position
    #[arg(long, value_name = "FILE", conflicts_with_all = ["b_moves", "b_state"])]
    b: Option<PathBuf>,

    /// Number of joint moves of the first history to play [default: all]
    #[arg(long, value_name = "N", requires = "a", conflicts_with_all = ["a_moves", "a_state"], value_parser = |text: &str| in_range(text, 0, usize::MAX))]
    a_first: Option<usize>,

    /// Number of joint moves of the second history to play [default: all]
    #[arg(long, value_name = "N", requires = "b", conflicts_with_all = ["b_moves", "b_state"], value_parser = |text: &str| in_range(text, 0, usize::MAX))]
    b_first: Option<usize>,

    /// Number of the match record to read
    #[arg(long = "match", value_name = "N", value_parser = |text: &str| in_range(text, 0, u64::MAX))]
    number: Option<u64>,

    /// Joint moves up to the first position, separated by semicolons
    #[arg(long, value_name = "MOVES", conflicts_with = "a_state")]
    a_moves: Option<String>,

    /// The same for the second position
    #[arg(long, value_name = "MOVES", conflicts_with = "b_state")]
    b_moves: Option<String>,

    /// Fluents that hold in the first position, separated by spaces, or `@FILE` to read them from a file; `@-`
    /// for standard input
    #[arg(long, value_name = "FLUENTS")]
    a_state: Option<String>,

    /// The same for the second position
    #[arg(long, value_name = "FLUENTS")]
    b_state: Option<String>,

    /// Similarity measure: continuations, sequences or tree-edit
    #[arg(long, default_value = "continuations", value_name = "MEASURE")]
    measure: Measure,

    /// Depth of the game trees in joint moves
    #[arg(long, default_value = "1", value_name = "D", value_parser = |text: &str| in_range::<usize>(text, 1, 100))]
    depth: usize,

    /// Argument positions of moves to ignore, starting at 1, separated by commas
    #[arg(long, value_name = "PLACES", value_delimiter = ',', value_parser = |text: &str| in_range::<usize>(text, 1, 1000))]
    ignore_arguments: Vec<usize>,

    /// Number of pairs of moves to show; 0 skips matching
    #[arg(long, default_value = "5", value_name = "N", value_parser = |text: &str| in_range(text, 0, usize::MAX))]
    matches: usize,

    /// Also estimate the structural similarity from samples of this many children
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range::<usize>(text, 1, 1_000_000))]
    children: Option<usize>,

    /// Number of samples
    #[arg(long, default_value = "10", value_name = "N", requires = "children", value_parser = |text: &str| in_range::<usize>(text, 2, 1_000_000))]
    samples: usize,

    /// Seed of the samples [default: random]
    #[arg(long, value_name = "N", requires = "children", value_parser = seed)]
    seed: Option<u64>,

    /// Maximum number of nodes of the game trees
    #[arg(long, default_value = "1000000", value_name = "N", value_parser = |text: &str| in_range(text, 0, usize::MAX))]
    nodes: usize,

    #[command(flatten)]
    setup: SetupArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    /// The game of the second position, if it is another rulesheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    second_game: Option<String>,
    measure: &'static str,
    depth: usize,
    similarity: f64,
    structural: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sampled: Option<Sampled>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Moves>,
    /// The boards of both positions.
    #[serde(skip)]
    pictures: String,
}

/// The estimate from samples of children.
#[derive(Serialize)]
struct Sampled {
    children: usize,
    samples: usize,
    seed: u64,
    mean: f64,
    /// The standard deviation of one sample.
    deviation: f64,
    /// The mean less the similarity by all children.
    error: f64,
}

/// The moves that correspond.
#[derive(Serialize)]
struct Moves {
    /// Of the first ply, those that differ least first.
    pairs: Vec<Pair>,
    /// Of the second ply, the most frequent ones first.
    frequent: Vec<FrequentPair>,
}

#[derive(Serialize)]
struct Pair {
    a: String,
    b: String,
    similarity_a: f64,
    similarity_b: f64,
}

/// Compares the positions and prints the results.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    if args.number.is_some() && args.a.is_none() && args.b.is_none() {
        let why = "--match selects a match in a file of records: see --a and --b";
        return Err(Failure::Usage(why.to_string()));
    }
    let histories = [&args.a, &args.b].map(Option::as_deref);
    let states = [&args.a_state, &args.b_state].map(|state| file_of(state.as_deref()?));
    let files = histories.into_iter().chain(states).flatten();
    let files = files.chain([&*args.rulesheet]);
    let files = files.chain(args.b_rulesheet.as_deref());
    if files.filter(|path| *path == Path::new("-")).count() > 1 {
        let why = "only one of the rulesheets and the positions can be standard input";
        return Err(Failure::Usage(why.to_string()));
    }
    let load = |rulesheet: &Path| {
        let game = args.setup.load_ground(rulesheet, &stop)?;
        let prepare = Game::prepare_or_interpret;
        let (game, _) = (args.setup).prepare(game, &stop, Game::bulk_backend, prepare)?;
        Ok::<_, Failure>(game)
    };
    let game = load(&args.rulesheet)?;
    let other = args.b_rulesheet.as_deref().map(load).transpose()?;
    let second = other.as_ref().unwrap_or(&game);
    let config = SimilarityConfig::default()
        .with_measure(args.measure)
        .with_depth(args.depth)
        .with_ignored_arguments(args.ignore_arguments.clone())
        .with_nodes(args.nodes);
    let shown = show_progress(|| "comparing".to_string());
    let mut comparison = match &other {
        Some(other) => Comparison::between(&game, other, config, &stop)?,
        None => Comparison::new(&game, config, &stop)?,
    };
    let a = position(&game, comparison.game(), &args.first(), args.number)?;
    let b = position(
        second,
        comparison.second_game(),
        &args.second(),
        args.number,
    )?;
    let structural = comparison.structural(&a, &b)?;
    let sampled = match args.children {
        Some(children) => {
            let seed = args.seed.unwrap_or_else(random_seed);
            let found = comparison.structural_sampled((&a, &b), children, args.samples, seed)?;
            Some(Sampled::new(&found, children, seed, structural))
        }
        None => None,
    };
    let (mut moves, mut pictures) = (None, String::new());
    if args.matches > 0 {
        moves = Some(Moves::new(comparison.matched_moves(&a, &b)?, args.matches));
        if !output.is_json() {
            let drawn = [
                ("a", &game, comparison.game(), &a),
                ("b", second, comparison.second_game(), &b),
            ];
            for (name, game, ground, state) in drawn {
                let drawn = Pictures::new(game, &io::stdout(), &stop);
                pictures += &format!("\n{name}\n");
                pictures += &drawn.draw(&ground.fluents(state));
            }
        }
    }
    let similarity = comparison.similarity(&a, &b)?;
    drop(shown);
    output.result(&Report {
        game: game_name(&args.rulesheet),
        second_game: args.b_rulesheet.as_deref().map(game_name),
        measure: args.measure.name(),
        depth: args.depth,
        similarity,
        structural,
        sampled,
        moves,
        pictures,
    })
}

/// The source of a position: the initial state by default.
struct Source<'a> {
    history: Option<&'a Path>,
    first: Option<usize>,
    moves: Option<&'a str>,
    state: Option<&'a str>,
}

impl Args {
    fn first(&self) -> Source<'_> {
        Source {
            history: self.a.as_deref(),
            first: self.a_first,
            moves: self.a_moves.as_deref(),
            state: self.a_state.as_deref(),
        }
    }

    fn second(&self) -> Source<'_> {
        Source {
            history: self.b.as_deref(),
            first: self.b_first,
            moves: self.b_moves.as_deref(),
            state: self.b_state.as_deref(),
        }
    }
}

/// The state of a position.
fn position(
    game: &Game,
    ground: &GroundGame,
    source: &Source,
    number: Option<u64>,
) -> Result<State, Failure> {
    if let Some(state) = source.state {
        let text = match file_of(state) {
            Some(path) if path.as_os_str().is_empty() => {
                let why = "the name of a file is missing after @";
                return Err(Failure::Usage(why.to_string()));
            }
            Some(path) => read_text(path).map_err(|error| {
                Failure::Work(format!("cannot read {}: {error}", path.display()))
            })?,
            None => state.to_string(),
        };
        return ground.parse_state(&fluents(&text)?).map_err(Failure::new);
    }
    let history = play_moves(game, source.history, number, source.first, source.moves)?;
    let state = history.states().last().expect("a match has a state");
    Ok(state.clone())
}

/// The file of fluents that an option names.
fn file_of(state: &str) -> Option<&Path> {
    state.strip_prefix('@').map(Path::new)
}

/// The fluents of a text.
fn fluents(text: &str) -> Result<Vec<&str>, Failure> {
    let mut depth = 0;
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            break;
        }
        if depth == 0 && (c == ')' || c.is_whitespace()) {
            let end = at + c.len_utf8();
            found.push(text[start..end].trim());
            start = end;
        }
    }
    if depth != 0 {
        let why = "the fluents of a position have unbalanced parentheses";
        return Err(Failure::Work(why.to_string()));
    }
    found.push(text[start..].trim());
    found.retain(|fluent| !fluent.is_empty());
    Ok(found)
}

impl Sampled {
    fn new(found: &[f64], children: usize, seed: u64, structural: f64) -> Sampled {
        let mut moments: Moments<f64> = Moments::default();
        found.iter().for_each(|&value| moments.add(value, 1));
        let mean = moments.mean().unwrap_or_default();
        Sampled {
            children,
            samples: found.len(),
            seed,
            mean,
            deviation: moments.variance().unwrap_or_default().sqrt(),
            error: mean - structural,
        }
    }
}

impl Moves {
    fn new(found: MatchedMoves, most: usize) -> Moves {
        let pairs = found.pairs.into_iter().take(most).map(|pair| Pair {
            a: pair.a,
            b: pair.b,
            similarity_a: pair.similarities.0,
            similarity_b: pair.similarities.1,
        });
        Moves {
            pairs: pairs.collect(),
            frequent: found.frequent.into_iter().take(most).collect(),
        }
    }
}

impl From<SimilarityError> for Failure {
    fn from(error: SimilarityError) -> Failure {
        Failure::Work(with_causes(&error))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{} at depth {}", self.measure, self.depth);
        writeln!(f, "{name:<26}  {:.3}", self.similarity)?;
        writeln!(f, "{:<26}  {:.3}", "structural, on that", self.structural)?;
        if let Some(sampled) = &self.sampled {
            let name = format!("by {} children", sampled.children);
            let (mean, deviation) = (sampled.mean, sampled.deviation);
            write!(
                f,
                "{name:<26}  {mean:.3}, {deviation:.3} apart from sample to sample; "
            )?;
            writeln!(f, "{} samples, seed {}", sampled.samples, sampled.seed)?;
        }
        write!(f, "{}", self.pictures)?;
        let Some(moves) = &self.moves else {
            return Ok(());
        };
        let names = (moves.pairs.iter().map(|pair| &pair.a))
            .chain(moves.frequent.iter().map(|pair| &pair.a));
        let width = names.map(|name| name.chars().count()).max();
        let width = column_width(width.unwrap_or(0));
        if !moves.pairs.is_empty() {
            writeln!(
                f,
                "\nmoves in a and b, and how similar what follows is to each"
            )?;
        }
        for pair in &moves.pairs {
            let (a, b) = (pair.similarity_a, pair.similarity_b);
            writeln!(f, "  {a:.3}  {b:.3}  {:<width$}  {}", pair.a, pair.b)?;
        }
        if !moves.frequent.is_empty() {
            writeln!(
                f,
                "\nmoves of the second ply, and how often they are paired"
            )?;
        }
        for pair in &moves.frequent {
            writeln!(f, "  {:>12}  {:<width$}  {}", pair.count, pair.a, pair.b)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::fluents;

    #[test]
    fn fluents_need_no_blanks_between_brackets() {
        let found = fluents(" (cell 1 (at 2) b)(control x)\n over  passed ").ok();
        let expected = ["(cell 1 (at 2) b)", "(control x)", "over", "passed"];
        assert_eq!(found.unwrap(), expected);
        assert!(fluents("(cell 1").is_err());
        assert!(fluents("cell 1) (").is_err());
    }
}
