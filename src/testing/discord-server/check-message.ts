import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { ApiError, invalidField } from './api-error.ts';

const MAX_CONTENT = 2000;
const MAX_NONCE = 25;
const MAX_LABEL = 80;
const MAX_CUSTOM_ID = 100;

/** Checks the text of a message as Discord does. Space at both ends is removed. */
export function checkContent(body: JsonObject, hasFiles: boolean): string {
  const content = body['content'] ?? '';
  if (typeof content !== 'string')
    throw invalidField('content', 'BASE_TYPE_BAD_TYPE', 'Could not interpret as string.');
  if (!content.isWellFormed()) throw new ApiError(400, 50_109, 'The request body contains invalid JSON.');
  if ([...content].length > MAX_CONTENT) {
    throw invalidField('content', 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_CONTENT} or fewer in length.`);
  }
  const text = content.trim();
  if (text === '' && !hasFiles) throw new ApiError(400, 50_006, 'Cannot send an empty message');
  return text;
}

export function checkNonce({ nonce }: JsonObject): string | undefined {
  if (nonce === undefined) return undefined;
  const isText = typeof nonce === 'string' || typeof nonce === 'number';
  if (!isText || String(nonce).length > MAX_NONCE) {
    throw invalidField('nonce', 'NONCE_TYPE_TOO_LONG', `Must be ${MAX_NONCE} or fewer in length.`);
  }
  return String(nonce);
}

/** Checks the rows of buttons of a message and returns the buttons. */
export function checkComponents(components: JsonValue | undefined): JsonObject[][] {
  if (components === undefined) return [];
  if (!Array.isArray(components)) throw invalidField('components', 'LIST_TYPE_CONVERT', 'Only iterables may be used.');
  if (components.length > 5) throw invalidField('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5.');
  const rows = components.map(checkRow);
  const ids = rows.flat().map((button) => button['custom_id']);
  if (new Set(ids).size < ids.length) {
    throw invalidField('components', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  }
  return rows;
}

function checkRow(row: JsonValue): JsonObject[] {
  const buttons = isJsonObject(row) && row['type'] === 1 ? row['components'] : undefined;
  if (!Array.isArray(buttons) || buttons.length < 1 || buttons.length > 5) {
    throw invalidField('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
  }
  return buttons.map(checkButton);
}

function checkButton(button: JsonValue): JsonObject {
  const wrong = (reason: string) => invalidField('components', 'BUTTON_COMPONENT_INVALID', reason);
  if (!isJsonObject(button) || button['type'] !== 2) throw wrong('Only buttons are supported.');
  const { label, custom_id: id, style } = button;
  if (typeof style !== 'number' || style < 1 || style > 4) throw wrong('A custom id needs a style from 1 to 4.');
  if (typeof label !== 'string' || label.trim() === '' || [...label].length > MAX_LABEL) throw wrong('Bad label.');
  if (typeof id !== 'string' || id === '' || id.length > MAX_CUSTOM_ID) throw wrong('Bad custom id.');
  return button;
}

/** Who gets a notification: what the text mentions, unless `allowed_mentions` prevents it. */
export function findPings(content: string, allowed: JsonValue | undefined): string[] {
  const rules = isJsonObject(allowed) ? allowed : undefined;
  const parse = rules?.['parse'];
  if (allowed !== undefined && rules === undefined)
    throw invalidField('allowed_mentions', 'MODEL_TYPE_CONVERT', 'Bad.');
  if (parse !== undefined && !Array.isArray(parse)) throw invalidField('allowed_mentions', 'LIST_TYPE_CONVERT', 'Bad.');
  const mayPing = (kind: string) => rules === undefined || (Array.isArray(parse) && parse.includes(kind));
  const found = (pattern: RegExp) => [...content.matchAll(pattern)].map(([whole, id]) => id ?? whole);
  return [
    ...(mayPing('users') ? found(/<@!?(\d+)>/g) : []),
    ...(mayPing('roles') ? found(/<@&(\d+)>/g) : []),
    ...(mayPing('everyone') ? found(/@(everyone|here)/g) : []),
  ];
}

/** Checks the commands of an application. */
export function checkCommands(list: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(list) || list.length > 100) throw new ApiError(400, 30_032, 'Maximum number of commands reached');
  const names = new Set<unknown>();
  for (const command of list) {
    const { name, description } = isJsonObject(command) ? command : {};
    const isName = typeof name === 'string' && /^[-_'\p{Ll}\p{Lo}\p{N}]{1,32}$/u.test(name) && !names.has(name);
    if (!isName) throw invalidField('name', 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
    if (typeof description !== 'string' || description === '' || [...description].length > 100) {
      throw invalidField('description', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
    }
    names.add(name);
  }
  return list as JsonObject[];
}
