import type { ModelFacts, RouteSource } from '../../src/contracts/index.ts';
import type { ApiMode } from '../../src/contracts/index.ts';
import { createModelClient, type ModelQuirks } from '../../src/llm/index.ts';
import type { ProviderServer, Reply } from '../../src/testing/index.ts';

/** Silence on loopback after which a stream counts as stalled, for tests in which one stalls. */
export const STALL_MS = 700;
/** For tests that count requests: a busy machine must not cause a retry. */
export const PATIENT_MS = 60_000;

export type ServedModel = { model?: string; quirks?: ModelQuirks; contextLength?: number; stallMs?: number };

/** A route through the real model client to a provider server. */
export function routeToServer(
  server: ProviderServer,
  apiMode: ApiMode,
  provider = 'server',
  facts?: ModelFacts,
  { model = 'test-model', quirks, contextLength, stallMs = STALL_MS }: ServedModel = {},
): RouteSource {
  const baseUrl = server.baseUrl(apiMode);
  return {
    provider,
    model,
    open: async () => ({
      provider,
      model,
      baseUrl,
      apiMode,
      contextLength,
      facts,
      client: createModelClient({
        apiMode,
        baseUrl,
        model,
        quirks,
        credential: { secret: 'test-secret', hosts: [new URL(server.url).host] },
        stallTimeoutMs: stallMs,
      }),
    }),
  };
}

export type NamedFault = {
  name: string;
  reply: Reply;
  /** Whether a retry of the same request can succeed. */
  recovers: boolean;
};

const status = (code: number, recovers: boolean, extra: object = {}): NamedFault => ({
  name: `status ${code}`,
  reply: { fault: { type: 'status', status: code, ...extra } },
  recovers,
});

const broken = (name: string, fault: NonNullable<Reply['fault']>, recovers = true): NamedFault => ({
  name,
  reply: { text: 'this answer goes wrong on its way', fault },
  recovers,
});

/** Every known failure of a provider. */
export const FAULTS: readonly NamedFault[] = [
  status(400, false),
  status(401, false),
  status(402, false),
  status(403, false),
  status(404, false),
  status(408, true),
  status(413, false),
  status(422, false),
  status(429, true),
  { ...status(429, true, { retryAfter: 3 }), name: 'status 429 with Retry-After' },
  status(500, true),
  status(502, true),
  status(503, true),
  status(504, true),
  status(529, true),
  broken('stall before the headers', { type: 'stall' }),
  broken('stall in the middle', { type: 'stall', afterEvents: 2 }),
  broken('cut after 0 bytes', { type: 'cut', afterBytes: 0 }),
  broken('cut after 40 bytes', { type: 'cut', afterBytes: 40 }),
  broken('cut after 400 bytes', { type: 'cut', afterBytes: 400 }),
  broken('a clean end without a finish', { type: 'cut-clean', afterEvents: 2 }),
  broken('connection reset', { type: 'reset' }),
  broken('malformed JSON', { type: 'malformed-json', afterEvents: 1 }),
  broken('an HTML page', { type: 'wrong-content-type' }),
  broken('an empty body', { type: 'empty-body' }),
  broken('an error inside a 200', { type: 'error-event', afterEvents: 2 }),
];

/** Unusual responses that are no reason to fail or to retry. */
export const ODDITIES: readonly { name: string; reply: Reply }[] = [
  { name: 'slow headers', reply: { text: 'fine', fault: { type: 'slow-headers', wait: 50 } } },
  { name: 'a huge chunk', reply: { text: 'fine', fault: { type: 'huge-chunk', characters: 1_000_000 } } },
  { name: 'streaming refused', reply: { text: 'fine', fault: { type: 'refuse-stream' } } },
  { name: 'one character at a time', reply: { text: 'fine', chunkSize: 1 } },
];
