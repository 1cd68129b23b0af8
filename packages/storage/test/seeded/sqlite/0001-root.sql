create table branch (id text primary key, parent_id text references branch (id)) strict;
insert into branch (id, parent_id) values ('root', null);
