import type * as contract from "@triptych/contracts";
import type { RequestHandler } from "@triptych/server";
import type { DeliveryServices } from "../domain/delivery.ts";
import type { Panel } from "../domain/panel.ts";
import { orNotFound } from "../domain/domain-error.ts";
import { mayRead, mayWrite, type Caller } from "./caller.ts";
import { mapDomainErrors, idempotent } from "./transactional.ts";
import { runShape } from "./response-mappers.ts";

type Parts = Pick<DeliveryServices, "uploads"> & Pick<Panel, "now" | "store">;

export function getRunDiffHandler(parts: Parts): RequestHandler<typeof contract.getRunDiff, Caller> {
  return ({ caller, params, reply }) =>
    mapDomainErrors(parts, async () => {
      const run = orNotFound(await parts.store.of(caller.account.id).runs.find(params.id), "run");
      mayRead(caller);
      const diff = await parts.uploads.diff(caller.account.id, run);
      return diff === null ? reply.code(204).send() : reply.type("text/x-diff; charset=utf-8").send(diff);
    });
}

export function getRunArtifactHandler(parts: Parts): RequestHandler<typeof contract.getRunArtifact, Caller> {
  return ({ caller, params, reply }) =>
    mapDomainErrors(parts, async () => {
      const owner = caller.account.id;
      const { id, sha256 } = params;
      orNotFound(await parts.store.of(owner).runs.find(id), "artefact");
      mayRead(caller);
      const opened = orNotFound(await parts.uploads.openArtifact(owner, id, sha256), "artefact");
      reply.header("Content-Disposition", `attachment; filename="${sha256}.txt"`);
      // RFC 9530: the hash of the stored bytes. The name is the hash of the bytes that the worker sent.
      reply.header("Content-Digest", `sha-256=:${Buffer.from(opened.sha256, "hex").toString("base64")}:`);
      return reply.type("text/plain; charset=utf-8").send(opened.body);
    });
}

export function openPrHandler(
  parts: Pick<DeliveryServices, "prs"> & Pick<Panel, "now" | "store" | "seal">,
): RequestHandler<typeof contract.openPr, Caller> {
  return (context) =>
    idempotent(parts, context, async () => {
      const { caller, params, body } = context;
      const owner = caller.account.id;
      orNotFound(await parts.store.of(owner).runs.find(params.id), "run");
      mayWrite(caller);
      const { run, isNew } = await parts.prs.open(owner, params.id, {
        reopen: body.reopen ?? false,
        draft: body.draft,
      });
      return { status: isNew ? 201 : 200, body: runShape(run) };
    });
}
