import { describeKeys } from '../../src/config/keys/index.ts';
import { AUXILIARY_TASKS } from '../../src/contracts/index.ts';
import { code, page, sentence, table } from './markdown.mjs';

const NOTES = [
  'All keys are optional. `hermes config show` shows the effective values, `hermes config explain KEY` describes a key, and `hermes config set KEY VALUE` changes it and keeps your comments.',
  'In key names, `[]` is any entry of a list and `NAME` is a name that you choose. A variable is used if the file does not set the key. `${VARIABLE}` in a value is replaced by the value of the variable.',
];

export function configurationPage() {
  const sections = describeKeys().flatMap(({ name, about, keys }) => [
    `## ${name}`,
    sentence(about),
    name === 'auxiliary' ? `TASK is one of ${AUXILIARY_TASKS.map(code).join(', ')}.` : '',
    table(['key', 'takes', 'default', 'meaning', 'variable'], keys.map(toRow)),
  ]);
  return page('Configuration', ...NOTES, ...sections);
}

function toRow({ key, kind, expected, choices, default: usual, about, variable }) {
  const takes = kind === 'choice' ? choices.map(code).join(', ') : kind === 'text' ? 'text' : expected;
  return [code(key), takes, usual === undefined ? '' : code(JSON.stringify(usual)), about, code(variable)];
}
