/**
 * Finds processes inside a sandbox by a variable in their environment, which all that they start inherits:
 * also what has left its process group and its parents, as the shells of OpenCode do.
 */

/**
 * Sets `carriers` to the ids of the processes that carry the variable `$1`, e.g. `NAME=value`. One program
 * reads all environments, since a computer may run hundreds of processes; what has ended meanwhile, or is
 * somebody else's, is passed over in silence.
 */
const findCarriers = `carriers=$(grep -lszxF -e "$1" /proc/[0-9]*/environ | cut -d / -f 3)`;

/** A command that sends them all a signal, once. */
export const signalCarriersOf = (variable: string, signal: "TERM" | "KILL"): string[] => {
  const script = `${findCarriers}
for pid in $carriers; do kill -"$2" "$pid" 2>/dev/null; done
exit 0`;
  return ["sh", "-c", script, "sh", variable, signal];
};

/**
 * A command that ends them all and waits for it: politely first, by force after two seconds. Ends with 1 if
 * something is left after fifteen.
 */
export const endCarriersOf = (variable: string): [string, ...string[]] => {
  const script = `tries=0
while [ "$tries" -lt 75 ]; do
  ${findCarriers}
  [ -z "$carriers" ] && exit 0
  if [ "$tries" -eq 0 ]; then kill -TERM $carriers 2>/dev/null; fi
  if [ "$tries" -ge 10 ]; then kill -KILL $carriers 2>/dev/null; fi
  tries=$((tries + 1))
  sleep 0.2
done
exit 1`;
  return ["sh", "-c", script, "sh", variable];
};
