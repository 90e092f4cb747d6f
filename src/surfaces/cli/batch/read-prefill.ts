import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, isJsonObject, type JsonValue, type Message, parseJson } from '../../../base/index.ts';
import { fileErrorReason } from '../../../util/index.ts';

/** Messages that come before each prompt: `[{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]`. */
export async function readPrefill(path: string, workingDirectory: string): Promise<Message[]> {
  const file = resolve(workingDirectory, path);
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new ConfigurationError(`--prefill: ${file} cannot be read: ${fileErrorReason(thrown)}.`, { cause: thrown });
  });
  const value = parseJson(text);
  if (!Array.isArray(value)) throw wrong(file, 'it is no JSON list');
  const messages = value.map(readMessage);
  const at = messages.indexOf(undefined);
  if (at >= 0) throw wrong(file, `entry ${at + 1} is no message of "user" or "assistant" with a "content"`);
  return messages.filter((message) => message !== undefined);
}

function readMessage(value: JsonValue): Message | undefined {
  if (!isJsonObject(value)) return undefined;
  const { role, content } = value;
  return (role === 'user' || role === 'assistant') && typeof content === 'string' ? { role, content } : undefined;
}

function wrong(file: string, what: string): ConfigurationError {
  return new ConfigurationError(`--prefill: ${file} cannot be used: ${what}.`, {
    hint: 'It must be a list such as [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}].',
  });
}
