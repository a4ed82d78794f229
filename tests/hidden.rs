//! Games that hide information: what players are told, over every protocol, and what they make of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use propjit::game::load::{Game, Setup};
use propjit::game::machine::Move;
use propjit::play::matches::{
    Choice, Ending, MatchEnd, MoveRecord, Observed, Player, PlayerError, PlayerFactory,
    SharedPosition,
};
use propjit::proof::regret::{Decision, RegretConfig, RegretProgress, evaluate};
use propjit::search::SearchBudget;
use propjit::search::beliefs::{Belief, BeliefConfig, Observation};
use propjit::search::chooser::SearchConfig;
use propjit::search::determinised::DeterminisedSearch;
use propjit::search::hidden::{HiddenGame, HiddenMethod, HiddenSearch};
use propjit::{RoleId, Stop};
use serde_json::{Value, json};

use crate::common::command::{file, propjit, propjit_reading, stdout};
use crate::common::http::{legal, post, serve, start};
use crate::common::own_game;
use crate::common::series::{play, series, sheet, spec};

/// One role hides a coin in one of three boxes, the other one may look into two of them.
pub(crate) const BOXES: &str = "
    (role hider) (role seeker) (init (step 1)) (box 1) (box 2) (box 3) (after 1 2) (after 2 3) (after 3 4)
    (<= (legal hider (hide ?b)) (true (step 1)) (box ?b)) (<= (legal hider wait) (not (true (step 1))))
    (<= (legal seeker wait) (true (step 1))) (<= (legal seeker (look ?b)) (not (true (step 1))) (box ?b))
    (<= (next (in ?b)) (does hider (hide ?b))) (<= (next (in ?b)) (true (in ?b)))
    (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
    (<= (next found) (does seeker (look ?b)) (true (in ?b)))
    (<= (sees seeker (miss ?b)) (does seeker (look ?b)) (not (true (in ?b))))
    (<= terminal (true found)) (<= terminal (true (step 4)))
    (<= (goal seeker 100) (true found)) (<= (goal seeker 0) (not (true found)))
    (<= (goal hider 0) (true found)) (<= (goal hider 100) (not (true found)))";

/// Something that a player was told.
#[derive(Debug)]
enum Told {
    Started(bool),
    Moved(Observed, bool),
    Ended(Ending),
}

/// Plays as another player does, and passes on what it is told, and whether a position comes with it.
fn overheard(inner: &str, said: Sender<(usize, Told)>) -> PlayerFactory {
    struct Overheard {
        player: Box<dyn Player>,
        role: usize,
        said: Sender<(usize, Told)>,
    }
    impl Player for Overheard {
        fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError> {
            self.player.prepare(deadline, stop)
        }
        fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
            self.player.choose(deadline, stop)
        }
        fn advance(
            &mut self,
            observed: &Observed,
            next: Option<&SharedPosition>,
        ) -> Result<(), PlayerError> {
            let told = Told::Moved(observed.clone(), next.is_some());
            self.said.send((self.role, told)).unwrap();
            self.player.advance(observed, next)
        }
        fn end(&mut self, ending: &Ending) -> Result<(), PlayerError> {
            self.said
                .send((self.role, Told::Ended(ending.clone())))
                .unwrap();
            self.player.end(ending)
        }
    }
    let inner = spec(inner);
    PlayerFactory::new("overheard", move |seat| {
        let role = seat.role.index();
        said.send((role, Told::Started(seat.position.is_some())))
            .unwrap();
        Ok(Box::new(Overheard {
            player: inner.make(seat)?,
            role,
            said: said.clone(),
        }))
    })
}

/// The referee tells each role its own move and its percepts, and nothing else; the record has them.
#[test]
fn players_are_told_what_their_roles_see() {
    let (said, heard) = unbounded();
    let players = ["random", "legal"].map(|inner| overheard(inner, said.clone()));
    let rules = format!("{BOXES} (<= (sees hider looked) (does seeker (look ?b)))");
    let results = play(&series(&players, 1), &sheet(&rules));
    let record = &results.records[0];
    assert_eq!(
        (record.end, &record.errors[..]),
        (MatchEnd::Terminal, &[][..])
    );
    assert!(
        record
            .steps
            .iter()
            .flatten()
            .any(|made| !made.percepts.is_empty())
    );
    let heard: Vec<_> = heard.try_iter().collect();
    for role in 0..2 {
        let expected = record.steps.iter().map(|step| Observed::Percepts {
            own: step[role].text.clone(),
            percepts: step[role].percepts.clone(),
            moves: None,
        });
        let mut of_role = heard.iter().filter(|(other, _)| *other == role);
        assert!(matches!(of_role.next(), Some((_, Told::Started(false)))));
        let mut last = None;
        for expected in expected {
            match &of_role.next().unwrap().1 {
                Told::Moved(observed, has_position) => {
                    assert_eq!((observed, *has_position), (&expected, false));
                }
                Told::Ended(ending) => last = Some((ending, expected)),
                Told::Started(_) => unreachable!(),
            }
        }
        let (ending, expected) = last.unwrap();
        assert_eq!(*ending, Ending::Complete(Some(expected)));
    }
}

