import type { JsonObject } from '../../base/index.ts';
import type { IncomingFile } from '../../contracts/index.ts';
import { listAt, numberAt, objectAt, textAt } from '../json-fields.ts';

/** The files of a message. */
export function readFiles(message: JsonObject): IncomingFile[] {
  const photo = largest(listAt(message, 'photo'));
  if (photo !== undefined) return keep(readFile(photo, { kind: 'image', mediaType: 'image/jpeg' }));
  const voice = objectAt(message, 'voice');
  if (voice !== undefined) return keep(readFile(voice, { kind: 'audio', mediaType: 'audio/ogg', isVoice: true }));
  const audio = objectAt(message, 'audio');
  if (audio !== undefined) return keep(readFile(audio, { kind: 'audio' }));
  const video = objectAt(message, 'video') ?? objectAt(message, 'video_note') ?? objectAt(message, 'animation');
  if (video !== undefined) return keep(readFile(video, { kind: 'video', mediaType: 'video/mp4' }));
  const document = objectAt(message, 'document');
  return document === undefined ? [] : keep(readFile(document, { kind: 'document' }));
}

const keep = (file: IncomingFile | undefined) => (file === undefined ? [] : [file]);

type Known = Pick<IncomingFile, 'kind' | 'mediaType' | 'isVoice'>;

function readFile(file: JsonObject, known: Known): IncomingFile | undefined {
  const id = textAt(file, 'file_id');
  if (id === undefined) return undefined;
  const [name, bytes] = [textAt(file, 'file_name'), numberAt(file, 'file_size')];
  const mediaType = textAt(file, 'mime_type') ?? known.mediaType;
  const kind = known.kind === 'document' && mediaType?.startsWith('image/') ? 'image' : known.kind;
  return {
    id,
    kind,
    ...(name !== undefined && { name }),
    ...(mediaType !== undefined && { mediaType }),
    ...(bytes !== undefined && { bytes }),
    ...(known.isVoice && { isVoice: true }),
  };
}

/** Telegram sends a photo in several sizes. */
function largest(sizes: readonly JsonObject[]): JsonObject | undefined {
  const area = (size: JsonObject) => (numberAt(size, 'width') ?? 0) * (numberAt(size, 'height') ?? 0);
  return sizes.reduce<JsonObject | undefined>(
    (best, size) => (best === undefined || area(size) > area(best) ? size : best),
    undefined,
  );
}

/** Content without text as text; empty if there is nothing to say. */
export function describeAttachment(message: JsonObject): string {
  const sticker = objectAt(message, 'sticker');
  if (sticker !== undefined) return textAt(sticker, 'emoji') ?? '[sticker]';
  const dice = objectAt(message, 'dice');
  if (dice !== undefined) return `${textAt(dice, 'emoji') ?? '🎲'} ${numberAt(dice, 'value') ?? ''}`.trim();
  const venue = objectAt(message, 'venue');
  const place = objectAt(message, 'location') ?? objectAt(venue, 'location');
  if (place !== undefined) return describePlace(place, venue);
  const contact = objectAt(message, 'contact');
  if (contact !== undefined) {
    const fields = ['first_name', 'last_name', 'phone_number'].map((name) => textAt(contact, name));
    return `[contact: ${fields.filter((field) => field).join(' ')}]`;
  }
  const poll = objectAt(message, 'poll');
  if (poll === undefined) return '';
  const answers = listAt(poll, 'options').map((option) => textAt(option, 'text') ?? '');
  return `[poll: ${textAt(poll, 'question') ?? ''} (${answers.join(' / ')})]`;
}

function describePlace(place: JsonObject, venue: JsonObject | undefined): string {
  const name = [textAt(venue, 'title'), textAt(venue, 'address')].filter((part) => part).join(', ');
  const position = `${numberAt(place, 'latitude') ?? '?'}, ${numberAt(place, 'longitude') ?? '?'}`;
  return name === '' ? `[location: ${position}]` : `[location: ${name} (${position})]`;
}
