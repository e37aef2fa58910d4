import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { json, type LocalServer, startLocalServer } from "../testing/local-server.ts";
import { createOutbound, type Outbound, type OutboundOptions } from "./outbound.ts";

let server: LocalServer;
const opened: Outbound[] = [];

const outbound = (options: OutboundOptions = {}): Outbound => {
  const one = createOutbound(options);
  opened.push(one);
  return one;
};
/** Reaches this machine under its numeric address. */
const toLoopback = { allowedNetworks: ["127.0.0.0/8"] };

beforeEach(async () => {
  server = await startLocalServer();
  server.answer((_, response) => json(response, { ok: true }));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await server.close();
});

describe("where it goes", () => {
  it.each([
    ["its number", "127.0.0.1"],
    ["a decimal number", "2130706433"],
    ["an octal number", "0177.0.0.1"],
    ["a hexadecimal number", "0x7f.1"],
    ["a short number", "127.1"],
    ["IPv6", "[::1]"],
    ["a mapped number", "[::ffff:127.0.0.1]"],
    ["its name", "localhost"],
    ["this host", "0.0.0.0"],
  ])("does not reach this machine by %s", async (_, host) => {
    const url = `http://${host}:${server.port}/`;
    await expect(outbound().fetch(url)).rejects.toMatchObject({ code: "address_forbidden" });
    expect(server.asked).toEqual([]);
  });

  it("refuses what is not of the web", async () => {
    for (const url of ["file:///etc/passwd", "data:text/plain,hello", "ftp://example.test/"]) {
      await expect(outbound().fetch(url)).rejects.toMatchObject({ code: "address_forbidden" });
    }
  });

  it("refuses a name that resolves to a private address, even among public ones", async () => {
    const resolveHost = () =>
      Promise.resolve([
        { address: "93.184.216.34", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ]);
    await expect(
      outbound({ resolveHost }).fetch(`http://rebind.test:${server.port}/`),
    ).rejects.toMatchObject({ code: "address_forbidden", fields: { host: "rebind.test" } });
    expect(server.asked).toEqual([]);
  });

  it("connects to the address that it has checked: a name is looked up once for a connection", async () => {
    let asked = 0;
    const resolveHost = () => {
      asked += 1;
      // A second answer would be another machine's.
      return Promise.resolve([{ address: asked === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }]);
    };
    const only = outbound({ resolveHost, allowedNetworks: ["127.0.0.1/32"] });
    const response = await only.fetch(`http://rebind.test:${server.port}/`);
    expect(await response.json()).toEqual({ ok: true });
    expect(asked).toBe(1);
    expect(server.asked[0]?.headers.host).toBe(`rebind.test:${server.port}`);
  });
});

describe("redirects", () => {
  it("are checked as the first address is", async () => {
    server.answer((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.2:${server.port}/latest` }).end();
    });
    const only = outbound({ allowedNetworks: ["127.0.0.1/32"] });
    await expect(only.fetch(server.url)).rejects.toMatchObject({
      code: "address_forbidden",
      fields: { host: "127.0.0.2" },
    });
  });

  it("take no credentials to another origin", async () => {
    const other = await startLocalServer();
    try {
      other.answer((_, response) => json(response, { other: true }));
      server.answer((_, response) => {
        response.writeHead(302, { location: `${other.url}/there` }).end();
      });
      const response = await outbound(toLoopback).fetch(server.url, {
        headers: { authorization: "Bearer secret", "x-api-key": "secret", accept: "text/plain" },
      });
      expect(await response.json()).toEqual({ other: true });
      expect(other.asked[0]?.headers).toMatchObject({ accept: "text/plain" });
      expect(other.asked[0]?.headers).not.toHaveProperty("authorization");
      expect(other.asked[0]?.headers).not.toHaveProperty("x-api-key");
    } finally {
      await other.close();
    }
  });

  it("make nobody write to another place", async () => {
    server.answer((_, response) => {
      response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
    });
    await expect(
      outbound(toLoopback).fetch(server.url, { method: "POST", body: "{}" }),
    ).rejects.toMatchObject({ code: "redirect_refused" });
  });

  it("keep method, body and credentials at the same origin", async () => {
    server.answer(({ path }, response) => {
      if (path === "/mcp/") json(response, { ok: true });
      else response.writeHead(308, { location: "/mcp/" }).end();
    });
    await outbound(toLoopback).fetch(`${server.url}/mcp`, {
      method: "POST",
      body: "hello",
      headers: { authorization: "Bearer secret" },
    });
    expect(server.asked[1]).toMatchObject({
      method: "POST",
      body: "hello",
      headers: { authorization: "Bearer secret" },
    });
  });

  it("end", async () => {
    server.answer((_, response) => response.writeHead(302, { location: "/again" }).end());
    await expect(outbound(toLoopback).fetch(server.url)).rejects.toMatchObject({
      code: "redirect_refused",
    });
    expect(server.asked).toHaveLength(6);
  });
});

describe("how much", () => {
  const limits = { maxBodyBytes: 10_000 };

  it("ends a body that is too long, packed or not", async () => {
    const long = Buffer.alloc(1_000_000, "a");
    server.answer(({ path }, response) => {
      if (path === "/packed") {
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(long));
      } else response.writeHead(200).end(long);
    });
    for (const path of ["/plain", "/packed"]) {
      const response = await outbound({ ...toLoopback, limits }).fetch(`${server.url}${path}`);
      await expect(response.text()).rejects.toMatchObject({ code: "response_too_large" });
    }
  });

  it("does not wait for ever, neither for an answer nor within one", async () => {
    server.answer(({ path }, response) => {
      if (path === "/drip") response.writeHead(200).write("a");
    });
    const impatient = outbound({ ...toLoopback, limits: { timeoutMs: 300 } });
    await expect(impatient.fetch(`${server.url}/silence`)).rejects.toMatchObject({
      name: "TimeoutError",
    });
    const dripping = impatient.fetch(`${server.url}/drip`).then((response) => response.text());
    await expect(dripping).rejects.toMatchObject({ name: "TimeoutError" });
  });
});
