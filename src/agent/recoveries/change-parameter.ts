import { failureOf, type Recovery } from './recovery.ts';

/** The model does not support a parameter: omit or rename it, in this call and in later ones. */
export const changeParameter: Recovery = {
  name: 'change-parameter',
  applies: (problem) => failureOf(problem, ['unsupported_parameter'])?.parameter !== undefined,
  async apply(problem, turn) {
    const parameter = failureOf(problem, ['unsupported_parameter'])?.parameter;
    const { parameterChanges } = turn.routes.learned();
    if (!parameter || parameterChanges.some((change) => change.name === parameter.name)) return 'pass';
    parameterChanges.push(parameter);
    return 'retry';
  },
};
