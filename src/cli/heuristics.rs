//! `propjit heuristics`: an evaluation of states, learned from matches.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use propjit::game::engine::MatchEngines;
use propjit::game::ground::GroundGame;
use propjit::search::learned::{
    Effect, Evaluation, Heuristic, HeuristicConfig, Known, TupleWeight, compare,
};
use propjit::search::mcts::play_search_match;
use propjit::support::error_text::with_causes;
use propjit::support::rng::random_seed;
use propjit::{Moments, Stop};
use serde::Serialize;

use super::options::{SetupArgs, game_name, in_range, not_ground, seconds, seed, threads};
use super::output::{Failure, Output, counted, show_progress, writable};
use super::picture::Pictures;
use super::signals::stop_on_signals;

/// The approximate number of decisions in the matches against another evaluation.
const COMPARED_DECISIONS: u64 = 30_000;

/// Learn an evaluation of states by self-play
///
/// A useful evaluation is stored for later searches of the game, unless profiles are disabled.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read
    rulesheet: PathBuf,

    /// Time limit for learning
    #[arg(long, default_value = "3", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Maximum number of rounds of matches
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1u32, 1_000_000))]
    rounds: Option<u32>,

    /// Threads that play matches; the result depends on their number
    #[arg(long, default_value = "1", value_name = "T", value_parser = threads)]
    threads: usize,

    /// Seed of the random numbers [default: random]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,

    /// Number of propositions to print, those with the greatest effects first; JSON has all
    #[arg(long, default_value = "20", value_name = "N", value_parser = |text: &str| in_range(text, 0, usize::MAX))]
    effects: usize,

    /// Continue from the stored evaluation instead of starting afresh
    #[arg(long = "continue")]
    goes_on: bool,

    /// Do not store the evaluation
    #[arg(long)]
    dry_run: bool,

    /// Also write the evaluation to this file, useful or not
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Play the learned evaluation against one saved in this file, by greedy decisions; may be repeated
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,

    /// Number of parts of boards to print, those whose contents have the greatest weights first; JSON lists them, too
    #[arg(long, default_value = "6", value_name = "N", value_parser = |text: &str| in_range(text, 0, usize::MAX))]
    tuples: usize,

    #[command(flatten)]
    setup: SetupArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    roles: Vec<String>,
    verdict: &'static str,
    admitted: bool,
    rounds: u32,
    /// The number of symmetries of the game that were used to learn more from each state.
    symmetries: usize,
    decisions: u64,
    seconds: f64,
    /// The seconds of learning before.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_before: Option<f64>,
    seed: u64,
    /// The logarithmic loss in matches that were not used for learning.
    loss: Option<f64>,
    /// The reduction of the loss by the evaluation.
    gain: Option<f64>,
    gain_stderr: Option<f64>,
    /// The same by the mean of playouts.
    gain_by_playouts: Option<f64>,
    /// The share of the range of goals against random decisions.
    score: Option<f64>,
    score_stderr: Option<f64>,
    /// The same against decisions by playouts.
    score_against_playouts: Option<f64>,
    score_against_playouts_stderr: Option<f64>,
    /// The gain in these matches.
    gain_against_playouts: Option<f64>,
    gain_against_playouts_stderr: Option<f64>,
    /// The results of searches with it against those without, trusting it fully, and as a hint.
    between_searches: Option<MatchScore>,
    between_searches_as_hint: Option<MatchScore>,
    /// The score against evaluations that were saved in files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<AgainstFile>,
    effects: Vec<PropositionEffect>,
    /// The contents of parts of boards with the greatest weights.
    tuples: Vec<PartOfBoard>,
    /// The number of effects that are printed as text.
    #[serde(skip)]
    printed: usize,
}

/// The results against the evaluation in a file.
#[derive(Serialize)]
struct AgainstFile {
    file: PathBuf,
    #[serde(flatten)]
    result: MatchScore,
}

/// The results in matches.
#[derive(Serialize)]
struct MatchScore {
    matches: u64,
    score: Option<f64>,
    score_stderr: Option<f64>,
}

impl From<Moments<f64>> for MatchScore {
    fn from(score: Moments<f64>) -> MatchScore {
        MatchScore {
            matches: score.count,
            score: score.mean(),
            score_stderr: score.standard_error(),
        }
    }
}

/// The mean contribution of a proposition to the logarithm of the odds of the first role.
#[derive(Serialize)]
struct PropositionEffect {
    proposition: String,
    /// When each of the roles is to move; null if it never holds then.
    mean: Vec<Option<f64>>,
}

/// What is on a part of a board together, with its weight in the logarithm of the odds of the first role.
#[derive(Serialize)]
struct PartOfBoard {
    /// The propositions that hold there.
    holds: Vec<String>,
    /// Those of what might be on the places that are empty.
    none_of: Vec<String>,
    /// The weight where each of two roles is to move; in games of more roles, one number.
    weight: Vec<f64>,
    #[serde(skip)]
    picture: Option<String>,
}

