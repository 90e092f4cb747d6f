import { type JsonObject, NO_USAGE, type Usage } from '../../base/index.ts';
import type { Taken } from '../../contracts/index.ts';
import { objectIn } from '../asking/read-answer.ts';

/** No call costs as much; a figure above it is a fault that would poison every sum. */
const LARGEST_COST_USD = 1e6;
/** In which xAI counts money. */
const TICKS_PER_USD = 1e10;

/** How OpenAI and servers like it say what an image took. */
export function takenTokens(answer: JsonObject): Taken {
  return { usage: usageIn(objectIn(answer, 'usage'), 'input_tokens', 'output_tokens') };
}

/** A router says what it was paid. */
export function takenByRouter(answer: JsonObject): Taken {
  const said = objectIn(answer, 'usage');
  return { usd: money(said?.['cost']), usage: usageIn(said, 'prompt_tokens', 'completion_tokens') };
}

export function takenTicks(answer: JsonObject): Taken {
  const ticks = objectIn(answer, 'usage')?.['cost_in_usd_ticks'];
  return { usd: typeof ticks === 'number' ? money(ticks / TICKS_PER_USD) : undefined };
}

export function takenByGemini(answer: JsonObject): Taken {
  return { usage: usageIn(objectIn(answer, 'usageMetadata'), 'promptTokenCount', 'candidatesTokenCount') };
}

function usageIn(said: JsonObject | undefined, input: string, output: string): Usage | undefined {
  return said && { ...NO_USAGE, input: count(said[input]), output: count(said[output]) };
}

/** What cannot be a number of tokens is none. */
function count(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}

function money(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= LARGEST_COST_USD ? value : undefined;
}
