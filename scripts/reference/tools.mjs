import { TOOL_MANIFEST } from '../../src/toolbox/manifest.ts';
import { code, page, sentence, table } from './markdown.mjs';

const NOTES = [
  'Defaults that are `false`, 0 or the first of several values are not listed.',
  '`hermes tools list` shows which tools are available, and `hermes tools info NAME` shows what the model receives. For approvals see [approvals](../approvals.md).',
];

export function toolsPage() {
  const overview = TOOL_MANIFEST.map(({ name, toolset, readOnly, asksThePerson, asksBefore }) => [
    `[${name}](#${name})`,
    code(toolset),
    readOnly ? 'yes' : 'no',
    asksThePerson ? 'asks a question' : (asksBefore ?? ''),
  ]);
  return page(
    'Tools',
    ...NOTES,
    table(['tool', 'tool set', 'read-only', 'needs approval for'], overview),
    ...TOOL_MANIFEST.flatMap(describeTool),
  );
}

function describeTool({ name, definition, requiredServices, requiredVariables }) {
  const { description, parameters } = definition();
  const { properties = {}, required = [] } = parameters;
  const rows = Object.entries(properties).map(([parameter, schema]) => [
    code(parameter),
    typeOf(schema),
    required.includes(parameter) ? 'yes' : '',
    schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    plain(schema.description ?? ''),
  ]);
  return [
    `## ${name}`,
    sentence(plain(description)),
    requiredVariables ? `Requires ${requiredVariables.map(code).join(', ')}.` : '',
    requiredServices?.includes('removedMessages')
      ? 'It reads messages that compression removed from the conversation.'
      : '',
    table(['parameter', 'type', 'required', 'default', 'meaning'], rows),
  ];
}

/** Includes the text of conditional passages. */
function plain(text) {
  return text.replace(/\{\{\w+: ([^}]*)\}\}/g, '$1');
}

function typeOf({ type, enum: values, items }) {
  if (values !== undefined) return values.map((value) => code(value)).join(', ');
  return type === 'array' ? `list of ${items?.type ?? 'anything'}` : (type ?? 'anything');
}
