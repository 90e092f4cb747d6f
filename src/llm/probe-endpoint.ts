import { entriesIn, listRequest, type ListModelsOptions, plainRequest } from './list-models.ts';
import { requestText, type TextAnswer } from './request-text.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

/** What an endpoint says to a question that costs nothing. */
export type EndpointAnswer = {
  /** The names in its list of models. */
  models?: string[];
  /** What kind of answer it was, where it was no list. */
  refusal?: 'key' | 'page' | 'nothing_there' | 'moved' | 'busy' | 'broken';
  status: number;
  /** What its clock said. */
  date?: number;
};

/**
 * Asks for the list of models; where there is none, makes a call without content, which any model API refuses in its own
 * words and anything else does not understand. Throws a `ModelError` where there is no answer at all.
 */
export async function probeEndpoint(options: ListModelsOptions): Promise<EndpointAnswer> {
  const until = Date.now() + options.timeoutMs;
  const request = listRequest(options);
  const listed = request && (await requestText(request));
  const models = listed?.status === 200 ? namesIn(listed.text) : undefined;
  if (listed !== undefined && (models !== undefined || !isSilent(listed))) return describe(listed, models);
  const { path } = WIRE_FORMATS[options.apiMode];
  const call = { ...plainRequest(options, path), timeoutMs: Math.max(1_000, until - Date.now()) };
  const headers = { ...call.headers, 'content-type': 'application/json' };
  return describe(await requestText({ ...call, headers, method: 'POST', body: '{}' }));
}

/** It has no list, or something else where we looked for one: the address may still be right. */
function isSilent(answer: TextAnswer): boolean {
  return [200, 400, 404, 405, 501].includes(answer.status) && !isPage(answer);
}

function namesIn(text: string): string[] | undefined {
  return entriesIn(text)?.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

function describe(answer: TextAnswer, models?: string[]): EndpointAnswer {
  const date = Date.parse(answer.header('date') ?? '');
  const { status } = answer;
  const refusal = models === undefined ? refusalOf(answer) : undefined;
  return { status, models, refusal, date: Number.isNaN(date) ? undefined : date };
}

function refusalOf(answer: TextAnswer): EndpointAnswer['refusal'] {
  const { status } = answer;
  if (isPage(answer)) return 'page';
  if (status === 401 || status === 403) return 'key';
  if (status === 404 || status === 405) return 'nothing_there';
  if (status >= 300 && status < 400) return 'moved';
  if (status === 429) return 'busy';
  return status >= 500 ? 'broken' : undefined;
}

function isPage(answer: TextAnswer): boolean {
  return /^text\/html/i.test(answer.header('content-type') ?? '') || /^\s*<(?:!doctype|html)/i.test(answer.text);
}
