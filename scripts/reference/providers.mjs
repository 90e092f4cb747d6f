import { PROVIDERS } from '../../src/providers/index.ts';
import { code, page, table } from './markdown.mjs';

const NOTES =
  'In the order in which keys are looked up if no provider is configured. For the selection and for the tested providers see [providers](../providers.md).';

const WAYS = { api_key: '', login: 'login', none: 'none', command: 'its own login' };

export function providersPage() {
  const headings = ['`--provider`', 'name', 'aliases', 'key or login', 'address', 'API mode', 'default model'];
  return page('Providers', NOTES, table(headings, PROVIDERS.map(toRow)));
}

function toRow({
  id,
  name,
  aliases = [],
  keyVariables,
  authType,
  baseUrl,
  apiMode,
  modelRules = [],
  command,
  defaultModel,
}) {
  const ways = [...keyVariables.map(code), WAYS[authType]].filter(
    (way) => way !== '' && (way !== 'none' || keyVariables.length === 0),
  );
  const modes = [...new Set([apiMode, ...modelRules.map((rule) => rule.apiMode)])].filter(Boolean);
  const mode = command
    ? 'Agent Client Protocol'
    : modes.length === 0
      ? 'depends on the URL'
      : modes.map(code).join(', ');
  return [
    code(id),
    name,
    aliases.map(code).join(', '),
    ways.join(', '),
    command ? `the program ${code(command.program)}` : code(baseUrl),
    mode,
    code(defaultModel),
  ];
}
