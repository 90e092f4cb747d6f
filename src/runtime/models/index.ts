export { checkModel } from './check-model.ts';
export { type SelectedModel, selectModel, type RequestedModel, settingsWith, type TypedKey } from './selected-model.ts';
export { changeModel, describeFacts, fastCommand, formatCount, modelCommand, reasoningCommand } from './commands.ts';
export { type ConnectedModel, listConnected } from './list-connected.ts';
export { explainMissingList, listChoices } from './list-choices.ts';
export { parseModelName } from './parse-model-name.ts';
export { parseBaseUrl } from './parse-base-url.ts';
export { currentSettings, saveModel } from './switch-model.ts';
export { explainFailure, type TestAnswer, testCall, type TestFailure } from './test-call.ts';
