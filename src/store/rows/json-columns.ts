import {
  type Attachment,
  ATTACHMENT_KINDS,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  type ToolCall,
} from '../../base/index.ts';

/**
 * Tool calls in the format of the original. `call_id` links a call to its result; `id` is the item id of the
 * Responses API, or equal to `call_id` for other APIs.
 */
export function toolCallsToJson(calls: readonly ToolCall[]): string {
  return JSON.stringify(calls.map(toStored));
}

/** Reads what we or the original wrote. Invalid entries are skipped, so that a history can always be opened. */
export function toolCallsFromJson(json: string): ToolCall[] | undefined {
  const list = parseJson(json);
  if (!Array.isArray(list)) return undefined;
  return list.map(fromStored).filter((call) => call !== undefined);
}

/** The list in a JSON column; undefined if another program stored something else there. */
export function listFromJson(json: string): JsonValue[] | undefined {
  const value = parseJson(json);
  return Array.isArray(value) ? value : undefined;
}

function toStored(call: ToolCall): JsonObject {
  const stored: JsonObject = {
    id: call.itemId ?? call.id,
    call_id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  };
  // If `id` equals `call_id`, readers assume that there is no item id; this key says that there is one.
  if (call.itemId === call.id) stored.response_item_id = call.itemId;
  if (call.extraContent !== undefined) stored.extra_content = call.extraContent;
  return stored;
}

function fromStored(stored: JsonValue): ToolCall | undefined {
  if (!isJsonObject(stored) || !isJsonObject(stored.function)) return undefined;
  const { name, arguments: written } = stored.function;
  // Rows of older versions only have `id`.
  const id = stored.call_id ?? stored.id;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const call: ToolCall = { id, name, arguments: typeof written === 'string' ? written : JSON.stringify(written ?? {}) };
  const itemId = stored.response_item_id ?? stored.id;
  if (typeof itemId === 'string' && (itemId !== id || stored.response_item_id === itemId)) call.itemId = itemId;
  if (stored.extra_content !== undefined) call.extraContent = stored.extra_content;
  return call;
}

const HASH = /^[0-9a-f]{64}$/;
/** The media type becomes part of requests and pages, so no other characters are allowed. */
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;

/** The attachments of a stored message. Invalid entries are skipped; undefined if the value is not a list. */
export function attachmentsFromJson(text: string): Attachment[] | undefined {
  const parsed = parseJson(text);
  return Array.isArray(parsed) ? parsed.flatMap(readAttachment) : undefined;
}

function readAttachment(entry: JsonValue): Attachment[] {
  if (!isJsonObject(entry)) return [];
  const { mediaType, name, hash, size, description } = entry;
  const kind = ATTACHMENT_KINDS.find((known) => known === entry['kind']);
  if (kind === undefined || typeof name !== 'string' || typeof size !== 'number') return [];
  if (typeof hash !== 'string' || !HASH.test(hash)) return [];
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType)) return [];
  const attachment: Attachment = { kind, mediaType, name, hash, size };
  if (typeof description === 'string') attachment.description = description;
  return [attachment];
}
