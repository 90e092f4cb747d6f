import { type InteractionAnswer, isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import type { AnswerOutcome, ApiRun, StoredQuestion } from '../../../contracts/index.ts';
import { findRunningTurn } from '../../../conversations/index.ts';
import { HttpError, type HttpResponse } from '../../../http/index.ts';
import { toSnakeCase } from '../../text/json-line.ts';
import type { ApiContext, ApiRequest, ApiRoute } from '../api-context.ts';
import { createIdempotency } from '../chat/idempotency.ts';
import { resumableResponse } from '../streams/resumable-response.ts';
import { concludeRun } from './conclude-run.ts';
import { createRunHost, type RunHost } from './run-host.ts';
import { readTurnRequest } from './run-request.ts';
import { invalid, readText, requireObject } from '../read-fields.ts';

type Parts = { context: ApiContext; runs: RunHost };

export function runRoutes(context: ApiContext): ApiRoute[] {
  const parts: Parts = { context, runs: createRunHost(context) };
  const idempotency = createIdempotency<Promise<ApiRun>>(context.runtime.clock, async (run) => (await run).id !== '');
  const path = '/v1/runs/:id';
  return [
    {
      method: 'POST',
      path: '/v1/runs',
      async handle(request) {
        const body = await request.json();
        const asked = readTurnRequest(body);
        const options = { attended: isAttended(request) };
        const run = await idempotency.share(request, body, () => parts.runs.start(request, asked, options));
        return {
          status: 202,
          headers: { 'x-hermes-session-id': run.sessionId, location: `/v1/runs/${run.id}` },
          json: { run_id: run.id, status: 'started', session_id: run.sessionId, object: 'hermes.run' },
        };
      },
    },
    { method: 'GET', path, handle: (request) => show(parts, request) },
    {
      method: 'GET',
      path: `${path}/events`,
      async handle(request) {
        const { id } = await find(parts, request);
        return resumableResponse(request, context.streams, { id, conclude: concludeRun });
      },
    },
    { method: 'POST', path: `${path}/stop`, handle: (request) => stop(parts, request) },
    { method: 'POST', path: `${path}/steer`, handle: (request) => steer(parts, request) },
    { method: 'POST', path: `${path}/approval`, handle: (request) => approve(parts, request) },
  ];
}

/** A client that answers questions says so; for others, what needs approval is denied. */
function isAttended({ header, key }: ApiRequest): boolean {
  const given = header('hermes-approvals')?.trim();
  if (given === undefined || given === '') return false;
  if (given !== 'events') throw new HttpError(400, 'invalid_value', 'The header Hermes-Approvals must be "events".');
  if (key.isOwner === true) return true;
  throw new HttpError(403, 'not_owner', 'Only keys with `--owner` may answer approvals.');
}

function find({ runs }: Parts, { owner, parameters: { id = '' } }: ApiRequest): Promise<ApiRun> {
  return runs.require(owner, id);
}

async function show(parts: Parts, request: ApiRequest): Promise<HttpResponse> {
  const run = await find(parts, request);
  const open = run.state === 'running' ? await openQuestions(parts, run) : [];
  return { json: describe(run, open) };
}

/** The states of the original: a stopped run is `cancelled`, one whose process died has failed. */
const STATUS = {
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  interrupted: 'cancelled',
  unknown: 'failed',
};

function describe(run: ApiRun, open: readonly StoredQuestion[]): JsonObject {
  const { id, sessionId, state, createdAt, endedAt, result } = run;
  const toSeconds = (time: number | undefined) => (time === undefined ? null : Math.floor(time / 1000));
  return {
    object: 'hermes.run',
    run_id: id,
    status: open.length > 0 ? 'waiting_for_approval' : STATUS[state],
    session_id: sessionId,
    created_at: toSeconds(createdAt),
    completed_at: toSeconds(endedAt),
    output: result?.['final_response'] ?? null,
    usage: result?.['usage'] ?? null,
    error: result?.['error'] ?? null,
    result: result ?? null,
    requests: open.map((question) => ({
      request_id: question.id,
      request: toSnakeCase(question.request as unknown as JsonValue),
      expires_at: toSeconds(question.expiresAt),
    })),
  };
}

function openQuestions({ context, runs }: Parts, { id, sessionId }: ApiRun): Promise<StoredQuestion[]> {
  const live = runs.live(id);
  return live?.conversation.openQuestions() ?? context.runtime.store.listOpenQuestions({ sessionId });
}

async function stop(parts: Parts, request: ApiRequest): Promise<HttpResponse> {
  const run = await find(parts, request);
  if (run.state !== 'running') return { json: describe(run, []) };
  if (!parts.runs.stop(run.id)) {
    const remote = await findRunningTurn(parts.context.runtime, run.sessionId);
    await remote?.interrupt('stopped through the API', request.actor);
  }
  return { json: { run_id: run.id, status: 'stopping' } };
}

async function steer(parts: Parts, request: ApiRequest): Promise<HttpResponse> {
  const body = await request.json();
  const text = readText(isJsonObject(body) ? (body['text'] ?? body['message'] ?? body['input']) : undefined, 'text');
  if (text === undefined) throw invalid('text', 'must contain text');
  const run = await find(parts, request);
  const live = parts.runs.live(run.id);
  const isSteered =
    live === undefined
      ? (await (await findRunningTurn(parts.context.runtime, run.sessionId))?.steer(text, request.actor)) === 'done'
      : live.turn.steer(text);
  if (!isSteered) throw new HttpError(409, 'not_running', `The run ${run.id} no longer accepts messages.`, NO_RETRY);
  return { json: { run_id: run.id, status: 'steered' } };
}

const NO_RETRY = { 'x-should-retry': 'false' } as const;

async function approve(parts: Parts, request: ApiRequest): Promise<HttpResponse> {
  const body = await request.json();
  const { id: given, answer } = readAnswer(body);
  const run = await find(parts, request);
  const id = given ?? (await onlyQuestion(parts, run));
  const live = parts.runs.live(run.id);
  const remote = live === undefined ? await findRunningTurn(parts.context.runtime, run.sessionId) : undefined;
  const answered = (live?.conversation ?? remote)?.answer(id, answer, request.actor);
  const outcome: AnswerOutcome = (await answered) ?? 'not_open';
  if (outcome !== 'answered') throw refusal(outcome, id);
  return { json: { run_id: run.id, request_id: id, status: 'answered' } };
}

const CHOICES = ['once', 'session', 'always', 'deny'] as const;

function readAnswer(sent: JsonValue): { id: string | undefined; answer: InteractionAnswer } {
  const body = requireObject(sent);
  const id = readText(body['request_id'] ?? body['approval_id'], 'request_id');
  const text = readText(body['text'], 'text');
  const given = body['choice'] ?? body['answer'];
  if (given === undefined && text !== undefined) return { id, answer: { kind: 'clarify', text } };
  const choice = CHOICES.find((name) => name === given);
  if (choice === undefined) throw invalid('choice', 'must be once, session, always or deny');
  const reason = readText(body['reason'], 'reason');
  return { id, answer: { kind: 'approval', answer: choice, ...(reason !== undefined && { reason }) } };
}

async function onlyQuestion(parts: Parts, run: ApiRun): Promise<string> {
  const open = run.state === 'running' ? await openQuestions(parts, run) : [];
  const [only] = open;
  if (only === undefined) throw new HttpError(409, 'no_question', `The run ${run.id} has no open question.`, NO_RETRY);
  if (open.length > 1) throw invalid('request_id', 'is required: the run has several open questions');
  return only.id;
}

const REFUSALS: Record<Exclude<AnswerOutcome, 'answered'>, [number, string]> = {
  not_found: [404, 'There is no such question.'],
  not_open: [409, 'The question is no longer open.'],
  wrong_kind: [400, 'An approval is answered with `choice`, any other question with `text`.'],
  forbidden: [403, 'This key may not answer the question.'],
};

function refusal(outcome: Exclude<AnswerOutcome, 'answered'>, id: string): HttpError {
  const [status, message] = REFUSALS[outcome];
  return new HttpError(status, `question_${outcome}`, `${message} (${id})`, NO_RETRY);
}
