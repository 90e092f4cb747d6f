export { checkModel } from './check-model.ts';
export { type ChosenModel, chooseModel, type ModelWish, settingsWith, type TypedKey } from './chosen-model.ts';
export { describeFacts } from './describe-facts.ts';
export { listChoices } from './list-choices.ts';
export { modelCommand } from './model-command.ts';
export { fastCommand, reasoningCommand } from './preference-commands.ts';
export { readTypedAddress } from './read-address.ts';
export { saveModel } from './save-model.ts';
export { explainFailure, type TestAnswer, testCall, type TestFailure } from './test-call.ts';
