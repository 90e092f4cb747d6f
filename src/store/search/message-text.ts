import { toolCallsFromJson } from '../rows/json-columns.ts';

/** The searchable columns of a stored message. */
export type SearchableRow = { content: string; tool_name: string | null; tool_calls: string | null };

/** The text that is searched and shown: the content, followed by tool names and arguments. */
export function messageText(row: SearchableRow): string {
  const tools = toolText(row);
  if (tools === '') return row.content;
  return row.content === '' ? tools : `${row.content}\n${tools}`;
}

export function toolText({ tool_name, tool_calls }: Omit<SearchableRow, 'content'>): string {
  // Another program may have stored something other than text.
  const name = typeof tool_name === 'string' ? tool_name : '';
  if (typeof tool_calls !== 'string') return name;
  const calls = toolCallsFromJson(tool_calls) ?? [];
  const described = calls.map((call) => `${call.name} ${readableArguments(call.arguments)}`);
  return [name, ...described].filter((text) => text !== '').join('\n');
}

// Decodes the JSON: in an escaped `\n`, the n would otherwise become part of the next word.
function readableArguments(written: string): string {
  try {
    return describe(JSON.parse(written));
  } catch {
    return written;
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.map(describe).join(', ');
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${describe(inner)}`)
    .join(', ');
}
