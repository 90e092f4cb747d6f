import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import { cleanSurrogates, takeStart } from '../util/index.ts';

/** Keeps bytes beside the session and says where; undefined where nothing is kept. */
export type KeepFile = (bytes: Uint8Array, extension: string) => Promise<string | undefined>;

/** More than this is not even looked at: what a model reads of it is far less. */
const LONGEST_RESULT = 2_000_000;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'application/pdf': 'pdf',
  'application/gzip': 'gz',
};

/** The answer to a tool call as a model can read it: text as it is, everything else described, and kept in a file. */
export async function renderResult(result: JsonValue, keep: KeepFile): Promise<{ text: string; isError: boolean }> {
  if (!isJsonObject(result)) return { text: limit(JSON.stringify(result) ?? ''), isError: false };
  const { content, structuredContent } = result;
  const blocks = Array.isArray(content) ? content : [];
  const parts = await Promise.all(blocks.map((block) => renderBlock(block, keep)));
  const hasText = blocks.some((block) => isJsonObject(block) && block['type'] === 'text');
  // Servers give the same as text for those who cannot read the other.
  if (structuredContent !== undefined && !hasText) parts.push(JSON.stringify(structuredContent));
  const text = parts.filter((part) => part !== '').join('\n');
  return {
    text: limit(text === '' ? 'There is no content in the answer.' : text),
    isError: result['isError'] === true,
  };
}

/** What stands in a resource. */
export async function renderResource(result: JsonValue, keep: KeepFile): Promise<string> {
  const contents = isJsonObject(result) && Array.isArray(result['contents']) ? result['contents'] : [];
  const parts = await Promise.all(contents.map((content) => renderContents(content, keep)));
  return limit(parts.join('\n') || 'The resource is empty.');
}

/** The messages that a prompt consists of. */
export async function renderPrompt(result: JsonValue, keep: KeepFile): Promise<string> {
  const messages = isJsonObject(result) && Array.isArray(result['messages']) ? result['messages'] : [];
  const parts = await Promise.all(
    messages.filter(isJsonObject).map(async ({ role, content }) => {
      return `${role === 'assistant' ? 'assistant' : 'user'}: ${await renderBlock(content ?? '', keep)}`;
    }),
  );
  return limit(parts.join('\n\n') || 'The prompt is empty.');
}

async function renderBlock(block: JsonValue, keep: KeepFile): Promise<string> {
  if (!isJsonObject(block)) return typeof block === 'string' ? block : '';
  const { type, text, data, mimeType } = block;
  if (type === 'text') return typeof text === 'string' ? text : '';
  if (type === 'image' || type === 'audio') return describeBytes(type, data, mimeType, keep);
  if (type === 'resource') return renderContents(block['resource'] ?? '', keep);
  if (type === 'resource_link') return describeLink(block);
  return JSON.stringify(block);
}

function describeLink({ uri, name, description }: JsonObject): string {
  const words = [name, description].flatMap((part) => (typeof part === 'string' && part !== '' ? [part] : []));
  const about = words.join(': ');
  return `[resource ${nameOf(uri)}${about === '' ? '' : ` (${about})`}]`;
}

async function renderContents(contents: JsonValue, keep: KeepFile): Promise<string> {
  if (!isJsonObject(contents)) return '';
  const { uri, text, blob, mimeType } = contents;
  if (typeof text === 'string') return `[resource ${nameOf(uri)}]\n${text}`;
  return describeBytes(`resource ${nameOf(uri)},`, blob, mimeType, keep);
}

/** `[image image/png, 1234 bytes, in /…/x.png]`: what is not text can be looked at with other tools. */
async function describeBytes(
  what: string,
  data: JsonValue | undefined,
  mimeType: JsonValue | undefined,
  keep: KeepFile,
): Promise<string> {
  const kind = typeof mimeType === 'string' ? mimeType.slice(0, 100) : 'of unknown type';
  if (typeof data !== 'string') return `[${what} ${kind}, without content]`;
  const bytes = Buffer.from(data, 'base64');
  const file = await keep(bytes, EXTENSIONS[kind] ?? 'bin');
  return `[${what} ${kind}, ${bytes.length} bytes${file === undefined ? '' : `, in ${file}`}]`;
}

function nameOf(uri: JsonValue | undefined): string {
  return typeof uri === 'string' ? uri : 'without an address';
}

function limit(text: string): string {
  const clean = cleanSurrogates(text);
  if (clean.length <= LONGEST_RESULT) return clean;
  return `${takeStart(clean, LONGEST_RESULT)}\n[… ${clean.length - LONGEST_RESULT} characters left out …]`;
}
