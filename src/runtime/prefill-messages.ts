import { readFile } from 'node:fs/promises';
import { ConfigurationError, isJsonObject, type JsonValue, type Message, parseJson } from '../base/index.ts';
import { fileErrorReason } from '../util/index.ts';

const HINT =
  'Pass a JSON file with an array such as [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}].';

/**
 * Reads the messages to send before each conversation: `[{"role": "user", "content": "…"}, {"role": "assistant",
 * "content": "…"}]`. `setting` is the option or key that names the file.
 */
export async function readPrefill(file: string, setting: string): Promise<Message[]> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new ConfigurationError(`${setting}: cannot read ${file}: ${fileErrorReason(thrown)}.`, {
      hint: HINT,
      cause: thrown,
    });
  });
  const value = parseJson(text);
  if (!Array.isArray(value)) throw invalid(setting, file, 'not a JSON array');
  const messages = value.map(readMessage);
  const at = messages.indexOf(undefined);
  if (at >= 0) {
    const wanted = 'a message with the role "user" or "assistant" and a "content"';
    throw invalid(setting, file, `item ${at + 1} is not ${wanted}`);
  }
  return messages.filter((message) => message !== undefined);
}

function readMessage(value: JsonValue): Message | undefined {
  if (!isJsonObject(value)) return undefined;
  const { role, content } = value;
  return (role === 'user' || role === 'assistant') && typeof content === 'string' ? { role, content } : undefined;
}

function invalid(setting: string, file: string, what: string): ConfigurationError {
  return new ConfigurationError(`${setting}: ${file} is invalid: ${what}.`, { hint: HINT });
}
