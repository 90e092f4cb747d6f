import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  createProviderServer,
  createTemporaryHome,
  type ReceivedRequest,
  type Reply,
  runHermes,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { configFor } from '../support/cli-fixture.ts';
import { dose } from '../support/dose.ts';
import { withRandom } from '../support/seeded-random.ts';

const STEPS = 20;
const KILLS = dose(6, 50);
/** How many follow the one that may be running at the kill: enough to see that it goes on as if nothing had happened. */
const STEPS_BEHIND = 3;
/** Each run has a home and a provider of its own, and mostly waits. */
const LANES = 2;

/** Asks for step after step; a step is over once its call has a result, whatever that says. */
function nextStep(request: ReceivedRequest, steps: number): Reply {
  const done = request.toolResults.length;
  if (done >= steps) return { text: `all ${steps} steps are over` };
  const step = done + 1;
  return {
    text: `Step ${step}.`,
    toolCalls: [{ id: `call_${step}`, name: 'terminal', arguments: { command: `echo step-${step} >> steps.log` } }],
  };
}

/** What a request said, as one text without its end, so that a user message may have grown. */
const spoken = (request: ReceivedRequest | undefined) =>
  (request?.messages ?? []).map((message) => `${message.role}: ${message.text}`).join('\n');

/** Kills one run at a moment, resumes it, and checks that nothing was lost and nothing done twice. */
async function killAndResume(moment: { requests: number; delayMs: number }): Promise<void> {
  const count = moment.requests + STEPS_BEHIND;
  await using server = await createProviderServer({ script: (request) => nextStep(request, count) });
  await using home = await createTemporaryHome({ 'config.yaml': configFor(server) });
  const victim = startHermes(['-z', 'do the steps', '--max-turns', '100'], { home, input: '' });
  await Promise.race([server.waitForRequests(moment.requests), victim.exited]);
  await new Promise((resolve) => setTimeout(resolve, moment.delayMs));
  victim.kill('SIGKILL');
  await victim.exited;

  const before = spoken(server.requests.at(-1));
  const seen = server.requests.length;
  const resumed = await runHermes(['--continue', '-z', 'go on', '--max-turns', '100'], { home });
  expect(resumed.stderr).toBe('');
  expect(resumed).toMatchObject({ exitCode: 0, stdout: `all ${count} steps are over\n` });

  expect(spoken(server.requests[seen]).startsWith(before)).toBe(true);
  const steps = (await readFile(join(home.workspace, 'steps.log'), 'utf8')).trim().split('\n');
  expect(new Set(steps).size).toBe(steps.length);
  // Only the call that was running when the program was killed may have left nothing behind.
  expect(steps.length).toBeGreaterThanOrEqual(count - 1);
}

describe('kill -9', () => {
  verifies(
    'LOOP-11',
    `at ${KILLS} random moments of runs with up to ${STEPS} tools: no message lost, no finished call run twice`,
    () =>
      withRandom(async (random) => {
        const moments = Array.from({ length: KILLS }, () => ({
          requests: 1 + Math.floor(random() * STEPS),
          delayMs: random() * 10,
        }));
        const lanes = Array.from({ length: LANES }, async (_, lane) => {
          for (const moment of moments.filter((_moment, index) => index % LANES === lane)) await killAndResume(moment);
        });
        await Promise.all(lanes);
      }),
    300_000,
  );
});
