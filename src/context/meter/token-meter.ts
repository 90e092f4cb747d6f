import type { Message } from '../../base/index.ts';
import type { TokenMeter, ToolDefinition } from '../../contracts/index.ts';
import { type Calibration, createCalibration } from './calibration.ts';
import { countMessage } from './count-message.ts';
import { countText } from './count-text.ts';

/** The name, the braces and the commas that a definition has around its parts. */
const PER_TOOL = 8;
/** Many agents beside each other have as many prompts, which differ in where they work. */
const MOST_PROMPTS = 256;

/** Remembers its guess for every object it has seen: a step costs what was added, not what is there. */
export function createTokenMeter(): TokenMeter {
  const calibrations = new Map<string, Calibration>();
  const messages = new WeakMap<Message, number>();
  const tools = new WeakMap<ToolDefinition, number>();
  const prompts = new Map<string, number>();

  function remembered<Item extends object>(known: WeakMap<Item, number>, item: Item, count: (item: Item) => number) {
    const before = known.get(item);
    if (before !== undefined) return before;
    const tokens = count(item);
    known.set(item, tokens);
    return tokens;
  }

  function ofPrompt(text: string): number {
    const before = prompts.get(text);
    if (before !== undefined) return before;
    if (prompts.size === MOST_PROMPTS) prompts.clear();
    const tokens = countText(text);
    prompts.set(text, tokens);
    return tokens;
  }

  const factorOf = (model: string) => calibrations.get(model)?.factor() ?? 1;

  return {
    ofMessages(model, given) {
      let tokens = 0;
      for (const message of given) tokens += remembered(messages, message, countMessage);
      return Math.ceil(tokens * factorOf(model));
    },
    ofFixed(model, system, definitions) {
      const ofTools = definitions.reduce((sum, tool) => sum + remembered(tools, tool, countTool), 0);
      return Math.ceil((ofPrompt(system) + ofTools) * factorOf(model));
    },
    learn(model, guessed, counted) {
      const calibration = calibrations.get(model) ?? createCalibration();
      calibrations.set(model, calibration);
      calibration.learn(guessed, counted);
    },
  };
}

function countTool({ name, description, parameters }: ToolDefinition): number {
  return PER_TOOL + countText(name) + countText(description) + countText(JSON.stringify(parameters));
}
