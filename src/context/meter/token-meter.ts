import { type AssistantMessage, isJsonObject, type JsonValue, type Message } from '../../base/index.ts';
import type { TokenMeter, ToolDefinition } from '../../contracts/index.ts';
import { countText } from './count-text.ts';

/** The name, the braces and the commas that a definition has around its parts. */
const PER_TOOL = 8;
/** Many agents beside each other have as many prompts, which differ in where they work. */
const MAX_PROMPTS = 256;

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
    if (prompts.size === MAX_PROMPTS) prompts.clear();
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

/** Role and limits of a message; name, id and frame of a call. */
const PER_MESSAGE = 4;
const PER_CALL = 8;
/** What an image of usual size takes; a PDF file takes it for each of its pages, which are not counted here. */
const PER_ATTACHMENT = 1_600;
/** Encrypted thinking is base64 of text: three bytes in four characters, about four bytes in a token. */
const PER_SEALED_CHARACTER = 0.19;
const SEALED_KEYS: ReadonlySet<string> = new Set(['signature', 'encrypted_content', 'data']);

/** The guess at one message, with all of it that is sent. */
function countMessage(message: Message): number {
  if (message.role === 'tool') return PER_MESSAGE + countText(message.content);
  if (message.role === 'user') {
    const attached = (message.attachments?.length ?? 0) * PER_ATTACHMENT;
    return PER_MESSAGE + countText(message.sentContent ?? message.content) + attached;
  }
  return PER_MESSAGE + countText(message.content) + countCalls(message) + countReasoning(message);
}

function countCalls({ toolCalls = [] }: AssistantMessage): number {
  return toolCalls.reduce((sum, call) => sum + PER_CALL + countText(call.name) + countText(call.arguments), 0);
}

/** Only what goes back to the endpoint; thinking as plain text stays in our records. */
function countReasoning({ reasoningDetails = [], codexReasoningItems = [] }: AssistantMessage): number {
  let tokens = 0;
  // A list of what is left, because what comes from outside may be nested deeper than a stack is.
  const left: JsonValue[] = [...reasoningDetails, ...codexReasoningItems];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') tokens += countText(next);
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (isJsonObject(next)) {
      for (const [key, value] of Object.entries(next)) {
        if (typeof value === 'string' && SEALED_KEYS.has(key)) tokens += value.length * PER_SEALED_CHARACTER;
        else left.push(value);
      }
    }
  }
  return tokens;
}

/** A request of fewer tokens consists mostly of frame, and says nothing about text. */
const MIN_TOKENS = 64;
/** Counts beyond this are a mistake of someone, not a way to cut text into tokens. */
const MAX_DIFFERENCE = 8;
const REMEMBERED = 5;

/** By what the plain guess has to be multiplied for one model. */
interface Calibration {
  factor(): number;
  learn(guessed: number, counted: number): void;
}

/**
 * The middle one of the newest factors: one strange count does not move it, a model that really counts otherwise does
 * within two calls.
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
      factor = middleOf(seen);
    },
  };
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
