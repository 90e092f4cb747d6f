import type { ToolDefinition } from '../contracts/index.ts';
import { cleanText } from './clean-text.ts';
import { toSpacedJson } from './spaced-json.ts';
import { DEFAULT_TEMPLATE, fillTemplate, type SystemTemplate } from './system-template.ts';

const CALL_SCHEMA = {
  title: 'FunctionCall',
  type: 'object',
  properties: { name: { title: 'Name', type: 'string' }, arguments: { title: 'Arguments', type: 'object' } },
  required: ['name', 'arguments'],
};
const CALL_EXAMPLE =
  '<tool_call>\n{"name": "<name of the function>", "arguments": {"<argument>": <value>}}\n</tool_call>';

export type SystemTurnOptions = {
  /** The built-in wording without one. */
  template?: SystemTemplate | undefined;
  /** Secrets are taken out. */
  redact?: boolean;
  /** Tools as they were written before, with the same `redact`: for whoever writes many conversations. */
  writtenTools?: WeakMap<ToolDefinition, string>;
};

/** What stands before a conversation: how functions are called, and which there are. */
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
  // `required` inside of the parameters says which ones there have to be; the one beside them is part of the form.
  const listed = { name, description, parameters, required: null };
  return toSpacedJson(listed, { betweenTags: true, change: (text) => cleanText(text, redact) });
}
