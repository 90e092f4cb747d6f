import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { plainName } from '../count-tool-use.ts';
import { isEmbeddable } from '../tool-blocks.ts';
import { TRAJECTORY_ROLES, type TrajectoryRole, type TrajectoryTurn } from '../trajectory.ts';

/** The violations of a conversation, each with its turn. */
export function checkConversations(value: JsonValue | undefined): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length === 0) return ['conversations must be a list of turns'];
  const found: string[] = [];
  /** Calls of the previous turn that have no results yet. */
  let open: readonly CallBlock[] = [];
  /** Tools listed in the system turn; undefined if they cannot be read. */
  let listed: ReadonlySet<string> | undefined;
  for (const [index, item] of value.entries()) {
    const turn = readTurn(item);
    const say = (faults: readonly string[]) => found.push(...faults.map((fault) => `${labelOf(index, turn)} ${fault}`));
    if (turn === undefined) {
      say(['must be {"from": system, human, gpt or tool, "value": text}']);
      continue;
    }
    say(checkPlace(turn.from, index));
    if (!turn.value.isWellFormed()) say(['contains a lone surrogate']);
    if (open.length > 0 && turn.from !== 'tool') say([`comes before the results of ${open.length} calls`]);
    const result = checkTurn(turn, open);
    say(result.faults);
    if (turn.from === 'tool' && listed !== undefined) say(checkListed(turn.value, listed));
    if (turn.from === 'system') listed = readTools(turn.value).names;
    open = result.open;
  }
  if (open.length > 0) found.push(`the conversation ends before the results of ${open.length} calls`);
  return found;
}

function readTurn(item: JsonValue): TrajectoryTurn | undefined {
  if (!isJsonObject(item) || Object.keys(item).join() !== 'from,value') return undefined;
  const { from, value } = item;
  const isRole = TRAJECTORY_ROLES.some((role) => role === from);
  return isRole && typeof value === 'string' ? { from: from as TrajectoryRole, value } : undefined;
}

function labelOf(index: number, turn: TrajectoryTurn | undefined): string {
  return turn === undefined ? `turn ${index + 1}` : `turn ${index + 1} (${turn.from})`;
}

function checkPlace(from: TrajectoryRole, index: number): string[] {
  if (index === 0) return from === 'system' ? [] : ['must be the system turn'];
  if (from === 'system') return ['is a second system turn'];
  return index === 1 && from !== 'human' ? ['must be a human turn'] : [];
}

function checkTurn({ from, value }: TrajectoryTurn, open: readonly CallBlock[]) {
  if (from === 'gpt') {
    const { calls, faults } = readGptTurn(value);
    return { faults, open: calls };
  }
  if (from === 'tool') {
    const { responses, faults } = readToolTurn(value);
    return { faults: [...faults, ...checkResponses(responses, open)], open: [] };
  }
  return { faults: from === 'system' ? readTools(value).faults : [], open: [] };
}

/**
 * Finds results of tools that are not listed. Error results are allowed, because a model may call a tool that does
 * not exist. Names are normalized as they are when called.
 */
function checkListed(value: string, listed: ReadonlySet<string>): string[] {
  const unlisted = readToolTurn(value).responses.filter(
    ({ name, content }) => !listed.has(plainName(name)) && !isError(content),
  );
  return unlisted.map(({ name }) => `has a result of ${name}, which the tools block does not list`);
}

function isError(content: JsonValue): boolean {
  if (isJsonObject(content)) return content['error'] !== undefined;
  return typeof content === 'string' && /^Error\b/.test(content);
}

