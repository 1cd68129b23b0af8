-- Of the bytes that are kept, where secrets were taken out of what the worker sent.
alter table artifact add column kept_sha256 text check (length(kept_sha256) = 64);
create index artifact_kept on artifact (kept_sha256) where kept_sha256 is not null;
