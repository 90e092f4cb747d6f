import { resolve } from 'node:path';
import { ConfigurationError, errorMessage, type JsonValue } from '../../base/index.ts';
import { type AnswerSchema, createAnswerSchema } from '../../runtime/answer-schema/index.ts';
import { readFile } from './read-prompt.ts';

/** Reads the answer schema. An invalid one is a usage error, reported before any request is sent. */
export async function readAnswerSchema(file: string, folder: string): Promise<AnswerSchema> {
  const path = resolve(folder, file);
  const schema = createAnswerSchema(parse(await readFile(path), path));
  if ('fault' in schema) throw invalidSchema(path, schema.fault);
  return schema;
}

function parse(text: string, path: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (thrown) {
    throw invalidSchema(path, errorMessage(thrown));
  }
}

function invalidSchema(path: string, reason: string): ConfigurationError {
  return new ConfigurationError(`${path} is not a usable JSON Schema: ${reason}.`, {
    hint: '--output-schema expects a JSON file such as {"type": "object", "properties": {…}, "required": […]}.',
  });
}