function checkResponses(responses: readonly ResponseBlock[], calls: readonly CallBlock[]): string[] {
  const found: string[] = responses.length === 0 && calls.length === 0 ? ['has no results'] : [];
  if (responses.length !== calls.length) found.push(`has ${responses.length} results for ${calls.length} calls`);
  const ids = new Set<string>();
  for (const [index, { tool_call_id: id, name, content }] of responses.entries()) {
    const call = calls[index];
    if (call !== undefined && call.name !== name) found.push(`has a result of ${name} in the position of ${call.name}`);
    if (ids.has(id)) found.push(`has two results for the call ${JSON.stringify(id)}`);
    ids.add(id);
    if (typeof content === 'string' && isEmbeddable(content))
      found.push(`has a result of ${name} that is JSON inside a string`);
  }
  return found;
}

function readTools(value: string): { faults: string[]; names?: ReadonlySet<string> } {
  const block = /<tools>\n([\s\S]*?)\n<\/tools>/.exec(value)?.[1];
  if (block === undefined) return { faults: ['has no tools block'] };
  const tools = parseJson(block);
  if (!Array.isArray(tools)) return { faults: ['has a tools block that is not a JSON list'] };
  if (!tools.every(isTool)) {
    return { faults: ['lists a tool that does not consist of name, description, parameters and "required": null'] };
  }
  return { faults: [], names: new Set(tools.map((tool) => plainName((tool as { name: string }).name))) };
}

function isTool(tool: JsonValue): boolean {
  if (!isJsonObject(tool)) return false;
  const { name, description, parameters, required } = tool;
  const texts = typeof name === 'string' && typeof description === 'string';
  const keys = Object.keys(tool).join();
  return keys === 'name,description,parameters,required' && texts && isJsonObject(parameters) && required === null;
}

type CallBlock = { name: string; arguments: JsonObject };
type ResponseBlock = { tool_call_id: string; name: string; content: JsonValue };

type GptTurn = { thinking: string; text: string; calls: CallBlock[]; faults: string[] };

/** Matches a think block on its own lines. A tag in the middle of a line is part of the text. */
const SECOND_THINK = /(?:^|\n)<think>\n(?:[\s\S]*?\n)?<\/think>(?:\n|$)/;
// An empty block ends immediately; a later closing tag belongs to another block.
const THINK = /^<think>\n(?:<\/think>|([\s\S]*?)\n<\/think>)(?:\n|$)/;

/** Parses reasoning, text and calls of a gpt turn. */
export function readGptTurn(value: string): GptTurn {
  const think = THINK.exec(value);
  const faults = think === null ? ['does not start with a think block'] : [];
  const rest = value.slice(think?.[0].length ?? 0);
  const { blocks, before } = readBlocks(rest, 'tool_call');
  const calls: CallBlock[] = [];
  for (const json of blocks) {
    const call = parseJson(json);
    if (isJsonObject(call) && isCall(call)) calls.push(call as CallBlock);
    else faults.push('has a tool_call that is not {"name": …, "arguments": {…}}');
  }
  if (before.includes('<tool_call>') || before.includes('</tool_call>')) {
    faults.push('has a tool_call block that is not closed, or is not one line of JSON at the end');
  }
  if (think !== null && SECOND_THINK.test(before)) faults.push('has a second think block');
  return { thinking: think?.[1] ?? '', text: before, calls, faults };
}

function isCall(call: JsonObject): boolean {
  const { name, arguments: given } = call;
  return Object.keys(call).join() === 'name,arguments' && typeof name === 'string' && isJsonObject(given);
}

/** Parses the results of a tool turn. */
function readToolTurn(value: string): { responses: ResponseBlock[]; faults: string[] } {
  const { blocks, before } = readBlocks(value, 'tool_response');
  const faults = before === '' ? [] : ['contains something other than tool_response blocks with one line of JSON each'];
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

/** The tag blocks at the end of a text (tag, one line, tag), and the text before them. */
function readBlocks(text: string, tag: string): { blocks: string[]; before: string } {
  const lines = text.split('\n');
  const blocks: string[] = [];
  while (lines.length >= 3 && lines.at(-1) === `</${tag}>` && lines.at(-3) === `<${tag}>`) {
    blocks.unshift(lines.at(-2) as string);
    lines.length -= 3;
  }
  return { blocks, before: lines.join('\n') };
}
