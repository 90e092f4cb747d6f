import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { SessionStore, StoredMessage } from '../../src/contracts/index.ts';
import { createRuntime, loadModels, openStore, type Runtime } from '../../src/runtime/index.ts';
import {
  createProviderServer,
  createTemporaryHome,
  type ReceivedRequest,
  type Reply,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { configFor } from '../support/cli-fixture.ts';
import { dose, fullDoseOnly } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';
import { withRandom } from '../support/seeded-random.ts';

const SUMMARY =
  '## Active task\nRead the files.\n\n## Goal\nKnow them all.\n\n## Done\nThe files so far.\n\n## Next steps\nThe next file.';

/** One file per question; a request without tools asks for a summary. */
function answer(request: ReceivedRequest): Reply {
  if (request.toolNames.length === 0) return { text: SUMMARY };
  const turn = /question (\d+)$/.exec(request.lastUserText ?? '')?.[1] ?? '0';
  const isNew = request.messages.at(-1)?.role === 'user';
  if (!isNew) return { text: `answer ${turn}` };
  return { toolCalls: [{ id: `call_${turn}`, name: 'read_file', arguments: { path: `file-${turn}.txt` } }] };
}

async function openHome(turns: number, window: number) {
  const server = await createProviderServer({ script: answer });
  const config = `${configFor(server)}  context_length: ${window}\nauxiliary: { title_generation: { enabled: false } }\n`;
  const home = await createTemporaryHome({ 'config.yaml': config });
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  for (let turn = 1; turn <= turns; turn += 1) {
    // One to three thousand characters, all different.
    const words = Array.from({ length: 200 + ((turn * 37) % 400) }, (_, index) => (turn * 31 + index * 17) % 997);
    await writeFile(join(home.workspace, `file-${turn}.txt`), `file ${turn}: ${words.join(' ')}\n`);
  }
  const open = async (): Promise<Runtime> => {
    const { settings, models } = await loadModels({ home: home.path, env: {} });
    const { routes = [], auxiliaryRoutes } = models ?? {};
    return createRuntime({
      settings,
      routes,
      auxiliaryRoutes,
      workingDirectory: home.workspace,
      source: 'cli',
      attended: false,
    });
  };
  return { server, home, open };
}

/** All messages of a lineage that are not copies, in order. */
async function lineageOf(store: SessionStore, id: string): Promise<StoredMessage[]> {
  const sessions = [...(await store.getAncestors(id)), await store.getSession(id)];
  const messages: StoredMessage[] = [];
  for (const session of sessions) {
    for (const stored of await store.getMessages(session?.id ?? '')) {
      if (stored.copyOf === undefined) messages.push(stored);
    }
  }
  return messages;
}

const questionsIn = (messages: readonly StoredMessage[]) =>
  messages.flatMap(({ message }) =>
    message.role === 'user' && /^question \d+$/.test(message.content) ? [message.content] : [],
  );

describe('a session that is much longer than its window', () => {
  const TURNS = dose(50, 150);
  verifies(
    ['CTX-3', 'CTX-11', 'REQ-6', 'STORE-5', 'BOUND-1'],
    `${TURNS} turns with restarts: no message is lost, and requests extend each other between compressions`,
    async () => {
      const { server, open } = await openHome(TURNS, 16_000);
      let runtime = await open();
      let { agent } = await runtime.openAgent();
      const first = agent.sessionId;
      let compressions = 0;
      let largest = 0;
      for (let turn = 1; turn <= TURNS; turn += 1) {
        if (turn % 25 === 0) {
          await runtime.close();
          runtime = await open();
          // Resuming by the first id continues the newest session.
          ({ agent } = await runtime.openAgent({ session: { resume: turn % 50 === 0 ? first : agent.sessionId } }));
        }
        const result = await runtime.turns.run(agent.sessionId, 'cli', async (held) => {
          expect(held.storedChanged).toBe(turn % 25 === 0);
          const run = agent.run({ ...held, userMessage: `question ${turn}` });
          for await (const event of run) if (event.type === 'compressed') compressions += 1;
          return run.result;
        });
        expect(result).toMatchObject({ exitReason: 'completed', finalResponse: `answer ${turn}` });
        largest = Math.max(largest, result.messages.length);
      }
      const messages = await lineageOf(runtime.store, agent.sessionId);
      expect(questionsIn(messages)).toEqual(Array.from({ length: TURNS }, (_, index) => `question ${index + 1}`));
      expect(messages.filter(({ message }) => message.role === 'tool')).toHaveLength(TURNS);
      for (const turn of [1, Math.ceil(TURNS / 2), TURNS]) {
        const { hits } = await runtime.store.searchMessages({ text: `"question ${turn}"`, roles: ['user'] });
        expect(hits.filter(({ snippet }) => snippet.startsWith('>>>question'))).toHaveLength(1);
      }
      expect(compressions).toBeGreaterThan(TURNS / 15);
      expect(await runtime.store.getAncestors(agent.sessionId)).toHaveLength(compressions);
      expect(largest).toBeLessThan(150);
      const bodies = server.requests.filter(({ toolNames }) => toolNames.length > 0).map(({ rawBody }) => rawBody);
      expect(bodies).toHaveLength(2 * TURNS);
      const broken = bodies.filter((body, index) => {
        const before = bodies[index - 1];
        // Compares without the closing brackets `]}` of the earlier body.
        return before !== undefined && !body.startsWith(before.slice(0, -2));
      });
      expect(broken).toHaveLength(compressions);
      await runtime.close();
    },
    120_000,
  );

  const KILLS = dose(4, 25);
  verifies(
    ['CTX-11', 'LOOP-11'],
    `killed ${KILLS} times during turns that compress: the old session or the child is complete`,
    () =>
      withRandom(async (random) => {
        const { server, home } = await openHome(KILLS + 1, 7_000);
        for (let turn = 1; turn <= KILLS; turn += 1) {
          const again = turn === 1 ? [] : ['--continue'];
          const seen = server.requests.length;
          const victim = startHermes([...again, '-z', `question ${turn}`], { home, input: '' });
          // Waits for one to three requests, so that the kill also hits summary requests and those after them.
          await Promise.race([server.waitForRequests(seen + 1 + (turn % 3)), victim.exited]);
          await new Promise((resolve) => setTimeout(resolve, random() * 12));
          victim.kill('SIGKILL');
          await victim.exited;
        }
        const last = KILLS + 1;
        const ended = await runHermes(['--continue', '-z', `question ${last}`], { home });
        expect(ended).toMatchObject({ exitCode: 0, stdout: `answer ${last}\n`, stderr: '' });
        const store = await openStore({ home: home.path });
        onTestFinished(() => store.close());
        const newest = await store.latestSession({ source: 'cli' });
        const line = await store.getAncestors(newest?.id ?? '');
        expect(line.length).toBeGreaterThan(dose(1, 3));
        expect(line.every(({ endReason }) => endReason === 'compression')).toBe(true);
        // There is one lineage and no other session.
        expect(await store.listSessions({ limit: 1_000 })).toHaveLength(line.length + 1);
        const questions = questionsIn(await lineageOf(store, newest?.id ?? ''));
        expect(questions).toEqual(Array.from({ length: last }, (_, index) => `question ${index + 1}`));
      }),
    120_000,
  );

  verifies(
    ['CTX-11', 'STORE-7'],
    'processes that wait for one session continue in its child, and each gets an answer',
    { ...fullDoseOnly, timeout: 120_000 },
    async () => {
      const [rounds, processes] = [dose(2, 5), 3];
      const { server, home } = await openHome(rounds * processes, 9_000);
      const filler = 'and so on, as was said before; '.repeat(70);
      server.setScript(({ toolNames }) => ({ text: toolNames.length === 0 ? SUMMARY : filler }));
      await runHermes(['-z', 'question 0'], { home });
      const store = await openStore({ home: home.path });
      onTestFinished(() => store.close());
      const [first] = await store.listSessions();
      for (let round = 0; round < rounds; round += 1) {
        const asked = Array.from({ length: processes }, (_, index) => round * processes + index + 1);
        const ask = (number: number) =>
          runHermes(['--resume', first?.id ?? '', '--if-busy', 'wait', '-z', `question ${number}`], {
            home,
            spawn: true,
          });
        for (const { exitCode, stderr } of await Promise.all(asked.map(ask))) expect(exitCode, stderr).toBe(0);
      }
      const newest = await store.listSessions({ newestOnly: true });
      expect(newest).toHaveLength(1);
      expect(await store.getAncestors(newest[0]?.id ?? '')).not.toEqual([]);
      const questions = questionsIn(await lineageOf(store, newest[0]?.id ?? ''));
      const numbers = Array.from({ length: rounds * processes + 1 }, (_, index) => `question ${index}`);
      expect(questions.toSorted()).toEqual(numbers.toSorted());
    },
  );
});
