//! The chart of a match: the gates that are left, and the speedup of playouts.

use plotters::prelude::*;

use super::DarkeningTable;
use crate::lab::tools::plot_error::PlotError;

const SIZE: (u32, u32) = (720, 420);
const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Apart also for the colour-blind, as in Okabe and Ito, "Color Universal Design", 2008.
const GATES: RGBColor = RGBColor(0x00, 0x72, 0xb2);
const SPEED: RGBColor = RGBColor(0xd5, 0x5e, 0x00);

/// The chart as a picture in SVG.
///
/// # Errors
/// When the drawing library fails.
pub fn svg(game: &str, table: &DarkeningTable) -> Result<String, PlotError> {
    let mut picture = String::new();
    draw(game, table, &mut picture).map_err(PlotError::new)?;
    Ok(picture)
}

fn draw(
    game: &str,
    table: &DarkeningTable,
    picture: &mut String,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let root = SVGBackend::with_string(picture, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let text = |size: i32| (FONT, size, &INK).into_text_style(&root);
    let moves = table.rows.last().map_or(1, |row| row.depth.max(1));
    let fastest = table.rows.iter().map(|row| row.speedup).fold(2.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("{game}: remaining gates and speed"), text(21))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .right_y_label_area_size(52)
        .build_cartesian_2d(0..moves, 0.0..100.0)?
        .set_secondary_coord(0..moves, 0.0..fastest * 1.05);
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(INK)
        .label_style(text(15))
        .x_desc("joint moves")
        .y_desc("gates left, %")
        .draw()?;
    chart
        .configure_secondary_axes()
        .axis_style(INK)
        .label_style(text(15))
        .y_desc("times as fast")
        .draw()?;
    let gates = |row: &super::DarkeningRow| 100.0 * (1.0 - table.dark_share(row));
    let left = table
        .rows
        .iter()
        .map(|row| (row.depth, gates(row)))
        .collect::<Vec<_>>();
    chart
        .draw_series([PathElement::new(left, GATES.stroke_width(2))])?
        .label("gates left")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], GATES.stroke_width(2)));
    let speed = table
        .rows
        .iter()
        .map(|row| (row.depth, row.speedup))
        .collect::<Vec<_>>();
    chart
        .draw_secondary_series([PathElement::new(speed, SPEED.stroke_width(2))])?
        .label("playouts, times as fast")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], SPEED.stroke_width(2)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(GRID)
        .label_font(text(15))
        .draw()?;
    root.present()
}