/// If percepts tell the whole state, positions are shared as in any other game, and players that follow by the moves of
/// all roles, as programs do, are told them.
#[test]
fn what_is_not_hidden_is_shared() {
    let open = format!("{BOXES} (<= (sees ?r (did ?q ?m)) (role ?r) (does ?q ?m))");
    let program = format!(
        "cmd:{} engine",
        assert_cmd::cargo::cargo_bin!("propjit").display()
    );
    for players in [["legal", "mcts:nodes=50"], [program.as_str(), "random"]] {
        let (said, heard) = unbounded();
        let players = players.map(|inner| overheard(inner, said.clone()));
        let results = play(&series(&players, 1), &sheet(&open));
        let record = &results.records[0];
        assert_eq!(record.errors, []);
        for (role, told) in heard.try_iter() {
            let observed = match told {
                Told::Started(is_shared) => {
                    assert!(is_shared);
                    continue;
                }
                Told::Moved(observed, is_shared) => {
                    assert!(is_shared);
                    observed
                }
                Told::Ended(Ending::Complete(observed)) => observed.unwrap(),
                Told::Ended(ending) => panic!("{ending:?}"),
            };
            let is_told = |step: &Vec<MoveRecord>| {
                let moves = step.iter().map(|made| made.text.clone());
                observed
                    == Observed::Percepts {
                        own: step[role].text.clone(),
                        percepts: step[role].percepts.clone(),
                        moves: Some(moves.collect()),
                    }
            };
            assert!(record.steps.iter().any(is_told), "{observed:?}");
        }
    }
}

/// One who looks into the same box again has not understood what it saw: by chance, that would happen in a third of the
/// matches, and in none of 12 with probability 0.008.
#[test]
fn a_search_uses_what_it_saw() {
    for player in ["mcts:nodes=200", "mcts:nodes=200,search=minimax"] {
        let players = ["random", player].map(spec);
        let results = play(&series(&players, 12), &sheet(BOXES));
        let mut second = 0;
        for record in &results.records {
            assert_eq!(record.errors, []);
            if let [_, first, again] = &record.steps[..] {
                second += 1;
                assert_ne!(first[1].text, again[1].text);
            }
        }
        assert!(second > 2);
    }
}

/// What a role believes after these joint moves, as texts.
fn believed(game: &Game, role: RoleId, moves: &[&[&str]]) -> Belief {
    let (ground, engines) = (game.ground_game().unwrap(), game.engines().unwrap());
    let mut belief = Belief::new(engines, role, BeliefConfig::default());
    let mut position = game.start().unwrap();
    for joint in moves {
        let texts: Vec<String> = joint.iter().map(|text| text.to_string()).collect();
        let found = position.find_joint_move(&texts).unwrap();
        let observed = Observation::of_joint_move(ground, &position, role, &found).unwrap();
        belief.observe(&observed, &Stop::new()).unwrap();
        position.play(&found).unwrap();
    }
    belief
}

/// A small game is solved before the match, and what is played then cannot be exploited.
#[test]
fn small_games_are_played_by_an_equilibrium() {
    let game = Arc::new(own_game("kuhnPoker"));
    let hidden = Arc::new(HiddenGame::new(game.clone()));
    let mut searches = BTreeMap::new();
    let mut choose = |decision: &Decision<'_>| {
        let role = decision.role;
        let mut belief = Belief::new(game.engines().unwrap(), role, BeliefConfig::default());
        for (own, percepts) in &decision.known {
            let observation = Observation {
                own: *own,
                percepts: (*percepts).into(),
                is_over: false,
            };
            belief.observe(&observation, &Stop::new()).unwrap();
        }
        let search = searches.entry(role).or_insert_with(|| {
            let config = SearchConfig::plain();
            let mut search = HiddenSearch::new(&hidden, role, config).unwrap();
            let minute = Stop::new().within(Duration::from_secs(60));
            search.prepare(&minute).unwrap();
            search
        });
        let report = search.run(&belief, &SearchBudget::default()).unwrap();
        assert_eq!(report.method, HiddenMethod::Equilibrium);
        let probability = |played: &Move| {
            let mut moves = report.strategy.moves.iter();
            moves.find(|of| of.played == *played).unwrap().probability
        };
        decision.legal.iter().map(probability).collect()
    };
    let (config, progress) = (RegretConfig::default(), RegretProgress::default());
    let found = evaluate(&game, &config, &mut choose, &Stop::new(), &progress).unwrap();
    // Moves at random lose 12.5 goals.
    assert!(found.exploitability < 0.5, "{}", found.exploitability);
}

