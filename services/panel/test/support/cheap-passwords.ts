/** The least that argon2id takes: each scene has accounts, and few tests are about what their passwords cost. */
export const CHEAP = { memory: 8, passes: 1 };
