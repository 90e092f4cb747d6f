import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { type ReasoningEffort, REASONING_EFFORTS } from '../../../contracts/index.ts';
import { HttpError } from '../../../http/index.ts';
import { type ChatTool, readTool } from '../chat/chat-request.ts';
import { requireOwnNames } from '../chat/client-tools.ts';
import { readInput, type ResponseInput } from './read-input.ts';
import { invalid, readText, requireObject } from '../read-fields.ts';

/** The body of `POST /v1/responses`, checked. */
export type CreateRequest = {
  input: ResponseInput;
  model: string | undefined;
  instructions: string | undefined;
  previousResponseId: string | undefined;
  /** The id or the name of a conversation. */
  conversation: string | undefined;
  store: boolean;
  stream: boolean;
  background: boolean;
  effort: ReasoningEffort | undefined;
  /** The JSON Schema of the answer. */
  schema: JsonObject | undefined;
  /** The functions that the client runs. */
  tools: readonly ChatTool[];
  /** The end user, if several share a key. */
  user: string | undefined;
  /** What the response repeats of the request. */
  echo: JsonObject;
};

const MAX_METADATA = 16;
const MAX_METADATA_KEY = 64;
const MAX_METADATA_VALUE = 512;

/** Whether clients may bring tools (`api_server.client_tools`). */
export type ToolRules = { clientTools: boolean };

export function readCreateRequest(sent: JsonValue, rules: ToolRules): CreateRequest {
  const body = requireObject(sent);
  const earlier = isUnset(body['conversation_history']) ? [] : body['conversation_history'];
  const hasHistory = !Array.isArray(earlier) || earlier.length > 0;
  const request = {
    input: readInput(body['input'], earlier),
    model: readText(body['model'], 'model'),
    instructions: readText(body['instructions'], 'instructions'),
    // As in the original, a history that the client sends itself takes precedence.
    previousResponseId: hasHistory ? undefined : readText(body['previous_response_id'], 'previous_response_id'),
    conversation: readConversation(body['conversation']),
    store: readFlag(body, 'store', true),
    stream: readFlag(body, 'stream', false),
    background: readFlag(body, 'background', false),
    effort: readEffort(body['reasoning']),
    schema: readSchema(body['text']),
    tools: body['tool_choice'] === 'none' ? [] : readTools(body['tools'], rules),
    user: readText(body['user'], 'user') ?? readText(body['safety_identifier'], 'safety_identifier'),
  };
  if (request.previousResponseId !== undefined && request.conversation !== undefined)
    throw new HttpError(400, 'invalid_value', 'Use either `previous_response_id` or `conversation`, not both.');
  // The session of the conversation has these messages already.
  if (hasHistory && request.conversation !== undefined)
    throw new HttpError(400, 'invalid_value', 'Use either `conversation_history` or `conversation`, not both.');
  if (request.background && !request.store)
    throw new HttpError(400, 'invalid_value', '`background` needs `store`, because the response is fetched later.');
  if (!isUnset(body['prompt'])) throw unsupported('`prompt`: there are no prompt templates. Use `instructions`.');
  if (!['auto', 'disabled', undefined, null].includes(body['truncation'] as string))
    throw invalid('truncation', 'must be auto or disabled');
  return { ...request, echo: echoOf(body, request) };
}

/** The functions that the client runs. Hermes has tools of its own, and none of those that OpenAI hosts. */
function readTools(tools: JsonValue | undefined, rules: ToolRules): readonly ChatTool[] {
  if (isUnset(tools)) return [];
  if (!Array.isArray(tools)) throw invalid('tools', 'must be a list');
  if (tools.length === 0) return [];
  if (!rules.clientTools) {
    const hint = 'Leave the list empty, or set `api_server.client_tools: true` in config.yaml of the server';
    throw unsupported(`\`tools\`: this server does not accept tools of clients. ${hint}.`);
  }
  const read = tools.map((tool, index) => {
    const given = isJsonObject(tool) ? tool : {};
    if (given['type'] === 'function') return readTool(given, `tools.${index}`);
    const type = JSON.stringify(given['type']);
    throw unsupported(`\`tools.${index}.type\` is ${type}; only functions are supported. Hermes has its own tools.`);
  });
  return requireOwnNames(read, (index) => `tools.${index}.name`);
}

