import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  clearAutoDeleteDefault,
  getAutoDeleteDefault,
  setAutoDeleteDefault,
} from "#contracts/http/organization";
import { useApi } from "../app/api.ts";

const key = ["auto-delete-default"] as const;

export const useAutoDeleteDefault = () => {
  const api = useApi();
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.call(getAutoDeleteDefault, { signal }),
  });
};

/** Days without use, null for never; undefined follows the deployment. */
export const useSetAutoDeleteDefault = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (days: number | null | undefined) =>
      days === undefined
        ? api.call(clearAutoDeleteDefault)
        : api.call(setAutoDeleteDefault, { body: { days } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: key }),
  });
};
