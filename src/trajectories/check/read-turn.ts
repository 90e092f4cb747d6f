import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';

export type CallBlock = { name: string; arguments: JsonObject };
export type ResponseBlock = { tool_call_id: string; name: string; content: JsonValue };

export type GptTurn = { thinking: string; text: string; calls: CallBlock[]; faults: string[] };

/** One that stands on lines of its own; in the middle of a line it is what somebody wrote about. */
const SECOND_THINK = /(?:^|\n)<think>\n(?:[\s\S]*?\n)?<\/think>(?:\n|$)/;
// An empty one ends at once: what comes later and ends alike is another.
const THINK = /^<think>\n(?:<\/think>|([\s\S]*?)\n<\/think>)(?:\n|$)/;

/** Thinking, text and calls of a gpt turn. */
export function readGptTurn(value: string): GptTurn {
  const think = THINK.exec(value);
  const faults = think === null ? ['does not begin with a think block'] : [];
  const rest = value.slice(think?.[0].length ?? 0);
  const { blocks, before } = readBlocks(rest, 'tool_call');
  const calls: CallBlock[] = [];
  for (const json of blocks) {
    const call = parseJson(json);
    if (isJsonObject(call) && isCall(call)) calls.push(call as CallBlock);
    else faults.push('has a tool_call that is not {"name": …, "arguments": {…}}');
  }
  if (before.includes('<tool_call>') || before.includes('</tool_call>')) {
    faults.push('has a tool_call block that is not closed, or that does not stand at its end with one line of JSON');
  }
  if (think !== null && SECOND_THINK.test(before)) faults.push('has a second think block');
  return { thinking: think?.[1] ?? '', text: before, calls, faults };
}

function isCall(call: JsonObject): boolean {
  const { name, arguments: given } = call;
  return Object.keys(call).join() === 'name,arguments' && typeof name === 'string' && isJsonObject(given);
}

/** The results of a tool turn. */
export function readToolTurn(value: string): { responses: ResponseBlock[]; faults: string[] } {
  const { blocks, before } = readBlocks(value, 'tool_response');
  const faults = before === '' ? [] : ['has something else than tool_response blocks with one line of JSON each'];
  const responses: ResponseBlock[] = [];
  for (const json of blocks) {
    const response = parseJson(json);
    if (isJsonObject(response) && isResponse(response)) responses.push(response as ResponseBlock);
    else faults.push('has a tool_response that is not {"tool_call_id": …, "name": …, "content": …}');
  }
  return { responses, faults };
}

function isResponse(response: JsonObject): boolean {
  const { tool_call_id: id, name } = response;
  const keys = Object.keys(response).join();
  return keys === 'tool_call_id,name,content' && typeof id === 'string' && typeof name === 'string';
}

/** The blocks at the end of a text, each a tag, one line and a tag, and what stands before them. */
function readBlocks(text: string, tag: string): { blocks: string[]; before: string } {
  const lines = text.split('\n');
  const blocks: string[] = [];
  while (lines.length >= 3 && lines.at(-1) === `</${tag}>` && lines.at(-3) === `<${tag}>`) {
    blocks.unshift(lines.at(-2) as string);
    lines.length -= 3;
  }
  return { blocks, before: lines.join('\n') };
}