/// In a game that hides little, states are searched as if they were known. Values are those of one who does not know.
#[test]
fn what_is_nearly_known_is_taken_for_known() {
    let game = Arc::new(own_game("darkBreakthrough"));
    let white = RoleId(0);
    let belief = believed(&game, white, &[]);
    let config = SearchConfig::default();
    let config = config.clone().with_mcts(config.mcts.with_keep(false));
    let config = config.with_learning_within(Duration::from_millis(50), false);
    let budget = || SearchBudget::for_duration(Duration::from_millis(200));
    let hidden = Arc::new(HiddenGame::new(game));
    let ready = |config: SearchConfig| {
        let mut search = HiddenSearch::new(&hidden, white, config).unwrap();
        search
            .prepare(&Stop::new().within(Duration::from_secs(20)))
            .unwrap();
        search
    };
    let mut search = ready(config);
    let report = search.run(&belief, &budget()).unwrap();
    assert_eq!(report.method, HiddenMethod::Determinised);
    assert_eq!(search.draw(&report), report.strategy.best());
    let analysed = search.analyse(&belief, &budget()).unwrap();
    assert_eq!(analysed.method, HiddenMethod::Determinised);
    assert!(
        analysed.strategy.value.is_some() && analysed.strategy.iterations > 0,
        "{analysed:?}"
    );
    // A plain search has nothing beside it.
    let mut plain = ready(SearchConfig::plain());
    let counted = SearchBudget::default().with_playouts(Some(100));
    let report = plain.run(&belief, &counted).unwrap();
    assert_eq!(report.method, HiddenMethod::InformationSets);
}

/// The most probable states count most.
#[test]
fn probable_states_count_more() {
    let rules = "(role guesser) (role random) (init (step 1))
        (<= (legal random (throw ?s)) (true (step 1)) (side ?s ?coin)) (side heads 1) (side heads2 1) (side tails 2)
        (<= (legal random wait) (true (step 2))) (<= (legal guesser wait) (true (step 1)))
        (<= (legal guesser (say ?c)) (true (step 2)) (side ?s ?c))
        (<= (next (coin ?c)) (does random (throw ?s)) (side ?s ?c)) (<= (next (coin ?c)) (true (coin ?c)))
        (<= (next (step 2)) (true (step 1))) (<= (next (said ?c)) (does guesser (say ?c)))
        (<= (sees guesser clink) (does random (throw ?s)))
        (<= right (true (coin ?c)) (true (said ?c)))
        (<= terminal (true (said ?c))) (<= (goal guesser 100) right) (<= (goal guesser 0) (not right)) (goal random 0)";
    let game = Arc::new(Game::from_text("coin.kif", rules, &Setup::default()).unwrap());
    let guesser = RoleId(0);
    let belief = believed(&game, guesser, &[&["wait", "(throw tails)"]]);
    let mut search = DeterminisedSearch::new(&game, guesser, SearchConfig::plain()).unwrap();
    let budget = SearchBudget::default().with_playouts(Some(200));
    let moves = search.run(belief.population(), 1, &budget).unwrap();
    let ground = game.ground_game().unwrap();
    let texts = moves
        .iter()
        .map(|&(played, _)| ground.move_text(guesser, played));
    assert_eq!(texts.collect::<Vec<_>>(), ["(say 1)", "(say 2)"]);
    assert!((moves[0].1 - 2.0 / 3.0).abs() < 0.1, "{moves:?}");
}

