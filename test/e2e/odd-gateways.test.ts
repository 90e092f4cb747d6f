import { describe, expect, onTestFinished } from 'vitest';
import { createModelClient } from '../../src/llm/index.ts';
import {
  createProviderServer,
  type ProviderServer,
  type ReceivedRequest,
  type Reply,
} from '../../src/testing/index.ts';
import { withRoutes } from '../support/agent-fixture.ts';
import { verifies } from '../spec/verifies.ts';

function routeTo(server: ProviderServer) {
  const [provider, model, apiMode] = ['lab', 'claude-sonnet-5', 'chat_completions'] as const;
  const baseUrl = server.baseUrl(apiMode);
  const credential = { secret: 'test-secret', hosts: [new URL(server.url).host] };
  const client = createModelClient({ apiMode, baseUrl, model, credential, cacheTtl: '5m', stallTimeoutMs: 60_000 });
  const route = { provider, model, baseUrl, apiMode, contextLength: undefined, client };
  return { provider, model, open: async () => route };
}

const MARKER = 'cache_control';
const isMarked = ({ rawBody }: ReceivedRequest) => rawBody.includes(MARKER);

/** Whether a message of one of these roles has a marker. */
function isMarkedIn(...roles: string[]): (request: ReceivedRequest) => boolean {
  return ({ body }) =>
    (body['messages'] as { role: string }[]).some(
      (message) => roles.includes(message.role) && JSON.stringify(message).includes(MARKER),
    );
}

const status = (code: number, message: string): Reply => ({ fault: { type: 'status', status: code, message } });

/** How a gateway refuses, and the requests of two turns: `x` was refused, `m` had markers, and `-` had none. */
type Row = [name: string, refusal: Reply, refuses: (request: ReceivedRequest) => boolean, requests: string];

const ROWS: Row[] = [
  ['a status without a reason', status(400, 'Bad Request'), isMarked, 'x----'],
  [
    'a validator that lists paths',
    status(422, '[{"loc":["messages",0],"msg":"str type expected"}]'),
    isMarked,
    'x----',
  ],
  ['a crash', status(500, 'Internal Server Error'), isMarked, 'xx----'],
  ['a crash of a template', status(500, 'can only concatenate str (not "list") to str'), isMarked, 'xx----'],
  ['an error in a stream', { fault: { type: 'error-event', message: 'Invalid request' } }, isMarked, 'xx----'],
  [
    'an error body with status 200',
    { fault: { type: 'status', status: 200, body: { error: { message: 'Invalid request', code: 400 } } } },
    isMarked,
    'x----',
  ],
  ['a refusal of results', status(400, 'Invalid request'), isMarkedIn('tool'), 'mxmmm'],
  ['a refusal of results and answers', status(400, 'Invalid request'), isMarkedIn('tool', 'assistant'), 'mxx---'],
];

const ANSWERS: Reply[] = [
  { text: 'I look.', toolCalls: [{ name: 'echo', arguments: { text: 'x' } }] },
  { toolCalls: [{ name: 'echo', arguments: { text: 'y' } }] },
  { text: 'Done.' },
  { text: 'Again.' },
];

/** Two turns with a gateway that refuses some requests; returns the exit reasons and the requests. */
async function converse(refusal: Reply, refuses: (request: ReceivedRequest) => boolean) {
  let next = 0;
  const server = await createProviderServer({
    script: (request) => (refuses(request) ? refusal : (ANSWERS[next++] ?? { text: 'Over.' })),
  });
  onTestFinished(() => server.close());
  const reasons: string[] = [];
  await withRoutes([routeTo(server)], async ({ agent }) => {
    for (const userMessage of ['go', 'on']) reasons.push((await agent.runConversation({ userMessage })).exitReason);
  });
  return {
    reasons,
    requests: server.requests.map((each) => (refuses(each) ? 'x' : isMarked(each) ? 'm' : '-')).join(''),
    marked: server.requests.map(isMarked),
  };
}

describe('a gateway that refuses cache markers without naming them', () => {
  for (const [name, refusal, refuses, requests] of ROWS) {
    verifies('CACHE-2', `by ${name}, gets what it accepts`, async () => {
      expect(await converse(refusal, refuses)).toMatchObject({ reasons: ['completed', 'completed'], requests });
    });
  }

  verifies('CACHE-2', 'is not assumed where every request fails: one request per turn is without markers', async () => {
    const { reasons, marked } = await converse(status(500, 'Internal Server Error'), () => true);
    expect(reasons).toEqual(['failed', 'failed']);
    expect(marked.filter((is) => !is)).toHaveLength(2);
    expect(marked.slice(0, 4)).toEqual([true, true, false, true]);
  });

  verifies(['CACHE-2', 'CALL-3'], 'is not assumed for long if there is a fallback', async () => {
    const failing = await createProviderServer({ script: () => status(500, 'Internal Server Error') });
    const other = await createProviderServer({ script: () => ({ text: 'Here.' }) });
    onTestFinished(() => Promise.all([failing.close(), other.close()]).then(() => undefined));
    await withRoutes([routeTo(failing), routeTo(other)], async ({ agent }) => {
      expect(await agent.chat('go')).toBe('Here.');
    });
    expect(failing.requests.map(isMarked)).toEqual([true, true, false]);
    expect(other.requests.map(isMarked)).toEqual([true]);
  });

  verifies('CACHE-2', 'is not assumed after one crash', async () => {
    let crashes = 1;
    const { marked } = await converse(status(500, 'Internal Server Error'), () => crashes-- > 0);
    expect(marked.every(Boolean)).toBe(true);
  });
});
