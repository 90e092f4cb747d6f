import { isJsonObject, parseJson } from '../../base/index.ts';
import type { SubagentNews } from '../../contracts/index.ts';
import { shorten } from '../../util/index.ts';

const LONGEST = 80;

/** What a subagent does, in a line for whoever watches the call; undefined for what is not worth one. */
export function describeNews({ task, event }: SubagentNews, goal: string): string | undefined {
  const line = (text: string) => `[${task}] ${shorten(text, LONGEST)}`;
  switch (event.type) {
    case 'started':
      return line(`begins: ${goal}`);
    case 'tool-started':
      return line(`${event.name} ${aboutOf(event.arguments)}`);
    case 'fallback':
      return line(`goes on with ${event.to}`);
    case 'warning':
      return line(`! ${event.message}`);
    case 'ended':
      return line(`${event.exitReason} after ${Math.round(event.durationMs / 1000)} s`);
    default:
      return undefined;
  }
}

/** The first text among the arguments mostly says what a call is about. */
function aboutOf(text: string): string {
  const parsed = parseJson(text);
  const first = isJsonObject(parsed) ? Object.values(parsed).find((value) => typeof value === 'string') : undefined;
  return typeof first === 'string' ? first : '';
}
