//! `propjit view`: what the server answers, and what a browser makes of it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use propjit::Backend;
use propjit::game::load::{Game, Setup};
use propjit::game::position::History;
use propjit::play::matches::Script;
use propjit::play::view::{View, ViewConfig};
use propjit::search::chooser::SearchConfig;
use propjit::search::mcts::MctsConfig;
use serde_json::{Value, json};

#[cfg(unix)]
use crate::common;
use crate::common::browser::Browser;
use crate::common::command::{file, own, propjit, propjit_reading, stderr};
use crate::common::http::{body, raw, status};
use crate::common::{TALK, game, own_game};
use crate::hidden::BOXES;

/// A view of a match in which no role is played by the machine.
fn view(game: Game, moves: &str) -> View {
    view_with(game, moves, |config| config)
}

fn view_with(game: Game, moves: &str, change: impl Fn(ViewConfig) -> ViewConfig) -> View {
    let mut history = History::new(game.follow().unwrap());
    if !moves.is_empty() {
        history.follow(&Script::inline(moves)).unwrap();
    }
    let mcts = MctsConfig::default().with_memory(64 << 20);
    let search = SearchConfig::plain().with_mcts(mcts);
    let config = ViewConfig::new("game", game.bulk_backend())
        .with_seconds(Duration::from_millis(50))
        .with_search(search);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    View::start(address, Arc::new(game), history, change(config)).unwrap()
}

fn get(view: &View, target: &str) -> Value {
    let answer = raw(
        view.address(),
        format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    );
    assert_eq!(status(&answer), 200, "{answer}");
    serde_json::from_str(body(&answer)).unwrap()
}

/// Sends a request; gives the status and the answer.
fn post(view: &View, target: &str, request: &Value) -> (u16, Value) {
    let text = request.to_string();
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json\r\nContent-Length: {}",
        text.len()
    );
    let answer = raw(view.address(), format!("{head}\r\n\r\n{text}"));
    (
        status(&answer),
        serde_json::from_str(body(&answer)).unwrap(),
    )
}

fn play(view: &View, moves: Value) -> (u16, Value) {
    let version = &get(view, "/api/scene")["version"];
    post(
        view,
        "/api/play",
        &json!({ "version": version, "moves": moves }),
    )
}

/// Asks until the answer is as wanted.
fn wait(view: &View, target: &str, is_right: impl Fn(&Value) -> bool) -> Value {
    let mut answer = Value::Null;
    common::wait_until(target, || {
        answer = get(view, target);
        is_right(&answer)
    });
    answer
}

/// The page has what the person's role knows, and all when the match is over, or at once if that is asked for.
#[test]
fn what_is_hidden_is_not_on_the_page() {
    let shown = |show_all| {
        let view = view_with(game(BOXES), "", |config| {
            config
                .with_machines(vec![true, false])
                .with_show_all(show_all)
        });
        let scene = wait(&view, "/api/scene", |scene| scene["depth"] == 1);
        (view, scene)
    };
    let (view, scene) = shown(false);
    assert_eq!(scene["line"], json!([["?", "wait"]]));
    assert_eq!(scene["legal"][0][0]["text"], "?");
    assert_eq!(scene["legal"][1].as_array().unwrap().len(), 3);
    let text = scene.to_string();
    assert!(
        text.contains("one of 3 states") && text.contains("0.33 (in "),
        "{text}"
    );
    assert!(!text.contains("\"(in ") && !text.contains("hide"), "{text}");
    let thinking = wait(&view, "/api/thinking", |thinking| {
        !thinking["search"]["roles"].as_array().unwrap().is_empty()
    });
    assert_eq!(thinking["search"]["roles"][0]["role"], 1);
    assert_eq!(thinking["knowledge"]["dark"], Value::Null);
    for place in ["1", "2"] {
        let played = json!([null, format!("(look {place})")]);
        if get(&view, "/api/scene")["goals"].is_null() {
            assert_eq!(play(&view, played).0, 200);
        }
    }
    let scene = wait(&view, "/api/scene", |scene| !scene["goals"].is_null());
    assert!(scene["line"][0][0].as_str().unwrap().starts_with("(hide "));
    let (_view, scene) = shown(true);
    assert!(scene["line"][0][0].as_str().unwrap().starts_with("(hide "));
}

