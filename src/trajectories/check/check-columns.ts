import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';

/** The fields of chat lines and of batch lines, in order. */
const CHAT_FIELDS = ['conversations', 'timestamp', 'model', 'completed'] as const;
const BATCH_FIELDS = [
  'prompt_index',
  'conversations',
  'metadata',
  'completed',
  'partial',
  'api_calls',
  'toolsets_used',
  'tool_stats',
  'tool_error_counts',
] as const;

/** The fields of a failed batch prompt. */
const FAILURE_FIELDS: readonly string[] = [
  'prompt_index',
  'prompt',
  'reason',
  'kind',
  'hint',
  'session_id',
  'timestamp',
];

export function isFailure(entry: JsonObject): boolean {
  return Object.keys(entry).join() === FAILURE_FIELDS.join();
}

/** Checks the fields line by line; all lines of a file must have the same columns. */
export interface ColumnChecker {
  check(entry: JsonObject): string[];
}

/** Maximum number of prompt indexes remembered to find duplicates. */
const MAX_REMEMBERED = 1_000_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;

type Check = (value: JsonValue | undefined) => string | undefined;

const isCount = (value: JsonValue | undefined): boolean => Number.isInteger(value) && (value as number) >= 0;
const must = (holds: (value: JsonValue | undefined) => boolean, what: string): Check => {
  return (value) => (value === undefined || holds(value) ? undefined : what);
};
const isText = (value: JsonValue | undefined) => typeof value === 'string';
const truth = must((value) => typeof value === 'boolean', 'must be true or false');

const FIELD_CHECKS: Readonly<Record<string, Check>> = {
  timestamp: must(
    (value) => typeof value === 'string' && TIME.test(value),
    'must be a local time like 2026-03-30T14:22:31.456789',
  ),
  model: must((value) => isText(value) && value !== '', 'must be a model name'),
  completed: truth,
  partial: truth,
  prompt_index: must(isCount, 'must be a non-negative integer'),
  api_calls: must(isCount, 'must be a non-negative integer'),
  metadata: must(isJsonObject, 'must be an object'),
  toolsets_used: must((value) => Array.isArray(value) && value.every(isText), 'must be a list of names'),
};

export function createColumnChecker(): ColumnChecker {
  let first: Columns | undefined;
  const prompts = new Set<JsonValue>();
  return {
    check(entry) {
      const found = isFailure(entry) ? [] : checkFields(entry);
      const columns = columnsOf(entry);
      first ??= columns;
      found.push(...compare(first, columns));
      const prompt = entry['prompt_index'];
      if (prompt !== undefined && prompts.has(prompt))
        found.push(`prompt_index ${JSON.stringify(prompt)} occurs again`);
      else if (prompt !== undefined && prompts.size < MAX_REMEMBERED) prompts.add(prompt);
      return found;
    },
  };
}

function checkFields(entry: JsonObject): string[] {
  const wanted: readonly string[] = 'prompt_index' in entry ? BATCH_FIELDS : CHAT_FIELDS;
  const present = Object.keys(entry);
  const missing = wanted.filter((field) => !present.includes(field)).map((field) => `${field} is missing`);
  const strange = present
    .filter((field) => !wanted.includes(field))
    .map((field) => `${JSON.stringify(field)} is not a field of the format`);
  const known = present.filter((field) => wanted.includes(field));
  const inOrder = known.join() === wanted.filter((field) => known.includes(field)).join();
  return [
    ...missing,
    ...strange,
    ...(inOrder ? [] : [`the fields are not in the order ${wanted.join(', ')}`]),
    ...Object.entries(FIELD_CHECKS).flatMap(([field, check]) => {
      const fault = check(entry[field]);
      return fault === undefined ? [] : [`${field} ${fault}`];
    }),
    ...checkToolColumns(entry['tool_stats'], entry['tool_error_counts']),
  ];
}

function checkToolColumns(stats: JsonValue | undefined, errors: JsonValue | undefined): string[] {
  if (stats === undefined && errors === undefined) return [];
  if (!isJsonObject(stats) || !isJsonObject(errors)) return ['tool_stats and tool_error_counts must be objects'];
  const found: string[] = [];
  for (const [name, use] of Object.entries(stats)) {
    const { count, success, failure, ...others } = isJsonObject(use) ? use : {};
    const counts = [count, success, failure];
    if (!counts.every(isCount) || Object.keys(others).length > 0) {
      found.push(`tool_stats of ${name} must have count, success and failure`);
    } else if (count !== (success as number) + (failure as number)) {
      found.push(`tool_stats of ${name}: success and failure do not add up to count`);
    }
    if (name in errors && errors[name] !== failure)
      found.push(`tool_error_counts of ${name} differs from its failures`);
  }
  if (Object.keys(stats).join('\n') !== Object.keys(errors).join('\n')) {
    found.push('tool_stats and tool_error_counts do not name the same tools');
  }
  return found;
}

const FAILED = 'from a failed prompt';
type Columns = { form: string; metadata: readonly string[]; tools: readonly string[] };

function columnsOf(entry: JsonObject): Columns {
  const keys = (value: JsonValue | undefined) => (isJsonObject(value) ? Object.keys(value) : []);
  const form = isFailure(entry) ? FAILED : 'prompt_index' in entry ? 'from a batch' : 'from a chat';
  return { form, metadata: keys(entry['metadata']), tools: keys(entry['tool_stats']) };
}

function compare(first: Columns, own: Columns): string[] {
  if (own.form !== first.form) return [`this line is ${own.form}, but the first line is ${first.form}`];
  return [
    ...compareNames(first.metadata, own.metadata, ['metadata', 'has other fields than']),
    ...compareNames(first.tools, own.tools, ['tool_stats', 'names other tools than']),
  ];
}

function compareNames(first: readonly string[], own: readonly string[], [column, others]: [string, string]): string[] {
  if (own.join('\n') === first.join('\n')) return [];
  const sameNames = own.toSorted().join('\n') === first.toSorted().join('\n');
  return [`${column} ${sameNames ? 'is in another order than' : others} on the first line`];
}
