/** Holds the place of something that is on its way. */
export const Loading = ({ what }: { readonly what: string }) => (
  <p className="loading" role="status">
    <span className="spinner" aria-hidden="true" />
    Loading {what}…
  </p>
);
