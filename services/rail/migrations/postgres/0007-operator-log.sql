-- Acts without a wallet: `subject` is the signing key.
alter table operator_act alter column wallet_id drop not null;
alter table operator_act add column subject text;
alter table operator_act drop constraint operator_act_act_check;
alter table operator_act add constraint operator_act_act_check
  check (act in ('freeze', 'unfreeze', 'rotate_keys', 'revoke_key', 'confirm_clock'));

create trigger operator_act_keeps before update on operator_act
  for each statement execute function rail_refuse('acts of operators are never changed');
create trigger operator_act_stays before delete on operator_act
  for each statement execute function rail_refuse('acts of operators are never removed');

-- Of many movements, the few of operators.
create index transfer_operated on transfer (entry_id) where operator is not null;
create index entry_operated on entry (id) where kind in ('adjustment', 'topup', 'refund');

-- Movements of operators are read from the ledger itself, so that the log cannot disagree with it.
create view operator_log (id, act, wallet_id, subject, amount_micro, operator, reason, at) as
  select id, act, wallet_id, subject, null::bigint, operator, reason, at from operator_act
  union all
  select e.id,
         case when e.kind = 'adjustment' then 'adjust'
              when e.kind = 'topup' then 'settle_topup'
              when e.charge_id is null then 'refund_topup'
              else 'refund_charge' end,
         e.wallet_id, coalesce(e.charge_id, e.topup_id), e.amount_micro, t.operator, t.reason, t.at
    from (select distinct entry_id, operator, reason, at from transfer where operator is not null) as t
    join entry as e on e.id = t.entry_id and e.kind in ('adjustment', 'topup', 'refund');
