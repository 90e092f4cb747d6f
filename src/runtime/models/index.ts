export { checkModel } from './check-model.ts';
export { type ChosenModel, chooseModel, type ModelWish, settingsWith, type TypedKey } from './chosen-model.ts';
export { describeFacts, fastCommand, modelCommand, reasoningCommand } from './commands.ts';
export { listChoices } from './list-choices.ts';
export { readTypedAddress } from './read-address.ts';
export { saveModel } from './switch-model.ts';
export { explainFailure, type TestAnswer, testCall, type TestFailure } from './test-call.ts';
