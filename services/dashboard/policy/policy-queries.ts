import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { clearActionMode, setActionMode } from "#contracts/http/actions";
import {
  clearAutomationMode,
  createRule,
  dryRunPolicy,
  getPolicy,
  overrideRisk,
  removeRule,
  setFullResultKeeping,
} from "#contracts/http/policy";
import { listTriggers } from "#contracts/http/triggers";
import type { RuleId, SessionId } from "#contracts/ids";
import type { ActionMode, RiskLevel } from "#contracts/policy/mode";
import type { PolicyRule } from "#contracts/policy/rules";
import type { PolicyView } from "#contracts/policy/view";
import { useApi } from "../app/api.ts";
import { availableKey } from "../connectors/available-key.ts";

const policyKey = ["policy"] as const;

export const usePolicy = () => {
  const api = useApi();
  return useQuery({
    queryKey: policyKey,
    queryFn: ({ signal }) => api.call(getPolicy, { signal }),
  });
};

/** What a change of the policy has made old. */
const useSettled = () => {
  const queryClient = useQueryClient();
  return () => {
    void queryClient.invalidateQueries({ queryKey: availableKey });
    return queryClient.invalidateQueries({ queryKey: policyKey });
  };
};

export const useAddRule = () => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (body: PolicyRule) => api.call(createRule, { body }),
    onSettled,
  });
};

/**
 * Takes rules back, one after the other: each is a change of the same policy.
 *
 * @param onRemoved called before the rules are read again, which takes away what has asked for it
 */
export const useRemoveRules = (onRemoved?: () => void) => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: async (ruleIds: readonly RuleId[]) => {
      for (const ruleId of ruleIds) await api.call(removeRule, { params: { ruleId } });
    },
    onSuccess: () => onRemoved?.(),
    onSettled,
  });
};

export interface ActionSetting {
  readonly integration: string;
  readonly action: string;
  /** What happens to it from now on; null follows its risk, and undefined leaves that as it is. */
  readonly mode: ActionMode | null | undefined;
  /** How far it reaches; null believes the integration, and undefined leaves that as it is. */
  readonly risk: RiskLevel | null | undefined;
}

/** Decides about one action for the whole organisation. */
export const useSetAction = () => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: async ({ integration, action, mode, risk }: ActionSetting) => {
      if (risk !== undefined) {
        await api.call(overrideRisk, { params: { integration }, body: { action, risk } });
      }
      if (mode === null) await api.call(clearActionMode, { params: { integration, action } });
      else if (mode !== undefined) {
        await api.call(setActionMode, { params: { integration, action }, body: { mode } });
      }
    },
    onSettled,
  });
};

/** Takes an automation's own mode for an action back. */
export const useFollowOrganization = () => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: ({ triggerId, integration, action }: PolicyView["automationModes"][number]) =>
      api.call(clearAutomationMode, { params: { triggerId, integration, action } }),
    onSettled,
  });
};

/** Says how far all actions of an integration reach; null believes the integration. */
export const useOverrideRisk = (integration: string) => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (risk: RiskLevel | null) =>
      api.call(overrideRisk, { params: { integration }, body: { risk } }),
    onSettled,
  });
};

/** The automations that a rule may be for. */
export const useAutomations = () => {
  const api = useApi();
  return useQuery({
    queryKey: ["triggers"],
    queryFn: async ({ signal }) => (await api.call(listTriggers, { signal })).triggers,
  });
};

export const useKeepFullResults = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (keep: boolean) => api.call(setFullResultKeeping, { body: { keep } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: policyKey }),
  });
};

interface Tried {
  readonly integration: string;
  readonly action: string;
  readonly params: Record<string, unknown>;
  /** Whose rules count as well; null for none. */
  readonly sessionId: SessionId | null;
}

export const useDryRun = () => {
  const api = useApi();
  return useMutation({
    mutationFn: (body: Tried) => api.call(dryRunPolicy, { body }),
  });
};
