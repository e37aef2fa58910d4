import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createRule,
  dryRunPolicy,
  getPolicy,
  removeRule,
  setFullResultKeeping,
} from "#contracts/http/policy";
import type { RuleId } from "#contracts/ids";
import type { PolicyRule } from "#contracts/policy/rules";
import { useApi } from "../app/api.ts";

const policyKey = ["policy"] as const;

export const usePolicy = () => {
  const api = useApi();
  return useQuery({
    queryKey: policyKey,
    queryFn: ({ signal }) => api.call(getPolicy, { signal }),
  });
};

export const useAddRule = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: PolicyRule) => api.call(createRule, { body }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: policyKey }),
  });
};

export const useRemoveRule = (ruleId: RuleId) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.call(removeRule, { params: { ruleId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: policyKey }),
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
}

export const useDryRun = () => {
  const api = useApi();
  return useMutation({
    mutationFn: (body: Tried) => api.call(dryRunPolicy, { body }),
  });
};
