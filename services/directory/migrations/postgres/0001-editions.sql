-- Published versions. The highest number is the one that is served; its row is the swap.
CREATE TABLE version (
  number BIGINT PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  content_hash TEXT COLLATE "C" NOT NULL,
  published_at BIGINT NOT NULL,
  items BIGINT NOT NULL,
  cause TEXT COLLATE "C" NOT NULL
);

-- An item over an interval of versions: visible in v when from_version <= v and (to_version is null or to_version > v).
CREATE TABLE item (
  type TEXT COLLATE "C" NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  source_name TEXT COLLATE "C" NOT NULL,
  source_id TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT,
  PRIMARY KEY (type, slug, from_version)
);
CREATE UNIQUE INDEX item_live_slug ON item (type, slug) WHERE to_version IS NULL;
CREATE UNIQUE INDEX item_source ON item (source_name, source_id, from_version);
CREATE INDEX item_begun ON item (from_version);
CREATE INDEX item_ended ON item (to_version) WHERE to_version IS NOT NULL;

CREATE TABLE tag_label (
  slug TEXT COLLATE "C" NOT NULL,
  label TEXT COLLATE "C" NOT NULL,
  uses BIGINT NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT,
  PRIMARY KEY (slug, from_version)
);

-- Slugs of rows that no kept version shows any more: the same source row gets its old address back when it returns.
CREATE TABLE retired_slug (
  source_name TEXT COLLATE "C" NOT NULL,
  source_id TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (source_name, source_id)
);

-- One row: the attempt rises with each staging and fences off a stager that lost its turn.
CREATE TABLE staging (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  attempt BIGINT NOT NULL,
  number BIGINT,
  started_at BIGINT NOT NULL
);

-- Snapshots for the other nodes, in parts of 1 MiB. Not used where all processes share a folder.
CREATE TABLE snapshot_part (
  version_id TEXT COLLATE "C" NOT NULL,
  part BIGINT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (version_id, part)
);

-- The outlines of the départements, as installed.
CREATE TABLE outlines (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  geojson TEXT COLLATE "C" NOT NULL,
  installed_at BIGINT NOT NULL
);
