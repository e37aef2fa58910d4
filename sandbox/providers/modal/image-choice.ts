/** Which image a new sandbox starts from: a snapshot to restore, the base snapshot, or the deployed image. */
import type { Image, ModalClient } from "modal";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { SandboxRequest } from "../../provider/provider.ts";
import type { SandboxWarning } from "#contracts/session/sandbox-warning";
import { isGone } from "./failures.ts";

export interface ImageSources {
  readonly client: ModalClient;
  readonly appName: string;
  /** The setting's; what a session asks for goes before it. */
  readonly baseSnapshotId: string | null;
}

export type ImageWish = Pick<SandboxRequest, "snapshotId"> & {
  readonly spec: Pick<SandboxRequest["spec"], "snapshotId" | "baseSnapshotId">;
};

export interface ChosenImage {
  readonly image: Image;
  /** Only a snapshot has the session's or the configuration's files. */
  readonly from: "snapshot" | "base_snapshot" | "deployed_image";
  /** Snapshots that were asked for and are gone. */
  readonly warnings: readonly SandboxWarning[];
}

/** @throws DomainError `sandbox_unavailable` when the app is not deployed or its endpoint fails */
export const chooseImage = async (sources: ImageSources, wish: ImageWish): Promise<ChosenImage> => {
  const base = wish.spec.baseSnapshotId ?? sources.baseSnapshotId;
  const candidates = [
    { from: "snapshot", id: wish.snapshotId },
    { from: "snapshot", id: wish.spec.snapshotId },
    { from: "base_snapshot", id: base },
  ] as const;
  const warnings: SandboxWarning[] = [];
  for (const { from, id } of candidates) {
    if (id == null) continue;
    try {
      return { image: await sources.client.images.fromId(id), from, warnings };
    } catch (error) {
      if (!isGone(error)) throw error;
      warnings.push(snapshotGone(id));
    }
  }
  const image = await sources.client.images.fromId(await deployedImageId(sources));
  return { image, from: "deployed_image", warnings };
};

export const snapshotGone = (snapshotId: string): SandboxWarning => ({
  code: "snapshot_unavailable",
  message: `The snapshot ${snapshotId} is not there any more.`,
});

const endpointName = "get_image_id";
const endpointTimeoutMs = 60_000;
const endpointAnswer = z.object({ image_id: z.string().regex(/^im-/) });

/** Asked for each new sandbox, so that a new deployment is used from then on. */
const deployedImageId = async ({ client, appName }: ImageSources): Promise<string> => {
  const endpoint = await client.functions
    .fromName(appName, endpointName)
    .catch((error: unknown) => {
      throw isGone(error) ? unusable("is not deployed; see infra/modal") : error;
    });
  const url = await endpoint.getWebUrl();
  if (url === undefined) throw unusable("has no address");
  const response = await fetch(url, { signal: AbortSignal.timeout(endpointTimeoutMs) });
  if (!response.ok) {
    await response.body?.cancel();
    throw unusable(`answered ${response.status}`);
  }
  const answer = endpointAnswer.safeParse(await response.json());
  if (!answer.success) throw unusable("did not answer an image's id");
  return answer.data.image_id;
};

const unusable = (what: string): DomainError =>
  new DomainError("sandbox_unavailable", `The image endpoint of the Modal app ${what}.`);
