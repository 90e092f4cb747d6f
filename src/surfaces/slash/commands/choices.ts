import { personalitiesOf } from '../../../runtime/index.ts';
import { nearestNames, shorten } from '../../../util/index.ts';
import { showable } from '../../text/style.ts';
import { formatPairs } from '../../text/table.ts';
import type { SlashContext } from '../slash-context.ts';

const SHOWN = 70;
const NONE = 'none';

/** `/yolo`, `/yolo on` and `/yolo off`: whether dangerous commands ask, in this session. */
export function yoloCommand({ session, style, print }: SlashContext, argument: string): void {
  const { choices } = session.opened();
  const wanted = argument.toLowerCase();
  if (!['', 'on', 'off'].includes(wanted)) return print('/yolo switches it, /yolo on and /yolo off say which.\n');
  choices.yolo = wanted === '' ? !choices.yolo : wanted === 'on';
  print(
    choices.yolo
      ? style.yellow(
          'YOLO is on: in this session nothing asks before it is done. What is always blocked stays blocked.\n',
        )
      : 'YOLO is off: what could do harm asks first.\n',
  );
}

/** `/personality` shows them, `/personality NAME` chooses one for this session, `none` goes back. */
export function personalityCommand({ runtime, session, style, print }: SlashContext, argument: string): void {
  const all = personalitiesOf(runtime.blueprint.settings);
  const { choices, agent } = session.opened();
  if (argument === '') return print(formatPersonalities(all, choices.personality));
  const name = Object.keys(all).find((known) => known.toLowerCase() === argument.toLowerCase());
  if (name === undefined && argument !== NONE) {
    const [near] = nearestNames(argument, Object.keys(all), 1);
    const perhaps = near === undefined ? '/personality shows all' : `perhaps ${near}?`;
    return print(style.yellow(`There is no personality "${showable(argument)}"; ${perhaps}\n`));
  }
  choices.personality = name;
  agent.renewPrompt();
  const what = name === undefined ? 'No personality' : `Personality ${showable(name)}`;
  print(`${what}, from the next message on. The prompt changes, so the provider reads the conversation anew once.\n`);
}

function formatPersonalities(all: Readonly<Record<string, string>>, current: string | undefined): string {
  const rows = Object.entries(all).map(([name, text]): [string, string] => [
    `${name === current ? '*' : ' '} ${showable(name)}`,
    shorten(text.replaceAll('\n', ' '), SHOWN),
  ]);
  const how = '/personality NAME chooses one for this session, /personality none goes without.';
  return `${formatPairs(rows)}${how} Your own go under agent.personalities.\n`;
}
