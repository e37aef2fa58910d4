/** Which network addresses the control plane may call on somebody's behalf. Pure. */
import ipaddr from "ipaddr.js";

export interface AddressRules {
  /** Whether a connection to this numeric address is allowed. */
  allows(address: string): boolean;
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Public unicast addresses are allowed; loopback, private, link-local (the metadata services of clouds
 * are there), shared, multicast, reserved and translated ones are not, except those named.
 *
 * @param exceptions networks in CIDR notation that are allowed nevertheless, such as `10.2.0.0/16`
 * @throws TypeError for what is no network
 */
export const addressRules = (exceptions: readonly string[] = []): AddressRules => {
  const allowed = exceptions.map(rangeOf);
  return {
    allows: (address) => {
      if (!ipaddr.isValid(address)) return false;
      // An IPv4 address in IPv6 clothing (`::ffff:127.0.0.1`) is judged as what it reaches.
      const parsed = ipaddr.process(address);
      return parsed.range() === "unicast" || allowed.some((range) => contains(range, parsed));
    },
  };
};

const rangeOf = (text: string): Range => {
  if (!ipaddr.isValidCIDR(text)) throw new TypeError(`"${text}" is no network in CIDR notation.`);
  return ipaddr.parseCIDR(text);
};

const contains = ([network, bits]: Range, address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  network.kind() === address.kind() && address.match([network, bits] as never);
