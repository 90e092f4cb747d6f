import { isJsonObject, type JsonValue } from '../base/index.ts';
import type { ToolDefinition } from '../contracts/index.ts';

/** `{{NAME: text}}` with the white space before it. */
const PASSAGE = /\s*\{\{(\w+): ([^{}]*)\}\}/g;
/** The description of a conditional parameter, which is omitted together with its only passage. */
const CONDITIONAL_PARAMETER = /^\{\{(\w+): [^{}]*\}\}$/;

/** Resolves the conditional passages of a definition: passages about absent tools and features are removed. */
export type ResolvePassages = (definition: ToolDefinition, present: ReadonlySet<string>) => ToolDefinition;

/**
 * Returns the same object for the same set of present tools, and the definition itself if it has no passages. Caches
 * elsewhere (token counts, encoded requests) are keyed by that object, so agents can share them.
 */
export function createPassageResolver(): ResolvePassages {
  type Known = { named: readonly string[]; byCompany: Map<string, ToolDefinition> };
  const known = new WeakMap<ToolDefinition, Known>();
  return (definition, present) => {
    let found = known.get(definition);
    if (found === undefined) known.set(definition, (found = { named: namesIn(definition), byCompany: new Map() }));
    const { named, byCompany } = found;
    if (named.length === 0) return definition;
    const company = named.filter((name) => present.has(name)).join(' ');
    const fitting = byCompany.get(company) ?? resolvePassages(definition, present);
    byCompany.set(company, fitting);
    return fitting;
  };
}

/** The names of the tools that the passages of a definition are about. */
function namesIn(definition: ToolDefinition): string[] {
  const text = JSON.stringify(definition);
  // Most definitions have no passages, and this check is faster than matching.
  if (!text.includes('{{')) return [];
  return [...text.matchAll(PASSAGE)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

export const resolvePassages: ResolvePassages = (definition, present) => {
  const { name, description, parameters } = definition;
  return {
    name,
    description: choosePassages(description, present),
    parameters: resolveInSchema(parameters, present) as ToolDefinition['parameters'],
  };
};

function choosePassages(text: string, present: ReadonlySet<string>): string {
  if (!text.includes('{{')) return text;
  return (
    text
      .replace(PASSAGE, (_, name: string, passage: string) => (present.has(name) ? ` ${passage}` : ''))
      // The last passage of a list, whichever it is, ends with a comma like the others.
      .replaceAll(',.', '.')
      .trimStart()
  );
}

/** Resolves passages in parameter descriptions only, never in names, defaults or enum values. */
function resolveInSchema(schema: JsonValue, present: ReadonlySet<string>): JsonValue {
  if (Array.isArray(schema)) return schema.map((item) => resolveInSchema(item, present));
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
      if (isOmitted(value, present)) return [];
      if (key === 'description' && typeof value === 'string') return [[key, choosePassages(value, present)]];
      return [[key, key === 'enum' || key === 'default' || key === 'const' ? value : resolveInSchema(value, present)]];
    }),
  );
}

/** Whether a part of a schema is a conditional parameter of something that is not present. */
function isOmitted(schema: JsonValue, present: ReadonlySet<string>): boolean {
  const description = isJsonObject(schema) ? schema['description'] : undefined;
  const [, name] = typeof description === 'string' ? (CONDITIONAL_PARAMETER.exec(description) ?? []) : [];
  return name !== undefined && !present.has(name);
}
