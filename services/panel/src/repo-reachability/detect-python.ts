/** Python repositories: uv, poetry or pip, each into `.venv` in the tree, so that the test command finds what setup installed. */
import type { DetectedCommands, RootFiles } from "./detect-commands.ts";

const PYTHON = ".venv/bin/python";
const REQUIREMENTS = /^(requirements([-_.](dev|tests?|testing))?|(dev|tests?)[-_]requirements)\.txt$/;
/** Extras and dependency groups: the first match wins. */
const TEST_GROUPS = ["test", "tests", "testing", "dev"];

export function detectPython(files: RootFiles): DetectedCommands | null {
  const { names } = files;
  const pyproject = files.text("pyproject.toml");
  const requirements = [...names].filter((name) => REQUIREMENTS.test(name)).toSorted();
  const isPackage =
    /^\[(project|build-system|tool\.poetry)\]/m.test(pyproject) || names.has("setup.py") || names.has("setup.cfg");
  const isTested = usesPytest(files);
  if (!isPackage && requirements.length === 0) return isTested ? { setup_cmd: null, verify_cmd: "pytest" } : null;
  const choice = {
    extra: testGroup(pyproject, "project.optional-dependencies"),
    group: testGroup(pyproject, "dependency-groups"),
  };
  if (names.has("uv.lock")) {
    const setup = [
      "uv sync --frozen",
      choice.extra && `--extra ${choice.extra}`,
      choice.group && `--group ${choice.group}`,
    ];
    return { setup_cmd: setup.filter(Boolean).join(" "), verify_cmd: isTested ? "uv run --no-sync pytest" : null };
  }
  const verify_cmd = isTested ? `${PYTHON} -m pytest` : null;
  if (names.has("poetry.lock"))
    return { setup_cmd: "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction", verify_cmd };
  const install = [
    ...requirements.map((name) => `-r ${name}`),
    ...(isPackage ? [choice.extra === null ? "-e ." : `-e '.[${choice.extra}]'`] : []),
    ...(choice.group === null ? [] : [`--group ${choice.group}`]),
    ...(isTested ? ["pytest"] : []),
  ].join(" ");
  // Debian's pip is older than 25.1, the first with groups.
  const upgrade = choice.group === null ? [] : [`${PYTHON} -m pip install --upgrade 'pip>=25.1'`];
  const setup = ["python3 -m venv .venv", ...upgrade, `${PYTHON} -m pip install ${install}`];
  return { setup_cmd: setup.join(" && "), verify_cmd };
}

function usesPytest({ names, text }: RootFiles): boolean {
  if (["pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"].some((name) => names.has(name)))
    return true;
  if (/^\[tool\.pytest/m.test(text("pyproject.toml"))) return true;
  if (/^\[tool:pytest\]/m.test(text("setup.cfg")) || /^\[pytest\]/m.test(text("tox.ini"))) return true;
  return [...names].some((name) => /^((tests?\/)(test_[^/]+|[^/]+_test)|test_[^/]+)\.py$/.test(name));
}

/** Key of the table's test group. Matches single lines: keys of these tables are never nested. */
function testGroup(pyproject: string, table: string): string | null {
  const [, body = ""] =
    new RegExp(`^\\[${table.replaceAll(".", "\\.")}\\]\\s*\\n((?:(?!\\[[\\w.-]+\\]\\s*$).*\\n?)*)`, "m").exec(
      pyproject,
    ) ?? [];
  return TEST_GROUPS.find((name) => new RegExp(`^${name}\\s*=`, "m").test(body)) ?? null;
}
