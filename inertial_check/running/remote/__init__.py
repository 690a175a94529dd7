"""Documents from archives, addresses and repositories, fetched within limits."""
