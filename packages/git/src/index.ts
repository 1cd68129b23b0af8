export { gitEnvironment, type Environment, type Settings } from "./environment.ts";
export { readTextFiles, type TextFile } from "./read-text-files.ts";
export { createGit, GitError, type Git, type GitContext, type GitOptions } from "./git.ts";
