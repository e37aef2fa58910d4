/**
 * Takes the token out of a sign-in link (`/#token=…`) and cleans the address, so that the token
 * stays neither in the history nor on the screen. Fragments are never sent to the server.
 */
export const takeTokenFromFragment = (
  page: Pick<Window, "location" | "history">,
): string | null => {
  const { hash, pathname, search } = page.location;
  const token = new URLSearchParams(hash.slice(1)).get("token");
  if (token === null) return null;
  page.history.replaceState(page.history.state, "", pathname + search);
  return token === "" ? null : token;
};
