import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import type { Route } from "#contracts/http/route";
import { DomainError } from "#contracts/errors";
import { keepSpans } from "#event-store/tracing/testing/kept-spans";
import { openMetrics } from "../../metrics/open-metrics.ts";
import { buildGateway } from "../app.ts";
import { handleRoute } from "../routes/handle-route.ts";

const route = {
  method: "GET",
  path: "/v1/things/:thing",
  audience: "public",
  summary: "",
  params: z.object({ thing: z.string() }),
  responses: { 200: z.object({ trace: z.string().nullable() }) },
} as const satisfies Route;

const failures: Readonly<Record<string, Error>> = {
  missing: new DomainError("not_found", "There is none."),
  broken: new Error("a password"),
};

/** Asks a gateway that answers with the trace that its handlers are given. */
const ask = async (
  thing: string,
  options: { readonly traced: boolean; readonly trustsIncoming?: boolean },
) => {
  const tracing = keepSpans();
  const lines: string[] = [];
  const { trustsIncoming = false, traced } = options;
  const app = await buildGateway({
    log: pino({ level: "info" }, { write: (line) => void lines.push(line) }),
    dashboardDir: null,
    metrics: openMetrics({ ofProcess: false }),
    metricsToken: null,
    tracing: traced ? { start: tracing.start, trustsIncoming } : null,
    authenticate: () => Promise.reject(new Error("Nobody signs in here.")),
    awaitPosition: (position) => Promise.resolve(position),
    handlers: [
      handleRoute(route, ({ params, trace }) => {
        const failure = failures[params.thing];
        if (failure) return Promise.reject(failure);
        return Promise.resolve({ status: 200, body: { trace: trace ?? null } });
      }),
    ],
  });
  try {
    const headers = { traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01` };
    const answer = await app.inject({ url: `/v1/things/${thing}`, headers });
    if (traced) await vi.waitUntil(() => tracing.spans[0]?.ended === true);
    return { answer, span: tracing.spans[0], lines };
  } finally {
    await app.close();
  }
};

it("follows a request by its route and not by its path, and names its trace in the log", async () => {
  const { answer, span, lines } = await ask("a-ticket", { traced: true });
  expect(span).toMatchObject({
    name: "GET /v1/things/:thing",
    kind: "server",
    parent: undefined,
    failures: [],
    attributes: { "http.route": "/v1/things/:thing", "http.response.status_code": 200 },
  });
  expect(JSON.stringify(span)).not.toContain("a-ticket");
  expect(answer.json()).toEqual({ trace: span?.traceparent });
  const answered = lines.find((line) => line.includes("request answered")) ?? "{}";
  expect(JSON.parse(answered)).toMatchObject({ trace_id: span?.traceparent.split("-")[1] });
});

it("goes on with the trace that a request names only where that is trusted", async () => {
  const { span } = await ask("one", { traced: true, trustsIncoming: true });
  expect(span?.parent).toBe(`00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`);
});

it("counts as failed what is the server's fault, and names a refusal by its code", async () => {
  const refused = await ask("missing", { traced: true });
  expect(refused.span).toMatchObject({
    failures: [],
    attributes: { "error.type": "not_found", "http.response.status_code": 404 },
  });
  const failed = await ask("broken", { traced: true });
  expect(failed.span?.failures).toMatchObject([{ code: "internal" }]);
  expect(failed.span?.attributes["http.response.status_code"]).toBe(500);
});

it("knows of no trace where none are wanted", async () => {
  const { answer, span, lines } = await ask("one", { traced: false });
  expect(answer.json()).toEqual({ trace: null });
  expect(span).toBeUndefined();
  expect(lines.join("")).not.toContain("trace_id");
});
