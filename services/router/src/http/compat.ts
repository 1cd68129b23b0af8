/**
 * The two compatible APIs. The state is encoded once for all questions, and issues are 422 in the format of the API.
 */
import { errorType, type ValidationIssue } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import type { FastifyReply } from "fastify";
import { answerQuestion, selectExperts, type QuestionContext } from "../domain/openai-compat/answer-question.ts";
import type { CompatRequest } from "../domain/openai-compat/questions.ts";
import { decisionsBody, systemOneBody, type WireParts } from "../domain/openai-compat/wires.ts";
import { isUnusable, type Expert } from "../domain/experts.ts";
import type { Router } from "../domain/router.ts";
import type { Caller } from "./identify.ts";
import type { DecisionContext } from "./decisions.ts";
import { expertNotFound, notUsable } from "./expert-problems.ts";
import { readDecisions } from "./parsers/read-decisions.ts";
import { readSystemOne } from "./parsers/read-systemone.ts";
import { sendDecision } from "./timing.ts";

interface Wire<Body> {
  readonly endpoint: "systemone" | "decisions";
  read(body: Body, errors: ValidationErrors): CompatRequest;
  body(parts: WireParts): Readonly<Record<string, unknown>>;
}

export function systemOneHandler(router: Router) {
  return compatHandler(router, { endpoint: "systemone", read: readSystemOne, body: systemOneBody });
}

export function decisionsHandler(router: Router) {
  return compatHandler(router, { endpoint: "decisions", read: readDecisions, body: decisionsBody });
}

function compatHandler<Body>(router: Router, { endpoint, read, body }: Wire<Body>) {
  const { assessor, clock, experts } = router;
  return {
    async handle(
      { caller, body: sent, request, reply }: DecisionContext<Body>,
      errors: ValidationErrors,
    ): Promise<FastifyReply> {
      reply.header("x-typesafe-request-id", request.id);
      // If the body is not an object, there are no members to read.
      if (errors.has("")) return refuse(reply, errors.list(), request.id);
      const input = read(sent, errors);
      if (errors.list().length > 0) return refuse(reply, errors.list(), request.id);
      const pinned = await pinnedBy(router, caller, input);
      const listed = await experts.list(caller.owner);
      const inPlay = await experts.inPlay(caller.owner);
      const began = clock();
      const parse = reply.elapsedTime;
      const own = listed.filter(({ kind }) => kind === "custom");
      const mayAnswer = { pinned, inPlay, own };
      const encoding = await assessor.engine.encodeFor(input, () => selectExperts(mayAnswer, input.questions));
      const questionContext: QuestionContext = {
        ...assessor,
        ...mayAnswer,
        encoding,
        judged: { state: input.state, context: input.context, explain: input.explain },
        floors: input,
        onChoice: (chosen) => router.beside({ owner: caller.owner, chosen, encoding }),
      };
      const answered = input.questions.map((question) => ({
        question,
        answer: answerQuestion(questionContext, question),
      }));
      const { formula, explain, warnings } = input;
      const { log } = assessor.engine;
      const responseBody = body({ answered, formula, explain, warnings, inputTokens: encoding.count, log });
      const decide = clock() - began;
      router.observe({ endpoint, action: "none", reason: "ok", expert: "none" });
      return sendDecision(reply, responseBody, { parse, decide });
    },
  };
}

async function pinnedBy(
  { experts }: Router,
  { owner }: Caller,
  { expert: name }: CompatRequest,
): Promise<Expert | null> {
  if (name === null) return null;
  const found = await experts.find(owner, name);
  if (isUnusable(found)) throw notUsable(found);
  if (found !== null) return found;
  const existing = await experts.list(owner);
  throw expertNotFound(
    name,
    existing.map((expert) => expert.name),
  );
}

const REFUSED = 422;

/** `error.message` includes the paths, because one client prints nothing else. */
function refuse(reply: FastifyReply, issues: readonly ValidationIssue[], requestId: string): FastifyReply {
  const detail = issues.map(({ path, message, reason }) => ({ loc: locOf(path), msg: message, type: reason }));
  const message = detail.map(({ loc, msg }) => [loc.slice(1).join("."), msg].filter((part) => part !== "").join(": "));
  const error = { message: message.join("; "), type: errorType(REFUSED), code: "validation_failed" };
  const body = { detail, error, code: error.code, status: REFUSED, request_id: requestId };
  return reply.code(REFUSED).type("application/json; charset=utf-8").send(JSON.stringify(body));
}

function locOf(path: string): (string | number)[] {
  if (!path.startsWith("/")) return path === "" ? ["body"] : ["query", path.replace(/^\?/, "")];
  const names = path.slice(1).split("/");
  return ["body", ...names.map((name) => (/^\d+$/.test(name) ? Number(name) : unescaped(name)))];
}

function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
