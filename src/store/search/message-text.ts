import { toolCallsFromJson } from '../rows/json-columns.ts';

/** What of a message can be searched, as it is stored. */
export type SearchableRow = { content: string; tool_name: string | null; tool_calls: string | null };

/** Content, then the tools and what they were called with: the text that is searched and shown. */
export function messageText(row: SearchableRow): string {
  const tools = toolText(row);
  if (tools === '') return row.content;
  return row.content === '' ? tools : `${row.content}\n${tools}`;
}

export function toolText({ tool_name, tool_calls }: Omit<SearchableRow, 'content'>): string {
  // Another program may have left something else than text.
  const name = typeof tool_name === 'string' ? tool_name : '';
  if (typeof tool_calls !== 'string') return name;
  const calls = toolCallsFromJson(tool_calls) ?? [];
  const described = calls.map((call) => `${call.name} ${readableArguments(call.arguments)}`);
  return [name, ...described].filter((text) => text !== '').join('\n');
}

// Without the escapes of JSON, in which the word after a line break would begin with an n.
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
