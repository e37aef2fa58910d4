/** Opens a session with a prompt, prints the answer as it comes, and ends with it. In Node 22 or a browser. */
import { createClient, createSession, openLiveChannel, watchSession } from "proliferate/client";

/** @param print gets each piece of text; resolves when the prompt is finished */
export const promptAndWatch = async (
  { baseUrl, accessToken }: { readonly baseUrl: string; readonly accessToken: string },
  prompt: string,
  print: (text: string) => void,
): Promise<void> => {
  const client = createClient({ baseUrl, accessToken });
  const { sessionId } = await client.call(createSession, { body: { title: "Example", prompt } });
  await new Promise<void>((resolve, reject) => {
    const watch = watchSession({
      openSocket: async () => (await client.call(openLiveChannel, { params: { sessionId } })).url,
      onFrame: (frame) => {
        if (frame.type !== "live") return;
        if (frame.message.type === "token") print(frame.message.delta);
        if (frame.message.type === "prompt_finished") watch.close();
      },
      // Reconnects by itself; closed with an error only for a reason that stays.
      onState: (state) => {
        if (state.status !== "closed") return;
        if (state.error) reject(state.error);
        else resolve();
      },
    });
  });
};
