import { newId } from "#contracts/ids";
import { shardOf } from "../sharding.ts";

/** The id of a new organisation whose commits stand in this one of so many shards. */
export const newOrganizationIn = (shard: number, shards: number): string => {
  for (;;) {
    const organization = newId("organization");
    if (shardOf(organization, shards) === shard) return organization;
  }
};
