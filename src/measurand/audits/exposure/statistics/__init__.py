"""Statistics of an exposure study: paired counts and a hierarchical model of them."""
