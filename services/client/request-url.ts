type Values = Readonly<Record<string, unknown>> | undefined;

/**
 * The URL of a call: `:name` of the path from `params`, each made safe for a path, and the query
 * without what is undefined. An empty `baseUrl` gives a URL of the page's own origin.
 *
 * @throws TypeError when the path names a parameter that is not given.
 */
export const requestUrl = (
  baseUrl: string,
  path: string,
  params: Values,
  query: Values,
): string => {
  const filled = path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params?.[name];
    if (value === undefined) throw new TypeError(`The path ${path} needs the parameter "${name}".`);
    return encodeURIComponent(asText(value));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, asText(value));
  }
  const suffix = search.size > 0 ? `?${search.toString()}` : "";
  return `${baseUrl.replace(/\/+$/, "")}${filled}${suffix}`;
};

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
