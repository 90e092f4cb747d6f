import { isJsonObject, type JsonValue } from '../base/index.ts';
import type { ToolDefinition } from '../contracts/index.ts';

/** `{{NAME: text}}`, with the blanks before it. */
const PASSAGE = /\s*\{\{(\w+): ([^{}]*)\}\}/g;

/** A definition for the company of these tools: passages about any other are left out. */
export function forCompany(definition: ToolDefinition, present: ReadonlySet<string>): ToolDefinition {
  const { name, description, parameters } = definition;
  return {
    name,
    description: choosePassages(description, present),
    parameters: inDescriptions(parameters, present) as ToolDefinition['parameters'],
  };
}

function choosePassages(text: string, present: ReadonlySet<string>): string {
  if (!text.includes('{{')) return text;
  return text
    .replace(PASSAGE, (_, name: string, passage: string) => (present.has(name) ? ` ${passage}` : ''))
    .trimStart();
}

/** Only what is said about a parameter: names, defaults and values stay what they are. */
function inDescriptions(schema: JsonValue, present: ReadonlySet<string>): JsonValue {
  if (Array.isArray(schema)) return schema.map((item) => inDescriptions(item, present));
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'description' && typeof value === 'string') return [key, choosePassages(value, present)];
      return [key, key === 'enum' || key === 'default' || key === 'const' ? value : inDescriptions(value, present)];
    }),
  );
}
