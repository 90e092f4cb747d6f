import { type Attachment, ATTACHMENT_KINDS, isJsonObject, type JsonValue, parseJson } from '../../base/index.ts';

const HASH = /^[0-9a-f]{64}$/;
/** It becomes part of requests and pages, so nothing else may stand in it. */
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;

/** The attachments of a stored message. Entries that are none are left out; undefined where it is no list. */
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
