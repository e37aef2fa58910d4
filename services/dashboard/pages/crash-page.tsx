import { Notice } from "../ui/notice.tsx";

/** What is left when a page's own code failed. The browser's console has the error. */
export const CrashPage = () => (
  <main className="start">
    <title>Something went wrong · Proliferate</title>
    <Notice tone="danger">
      <span>This page failed. Nothing that was sent is lost.</span>
      <a className="button button-secondary" href="/">
        Start again
      </a>
    </Notice>
  </main>
);
