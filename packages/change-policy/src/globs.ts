/**
 * Globs of settings against paths of git: `**` any folders, `*` and `?` within one name; names that begin with a dot are names like
 * any other, or a rule could be walked around. A glob that names a folder covers what is below it. Letters are compared without
 * case: on some disks `.GitHub` is `.github`.
 */
export function createMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map((glob) => new RegExp(`^${patternOf(glob)}(?:/[^]*)?$`, "i"));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

function patternOf(glob: string): string {
  const trimmed = glob.replace(/^\.?\/+/, "").replace(/\/+$/, "");
  return trimmed.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => {
    if (part === "**/") return "(?:[^]*/)?";
    if (part === "**") return "[^]*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replaceAll(/[\\^$.+()[\]{}|/-]/g, "\\$&");
  });
}
