import { type Clock, isJsonObject, type JsonObject, type JsonValue, type Message } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import type { AuxiliaryModels, Interaction } from '../contracts/index.ts';
import { shorten } from '../util/index.ts';

const MAX_QUESTIONS = 20;
const MAX_CHOICES = 20;
const CANCELLED: JsonObject = { action: 'cancel' };

export type SamplingCaller = { sessionId?: string; taskId?: string; signal: AbortSignal };

export type SamplingParts = {
  serverName: string;
  settings: NonNullable<McpServerSettings['sampling']>;
  auxiliary: AuxiliaryModels;
  clock: Clock;
  /**
   * Returns the running call: the cost of sampling counts towards its turn, and cancelling the call cancels the
   * sampling.
   */
  caller(): SamplingCaller | undefined;
};

const MINUTE_MS = 60_000;
const MAX_CHARACTERS = 200_000;

/** Lets a server sample the auxiliary model within the limits of its settings, without tools. */
export function createSampling(parts: SamplingParts): (params: JsonObject, signal: AbortSignal) => Promise<JsonObject> {
  const { serverName, settings, auxiliary, clock } = parts;
  let asked: number[] = [];
  return async (params, signal) => {
    const call = parts.caller();
    // Outside a call, the cost of sampling could not be attributed or limited.
    if (call === undefined) throw new Error('Sampling is only available while one of your tools is being called.');
    const now = clock.now();
    asked = asked.filter((time) => now - time < MINUTE_MS);
    if (asked.length >= settings.perMinute) {
      throw new Error(`Rate limit: at most ${settings.perMinute} sampling requests per minute. Retry later.`);
    }
    asked.push(now);
    const messages = readMessages(params['messages']);
    const wanted = typeof params['maxTokens'] === 'number' ? params['maxTokens'] : settings.maxTokens;
    const answer = await auxiliary.ask('mcp', {
      system:
        typeof params['systemPrompt'] === 'string'
          ? params['systemPrompt']
          : `You answer requests of the MCP server ${serverName}.`,
      messages,
      maxOutputTokens: Math.max(1, Math.min(Math.floor(wanted), settings.maxTokens)),
      ...call,
      signal: AbortSignal.any([signal, call.signal, AbortSignal.timeout(settings.timeoutSeconds * 1000)]),
    });
    const stopReason = answer.finishReason === 'length' ? 'maxTokens' : 'endTurn';
    return { role: 'assistant', model: answer.model, stopReason, content: { type: 'text', text: answer.text } };
  };
}

function readMessages(given: JsonValue | undefined): Message[] {
  const messages = (Array.isArray(given) ? given : []).filter(isJsonObject).map(({ role, content }): Message => {
    return { role: role === 'assistant' ? 'assistant' : 'user', content: textOf(content ?? '') };
  });
  if (messages.length === 0) throw new Error('`messages` is empty.');
  const size = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (size > MAX_CHARACTERS) throw new Error(`The messages are longer than ${MAX_CHARACTERS} characters in total.`);
  return messages;
}

/** Images and audio are only mentioned: the auxiliary model gets text. */
function textOf(content: JsonValue): string {
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (!isJsonObject(content)) return String(content);
  const { type, text } = content;
  return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'content'} omitted: not text]`;
}

/** Lets a server ask the user, one question at a time, while one of its tools runs. */
export function createElicitation(
  serverName: string,
  caller: () => Interaction | undefined,
): (params: JsonObject, signal: AbortSignal) => Promise<JsonObject> {
  return async (params, signal) => {
    const interaction = caller();
    const schema = params['requestedSchema'];
    const properties = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {};
    const fields = Object.entries(properties);
    if (interaction === undefined || fields.length > MAX_QUESTIONS) return CANCELLED;
    const required = isJsonObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
    const message = shorten(typeof params['message'] === 'string' ? params['message'] : '', 500);
    const content: JsonObject = {};
    for (const [name, field] of fields) {
      const question = `The MCP server ${serverName} asks (your answer is sent to it): ${message} ${describeField(name, field)}`;
      const given = await interaction.clarify({ question, choices: choicesOf(field) });
      if (signal.aborted || given === undefined) return CANCELLED;
      const value = readAnswer(given, field);
      if (value !== undefined) content[name] = value;
      else if (required.includes(name)) return { action: 'decline' };
    }
    return { action: 'accept', content };
  };
}

function describeField(name: string, field: JsonValue): string {
  const { title, description } = isJsonObject(field) ? field : {};
  const about = [title ?? name, description].filter((part) => typeof part === 'string').join(': ');
  return `(${shorten(about, 300)})`;
}

function choicesOf(field: JsonValue): string[] {
  if (!isJsonObject(field)) return [];
  if (field['type'] === 'boolean') return ['yes', 'no'];
  return valuesOf(isJsonObject(field['items']) ? field['items'] : field).slice(0, MAX_CHOICES);
}

/** The allowed values, from `enum`, or from titled `oneOf` or `anyOf` entries. */
function valuesOf(schema: JsonObject): string[] {
  const titled = schema['oneOf'] ?? schema['anyOf'];
  const named = Array.isArray(titled) ? titled.map((each) => (isJsonObject(each) ? each['const'] : undefined)) : [];
  const plain = Array.isArray(schema['enum']) ? schema['enum'] : [];
  return [...plain, ...named].filter((value) => typeof value === 'string');
}

/** The value of an answer; undefined if there is none or it has the wrong type. */
function readAnswer(given: string, field: JsonValue): JsonValue | undefined {
  const text = given.trim();
  const type = isJsonObject(field) ? field['type'] : undefined;
  if (text === '') return undefined;
  if (type === 'array') return text.split(',').map((part) => part.trim());
  if (type === 'boolean') return /^(?:y|yes|true)$/i.test(text);
  if (type !== 'number' && type !== 'integer') return text;
  const number = Number(text);
  return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : undefined;
}
