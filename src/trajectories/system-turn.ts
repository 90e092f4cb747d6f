import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../base/index.ts';
import type { ToolDefinition } from '../contracts/index.ts';
import { cleanSurrogates, fileErrorReason } from '../util/index.ts';
import { cleanText } from './clean-text.ts';
import { BRIDGE, readCall } from './tool-blocks.ts';
import { toSpacedJson } from './spaced-json.ts';
import type { RecordedMessage } from './to-conversations.ts';

const CALL_SCHEMA = {
  title: 'FunctionCall',
  type: 'object',
  properties: { name: { title: 'Name', type: 'string' }, arguments: { title: 'Arguments', type: 'object' } },
  required: ['name', 'arguments'],
};
const CALL_EXAMPLE =
  '<tool_call>\n{"name": "<name of the function>", "arguments": {"<argument>": <value>}}\n</tool_call>';

export type SystemTurnOptions = {
  /** The template of the system turn; the built-in wording by default. */
  template?: SystemTemplate | undefined;
  /** Redact secrets. */
  redact?: boolean;
  /** Caches each tool as written with this `redact` setting, for callers that write many conversations. */
  writtenTools?: WeakMap<ToolDefinition, string>;
};

/** Writes the system turn: how to call functions, and the list of functions. */
export function writeSystemTurn(tools: readonly ToolDefinition[], options: SystemTurnOptions = {}): string {
  const { template = DEFAULT_TEMPLATE, redact = false, writtenTools = new WeakMap() } = options;
  const written = tools.map((tool) => {
    const text = writtenTools.get(tool) ?? writeTool(tool, redact);
    writtenTools.set(tool, text);
    return text;
  });
  return fillTemplate(template, {
    tools: `[${written.join(', ')}]`,
    call_schema: toSpacedJson(CALL_SCHEMA),
    call_example: CALL_EXAMPLE,
  });
}

function writeTool({ name, description, parameters }: ToolDefinition, redact: boolean): string {
  // `required` inside the parameters lists the required ones; the `required: null` next to them is part of the
  // format.
  const listed = { name, description, parameters, required: null };
  return toSpacedJson(listed, { betweenTags: true, change: (text) => cleanText(text, redact) });
}

/**
 * The tools for the system turn: the offered ones, and those called through the tool bridge. The bridge tool itself
 * is omitted, because calls through it are written as calls of their target.
 */
export async function toolsForSystemTurn(
  messages: readonly RecordedMessage[],
  offered: readonly ToolDefinition[],
  describe: (names: readonly string[]) => Promise<readonly ToolDefinition[]> = async () => [],
): Promise<ToolDefinition[]> {
  const names = new Set<string>();
  for (const { message } of messages) {
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) if (call.name === BRIDGE) names.add(readCall(call).name);
  }
  for (const { name } of offered) names.delete(name);
  const found = names.size === 0 ? [] : await describe([...names].sort());
  return [...offered.filter(({ name }) => name !== BRIDGE), ...found];
}

/** Placeholders that a template may contain as `{{name}}`. */
const PLACEHOLDERS = ['tools', 'call_schema', 'call_example'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** A template with valid placeholders. */
export type SystemTemplate = { text: string };

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g;

/** The built-in wording of the system turn. */
const DEFAULT_TEMPLATE: SystemTemplate = {
  text: `You answer the user, and you can call functions to do it. Their signatures are the JSON list in the tools block below. Call one or several functions where they help with what the user wants; where none of them does, answer in plain words. Take the values of arguments from the conversation and never make one up. The result of each call comes back in a tool_response block.
<tools>
{{tools}}
</tools>
Every call is one JSON object with this schema:
{{call_schema}}
Put each call into a tool_call block of its own, like this:
{{call_example}}`,
};

/**
 * The wording of the original, in which its data sets and the models trained on them are written. Data in this format
 * must have these exact bytes, including the notation of Python.
 */
const ORIGINAL_TEMPLATE: SystemTemplate = {
  text: `You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags. You may call one or more functions to assist with the user query. If available tools are not relevant in assisting with user query, just respond in natural conversational language. Don't make assumptions about what values to plug into functions. After calling & executing the functions, you will be provided with function results within <tool_response> </tool_response> XML tags. Here are the available tools:
<tools>
{{tools}}
</tools>
For each function call return a JSON object, with the following pydantic model json schema for each:
{'title': 'FunctionCall', 'type': 'object', 'properties': {'name': {'title': 'Name', 'type': 'string'}, 'arguments': {'title': 'Arguments', 'type': 'object'}}, 'required': ['name', 'arguments']}
Each function call should be enclosed within <tool_call> </tool_call> XML tags.
Example:
<tool_call>
{'name': <function-name>,'arguments': <args-dict>}
</tool_call>`,
};

const NAMED_TEMPLATES: ReadonlyMap<string, SystemTemplate> = new Map([['hermes', ORIGINAL_TEMPLATE]]);

/** The template of a name; undefined if `trajectories.system_template` is the path of a file. */
export function namedTemplate(name: string): SystemTemplate | undefined {
  return NAMED_TEMPLATES.get(name);
}

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

/** Rejects unknown placeholders, which would end up in training data. The end of the file is trimmed. */
function parseTemplate(text: string, file: string): SystemTemplate {
  for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
    if (isPlaceholder(name)) continue;
    const usable = PLACEHOLDERS.map((known) => `{{${known}}}`).join(', ');
    throw new ConfigurationError(`The template ${file} contains the unknown placeholder {{${name}}}.`, {
      hint: `Known placeholders: ${usable}.`,
    });
  }
  if (text.trim() === '') {
    throw new ConfigurationError(`The template ${file} is empty.`, {
      hint: 'Write the system turn to the file, or remove trajectories.system_template.',
    });
  }
  return { text: cleanSurrogates(text.replace(/^\uFEFF/, '').trimEnd()) };
}

function fillTemplate({ text }: SystemTemplate, values: Readonly<Record<Placeholder, string>>): string {
  return text.replace(PLACEHOLDER, (match, name: string) => (isPlaceholder(name) ? values[name] : match));
}

function isPlaceholder(name: string): name is Placeholder {
  return PLACEHOLDERS.some((known) => known === name);
}
