-- What every charge of a sub-token reads and writes, apart from what it never looks at: narrow like the wallet's row, so that the charges
-- of a commit change fewer pages.
create table token_budget (
  token_id           text    not null primary key references sub_token (id),
  ops                text,
  per_charge_micro   integer check (per_charge_micro >= 0),
  per_day_micro      integer check (per_day_micro >= 0),
  per_month_micro    integer check (per_month_micro >= 0),
  total_micro        integer check (total_micro >= 0),
  day                integer not null,
  day_micro          integer not null check (day_micro >= 0),
  day_before_micro   integer not null check (day_before_micro >= 0),
  month              integer not null,
  month_micro        integer not null check (month_micro >= 0),
  month_before_micro integer not null check (month_before_micro >= 0),
  spent_micro        integer not null check (spent_micro >= 0)
) strict, without rowid;
insert into token_budget
  select id, ops, per_charge_micro, per_day_micro, per_month_micro, total_micro,
         day, day_micro, day_before_micro, month, month_micro, month_before_micro, spent_micro
    from sub_token;

alter table sub_token drop column ops;
alter table sub_token drop column per_charge_micro;
alter table sub_token drop column per_day_micro;
alter table sub_token drop column per_month_micro;
alter table sub_token drop column total_micro;
alter table sub_token drop column day;
alter table sub_token drop column day_micro;
alter table sub_token drop column day_before_micro;
alter table sub_token drop column month;
alter table sub_token drop column month_micro;
alter table sub_token drop column month_before_micro;
alter table sub_token drop column spent_micro;
