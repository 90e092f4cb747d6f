import { readGptTurn } from '../check/read-turn.ts';
import { TAG_BEGIN, type TrajectoryTurn } from '../trajectory.ts';

/** What a model is told to write a summary with. */
export type SummaryQuestion = { system: string; text: string };

/** Each turn is shown up to so many characters, its end included, and all of them together up to so many. */
const [HEAD_CHARACTERS, TAIL_CHARACTERS, ALL_CHARACTERS] = [3_000, 1_000, 240_000];
const SHOWN_CALLS = 40;

const SYSTEM = `You shorten a recorded conversation between a person and an assistant that uses tools. You are given turns from its middle, which will be removed. Write what stands in their place, so that the rest can be understood without them:
- what the person asked for or changed
- what the assistant did, in order, with the exact names of files, commands and values
- what came of it: results, numbers, error messages that matter
- what was decided, and what was still open at the end
Write plain sentences in the language of the conversation. Invent nothing, and give no advice. No headings, no tags.`;

export function askForSummary(turns: readonly TrajectoryTurn[], summaryTokens: number): SummaryQuestion {
  const words = Math.floor(summaryTokens * 0.7);
  const shown = turns.map(({ from, value }, index) => `[${index + 1}, ${from}]\n${shorten(value)}`).join('\n\n');
  const text = `${shortenTo(shown, ALL_CHARACTERS)}\n\nThe summary has at most ${words} words.`;
  return { system: SYSTEM, text };
}

/** The turn that stands for removed ones. */
export function summaryTurn(removed: number, summary: string): TrajectoryTurn {
  return { from: 'human', value: `[A summary stands for ${removed} turns that were left out here]\n${plain(summary)}` };
}

/** What can be said without a model: which tools were called, and what the person said. It says so. */
export function extractTurn(turns: readonly TrajectoryTurn[]): TrajectoryTurn {
  const said = turns.flatMap(({ from, value }) => (from === 'human' ? [`The person said: ${firstLine(value)}`] : []));
  const calls = turns.flatMap(({ from, value }) => (from === 'gpt' ? readGptTurn(value).calls : []));
  const lines = calls.slice(0, SHOWN_CALLS).map(({ name, arguments: given }) => {
    return `Called ${name} with ${firstLine(JSON.stringify(given))}`;
  });
  if (calls.length > SHOWN_CALLS) lines.push(`… and ${calls.length - SHOWN_CALLS} more calls`);
  const text = [...said, ...lines].join('\n');
  return {
    from: 'human',
    value: `[${turns.length} turns were left out here; no model summarised them]\n${plain(text)}`,
  };
}

function plain(text: string): string {
  return text.replace(TAG_BEGIN, '&lt;').trim().toWellFormed();
}

function shorten(value: string): string {
  if (value.length <= HEAD_CHARACTERS + TAIL_CHARACTERS) return value;
  return `${value.slice(0, HEAD_CHARACTERS)}\n[…]\n${value.slice(-TAIL_CHARACTERS)}`.toWellFormed();
}

/** From the middle, because the beginning says what it is about and the end what came of it. */
function shortenTo(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most / 2)}\n\n[… turns in between are not shown …]\n\n${text.slice(-most / 2)}`.toWellFormed();
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 160).toWellFormed()} …` : line;
}
