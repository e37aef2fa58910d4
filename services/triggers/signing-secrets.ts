import type { Secrets } from "../secrets/secrets.ts";
import type { TriggerKey } from "./commands.ts";

/** The keys with which producers sign, in hex. */
export interface SigningSecrets {
  put(trigger: TriggerKey, secretHex: string): Promise<void>;
  /** Throws when there is none, which no trigger is without. */
  get(trigger: TriggerKey): Promise<string>;
}

const nameOf = ({ id }: TriggerKey): string => `trigger/${id}/signing`;

/** Keeps them in the encrypted store. */
export const createSigningSecrets = (secrets: Secrets): SigningSecrets => ({
  put: (trigger, value) =>
    secrets.putSecret({ organization: trigger.organization, name: nameOf(trigger), value }),
  get: async (trigger) => {
    const value = await secrets.getSecret({
      organization: trigger.organization,
      name: nameOf(trigger),
    });
    if (value === null) throw new Error(`The trigger ${trigger.id} has no signing secret.`);
    return value;
  },
});
