import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { type FileSource, readContent } from '../chat/read-content.ts';
import { invalid, readText, requireObject } from '../read-fields.ts';

/** What a run or a message to a session asks for. */
export type TurnRequest = {
  text: string;
  files: readonly FileSource[];
  instructions: string | undefined;
  sessionId: string | undefined;
  model: string | undefined;
};

/** Reads the body of `POST /v1/runs` and of messages to sessions. `input` is text or a list with messages of the user. */
export function readTurnRequest(sent: JsonValue): TurnRequest {
  const body = requireObject(sent);
  const { instructions, session_id: sessionId, model } = body;
  const field = ['input', 'message', 'prompt'].find((name) => body[name] !== undefined) ?? 'input';
  const { text, files } = readInput(body[field], field);
  if (text.trim() === '' && files.length === 0) throw invalid(field, 'must contain text, an image or a file');
  return {
    text,
    files,
    instructions: readText(instructions ?? body['system_message'], 'instructions'),
    sessionId: readText(sessionId, 'session_id'),
    model: readText(model, 'model'),
  };
}

function readInput(input: JsonValue | undefined, field: string): ReturnType<typeof readContent> {
  if (!Array.isArray(input) || !input.some((item) => isJsonObject(item) && 'role' in item))
    return readContent(input, field);
  const read = input.map((message, index) => readUserMessage(message, `${field}.${index}`));
  return { text: read.map(({ text }) => text).join('\n\n'), files: read.flatMap(({ files }) => files) };
}

function readUserMessage(message: JsonValue, field: string): ReturnType<typeof readContent> {
  const { role, content } = isJsonObject(message) ? message : ({} as JsonObject);
  if (role !== 'user')
    throw invalid(`${field}.role`, 'must be user: what was said before is in the session (`session_id`)');
  return readContent(content, `${field}.content`);
}