/// Learns and prints the results.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let game = args.setup.load_ground(&args.rulesheet, &stop)?;
    let (Some(ground), Some(engines)) = (game.ground_game(), game.engines()) else {
        return Err(not_ground(&game, "evaluations"));
    };
    if let Some(path) = &args.save {
        writable(path, [&args.rulesheet])?;
    }
    // Read before any long work, as it may be damaged.
    let known = match args.goes_on {
        true => Known::load(ground).map_err(Failure::new)?,
        false => None,
    };
    let opponents = opponents(&args.against, ground)?;
    let shown = show_progress(|| "learning".to_string());
    let mut engines = MatchEngines::new(engines.clone());
    if let Some(decisive) = game.decisive() {
        engines = engines.with_decisive(decisive.clone());
    }
    engines.wait();
    let seed = args.seed.unwrap_or_else(random_seed);
    let before = known.as_ref().map(|known| known.time.as_secs_f64());
    let config = HeuristicConfig::default()
        .with_time(args.seconds)
        .with_rounds(args.rounds)
        .with_seed(seed)
        .with_threads(args.threads)
        .with_known(known)
        .with_search_matches(Some(play_search_match));
    let learned = Heuristic::learn(&game, &engines, &config, &stop);
    drop(shown);
    let learned = learned.map_err(Failure::new)?;
    if !args.dry_run
        && let Err(error) = learned.keep(ground, &config)
    {
        tracing::warn!("{}; the evaluation is not stored", with_causes(&error));
    }
    let known = learned.known(&config);
    let against = match &learned.evaluation {
        Some(own) => play_against(opponents, own, &engines, seed, &stop)?,
        None => Vec::new(),
    };
    let result = learned.result.as_ref();
    let against_random = result.map(|result| result.against_random);
    let against_playouts = result.and_then(|result| result.against_playouts);
    let between = result.and_then(|result| result.between_searches);
    let played = |score: Moments<f64>| (score.count > 0).then(|| MatchScore::from(score));
    output.result(&Report {
        game: game_name(&args.rulesheet),
        roles: ground.roles().to_vec(),
        verdict: learned.verdict.text(),
        admitted: learned.admitted().is_some(),
        rounds: learned.rounds,
        symmetries: learned.symmetries,
        decisions: learned.decisions,
        seconds: learned.time.as_secs_f64(),
        seconds_before: before,
        seed,
        loss: learned.gain.mean().map(|_| learned.loss),
        gain: learned.gain.mean(),
        gain_stderr: learned.gain.standard_error(),
        gain_by_playouts: result.map(|result| result.gain_by_playouts),
        score: against_random.and_then(|score| score.mean()),
        score_stderr: against_random.and_then(|score| score.standard_error()),
        score_against_playouts: against_playouts.and_then(|one| one.score.mean()),
        score_against_playouts_stderr: against_playouts.and_then(|one| one.score.standard_error()),
        gain_against_playouts: against_playouts.and_then(|one| one.gain.mean()),
        gain_against_playouts_stderr: against_playouts.and_then(|one| one.gain.standard_error()),
        between_searches: between.and_then(|between| played(between.full)),
        between_searches_as_hint: between.and_then(|between| played(between.hint)),
        against,
        tuples: match &learned.evaluation {
            Some(evaluation) if args.tuples > 0 => {
                let pictures = Pictures::new(&game, &io::stdout(), &stop);
                let all = evaluation.greatest_tuples(args.tuples).into_iter();
                all.map(|of| PartOfBoard::new(of, ground, &pictures))
                    .collect()
            }
            _ => Vec::new(),
        },
        effects: propositions(learned.effects, ground),
        printed: args.effects,
    })?;
    match &args.save {
        Some(path) => known.write(path, ground).map_err(Failure::new),
        None => Ok(()),
    }
}

/// Reads the evaluations of the game in these files.
fn opponents(
    files: &[PathBuf],
    game: &GroundGame,
) -> Result<Vec<(PathBuf, Arc<Evaluation>)>, Failure> {
    let mut opponents = Vec::with_capacity(files.len());
    for file in files {
        let known = Known::read(file, game).map_err(Failure::new)?;
        let nothing = || format!("nothing was learned in {}", file.display());
        let evaluation = known.evaluation.ok_or_else(|| Failure::Work(nothing()))?;
        opponents.push((file.clone(), evaluation));
    }
    Ok(opponents)
}

/// Returns the results of an evaluation against others, until a stop comes.
fn play_against(
    opponents: Vec<(PathBuf, Arc<Evaluation>)>,
    own: &Arc<Evaluation>,
    engines: &MatchEngines,
    seed: u64,
    stop: &Stop,
) -> Result<Vec<AgainstFile>, Failure> {
    let _shown = show_progress(|| "playing".to_string());
    let mut against = Vec::with_capacity(opponents.len());
    for (file, other) in opponents {
        let score = compare(engines, [own, &other], COMPARED_DECISIONS, seed, stop);
        let Some(score) = score.map_err(Failure::new)? else {
            break;
        };
        against.push(AgainstFile {
            file,
            result: score.into(),
        });
    }
    Ok(against)
}