#[test]
fn a_match_is_played_and_stepped_through() {
    let view = view(own_game("ticTacToe"), "");
    let about = get(&view, "/api/game");
    assert_eq!(about["roles"], json!(["x", "o"]));
    assert_eq!(about["grids"][0]["sites"].as_array().unwrap().len(), 9);
    let (code, scene) = play(&view, json!(["(mark 2 2)", null]));
    assert_eq!(code, 200, "{scene}");
    assert_eq!(scene["depth"], 1);
    assert_eq!(scene["line"], json!([["(mark 2 2)", "noop"]]));
    assert_eq!(scene["contents"][0][4], json!(["x"]));
    assert_eq!(scene["rest"], json!(["(control o)"]));
    play(&view, json!([null, "(mark 1 1)"]));
    // What comes after the position stays, until another move is played.
    let (_, scene) = post(&view, "/api/go", &json!({ "depth": 1 }));
    assert_eq!(
        (&scene["depth"], scene["line"].as_array().unwrap().len()),
        (&json!(1), 2)
    );
    let (_, scene) = play(&view, json!([null, "(mark 1 1)"]));
    assert_eq!(scene["line"].as_array().unwrap().len(), 2);
    post(&view, "/api/go", &json!({ "depth": 0 }));
    let (_, scene) = play(&view, json!(["(mark 1 1)", null]));
    assert_eq!(scene["line"], json!([["(mark 1 1)", "noop"]]));
}

#[test]
fn a_match_comes_to_its_end() {
    let moves = "(mark 1 1)|noop; noop|(mark 2 1); (mark 1 2)|noop; noop|(mark 2 2)";
    let view = view(own_game("ticTacToe"), moves);
    let (_, scene) = play(&view, json!(["(mark 1 3)", null]));
    assert_eq!(scene["goals"], json!([100, 0]));
    assert_eq!(scene["legal"], json!([[], []]));
    let (code, answer) = play(&view, json!([null, null]));
    assert_eq!((code, &answer["error"]), (409, &json!("the match is over")));
}

#[test]
fn the_search_and_what_is_known_are_told() {
    let moves = "(mark 1 1)|noop; noop|(mark 2 1); (mark 1 2)|noop; noop|(mark 2 2)";
    let view = view(own_game("ticTacToe"), moves);
    let thinking = wait(&view, "/api/thinking", |answer| {
        answer["search"]["roles"][0]["solved"] == json!(true)
            && answer["knowledge"]["latches"].is_array()
    });
    let best = &thinking["search"]["roles"][0]["moves"][0];
    assert_eq!(
        (&best["text"], &best["value"]),
        (&json!("(mark 1 3)"), &json!(100.0))
    );
    assert_eq!(thinking["values"][4], json!([100.0, 0.0]));
    let dark = &thinking["knowledge"]["dark"];
    // What is marked stays so.
    let fixed = dark["places"].as_array().unwrap();
    assert_eq!(fixed.len(), 4, "{dark}");
    let latches = thinking["knowledge"]["latches"].as_array().unwrap();
    assert!(latches.contains(&json!("(cell 1 1 x)")), "{latches:?}");
}

#[test]
fn the_machine_moves() {
    let is_machine =
        |machines: Vec<bool>| move |config: ViewConfig| config.with_machines(machines.clone());
    let view = view_with(own_game("ticTacToe"), "", is_machine(vec![false, true]));
    play(&view, json!(["(mark 2 2)", null]));
    let scene = wait(&view, "/api/scene", |scene| scene["depth"] == 2);
    assert_eq!(scene["line"][1][0], "noop");
    // A page that only looks at the match is not disturbed, until it is to go on.
    let (_, scene) = post(&view, "/api/go", &json!({ "depth": 1 }));
    assert_eq!(scene["depth"], 1);
    play(&view, json!([]));
    wait(&view, "/api/scene", |scene| scene["depth"] == 2);
    // Alone, it goes on, also where all move at the same time, or chance does; a match that is
    // played badly may be over soon.
    for name in ["ticTacToe", "tron", "piglet", "pegTriangle"] {
        let game = own_game(name);
        let roles = game.rules().roles.len();
        let view = view_with(game, "", is_machine(vec![true; roles]));
        wait(&view, "/api/scene", |scene| {
            scene["depth"].as_u64() >= Some(3) || !scene["goals"].is_null()
        });
    }
}

#[test]
fn simultaneous_moves_are_chosen_one_by_one() {
    let view = view(own_game("tron"), "");
    let (_, scene) = play(&view, json!(["north", null]));
    assert_eq!(
        (&scene["depth"], &scene["chosen"]),
        (&json!(0), &json!(["north", null]))
    );
    let (_, scene) = play(&view, json!([null, "south"]));
    assert_eq!(scene["line"], json!([["north", "south"]]));
}

