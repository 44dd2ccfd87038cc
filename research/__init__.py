"""What was found out with the package: the paper again, how good it is, how fast it is."""
