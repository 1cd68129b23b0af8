/** Checks of the credential `github_app` beyond the schema. */
import { type ValidationErrors, validationFailed } from "@triptych/server";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { RepoRecord } from "../domain/records.ts";
import { isAppKey } from "../forges/app-tokens.ts";

/** Only the members checked here; the contract validates the rest. */
const AppBody = Type.Object({
  credential: Type.Object({ kind: Type.Literal("github_app"), private_key: Type.String() }),
});

export function checkAppKey(body: unknown, errors: ValidationErrors): void {
  if (!Value.Check(AppBody, body) || isAppKey(body.credential.private_key)) return;
  const message =
    "`private_key` is not an RSA private key of at least 2,048 bits in PEM form, as GitHub generates it for an app.";
  errors.add({ path: "/credential/private_key", reason: "wrong_form", message });
}

/** Apps exist only on GitHub, and their tokens work only over HTTP. */
export function refuseAppElsewhere({
  credentialKind,
  provider,
  url,
}: Pick<RepoRecord, "credentialKind" | "provider" | "url">): void {
  if (credentialKind !== "github_app" || (provider === "github" && /^https?:/.test(url))) return;
  const message = "`github_app` needs a repository of `provider` github with an http(s) address.";
  throw validationFailed([{ path: "/credential/kind", reason: "wrong_form", message }]);
}
