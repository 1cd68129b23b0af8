-- The operator's list of equivalent terms, as imported; without a row the list of the program applies.
CREATE TABLE synonyms (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  csv TEXT NOT NULL,
  imported_at INTEGER NOT NULL
) STRICT;
