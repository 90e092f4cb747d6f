import {
  dereference,
  type OutputUnit,
  schemaArrayKeyword,
  type SchemaDraft,
  schemaKeyword,
  schemaMapKeyword,
  validate,
  type ValidationResult,
} from '@cfworker/json-schema';
import { errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { knownTypesOnly } from '../../tools/index.ts';

/** What the final answer has to be. */
export type AnswerSchema = {
  schema: JsonObject;
  check(text: string): CheckedAnswer;
};

/** The JSON of an answer as the model wrote it, or what is wrong with it. */
export type CheckedAnswer = { json: string } | { problems: readonly string[] };

type ValidatePart = (value: JsonValue, part: JsonObject) => ValidationResult;

const NO_JSON = 'there is no JSON in the answer';

/** Or why it cannot be used, which whoever brought it should hear before a model is asked. */
export function createAnswerSchema(schema: JsonValue): AnswerSchema | { fault: string } {
  if (!isJsonObject(schema)) return { fault: 'it is no object' };
  try {
    // A mistyped type would refuse every answer, and with each of them the money it cost.
    const [wrongType] = knownTypesOnly(schema).unknown;
    if (wrongType !== undefined) return { fault: `${wrongType} is no type` };
    const lookup = dereference(schema);
    const validatePart: ValidatePart = (value, part) => validate(value, part, draftOf(schema), lookup, false);
    // References that lead nowhere or in a circle and patterns that are none are found out by use only.
    for (const part of partsOf(schema)) {
      for (const value of [{}, [], '', 0, null]) validatePart(value, part);
    }
    return { schema, check: createCheck((value) => validatePart(value, schema)) };
  } catch (thrown) {
    return { fault: reasonOf(thrown) };
  }
}

/** The schema and all that stand in it: an answer may be the first that comes to one of them. */
function* partsOf(schema: JsonValue): Generator<JsonObject> {
  if (!isJsonObject(schema)) return;
  yield schema;
  for (const [key, value] of Object.entries(schema)) {
    const isList = Array.isArray(value) && schemaArrayKeyword[key];
    const inner = isList || (schemaMapKeyword[key] && isJsonObject(value)) ? Object.values(value) : [value];
    if (isList || schemaMapKeyword[key] || schemaKeyword[key]) for (const part of inner) yield* partsOf(part);
  }
}

function createCheck(validateAll: (value: JsonValue) => ValidationResult): AnswerSchema['check'] {
  return (text) => {
    let problems: readonly string[] | undefined;
    for (const { json, value } of findJson(text)) {
      try {
        const { valid, errors } = validateAll(value);
        if (valid) return { json };
        problems ??= describeProblems(errors);
      } catch (thrown) {
        // The answer is paid for: what cannot be checked is refused like any other, and its text is kept.
        problems ??= [`it cannot be checked, because ${reasonOf(thrown)}`];
      }
    }
    return { problems: problems ?? [NO_JSON] };
  };
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'it leads too deep, or in a circle';
  const [said = ''] = errorMessage(thrown).split('\n', 1);
  // The validator adds an address of its own, which stands in nobody's schema.
  return said.replace(/\.(?: +Absolute URI .*)?$/, '');
}

function draftOf({ $schema }: JsonObject): SchemaDraft {
  const name = typeof $schema === 'string' ? $schema : '';
  if (name.includes('draft-04')) return '4';
  if (/draft-0[67]/.test(name)) return '7';
  return name.includes('2019-09') ? '2019-09' : '2020-12';
}

const MAX_PROBLEMS = 10;

/** What is wrong with a value, place by place. A place that is wrong only because of one inside it is left out. */
function describeProblems(errors: readonly OutputUnit[]): string[] {
  const isOuter = ({ instanceLocation: outer }: OutputUnit) =>
    errors.some(({ instanceLocation }) => instanceLocation.startsWith(`${outer}/`));
  const inner = errors.filter(
    (error) => !isOuter(error) && error.keyword !== 'properties' && error.keyword !== 'items',
  );
  // A reference only repeats what the schema behind it says.
  const told = inner.filter(({ keyword }) => keyword !== '$ref');
  const lines = (told.length > 0 ? told : errors).map(describe);
  return [...new Set(lines)].slice(0, MAX_PROBLEMS);
}

function describe({ instanceLocation, error }: OutputUnit): string {
  const place = instanceLocation.replace(/^#\/?/, '/');
  return `at ${place}: ${error.replace(/\.$/, '')}`;
}

export type FoundJson = { json: string; value: JsonValue };

const FENCE = /^[ \t]*(```|~~~)/;

/**
 * The JSON in an answer: all of it, where it is nothing else. Models put fences and words around it that nobody asked
 * for, so blocks are looked into as well, the last one first, and what stands between the outermost braces or brackets.
 */
export function findJson(text: string): FoundJson[] {
  const blocks = findBlocks(text.split('\n')).reverse();
  return [text, ...blocks, between(text, '{', '}'), between(text, '[', ']')].flatMap((candidate) => {
    const json = candidate.trim();
    try {
      return json === '' ? [] : [{ json, value: JSON.parse(json) as JsonValue }];
    } catch {
      return [];
    }
  });
}

function between(text: string, opening: string, closing: string): string {
  const start = text.indexOf(opening);
  return start < 0 ? '' : text.slice(start, text.lastIndexOf(closing) + 1);
}

/** What stands between fences. Line by line, because an answer may have any number of fences that nothing closes. */
function findBlocks(lines: readonly string[]): string[] {
  const bare = lines.map((line) => line.trim());
  const lastOnes = { '```': bare.lastIndexOf('```'), '~~~': bare.lastIndexOf('~~~') };
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = FENCE.exec(lines[at] ?? '')?.[1] as keyof typeof lastOnes | undefined;
    if (fence === undefined || lastOnes[fence] <= at) continue;
    const end = bare.indexOf(fence, at + 1);
    blocks.push(lines.slice(at + 1, end).join('\n'));
    at = end;
  }
  return blocks;
}
