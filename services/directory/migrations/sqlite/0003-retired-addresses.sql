-- Visitors look up addresses of removed items.
CREATE INDEX retired_slug_address ON retired_slug (type, slug);
