import { isDomainError } from "#contracts/errors";
import type { OrganizationId } from "#contracts/ids";
import type { ActionMode } from "#contracts/policy/mode";
import { anyName } from "#contracts/policy/rules";
import {
  type ActionRegistry,
  requireAction,
  requireSource,
} from "../../actions/sources/registry.ts";
import { definitionHashOf } from "./definition-hash.ts";

interface Reviewed {
  readonly integration: string;
  readonly action: string;
  readonly mode: ActionMode | null;
}

/**
 * The hash of the definition that is let run unasked with this mode; null for a mode that lets nothing
 * run, and for what names no single action. An action that is not there (yet) can be allowed too; the
 * first definition that is found then is not one that anybody has seen, so it has no hash either.
 *
 * @throws DomainError `action_failed` when the integration cannot be asked: nobody could have looked
 */
export const reviewedDefinitionHash = async (
  registry: ActionRegistry,
  organization: OrganizationId,
  { integration, action, mode }: Reviewed,
): Promise<string | null> => {
  if (mode !== "allow" || integration === anyName || action === anyName) return null;
  try {
    const source = await requireSource(registry, organization, integration);
    return definitionHashOf(await requireAction(source, action));
  } catch (error) {
    if (isDomainError(error, "integration_not_found")) return null;
    if (isDomainError(error, "action_not_found")) return null;
    throw error;
  }
};
