import { announcedEncoding, isBinary, isPdf } from '../text/encoding.ts';

export type PageKind = 'html' | 'pdf' | 'text' | 'binary';

const PROBE = 1024;
/** Types whose text is shown as it is, also where it is full of tags. */
const PLAIN = /^(?:text\/(?!html)|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript)\b(?!\+))/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)/;
const HTML_BEGINNING = /^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i;

/** What a page is. Servers are wrong about it often enough, so its bytes count before what they say. */
export function kindOfPage(body: Uint8Array, contentType: string): PageKind {
  if (isPdf(body)) return 'pdf';
  if (isBinary(body) && announcedEncoding(body) === undefined) return 'binary';
  const type = contentType.trim().toLowerCase();
  if (HTML.test(type)) return 'html';
  if (PLAIN.test(type)) return 'text';
  return HTML_BEGINNING.test(new TextDecoder('latin1').decode(body.subarray(0, PROBE))) ? 'html' : 'text';
}

/** The text of a page in the encoding that it, or its server, says it has; UTF-8 without a word about it. */
export function decodePage(body: Uint8Array, contentType: string): string {
  const head = new TextDecoder('latin1').decode(body.subarray(0, PROBE));
  const said = /charset\s*=\s*["']?([\w.:-]{1,40})/i;
  const name = announcedEncoding(body) ?? said.exec(contentType)?.[1] ?? metaCharset(head, said);
  return decoderFor(name).decode(body);
}

function metaCharset(head: string, said: RegExp): string | undefined {
  const tag = /<meta\b[^>]{0,200}charset[^>]{0,100}>/i.exec(head)?.[0];
  return tag === undefined ? undefined : said.exec(tag)?.[1];
}

/** Names that nobody knows stand for nothing. */
function decoderFor(name = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder();
  }
}
