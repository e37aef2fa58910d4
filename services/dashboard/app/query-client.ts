import { QueryClient } from "@tanstack/react-query";
import { isProblemError } from "#services/client/problem-error";

/** Whether the same request may well succeed soon: nobody answered, or the server was in trouble. */
const isPassing = (error: unknown): boolean =>
  isProblemError(error) && (error.status === 0 || error.status >= 500);

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && isPassing(error),
        // The API is often on the same machine; a query need not wait for the internet.
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
