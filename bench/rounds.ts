import { type Contender, type Measurement, measureTask, measureVersion } from './measure.ts';
import type { ScriptedServer } from './scripted-server.ts';

/** The figures of one contender in one round. */
export type Round = { one: Measurement; twenty: Measurement; hundred: Measurement; versionMs: number };
export type Bench = { server: ScriptedServer; folder: string };

export const PROMPT = 'Run the steps one after another.';

/** All contenders once, each with every size; the figures in their order. */
export async function measureRound(contenders: readonly Contender[], { server, folder }: Bench): Promise<Round[]> {
  // Sizes outside, contenders inside: what is compared runs side by side, and a busy moment hits both.
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

/** The slope between 20 and 100 steps: what a step costs, without the start and the end. */
export function perStep(rounds: readonly Round[], figure: 'wallMs' | 'cpuMs'): number[] {
  return rounds.map(({ twenty, hundred }) => (hundred[figure] - twenty[figure]) / 80);
}
