import { nameProcess } from './describe-process.ts';
import type { Recovered } from './recover.ts';

/** What the first session is told of what killed programs left; undefined where there is nothing to tell. */
export function describeRecovered({ found, elsewhere }: Recovered): string | undefined {
  const running = found.filter((entry) => entry.ending() === undefined);
  const parts = [
    list(
      'An earlier run of Hermes was killed. Of what it had started this still runs:',
      running.map((entry) => `- ${nameProcess(entry)}, pid ${entry.pid}`),
    ),
    list(
      'An earlier run of Hermes was killed. What it had started in other places may still run there:',
      elsewhere.map((facts) => `- ${nameProcess(facts)}, pid ${facts.pid}, ${facts.place}`),
    ),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function list(heading: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [heading, ...lines].join('\n');
}
