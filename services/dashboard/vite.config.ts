import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/** Where `vite dev` finds the API; the built dashboard is served by the gateway itself. */
const gatewayUrl = process.env["GATEWAY_URL"] ?? "http://127.0.0.1:3000";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react()],
  // The `#contracts/*` imports of the package then lead to the sources.
  resolve: { conditions: ["proliferate-source", ...defaultClientConditions] },
  build: {
    outDir: fileURLToPath(new URL("../../dist/dashboard", import.meta.url)),
    emptyOutDir: true,
    sourcemap: true,
    target: "es2023",
    // The content security policy allows no `data:` URLs.
    assetsInlineLimit: 0,
    rollupOptions: {
      onwarn: (warning, warn) => {
        // Comments in zod that Rollup does not understand; they change nothing.
        if (warning.code !== "INVALID_ANNOTATION") warn(warning);
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/v1": { target: gatewayUrl, ws: true } },
  },
});
