//! Messages of the GGP protocol: what is written is read as it was, and nothing that is
//! sent makes the reader fail other than by an error.

use std::time::Duration;

use propjit::play::ggp::{LastTurn, MessageError, Request, Start};
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    // Letters that are not ASCII, and what looks like something else.
    let odd = prop::sample::select(vec!["nil2", "é", "?x", "<=", "a.b-c_d", "1", "\"q\""]);
    prop_oneof!["[a-zA-Z][a-zA-Z0-9_]{0,8}", odd.prop_map(str::to_string)]
}

fn term() -> impl Strategy<Value = String> {
    name().prop_recursive(4, 20, 4, |inner| {
        prop::collection::vec(inner, 1..4).prop_map(|items| format!("({})", items.join(" ")))
    })
}

fn last_turn() -> impl Strategy<Value = LastTurn> {
    let percepts = prop::collection::vec(term(), 0..4);
    let percepts = (any::<u64>(), prop::option::of(term()), percepts);
    prop_oneof![
        Just(LastTurn::None),
        prop::collection::vec(term(), 1..5).prop_map(LastTurn::List),
        percepts.prop_map(|(turn, own, percepts)| LastTurn::Percepts {
            turn,
            own,
            percepts,
        }),
    ]
}

fn rules() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(term(), 0..5);
    lines.prop_map(|rules| rules.iter().map(|rule| format!("{rule}\n")).collect())
}

fn clock() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0u64..1_000_000).prop_map(Duration::from_secs),
        (0u64..100_000).prop_map(Duration::from_millis),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let start = (name(), name(), rules(), clock(), clock());
    prop_oneof![
        Just(Request::Info),
        (rules(), clock()).prop_map(|(rules, clock)| Request::Preview { rules, clock }),
        start.prop_map(|(match_id, role, rules, start_clock, play_clock)| {
            Request::Start(Start {
                match_id,
                role,
                rules,
                start_clock,
                play_clock,
            })
        }),
        (name(), last_turn()).prop_map(|(match_id, last)| Request::Play { match_id, last }),
        (name(), last_turn()).prop_map(|(match_id, last)| Request::Stop { match_id, last }),
        name().prop_map(|match_id| Request::Abort { match_id }),
    ]
}

/// Other blanks and comments at every parenthesis.
fn spaced(text: &str, blank: &str) -> String {
    let around = |c: char| match c {
        '(' | ')' => format!("{blank}{c}{blank}"),
        _ => c.to_string(),
    };
    text.chars().map(around).collect()
}

proptest! {
    #[test]
    fn requests_are_read_as_they_were_written(
        request in request(),
        blank in prop::sample::select(vec!["", " ", "\r\n\t", " ; a ) comment (\n", "\u{a0}"]),
        more in prop::sample::select(vec!["", " ", ")", " (INFO)", "\n; end"]),
    ) {
        let text = request.to_string();
        prop_assert!(!text.contains('\n'));
        prop_assert_eq!(&Request::parse(&text), &Ok(request.clone()));
        let other = format!("{}{more}", spaced(&text, blank));
        prop_assert_eq!(&Request::parse(&other), &Ok(request.clone()));
        // Only the first word is a keyword.
        let (first, rest) = text.split_at(text.find([' ', ')']).unwrap());
        let lower = format!("{}{rest}", first.to_lowercase());
        prop_assert_eq!(&Request::parse(&lower), &Ok(request));
    }

    #[test]
    fn no_text_breaks_the_reader(text in ".{0,60}|[()a; nil]{0,60}") {
        let _ = Request::parse(&text);
    }

    #[test]
    fn no_truncated_request_is_taken_for_another(request in request(), part in 0.0..1.0f64) {
        let text = request.to_string();
        let end = (text.len() as f64 * part) as usize;
        if let Some(beginning) = text.get(..end) {
            prop_assert!(Request::parse(beginning).is_err(), "{beginning}");
        }
    }
}

#[test]
fn errors_name_the_missing_argument() {
    for (text, expected) in [
        ("", "the message is not a list like (PLAY match nil)"),
        ("INFO", "the message is not a list like (PLAY match nil)"),
        (
            "((INFO))",
            "the message is not a list like (PLAY match nil)",
        ),
        (
            "(HELLO)",
            "`HELLO` is not a request; requests are INFO, PREVIEW, START, PLAY, STOP and ABORT",
        ),
        ("(PLAY)", "PLAY needs the match's name as argument 1"),
        (
            "(play (m) nil)",
            "PLAY needs the match's name as argument 1",
        ),
        (
            "(STOP m noop)",
            "STOP needs a list of moves, nil, or the number of the turn as argument 2",
        ),
        (
            "(PLAY m noop)",
            "PLAY needs a list of moves, nil, or the number of the turn as argument 2",
        ),
        (
            "(PLAY m 3 noop)",
            "PLAY needs a list of percepts or nil as argument 4",
        ),
        (
            "(PLAY m 3)",
            "PLAY needs the last move of the player or nil as argument 3",
        ),
        (
            "(START m r rules 1 2)",
            "START needs a list of rules as argument 3",
        ),
        (
            "(START m r () 1)",
            "START needs a time in seconds as argument 5",
        ),
        (
            "(START m r () x 1)",
            "START needs a time in seconds as argument 4",
        ),
        (
            "(START m r () -1 1)",
            "START needs a time in seconds as argument 4",
        ),
        (
            "(START m r () 1 NaN)",
            "START needs a time in seconds as argument 5",
        ),
    ] {
        let error: MessageError = Request::parse(text).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

#[test]
fn clocks_without_end_have_one() {
    for clock in ["1e300", "inf", "99999999999999999999"] {
        let request = Request::parse(&format!("(PREVIEW () {clock})")).unwrap();
        let longest = propjit::play::ggp::LONGEST_CLOCK;
        assert!(matches!(request, Request::Preview { clock, .. } if clock == longest));
    }
}

#[test]
fn depth_is_not_limited() {
    let deep = format!("{}0{}", "(s ".repeat(200_000), ")".repeat(200_000));
    let text = format!("(PLAY m ({deep}))");
    let request = Request::parse(&text).unwrap();
    assert_eq!(request.to_string(), text);
}
