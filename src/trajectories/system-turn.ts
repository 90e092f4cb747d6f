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

/** What stands before a conversation: how functions are called, and which there are. */
export function writeSystemTurn(
  tools: readonly ToolDefinition[],
  { template = DEFAULT_TEMPLATE, redact = false }: { template?: SystemTemplate | undefined; redact?: boolean } = {},
): string {
  return fillTemplate(template, {
    tools: writeTools(tools, redact),
    call_schema: toSpacedJson(CALL_SCHEMA),
    call_example: CALL_EXAMPLE,
  });
}

function writeTools(tools: readonly ToolDefinition[], redact: boolean): string {
  // `required` inside of the parameters says which ones there have to be; the one beside them is part of the form.
  const listed = tools.map(({ name, description, parameters }) => ({ name, description, parameters, required: null }));
  return toSpacedJson(listed, { betweenTags: true, change: (text) => cleanText(text, redact) });
}
