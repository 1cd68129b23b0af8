import type { Repo } from "@triptych/contracts";
import { Dialog } from "../../components/dialog.tsx";
import { Table } from "../../components/table.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { textOf, valueAt, type Difference } from "./settings-patch.ts";
import type { SettingField } from "./setting-field.ts";
import { t } from "../../i18n.ts";

interface ConflictDialogProps {
  readonly theirs: Repo;
  readonly changes: readonly Difference[];
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
  readonly onClose: () => void;
}

const COLUMNS = [
  { name: t("Setting") },
  { name: t("Before your edits") },
  { name: t("Saved version") },
  { name: t("Your version") },
];

export function ConflictDialog({ theirs, changes, error, isBusy, onMine, onTheirs, onClose }: ConflictDialogProps) {
  return (
    <Dialog title={t("Someone else saved these settings")} onClose={onClose} isWide>
      <p>
        {t("Your changes are not saved, and none are lost. Settings that you did not change keep their saved values.")}
      </p>
      <Table caption={t("Both versions")} columns={COLUMNS}>
        {changes.map(({ field, before, after }) => (
          <tr key={field.path}>
            <th scope="row">{field.label}</th>
            <td>{formatValue(field, before)}</td>
            <td>{formatValue(field, valueAt(theirs, field.path))}</td>
            <td>
              <b>{formatValue(field, after)}</b>
            </td>
          </tr>
        ))}
      </Table>
      {error === null || error === undefined ? null : <ErrorMessage error={error} />}
      <footer className="row end">
        <button type="button" onClick={onClose}>
          {t("Keep editing")}
        </button>
        <button type="button" onClick={onTheirs}>
          {t("Discard my changes")}
        </button>
        <button type="button" className="primary" disabled={isBusy} onClick={onMine}>
          {isBusy ? t("Saving…") : t("Save my version")}
        </button>
      </footer>
    </Dialog>
  );
}

function formatValue(field: SettingField, value: unknown): string {
  const text = textOf(field, value);
  if (field.kind === "switch") return text === "on" ? t("on") : t("off");
  return text === "" ? t("none") : text;
}
