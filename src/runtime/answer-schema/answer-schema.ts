import { createContext, Script } from 'node:vm';
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
import { removeUnknownTypes } from '../../tools/index.ts';

/** An answer schema that the final answer must satisfy. */
export type AnswerSchema = {
  schema: JsonObject;
  check(text: string): CheckedAnswer;
};

/** The JSON of a valid answer as the model wrote it, or the validation problems. */
export type CheckedAnswer = { json: string } | { problems: readonly string[] };

type ValidatePart = (value: JsonValue, part: JsonObject) => ValidationResult;

const NO_JSON = 'the answer contains no JSON';

/**
 * Validates the schema itself. Returns `fault` if it cannot be used, so that the error is reported before a model is
 * called.
 */
export function createAnswerSchema(schema: JsonValue): AnswerSchema | { fault: string } {
  if (!isJsonObject(schema)) return { fault: 'it is not an object' };
  try {
    // A schema with a misspelt type would reject every answer, and only after the answer was paid for.
    const [wrongType] = removeUnknownTypes(schema).unknown;
    if (wrongType !== undefined) return { fault: `${wrongType} is not a valid type` };
    const lookup = dereference(schema);
    const limit = /"pattern(?:Properties)?":/.test(JSON.stringify(schema))
      ? withTimeLimit
      : <T>(work: () => T) => work();
    const validatePart: ValidatePart = (value, part) =>
      limit(() => validate(value, part, draftOf(schema), lookup, false));
    // Broken or circular references and invalid patterns show up only when the schema is used.
    for (const part of nestedSchemas(schema)) {
      for (const value of [{}, [], '', 0, null]) validatePart(value, part);
    }
    return { schema, check: createCheck((value) => validatePart(value, schema)) };
  } catch (thrown) {
    return { fault: reasonOf(thrown) };
  }
}

const MAX_CHECK_MS = 1000;

/**
 * A pattern with catastrophic backtracking may effectively never finish, and a model or a stranger may have written
 * it. Node can interrupt a synchronous function only if it runs as a script.
 */
function withTimeLimit<T>(work: () => T): T {
  return new Script('work()').runInContext(createContext({ work }), { timeout: MAX_CHECK_MS }) as T;
}

/** The schema and all schemas nested in it, so that each can be tried before there is an answer. */
function* nestedSchemas(schema: JsonValue): Generator<JsonObject> {
  if (!isJsonObject(schema)) return;
  yield schema;
  for (const [key, value] of Object.entries(schema)) {
    const isList = Array.isArray(value) && schemaArrayKeyword[key];
    const inner = isList || (schemaMapKeyword[key] && isJsonObject(value)) ? Object.values(value) : [value];
    if (isList || schemaMapKeyword[key] || schemaKeyword[key]) for (const part of inner) yield* nestedSchemas(part);
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
        // The answer is already paid for: if it cannot be checked it counts as invalid, but its text is kept.
        problems ??= [`it cannot be validated: ${reasonOf(thrown)}`];
      }
    }
    return { problems: problems ?? [NO_JSON] };
  };
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'it is nested too deeply or circular';
  if (isTimeout(thrown)) return `matching a pattern took longer than ${MAX_CHECK_MS / 1000} s`;
  const [said = ''] = errorMessage(thrown).split('\n', 1);
  // Remove the absolute URI that the validator appends, because it does not occur in the schema.
  return said.replace(/\.(?: +Absolute URI .*)?$/, '');
}

function isTimeout(thrown: unknown): boolean {
  // Not an instance of `Error`, because it belongs to the context of the script.
  return (thrown as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function draftOf({ $schema }: JsonObject): SchemaDraft {
  const name = typeof $schema === 'string' ? $schema : '';
  if (name.includes('draft-04')) return '4';
  if (/draft-0[67]/.test(name)) return '7';
  return name.includes('2019-09') ? '2019-09' : '2020-12';
}

const MAX_PROBLEMS = 10;

/** Describes the validation errors by location. A location that is wrong only because of a nested one is omitted. */
function describeProblems(errors: readonly OutputUnit[]): string[] {
  const isOuter = ({ instanceLocation: outer }: OutputUnit) =>
    errors.some(({ instanceLocation }) => instanceLocation.startsWith(`${outer}/`));
  const inner = errors.filter(
    (error) => !isOuter(error) && error.keyword !== 'properties' && error.keyword !== 'items',
  );
  // An error of `$ref` only repeats the error of the referenced schema.
  const direct = inner.filter(({ keyword }) => keyword !== '$ref');
  const lines = (direct.length > 0 ? direct : errors).map(describe);
  return [...new Set(lines)].slice(0, MAX_PROBLEMS);
}

function describe({ instanceLocation, error }: OutputUnit): string {
  const location = instanceLocation.replace(/^#\/?/, '/');
  return `at ${location}: ${error.replace(/\.$/, '')}`;
}

export type FoundJson = { json: string; value: JsonValue };

const FENCE = /^[ \t]*(```|~~~)/;

/**
 * Finds JSON candidates in an answer: the whole text first. Models add code fences and prose, so fenced blocks are
 * tried next, last one first, and then the text between the outermost braces or brackets.
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

/** The contents of fenced blocks. Works line by line, because an answer may contain any number of unclosed fences. */
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
