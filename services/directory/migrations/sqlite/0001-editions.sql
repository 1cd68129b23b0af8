-- Published versions. The highest number is the one that is served; its row is the swap.
CREATE TABLE version (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  content_hash TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  items INTEGER NOT NULL,
  cause TEXT NOT NULL
) STRICT;

-- An item over an interval of versions: visible in v when from_version <= v and (to_version is null or to_version > v).
CREATE TABLE item (
  type TEXT NOT NULL,
  slug TEXT NOT NULL,
  source_name TEXT NOT NULL,
  source_id TEXT NOT NULL,
  body TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER,
  PRIMARY KEY (type, slug, from_version)
) STRICT;
CREATE UNIQUE INDEX item_live_slug ON item (type, slug) WHERE to_version IS NULL;
CREATE UNIQUE INDEX item_source ON item (source_name, source_id, from_version);
CREATE INDEX item_begun ON item (from_version);
CREATE INDEX item_ended ON item (to_version) WHERE to_version IS NOT NULL;

CREATE TABLE tag_label (
  slug TEXT NOT NULL,
  label TEXT NOT NULL,
  uses INTEGER NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER,
  PRIMARY KEY (slug, from_version)
) STRICT;

-- Slugs of rows that no kept version shows any more: the same source row gets its old address back when it returns.
CREATE TABLE retired_slug (
  source_name TEXT NOT NULL,
  source_id TEXT NOT NULL,
  type TEXT NOT NULL,
  slug TEXT NOT NULL,
  PRIMARY KEY (source_name, source_id)
) STRICT;

-- One row: the attempt rises with each staging and fences off a stager that lost its turn.
CREATE TABLE staging (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  attempt INTEGER NOT NULL,
  number INTEGER,
  started_at INTEGER NOT NULL
) STRICT;

-- Snapshots for the other nodes, in parts of 1 MiB. Not used where all processes share a folder.
CREATE TABLE snapshot_part (
  version_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (version_id, part)
) STRICT;

-- The outlines of the départements, as installed.
CREATE TABLE outlines (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  geojson TEXT NOT NULL,
  installed_at INTEGER NOT NULL
) STRICT;
