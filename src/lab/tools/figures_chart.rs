//! The chart of a game's [figures](Figures): one page with four panels.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::PlotError;
use crate::lab::inspection::Figures;

const SIZE: (u32, u32) = (960, 720);
const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Apart also for the colour-blind, as in Okabe and Ito, "Color Universal Design", 2008.
const BARS: RGBColor = RGBColor(0x00, 0x72, 0xb2);
const WINS: RGBColor = RGBColor(0x00, 0x9e, 0x73);
const DRAWS: RGBColor = RGBColor(0xf0, 0xe4, 0x42);
const LOSSES: RGBColor = RGBColor(0xd5, 0x5e, 0x00);

/// The most bars of a histogram.
const BINS: usize = 40;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The chart as a picture in SVG.
///
/// # Errors
/// When the drawing library fails.
pub fn svg(game: &str, figures: &Figures) -> Result<String, PlotError> {
    let mut picture = String::new();
    draw(game, figures, &mut picture).map_err(PlotError::new)?;
    Ok(picture)
}

fn draw(game: &str, figures: &Figures, picture: &mut String) -> Drawn {
    let root = SVGBackend::with_string(picture, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let heading = (FONT, 22, &INK).into_text_style(&root);
    let page = root.titled(
        &format!("{game}: {} random matches", figures.matches),
        heading,
    )?;
    let text = (FONT, 15, &INK).into_text_style(&page);
    page.draw_text(&summary(figures), &text, (24, 4))?;
    let (_, panels) = page.split_vertically(28);
    let panels = panels.split_evenly((2, 2));
    draw_lengths(&panels[0], figures)?;
    draw_branching(&panels[1], figures)?;
    draw_results(&panels[2], figures)?;
    draw_goals(&panels[3], figures)?;
    root.present()
}

/// The figures that are one number, in a line.
fn summary(figures: &Figures) -> String {
    let mut parts = vec![
        format!("median length {}", figures.lengths.median),
        format!("branching {:.1}", figures.branching),
    ];
    if let Some(first) = &figures.first_player {
        let (advantage, low, high) = (first.advantage, first.interval.0, first.interval.1);
        parts.push(format!(
            "first player {:+.1}% ({:+.1} to {:+.1})",
            100.0 * advantage,
            100.0 * low,
            100.0 * high
        ));
    }
    if let Some(decided) = &figures.decided {
        parts.push(format!("decided {:.1}%", 100.0 * decided.share));
    }
    if let Some(decisive) = &figures.decisive_moves {
        let share = 100.0 * decisive.share;
        parts.push(format!("decisive move in {share:.1}% of states"));
    }
    if let Some(dead) = &figures.dead_rules {
        parts.push(format!("{} dead rules", dead.len()));
    }
    parts.join(", ")
}

/// A chart over a part of the page, with axes from these ranges.
fn draw_bars(
    area: &Area<'_>,
    (title, x, y): (&str, &str, &str),
    bars: &[(f64, f64, f64)],
) -> Drawn {
    let text = |size: i32| (FONT, size, &INK).into_text_style(area);
    let left = bars.first().map_or(0.0, |bar| bar.0);
    let right = bars.last().map_or(1.0, |bar| bar.1);
    let top = bars.iter().map(|bar| bar.2).fold(0.0, f64::max).max(1e-9);
    let mut chart = ChartBuilder::on(area)
        .caption(title, text(17))
        .margin(14)
        .x_label_area_size(38)
        .y_label_area_size(52)
        .build_cartesian_2d(left..right, 0.0..top * 1.05)?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(INK)
        .label_style(text(13))
        .x_desc(x)
        .y_desc(y)
        .draw()?;
    let bar = |&(from, to, height): &(f64, f64, f64)| {
        Rectangle::new([(from, 0.0), (to, height)], BARS.filled())
    };
    chart.draw_series(bars.iter().map(bar))?;
    Ok(())
}

fn draw_lengths(area: &Area<'_>, figures: &Figures) -> Drawn {
    let lengths = &figures.lengths;
    let width = (lengths.greatest - lengths.least) / BINS + 1;
    let mut bars: Vec<(f64, f64, f64)> = Vec::new();
    for start in (lengths.least..=lengths.greatest).step_by(width) {
        let inside = lengths.counts.iter();
        let inside = inside.filter(|(length, _)| (start..start + width).contains(length));
        let count: u64 = inside.map(|(_, count)| count).sum();
        let share = 100.0 * count as f64 / figures.matches as f64;
        bars.push((start as f64 - 0.5, (start + width) as f64 - 0.5, share));
    }
    draw_bars(area, ("length", "joint moves", "matches, %"), &bars)
}

fn draw_branching(area: &Area<'_>, figures: &Figures) -> Drawn {
    // At depths that few matches reach, means are unreliable.
    let least = figures.matches / 100;
    let depths = figures.by_depth.iter();
    let bars: Vec<_> = depths
        .filter(|depth| depth.matches > least)
        .map(|depth| {
            let at = depth.depth as f64;
            (at - 0.5, at + 0.5, depth.branching)
        })
        .collect();
    draw_bars(
        area,
        ("legal joint moves", "joint moves before", "mean"),
        &bars,
    )
}

fn draw_results(area: &Area<'_>, figures: &Figures) -> Drawn {
    let text = |size: i32| (FONT, size, &INK).into_text_style(area);
    let roles = figures.roles.len();
    let name = |at: &f64| {
        let role = figures.roles.get(at.floor() as usize);
        role.map_or(String::new(), |role| role.role.clone())
    };
    let mut chart = ChartBuilder::on(area)
        .caption("results", text(17))
        .margin(14)
        .x_label_area_size(38)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..roles as f64, 0.0..105.0)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(INK)
        .label_style(text(13))
        .x_labels(roles * 2 + 1)
        .x_label_formatter(&|at| match (at.fract() - 0.5).abs() < 0.01 {
            true => name(at),
            false => String::new(),
        })
        .y_desc("matches, %")
        .draw()?;
    for (which, (label, colour)) in [("wins", WINS), ("draws", DRAWS), ("losses", LOSSES)]
        .into_iter()
        .enumerate()
    {
        let bars = figures.roles.iter().enumerate().map(|(place, role)| {
            let parts = [role.wins, role.draws, role.losses];
            let all = parts.iter().sum::<u64>().max(1) as f64;
            let below = parts[..which].iter().sum::<u64>() as f64 * 100.0 / all;
            let above = below + parts[which] as f64 * 100.0 / all;
            let at = place as f64;
            Rectangle::new([(at + 0.2, below), (at + 0.8, above)], colour.filled())
        });
        let series = chart.draw_series(bars)?;
        series
            .label(label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE)
        .border_style(GRID)
        .label_font(text(13))
        .draw()
}

fn draw_goals(area: &Area<'_>, figures: &Figures) -> Drawn {
    let text = |size: i32| (FONT, size, &INK).into_text_style(area);
    let colours = [BARS, LOSSES, WINS, DRAWS];
    let most = figures.roles.iter().flat_map(|role| {
        let all = role.goals.iter().map(|(_, count)| count).sum::<u64>();
        role.goals.iter().map(move |&(_, count)| share(count, all))
    });
    let top = most.fold(1.0, f64::max);
    let values = figures.roles.iter().flat_map(|role| role.goals.iter());
    let (least, greatest) = values.fold((0, 100), |(least, greatest), &(goal, _)| {
        (goal.min(least), goal.max(greatest))
    });
    let mut chart = ChartBuilder::on(area)
        .caption("goals", text(17))
        .margin(14)
        .x_label_area_size(38)
        .y_label_area_size(52)
        .build_cartesian_2d(
            f64::from(least) - 4.0..f64::from(greatest) + 4.0,
            0.0..top * 1.05,
        )?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(INK)
        .label_style(text(13))
        .x_desc("goal")
        .y_desc("matches, %")
        .draw()?;
    let width = 3.0 / figures.roles.len().max(1) as f64;
    for (place, role) in figures.roles.iter().enumerate() {
        let colour = colours[place % colours.len()];
        let all = role.goals.iter().map(|(_, count)| count).sum::<u64>();
        let bars = role.goals.iter().map(|&(goal, count)| {
            let left = f64::from(goal) - 1.5 + width * place as f64;
            let corners = [(left, 0.0), (left + width, share(count, all))];
            Rectangle::new(corners, colour.filled())
        });
        let series = chart.draw_series(bars)?;
        series
            .label(role.role.clone())
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperMiddle)
        .background_style(WHITE)
        .border_style(GRID)
        .label_font(text(13))
        .draw()
}

/// A part of all, in percent.
fn share(count: u64, all: u64) -> f64 {
    100.0 * count as f64 / all.max(1) as f64
}
