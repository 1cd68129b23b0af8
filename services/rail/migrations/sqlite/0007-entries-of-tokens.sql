-- Entries of a token are read from those of its wallet: each charge of a token paid a tenth of its time for this index.
drop index entry_token;
