"""Many runs of many policies: described in a file, computed anywhere, compared with intervals."""