/// Dresden's form of PLAY and STOP: the number of the turn, the player's last move, its percepts.
#[test]
fn percepts_come_from_a_manager() {
    for player in [legal(), spec("mcts:nodes=200")] {
        let server = serve(player.clone());
        let say = |message: &str| post(server.address(), message);
        assert_eq!(say(&start("m", "seeker", BOXES, "10 10")), "ready");
        for _ in 0..2 {
            assert_eq!(say("(PLAY m 0 nil nil)"), "wait");
        }
        let first = say("(PLAY m 1 wait nil)");
        assert_eq!(say("(play m 1 wait ())"), first, "the same turn again");
        let place = first.strip_prefix("(look ").unwrap();
        let second = say(&format!("(PLAY m 2 {first} ((miss {place}))"));
        assert!(second.starts_with("(look "), "{second}");
        if player.name() != "legal" {
            assert_ne!(second, first);
        }
        // Its move was late, and another one was made for it.
        assert_eq!(say("(STOP m 3 (look 3) nil)"), "done");
    }
}

/// An older form has percepts alone; managers that know nothing of `sees` send the moves of all roles.
#[test]
fn percepts_and_moves_are_told_apart() {
    let server = serve(spec("mcts:nodes=200"));
    let say = |message: &str| post(server.address(), message);
    assert_eq!(say(&start("m", "seeker", BOXES, "10 10")), "ready");
    assert_eq!(say("(PLAY m nil)"), "wait");
    let first = say("(PLAY m ())");
    let place = first.strip_prefix("(look ").unwrap();
    let second = say(&format!("(PLAY m ((miss {place}))"));
    assert!(second.starts_with("(look ") && second != first, "{second}");
    assert_eq!(say("(STOP m nil)"), "done");
    for place in 1..=3 {
        assert_eq!(say(&start("m", "seeker", BOXES, "10 10")), "ready");
        assert_eq!(say("(PLAY m nil)"), "wait");
        let first = say(&format!("(PLAY m ((hide {place}) wait))"));
        if first != format!("(look {place})") {
            let second = say(&format!("(PLAY m (wait {first}))"));
            assert!(second.starts_with("(look ") && second != first, "{second}");
        }
        assert_eq!(say("(ABORT m)"), "aborted");
    }
}

