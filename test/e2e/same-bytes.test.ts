import { describe, expect } from 'vitest';
import { createAgent } from '../../src/agent/index.ts';
import { API_MODES } from '../../src/contracts/index.ts';
import { createProviderServer, type Reply } from '../../src/testing/index.ts';
import { calling, fixtureOptions, withRoutes } from '../support/agent-fixture.ts';
import { PATIENT_MS, routeToServer } from '../support/provider-fixture.ts';
import { verifies } from '../spec/verifies.ts';

/** Numbers and spaces that would not survive parsing and serializing. */
const ODD_ARGUMENTS = '{ "text": "x",  "n": 1.0, "big": 12345678901234567890 }';

const SCRIPT: Reply[] = [
  { text: 'First I look.', reasoning: 'hm', ...calling('echo', ODD_ARGUMENTS, 'call_1') },
  { text: 'One.' },
  calling('echo', '{"text":"two"}', 'call_2'),
  calling('echo', 'no json', 'call_3'),
  calling('echo', 'no json', 'call_3'),
  calling('echo', 'no json', 'call_3'),
  calling('echo', 'no json', 'call_3'),
  { text: 'Two.' },
  { text: 'Three.' },
];

describe('byte-identical requests', () => {
  for (const apiMode of API_MODES) {
    verifies(
      ['REQ-4', 'REQ-6', 'TOOLX-7'],
      `${apiMode}: each request extends the previous one, across steps, turns and a restart`,
      async () => {
        await using server = await createProviderServer({ script: SCRIPT });
        const route = routeToServer(server, apiMode, 'server', undefined, { stallMs: PATIENT_MS });
        await withRoutes([route], async (fixture) => {
          await fixture.agent.chat('first');
          await fixture.agent.chat('second');
          const options = fixtureOptions(fixture, [route], { sessionId: fixture.agent.sessionId });
          expect(await createAgent(options).chat('third')).toBe('Three.');
        });
        const bodies = server.requests.map((request) => request.rawBody);
        expect(bodies).toHaveLength(SCRIPT.length);
        for (const [index, body] of bodies.entries()) {
          const before = bodies[index - 1];
          // Compares without the closing brackets `]}` of the earlier body.
          if (before !== undefined) expect(body.startsWith(before.slice(0, -2)), `request ${index + 1}`).toBe(true);
        }
        const last = bodies.at(-1) ?? '';
        // If arguments arrive as objects, their original spelling is lost, but the new one stays the same.
        const sent = apiMode === 'ollama_chat' ? '{"big":12345678901234567000,"n":1,"text":"x"}' : ODD_ARGUMENTS;
        expect(last.includes(sent) || last.includes(JSON.stringify(sent))).toBe(true);
        expect(last).not.toContain('no json"');
      },
    );
  }
});