#[test]
fn games_without_a_board_or_a_circuit() {
    let setup = Setup::default().with_backend(Some(Backend::Prover));
    let talk = Game::from_text("talk.kif", TALK, &setup).unwrap();
    for game in [own_game("untwistyCorridor"), talk] {
        let view = view(game, "");
        let scene = get(&view, "/api/scene");
        assert!(!scene["rest"].as_array().unwrap().is_empty());
        wait(&view, "/api/thinking", |answer| {
            !answer["search"]["roles"].as_array().unwrap().is_empty()
        });
    }
}

#[test]
fn requests_that_are_wrong() {
    let view = view(own_game("ticTacToe"), "");
    let version = &get(&view, "/api/scene")["version"];
    for (target, request, code, why) in [
        (
            "/api/play",
            json!({ "version": version, "moves": ["(mark 9 9)"] }),
            409,
            "x may not play `(mark 9 9)` here",
        ),
        // Parentheses mean nothing in JSON: the body ends where it ends.
        (
            "/api/play",
            json!({ "version": version, "moves": ["(mark 9 9"] }),
            409,
            "x may not play `(mark 9 9` here",
        ),
        (
            "/api/play",
            json!({ "version": 0, "moves": ["(mark 1 1)"] }),
            409,
            "the position has changed",
        ),
        (
            "/api/play",
            json!({ "version": version, "moves": [null, null, null] }),
            409,
            "the game has 2 roles",
        ),
        ("/api/play", json!({ "moves": 1 }), 400, "invalid type"),
        (
            "/api/go",
            json!({ "depth": 1 }),
            409,
            "the match 0 joint moves",
        ),
        (
            "/api/machines",
            json!({ "machines": [] }),
            409,
            "the game has 2 roles",
        ),
        ("/api/nothing", json!({}), 404, "no such page"),
    ] {
        let (status, answer) = post(&view, target, &request);
        let text = answer["error"].as_str().unwrap();
        assert!(
            status == code && text.contains(why),
            "{target} {request}: {status} {text}"
        );
    }
    assert_eq!(get(&view, "/api/scene")["version"], *version);
}

#[test]
fn pages_of_others_are_refused() {
    let view = view(own_game("ticTacToe"), "");
    let code = |request: &str| status(&raw(view.address(), request));
    // A name server may give any name to this machine.
    assert_eq!(
        code("GET /api/scene HTTP/1.1\r\nHost: example.org\r\n\r\n"),
        403
    );
    // Forms of other pages can send this type, but not JSON.
    let form = "POST /api/go HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\n{\"depth\":0}";
    assert_eq!(code(form), 403);
    assert_eq!(code("PUT / HTTP/1.1\r\n\r\n"), 405);
    let page = raw(view.address(), "GET / HTTP/1.1\r\n\r\n");
    assert!(
        page.contains("Content-Security-Policy: default-src 'none'"),
        "{page}"
    );
    assert!(!page.contains("Access-Control-Allow-Origin"), "{page}");
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "{page}"
    );
}

#[test]
fn records_need_their_rules() {
    let folder = tempfile::tempdir().unwrap();
    let game = own("ticTacToe");
    let records = folder.path().join("records.jsonl").display().to_string();
    let players = [
        "--player", "legal", "--player", "legal", "--output", &records,
    ];
    propjit(
        &[
            &["match", &game, "--start-clock", "1", "--play-clock", "1"],
            &players[..],
        ]
        .concat(),
    )
    .success();
    let failed = |args: &[&str], why: &str| {
        let text = stderr(propjit(&[&["view", "--port", "0"], args].concat()).failure());
        assert!(text.contains(why), "{args:?}: {text}");
    };
    failed(&[&records], "name the rulesheet of ticTacToe with --rules");
    failed(
        &[&records, "--rules", &own("tron")],
        "played with other rules",
    );
    failed(
        &[&records, "--rules", &game, "--role", "x"],
        "--role needs a rulesheet",
    );
    failed(&[&records, "--match", "7"], "has no match 7");
    failed(
        &[&game, "--rules", &game],
        "--rules needs a file of records",
    );
    failed(&[&game, "--match", "1"], "--match selects a match");
    failed(&[&game, "--first", "1"], "--first limits the joint moves");
    failed(
        &[&records, "--rules", &game, "--first", "10"],
        "the history has",
    );
    let text = std::fs::read_to_string(&records).unwrap();
    let told = stderr(propjit_reading(&["view", "-", "--port", "0"], text).code(2));
    assert!(told.contains("- has records"), "{told}");
    let broken = file(&folder, "broken.kif", "(role x");
    failed(&[&broken], "error");
}

