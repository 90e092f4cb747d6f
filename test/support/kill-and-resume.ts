import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createProviderServer,
  createTemporaryHome,
  type ReceivedRequest,
  type Reply,
  runHermes,
  startHermes,
} from '../../src/testing/index.ts';
import { configFor } from './provider-config.ts';

/** The maximum number of requests before the kill. */
export const MAX_STEPS = 20;
/**
 * The number of steps after the one that may be running at the kill: enough to see that the session continues
 * normally.
 */
const STEPS_AFTER_KILL = 3;

type KillMoment = { requests: number; delayMs: number };

export function randomMoment(random: () => number): KillMoment {
  return { requests: 1 + Math.floor(random() * MAX_STEPS), delayMs: random() * 10 };
}

/** Calls one command after another. A step counts as done as soon as its call has a result of any kind. */
function nextStep(request: ReceivedRequest, steps: number): Reply {
  const done = request.toolResults.length;
  if (done >= steps) return { text: `all ${steps} steps are over` };
  const step = done + 1;
  return {
    text: `Step ${step}.`,
    toolCalls: [{ id: `call_${step}`, name: 'terminal', arguments: { command: `echo step-${step} >> steps.log` } }],
  };
}

/** All messages of a request as one text. The last message may be longer in a later request. */
const textOf = (request: ReceivedRequest | undefined) =>
  (request?.messages ?? []).map((message) => `${message.role}: ${message.text}`).join('\n');

/** Kills one run with SIGKILL, resumes it, and checks that no message was lost and no finished call ran twice. */
export async function killAndResume(moment: KillMoment): Promise<void> {
  const count = moment.requests + STEPS_AFTER_KILL;
  await using server = await createProviderServer({ script: (request) => nextStep(request, count) });
  await using home = await createTemporaryHome({ 'config.yaml': configFor(server) });
  const victim = startHermes(['-z', 'do the steps', '--max-turns', '100'], { home, input: '' });
  await Promise.race([server.waitForRequests(moment.requests), victim.exited]);
  await new Promise((resolve) => setTimeout(resolve, moment.delayMs));
  victim.kill('SIGKILL');
  await victim.exited;

  const before = textOf(server.requests.at(-1));
  const seen = server.requests.length;
  const resumed = await runHermes(['--continue', '-z', 'go on', '--max-turns', '100'], { home });
  assert.equal(resumed.stderr, '');
  assert.deepEqual([resumed.exitCode, resumed.stdout], [0, `all ${count} steps are over\n`]);

  assert.ok(textOf(server.requests[seen]).startsWith(before), 'the resumed request does not extend the last one');
  const steps = (await readFile(join(home.workspace, 'steps.log'), 'utf8')).trim().split('\n');
  assert.deepEqual(steps, [...new Set(steps)]);
  // Only the call that was running at the kill may have had no effect.
  assert.ok(steps.length >= count - 1, `only ${steps.length} of ${count} steps ran`);
}
