/** The web function of the deployed app that names the newest image (`infra/modal/deploy.py`). */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ImageEndpoint extends AsyncDisposable {
  readonly url: string;
  /** How often it was asked. */
  requests(): number;
}

export const openImageEndpoint = async (imageId: string): Promise<ImageEndpoint> => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ image_id: imageId }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
};
