-- What the sums of keys and days are made of. Here each booking brings `usage_day` up to date, so there is nothing beside it.
create view usage_part as
  select key_id, day, requests, items, billed_items, bytes, geo_requests, amount_micro from usage_day;
