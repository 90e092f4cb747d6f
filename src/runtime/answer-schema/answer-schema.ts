import { type SchemaDraft, Validator } from '@cfworker/json-schema';
import { errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { knownTypesOnly } from '../../tools/index.ts';
import { describeProblems } from './describe-problems.ts';
import { findJson } from './find-json.ts';

/** What the final answer has to be. */
export type AnswerSchema = {
  schema: JsonObject;
  check(text: string): CheckedAnswer;
};

/** The JSON of an answer as the model wrote it, or what is wrong with it. */
export type CheckedAnswer = { json: string } | { problems: readonly string[] };

const NO_JSON = 'there is no JSON in the answer';

/** Or why it cannot be used, which whoever brought it should hear before a model is asked. */
export function createAnswerSchema(schema: JsonValue): AnswerSchema | { fault: string } {
  if (!isJsonObject(schema)) return { fault: 'it is no object' };
  // A mistyped type would refuse every answer, and with each of them the money it cost.
  const [wrongType] = knownTypesOnly(schema).unknown;
  if (wrongType !== undefined) return { fault: `${wrongType} is no type` };
  const validator = new Validator(schema, draftOf(schema), false);
  // References that lead nowhere and patterns that are none are found out by use only.
  try {
    for (const value of [{}, [], '', 0, null]) validator.validate(value);
  } catch (thrown) {
    return { fault: errorMessage(thrown).split('\n', 1)[0] ?? '' };
  }
  return { schema, check: createCheck(validator) };
}

function createCheck(validator: Validator): AnswerSchema['check'] {
  return (text) => {
    const found = findJson(text);
    let problems: readonly string[] | undefined;
    for (const { json, value } of found) {
      const { valid, errors } = validator.validate(value);
      if (valid) return { json };
      problems ??= describeProblems(errors);
    }
    return { problems: problems ?? [NO_JSON] };
  };
}

function draftOf({ $schema }: JsonObject): SchemaDraft {
  const name = typeof $schema === 'string' ? $schema : '';
  if (name.includes('draft-04')) return '4';
  if (/draft-0[67]/.test(name)) return '7';
  return name.includes('2019-09') ? '2019-09' : '2020-12';
}
