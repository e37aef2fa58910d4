import { createTypeScriptImportResolver } from "eslint-import-resolver-typescript";
import { importX } from "eslint-plugin-import-x";
import tseslint from "typescript-eslint";

/** What each top-level folder may import from: see docs/architecture.md. */
const zones = [
  { target: "./contracts", from: ["event-store", "projections", "services", "sandbox", "infra"] },
  { target: "./event-store", from: ["projections", "services", "sandbox"] },
  { target: "./projections", from: ["services", "sandbox"] },
  { target: "./sandbox", from: ["event-store", "projections", "services"] },
  { target: "./infra", from: ["event-store", "projections", "services", "sandbox"] },
  {
    target: "./services/client",
    from: ["event-store", "projections", "sandbox", "infra"],
  },
].map(({ target, from }) => ({
  target,
  from: from.map((folder) => `./${folder}`),
  message: `${target.slice(2)} must not know of these folders.`,
}));

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", ".data/**", ".cache/**"] },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { "import-x": importX },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    settings: {
      "import-x/resolver-next": [createTypeScriptImportResolver({ project: "tsconfig.json" })],
    },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
      "@typescript-eslint/require-await": "error",
      // Our interfaces are made of closures; none of them uses `this`.
      "@typescript-eslint/unbound-method": "off",
      "import-x/no-cycle": ["error", { ignoreExternal: true }],
      "import-x/no-default-export": "error",
      "import-x/no-restricted-paths": [
        "error",
        {
          zones: [
            ...zones,
            {
              target: "./services/dashboard",
              from: ["./event-store", "./projections", "./sandbox", "./infra"],
              except: [],
              message: "The dashboard knows only contracts and services/client.",
            },
          ],
        },
      ],
      "max-lines": ["warn", { max: 350, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", { max: 5 }],
      "no-console": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
  {
    // Tests may reach into every folder: they start real servers.
    files: ["**/*.test.ts", "**/*.test.tsx", "**/testing/**", "**/bench/**", "services/demo/**"],
    rules: { "import-x/no-restricted-paths": "off", "max-lines": "off" },
  },
  {
    // Tools load these by their default export.
    files: ["**/*.config.ts", "infra/testing/*-setup.ts"],
    rules: { "import-x/no-default-export": "off" },
  },
);
