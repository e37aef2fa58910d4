import { describeLocalProvider } from "./testing/contract.ts";

describeLocalProvider({ isolation: "none" });
