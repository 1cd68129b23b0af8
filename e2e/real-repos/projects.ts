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
  /** What its test command needs is absent on purpose. */
  readonly isUncheckable?: boolean;
}

const of = (name: string, version: string, lock: PackageManager, more: Partial<Project> = {}): Project => ({
  name,
  packages: [`${name}@${version}`],
  lock,
  ...more,
});

export const PROJECTS: readonly Project[] = [
  of("minimist", "1.2.8", "npm"),
  of("qs", "6.17.1", "npm"),
  of("has-symbols", "1.1.0", null),
  of("side-channel", "1.1.1", null),
  of("resolve", "1.22.14", null),
  of("deep-equal", "2.2.3", "npm"),
  of("is-regex", "1.2.1", null),
  of("tape", "5.10.2", null),
  of("is-callable", "1.2.7", "yarn"),
  of("gopd", "1.2.0", "pnpm"),
  of("es-errors", "1.3.0", "bun"),
  of("is-string", "1.1.1", "npm", { hasHusky: true }),
  { name: "monorepo", packages: ["gopd@1.2.0", "es-errors@1.3.0"], lock: "npm" },
  {
    name: "python-app",
    packages: [],
    lock: null,
    isUncheckable: true,
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
    isUncheckable: true,
    files: {
      "go.mod": "module example.org/sample\n\ngo 1.23\n",
      "sample.go": "package sample\n\nfunc Double(number int) int { return number * 2 }\n",
      "sample_test.go":
        'package sample\n\nimport "testing"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fail()\n\t}\n}\n',
    },
  },
];