function unsupported(message: string): HttpError {
  return new HttpError(400, 'unsupported_parameter', message);
}

/** The fields that a response must have, and those that clients find again in it. */
function echoOf(
  body: JsonObject,
  { background, store, tools }: Pick<CreateRequest, 'background' | 'store' | 'tools'>,
): JsonObject {
  const { instructions = null, previous_response_id = null, temperature = 1, top_p = 1 } = body;
  const { max_output_tokens = null, truncation, reasoning, text, tool_choice, user, safety_identifier } = body;
  return {
    background,
    instructions,
    max_output_tokens,
    metadata: readMetadata(body['metadata']),
    parallel_tool_calls: true,
    previous_response_id,
    reasoning: { effort: null, summary: null, ...(isJsonObject(reasoning) && reasoning) },
    store,
    temperature,
    text: isJsonObject(text) ? { format: { type: 'text' }, ...text } : { format: { type: 'text' } },
    tool_choice: isUnset(tool_choice) ? 'auto' : tool_choice,
    tools: tools.map((tool, index) => ({ type: 'function', strict: isStrict(body, index), ...tool })),
    top_p,
    truncation: isUnset(truncation) ? 'auto' : truncation,
    ...(!isUnset(user) && { user }),
    ...(!isUnset(safety_identifier) && { safety_identifier }),
  };
}

/** The packages parse the arguments of strict tools. Hermes validates those of all. */
function isStrict({ tools }: JsonObject, index: number): boolean {
  const tool = Array.isArray(tools) ? tools[index] : undefined;
  return isJsonObject(tool) && tool['strict'] === true;
}

/** At most 16 pairs of short texts, as in OpenAI's API. */
export function readMetadata(value: JsonValue | undefined): JsonObject {
  if (isUnset(value)) return {};
  const pairs = isJsonObject(value) ? Object.entries(value) : undefined;
  const isShort = ([key, text]: [string, JsonValue]) =>
    key.length <= MAX_METADATA_KEY && typeof text === 'string' && text.length <= MAX_METADATA_VALUE;
  if (pairs === undefined || pairs.length > MAX_METADATA || !pairs.every(isShort)) {
    const limits = `keys of at most ${MAX_METADATA_KEY} and texts of at most ${MAX_METADATA_VALUE} characters`;
    throw invalid('metadata', `must be an object with at most ${MAX_METADATA} entries, ${limits}`);
  }
  return value as JsonObject;
}

function readConversation(value: JsonValue | undefined): string | undefined {
  if (isUnset(value)) return undefined;
  const id = isJsonObject(value) ? value['id'] : value;
  if (typeof id !== 'string' || id === '' || id.length > 256) throw invalid('conversation', 'must be an id or a name');
  return id;
}

function readEffort(reasoning: JsonValue | undefined): ReasoningEffort | undefined {
  const effort = isJsonObject(reasoning) ? readText(reasoning['effort'], 'reasoning.effort') : undefined;
  const known = REASONING_EFFORTS.find((level) => level === effort);
  if (effort !== undefined && known === undefined)
    throw invalid('reasoning.effort', `must be one of ${REASONING_EFFORTS.join(', ')}`);
  return known;
}

function readSchema(text: JsonValue | undefined): JsonObject | undefined {
  const format = isJsonObject(text) ? text['format'] : undefined;
  if (!isJsonObject(format) || format['type'] === 'text') return undefined;
  if (format['type'] === 'json_object') return { type: 'object' };
  const schema = format['schema'];
  if (format['type'] !== 'json_schema') throw invalid('text.format.type', 'must be text, json_schema or json_object');
  if (!isJsonObject(schema)) throw invalid('text.format.schema', 'must be a JSON Schema');
  return schema;
}

function readFlag(body: JsonObject, key: string, usual: boolean): boolean {
  const value = body[key];
  if (isUnset(value)) return usual;
  if (typeof value !== 'boolean') throw invalid(key, 'must be true or false');
  return value;
}

function isUnset(value: JsonValue | undefined): value is undefined | null {
  return value === undefined || value === null;
}
