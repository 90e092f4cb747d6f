import { type Channel, ChannelError, type ChannelFacts, type ChannelMessage } from '../../contracts/index.ts';
import { rememberSecrets } from '../../util/index.ts';
import type { HttpClientOptions } from '../http/index.ts';
import { requireSize } from '../file-size.ts';
import { renderPlainText } from '../text/plain-text.ts';
import { createNtfyApi, type NtfyApi } from './ntfy-api.ts';
import { OWN_TAG, receiveMessages } from './receive.ts';

export type NtfyOptions = HttpClientOptions & {
  topic: string;
  serverUrl: string;
  token?: string;
  /** For tests. */
  times?: Partial<NtfyTimes>;
};

export type NtfyTimes = { callMs: number; transferMs: number; silenceMs: number };

/** The server sends a sign of life every 45 s. */
const TIMES: NtfyTimes = { callMs: 30_000, transferMs: 120_000, silenceMs: 100_000 };
const MAX_TEXT = 4096;
const MAX_FILE = 15 * 1024 * 1024;

/** The limits are the defaults of the server, and those of ntfy.sh. */
const FACTS: ChannelFacts = {
  platform: 'ntfy',
  maxText: MAX_TEXT,
  textUnit: 'bytes',
  hasButtons: false,
  streaming: 'none',
  maxUploadBytes: MAX_FILE,
  maxDownloadBytes: MAX_FILE,
  repeats: 'none',
  rates: { account: { count: 12, perMs: 60_000 }, chat: { count: 12, perMs: 60_000 } },
  silenceMs: 120_000,
};

/** A topic of an ntfy server: messages are published over HTTP, and received as a stream of JSON lines. */
export function createNtfyChannel(options: NtfyOptions): Channel {
  const { topic, token } = options;
  if (token !== undefined) rememberSecrets([token]);
  const api = createNtfyApi({ ...options, times: { ...TIMES, ...options.times } });
  return {
    facts: FACTS,
    render: (markdown) => renderPlainText(markdown, MAX_TEXT, 'bytes'),
    async identify(signal) {
      await api.verifyAccess(topic, signal);
      return { account: `ntfy:${new URL(options.serverUrl).host}/${topic}`, name: topic };
    },
    receive: (receiving) => receiveMessages(api, topic, receiving),
    send: (message, { signal }) => publish(api, message, signal),
    edit: () => Promise.reject(new ChannelError('rejected', 'ntfy: messages cannot be edited.')),
    async fetchFile(file, { maxBytes, signal }) {
      const limit = Math.min(maxBytes, MAX_FILE);
      requireSize(file.bytes, limit);
      return api.download(file.id, { maxBytes: limit, signal });
    },
    close() {
      api.close();
      return Promise.resolve();
    },
  };
}

async function publish(api: NtfyApi, { target, content, file }: ChannelMessage, signal: AbortSignal) {
  const text = file === undefined ? content?.text : file.caption;
  if (text === undefined && file === undefined) {
    throw new ChannelError('rejected', 'ntfy: a message needs a text or a file.');
  }
  // The server would turn a longer text into a file.
  const length = Buffer.byteLength(text ?? '');
  if (length > MAX_TEXT) {
    throw new ChannelError('too_long', `ntfy: the text has ${length} bytes; ${MAX_TEXT} are allowed.`);
  }
  if (file === undefined) return api.publish(target.chatId, { tags: OWN_TAG }, text ?? '', signal);
  if (file.bytes.length > MAX_FILE) {
    throw new ChannelError('too_long', `ntfy: ${file.name} has ${file.bytes.length} bytes; 15 MB are allowed.`);
  }
  const parameters = { tags: OWN_TAG, filename: file.name, ...(text && { message: text }) };
  return api.publish(target.chatId, parameters, file.bytes, signal);
}
