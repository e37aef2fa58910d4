/**
 * Where a redirect leads, seen from the client: what stays in the sandbox stays below the ticket's path.
 * Null when it would lead a program that sent its ticket elsewhere.
 *
 * @param base the target's root, as the gateway reaches it
 * @param asked the URL that was answered with the redirect
 */
export const redirectFor = (
  location: string,
  { base, asked, prefix }: { readonly base: URL; readonly asked: URL; readonly prefix: string },
): string | null => {
  if (!URL.canParse(location, asked)) return null;
  const to = new URL(location, asked);
  const root = base.pathname.replace(/\/$/, "");
  if (to.origin !== base.origin) return to.protocol === "https:" ? to.href : null;
  if (to.pathname !== root && !to.pathname.startsWith(`${root}/`)) return null;
  return `${prefix}${to.pathname.slice(root.length) || "/"}${to.search}${to.hash}`;
};
