/** Worker requests over HTTP, with a run token (clone, upload) or a check token (clone). */
import type * as contract from "@triptych/contracts";
import { Problem, validationFailed, type RequestHandler, type ValidatingHandler } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GitRequest, GitSource, DeliveryServices, Received } from "../domain/delivery.ts";
import type { Panel } from "../domain/panel.ts";
import type { RunRecord } from "../domain/records.ts";
import type { RunTokenScope } from "../domain/worker-tokens.ts";
import type { Caller } from "./caller.ts";
import { mapDomainErrors } from "./transactional.ts";

type Parts = Pick<DeliveryServices, "relay" | "uploads"> & Pick<Panel, "now">;

interface LeasedCaller {
  readonly scope: RunTokenScope;
  readonly run: RunRecord;
}

/** A token opens only its own run; others are 404. */
function leasedBy({ run }: Caller, id: string): LeasedCaller {
  if (run === undefined || run.run.id !== id) throw new Problem("not_found", { detail: "No such run." });
  if (run.run.epoch !== run.scope.epoch) throw superseded(run.run);
  return run;
}

function superseded(run: Pick<RunRecord, "id" | "state">): Problem {
  return new Problem("superseded", { members: { run_id: run.id, current_state: run.state } });
}

/** A check token opens its own check while it runs. */
function runningCheck({ check }: Caller, id: string): { readonly owner: string; readonly source: GitSource } {
  if (check === undefined || check.check.id !== id || check.check.state !== "running")
    throw new Problem("not_found", { detail: "No such check." });
  return { owner: check.owner, source: { repoId: check.check.repoId, baseBranch: null } };
}

function branchOfRun(caller: Caller, id: string): { readonly owner: string; readonly source: GitSource } {
  const { scope, run } = leasedBy(caller, id);
  const { followUp, baseBranch } = run.spec;
  const followed = { merge: followUp?.merge ?? null, isFollowUp: followUp !== undefined };
  return { owner: scope.owner, source: { repoId: run.repoId, baseBranch, ...followed } };
}

export function listGitRefsHandler(parts: Parts): RequestHandler<typeof contract.listGitRefs, Caller> {
  return ({ caller, params, query, reply }) =>
    serveGit(parts, reply, { ...branchOfRun(caller, params.id), gitRequest: refsRequest(query.service) });
}

export function fetchGitPackHandler(parts: Parts): RequestHandler<typeof contract.fetchGitPack, Caller> {
  return ({ caller, params, body, request, reply }) =>
    serveGit(parts, reply, { ...branchOfRun(caller, params.id), gitRequest: packRequest(request, body) });
}

export function listCheckRefsHandler(parts: Parts): RequestHandler<typeof contract.listCheckRefs, Caller> {
  return ({ caller, params, query, reply }) =>
    serveGit(parts, reply, { ...runningCheck(caller, params.id), gitRequest: refsRequest(query.service) });
}

export function fetchCheckPackHandler(parts: Parts): RequestHandler<typeof contract.fetchCheckPack, Caller> {
  return ({ caller, params, body, request, reply }) =>
    serveGit(parts, reply, { ...runningCheck(caller, params.id), gitRequest: packRequest(request, body) });
}

function refsRequest(service: string): GitRequest {
  const nothing = { contentType: "", contentEncoding: "", body: null };
  return { method: "GET", path: "/info/refs", query: `service=${service}`, ...nothing };
}

function packRequest({ headers }: FastifyRequest, body: unknown): GitRequest {
  return {
    method: "POST",
    path: "/git-upload-pack",
    query: "",
    contentType: "application/x-git-upload-pack-request",
    contentEncoding: headers["content-encoding"] ?? "",
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  };
}

type Cloning = { readonly owner: string; readonly source: GitSource; readonly gitRequest: GitRequest };

async function serveGit({ relay, now }: Parts, reply: FastifyReply, { owner, source, gitRequest }: Cloning) {
  const { status, headers, body } = await mapDomainErrors({ now }, () => relay.serve(owner, source, gitRequest));
  // Stop when the client disconnects.
  reply.raw.once("close", () => body.destroy());
  return reply.code(status).headers(headers).send(body);
}

export function uploadBundleHandler({ uploads }: Parts): ValidatingHandler<typeof contract.uploadBundle, Caller> {
  return {
    async handle({ caller, params, query, request, reply }, errors) {
      const sha256 = digestOf(request.headers["content-digest"]);
      if (sha256 === null)
        errors.add({
          path: "header:Content-Digest",
          reason: "wrong_form",
          message: "`Content-Digest` must be `sha-256=:…:`, the digest of the body in base64.",
        });
      errors.refuse();
      const { scope, run } = leasedBy(caller, params.id);
      if (query.epoch !== scope.epoch) throw superseded(run);
      const received = await uploads.bundle(scope, { sha256: sha256 ?? "", source: request.raw });
      return answerUpload(reply, run, { received, digestLocation: "header:Content-Digest" });
    },
  };
}

export function uploadArtifactHandler({ uploads }: Parts): ValidatingHandler<typeof contract.uploadArtifact, Caller> {
  return {
    async handle({ caller, params, request, reply }, errors) {
      const { sha256 } = params;
      if (!/^[0-9a-f]{64}$/.test(sha256))
        errors.add({
          path: "/sha256",
          reason: "wrong_form",
          message: "The name of an artifact must be its SHA-256 in lower-case hex.",
        });
      errors.refuse();
      const { scope, run } = leasedBy(caller, params.id);
      const received = await uploads.artifact(scope, { sha256, source: request.raw });
      return answerUpload(reply, run, { received, digestLocation: "/sha256" });
    },
  };
}

/** RFC 9530; other algorithms are ignored. */
function digestOf(header: string | readonly string[] | undefined): string | null {
  const [, base64 = ""] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/i.exec([header ?? ""].flat().join(",")) ?? [];
  return base64 === "" ? null : Buffer.from(base64, "base64").toString("hex");
}

interface Upload {
  readonly received: Received;
  readonly digestLocation: string;
}

function answerUpload(reply: FastifyReply, run: RunRecord, { received, digestLocation }: Upload): unknown {
  switch (received.kind) {
    case "stored":
      return { sha256: received.sha256, bytes: received.bytes };
    case "too_large":
      // The rest of the body is not read: close the connection.
      reply.header("Connection", "close");
      throw new Problem("too_large");
    case "broken_off":
      throw new Problem("malformed_request", { detail: "The body is incomplete." });
    case "superseded":
      throw superseded(run);
    case "other_digest":
      throw validationFailed([
        { path: digestLocation, reason: "mismatch", message: "The SHA-256 of the body does not match." },
      ]);
    case "invalid":
      throw validationFailed([{ path: "", reason: "bundle_invalid", message: received.message }]);
  }
}