/// Plays in a browser by mouse and keys. With `PROPJIT_SCREENSHOTS`, pictures of the page are written
/// to that folder.
#[test]
#[cfg(unix)]
fn a_browser_plays() {
    let view = view(own_game("ticTacToe"), "");
    let address = format!("http://{}/", view.address());
    let Some(mut browser) = Browser::open(&address, (1180, 760)) else {
        return;
    };
    browser.wait_for("document.querySelectorAll('.site.target').length === 9");
    browser.value("document.querySelector('[data-place=\"0 4\"]').click()");
    browser.wait_for("document.querySelector('[data-place=\"0 4\"]').textContent === 'x'");
    // The place below by the arrow key, and a stone there.
    browser.value("document.querySelector('[data-place=\"0 4\"]').focus()");
    browser.press("ArrowDown");
    browser.press("Enter");
    browser.wait_for("document.querySelector('[data-place=\"0 7\"]').textContent === 'o'");
    browser.wait_for("document.getElementById('status').textContent.includes('your move for x')");
    assert_eq!(
        get(&view, "/api/scene")["line"][1],
        json!(["noop", "(mark 2 1)"])
    );
    // Search, chart, what never changes.
    browser.wait_for("document.querySelectorAll('#ranking tbody tr').length > 5");
    browser.wait_for("document.querySelectorAll('.site.fixed').length === 2");
    browser.press(",");
    browser.wait_for("document.querySelector('#line [aria-current]').textContent.startsWith('1.')");
    // A move that is not legal is reported, and one that is typed is played.
    browser.value("(() => { const move = document.getElementById('move'); move.value = 'mark 2 2'; move.form.requestSubmit() })()");
    browser.wait_for("document.getElementById('status').textContent.includes('may not play')");
    browser.value("(() => { const move = document.getElementById('move'); move.value = 'mark 3 3'; move.form.requestSubmit() })()");
    browser.wait_for("document.getElementById('line').textContent.includes('mark 3 3')");
    assert_eq!(
        get(&view, "/api/scene")["line"][1],
        json!(["noop", "(mark 3 3)"])
    );
    let unnamed = "[...document.querySelectorAll('button, input, svg[role]')].filter(e => \
        !e.textContent.trim() && !e.getAttribute('aria-label') && !e.labels?.length).length";
    assert_eq!(browser.value(unnamed), json!(0));
    if let Some(folder) = std::env::var_os("PROPJIT_SCREENSHOTS") {
        photograph(Path::new(&folder));
    }
}

/// Pictures for the documentation.
#[cfg(unix)]
fn photograph(folder: &Path) {
    let connect = "(drop 4)|noop; noop|(drop 4); (drop 4)|noop; noop|(drop 3); (drop 3)|noop; noop|(drop 4); (drop 5)|noop; noop|(drop 6)";
    let breakthrough =
        "(move 4 2 4 3)|noop; noop|(move 5 7 5 6); (move 4 3 4 4)|noop; noop|(move 2 7 2 6)";
    let hex = "(place 5 5)|noop; noop|(place 4 6); (place 3 7)|noop; noop|(place 6 4); (place 6 5)|noop; noop|(place 7 3)";
    for (name, moves) in [
        ("connectFour", connect),
        ("breakthrough", breakthrough),
        ("hexPie", hex),
    ] {
        let view = view_with(own_game(name), moves, |config| {
            config.with_name(name.to_string())
        });
        let address = format!("http://{}/", view.address());
        let mut browser = Browser::open(&address, (1180, 760)).unwrap();
        browser.wait_for("document.querySelectorAll('.site').length > 0");
        for depth in 0..moves.split(';').count() {
            // Each position is searched for a moment, so that there is something to chart.
            post(&view, "/api/go", &json!({ "depth": depth }));
            wait(&view, "/api/thinking", |answer| {
                answer["values"][depth][0].is_number()
            });
        }
        let depth = moves.split(';').count();
        post(&view, "/api/go", &json!({ "depth": depth }));
        wait(&view, "/api/thinking", |answer| {
            answer["search"]["seconds"].as_f64() > Some(3.0)
                && answer["knowledge"]["latches"].is_array()
        });
        browser.wait_for("document.getElementById('knowledge').textContent.includes('goals that')");
        browser.photograph(&folder.join(name).with_extension("png"));
    }
}
