export { startScriptedModel } from "./server.ts";
export type { ScriptedModel, ScriptedModelOptions } from "./server.ts";
export type { ScenarioInput } from "./scenario.ts";
export { defaultScenarios } from "./scenarios/index.ts";
export { failingTestRepository } from "./scenarios/failing-test-repository.ts";
