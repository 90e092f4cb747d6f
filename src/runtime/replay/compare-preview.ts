import type { Message } from '../../base/index.ts';
import type { SessionRecord } from '../../contracts/index.ts';
import type { SessionPreview } from '../preview-session.ts';
import { describeDifference, findTextDifference } from './find-difference.ts';
import { callsOf, type ReplayDifference } from './replay-step.ts';

/** Compares the stored system prompt with the one a new session would have. */
export function comparePrompt(session: SessionRecord, { layers }: SessionPreview): ReplayDifference[] {
  const now = layers.map(({ text }) => text).join('\n\n');
  const found = findTextDifference(session.systemPrompt ?? '', now);
  if (found === undefined) return [];
  const layer = layerAt(layers, found.line);
  const location = layer === undefined ? 'at its end' : `in ${layer}`;
  return [
    {
      kind: 'prompt',
      message: `The system prompt would differ ${location}, line ${found.line}: ${describeDifference(found)}`,
    },
  ];
}

/** The layer that contains a line of the prompt. */
function layerAt(layers: SessionPreview['layers'], line: number): string | undefined {
  let end = 0;
  for (const { name, text } of layers) {
    // The lines of the layer, plus the empty line after it.
    end += text.split('\n').length + 1;
    if (line <= end) return name;
  }
  return undefined;
}

/** Finds tools that were called but are no longer offered, and a prompt that was built for other tools. */
export function compareTools(
  session: SessionRecord,
  { toolNames, isForOtherTools }: SessionPreview,
  answers: readonly Message[],
): ReplayDifference[] {
  const called = new Set(answers.flatMap((answer) => callsOf(answer).map(({ name }) => name)));
  const gone = [...called].filter((name) => !toolNames.includes(name));
  const found: ReplayDifference[] = gone.map((name) => ({
    kind: 'tools',
    message: `The tool ${name} was called in this session but would not be offered now.`,
  }));
  const other = gone.length === 0 && isForOtherTools(session.systemPrompt ?? '');
  return other
    ? [...found, { kind: 'tools', message: 'The stored prompt was built for other tools than those offered now.' }]
    : found;
}
