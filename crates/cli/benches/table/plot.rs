//! The picture: latency against the size of the store, both axes logarithmic.

use std::path::Path;

use plotters::prelude::*;

use crate::growth::{Line, SIZES};

const COLOURS: [RGBColor; 7] = [
    RGBColor(0x7f, 0x3c, 0x8d),
    RGBColor(0x11, 0xa5, 0x79),
    RGBColor(0x39, 0x69, 0xac),
    RGBColor(0x88, 0x88, 0x88),
    RGBColor(0xe6, 0x83, 0x10),
    RGBColor(0xcf, 0x1c, 0x90),
    RGBColor(0x80, 0xba, 0x5a),
];

/// Draws the lines, with a bar from quartile to quartile at each point.
pub(crate) fn draw(file: &Path, lines: &[Line]) -> anyhow::Result<()> {
    let micros = |seconds: f64| seconds * 1e6;
    let all = lines.iter().flat_map(|line| &line.points);
    let (low, high) =
        all.fold((f64::MAX, 0_f64), |(low, high), point| (low.min(micros(point.low)), high.max(micros(point.high))));
    let root = SVGBackend::new(file, (900, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(14)
        .caption("Latency against the size of the store, local disk with fsync", ("sans-serif", 18))
        .x_label_area_size(46)
        .y_label_area_size(76)
        .build_cartesian_2d((8_f64..130_000_f64).log_scale(), (low * 0.5..high * 6.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("memories in the store")
        .y_desc("median in µs; bars: quartiles")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .light_line_style(WHITE)
        .draw()?;
    for (line, colour) in lines.iter().zip(COLOURS) {
        let at = || SIZES.iter().map(|size| *size as f64).zip(&line.points);
        let style = ShapeStyle::from(colour).stroke_width(2);
        chart
            .draw_series(LineSeries::new(at().map(|(x, point)| (x, micros(point.median))), style))?
            .label(line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        chart.draw_series(at().map(|(x, point)| {
            PathElement::new(
                [(x, micros(point.low)), (x, micros(point.high))],
                ShapeStyle::from(colour).stroke_width(4),
            )
        }))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 13))
        .draw()?;
    root.present()?;
    Ok(())
}
