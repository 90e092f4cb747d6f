import type { ParameterChange } from '../contracts/index.ts';
import type { BodyFields } from './json-text.ts';

/** Drops or renames parameters that a model is known to refuse; the others keep their place and their bytes. */
export function changeParameters(
  fields: BodyFields,
  changes: readonly ParameterChange[],
  mandatory: readonly string[],
): BodyFields {
  const wanted = changes.filter((change) => !mandatory.includes(change.name));
  if (wanted.length === 0) return fields;
  const changed: BodyFields = {};
  for (const [name, value] of Object.entries(fields)) {
    const change = wanted.find((each) => each.name === name);
    if (change === undefined) changed[name] = value;
    // A parameter that is there under its new name already must not come twice.
    else if (change.replacement !== undefined && fields[change.replacement] === undefined)
      changed[change.replacement] = value;
  }
  return changed;
}
