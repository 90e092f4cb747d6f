import { TOOL_MANIFEST } from '../../src/toolbox/manifest.ts';
import { code, page, sentence, table } from './markdown.mjs';

const NOTES = [
  'A default that is `false`, 0 or the first of several values is not shown.',
  '`hermes tools list` shows which of these can be used here, `hermes tools info NAME` what a model is told. Approvals are explained in [approvals](../approvals.md).',
];

export function toolsPage() {
  const overview = TOOL_MANIFEST.map(({ name, toolset, readOnly, asksThePerson, asksBefore }) => [
    `[${name}](#${name})`,
    code(toolset),
    readOnly ? 'yes' : 'no',
    asksThePerson ? 'a question of the model' : (asksBefore ?? ''),
  ]);
  return page(
    'Tools',
    ...NOTES,
    table(['tool', 'tool set', 'only reads', 'asks before'], overview),
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
    requiredVariables ? `It needs ${requiredVariables.map(code).join(', ')}.` : '',
    requiredServices?.includes('removedMessages') ? 'It reads what compression moved out of a conversation.' : '',
    table(['parameter', 'type', 'required', 'default', 'meaning'], rows),
  ];
}

/** A passage that is only for the company of another tool. */
function plain(text) {
  return text.replace(/\{\{\w+: ([^}]*)\}\}/g, '$1');
}

function typeOf({ type, enum: values, items }) {
  if (values !== undefined) return values.map((value) => code(value)).join(', ');
  return type === 'array' ? `list of ${items?.type ?? 'anything'}` : (type ?? 'anything');
}
