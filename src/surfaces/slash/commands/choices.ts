import { personalitiesOf } from '../../../runtime/index.ts';
import { nearestNames, shorten } from '../../../util/index.ts';
import { printable } from '../../text/style.ts';
import { formatPairs } from '../../text/table.ts';
import type { SlashContext } from '../slash-context.ts';

const MAX_SHOWN_LENGTH = 70;
const NONE = 'none';

/** `/yolo`, `/yolo on` and `/yolo off`: turns approval prompts off or on for this session. */
export function yoloCommand({ session, style, print }: SlashContext, argument: string): void {
  const { choices } = session.opened();
  const wanted = argument.toLowerCase();
  if (!['', 'on', 'off'].includes(wanted)) return print('Usage: /yolo [on | off]. Without an argument it toggles.\n');
  choices.yolo = wanted === '' ? !choices.yolo : wanted === 'on';
  print(
    choices.yolo
      ? style.yellow(
          'YOLO is on: in this session dangerous commands run without approval. Hard-blocked commands stay blocked.\n',
        )
      : 'YOLO is off: dangerous commands need approval.\n',
  );
}

/** `/personality` lists the personalities, `/personality NAME` selects one for this session, `none` selects none. */
export function personalityCommand({ runtime, session, style, print }: SlashContext, argument: string): void {
  const all = personalitiesOf(runtime.blueprint.settings);
  const { choices, agent } = session.opened();
  if (argument === '') return print(formatPersonalities(all, choices.personality));
  const name = Object.keys(all).find((known) => known.toLowerCase() === argument.toLowerCase());
  if (name === undefined && argument !== NONE) {
    const [near] = nearestNames(argument, Object.keys(all), 1);
    const perhaps = near === undefined ? 'Use /personality to list all.' : `Did you mean ${near}?`;
    return print(style.yellow(`Unknown personality "${printable(argument)}". ${perhaps}\n`));
  }
  choices.personality = name;
  agent.renewPrompt();
  const what = name === undefined ? 'No personality' : `Personality ${printable(name)}`;
  print(
    `${what}, starting with the next message. This changes the system prompt, so the next request misses the prompt cache.\n`,
  );
}

function formatPersonalities(all: Readonly<Record<string, string>>, current: string | undefined): string {
  const rows = Object.entries(all).map(([name, text]): [string, string] => [
    `${name === current ? '*' : ' '} ${printable(name)}`,
    shorten(text.replaceAll('\n', ' '), MAX_SHOWN_LENGTH),
  ]);
  const how = '/personality NAME selects one for this session, /personality none selects none.';
  return `${formatPairs(rows)}${how} Define your own in agent.personalities.\n`;
}
