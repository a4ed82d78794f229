//! The search: which move is best, and how sure is that?
//!
//! `cargo run --release --example search`

use std::error::Error;
use std::time::Duration;

use propjit::{Backend, Game, Mcts, MctsConfig, RoleId, SearchBudget, Setup, Stop, gdl};

fn main() -> Result<(), Box<dyn Error>> {
    let rules = gdl::games::text("connectFour").ok_or("there is no such game")?;
    let game = Game::from_text("connectFour.kif", rules, &Setup::default())?;
    let config = MctsConfig::default().with_threads(2).with_memory(256 << 20);
    let mut search = Mcts::new(&game, Backend::Compiled, config)?;
    // The budget may be one of time or of playouts; another thread may set the token, too.
    let stop = Stop::new().within(Duration::from_millis(300));
    search.run(&SearchBudget::default().with_stop(stop))?;
    let report = search.report(RoleId(0));
    let machine = game.machine(game.backend())?;
    println!("{} nodes, {} playouts", report.nodes, report.playouts);
    for found in &report.moves {
        println!(
            "{:>8} visits, value {:>6.2}: {}",
            found.visits,
            found.value.unwrap_or(f64::NAN),
            machine.move_text(report.role, found.played)
        );
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
