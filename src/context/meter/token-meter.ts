import { type AssistantMessage, attachmentsOf, isJsonObject, type JsonValue, type Message } from '../../base/index.ts';
import type { TokenMeter, ToolDefinition } from '../../contracts/index.ts';
import { countText } from './count-text.ts';

/** Overhead of a tool definition in tokens: name, braces and commas. */
const PER_TOOL = 8;
/**
 * How many system prompts are cached: concurrent agents have different ones, for example because their working
 * directories differ.
 */
const MAX_PROMPTS = 256;

/** Caches the estimate of every object it has seen, so the cost of a step depends only on what was added. */
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
    if (prompts.size === MAX_PROMPTS) prompts.clear();
    const tokens = countText(text);
    prompts.set(text, tokens);
    return tokens;
  }

  const factorOf = (model: string) => calibrations.get(model)?.factor() ?? 1;

  return {
    ofMessages(model, given) {
      let tokens = 0;
      // By index, because an iterator allocates an object for each message, and this runs over the whole history.
      for (let index = 0; index < given.length; index += 1)
        tokens += remembered(messages, given[index] as Message, countMessage);
      return Math.ceil(tokens * factorOf(model));
    },
    ofFixed(model, system, definitions) {
      const ofTools = definitions.reduce((sum, tool) => sum + remembered(tools, tool, countTool), 0);
      return Math.ceil((ofPrompt(system) + ofTools) * factorOf(model));
    },
    calibrate(model, guessed, counted) {
      const calibration = calibrations.get(model) ?? createCalibration();
      calibrations.set(model, calibration);
      calibration.learn(guessed, counted);
    },
  };
}

function countTool({ name, description, parameters }: ToolDefinition): number {
  return PER_TOOL + countText(name) + countText(description) + countText(JSON.stringify(parameters));
}

/** Overhead of a message (role and delimiters) and of a call (name, id and structure). */
const PER_MESSAGE = 4;
const PER_CALL = 8;
/** Tokens of an average image. A PDF file costs this much per page, but its pages are not counted here. */
const PER_ATTACHMENT = 1_600;
/** Encrypted reasoning is base64-encoded text: four characters hold three bytes, and a token is about four bytes. */
const PER_ENCRYPTED_CHARACTER = 0.19;
const ENCRYPTED_KEYS: ReadonlySet<string> = new Set(['signature', 'encrypted_content', 'data']);

/** Estimates one message with everything that is sent of it. */
function countMessage(message: Message): number {
  if (message.role !== 'assistant') {
    const text = message.role === 'user' ? (message.sentContent ?? message.content) : message.content;
    return PER_MESSAGE + countText(text) + attachmentsOf(message).length * PER_ATTACHMENT;
  }
  return PER_MESSAGE + countText(message.content) + countCalls(message) + countReasoning(message);
}

function countCalls({ toolCalls = [] }: AssistantMessage): number {
  return toolCalls.reduce((sum, call) => sum + PER_CALL + countText(call.name) + countText(call.arguments), 0);
}

/** Counts only the reasoning that is sent back to the endpoint. Plain-text reasoning is stored but not sent. */
function countReasoning({ reasoningDetails = [], codexReasoningItems = [] }: AssistantMessage): number {
  let tokens = 0;
  // An explicit stack, because JSON from a provider may be nested deeper than the call stack allows.
  const left: JsonValue[] = [...reasoningDetails, ...codexReasoningItems];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') tokens += countText(next);
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (isJsonObject(next)) {
      for (const [key, value] of Object.entries(next)) {
        if (typeof value === 'string' && ENCRYPTED_KEYS.has(key)) tokens += value.length * PER_ENCRYPTED_CHARACTER;
        else left.push(value);
      }
    }
  }
  return tokens;
}

/**
 * The minimum size of a request to learn from: a smaller one is mostly overhead and says nothing about the tokenizer.
 */
const MIN_TOKENS = 64;
/** The largest plausible factor: a larger one is a wrong count, not a different tokenizer. */
const MAX_DIFFERENCE = 8;
const REMEMBERED = 5;

/** The factor by which the raw estimate is multiplied for one model. */
interface Calibration {
  factor(): number;
  learn(guessed: number, counted: number): void;
}

/**
 * Uses the median of the newest factors: one outlier does not change it, but a model that really counts differently
 * changes it within two calls.
 */
function createCalibration(): Calibration {
  const seen: number[] = [];
  let factor = 1;
  return {
    factor: () => factor,
    learn(guessed, counted) {
      if (!(guessed >= MIN_TOKENS) || !(counted >= 1)) return;
      const found = (factor * counted) / guessed;
      if (!(found <= MAX_DIFFERENCE && found >= 1 / MAX_DIFFERENCE)) return;
      seen.push(found);
      if (seen.length > REMEMBERED) seen.shift();
      factor = medianOf(seen);
    },
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
