//! The bar chart of state changes a second: a group of bars for each game, a bar for each
//! backend, on a logarithmic scale.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::backend::Contender;
use super::table::CompareTable;
use crate::lab::tools::plot_error::PlotError;

/// Sizes in pixels.
const BAR: u32 = 32;
const GAP: u32 = 36;
const HEIGHT: u32 = 460;
const HEADER: u32 = 72;
const SCALE: u32 = 56;
const LEGEND: u32 = 150;
const FOOTER: u32 = 40;

const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);

/// A colour for each contender: the interpreters in greys, the generators of machine code
/// in a hue each, darker for wider rows (hues apart also for the colour-blind: Okabe and
/// Ito, "Color Universal Design", 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0xc4, 0xc4, 0xc4),
    RGBColor(0x96, 0x96, 0x96),
    RGBColor(0x62, 0x62, 0x62),
    RGBColor(0x7c, 0xc0, 0xe8),
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xf0, 0xa8, 0x6a),
    RGBColor(0xd5, 0x5e, 0x00),
];

/// The chart as a picture in SVG. Rows without figures have no bar.
///
/// # Errors
/// When the drawing library fails.
pub fn svg(games: &[(String, CompareTable)]) -> Result<String, PlotError> {
    let chart = Chart::new(games);
    let mut picture = String::new();
    {
        let size = (chart.width(), HEIGHT);
        let root = SVGBackend::with_string(&mut picture, size).into_drawing_area();
        let drawn = chart.draw(&root).and_then(|()| root.present());
        drawn.map_err(PlotError::new)?;
    }
    Ok(picture)
}

/// The data of the chart.
struct Chart<'a> {
    names: Vec<String>,
    games: Vec<Group<'a>>,
}

/// A game's name, and for each contender the state changes a second.
struct Group<'a> {
    name: &'a str,
    speeds: Vec<Option<f64>>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

impl<'a> Chart<'a> {
    fn new(games: &'a [(String, CompareTable)]) -> Chart<'a> {
        let names: Vec<String> = Contender::all().map(|c| c.to_string()).collect();
        let group = |(name, table): &'a (String, CompareTable)| {
            let speed = |name: &String| {
                let row = table.rows.iter().find(|row| row.backend == *name)?;
                let speed = row.figures()?.playouts.state_changes_per_second;
                Some(speed).filter(|&speed| speed > 0.0)
            };
            Group {
                name,
                speeds: names.iter().map(speed).collect(),
            }
        };
        Chart {
            games: games.iter().map(group).collect(),
            names,
        }
    }

    /// The width of a group, with half a gap on both sides.
    fn group_width(&self) -> u32 {
        self.names.len() as u32 * BAR + GAP
    }

    fn groups_width(&self) -> u32 {
        self.games.len() as u32 * self.group_width()
    }

    fn width(&self) -> u32 {
        SCALE + self.groups_width() + LEGEND
    }

    /// Powers of ten, at least one decade, that enclose all speeds.
    fn decades(&self) -> (f64, f64) {
        let speeds = || self.games.iter().flat_map(|game| &game.speeds).flatten();
        let low = speeds().copied().fold(f64::INFINITY, f64::min);
        let high = speeds().copied().fold(0.0, f64::max);
        if high == 0.0 {
            return (1.0, 10.0);
        }
        let low = low.log10().floor();
        (
            10f64.powf(low),
            10f64.powf(high.log10().ceil().max(low + 1.0)),
        )
    }

    fn draw(&self, root: &Area<'_>) -> Drawn {
        root.fill(&WHITE)?;
        let (header, body) = root.split_vertically(HEADER);
        header.draw_text("State changes per second", &text(root, 21), (16, 14))?;
        let how = "random playouts on one thread; logarithmic scale";
        header.draw_text(how, &text(root, 15), (16, 42))?;
        let (groups, legend) = body.split_horizontally(SCALE + self.groups_width());
        self.draw_legend(&legend)?;
        let (low, high) = self.decades();
        let mut chart = ChartBuilder::on(&groups)
            .set_label_area_size(LabelAreaPosition::Left, SCALE)
            .margin_bottom(FOOTER)
            .build_cartesian_2d(0..self.groups_width(), (low..high).log_scale())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .bold_line_style(GRID)
            .light_line_style(WHITE)
            .axis_style(INK)
            .label_style(text(root, 15))
            .y_label_formatter(&|&speed| short(speed))
            .draw()?;
        for (number, game) in self.games.iter().enumerate() {
            let start = number as u32 * self.group_width() + GAP / 2;
            for (place, &speed) in game.speeds.iter().enumerate() {
                let Some(speed) = speed else { continue };
                let left = start + place as u32 * BAR;
                let corners = [(left, low), (left + BAR - 3, speed)];
                chart.draw_series([Rectangle::new(corners, colour(place))])?;
                let (x, y) = chart.backend_coord(&(left + BAR / 2 - 1, speed));
                let style = text(root, 13).pos(Pos::new(HPos::Center, VPos::Bottom));
                root.draw_text(&short(speed), &style, (x, y - 3))?;
            }
            let middle = start + (self.group_width() - GAP) / 2;
            let (x, y) = chart.backend_coord(&(middle, low));
            let style = text(root, 17).pos(Pos::new(HPos::Center, VPos::Top));
            root.draw_text(game.name, &style, (x, y + 10))?;
        }
        Ok(())
    }

