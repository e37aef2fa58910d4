/**
 * Opens sockets to allowed addresses only. The address that was checked is the one that is connected to:
 * there is no second look-up between them that could answer something else (DNS rebinding).
 */
import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { DomainError } from "#contracts/errors";
import type { AddressRules } from "./address-rules.ts";

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

const resolveWithSystem: ResolveHost = (hostname) =>
  new Promise((resolve, reject) => {
    dnsLookup(hostname, { all: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });

export interface GuardedConnectorOptions {
  readonly rules: AddressRules;
  /** How long a connection may take to open, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** The system's resolver unless told. */
  readonly resolveHost?: ResolveHost;
}

/** A connector for undici's Agent; it fails with `address_forbidden` where the rules say no. */
export const guardedConnector = ({
  rules,
  connectTimeoutMs,
  resolveHost = resolveWithSystem,
}: GuardedConnectorOptions): buildConnector.connector => {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup: guardedLookup(rules, resolveHost),
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, "");
    if (isForbiddenNumber(rules, host)) callback(forbidden(host), null);
    else connect(options, callback);
  };
};

/** Sockets look names up, but not numbers. */
const isForbiddenNumber = (rules: AddressRules, host: string): boolean =>
  isIP(host) !== 0 && !rules.allows(host);

/** Opens a socket for another protocol than the web's. @throws DomainError `address_forbidden` */
export const openGuardedSocket = (
  { rules, connectTimeoutMs, resolveHost = resolveWithSystem }: GuardedConnectorOptions,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Socket> => {
  if (isForbiddenNumber(rules, host)) return Promise.reject(forbidden(host));
  const socket = connectSocket({ host, port, lookup: guardedLookup(rules, resolveHost) });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      socket.destroy(new Error(`${host} does not take a connection.`));
    }, connectTimeoutMs);
    socket.once("error", reject);
    socket.once("close", () => clearTimeout(late));
    socket.once("connect", () => {
      clearTimeout(late);
      socket.off("error", reject);
      resolve(socket);
    });
  });
};

const guardedLookup =
  (rules: AddressRules, resolveHost: ResolveHost): LookupFunction =>
  (hostname, { all, family }, callback) => {
    allowedAddresses(rules, resolveHost, hostname).then(
      (addresses) => {
        const [first] = addresses.filter((one) => !family || one.family === family);
        if (all === true) callback(null, [...addresses]);
        else if (first) callback(null, first.address, first.family);
        else callback(new Error(`${hostname} has no address of this family.`), "");
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ""),
    );
  };

/** One forbidden address among the answers refuses the name: who mixes them is up to something. */
const allowedAddresses = async (
  rules: AddressRules,
  resolveHost: ResolveHost,
  hostname: string,
): Promise<readonly LookupAddress[]> => {
  const addresses = await resolveHost(hostname);
  if (addresses.length === 0) throw new Error(`${hostname} has no address.`);
  if (!addresses.every(({ address }) => rules.allows(address))) throw forbidden(hostname);
  return addresses;
};

/** Names the host only: what it resolves to inside the network is nobody's business. */
const forbidden = (host: string): DomainError =>
  new DomainError(
    "address_forbidden",
    `"${host}" is not a public address. An operator can allow it with OUTBOUND_ALLOWED_NETWORKS.`,
    { fields: { host } },
  );
