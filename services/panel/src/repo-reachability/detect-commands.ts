/** Detects setup and test command from the root files of a commit. Pure. */
import { detectNode } from "./detect-node.ts";
import { detectPython } from "./detect-python.ts";

export interface RootFiles {
  /** Names at the root, and those in `test/` and `tests/` with their folder. */
  readonly names: ReadonlySet<string>;
  /** Text of a root file; empty where missing or too large. */
  readonly text: (name: string) => string;
  /** Manifests of workspace members that have a test script. */
  readonly testedMembers: readonly string[];
  /** Unique prefixes of download URLs in lock files. */
  readonly downloads: readonly string[];
}

export interface DetectedCommands {
  readonly setup_cmd: string | null;
  readonly verify_cmd: string | null;
}

type Detect = (files: RootFiles) => DetectedCommands | null;

/** In this order: a Makefile often wraps tools of Go or Rust, while a Node or Python test needs what its own setup installs. */
const ECOSYSTEMS: readonly Detect[] = [detectNode, detectPython, detectMake, detectCargo, detectGo];

/** The first ecosystem with a test command; else the first with a setup. */
export function detectCommands(files: RootFiles): DetectedCommands {
  const detected = ECOSYSTEMS.map((detect) => detect(files)).filter((commands) => commands !== null);
  const setup = detected.find(({ setup_cmd }) => setup_cmd !== null)?.setup_cmd ?? null;
  const tested = detected.find(({ verify_cmd }) => verify_cmd !== null);
  if (tested === undefined) return { setup_cmd: setup, verify_cmd: null };
  // A Makefile provides only the test command.
  return tested.verify_cmd === "make test" ? { ...tested, setup_cmd: setup } : tested;
}

function detectMake({ text }: RootFiles): DetectedCommands | null {
  const hasTarget = ["GNUmakefile", "Makefile", "makefile"].some((name) => /^test\s*:/m.test(text(name)));
  return hasTarget ? { setup_cmd: null, verify_cmd: "make test" } : null;
}

function detectCargo({ names, text }: RootFiles): DetectedCommands | null {
  if (!names.has("Cargo.toml")) return null;
  const hasDependencies = /^\[(.*\.)?((dev|build)-)?dependencies\b|^\[workspace\]/m.test(text("Cargo.toml"));
  const fetch = names.has("Cargo.lock") ? "cargo fetch --locked" : "cargo fetch";
  return { setup_cmd: hasDependencies ? fetch : null, verify_cmd: "cargo test" };
}

function detectGo({ names, text }: RootFiles): DetectedCommands | null {
  if (!names.has("go.mod")) return null;
  const hasDependencies = /^\s*require\b/m.test(text("go.mod"));
  return { setup_cmd: hasDependencies ? "go mod download" : null, verify_cmd: "go test ./..." };
}
