"""Pictures: charts, bars, and trees, as SVG and in the terminal."""
