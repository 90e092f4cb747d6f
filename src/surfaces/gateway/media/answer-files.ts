import { basename } from 'node:path';
import { isJsonObject, type Message, parseJson } from '../../../base/index.ts';
import type { Logger } from '../../../contracts/index.ts';
import { safeFetch } from '../../../tools/safe-fetch/index.ts';
import { findMedia, type FoundMedia, type ImageLink, removeTags } from './find-media.ts';
import type { FileGate, TurnFiles } from './file-gate.ts';
import { cleanFileName } from './media-cache.ts';
import { detectMediaType } from './media-type.ts';

/** A file of an answer, ready to be stored. */
export type AnswerFile = { name: string; mediaType: string; bytes: Uint8Array; isVoice: boolean };

export type AnswerOptions = {
  gate: FileGate;
  turn: Omit<TurnFiles, 'written' | 'isMentioned'>;
  /** The messages of the session. */
  messages: readonly Message[];
  maxBytes: number;
  /** Whether images that the answer names by URL may be fetched, and from which addresses. */
  fetching: { allowed: boolean; allowPrivate: boolean };
  signal: AbortSignal;
  logger: Logger;
};

const MAX_FILES = 10;
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
const FETCH_MS = 20_000;

/** Separates an answer into its text and the files that may be sent. The text says which were refused. */
export async function collectFiles(
  answer: string,
  options: AnswerOptions,
): Promise<{ text: string; files: AnswerFile[] }> {
  const media = findMedia(answer);
  if (media.files.length === 0 && media.images.length === 0) return { text: media.text, files: [] };
  const { files, sent, refused } = await checkFiles(media, options);
  for (const image of media.images.slice(0, MAX_FILES - files.length)) {
    const fetched = await fetchImage(image, options);
    if (fetched === undefined) continue;
    files.push(fetched);
    sent.push(image.tag);
  }
  const notices = refused.map(({ path, reason }) => `⚠️ Not sent: \`${path.replaceAll('`', "'")}\`: ${reason}.`);
  return { text: [removeTags(media.text, sent), ...notices].filter((part) => part !== '').join('\n\n'), files };
}

type Checked = { files: AnswerFile[]; sent: string[]; refused: { path: string; reason: string }[] };

async function checkFiles({ files: tags, asVoice }: FoundMedia, options: AnswerOptions): Promise<Checked> {
  const { gate, maxBytes, logger } = options;
  const turn: TurnFiles = {
    ...options.turn,
    written: writtenPaths(options.messages),
    isMentioned: (name) => toolTexts(options.messages).some((text) => text.includes(name)),
  };
  const checked: Checked = { files: [], sent: [], refused: [] };
  for (const { tag, path } of tags) {
    const result =
      checked.files.length < MAX_FILES
        ? await gate.check(path, turn, maxBytes)
        : { allowed: false as const, reason: `an answer can have at most ${MAX_FILES} files` };
    if (result.allowed) {
      const { kind, mediaType } = detectMediaType(result.bytes);
      const name = cleanFileName(basename(result.path));
      checked.files.push({ name, mediaType, bytes: result.bytes, isVoice: asVoice && kind === 'audio' });
      checked.sent.push(tag);
    } else {
      logger.warn('a file of an answer was not sent', { path, reason: result.reason });
      checked.refused.push({ path, reason: result.reason });
    }
  }
  return checked;
}

/** What tools received and returned. */
function toolTexts(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'assistant') return (message.toolCalls ?? []).map((call) => call.arguments);
    return message.role === 'tool' ? [message.content] : [];
  });
}

/** The arguments in which tools get the path of the file that they write. */
const WRITERS: Readonly<Record<string, string>> = {
  write_file: 'path',
  patch: 'path',
  image_generate: 'output_path',
  text_to_speech: 'output_path',
};

/** The files that tools of a session wrote, by the calls and results in its history. */
export function writtenPaths(messages: readonly Message[]): string[] {
  const results = new Map<string, string>();
  for (const message of messages) if (message.role === 'tool') results.set(message.toolCallId, message.content);
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return calls.flatMap(({ id, name, arguments: given }) => {
    const parameter = WRITERS[name];
    const result = results.get(id);
    if (parameter === undefined || result === undefined || result.startsWith('{"error"')) return [];
    const args = parseJson(given);
    const path = isJsonObject(args) ? args[parameter] : undefined;
    const saved = /^Saved (.+?): /.exec(result)?.[1];
    return [path, parameter === 'output_path' ? saved : undefined].filter((each) => typeof each === 'string');
  });
}

/**
 * An image that the answer shows by its URL. A URL that only the model wrote is not fetched, because it could carry
 * data to its server.
 */
async function fetchImage({ url }: ImageLink, options: AnswerOptions): Promise<AnswerFile | undefined> {
  const { fetching, messages, maxBytes, signal, logger } = options;
  const isKnown = messages.some(({ role, content }) => role !== 'assistant' && content.includes(url));
  if (!fetching.allowed || !isKnown) return undefined;
  try {
    const limit = Math.min(MAX_IMAGE_BYTES, maxBytes);
    const limits = { maxBytes: limit, timeoutMs: FETCH_MS, allowPrivate: fetching.allowPrivate };
    const { status, body, cut } = await safeFetch(url, { signal, ...limits });
    const { kind, mediaType, extension } = detectMediaType(body);
    if (status !== 200 || cut || kind !== 'image') return undefined;
    const name = cleanFileName(basename(new URL(url).pathname)).replace(/\.[^.]*$/, '');
    return { name: `${name}${extension}`, mediaType, bytes: body, isVoice: false };
  } catch (thrown) {
    signal.throwIfAborted();
    logger.info('could not fetch an image of an answer', { error: String(thrown) });
    return undefined;
  }
}
