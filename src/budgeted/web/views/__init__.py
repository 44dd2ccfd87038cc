"""What each page shows, as pydantic models: a template makes HTML of them, the API sends them."""
