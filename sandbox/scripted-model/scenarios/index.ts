import type { ScenarioInput } from "../scenario.ts";
import { echo } from "./echo.ts";
import { fixTheFailingTest } from "./fix-the-failing-test.ts";
import { greeting } from "./greeting.ts";
import { dropOnce, hang, slowAnswer } from "./interrupted.ts";
import { overloaded, overloadedOnce } from "./overloaded.ts";
import { parallelTools } from "./parallel-tools.ts";
import { saveTheSetup } from "./save-the-setup.ts";

/** The scenarios that ship, in the order in which they are asked: `overloaded-once` before `overloaded`. */
export const defaultScenarios: readonly ScenarioInput[] = [
  fixTheFailingTest,
  saveTheSetup,
  parallelTools,
  overloadedOnce,
  overloaded,
  dropOnce,
  slowAnswer,
  hang,
  greeting,
  echo,
];
