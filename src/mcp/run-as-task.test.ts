import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject } from '../base/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { runAsTask } from './run-as-task.ts';
import type { McpSession } from './session.ts';

/** Runs a task on a server with these answers; a missing one is an error. Returns the methods that it received. */
async function runWith(answers: Record<string, JsonObject>): Promise<string[]> {
  const methods: string[] = [];
  const session = {
    async request(method: string) {
      methods.push(method);
      const answer = answers[method];
      if (answer === undefined) throw new Error(`${method} timed out`);
      return answer;
    },
  } as unknown as McpSession;
  const { signal } = new AbortController();
  const options = { serverName: 'it', signal, timeoutMs: 1000, clock: createFakeClock(), onStatus: () => undefined };
  await expect(runAsTask(session, { method: 'tools/call', params: {} }, options)).rejects.toThrow('timed out');
  return methods;
}

const task = (status: string) => ({ taskId: 't', status });

verifies(
  'SURF-8',
  'a task is cancelled if its status or its result cannot be fetched, unless it has ended',
  async () => {
    const started = { 'tools/call': { task: task('working') }, 'tasks/cancel': {} };
    expect(await runWith(started)).toEqual(['tools/call', 'tasks/get', 'tasks/cancel']);
    const withInput = await runWith({ ...started, 'tasks/get': task('input_required') });
    expect(withInput).toEqual(['tools/call', 'tasks/get', 'tasks/result', 'tasks/cancel']);
    const ended = await runWith({ ...started, 'tasks/get': task('failed') });
    expect(ended).toEqual(['tools/call', 'tasks/get', 'tasks/result']);
  },
);
