import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Status } from "nice-grpc";
import { openModalEmulator, type ModalEmulator } from "../../testing/modal-emulator/index.ts";
import { chooseImage, type ImageSources } from "./image-choice.ts";

describe("the image of a new sandbox", () => {
  let emulator: ModalEmulator;
  let sources: ImageSources;
  const snapshots: string[] = [];
  beforeAll(async () => {
    emulator = await openModalEmulator({ programs: {} });
    const client = emulator.newClient();
    sources = { client, appName: emulator.appName, baseSnapshotId: null };
    const app = await client.apps.fromName(emulator.appName);
    const image = await client.images.fromId(emulator.baseImageId);
    const sandbox = await client.sandboxes.create(app, image);
    for (let made = 0; made < 4; made += 1) {
      snapshots.push((await sandbox.snapshotFilesystem()).imageId);
    }
    await sandbox.terminate();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());

  const wish = (ids: { session?: string; configuration?: string; base?: string }) => ({
    snapshotId: ids.session ?? null,
    spec: {
      ...(ids.configuration !== undefined && { snapshotId: ids.configuration }),
      ...(ids.base !== undefined && { baseSnapshotId: ids.base }),
    },
  });
  const chosen = async (setting: string | null, ids: Parameters<typeof wish>[0]) => {
    const settings = { ...sources, baseSnapshotId: setting };
    const { image, from, warnings } = await chooseImage(settings, wish(ids));
    return [from, image.imageId, ...warnings.map(({ code }) => code)];
  };

  it("is the session's snapshot, the configuration's, the base snapshot, then the deployed one", async () => {
    const [session = "", configuration = "", base = "", setting = ""] = snapshots;
    const requests = emulator.imageRequests();
    expect(await chosen(setting, { session, configuration, base })).toEqual(["snapshot", session]);
    expect(await chosen(setting, { configuration, base })).toEqual(["snapshot", configuration]);
    expect(await chosen(setting, { base })).toEqual(["base_snapshot", base]);
    expect(await chosen(setting, {})).toEqual(["base_snapshot", setting]);
    expect(emulator.imageRequests()).toBe(requests);
    expect(await chosen(null, {})).toEqual(["deployed_image", emulator.baseImageId]);
    expect(emulator.imageRequests()).toBe(requests + 1);
  });

  it("is the next one when a snapshot is gone, and says so", async () => {
    const [, configuration = ""] = snapshots;
    expect(await chosen(null, { session: "im-gone", configuration })).toEqual([
      "snapshot",
      configuration,
      "snapshot_unavailable",
    ]);
  });

  it("is not the next one when the service fails", async () => {
    const [session = ""] = snapshots;
    const refusal = { status: Status.PERMISSION_DENIED, message: "not yours" };
    emulator.faults.refuse("ImageFromId", refusal);
    await expect(chosen(null, { session })).rejects.toThrow("PERMISSION_DENIED");
  });

  it("has to be deployed", async () => {
    await using bare = await openModalEmulator({ programs: {}, deployed: false });
    const client = bare.newClient();
    await expect(chooseImage({ ...sources, client }, wish({}))).rejects.toThrow("infra/modal");
  });
});
