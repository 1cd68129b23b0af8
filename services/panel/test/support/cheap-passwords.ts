/** Minimum cost of argon2id: every fixture has accounts, and few tests depend on the cost. */
export const CHEAP = { memory: 8, passes: 1 };
