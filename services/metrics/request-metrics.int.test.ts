import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import type { Route } from "#contracts/http/route";
import { buildGateway } from "../gateway/app.ts";
import { handleRoute } from "../gateway/routes/handle-route.ts";
import { openMetrics } from "./open-metrics.ts";

const route = {
  method: "GET",
  path: "/v1/things/:thing",
  audience: "public",
  summary: "",
  params: z.object({ thing: z.string() }),
  responses: { 200: z.null() },
} as const satisfies Route;

const stream = {
  method: "GET",
  path: "/v1/stream",
  audience: "public",
  summary: "",
  streams: true,
  responses: { 200: z.custom<Readable>() },
} as const satisfies Route;

it("measures by routes, counts those who went away before the answer, and leaves out streams", async () => {
  const metrics = openMetrics({ ofProcess: false });
  let begun: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const app = await buildGateway({
    log: pino({ level: "silent" }),
    dashboardDir: null,
    metrics,
    metricsToken: null,
    authenticate: () => Promise.reject(new Error("Nobody signs in here.")),
    awaitPosition: (position) => Promise.resolve(position),
    handlers: [
      handleRoute(route, async ({ params }) => {
        if (params.thing === "slow") {
          begun();
          await new Promise(() => undefined);
        }
        return { status: 200, body: null };
      }),
      handleRoute(stream, () =>
        Promise.resolve({ status: 200, body: Readable.from(["data: 1\n\n"]) }),
      ),
    ],
  });
  try {
    await app.listen({ host: "127.0.0.1", port: 0 });
    const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/v1`;
    const leaving = new AbortController();
    const slow = fetch(`${base}/things/slow`, { signal: leaving.signal });
    await waiting;
    leaving.abort();
    await expect(slow).rejects.toThrow();
    for (const path of ["stream", "things/one", "things/two", "nowhere"]) {
      await (await fetch(`${base}/${path}`)).text();
    }
    await vi.waitFor(
      async () => {
        const text = await metrics.registry.metrics();
        const counts = text.match(/^proliferate_http_request_duration_seconds_count.*$/gm);
        expect(new Set(counts)).toEqual(
          new Set([
            'proliferate_http_request_duration_seconds_count{route="/v1/things/:thing",method="GET",status="499"} 1',
            'proliferate_http_request_duration_seconds_count{route="/v1/things/:thing",method="GET",status="200"} 2',
          ]),
        );
      },
      { timeout: 30_000 },
    );
  } finally {
    await app.close();
  }
});
