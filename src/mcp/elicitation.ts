import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { Interaction } from '../contracts/index.ts';
import { shorten } from '../util/index.ts';

const MOST_QUESTIONS = 20;
const MOST_CHOICES = 20;
const CANCELLED: JsonObject = { action: 'cancel' };

/** Lets a server ask the person, one thing at a time, while one of its tools is at work. Nobody there is no answer. */
export function createElicitation(
  serverName: string,
  caller: () => Interaction | undefined,
): (params: JsonObject, signal: AbortSignal) => Promise<JsonObject> {
  return async (params, signal) => {
    const interaction = caller();
    const schema = params['requestedSchema'];
    const properties = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {};
    const fields = Object.entries(properties);
    if (interaction === undefined || fields.length > MOST_QUESTIONS) return CANCELLED;
    const required = isJsonObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
    const message = shorten(typeof params['message'] === 'string' ? params['message'] : '', 500);
    const content: JsonObject = {};
    for (const [name, field] of fields) {
      const question = `The server ${serverName} asks, and gets your answer: ${message} ${describeField(name, field)}`;
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
  return valuesOf(isJsonObject(field['items']) ? field['items'] : field).slice(0, MOST_CHOICES);
}

/** Both ways in which a schema names its values. */
function valuesOf(schema: JsonObject): string[] {
  const titled = schema['oneOf'] ?? schema['anyOf'];
  const named = Array.isArray(titled) ? titled.map((each) => (isJsonObject(each) ? each['const'] : undefined)) : [];
  const plain = Array.isArray(schema['enum']) ? schema['enum'] : [];
  return [...plain, ...named].filter((value) => typeof value === 'string');
}

/** The value that an answer stands for; undefined for none, and for what is not of the kind that was asked for. */
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
