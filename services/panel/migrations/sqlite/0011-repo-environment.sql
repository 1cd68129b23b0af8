-- Variables of a repo's commands, by name. Values of sealed ones are encrypted.
alter table repo add column environment text not null default '{}';
