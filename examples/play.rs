//! Loading a game and playing a random match, one state at a time.
//!
//! `cargo run --release --example play -- gdl/games/ticTacToe.kif`

use std::error::Error;
use std::path::Path;

use propjit::game::machine::Move;
use propjit::support::rng;
use propjit::{Game, RoleId, Setup, gdl};
use rand::seq::IndexedRandom;

fn main() -> Result<(), Box<dyn Error>> {
    let game = match std::env::args()
        .nth(1)
        .filter(|path| path.ends_with(".kif"))
    {
        Some(path) => Game::load(Path::new(&path), &Setup::default())?,
        None => {
            let rules = gdl::games::text("ticTacToe").ok_or("there is no such game")?;
            Game::from_text("ticTacToe.kif", rules, &Setup::default())?
        }
    };
    let mut position = game.start()?;
    let roles = position.roles().to_vec();
    let mut rng = rng::streams(1).next().ok_or("there is no random number")?;
    while !position.is_over()? {
        let mut joint: Vec<Move> = Vec::new();
        for (role, name) in RoleId::first(roles.len()).zip(&roles) {
            let legal = position.legal_moves(role)?;
            let played = *legal.choose(&mut rng).ok_or("a role has no legal move")?;
            println!("{name}: {}", position.move_text(role, played));
            joint.push(played);
        }
        position.play(&joint)?;
    }
    for (name, goal) in roles.iter().zip(position.goals()?) {
        println!("{name} gets {}", goal.ok_or("a goal is undefined")?);
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
