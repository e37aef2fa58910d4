/** What the options of several audit commands mean. */
import { InvalidArgumentError } from "commander";
import { isDomainError } from "#contracts/errors";
import { parseLogPoint, parseTime } from "#event-store/audit/log-point";
import { parseAggregate, parseOrganization } from "#event-store/audit/scope";

/** Tells commander that an argument is wrong, in the words of the error. */
const argument =
  <T>(parse: (text: string) => T) =>
  (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw isDomainError(error) ? new InvalidArgumentError(error.message) : error;
    }
  };

export const aggregateArgument = argument(parseAggregate);
export const organizationArgument = argument(parseOrganization);
export const timeArgument = argument((text) => parseTime(text, new Date()));
export const pointArgument = argument((text) => parseLogPoint(text, new Date()));

export const countArgument = argument((text) => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Not a number.");
  return Number(text);
});

export const aggregateHelp = "a session, invocation, …: its id, or type:id";
export const organizationHelp = "only what belongs to this organisation";
export const jsonHelp = "JSON for machines";
