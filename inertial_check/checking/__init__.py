"""The check of documents: a document becomes judgements, findings and a report."""
