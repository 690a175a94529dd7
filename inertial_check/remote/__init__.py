"""Models named by URL and models in archives, fetched into a private folder within limits."""