    /// The legend: the colour of each backend.
    fn draw_legend(&self, area: &Area<'_>) -> Drawn {
        let style = text(area, 15).pos(Pos::new(HPos::Left, VPos::Center));
        for (place, name) in self.names.iter().enumerate() {
            let top = 8 + 24 * place as i32;
            let corners = [(16, top), (30, top + 14)];
            area.draw(&Rectangle::new(corners, colour(place)))?;
            area.draw_text(name, &style, (38, top + 7))?;
        }
        Ok(())
    }
}

/// The colour of a contender's bars.
fn colour(place: usize) -> ShapeStyle {
    COLOURS[place % COLOURS.len()].filled()
}

/// Text of a size, which the library reduces by a quarter or so.
fn text(area: &Area<'_>, size: u32) -> TextStyle<'static> {
    (FONT, size, &INK).into_text_style(area)
}

/// A number in two digits and a unit: 950, 1.4k, 78M.
fn short(number: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    // A number that would be rounded to the next unit has that.
    let unit = units.into_iter().find(|(unit, _)| number >= unit * 0.9995);
    let (unit, name) = unit.unwrap_or((1.0, ""));
    let digits = usize::from(number / unit < 9.95 && number != (number / unit).round() * unit);
    format!("{:.digits$}{name}", number / unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tools::compare::{CompareOutcome, CompareRow, Figures, Latency, Throughput};

    fn table(speeds: &[(&str, f64)]) -> CompareTable {
        let row = |&(backend, state_changes_per_second): &(&str, f64)| CompareRow {
            backend: backend.to_string(),
            outcome: CompareOutcome::Measured(Figures {
                setup_seconds: 0.0,
                code: None,
                states_compared: 1,
                latency: Latency {
                    legal_seconds: None,
                    next_seconds: None,
                    goal_seconds: None,
                },
                playouts: Throughput {
                    lanes: 1,
                    state_changes_per_second,
                    rollouts_per_second: 1.0,
                },
                ratio_to_scalar: None,
            }),
        };
        CompareTable {
            reference: "scalar".to_string(),
            states: 1,
            rows: speeds.iter().map(row).collect(),
            interrupted: false,
        }
    }

    /// Counts the bars: rectangles in the colour of a contender that are not part of the legend.
    fn bars(games: &[(String, CompareTable)]) -> usize {
        let picture = svg(games).unwrap();
        let has_colour = |line: &&str| {
            let colour = |c: &RGBColor| format!("#{:02X}{:02X}{:02X}", c.0, c.1, c.2);
            line.starts_with("<rect") && COLOURS.iter().any(|c| line.contains(&colour(c)))
        };
        picture.lines().filter(has_colour).count() - Contender::all().count()
    }

    #[test]
    fn each_speed_has_a_bar() {
        let one = table(&[("prover", 950.0), ("scalar", 2e6), ("avx2 256", 8e7)]);
        let none = table(&[("scalar", 0.0)]);
        assert_eq!(bars(&[("one".to_string(), one.clone())]), 3);
        assert_eq!(bars(&[("none".to_string(), none.clone())]), 0);
        assert_eq!(bars(&[]), 0);
        let both = [("one".to_string(), one), ("none".to_string(), none)];
        assert_eq!(bars(&both), 3);
    }

    #[test]
    fn names_are_text_whatever_they_are() {
        let picture = svg(&[("a<b>&c".to_string(), table(&[]))]).unwrap();
        assert!(!picture.contains("<b>") && picture.contains("a&lt;b"));
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.3, "0.3"),
            (950.4, "950"),
            (999.7, "1.0k"),
            (1e3, "1k"),
            (1_440.0, "1.4k"),
            (9.96e6, "10M"),
            (7.81e7, "78M"),
            (1e9, "1G"),
            (5e13, "50000G"),
        ] {
            assert_eq!(short(number), text);
        }
    }
}
