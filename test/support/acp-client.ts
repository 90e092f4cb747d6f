import { PassThrough, type Readable, type Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { runAcp } from '../../src/surfaces/acp/index.ts';
import type { TemporaryHome } from '../../src/testing/index.ts';
import { createFrameValidator, type Frame } from './acp-frames.ts';

export type Update = Record<string, unknown> & { sessionUpdate: string };

/** Answers a request of the agent. */
type Handler = (params: Record<string, unknown>) => unknown;

/** A client of an ACP agent that validates every message. */
export interface AcpTestClient {
  /** All messages of the agent. */
  readonly frames: readonly Frame[];
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Expects an error. */
  failing(method: string, params?: object): Promise<{ code: number; message: string }>;
  notify(method: string, params: object): void;
  /** Sets the answer to requests of the agent. */
  on(method: string, handler: Handler): void;
  /** The updates of a session since the last call, with consecutive chunks merged. */
  takeUpdates(sessionId: string): Update[];
  /** Waits for an update that has arrived since the last `takeUpdates`. */
  seen(sessionId: string, matches: (update: Update) => boolean): Promise<Update>;
  /** Waits until the agent has asked. */
  asked(method: string): Promise<Record<string, unknown>>;
  /** Ends the input, and checks that every message was valid. */
  end(): Promise<void>;
}

export function connectAcp(input: Readable, output: Writable, unstable = false): AcpTestClient {
  const validate = { agent: createFrameValidator(unstable), client: createFrameValidator(unstable) };
  const faults: string[] = [];
  const frames: Frame[] = [];
  const handlers = new Map<string, Handler>();
  const pending = new Map<unknown, (frame: Frame) => void>();
  const taken = new Map<string, number>();
  let [nextId, changed] = [1, Promise.withResolvers<void>()];

  function send(frame: Frame): void {
    // Answers are validated by the method that the agent has asked with, and the other way round.
    const side = frame.method === undefined ? validate.agent : validate.client;
    faults.push(...side({ jsonrpc: '2.0', ...frame }).map((fault) => `client: ${fault}`));
    output.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  }

  async function answer({ id, method = '', params = {} }: Frame): Promise<void> {
    const handler = handlers.get(method);
    if (handler === undefined) send({ id, error: { code: -32_601, message: `no handler for ${method}` } });
    else send({ id, result: (await handler(params)) as Record<string, unknown> });
  }

  const lines = createInterface({ input });
  const closed = new Promise<void>((resolve) => void lines.on('close', resolve));
  lines.on('line', (line) => {
    const frame = JSON.parse(line) as Frame;
    faults.push(...(frame.method === undefined ? validate.client : validate.agent)(frame));
    frames.push(frame);
    if (frame.method === undefined) pending.get(frame.id)?.(frame);
    else if (frame.id !== undefined) void answer(frame);
    changed.resolve();
    changed = Promise.withResolvers();
  });

  async function until<Value>(find: () => Value | undefined): Promise<Value> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await changed.promise;
    }
  }

  const ask = (method: string, params: object = {}) =>
    new Promise<Frame>((resolve) => {
      const id = nextId;
      nextId += 1;
      pending.set(id, resolve);
      send({ id, method, params: params as Record<string, unknown> });
    });
  const updatesOf = (sessionId: string) =>
    frames
      .slice(taken.get(sessionId) ?? 0)
      .filter(({ method, params }) => method === 'session/update' && params?.['sessionId'] === sessionId)
      .map(({ params }) => params?.['update'] as Update);

  return {
    frames,
    async request(method, params) {
      const { result, error } = await ask(method, params);
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
      return result ?? {};
    },
    async failing(method, params) {
      const { result, error } = await ask(method, params);
      if (error === undefined) throw new Error(`${method} succeeded: ${JSON.stringify(result)}`);
      return error;
    },
    notify: (method, params) => send({ method, params: params as Record<string, unknown> }),
    on: (method, handler) => void handlers.set(method, handler),
    takeUpdates(sessionId) {
      const updates = mergeChunks(updatesOf(sessionId));
      taken.set(sessionId, frames.length);
      return updates;
    },
    seen: (sessionId, matches) => until(() => updatesOf(sessionId).find(matches)),
    asked: (method) => until(() => frames.find((frame) => frame.method === method)?.params),
    async end() {
      output.end();
      await closed;
      expect(faults).toEqual([]);
    },
  };
}

/** Joins the chunks of a message, because a loaded session has each message in one chunk. */
function mergeChunks(updates: readonly Update[]): Update[] {
  const merged: Update[] = [];
  for (const update of updates) {
    const [last, content] = [merged.at(-1), update['content'] as { text?: string } | undefined];
    const isSame = last?.sessionUpdate === update.sessionUpdate && last['messageId'] === update['messageId'];
    if (isSame && isText(last['content'] as object) && isText(content)) {
      const before = last['content'] as { text: string };
      merged[merged.length - 1] = { ...last, content: { ...before, text: before.text + (content?.text ?? '') } };
    } else merged.push(update);
  }
  return merged;
}

function isText(content: { text?: string } | undefined): boolean {
  return typeof content?.text === 'string';
}

export type OpenedAcp = { client: AcpTestClient; initialized: Record<string, unknown>; ended: Promise<void> };

/** Starts a server in this process and initializes it. */
export async function openAcp(
  home: TemporaryHome,
  { capabilities = {}, unstable = false }: { capabilities?: object; unstable?: boolean } = {},
): Promise<OpenedAcp> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = runAcp({
    input,
    output,
    env: { HOME: home.userHome, HERMES_HOME: home.path, PATH: process.env['PATH'] },
    workingDirectory: home.workspace,
    version: '1.2.3',
    signal: new AbortController().signal,
    onOpened: () => undefined,
  }).finally(() => output.end());
  const client = connectAcp(output, input, unstable);
  const initialized = await client.request('initialize', { protocolVersion: 1, clientCapabilities: capabilities });
  return { client, initialized, ended };
}
