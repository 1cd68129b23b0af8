-- Which commands of a repo the first contact detected. The owner's own take their place.
alter table contact add column detects_setup integer not null default 0 check (detects_setup in (0, 1));
alter table contact add column detected text not null default '[]';
