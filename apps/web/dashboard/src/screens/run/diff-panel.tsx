import { useQuery } from "@tanstack/react-query";
import type { Run } from "@triptych/contracts";
import { memo } from "react";
import { diffQuery } from "../../api/queries.ts";
import { SkeletonText } from "../../components/skeleton.tsx";
import { Empty } from "../../components/empty.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { classes } from "../../components/table.tsx";
import { grouped } from "../../labels/format.ts";
import { parseDiff, type DiffFile } from "../../labels/diff.ts";
import { cutLine, plainText } from "../../labels/plain-text.ts";
import { plural, t } from "../../i18n.ts";

const LINE_LENGTH = 2_000;
const OPEN_LINES = 600;

export function DiffPanel({ run }: { readonly run: Run }) {
  const query = useQuery(diffQuery(run.id, run.head_sha !== null || run.phase !== "active"));
  return (
    <QueryBoundary query={query} skeleton={<SkeletonText lines={8} />}>
      {(text) => {
        const files = parseDiff(text ?? "");
        if (files.length === 0)
          return (
            <Empty
              why={
                run.phase === "active"
                  ? t("No diff yet. It appears when the worker uploads the change.")
                  : t("This run has no diff.")
              }
            />
          );
        return (
          <div className="diff">
            {files.map((file) => (
              <File key={file.path} file={file} />
            ))}
          </div>
        );
      }}
    </QueryBoundary>
  );
}

const File = memo(({ file }: { readonly file: DiffFile }) => {
  const { path, note, lines, insertions, deletions } = file;
  return (
    <details open={lines.length <= OPEN_LINES}>
      <summary>
        <code>
          <bdi>{plainText(path)}</bdi>
        </code>{" "}
        <span className="soft">
          {note === "" ? "" : `${plainText(note)}, `}+{grouped(insertions)} −{grouped(deletions)}
        </span>
      </summary>
      <div className="scroll" role="region" aria-label={t("Change of {path}", { path: plainText(path) })} tabIndex={0}>
        <table className="hunks">
          <tbody>
            {lines.map(({ sign, text, before, after }, index) => {
              const { text: visibleText, left } = cutLine(plainText(text), LINE_LENGTH);
              return (
                // A diff is static: the index is a stable key.
                <tr
                  key={index}
                  className={classes(sign === "+" && "added", sign === "-" && "taken", sign === "@" && "hunk")}
                >
                  <td className="at">{before}</td>
                  <td className="at">{after}</td>
                  <td className="sign">{sign === "@" ? "" : sign === "-" ? "−" : sign}</td>
                  <td className="line" dir="auto">
                    {visibleText}
                    {left > 0 ? (
                      <span className="soft">
                        …{" "}
                        {plural(
                          left,
                          "({count} more character; the download has it)",
                          "({count} more characters; the download has them)",
                        )}
                      </span>
                    ) : null}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
});
