/** Real projects by name and version: their packages ship the tests that their own `npm test` runs. */
export type PackageManager = "npm" | "pnpm" | "yarn" | "bun" | null;

export interface Project {
  readonly name: string;
  /** Packages of the registry. More than one: a monorepo with a workspace for each. */
  readonly packages: readonly string[];
  /** Whose lock file is committed. */
  readonly lock: PackageManager;
  readonly hasHusky?: boolean;
  /** Files of a project that was written for this harness, in place of packages. */
  readonly files?: Readonly<Record<string, string>>;
  /** Its packages come from a registry that demands a token. */
  readonly hasPrivateRegistry?: boolean;
  /** The program that its test command needs. Without it the checks are unavailable. */
  readonly toolchain?: string;
  /** Its own tests fail with the Node of today. */
  readonly hasRedTests?: boolean;
}

const of = (name: string, version: string, lock: PackageManager, more: Partial<Project> = {}): Project => ({
  name,
  packages: [`${name}@${version}`],
  lock,
  ...more,
});

export const PROJECTS: readonly Project[] = [
  of("shell-quote", "1.7.2", "npm"),
  of("quote-stream", "1.0.2", "pnpm"),
  of("shallow-copy", "0.0.1", "yarn"),
  of("json-buffer", "3.0.1", "bun"),
  of("through", "2.3.8", null),
  of("duplexer", "0.1.2", null),
  of("uniq", "1.0.1", null, { hasRedTests: true }),
  of("deep-is", "0.1.4", "npm", { hasHusky: true }),
  of("subarg", "1.0.0", "npm", { hasPrivateRegistry: true }),
  // Its test command needs a program that it does not install.
  of("wordwrap", "1.0.0", null),
  of("deep-equal", "1.0.1", "npm"),
  { name: "monorepo", packages: ["duplexer@0.1.2", "json-buffer@3.0.1"], lock: "npm" },
  of("minimist", "1.2.8", "npm"),
  of("isarray", "1.0.0", null),
  of("json-stable-stringify", "1.0.1", "npm"),
  of("split2", "4.1.0", null),
  of("fastq", "1.13.0", "npm"),
  {
    name: "python-app",
    packages: [],
    lock: null,
    toolchain: "python3",
    files: {
      "pyproject.toml":
        '[project]\nname = "sample"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      "sample.py": "def double(number):\n    return number * 2\n",
      "tests/test_sample.py": "from sample import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
    },
  },
  {
    name: "go-app",
    packages: [],
    lock: null,
    toolchain: "go",
    files: {
      "go.mod": "module example.org/sample\n\ngo 1.23\n",
      "sample.go": "package sample\n\nfunc Double(number int) int { return number * 2 }\n",
      "sample_test.go":
        'package sample\n\nimport "testing"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fail()\n\t}\n}\n',
    },
  },
];
