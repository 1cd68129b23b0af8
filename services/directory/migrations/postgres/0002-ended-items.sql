-- Removed items of a version in order: clients that follow changes read them page by page.
DROP INDEX item_ended;
CREATE INDEX item_ended ON item (to_version, type, slug) WHERE to_version IS NOT NULL;
