// Requests that are not model calls are sent only by some commands, by logins and after failures, so their code is
// loaded on demand.

type Lists = typeof import('./list-models.ts');
type Ollama = typeof import('./ollama-chat/probe-server.ts');
type Texts = typeof import('./request-text.ts');

const lists = () => import('./list-models.ts');
const ollama = () => import('./ollama-chat/probe-server.ts');
const texts = () => import('./request-text.ts');

export const listModels: Lists['listModels'] = async (options) => (await lists()).listModels(options);
export const listModelEntries: Lists['listModelEntries'] = async (options) => (await lists()).listModelEntries(options);
export const probeEndpoint: Lists['probeEndpoint'] = async (options) => (await lists()).probeEndpoint(options);
export const isOllama: Ollama['isOllama'] = async (server) => (await ollama()).isOllama(server);
export const probeOllamaWindow: Ollama['probeOllamaWindow'] = async (server, model) =>
  (await ollama()).probeOllamaWindow(server, model);
export const getText: Texts['getText'] = async (request) => (await texts()).getText(request);
export const requestText: Texts['requestText'] = async (request) => (await texts()).requestText(request);
