-- The secret of names (HMACs) that must not change when the secret of the installation is rotated; encrypted with the newest one.
alter table installation add column names_sealed text;
