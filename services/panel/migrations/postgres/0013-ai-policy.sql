-- What the project says about contributions made with AI, as JSON: the finding, and whether a person lifted it.
alter table repo add column ai_policy text;
