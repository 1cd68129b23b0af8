import assert from "node:assert/strict";
import { test } from "node:test";
import { defineEndpoint } from "@triptych/contracts";
import type { FastifyReply } from "fastify";
import { createFixture } from "./support.ts";

/** The ways in which a handler can respond, and what the client receives. */
const WAYS: Readonly<Record<string, { does: (reply: FastifyReply) => unknown; seen: string }>> = {
  value: { does: () => ({ name: "a" }), seen: '200 {"name":"a"}' },
  nothing: { does: () => undefined, seen: "200 " },
  status: { does: (reply) => void reply.code(204), seen: "204 " },
  sent: { does: (reply) => reply.code(201).send({ name: "b" }), seen: '201 {"name":"b"}' },
};

for (const [name, { does, seen }] of Object.entries(WAYS)) {
  for (const when of ["immediately", "later"]) {
    test(`a handler that responds with ${name} ${when} sends exactly one response`, async () => {
      await using fixture = await createFixture();
      const endpoint = defineEndpoint({
        id: "answering",
        method: "GET",
        path: "/v1/answering",
        summary: "Answers in its way",
        auth: null,
        answers: {},
        problems: [],
      });
      fixture.server.mount(endpoint, ({ reply }) =>
        when === "immediately"
          ? does(reply)
          : (async () => {
              await Promise.resolve();
              const answered = does(reply);
              return answered === reply ? undefined : answered;
            })(),
      );
      const answer = await fixture.server.fastify.inject("/v1/answering");
      assert.equal(`${answer.statusCode} ${answer.body}`, seen);
      assert.equal(fixture.lines.filter((line) => line.includes('"request"')).length, 1);
    });
  }
}
