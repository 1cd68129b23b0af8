-- The operator's list of equivalent terms, as imported; without a row the list of the program applies.
CREATE TABLE synonyms (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  csv TEXT COLLATE "C" NOT NULL,
  imported_at BIGINT NOT NULL
);
