import * as contract from "@triptych/contracts";
import {
  acceptedMedia,
  notAcceptable,
  Problem,
  type RequestHandler,
  type ValidatingHandler,
  type RequestContext,
  type ValidationErrors,
} from "@triptych/server";
import type { FastifyRequest } from "fastify";
import type { Bus } from "../bus/open-bus.ts";
import { gapOf, messageOf, numbered, type EventFilter } from "../domain/bus-lines.ts";
import type { BusRepository, BusHead } from "../domain/bus-repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { orNotFound } from "../domain/domain-error.ts";
import { isComplete } from "../domain/run-states.ts";
import { mayRead, type Caller } from "./caller.ts";
import { mapDomainErrors } from "./transactional.ts";

export interface BusDeps {
  readonly panel: Panel;
  readonly bus: Pick<Bus, "live" | "streams" | "changes">;
  /** Rejects when a request's credential is no longer valid. */
  readonly recognize: (request: FastifyRequest, endpoint: contract.Endpoint) => Promise<Caller>;
}

type ReadBusContext = RequestContext<typeof contract.readBus, Caller>;
type ReadRange = { readonly after: number; readonly filter: EventFilter };

const LIMIT = 200;

export function readBusHandler(deps: BusDeps): ValidatingHandler<typeof contract.readBus, Caller> {
  return {
    handle(context, errors) {
      const { query, request } = context;
      const media = acceptedMedia(request, contract.BUS_MEDIA);
      if (media === null) throw notAcceptable(contract.BUS_MEDIA);
      const filter = { kinds: query.kind, roles: query.role };
      if (media === "application/json") {
        errors.refuse();
        return mapDomainErrors(deps.panel, () => page(deps, context, { after: query.after ?? 0, filter }));
      }
      const after = readLastEventId(request, errors) ?? query.after ?? 0;
      refuseOfPages(request, errors);
      errors.refuse();
      return mapDomainErrors(deps.panel, () => stream(deps, context, { after, filter }));
    },
  };
}

function readLastEventId({ headers }: FastifyRequest, errors: ValidationErrors): number | null {
  const header = headers["last-event-id"];
  if (header === undefined) return null;
  if (typeof header === "string" && /^\d{1,10}$/.test(header)) return Number(header);
  const message = "`Last-Event-ID` must be the numeric id of an event of this stream.";
  errors.add({ path: "header:Last-Event-ID", reason: "wrong_form", message });
  return null;
}

function refuseOfPages({ query }: FastifyRequest, errors: ValidationErrors): void {
  const sent = typeof query === "object" && query !== null ? query : {};
  for (const name of ["limit", "wait"])
    if (Object.hasOwn(sent, name)) {
      const message = `\`${name}\` applies to pages; an event stream sends every message immediately.`;
      errors.add({ path: `?${name}`, reason: "not_allowed", message });
    }
}

/** Long polling: waits if there is nothing new and the caller allows it. */
async function page(
  { panel, bus }: BusDeps,
  { caller, params, query, request }: ReadBusContext,
  range: ReadRange,
): Promise<unknown> {
  const owner = caller.account.id;
  const { bus: repository } = panel.store.of(owner);
  const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
  const timer = setTimeout(over, (query.wait ?? 0) * 1000);
  request.raw.socket.once("close", over);
  let isLate = false;
  void isOver.then(() => (isLate = true));
  let stirred = Promise.withResolvers<void>();
  const stop = bus.live.watch({ owner, runId: params.id }, () => stirred.resolve());
  try {
    for (;;) {
      stirred = Promise.withResolvers();
      const head = orNotFound(await repository.head(params.id), "run");
      mayRead(caller);
      const items = await messages(repository, params.id, {
        ...range,
        head,
        limit: query.limit ?? LIMIT,
        now: panel.now(),
      });
      const complete = isComplete(head.state, head);
      const isAnswer = items.length > 0 || complete || isLate || (query.wait ?? 0) === 0;
      if (isAnswer) return { run_id: params.id, state: head.state, items, last_seq: head.lastSeq, complete };
      await Promise.race([stirred.promise, isOver]);
    }
  } finally {
    stop();
    clearTimeout(timer);
    request.raw.socket.off("close", over);
  }
}

const CHUNKS_PER_READ = 16;

interface Portion extends ReadRange {
  readonly head: BusHead;
  readonly limit: number;
  readonly now: number;
}

/** Reads up to the number that the run had before, so that `last_seq` is never lower than that of a returned message. */
async function messages(
  repository: BusRepository,
  runId: string,
  portion: Portion,
): Promise<readonly contract.BusMessage[]> {
  const { head, limit, now, filter } = portion;
  const items: contract.BusMessage[] = [];
  let { after } = portion;
  if (head.firstSeq > after + 1) {
    items.push(gapOf(runId, { from: after + 1, to: head.firstSeq - 1, at: now }));
    after = head.firstSeq - 1;
  }
  while (items.length < limit && after < head.lastSeq) {
    const chunks = await repository.read(runId, { after, limit: CHUNKS_PER_READ, ...filter });
    for (const chunk of chunks)
      for (const line of numbered(runId, chunk, { after, filter })) {
        if (line.seq > head.lastSeq || items.length === limit) return items;
        items.push(messageOf(line));
      }
    const last = chunks.at(-1);
    if (last === undefined) break;
    after = last.lastSeq;
  }
  return items;
}

async function stream(deps: BusDeps, { caller, params, request, reply }: ReadBusContext, range: ReadRange) {
  const { panel, bus } = deps;
  const owner = caller.account.id;
  const { bus: repository } = panel.store.of(owner);
  const head = orNotFound(await repository.head(params.id), "run");
  mayRead(caller);
  const hasAll = async () =>
    (await messages(repository, params.id, { ...range, head, limit: 1, now: panel.now() })).length === 0;
  if (isComplete(head.state, head) && (await hasAll())) return reply.code(204).send();
  const opened = bus.streams.open(reply, async () => {
    const isStill = await isSameCaller(deps, request, { endpoint: contract.readBus, owner });
    return isStill && (await repository.head(params.id)) !== null;
  });
  void bus.live.follow({ owner, runId: params.id }, { ...range, stream: opened });
  return reply;
}

export function watchChangesHandler(deps: BusDeps): RequestHandler<typeof contract.watchChanges, Caller> {
  return ({ caller, request, reply }) =>
    mapDomainErrors(deps.panel, async () => {
      reply.header("Vary", "Accept");
      if (acceptedMedia(request, contract.CHANGES_MEDIA) === null) throw notAcceptable(contract.CHANGES_MEDIA);
      mayRead(caller);
      const owner = caller.account.id;
      const { streams, changes } = deps.bus;
      const mayStay = () => isSameCaller(deps, request, { endpoint: contract.watchChanges, owner });
      changes.follow(owner, streams.open(reply, mayStay));
      return reply;
    });
}

/** A credential may be revoked, expire or lose its scope while a stream is open. */
async function isSameCaller(
  { recognize }: BusDeps,
  request: FastifyRequest,
  { endpoint, owner }: { readonly endpoint: contract.Endpoint; readonly owner: string },
): Promise<boolean> {
  const caller = await recognize(request, endpoint).catch((error: unknown) => {
    if (error instanceof Problem) return null;
    throw error;
  });
  return caller !== null && caller.account.id === owner && caller.scopes.includes("read");
}
