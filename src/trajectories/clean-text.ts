import type { Attachment } from '../base/index.ts';
import { cleanSurrogates, redactForModel } from '../util/index.ts';
import type { StringChange } from './spaced-json.ts';

/** Replaces a secret that is the whole value of a field. */
const SECRET = '«secret removed»';
/** Data URLs such as `data:image/png;base64,…`. Short ones are examples in a text about them. */
const DATA_ADDRESS = /data:([a-z0-9][a-z0-9.+/-]{0,100})?(?:;[a-z0-9=._-]{1,60}){0,4};base64,([A-Za-z0-9+/=_-]{64,})/gi;
const BASE64 = /^[A-Za-z0-9+/_-]{256,}={0,2}$/;

/** Cleans text for a trajectory: replaces broken characters and data URLs, and optionally redacts secrets. */
export function cleanText(text: string, redact: boolean): string {
  const clean = cleanSurrogates(text).replace(DATA_ADDRESS, (_match, type: string | undefined, data: string) =>
    describeBytes(type ?? 'text/plain', data),
  );
  return redact ? redactForModel(clean) : clean;
}

/** Like `cleanText` for JSON strings, where bytes and secrets are also recognised by their field names. */
export function cleanStrings(redact: boolean): StringChange {
  return (text, key) => {
    if (key === 'data' && BASE64.test(text)) return describeBytes('data', text);
    const clean = cleanText(text, redact);
    if (!redact || key === undefined) return clean;
    return redactForModel(`${key}: "${clean}"`).includes(`"${SECRET}`) ? SECRET : clean;
  };
}

function describeBytes(type: string, base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
  return `[${type}, ${bytes} bytes, left out]`;
}

/** An attachment as text: what it is, and its description. */
export function describeAttachment({ kind, name, mediaType, size, description }: Attachment): string {
  const what = `${kind === 'image' ? 'Image' : 'File'} ${JSON.stringify(name)}, ${mediaType}, ${size} bytes`;
  return description === undefined ? `[${what}]` : `[${what}: ${description}]`;
}
