import { failureOf, type Recovery } from './recovery.ts';

/** The model does not know a parameter: leave it out or use the name it wants, now and in later calls. */
export const changeParameter: Recovery = {
  name: 'change-parameter',
  applies: (trouble) => failureOf(trouble, ['unsupported_parameter'])?.parameter !== undefined,
  async apply(trouble, turn) {
    const parameter = failureOf(trouble, ['unsupported_parameter'])?.parameter;
    const { parameterChanges } = turn.routes.lessons();
    if (!parameter || parameterChanges.some((change) => change.name === parameter.name)) return 'pass';
    parameterChanges.push(parameter);
    return 'retry';
  },
};
