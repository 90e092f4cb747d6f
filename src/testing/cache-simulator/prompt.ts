import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { ApiMode, CacheTtl } from '../../contracts/index.ts';

/** The unit of caching. Equal texts are always the same object. */
export type PromptBlock = { readonly id: number; readonly text: string; readonly tokens: number };

export type PromptPart = { block: PromptBlock; section: 'tools' | 'system' | 'messages'; mark?: CacheTtl };

/** A request as a provider's cache sees it: blocks in the order in which they are read, with their cache markers. */
export type Prompt = {
  apiMode: ApiMode;
  model: string;
  /** The client's hint that groups its requests in one cache. */
  cacheKey: string | undefined;
  parts: readonly PromptPart[];
};

export type CountTokens = (text: string) => number;

/** The sections of a request body, for any API mode. */
type Sections = { tools: JsonObject[]; system: JsonObject[]; messages: JsonObject[] };

/** Parses request bodies; all prompts of one reader share their blocks. */
export function createPromptReader(countTokens: CountTokens): (apiMode: ApiMode, body: JsonObject) => Prompt {
  const blocks = new Map<string, PromptBlock>();

  function blockOf(text: string): PromptBlock {
    const known = blocks.get(text);
    if (known !== undefined) return known;
    const block = { id: blocks.size, text, tokens: countTokens(text) };
    blocks.set(text, block);
    return block;
  }

  const partOf = (section: PromptPart['section'], value: JsonObject, lead = ''): PromptPart => {
    const [text, mark] = extractMarker(value);
    const part: PromptPart = { section, block: blockOf(lead + text) };
    return mark === undefined ? part : { ...part, mark };
  };

  return (apiMode, body) => {
    const { tools, system, messages } = sectionsOf(apiMode, body);
    const parts = [
      ...tools.map((tool) => partOf('tools', tool)),
      ...system.map((block) => partOf('system', block)),
      ...messages.flatMap((message) => {
        const role = asText(message.role) || asText(message.type);
        return blocksOf(message).map((block, index) => partOf('messages', block, index === 0 ? `${role}\n` : ''));
      }),
    ];
    const settled = apiMode === 'codex_responses' ? parts : withParameters(parts, body, blockOf);
    return { apiMode, model: asText(body.model), cacheKey: asText(body.prompt_cache_key) || undefined, parts: settled };
  };
}

/** Parameters that affect how messages are processed: a change invalidates cached messages. */
const MESSAGE_PARAMETERS = ['tool_choice', 'thinking', 'output_config', 'reasoning'] as const;

function withParameters(
  parts: PromptPart[],
  body: JsonObject,
  blockOf: (text: string) => PromptBlock,
): readonly PromptPart[] {
  const given = MESSAGE_PARAMETERS.filter((name) => body[name] !== undefined);
  const first = parts.findIndex(({ section }) => section === 'messages');
  const part = parts[first];
  if (given.length === 0 || part === undefined) return parts;
  const text = given.map((name) => `${name}=${JSON.stringify(body[name])}\n`).join('');
  return parts.with(first, { ...part, block: { ...blockOf(text + part.block.text), tokens: part.block.tokens } });
}

function sectionsOf(apiMode: ApiMode, body: JsonObject): Sections {
  const tools = asObjects(body.tools);
  if (apiMode === 'codex_responses') {
    return { tools, system: textBlocks(body.instructions), messages: asObjects(body.input) };
  }
  const all = asObjects(body.messages);
  if (apiMode === 'anthropic_messages') return { tools, system: textBlocks(body.system), messages: all };
  const isSystem = ({ role }: JsonObject) => role === 'system' || role === 'developer';
  const system = all.filter(isSystem).flatMap(({ content }) => textBlocks(content));
  return { tools, system, messages: all.filter((message) => !isSystem(message)) };
}

function textBlocks(content: JsonValue | undefined): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asObjects(content);
}

/** The blocks of a message in the order in which the model reads them: reasoning, text, tool calls. */
function blocksOf(message: JsonObject): JsonObject[] {
  const { content, tool_calls: calls, role, ...rest } = message;
  // In the Responses API, an item without content parts is one block: a call, a result, reasoning.
  if (content === undefined && calls === undefined) return [message];
  const others = Object.keys(rest).length === 0 ? [] : [rest];
  // A tool result is always one block.
  if (role === 'tool') return [markedAsWhole({ ...rest, content: content ?? null })];
  return [...others, ...textBlocks(content), ...asObjects(calls)];
}

function markedAsWhole(result: JsonObject): JsonObject {
  const marked = asObjects(result.content).find((part) => part.cache_control !== undefined);
  return marked === undefined ? result : { ...result, cache_control: marked.cache_control ?? null };
}

/** The text of a block without its cache marker, and the marker. */
function extractMarker(value: JsonObject): [string, CacheTtl | undefined] {
  const whole = JSON.stringify(value);
  // A shortcut: nearly all blocks have no marker, and removing a key is slow.
  if (!whole.includes('"cache_control"')) return [whole, undefined];
  const text = JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
  const marker = value.cache_control;
  if (!isJsonObject(marker)) return [text, undefined];
  return [text, marker.ttl === '1h' ? '1h' : '5m'];
}

function asText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function asObjects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The end of a prefix that was sent before. Two prompts share nodes exactly as far as they are identical. */
export type PrefixNode = {
  readonly block: PromptBlock | undefined;
  /** From the start up to here. */
  readonly tokens: number;
  readonly children: Map<number, PrefixNode>;
  /** When the cache entry that ends here expires, and how long each use extends it. */
  expiresAt: number;
  lifeMs: number;
};

export function createPrefixTree(): PrefixNode {
  return newNode(undefined, 0);
}

function newNode(block: PromptBlock | undefined, tokens: number): PrefixNode {
  return { block, tokens, children: new Map(), expiresAt: Number.NEGATIVE_INFINITY, lifeMs: 0 };
}

/** The node of each part in order; missing nodes are added. */
export function prefixPath(tree: PrefixNode, prompt: Prompt): PrefixNode[] {
  const path: PrefixNode[] = [];
  let node = tree;
  for (const part of prompt.parts) {
    node = childFor(node, part);
    path.push(node);
  }
  return path;
}

function childFor(node: PrefixNode, { block }: PromptPart): PrefixNode {
  const known = node.children.get(block.id);
  if (known !== undefined) return known;
  const child = newNode(block, node.tokens + block.tokens);
  node.children.set(block.id, child);
  return child;
}

export function isCached(node: PrefixNode, now: number): boolean {
  return node.expiresAt > now;
}

export function storeEntry(node: PrefixNode, now: number, lifeMs: number): void {
  node.lifeMs = lifeMs;
  node.expiresAt = now + lifeMs;
}
