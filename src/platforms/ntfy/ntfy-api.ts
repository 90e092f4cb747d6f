import { isJsonObject, parseJson } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import { callHttp, createHttpClient, type HttpStream, toNetworkError, toStatusError } from '../http/index.ts';
import { textAt } from '../json-fields.ts';
import type { NtfyOptions, NtfyTimes } from './ntfy-channel.ts';

const MAX_RESPONSE = 1024 * 1024;

/** The HTTP interface of an ntfy server. All failures are `ChannelError`s. */
export type NtfyApi = ReturnType<typeof createNtfyApi>;

export function createNtfyApi({ serverUrl, token, variables, proxy, times }: NtfyOptions & { times: NtfyTimes }) {
  const client = createHttpClient({ variables, ...(proxy && { proxy }) });
  const base = serverUrl.trim().replace(/\/+$/, '');
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const limits = { headers, silenceMs: times.callMs, timeoutMs: times.callMs + times.transferMs };
  const urlOf = (topic: string, path: string) => `${base}/${encodeURIComponent(topic)}${path}`;
  const get = (what: string, url: string, maxBytes: number, signal: AbortSignal) =>
    callHttp(client, { method: 'GET', url, ...limits, maxBytes, signal }, factsOf(what, true));
  return {
    async verifyAccess(topic: string, signal: AbortSignal): Promise<void> {
      await get('the check of the topic', urlOf(topic, '/auth'), MAX_RESPONSE, signal).catch(fatalIfForbidden);
    },
    async publish(topic: string, parameters: Record<string, string>, body: string | Uint8Array, signal: AbortSignal) {
      const url = urlOf(topic, `?${new URLSearchParams(parameters).toString()}`);
      const request = { method: 'POST' as const, url, ...limits, body, maxBytes: MAX_RESPONSE, signal };
      const answer = parseJson((await callHttp(client, request, factsOf('publishing', false))).body.toString('utf8'));
      const id = isJsonObject(answer) ? textAt(answer, 'id') : undefined;
      if (id === undefined) throw new ChannelError('uncertain', 'ntfy: the response to publishing is not valid.');
      return { id };
    },
    /** Opens the stream of a topic. `since`: the id of a message, or a time in seconds. */
    async subscribe(topic: string, since: string | undefined, signal: AbortSignal): Promise<HttpStream> {
      const url = urlOf(topic, since === undefined ? '/json' : `/json?since=${encodeURIComponent(since)}`);
      const facts = factsOf('receiving', true);
      const request = { url, headers, silenceMs: times.silenceMs, maxLineBytes: MAX_RESPONSE, signal };
      const stream = await client.stream(request).catch((error: unknown) => {
        throw toNetworkError(facts.what, error, true);
      });
      return stream.status === 200 ? stream : fatalIfForbidden(toStatusError(stream, facts));
    },
    async download(url: string, { maxBytes, signal }: { maxBytes: number; signal: AbortSignal }) {
      // A message can name any address. The token and this machine's network are for the server only.
      if (!url.startsWith(`${base}/file/`)) {
        throw new ChannelError('rejected', 'ntfy: the file is not on the ntfy server, so it was not fetched.');
      }
      return (await get('the download of a file', url, maxBytes, signal)).body;
    },
    close: () => client.close(),
  };
}

const factsOf = (what: string, isRepeatable: boolean) => ({
  what: `ntfy: ${what}`,
  isRepeatable,
  accessHint: 'Check NTFY_TOKEN, and the access of its account to the topic.',
});

/** Without access to its topic, the bot cannot work. */
function fatalIfForbidden(error: unknown): never {
  if (!(error instanceof ChannelError) || error.fault !== 'forbidden') throw error;
  throw new ChannelError('fatal', error.message, error.hint === undefined ? {} : { hint: error.hint });
}
