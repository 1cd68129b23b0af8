export { createClient, type Client, type ClientOptions, type Input, type Reply } from "./client.ts";
export { ProblemError } from "./problem-error.ts";
