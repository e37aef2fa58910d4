/** The services of a sandbox, as its sidecar runs them. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { ServiceCommand } from "#contracts/session/service-command";
import { type ServiceView, serviceViewSchema } from "#sandbox/agent/services/service";
import { callSidecar, type SidecarAccess } from "../../sandboxes/call-sidecar.ts";

/** A place in a service's log; null for its beginning. */
export type LogPlace = string | null;

export interface Printed {
  readonly lines: readonly string[];
  readonly next: LogPlace;
  /** There are more lines. */
  readonly more: boolean;
}

/** Each throws what the sidecar refuses it with, and DomainError `sandbox_unavailable`. */
export interface SidecarServices {
  /** Starts it in place of what runs under its name. @returns where its output begins */
  start(command: ServiceCommand, signal: AbortSignal): Promise<LogPlace>;
  list(signal: AbortSignal): Promise<readonly ServiceView[]>;
  /** What was printed after a place, so many lines at most. */
  read(
    from: { readonly name: string; readonly place: LogPlace; readonly most: number },
    signal: AbortSignal,
  ): Promise<Printed>;
}

/** Ending what ran before may take its whole grace time. */
const timeoutMs = 60_000;
const maxAnswerBytes = 1024 * 1024;

export const sidecarServices = (sidecar: SidecarAccess): SidecarServices => {
  const limited = (signal: AbortSignal) => ({
    maxAnswerBytes,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  return {
    start: async ({ name, command, cwd, workspacePath }, signal) => {
      const folder = [workspacePath, cwd].filter(Boolean).join("/");
      const { outputFrom } = await callSidecar(sidecar, {
        method: "PUT",
        path: pathOf(name),
        body: { command, ...(folder !== "" && { cwd: folder }) },
        // A sandbox of an earlier release does not say it.
        answer: z.object({ outputFrom: z.string().nullable().default(null) }),
        ...limited(signal),
      });
      return outputFrom;
    },
    list: async (signal) => {
      const answer = z.object({ services: z.array(serviceViewSchema) });
      const call = { method: "GET", path: "/api/services", answer, ...limited(signal) } as const;
      return (await callSidecar(sidecar, call)).services;
    },
    read: async ({ name, place, most }, signal) => {
      const url = `${sidecar.url}${pathOf(name)}/logs?follow=false&tail=10000`;
      const headers = {
        authorization: `Bearer ${sidecar.token}`,
        ...(place !== null && { "last-event-id": place }),
      };
      try {
        const response = await fetch(url, { headers, redirect: "error", ...limited(signal) });
        if (!response.ok) throw new Error(`The sidecar answered with ${response.status}.`);
        return await readLines(response, { place, most });
      } catch (cause) {
        throw new DomainError("sandbox_unavailable", "The sandbox does not answer.", { cause });
      }
    },
  };
};

const pathOf = (name: string): string => `/api/services/${encodeURIComponent(name)}`;

const readLines = async (
  response: Response,
  { place, most }: { readonly place: LogPlace; readonly most: number },
): Promise<Printed> => {
  const lines: string[] = [];
  let next = place;
  const events = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  // Leaving the loop ends the request: the log may be long.
  for await (const { data, id } of events ?? []) {
    if (lines.length >= most) return { lines, next, more: true };
    lines.push(data);
    next = id ?? next;
  }
  return { lines, next, more: false };
};
