import { visibleText } from "./visible-text.ts";

/** Text of somebody else's server, as data: nothing in it hides, or turns the text around it. */
export const ForeignText = ({ text }: { readonly text: string }) => <bdi>{visibleText(text)}</bdi>;
