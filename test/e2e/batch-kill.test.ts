import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { manyPrompts, oneCallEach, readRun, writePrompts } from '../support/batch-fixture.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';
import { seededRandom } from '../support/seeded-random.ts';

const PROMPTS = 100;
const KILLS = 6;

describe('a batch run that is killed', () => {
  const fixture = useCliFixture();
  const start = (output: string) => ['batch', 'run', '--input', 'prompts.jsonl', '--output', output, '--workers', '8'];

  verifies(
    'TRAJ-4',
    'produces the same lines as an uninterrupted run, however often it is killed',
    { ...fullDoseOnly, timeout: 240_000 },
    async () => {
      await fixture.configure();
      fixture.server.setScript(oneCallEach);
      // Some prompts occur more than once; each is a separate line.
      await writePrompts(fixture.home, [...manyPrompts(PROMPTS - 10), ...manyPrompts(10)]);
      await runHermes(start('whole'), { home: fixture.home, timeoutMs: 120_000 });
      // The same moments in every run of the test, as far as the machine allows.
      const random = seededRandom(20_261_115);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const seen = fixture.server.requests.length;
        const victim = startHermes([...start('killed'), '--resume'], { home: fixture.home, input: '' });
        await Promise.race([
          fixture.server.waitForRequests(seen + 1 + Math.floor(random() * (PROMPTS / 3))),
          victim.exited,
        ]);
        await new Promise((resolve) => setTimeout(resolve, random() * 20));
        victim.kill('SIGKILL');
        await victim.exited;
      }
      const { exitCode } = await runHermes([...start('killed'), '--resume'], {
        home: fixture.home,
        timeoutMs: 120_000,
      });
      expect(exitCode).toBe(0);
      const [whole, killed] = await Promise.all(
        ['whole', 'killed'].map((name) => readRun(join(fixture.home.workspace, name))),
      );
      expect(killed?.trajectories).toHaveLength(PROMPTS);
      expect(killed?.trajectories).toEqual(whole?.trajectories);
      expect(byIndex(killed?.parts)).toEqual(byIndex(whole?.parts));
      expect(killed?.failed).toEqual([]);
    },
  );

  it('runs a prompt again if its line was only partially written', async () => {
    await fixture.configure();
    fixture.server.setScript(oneCallEach);
    await writePrompts(fixture.home, manyPrompts(4));
    await runHermes([...start('out'), '--limit', '2'], { home: fixture.home });
    const part = join(fixture.home.workspace, 'out', 'batch_001_output.jsonl');
    const whole = await readFile(part, 'utf8');
    await appendFile(part, whole.split('\n')[0]?.replace('"prompt_index": 0', '"prompt_index": 3').slice(0, -20) ?? '');
    await runHermes([...start('out'), '--resume'], { home: fixture.home });
    const { trajectories, parts } = await readRun(join(fixture.home.workspace, 'out'));
    expect(trajectories.map((line) => line['prompt_index'])).toEqual([0, 1, 2, 3]);
    expect(parts['batch_001_output.jsonl']).toHaveLength(4);
  });
});

/** The order within a part file is the order in which prompts finished. */
function byIndex(parts: Record<string, Record<string, unknown>[]> = {}): object {
  const sorted = Object.entries(parts).map(([name, lines]) => [
    name,
    lines.toSorted((first, second) => Number(first['prompt_index']) - Number(second['prompt_index'])),
  ]);
  return Object.fromEntries(sorted) as object;
}
