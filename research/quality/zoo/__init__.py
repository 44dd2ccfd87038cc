"""Many worlds from a stated distribution: policies and learners compared over all of them."""
