"""What a kind of evaluation needs beyond its declaration: a module of this package that has the kind's name."""
