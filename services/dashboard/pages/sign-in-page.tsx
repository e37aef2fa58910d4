import { type FormEvent, useEffect } from "react";
import { isProblemError } from "#services/client/problem-error";
import { useSignIn } from "../app/identity.ts";
import { takeTokenFromFragment } from "../app/sign-in-link.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";
import { TextField } from "../ui/text-field.tsx";

interface SignInPageProps {
  /** Why a sign-in link did not work, if one was followed. */
  readonly problem: unknown;
}

export const SignInPage = ({ problem }: SignInPageProps) => {
  const { mutate, isPending, error } = useSignIn();

  // A link that is followed while this page is open changes only the fragment; nothing is loaded anew.
  useEffect(() => {
    const follow = () => {
      const token = takeTokenFromFragment(window);
      if (token !== null) mutate(token);
    };
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [mutate]);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get("token");
    if (typeof token === "string" && token.trim() !== "") mutate(token.trim());
  };
  const shownProblem = error ?? problem;
  return (
    <main className="sign-in">
      <title>Sign in · Proliferate</title>
      <form className="panel form" onSubmit={submit}>
        <div className="sign-in-brand">
          <img src="/favicon.svg" alt="" width="40" height="40" />
          <h1>Sign in to Proliferate</h1>
        </div>
        <TextField
          label="Sign-in token"
          hint="The server prints it when it starts. It works once."
          name="token"
          type="password"
          required
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
        {shownProblem !== null && !isPending && (
          <Notice tone="danger">{signInText(shownProblem)}</Notice>
        )}
        <Button kind="primary" type="submit" busy={isPending}>
          Sign in
        </Button>
      </form>
    </main>
  );
};

const signInText = (problem: unknown): string =>
  isProblemError(problem) && problem.status === 401
    ? "This sign-in token does not work, or not any more. The server prints a new one when it starts."
    : problemText(problem);