/// Returns the propositions by name, those with the greatest effects first.
fn propositions(mut effects: Vec<Effect>, game: &GroundGame) -> Vec<PropositionEffect> {
    effects.sort_by(|a, b| b.size().total_cmp(&a.size()));
    let named = effects.into_iter().flat_map(|effect| {
        let names = game.fluents(&[effect.base].into_iter().collect());
        let mean: Vec<_> = effect.where_to_move.iter().map(Moments::mean).collect();
        names.into_iter().map(move |proposition| PropositionEffect {
            proposition,
            mean: mean.clone(),
        })
    });
    named.collect()
}

impl PartOfBoard {
    fn new(of: TupleWeight, game: &GroundGame, pictures: &Pictures) -> PartOfBoard {
        let text = |&base: &usize| game.base_text(base);
        let places = of.places.iter();
        let places = places.map(|place| {
            let any = place.bases.first().map(text).unwrap_or_default();
            (any, place.holds.as_ref().map(text))
        });
        let places: Vec<(String, Option<String>)> = places.collect();
        let empty = of.places.iter().filter(|place| place.holds.is_none());
        PartOfBoard {
            picture: pictures.part(&places),
            holds: places.into_iter().filter_map(|(_, held)| held).collect(),
            none_of: empty
                .flat_map(|place| place.bases.iter().map(text))
                .collect(),
            weight: of.where_to_move.to_vec(),
        }
    }
}

impl fmt::Display for PartOfBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for weight in &self.weight {
            write!(f, "{weight:>8.2} ")?;
        }
        match &self.picture {
            Some(picture) => write!(f, "\n{picture}"),
            None if self.holds.is_empty() => writeln!(f, " none of {}", self.none_of.join(" ")),
            None => writeln!(f, " {}", self.holds.join(" ")),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {}; {} decisions in {}, {}, {:.2} s{}, seed {}",
            self.game,
            self.verdict,
            self.decisions,
            counted(self.rounds, "round", "rounds"),
            counted(self.symmetries, "symmetry", "symmetries"),
            self.seconds,
            match self.seconds_before {
                Some(before) => format!(" after {before} s"),
                None => String::new(),
            },
            self.seed
        )?;
        if let (Some(loss), Some(gain)) = (self.loss, self.gain) {
            let error = self.gain_stderr.unwrap_or(0.0);
            writeln!(
                f,
                "held-out loss   {loss:.3}, by {gain:.3} ± {error:.3} less than without it"
            )?;
        }
        if let Some(gain) = self.gain_by_playouts {
            writeln!(f, "playouts        by {gain:.3} less")?;
        }
        let percent = |score: f64, error: Option<f64>| {
            let error = 100.0 * error.unwrap_or(0.0);
            format!("{:.1}% ± {error:.1}", 100.0 * score)
        };
        if let Some(score) = self.score {
            writeln!(f, "against random   {}", percent(score, self.score_stderr))?;
        }
        if let Some(score) = self.score_against_playouts {
            let score = percent(score, self.score_against_playouts_stderr);
            write!(f, "against playouts {score}")?;
            if let Some(gain) = self.gain_against_playouts {
                let error = self.gain_against_playouts_stderr.unwrap_or(0.0);
                write!(f, ", loss there by {gain:.3} ± {error:.3} less")?;
            }
            writeln!(f)?;
        }
        let between = [
            ("between searches", &self.between_searches),
            ("as a hint       ", &self.between_searches_as_hint),
        ];
        let between = between
            .into_iter()
            .filter_map(|(name, found)| Some((name.to_string(), found.as_ref()?)));
        let against = self.against.iter();
        let against = against.map(|one| (format!("against {}:", one.file.display()), &one.result));
        for (name, found) in between.chain(against) {
            if let Some(score) = found.score {
                let score = percent(score, found.score_stderr);
                writeln!(f, "{name} {score} of {} matches", found.matches)?;
            }
        }
        let shown = &self.effects[..self.printed.min(self.effects.len())];
        let movers = self.roles.join(" or ");
        if !self.tuples.is_empty() {
            writeln!(
                f,
                "greatest weights of parts of boards for {}, where {movers} is to move:",
                self.roles[0]
            )?;
            self.tuples.iter().try_for_each(|of| of.fmt(f))?;
        }
        if shown.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "effects on the odds of {}, where {movers} is to move:",
            self.roles[0]
        )?;
        for PropositionEffect { proposition, mean } in shown {
            for mean in mean {
                match mean {
                    Some(mean) => write!(f, "{mean:>8.2} ")?,
                    None => write!(f, "{:>8} ", "-")?,
                }
            }
            writeln!(f, " {proposition}")?;
        }
        Ok(())
    }
}
