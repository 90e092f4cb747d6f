import type { RebuiltStep } from '../../agent/index.ts';
import type { SessionRecord } from '../../contracts/index.ts';
import type { Offer } from '../describe-offer.ts';
import { describeDifference, findTextDifference } from './find-difference.ts';
import { callsOf, type ReplayDifference } from './replay-step.ts';

/** What the system prompt of the session would be if it began today. */
export function comparePrompt(session: SessionRecord, { layers }: Offer): ReplayDifference[] {
  const now = layers.map(({ text }) => text).join('\n\n');
  const found = findTextDifference(session.systemPrompt ?? '', now);
  if (found === undefined) return [];
  const layer = layerAt(layers, found.line);
  const place = layer === undefined ? 'at its end' : `in ${layer}`;
  return [
    {
      kind: 'prompt',
      message: `The system prompt would differ ${place}, line ${found.line}: ${describeDifference(found)}`,
    },
  ];
}

/** In which layer a line of the whole prompt is. */
function layerAt(layers: Offer['layers'], line: number): string | undefined {
  let end = 0;
  for (const { name, text } of layers) {
    // A layer and the empty line behind it.
    end += text.split('\n').length + 1;
    if (line <= end) return name;
  }
  return undefined;
}

/** Tools that were there and are not, and the other way round. */
export function compareTools(
  session: SessionRecord,
  { toolNames, isForOtherTools }: Offer,
  steps: readonly RebuiltStep[],
): ReplayDifference[] {
  const called = new Set(steps.flatMap(({ answer }) => callsOf(answer).map(({ name }) => name)));
  const gone = [...called].filter((name) => !toolNames.includes(name));
  const found: ReplayDifference[] = gone.map((name) => ({
    kind: 'tools',
    message: `The tool ${name}, which was called then, would not be offered.`,
  }));
  const other = gone.length === 0 && isForOtherTools(session.systemPrompt ?? '');
  return other
    ? [...found, { kind: 'tools', message: 'The stored prompt was made for other tools than are offered.' }]
    : found;
}
