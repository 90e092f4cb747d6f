import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { type FileSource, readContent } from './read-content.ts';
import { invalid, readText, requireObject } from '../read-fields.ts';

/** A message of the client. */
export type ChatMessage = {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  files: readonly FileSource[];
  toolCalls: readonly ChatToolCall[];
  /** The call that a tool message answers. */
  toolCallId: string | undefined;
};

export type ChatToolCall = { id: string; name: string; arguments: string };

export type ChatTool = { name: string; description: string; parameters: JsonObject };

export type ChatRequest = {
  model: string | undefined;
  /** The system messages, joined. */
  system: string;
  /** What was said before, as the client knows it. */
  history: readonly ChatMessage[];
  /** The messages after the last one of the assistant. */
  input: readonly ChatMessage[];
  isStreamed: boolean;
  includeUsage: boolean;
  user: string | undefined;
  tools: readonly ChatTool[];
  outputSchema: JsonObject | undefined;
};

const MAX_MESSAGES = 10_000;

/** Reads the body of a chat completion. Settings of the sampling are ignored, because Hermes has its own. */
export function readChatRequest(sent: JsonValue): ChatRequest {
  const body = requireObject(sent);
  const { messages, stream, stream_options: options, user, n } = body;
  if (n !== undefined && n !== null && n !== 1) throw invalid('n', 'must be 1');
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('messages', 'must be a list of messages');
  if (messages.length > MAX_MESSAGES) throw invalid('messages', `has more than ${MAX_MESSAGES} messages`);
  const read = messages.map((message, index) => readMessage(message, `messages.${index}`));
  const said = read.filter((message) => message.role !== 'system') as ChatMessage[];
  const system = read.flatMap(({ role, text }) => (role === 'system' && text.trim() !== '' ? [text] : []));
  const start = said.findLastIndex(({ role }) => role === 'assistant') + 1;
  if (start === said.length) throw invalid('messages', 'must end with a message of the user or a tool');
  if (said.slice(start).every(isEmpty)) throw invalid('messages', 'must end with text, an image or a file');
  return {
    model: readText(body['model'], 'model'),
    system: system.join('\n\n'),
    history: said.slice(0, start),
    input: said.slice(start),
    isStreamed: stream === true,
    includeUsage: isJsonObject(options) && options['include_usage'] === true,
    user: typeof user === 'string' ? user : undefined,
    tools: readTools(body['tools']),
    outputSchema: readSchema(body['response_format']),
  };
}

/** Whether a message says nothing. A tool may have an empty result. */
export function isEmpty({ role, text, files }: ChatMessage): boolean {
  return role !== 'tool' && text.trim() === '' && files.length === 0;
}

function readMessage(
  message: JsonValue,
  field: string,
): Omit<ChatMessage, 'role'> & { role: ChatMessage['role'] | 'system' } {
  if (!isJsonObject(message)) throw invalid(field, 'must be an object');
  const { role: given, tool_call_id: toolCallId } = message;
  const role = given === 'developer' ? 'system' : given;
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool')
    throw invalid(`${field}.role`, 'must be system, developer, user, assistant or tool');
  if (role === 'tool' && typeof toolCallId !== 'string') throw invalid(`${field}.tool_call_id`, 'must be text');
  return {
    role,
    ...readContent(message['content'], `${field}.content`),
    toolCalls: readToolCalls(message['tool_calls'], `${field}.tool_calls`),
    toolCallId: typeof toolCallId === 'string' ? toolCallId : undefined,
  };
}

function readToolCalls(calls: JsonValue | undefined, field: string): ChatToolCall[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw invalid(field, 'must be a list');
  return calls.map((call, index) => {
    const { id, function: called } = isJsonObject(call) ? call : {};
    const { name, arguments: args } = isJsonObject(called) ? called : {};
    if (typeof id !== 'string' || typeof name !== 'string')
      throw invalid(`${field}.${index}`, 'needs an id and a function');
    return { id, name, arguments: typeof args === 'string' ? args : '{}' };
  });
}

const TOOL_NAME = /^[\w-]{1,64}$/;

function readTools(tools: JsonValue | undefined): ChatTool[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw invalid('tools', 'must be a list');
  return tools.map((tool, index) => {
    const field = `tools.${index}.function`;
    const given = isJsonObject(tool) ? tool['function'] : undefined;
    return readTool(isJsonObject(given) ? given : {}, field);
  });
}

/** Reads a function that the client can run. `field` is its name in errors. */
export function readTool({ name, description, parameters }: JsonObject, field: string): ChatTool {
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    throw invalid(`${field}.name`, 'must consist of at most 64 letters, digits, underscores and dashes');
  return {
    name,
    description: typeof description === 'string' ? description : '',
    parameters: isJsonObject(parameters) ? parameters : { type: 'object', properties: {} },
  };
}

function readSchema(format: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(format) || format['type'] !== 'json_schema') return undefined;
  const { schema } = isJsonObject(format['json_schema']) ? format['json_schema'] : {};
  if (!isJsonObject(schema)) throw invalid('response_format.json_schema.schema', 'must be a JSON Schema');
  return schema;
}
