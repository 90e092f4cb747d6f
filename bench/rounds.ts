import { type Contender, type Measurement, measureTask, measureVersion } from './measure.ts';
import type { ScriptedServer } from './scripted-server.ts';

/** The measurements of one contender in one round. */
export type Round = { one: Measurement; twenty: Measurement; hundred: Measurement; versionMs: number };
export type Bench = { server: ScriptedServer; folder: string };

export const PROMPT = 'Run the steps one after another.';

/** Runs all contenders once with every size; returns the measurements in their order. */
export async function measureRound(contenders: readonly Contender[], { server, folder }: Bench): Promise<Round[]> {
  // Contenders in the inner loop, so that compared runs follow each other and load affects both.
  const bySize = async (steps: number, probe: boolean) => {
    const results: Measurement[] = [];
    for (const contender of contenders) {
      results.push(await measureTask(contender, server, { steps, prompt: PROMPT, folder, probe }));
    }
    return results;
  };
  const [one, twenty, hundred] = [await bySize(1, false), await bySize(20, true), await bySize(100, true)];
  const versions: number[] = [];
  for (const contender of contenders) versions.push(await measureVersion(contender, folder));
  return contenders.map((_, index) => ({
    one: one[index] as Measurement,
    twenty: twenty[index] as Measurement,
    hundred: hundred[index] as Measurement,
    versionMs: versions[index] as number,
  }));
}

/** The slope between 20 and 100 steps: the cost of a step without startup and exit. */
export function perStep(rounds: readonly Round[], figure: 'wallMs' | 'cpuMs'): number[] {
  return rounds.map(({ twenty, hundred }) => (hundred[figure] - twenty[figure]) / 80);
}