/// Requests to `propjit engine`, and the replies to them.
fn engine(requests: &[Value]) -> Vec<Value> {
    let input: String = requests.iter().map(|of| format!("{of}\n")).collect();
    let text = stdout(propjit_reading(&["engine", "--seed", "1"], input).success());
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_program_is_told_what_its_role_sees() {
    let load = json!({"load": {"version": 1, "name": "boxes.kif", "rules": BOXES}});
    let observe = |played: &str, percepts: &[&str]| json!({"observe": {"role": "seeker", "move": played, "percepts": percepts}});
    let go = json!({"go": {"role": "seeker", "nodes": 200}});
    let replies = engine(&[
        load.clone(),
        observe("wait", &[]),
        observe("(look 2)", &["(miss 2)"]),
        go.clone(),
        json!({"legal": {"role": "seeker"}}),
        json!({"legal": {}}),
        json!({"apply": {"moves": ["wait", "(look 1)"]}}),
        observe("(look 1)", &["(miss 7)"]),
        json!({"position": {"moves": [["(hide 3)", "wait"], ["wait", "(look 1)"]]}}),
        go.clone(),
        observe("(look 1)", &["(miss 1)"]),
    ]);
    assert_eq!(
        replies[1]["belief"],
        json!({"depth": 1, "states": 3, "exact": true})
    );
    assert_eq!(
        replies[2]["belief"],
        json!({"depth": 2, "states": 2, "exact": true})
    );
    assert_ne!(replies[3]["move"]["move"], "(look 2)");
    assert_eq!(replies[3]["move"]["statistics"]["belief"]["states"], 2);
    assert_eq!(
        replies[4]["legal"]["roles"][0]["moves"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    for (at, part) in [
        (5, "`legal` of all roles needs the moves of all roles"),
        (6, "`apply` needs the moves of all roles"),
        (7, "seeker can never perceive `(miss 7)`"),
        (10, "go there by `position` without moves"),
    ] {
        let message = replies[at]["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
    }
    // The server knows all moves then; the role does not.
    assert_ne!(replies[9]["move"]["move"], "(look 1)");
    assert_eq!(replies[9]["move"]["statistics"]["belief"]["states"], 2);
    let open = json!({"load": {"version": 1, "name": "open.kif", "rules": crate::common::COUNTER}});
    let replies = engine(&[open, observe("wait", &[])]);
    let message = replies[1]["error"]["message"].as_str().unwrap();
    assert!(message.contains("there are up, idle"), "{message}");
}

/// A program as a player gets `observe`, and what it does not answer is said again from the start.
#[test]
fn a_program_plays_where_information_is_hidden() {
    let program = format!(
        "cmd:{} engine --nodes 200 --seed 1",
        env!("CARGO_BIN_EXE_propjit")
    );
    let players = [spec("random"), spec(&program)];
    let results = play(&series(&players, 4), &sheet(BOXES));
    for record in &results.records {
        assert_eq!(record.errors, []);
        if let [_, first, again] = &record.steps[..] {
            assert_ne!(first[1].text, again[1].text);
        }
    }
}

/// A person sees what its role sees, and all when the match is over.
#[test]
fn a_person_sees_what_its_role_sees() {
    let folder = tempfile::tempdir().unwrap();
    let boxes = file(&folder, "boxes.kif", BOXES);
    let play = |more: &[&str]| {
        let args = [
            &[
                "play",
                &boxes,
                "--role",
                "seeker",
                "--playouts",
                "200",
                "--seed",
                "7",
            ],
            more,
        ];
        stdout(propjit_reading(&args.concat(), "state\nhint\n1\n1\n").success())
    };
    let text = play(&[]);
    let (before, after) = text.split_once("the match is over").unwrap();
    assert!(text.contains("you play wait and see nothing"), "{text}");
    assert!(before.contains("one of 3 states"), "{text}");
    assert_eq!(before.matches("  0.33  (in ").count() % 3, 0, "{text}");
    assert!(
        text.contains("probability     value     visits  move"),
        "{text}"
    );
    assert!(
        !before.contains("(hide") && after.contains("goal"),
        "{text}"
    );
    assert!(play(&["--show-all"]).contains("(hide "));
}

#[test]
fn an_analysis_has_the_belief() {
    let folder = tempfile::tempdir().unwrap();
    let boxes = file(&folder, "boxes.kif", BOXES);
    let args = [
        "analyze",
        &boxes,
        "--moves",
        "(hide 3) | wait; wait | (look 1)",
        "--role",
        "seeker",
        "--playouts",
        "500",
        "--format",
        "json",
    ];
    let found: Value = serde_json::from_str(&stdout(propjit(&args).success())).unwrap();
    assert_eq!(found["belief"]["states"], 2);
    assert_eq!(found["belief"]["exact"], true);
    assert_eq!(found["belief"]["histories"], 2.0);
    let believed = found["belief"]["propositions"].as_array().unwrap();
    let probability = |text: &str| {
        let mut all = believed.iter();
        all.find(|of| of["proposition"] == text)
            .map(|of| of["probability"].as_f64().unwrap())
    };
    assert_eq!(
        (probability("(step 3)"), probability("(in 1)")),
        (Some(1.0), None)
    );
    assert_eq!(probability("(in 2)"), Some(0.5));
    let value = found["value"].as_f64().unwrap();
    assert!((40.0..55.0).contains(&value), "{value}");
    assert_ne!(found["best"], "(look 1)");
    let moves = found["moves"].as_array().unwrap();
    let all: f64 = moves
        .iter()
        .map(|of| of["probability"].as_f64().unwrap())
        .sum();
    assert!((all - 1.0).abs() < 1e-9);
    let text = stdout(propjit(&args[..args.len() - 2]).success());
    assert!(
        text.contains("one of 2 states, after one of 2 histories"),
        "{text}"
    );
}

/// Records have percepts, which a replay compares.
#[test]
fn records_are_replayed_with_percepts() {
    let folder = tempfile::tempdir().unwrap();
    let boxes = file(&folder, "boxes.kif", BOXES);
    let records = folder.path().join("records.jsonl").display().to_string();
    let played = [
        "match",
        &boxes,
        "--player",
        "random",
        "--player",
        "legal",
        "--games",
        "8",
        "--seed",
        "1",
        "--start-clock",
        "10",
        "--play-clock",
        "10",
        "--output",
        &records,
    ];
    propjit(&played).success();
    let text = std::fs::read_to_string(&records).unwrap();
    assert!(text.contains("\"percepts\":[\"(miss "), "{text}");
    let verify = ["verify", &boxes, "--trace", &records];
    propjit(&verify).success();
    std::fs::write(&records, text.replacen("(miss ", "(hit ", 1)).unwrap();
    let failed = propjit(&verify).failure();
    let text = stdout(failed);
    assert!(text.contains("percepts"), "{text}");
}
