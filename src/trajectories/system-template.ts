import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../base/index.ts';
import { cleanSurrogates, fileErrorReason } from '../util/index.ts';

/** What can stand in a template as `{{name}}`. */
export const PLACEHOLDERS = ['tools', 'call_schema', 'call_example'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** A text whose placeholders were checked. */
export type SystemTemplate = { text: string };

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g;

/** A system turn in our own words. */
export const DEFAULT_TEMPLATE: SystemTemplate = {
  text: `You answer the user, and you can call functions to do it. Their signatures are the JSON list in the tools block below. Call one or several functions where they help with what the user wants; where none of them does, answer in plain words. Take the values of arguments from the conversation and never make one up. The result of each call comes back in a tool_response block.
<tools>
{{tools}}
</tools>
Every call is one JSON object with this schema:
{{call_schema}}
Put each call into a tool_call block of its own, like this:
{{call_example}}`,
};

/** Reads the file that `trajectories.system_template` names. */
export async function readSystemTemplate(file: string): Promise<SystemTemplate> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    throw new ConfigurationError(`The template ${file} cannot be read: ${fileErrorReason(thrown)}.`, {
      hint: 'Correct trajectories.system_template, or remove it for the built-in wording.',
      cause: thrown,
    });
  }
  return parseTemplate(text, file);
}

/** The end of a file is no part of the turn. A name that nobody knows is a slip that would end up in training data. */
export function parseTemplate(text: string, file: string): SystemTemplate {
  for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
    if (isPlaceholder(name)) continue;
    const usable = PLACEHOLDERS.map((known) => `{{${known}}}`).join(', ');
    throw new ConfigurationError(`The template ${file} has the placeholder {{${name}}}, which there is not.`, {
      hint: `Those that can be used are ${usable}.`,
    });
  }
  if (text.trim() === '') {
    throw new ConfigurationError(`The template ${file} is empty.`, {
      hint: 'Write the system turn into it, or remove trajectories.system_template.',
    });
  }
  return { text: cleanSurrogates(text.replace(/^\uFEFF/, '').trimEnd()) };
}

export function fillTemplate({ text }: SystemTemplate, values: Readonly<Record<Placeholder, string>>): string {
  return text.replace(PLACEHOLDER, (match, name: string) => (isPlaceholder(name) ? values[name] : match));
}

function isPlaceholder(name: string): name is Placeholder {
  return PLACEHOLDERS.some((known) => known === name);
}
