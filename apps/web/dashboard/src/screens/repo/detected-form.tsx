import { useMutation } from "@tanstack/react-query";
import type { Repo } from "@triptych/contracts";
import { call } from "../../api/call.ts";
import { updateRepo } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { notify } from "../../layout/toast.tsx";
import { COMMAND_POINTERS, CommandFields } from "../../components/command-fields.tsx";
import { hasOnlyFieldErrors } from "../../components/field.tsx";
import { typed } from "../../components/form-text.ts";
import { SubmitForm } from "../../components/submit-form.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { t } from "../../i18n.ts";

export function DetectedForm({ repo, etag }: { readonly repo: Repo; readonly etag: string }) {
  const saving = useMutation({
    mutationFn: async (sent: FormData) => {
      const command = (name: string) => typed(sent, name).trim() || null;
      const body = { verify_cmd: command("verify_cmd"), verify: { setup_cmd: command("setup_cmd") } };
      return call(updateRepo, { params: { id: repo.id }, body, ifMatch: etag });
    },
    onSuccess: () => {
      notify(t("Saved."));
      void queries.invalidateQueries({ queryKey: ["repo", repo.id] });
    },
  });
  const { error } = saving;
  const isDetected = (name: Repo["detected"][number]) => repo.detected.includes(name);
  const hintOf = (name: Repo["detected"][number], missing: string) =>
    isDetected(name) ? t("Detected automatically. Change it if it is wrong.") : missing;
  return (
    <SubmitForm sending={saving}>
      <CommandFields
        error={error}
        setup={{
          value: repo.verify.setup_cmd,
          hint: hintOf("setup_cmd", t("Runs before the tests. Empty: nothing is installed.")),
        }}
        verify={{
          value: repo.verify_cmd,
          hint: hintOf("verify_cmd", t("Runs before and after a change. Empty: every run ends as a draft.")),
        }}
      />
      {error === null || hasOnlyFieldErrors(error, COMMAND_POINTERS) ? null : <ErrorMessage error={error} />}
      <button type="submit" disabled={saving.isPending}>
        {saving.isPending ? t("Saving…") : t("Save commands")}
      </button>
    </SubmitForm>
  );
}
