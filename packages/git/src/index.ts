export { gitEnvironment, type Environment, type Settings } from "./environment.ts";
export { createGit, GitError, type Git, type GitContext, type GitOptions } from "./git.ts";
