"""Tables as pictures: charts as SVG, bars in the terminal."""
