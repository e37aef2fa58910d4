/** A vendor whose actions are code: what it can do, and how it becomes a source for an organisation. */
import { z } from "zod";
import type { ActionDefinition } from "#contracts/actions/definition";
import { DomainError } from "#contracts/errors";
import type { VendorId } from "#contracts/integration/events";
import type { RiskLevel } from "#contracts/invocation/events";
import type { ActionSource } from "../../actions/sources/source.ts";
import { guideOf } from "../action-guide.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { openWire, type VendorFetch } from "./wire.ts";

/** What an action gets to work with: nothing of it outlives the call. */
export interface VendorCall {
  readonly token: string;
  /** The vendor's API, without a slash at its end. */
  readonly baseUrl: string;
  /** Throws, with an explanation, whatever is no success. */
  readonly fetch: VendorFetch;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
}

export interface VendorAction {
  readonly definition: ActionDefinition;
  run(params: Readonly<Record<string, unknown>>, call: VendorCall): Promise<unknown>;
}

export interface Vendor {
  /** What agents and policies call it, for example `linear`. */
  readonly id: VendorId;
  readonly name: string;
  readonly baseUrl: string;
  /** A cheap read, which shows whether it is this vendor and knows the credentials. Throws as an action does. */
  prove(call: VendorCall): Promise<void>;
  readonly actions: readonly VendorAction[];
}

/** An action whose parameters are checked by a schema, which is also what agents read. */
export const defineAction = <Params extends z.ZodObject>(action: {
  readonly id: string;
  readonly description: string;
  readonly risk: RiskLevel;
  readonly params: Params;
  run(params: z.output<Params>, call: VendorCall): Promise<unknown>;
}): VendorAction => {
  // A misspelt parameter that was ignored would let an agent believe that it had been heeded.
  const schema = action.params.strict();
  const { id, description, risk } = action;
  return {
    definition: { id, description, risk, params: z.toJSONSchema(schema, { io: "input" }) },
    run: (params, call) => action.run(schema.parse(params) as z.output<Params>, call),
  };
};

export interface VendorCredentials {
  readonly token: string;
  /** Of a self-hosted installation; null for the vendor's own. */
  readonly baseUrl: string | null;
}

export interface VendorConnection {
  readonly outbound: Outbound;
  /** Asked for at each action, so that new ones count at once. */
  readonly credentials: () => Promise<VendorCredentials>;
  /** Whether the vendor takes these credentials. @throws DomainError as {@link proveCredentials} */
  readonly check: (credentials: VendorCredentials) => Promise<void>;
}

/** The vendor's actions with one organisation's credentials. Nothing is kept between two calls. */
export const createVendorSource = (vendor: Vendor, connection: VendorConnection): ActionSource => {
  const { id, name } = vendor;
  const definitions = vendor.actions.map(({ definition }) => definition);
  return {
    id,
    name,
    list: () => Promise.resolve(definitions),
    check: async () => connection.check(await connection.credentials()),
    guide: () => Promise.resolve(guideOf({ id, name }, definitions)),
    execute: async (actionId, params, { signal, idempotencyKey }) => {
      const action = vendor.actions.find(({ definition }) => definition.id === actionId);
      if (!action) {
        throw new DomainError("action_not_found", `"${id}" has no action "${actionId}".`);
      }
      const reads = action.definition.risk === "read";
      const credentials = await connection.credentials();
      const { outbound } = connection;
      return exchangeWith(
        vendor,
        { outbound, credentials, reads, signal, idempotencyKey },
        (call) => action.run(params, call),
      );
    },
  };
};

interface VendorExchange {
  readonly outbound: Outbound;
  readonly credentials: VendorCredentials;
  /** Whether it changes nothing. */
  readonly reads: boolean;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
}

/** What is done with a vendor in one go; throws, with an explanation, whatever is no success. */
export const exchangeWith = async <T>(
  vendor: Vendor,
  { outbound, credentials, reads, signal, idempotencyKey }: VendorExchange,
  use: (call: VendorCall) => Promise<T>,
): Promise<T> => {
  const { token, baseUrl: own } = credentials;
  const baseUrl = (own ?? vendor.baseUrl).replace(/\/+$/, "");
  const wire = openWire({ outbound, vendor: vendor.name, reads, signal });
  try {
    return await use({ token, baseUrl, fetch: wire.fetch, signal, idempotencyKey });
  } catch (error) {
    throw wire.explain(error);
  }
};
